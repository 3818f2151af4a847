"""The figures of an edit for the user: counts and times of writing an answer."""

from __future__ import annotations

from dataclasses import dataclass, replace

from editd.decode.speculative import DecodeStats
from editd.engine.writer import Counts
from editd.messages import Stats


@dataclass(frozen=True, slots=True)
class LoopCounts:
    """What the local loop counted."""

    decoded: DecodeStats

    def __add__(self, other: LoopCounts) -> LoopCounts:
        return LoopCounts(self.decoded + other.decoded)

    def told(self) -> Stats:
        """As shown to the user, without times."""
        loop = self.decoded
        rate = loop.acceptance_rate
        return Stats(
            prompt_tokens=loop.num_prompt_tokens,
            cached_tokens=loop.cached_tokens,
            output_tokens=loop.output_tokens,
            rounds=loop.rounds,
            tokens_per_round=round(loop.tokens_per_round, 2),
            drafted=loop.drafted,
            accepted=loop.accepted,
            rejected=loop.rejected,
            acceptance_rate=None if rate is None else round(rate, 4),
            tree_rounds=loop.tree_rounds,
            accepted_prediction_tokens=loop.accepted,
            rejected_prediction_tokens=loop.rejected,
            drafter_seconds=loop.drafter_seconds,
            exactness=loop.exactness,
            min_margin=loop.min_margin,
            near_ties=loop.near_ties,
            window=loop.window,
            last_window=loop.last_window,
        )


def figures(
    counts: Counts | None,
    *,
    drafter: str,
    load_seconds: float,
    decode_seconds: float,
    total_seconds: float,
    first_hunk_ms: float | None = None,
    with_prediction: bool = True,
) -> Stats:
    """``Stats`` of one answer or of several. Times as there; with_prediction: drafts were of one.

    counts: ``None`` where nothing was written.
    """
    told = counts.told() if counts is not None else Stats()
    if not with_prediction:
        told = replace(told, accepted_prediction_tokens=0, rejected_prediction_tokens=0)
    tokens = told.output_tokens
    return replace(
        told,
        first_hunk_ms=first_hunk_ms,
        load_seconds=round(load_seconds, 3),
        decode_seconds=decode_seconds,
        total_seconds=total_seconds,
        tokens_per_second=None if tokens is None else round(tokens / max(decode_seconds, 1e-9), 1),
        drafter=drafter,
        written_by="model" if counts is not None else "",
    )
