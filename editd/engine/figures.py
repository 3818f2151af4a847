"""What was counted while decoding, as the figures that a user gets."""

from __future__ import annotations

from editd.decode.stats import DecodeStats
from editd.messages import Stats


def figures(
    counted: DecodeStats,
    *,
    drafter: str,
    load_seconds: float,
    decode_seconds: float,
    total_seconds: float,
    first_hunk_ms: float | None = None,
    with_prediction: bool = True,
) -> Stats:
    """``Stats`` of one answer or of several. Times as there; with_prediction: drafts were of one."""
    return Stats(
        prompt_tokens=counted.num_prompt_tokens,
        cached_tokens=counted.cached_tokens,
        output_tokens=counted.output_tokens,
        rounds=counted.rounds,
        tokens_per_round=round(counted.tokens_per_round, 2),
        drafted=counted.drafted,
        accepted=counted.accepted,
        rejected=counted.rejected,
        tree_rounds=counted.tree_rounds,
        accepted_prediction_tokens=counted.accepted if with_prediction else 0,
        rejected_prediction_tokens=counted.rejected if with_prediction else 0,
        first_hunk_ms=first_hunk_ms,
        load_seconds=round(load_seconds, 3),
        decode_seconds=decode_seconds,
        total_seconds=total_seconds,
        tokens_per_second=round(counted.output_tokens / max(decode_seconds, 1e-9), 1),
        drafter_seconds=counted.drafter_seconds,
        exactness=counted.exactness,
        min_margin=counted.min_margin,
        near_ties=counted.near_ties,
        window=counted.window,
        last_window=counted.last_window,
        acceptance_rate=None
        if counted.acceptance_rate is None
        else round(counted.acceptance_rate, 4),
        drafter=drafter,
    )
