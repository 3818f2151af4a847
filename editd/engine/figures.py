"""The figures of an answer, put together from its counts and times."""

from __future__ import annotations

from dataclasses import replace

from editd.messages.reports import Stats


def figures(
    counts: Stats | None,
    *,
    drafter: str,
    load_seconds: float,
    decode_seconds: float,
    total_seconds: float,
    first_hunk_ms: float | None = None,
    with_prediction: bool = True,
) -> Stats:
    """The counts of one answer or several with the figures that follow from them (rates a round and a second,
    rounded), and the given times; ``None`` for a figure whose counts are not known. first_hunk_ms: ``None`` for none.

    counts: ``None`` if no model wrote; then ``written_by`` is empty, else ``model``. with_prediction: accepted and
    rejected tokens are reported as those of a prediction, too; else these are 0.
    """
    counted = counts or Stats()
    tokens, rounds = counted.output_tokens, counted.rounds
    accepted, drafted = counted.accepted, counted.drafted
    tokens_per_round = None
    if tokens is not None and rounds is not None:
        tokens_per_round = round(tokens / rounds, 2) if rounds else 0.0
    return replace(
        counted,
        tokens_per_round=tokens_per_round,
        acceptance_rate=round((accepted or 0) / drafted, 4) if drafted else None,
        accepted_prediction_tokens=accepted if with_prediction else 0,
        rejected_prediction_tokens=counted.rejected if with_prediction else 0,
        first_hunk_ms=first_hunk_ms,
        load_seconds=round(load_seconds, 3),
        decode_seconds=decode_seconds,
        total_seconds=total_seconds,
        tokens_per_second=None if tokens is None else round(tokens / max(decode_seconds, 1e-9), 1),
        drafter=drafter,
        written_by="model" if counts is not None else "",
    )
