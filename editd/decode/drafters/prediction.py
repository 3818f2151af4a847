"""Predicted outputs as llama.cpp's lookup decoding does them (pull request 12127).

The prediction is a queue of tokens. The last decoded token is looked for in what is left of it;
what follows is drafted, and everything up to there is used up and never looked at again. The
window starts small, doubles when a whole draft was accepted and falls back to the start on a miss.

Worked example, window start 2, prediction ``a b c d e``, output so far ``b``: ``b`` is found,
``a b`` are used up, ``c d`` is drafted. When both are accepted the next draft has four tokens.
"""

from __future__ import annotations

from collections.abc import Sequence

from editd.decode.drafters.base import EMPTY, Draft, DraftTask
from editd.errors import UsageError

# The pull request's text names a start of 1 and says that 16 works well in practice.
STARTS = {"1": 1, "16": 16}


class PredictionDrafter:
    """A cursor through the prediction that only goes forward and forgets what it has passed."""

    def __init__(self, task: DraftTask, preset: str = "16") -> None:
        if preset not in STARTS:
            raise UsageError(
                f"prediction has no preset “{preset}”; it has {', '.join(sorted(STARTS))}."
            )
        self.name = f"prediction:{preset}"
        self._start = STARTS[preset]
        self._window = self._start
        self._ids = task.codec.encode(task.prediction, task.answer_opening)
        self._next = 0  # first token of the prediction that is not used up
        self._drafted: Sequence[int] = ()

    def propose(self, output_ids: Sequence[int], max_tokens: int) -> Draft:
        if output_ids:  # before the first token there is nothing to find: draft from the head
            try:
                self._next = self._ids.index(output_ids[-1], self._next) + 1
            except ValueError:
                self._drafted = ()
                return EMPTY
        end = self._next + min(self._window, max_tokens)
        self._drafted = self._ids[self._next : end]
        return Draft(self._drafted, sources=["prediction"] * len(self._drafted))

    def observe(self, accepted_ids: Sequence[int], row_top1_ids: Sequence[int]) -> None:  # noqa: ARG002
        drafted = len(self._drafted)
        accepted = min(len(accepted_ids) - 1, drafted)  # the last one is the target's own
        if drafted and accepted == drafted:
            self._window *= 2
        else:
            self._window = self._start
        self._next += accepted
