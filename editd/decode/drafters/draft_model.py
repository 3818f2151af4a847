"""A smaller model with the same vocabulary drafts (Leviathan et al., arXiv 2211.17192).

It reads the same text as the target, in its own cache (``draft_session.DraftReader``), and writes token by token with
the request's sampling settings. When greedy, a draft token is accepted if it is the target's choice. When sampled,
there are two rules:

- ``rejection``: the draft is drawn with separate noise and carries the distribution it was drawn from; the target accepts
  with min(1, p / q), else draws from norm(max(0, p - q)). Most tokens are accepted this way; the text depends on seed and
  drafter.
- ``coupled``: target and draft model share their noise, keyed by seed and position, and a draft token is accepted when the
  target's own draw equals it. The text depends on the seed alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from editd.decode.drafters.base import EMPTY, Draft, DraftTask
from editd.decode.drafters.draft_session import DraftReader, session_of, share_vocabulary
from editd.decode.target import num_common
from editd.errors import UsageError


class DraftModelDrafter:
    """Drafts with the draft model in ``task.draft`` (``draft_session.DraftSession``).

    Raises ``UsageError`` if there is none, or if its vocabulary differs from the target's.
    """

    name = "draft-model"

    def __init__(self, task: DraftTask, preset: str = "") -> None:  # noqa: ARG002 - it has none
        session = session_of(task, self.name)
        if not share_vocabulary(session.target.codec, session.model.codec):
            raise UsageError(
                f"The draft model {session.model.name} has a different vocabulary than "
                f"{session.target.name}: use the drafter universal with it."
            )
        self._prompt_ids = list(task.prompt_ids)
        self._stop_ids = session.target.stop_ids
        self._sampling = session.sampling
        self._with_probs = not self._sampling.greedy and session.acceptance == "rejection"
        self._reading = DraftReader(session, self._prompt_ids)
        self._draft_length = self._reading.draft_length()
        self._drafted: list[int] = []  # of this round

    def propose(self, output_ids: Sequence[int], max_tokens: int) -> Draft:
        """The tokens that the draft model writes after the output, as many as pay and
        ``max_tokens`` at most, up to and with a stop token; with greedy sampling also no more once
        the draft has become too unlikely.

        Empty if drafting does not pay now, or the draft model cannot follow the text yet or any
        more.
        """
        if max_tokens <= 0 or self._reading.is_closed:
            return EMPTY
        context = len(self._prompt_ids) + len(output_ids)
        length = min(self._draft_length.length(context), max_tokens)
        if not length or not self._reading.follow([*self._prompt_ids, *output_ids]):
            return EMPTY
        token_ids: list[int] = []
        probs: list[Any] = []
        chance = 1.0
        while len(token_ids) < length:
            drawn = self._reading.draw()
            if drawn is None:
                break
            # Whether to go on may depend on this token, but the token stays in the draft: leaving
            # out draws that look unlikely would bias what the rejection rule lets through.
            token_ids.append(drawn.token_id)
            probs.append(drawn.probs)
            if drawn.token_id in self._stop_ids:
                break
            if self._sampling.greedy:
                # A sampled token may be unlikely and still be accepted, so there only the rate of
                # acceptance counts; a greedy one is as right as the draft model is sure of it.
                chance *= drawn.chance
                if not self._draft_length.worth_going_on(chance, len(token_ids)):
                    break
        self._drafted = token_ids
        if not token_ids:
            return EMPTY
        sources = [self.name] * len(token_ids)
        return Draft(token_ids, None, probs if self._with_probs else None, sources)

    def observe(self, accepted_ids: Sequence[int]) -> None:
        """Learn how much of the last draft was accepted; nothing if there was none. accepted_ids:
        the round's tokens, the target's own last.
        """
        drafted, self._drafted = self._drafted, []
        if drafted:
            self._draft_length.observe(len(drafted), num_common(drafted, list(accepted_ids)))
