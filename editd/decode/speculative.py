"""The loop: propose, verify, accept, crop. Token ids in, token ids out.

Knows no text, no tensor and no clock except the one for its figures. The caller's function decides when an answer
ends; choosing a token is left to the target. Lossless by construction: every output token is the target's own choice
at its position, and a draft token is accepted only when it equals that choice (Leviathan et al., arXiv 2211.17192,
for drafts with probabilities; point masses are the special case in which the choice does not depend on the draft).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from time import perf_counter
from typing import Literal, Protocol

from editd.decode.drafters.base import EMPTY, Draft, Drafter
from editd.decode.target import GREEDY, Certainty, Rows, Sampling, Target

EndsAnswer = Callable[[int], bool]
"""Called once with each output token, in order; returns whether the answer is complete with it."""


class Window(Protocol):
    """Decides how many draft tokens a round may verify."""

    def next(self, context_length: int) -> int:
        """The most draft tokens for the next round, after ``context_length`` cached tokens."""
        ...

    def observe(self, num_drafted: int, num_accepted: int) -> None:
        """Learn from the acceptance of a round's draft."""
        ...

    @property
    def clock(self) -> Callable[[], float]:
        """The clock for verifications, in seconds."""
        ...

    def learn_round(
        self, num_rows: int, context_length: int, seconds: float, *, tree: bool = False
    ) -> None:
        """Learn from the time, by ``clock``, of verifying ``num_rows`` rows after so many cached tokens."""
        ...

    def learn_reread_round(
        self, num_rows: int, context_length: int, seconds: float, num_again: int
    ) -> None:
        """As ``learn_round``, for a chain for which ``num_again`` tokens were read once more."""
        ...


class Allowed(Protocol):
    """A limit on the first output tokens (token healing)."""

    def rows(self, output_ids: Sequence[int], draft: Draft) -> list[Sequence[int] | None] | None:
        """For each verified row the ids that may be chosen, ``None`` for all; ``None`` if nothing is limited."""
        ...


@dataclass(frozen=True, slots=True)
class Round:
    """The result of one verification.

    token_ids: accepted draft tokens, then the target's own.
    window: most draft tokens that were allowed.
    context: tokens in the cache before.
    started: on the clock of ``time.perf_counter``; in seconds.
    certainty: of the last token, if that is the target's own and the target reports it.
    """

    token_ids: tuple[int, ...]
    num_drafted: int
    num_accepted: int
    sources: tuple[str, ...]  # [len(token_ids)]: where each token came from, "new" for the target's
    draft: Draft = EMPTY
    window: int = 0
    context: int = 0
    started: float = 0.0
    draft_seconds: float = 0.0
    verify_seconds: float = 0.0
    certainty: Certainty | None = None


