"""The drafters that the others are compared with: a prediction followed in order, and prompt lookup.

``none`` drafts nothing.

``prediction``. Predicted outputs as llama.cpp's lookup decoding does them (pull request 12127).

The prediction is a queue of tokens. The last decoded token is searched in what is left of it; the tokens after it are
drafted, and everything up to there is used up and never looked at again. The window starts small, doubles when a
whole draft was accepted and falls back to the start on a miss.

Worked example, window start 2, prediction ``a b c d e``, output so far ``b``: ``b`` is found, ``a b`` are used up,
``c d`` is drafted. When both are accepted the next draft has four tokens.

``prompt-lookup``. Prompt lookup (Saxena, 2023): find the last few tokens earlier in the text, copy what followed.

Knows prompt and output as one row of token ids and no position in the buffer: an n-gram that is in two places is the
same to it. In three sizes:

- ``transformers``: n-grams of 2, then 1, first match, 10 tokens: the defaults of ``PromptLookupCandidateGenerator``;
- ``saxena``: n-grams of 3 down to 1, first match, 10 tokens: the original recipe;
- ``tuned``: longest match of at most 5, most recent, as many tokens as the window holds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from editd.decode.drafters.base import EMPTY, Draft, DraftTask, TokenOrigins
from editd.turns import yield_point

_TOKENS_A_PIECE = 4096


class NoDrafter:
    """Proposes nothing, so every round yields the target's one token."""

    name = "none"

    def propose(self, output_ids: Sequence[int], max_tokens: int) -> Draft:  # noqa: ARG002
        return EMPTY

    def observe(self, accepted_ids: Sequence[int]) -> None:
        pass


class PredictionDrafter:
    """A cursor through the prediction that only goes forward and forgets the tokens that it has passed.

    preset: tokens of the window at its start. The pull request's text names 1 and says that 16 works well in
    practice.
    """

    def __init__(self, task: DraftTask, preset: str) -> None:
        self.name = f"prediction:{preset}"
        self._start = self._window = int(preset)
        self._ids = task.codec.encode(task.prediction, task.answer_opening)
        self._next = 0  # first token of the prediction that is not used up
        self._drafted: Sequence[int] = ()

    def propose(self, output_ids: Sequence[int], max_tokens: int) -> Draft:
        """The tokens after the next occurrence of the last output token in what is left of the
        prediction, as many as window and ``max_tokens`` allow; empty if there is none. Before the
        first output token the prediction's beginning.

        Uses up the prediction to the place found.
        """
        if output_ids:  # before the first token there is nothing to find: draft from the head
            try:
                self._next = self._ids.index(output_ids[-1], self._next) + 1
            except ValueError:
                self._drafted = ()
                return EMPTY
        end = self._next + min(self._window, max_tokens)
        self._drafted = self._ids[self._next : end]
        return Draft(self._drafted, sources=["prediction"] * len(self._drafted))

    def observe(self, accepted_ids: Sequence[int]) -> None:
        """Double the window after a draft that was accepted whole, else reset it to its start; what
        was accepted of the prediction is used up.

        accepted_ids: the round's tokens, the target's own last.
        """
        drafted = len(self._drafted)
        accepted = min(len(accepted_ids) - 1, drafted)  # the last one is the target's own
        if drafted and accepted == drafted:
            self._window *= 2
        else:
            self._window = self._start
        self._next += accepted


@dataclass(frozen=True, slots=True)
class LookupSizes:
    """The sizes of prompt lookup.

    longest: tokens of the longest n-gram tried.
    most: tokens copied, 0 for the whole window.
    first: take the first place where the n-gram stands, else the most recent one.
    """

    longest: int
    most: int
    first: bool


PRESETS = {
    "transformers": LookupSizes(longest=2, most=10, first=True),
    "saxena": LookupSizes(longest=3, most=10, first=True),
    "tuned": LookupSizes(longest=5, most=0, first=False),
}


class PromptLookupDrafter:
    """Copies the tokens after an earlier occurrence of the last n tokens, longest n first."""

    def __init__(self, task: DraftTask, preset: str) -> None:
        self.name = f"prompt-lookup:{preset}"
        self._sizes = PRESETS[preset]
        self._text = list(task.prompt_ids)
        self._prompt_length = len(self._text)
        self._origins = TokenOrigins(task, "prompt-lookup")
        # Per n: n-gram → index of the token that follows it.
        self._follows: list[dict[tuple[int, ...], int]] = [{} for _ in range(self._sizes.longest)]
        self._indexed = 0
        for end in range(_TOKENS_A_PIECE, len(task.prompt_ids), _TOKENS_A_PIECE):
            self._index(end)
            yield_point()

    def propose(self, output_ids: Sequence[int], max_tokens: int) -> Draft:
        """The tokens after an earlier occurrence, in prompt or output, of the last n tokens, for
        the largest n that has one; empty if there is none. Adds new output to the index.

        The preset says the largest n, which occurrence counts (the first or the last), and how many
        tokens are copied at most.
        """
        text = self._text
        text.extend(output_ids[len(text) - self._prompt_length :])
        self._index(len(text))
        most = min(max_tokens, self._sizes.most or max_tokens)
        for n in range(min(self._sizes.longest, len(text)), 0, -1):
            start = self._follows[n - 1].get(tuple(text[-n:]))
            if start is not None:
                copied = text[start : start + most] if most > 0 else []
                return Draft(
                    copied, sources=[self._origins.source(start + i) for i in range(len(copied))]
                )
        return EMPTY

    def observe(self, accepted_ids: Sequence[int]) -> None:
        pass

    def _index(self, end: int) -> None:
        """Record the place after each n-gram that ends before ``end``: the first or the last place,
        as the preset says. The last token has no follower yet and waits.
        """
        text = self._text
        for n, follows in enumerate(self._follows, start=1):
            for start in range(max(self._indexed, n), end):
                ngram = tuple(text[start - n : start])
                if not self._sizes.first or ngram not in follows:
                    follows[ngram] = start
        self._indexed = end
