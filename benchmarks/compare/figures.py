"""From measurements to figures: medians of repeats, ratios to editd, geometric means over edits.

CPU seconds are the primary clock, since the machine may be busy; wall seconds stand beside them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import geometric_mean, median, quantiles

from benchmarks.compare.runner import Measurement, Reading, Results, readers

_ByCase = dict[str, list[Measurement]]
_NO_READING: Mapping[str, float] = {}


@dataclass(frozen=True, slots=True)
class RowFigures:
    """A row over the edits that it and editd both have.

    tokens_per_cpu_second, tokens_per_second: all output tokens by the sum of the medians. first_ms: median over edits of
    the median wall time to the first token. rounds: of one repeat.
    ratio: how many times longer than editd, by CPU time, geometric mean over the edits of the ratios of medians; above 1
        editd is faster. low, high: the least and the greatest of the same figure taken from each repeat alone.
    after_median, after_tenth: the ratio of CPU times after the first token, ``None`` where that is not known: the median
        over the edits, and the tenth of them in which editd does worst.
    price: CPU time after the first token by the time in which the same engine reads these tokens as a prompt, geometric
        mean, ``None`` where that was not measured. No verifier gets below 1.
    first_difference: of the first edit whose output differs: its name and the token.
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
    after_median: float | None
    after_tenth: float | None
    price: float | None
    by_case: dict[str, float]
    first_difference: tuple[str, int] | None


def figures_of(results: Results) -> dict[str, RowFigures]:
    """By row, the figures of those that have answers."""
    found = {}
    for row in results.rows:
        plain = readers(results.rows)[row.peer.name]
        seconds = reading_seconds(results.measurements, results.readings, row.peer.name, plain)
        figures = summarise(results.measurements, row.name, row.ours, seconds)
        if figures is not None:
            found[row.name] = figures
    return found


def reading_seconds(
    measurements: Sequence[Measurement], readings: Sequence[Reading], peer: str, plain: str
) -> dict[str, float]:
    """By edit, CPU seconds in which ``peer`` reads an answer; ``plain``: its row that also read."""
    found = {}
    for case, measured in _by_case(measurements, plain).items():
        both = [each.cpu_seconds for each in readings if (each.peer, each.case) == (peer, case)]
        prompt = [each.first_cpu_seconds for each in measured if each.first_cpu_seconds is not None]
        if both and prompt:
            found[case] = max(median(both) - median(prompt), 1e-6)
    return found


def summarise(
    measurements: Sequence[Measurement],
    row: str,
    ours: str,
    reading: Mapping[str, float] = _NO_READING,
) -> RowFigures | None:
    """The figures of ``row`` against those of ``ours``; ``None`` if no edit has answers of both.

    reading: CPU seconds in which the row's engine reads an answer, by edit.
    """
    theirs, ours_by_case = _by_case(measurements, row), _by_case(measurements, ours)
    shared = {case: measured for case, measured in theirs.items() if case in ours_by_case}
    if not shared:
        return None
    by_case = {case: _cpu(shared[case]) / _cpu(ours_by_case[case]) for case in shared}
    alone = [
        geometric_mean(ratios)
        for repeat in sorted({m.repeat for measured in shared.values() for m in measured})
        if (ratios := _of_repeat(shared, ours_by_case, repeat))
    ] or [geometric_mean(by_case.values())]
    after = _after_ratios(shared, ours_by_case)
    prices = [
        _median(shared[case], _after_first) / reading[case]
        for case in shared
        if case in reading and shared[case][0].first_cpu_seconds is not None
    ]
    num_tokens = sum(measured[0].num_tokens for measured in shared.values())
    firsts = [
        median(seconds)
        for measured in shared.values()
        if (seconds := [m.first_seconds for m in measured if m.first_seconds is not None])
    ]
    rounds = [measured[0].rounds for measured in shared.values()]
    differing = (
        (m.case, m.first_difference)
        for measured in shared.values()
        for m in measured
        if m.first_difference is not None
    )
    return RowFigures(
        row=row,
        num_cases=len(shared),
        repeats=max(map(len, shared.values())),
        tokens_per_cpu_second=num_tokens / sum(map(_cpu, shared.values())),
        tokens_per_second=num_tokens
        / sum(_median(measured, lambda m: max(m.seconds, 1e-6)) for measured in shared.values()),
        first_ms=1000 * median(firsts) if firsts else None,
        rounds=None if None in rounds else sum(count or 0 for count in rounds),
        ratio=geometric_mean(by_case.values()),
        low=min(alone),
        high=max(alone),
        after_median=median(after) if after else None,
        after_tenth=quantiles(after, n=10, method="inclusive")[0] if len(after) > 1 else None,
        price=geometric_mean(prices) if len(prices) == len(shared) else None,
        by_case=by_case,
        first_difference=next(differing, None),
    )


def _cpu(measured: Sequence[Measurement]) -> float:
    """The median of CPU seconds; a clock tick may be longer than a tiny answer."""
    return _median(measured, lambda m: max(m.cpu_seconds, 1e-6))


def _after_first(measurement: Measurement) -> float:
    """CPU seconds of all tokens but the first.

    Where several came first: the seconds of those that follow, and for these as much as for each of the others.
    """
    after = measurement.cpu_seconds - (measurement.first_cpu_seconds or 0.0)
    rest = max(measurement.num_tokens - measurement.first_tokens, 1)
    return max(after * max(measurement.num_tokens - 1, 1) / rest, 1e-6)


def _after_ratios(theirs: _ByCase, ours: _ByCase) -> list[float]:
    """By edit; empty if the first token was not timed in one of them."""
    every = [m for case in theirs for m in (*theirs[case], *ours[case])]
    if any(m.first_cpu_seconds is None for m in every):
        return []
    return [
        _median(theirs[case], _after_first) / _median(ours[case], _after_first) for case in theirs
    ]


def _median(measured: Sequence[Measurement], clock: Callable[[Measurement], float]) -> float:
    return median(map(clock, measured))


def _by_case(measurements: Sequence[Measurement], row: str) -> _ByCase:
    found: _ByCase = {}
    for measurement in measurements:
        if measurement.row == row:
            found.setdefault(measurement.case, []).append(measurement)
    return found


def _of_repeat(theirs: _ByCase, ours: _ByCase, repeat: int) -> list[float]:
    """The ratios of a repeat alone, for the edits that both answered in it."""
    of_both = (
        ([m for m in measured if m.repeat == repeat], [m for m in ours[case] if m.repeat == repeat])
        for case, measured in theirs.items()
    )
    return [_cpu(these) / _cpu(those) for these, those in of_both if these and those]
