"""From measurements to figures: medians of repeats, ratios to editd, geometric means over cases.

CPU seconds are the primary clock, since the machine may be busy; wall seconds stand beside them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import geometric_mean, median

from benchmarks.compare.runner import Measurement

Clock = Callable[[Measurement], float]


@dataclass(frozen=True, slots=True)
class RowFigures:
    """One row over the cases that it and editd both have.

    tokens_per_cpu_second, tokens_per_second: all output tokens by the sum of the medians. first_ms:
    median over cases of the median wall time to the first token. rounds: of one repeat.
    ratio: how many times longer than editd, by CPU time, geometric mean over the cases of the
        ratios of medians; above 1 editd is faster. low, high: the least and the greatest of the
        same figure taken from each repeat alone. wall_ratio: the same by wall time. decode_ratio: the
        same by the CPU time after the first token, ``None`` where that is not known.
    first_difference: of the first case whose output differs: its name and the token.
    """

    row: str
    num_cases: int
    repeats: int
    tokens_per_cpu_second: float
    tokens_per_second: float
    first_ms: float | None
    rounds: int | None
    ratio: float
    low: float
    high: float
    wall_ratio: float
    decode_ratio: float | None
    by_case: dict[str, float]
    first_difference: tuple[str, int] | None


def summarise(measurements: Sequence[Measurement], row: str, ours: str) -> RowFigures | None:
    """The figures of ``row`` against those of ``ours``; ``None`` if it has no answers."""
    mine = _by_case(measurements, row)
    theirs = _by_case(measurements, ours)
    cases = [case for case in mine if case in theirs]
    if not cases:
        return None
    kept = {case: mine[case] for case in cases}
    by_case = {case: _median(kept[case], _cpu) / _median(theirs[case], _cpu) for case in cases}
    alone = [
        geometric_mean(ratios)
        for repeat in sorted({m.repeat for case in cases for m in kept[case]})
        if (ratios := _of_repeat(kept, theirs, repeat))
    ] or [geometric_mean(by_case.values())]
    num_tokens = sum(kept[case][0].num_tokens for case in cases)
    firsts = [
        median(seconds)
        for case in cases
        if (seconds := [m.first_seconds for m in kept[case] if m.first_seconds is not None])
    ]
    rounds = [kept[case][0].rounds for case in cases]
    differing = [(m.case, m.first_difference) for case in cases for m in kept[case]]
    return RowFigures(
        row=row,
        num_cases=len(cases),
        repeats=max(len(kept[case]) for case in cases),
        tokens_per_cpu_second=num_tokens / sum(_median(kept[case], _cpu) for case in cases),
        tokens_per_second=num_tokens / sum(_median(kept[case], _wall) for case in cases),
        first_ms=1000 * median(firsts) if firsts else None,
        rounds=None if None in rounds else sum(count or 0 for count in rounds),
        ratio=geometric_mean(by_case.values()),
        low=min(alone),
        high=max(alone),
        wall_ratio=geometric_mean(
            _median(kept[case], _wall) / _median(theirs[case], _wall) for case in cases
        ),
        decode_ratio=_decode_ratio(kept, theirs),
        by_case=by_case,
        first_difference=next(
            ((case, index) for case, index in differing if index is not None), None
        ),
    )


def _cpu(measurement: Measurement) -> float:
    return max(measurement.cpu_seconds, 1e-6)  # a clock tick may be longer than a tiny answer


def _wall(measurement: Measurement) -> float:
    return max(measurement.seconds, 1e-6)


def _decode_ratio(
    mine: dict[str, list[Measurement]], theirs: dict[str, list[Measurement]]
) -> float | None:
    every = [m for case in mine for m in (*mine[case], *theirs[case])]
    if any(m.first_cpu_seconds is None for m in every):
        return None
    return geometric_mean(
        _median(mine[case], _cpu_after_first) / _median(theirs[case], _cpu_after_first)
        for case in mine
    )


def _cpu_after_first(measurement: Measurement) -> float:
    return max(measurement.cpu_seconds - (measurement.first_cpu_seconds or 0.0), 1e-6)


def _median(measurements: Sequence[Measurement], clock: Clock) -> float:
    return median(clock(m) for m in measurements)


def _by_case(measurements: Sequence[Measurement], row: str) -> dict[str, list[Measurement]]:
    found: dict[str, list[Measurement]] = {}
    for measurement in measurements:
        if measurement.row == row:
            found.setdefault(measurement.case, []).append(measurement)
    return found


def _of_repeat(
    mine: dict[str, list[Measurement]], theirs: dict[str, list[Measurement]], repeat: int
) -> list[float]:
    """The ratios of one repeat alone, for the cases that both answered in it."""
    ratios = []
    for case, measured in mine.items():
        one = [m for m in measured if m.repeat == repeat]
        other = [m for m in theirs[case] if m.repeat == repeat]
        if one and other:
            ratios.append(_cpu(one[0]) / _cpu(other[0]))
    return ratios
