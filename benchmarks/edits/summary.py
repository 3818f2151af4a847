"""The runs of ``edit`` together: rates, gains, ratios, and the first hunk."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median

from benchmarks.edits.figures import LOOKUP, PLAIN, EditFigures, Run


@dataclass(frozen=True, slots=True)
class Row:
    """A way, warm or cold, over all cases; medians, ratios case by case.

    tokens_per_second: output tokens of all cases by seconds of all cases, prefill included.
    against_plain, against_lookup: how many times faster than transformers, ``None`` without it.
    against_none: than editd's own plain decoding in the same mode: what drafting brings.
    price, host_share: as in ``Run``.
    """

    way: str
    warm: bool
    cases: int
    tokens_per_second: float
    tokens_per_round: float
    milliseconds: float
    first_hunk_rounds: float | None
    first_hunk_ms: float | None
    against_plain: float | None
    against_lookup: float | None
    against_none: float | None
    price: float | None
    host_share: float | None
    same: int | None
    scaled: bool


def summary(figures: EditFigures) -> list[Row]:
    """A row for each way, warm ones first, in the order in which they were run."""
    ways = dict.fromkeys((run.way, run.warm) for run in figures.runs)
    return [_row(figures, way, warm) for way, warm in sorted(ways, key=lambda pair: not pair[1])]


def engine_gains(figures: EditFigures, *, warm: bool = True) -> dict[str, float]:
    """How many times faster than transformers' plain decoding ``none`` is, by mode."""
    modes = dict.fromkeys(run.mode for run in figures.runs if run.way not in (PLAIN, LOOKUP))
    gains = {mode: _ratio(figures, PLAIN, f"none, {mode}", warm) for mode in modes}
    return {mode: gain for mode, gain in gains.items() if gain is not None}


def fast_copies(figures: EditFigures, mode: str, drafter: str) -> float | None:
    """Output tokens a second, warm, over edits of 2,000 tokens and more of which 98 % are copied."""
    runs = [
        run
        for run in figures.of(f"{drafter}, {mode}", warm=True).values()
        if figures.cases[run.case]["copied"] >= 0.98 and run.output_tokens >= 2000
    ]
    return _rate(runs) if runs else None


def early_changes(figures: EditFigures, mode: str, drafter: str) -> list[int]:
    """Rounds until the first hunk, warm, of edits that change something in the first 100 tokens."""
    runs = figures.of(f"{drafter}, {mode}", warm=True).values()
    early = [run for run in runs if figures.cases[run.case]["first_change"] < 100]
    return [run.first_hunk_rounds for run in early if run.first_hunk_rounds is not None]


def _row(figures: EditFigures, way: str, warm: bool) -> Row:  # noqa: FBT001 - a key of the table
    by_case = figures.of(way, warm=warm)
    runs = list(by_case.values())
    theirs = way in (PLAIN, LOOKUP)
    return Row(
        way,
        warm,
        len(runs),
        tokens_per_second=_rate(runs),
        tokens_per_round=sum(run.output_tokens for run in runs) / sum(run.rounds for run in runs),
        milliseconds=1000 * median(run.seconds for run in runs),
        first_hunk_rounds=_median(runs, lambda run: run.first_hunk_rounds),
        first_hunk_ms=_median(runs, lambda run: run.first_hunk_seconds, 1000),
        against_plain=_ratio(figures, PLAIN, way, warm),
        against_lookup=_ratio(figures, LOOKUP, way, warm),
        against_none=None if theirs else _ratio(figures, f"none, {runs[0].mode}", way, warm),
        price=_median(runs, lambda run: run.price),
        host_share=_median(runs, lambda run: run.host_share),
        same=sum(bool(run.same) for run in runs) if figures.forced else None,
        scaled=any(run.measured < run.output_tokens for run in runs),
    )


def _ratio(figures: EditFigures, slow: str, fast: str, warm: bool) -> float | None:  # noqa: FBT001 - as above
    """The median over cases of the times of one way by those of another."""
    others, own = figures.of(slow, warm=warm), figures.of(fast, warm=warm)
    ratios = [others[case].seconds / own[case].seconds for case in own if case in others]
    return median(ratios) if ratios else None


def _rate(runs: Sequence[Run]) -> float:
    return sum(run.output_tokens for run in runs) / sum(run.seconds for run in runs)


def _median(
    runs: Sequence[Run], figure: Callable[[Run], float | None], scale: float = 1
) -> float | None:
    values = [value for run in runs if (value := figure(run)) is not None]
    return scale * median(values) if values else None