class Decoding:
    """The decoding of one answer. Call ``advance()`` until ``finish_reason`` is set, then ``close()``.

    prompt_ids: must not be empty. max_new_tokens: bounds the output, as does the model's context.
    """

    def __init__(
        self,
        target: Target,
        prompt_ids: Sequence[int],
        drafter: Drafter,
        *,
        ends_answer: EndsAnswer,
        max_new_tokens: int,
        sampling: Sampling = GREEDY,
        window: Window,
        allowed: Allowed | None = None,
    ) -> None:
        self.output_ids: list[int] = []
        self.finish_reason: Literal["stop", "length"] | None = None
        self.stats = DecodeStats(num_prompt_tokens=len(prompt_ids), exactness=target.exactness)
        self._target = target
        self._prompt_ids = list(prompt_ids)
        self._drafter = drafter
        self._ends_answer = ends_answer
        self._max_new_tokens = max_new_tokens
        self._sampling = sampling
        self._window = window
        self._allowed = allowed
        self._sequence = target.open(prompt_ids)
        self.stats.cached_tokens = self._sequence.cached_tokens

    @property
    def prefilled(self) -> float:
        """The fraction of the prompt that is in the cache; 1.0 when rounds begin."""
        return self._sequence.length / max(len(self._prompt_ids) - 1, 1)

    def advance(self) -> Round | None:
        """Run one prefill chunk (returns ``None``) or one round, which appends to ``output_ids``,
        crops the cache and may set ``finish_reason``, after which it must not be called. Raises
        whatever the target or the drafter raises.
        """
        if self._prefill_chunk():
            return None
        # 1) propose
        started = perf_counter()
        room, draft = self._propose()
        drafted = perf_counter()
        # 2) verify: the last token is not in the cache yet, so it leads the draft
        base = self._sequence.length
        last_id = self.output_ids[-1] if self.output_ids else self._prompt_ids[-1]
        began = self._window.clock()
        rows = self._sequence.verify(
            [last_id, *draft.token_ids],
            self._sampling,
            parents=draft.parents,
            draft_probs=draft.probs,
            allowed=self._allowed.rows(self.output_ids, draft) if self._allowed else None,
        )
        verified = perf_counter()
        # 3) accept
        path = accepted_path(draft, rows.choice_ids)
        added = replace(
            self._emit(draft, path, rows, base),
            draft=draft,
            window=max(room, 0),
            context=base,
            started=started,
            draft_seconds=drafted - started,
            verify_seconds=verified - drafted,
        )
        # 4) crop
        if draft.parents is not None:
            self._sequence.keep_branch(base, [0, *(index + 1 for index in path)])
        elif len(path) < len(draft):
            self._sequence.crop(base + 1 + len(path))
        # What a tree costs is also that one branch is kept.
        self._observe(added, self._window.clock() - began, rows.num_read_again)
        return added

    def close(self) -> None:
        """Give the cache back. Safe at any time, also after an error, also twice."""
        self._sequence.close()

    def _prefill_chunk(self) -> bool:
        """Append one chunk of the prompt to the cache; false, doing nothing, when nothing is
        missing.

        All but the last prompt token, which leads the first round. Chunks end at multiples of the
        target's chunk size whatever was cached, so that cached and fresh KV are computed alike.
        """
        start, end = self._sequence.length, len(self._prompt_ids) - 1
        if self.output_ids or start >= end:
            return False
        size = self._target.prefill_chunk
        self._sequence.prefill(self._prompt_ids[start : min(end, (start // size + 1) * size)])
        return True

    def _propose(self) -> tuple[int, Draft]:
        """The most draft tokens that this round may have by window, limit of output and context (0
        or less: none), and the draft, cut to that and to the target's widest tree. Empty if there
        is no room for any or the target cannot take tokens back. Adds the drafter's time to the
        figures.
        """
        room = min(
            self._window.next(self._sequence.length),
            self._max_new_tokens - len(self.output_ids) - 1,
            self._target.max_context - self._sequence.length - 1,
        )
        if room <= 0 or not self._target.rewindable:
            return room, EMPTY
        started = perf_counter()
        draft = self._drafter.propose(self.output_ids, room)
        self.stats.drafter_seconds += perf_counter() - started
        if draft.parents is not None:
            return room, shortened(draft, min(room, self._target.widest_tree - 1))
        return room, shortened(draft, room)

    def _emit(self, draft: Draft, path: list[int], rows: Rows, base: int) -> Round:
        """Append accepted tokens and the target's own to the output, up to the answer's end; counts
        them and returns the round.

        Sets ``finish_reason`` to "stop" at a token that ends the answer, else to "length" when the
        output's limit is reached or the context is full. path: indexes of the accepted draft
        tokens. base: tokens in the cache before the round.
        """
        # path row i + 1 follows draft token path[i]; the last row's choice is recovered or bonus
        visited = [0, *(index + 1 for index in path)]
        sources = [draft.sources[i] if draft.sources else self._drafter.name for i in path]
        emitted: list[int] = []
        for row in visited:
            token_id = rows.choice_ids[row]
            emitted.append(token_id)
            self.output_ids.append(token_id)
            self.stats.add_margin(rows.margins[row], self._target.near_tie_margin)
            if self._ends_answer(token_id):
                self.finish_reason = "stop"
                break
        else:
            context_full = base + len(emitted) + 1 > self._target.max_context
            if len(self.output_ids) >= self._max_new_tokens or context_full:
                self.finish_reason = "length"
        num_accepted = min(len(path), len(emitted))
        tree = draft.parents is not None
        self.stats.add_round(len(draft), num_accepted, len(emitted), tree=tree)
        return Round(
            tuple(emitted),
            len(draft),
            num_accepted,
            (*sources[: len(emitted)], "new")[: len(emitted)],
            certainty=rows.certainty if len(emitted) > len(path) else None,
        )

    def _observe(self, added: Round, seconds: float, num_again: int) -> None:
        """Report the result and the time of a round to drafter and window, and note the window for
        the figures.

        num_again: tokens that the target read once more; if there are any, the window learns from
        the time only what such a token costs.
        """
        started = perf_counter()
        self._drafter.observe(added.token_ids)
        self.stats.drafter_seconds += perf_counter() - started
        self._window.observe(added.num_drafted, added.num_accepted)
        if num_again:
            self._window.learn_reread_round(
                added.num_drafted + 1, added.context, seconds, num_again
            )
        else:
            tree = added.draft.parents is not None
            self._window.learn_round(added.num_drafted + 1, added.context, seconds, tree=tree)
        self.stats.windows.append(added.window)


def accepted_path(draft: Draft, choice_ids: Sequence[int]) -> list[int]:
    """Indexes of the draft tokens that equal the target's choices, from the root down.

    choice_ids: ``[1 + num_draft_tokens]``, row 0 precedes the draft, row ``i + 1`` follows draft token ``i``. In a
    chain the path is a prefix; in a tree it follows, at each row, the child that carries the choice.
    """
    if draft.parents is None:
        for index, token_id in enumerate(draft.token_ids):
            if token_id != choice_ids[index]:
                return list(range(index))
        return list(range(len(draft)))
    path: list[int] = []
    node = -1
    for index, (token_id, parent) in enumerate(zip(draft.token_ids, draft.parents, strict=True)):
        if parent == node and token_id == choice_ids[node + 1]:
            path.append(index)
            node = index
    return path


def shortened(draft: Draft, num_tokens: int) -> Draft:
    """The first ``num_tokens`` of a draft; the draft itself if it is no longer."""
    if len(draft) <= num_tokens:
        return draft
    return Draft(
        draft.token_ids[:num_tokens],
        draft.parents[:num_tokens] if draft.parents is not None else None,
        draft.probs[:num_tokens] if draft.probs is not None else None,
        draft.sources[:num_tokens] if draft.sources is not None else None,
    )


@dataclass(slots=True)
class DecodeStats:
    """Counts as in ``messages.Stats``, of one answer."""

    num_prompt_tokens: int = 0
    cached_tokens: int = 0
    output_tokens: int = 0
    rounds: int = 0
    drafted: int = 0
    accepted: int = 0
    tree_rounds: int = 0
    drafter_seconds: float = 0.0
    exactness: str = ""
    min_margin: float | None = None
    near_ties: int = 0
    windows: list[int] = field(default_factory=list)  # of each round, most draft tokens allowed

    @property
    def rejected(self) -> int:
        return self.drafted - self.accepted

    @property
    def tokens_per_round(self) -> float:
        return self.output_tokens / self.rounds if self.rounds else 0.0

    def add_round(
        self, num_drafted: int, num_accepted: int, num_emitted: int, *, tree: bool = False
    ) -> None:
        """Count one verification of ``num_drafted`` draft tokens, of which ``num_accepted`` were
        accepted; ``num_emitted`` tokens of output came of it. tree: the draft had branches.
        """
        self.rounds += 1
        self.drafted += num_drafted
        self.accepted += num_accepted
        self.tree_rounds += tree
        self.output_tokens += num_emitted

    def add_margin(self, margin: float, near_tie_margin: float) -> None:
        """Count the gap between first and second choice (in log-probability) at an emitted token:
        the least one, and those below ``near_tie_margin``.
        """
        if self.min_margin is None or margin < self.min_margin:
            self.min_margin = margin
        self.near_ties += margin < near_tie_margin
