"""From measurements to figures: medians of repeats, ratios to editd, geometric means over cases.

CPU seconds are the primary clock, since the machine may be busy; wall seconds stand beside them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import geometric_mean, median, quantiles

from benchmarks.compare.runner import Measurement, Reading

Clock = Callable[[Measurement], float]


@dataclass(frozen=True, slots=True)
class RowFigures:
    """One row over the cases that it and editd both have.

    tokens_per_cpu_second, tokens_per_second: all output tokens by the sum of the medians. first_ms:
    median over cases of the median wall time to the first token. rounds: of one repeat.
    ratio: how many times longer than editd, by CPU time, geometric mean over the cases of the
        ratios of medians; above 1 editd is faster. low, high: the least and the greatest of the
        same figure taken from each repeat alone. wall_ratio: the same by wall time.
    after_median, after_tenth: the ratio of CPU times after the first token, ``None`` where that is not
        known: the median over the cases, and the tenth of them in which editd does worst.
    price: CPU time after the first token by the time in which the same engine reads these tokens as a
        prompt, geometric mean. No verifier gets below 1. floor: the same if each of its rounds took no
        longer than one token, ``None`` where that was not measured.
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
    after_median: float | None
    after_tenth: float | None
    price: float | None
    floor: float | None
    by_case: dict[str, float]
    first_difference: tuple[str, int] | None


@dataclass(frozen=True, slots=True)
class Limits:
    """By case, what an engine cannot go below: seconds to read the answer, seconds of one token."""

    reading: Mapping[str, float]
    token: Mapping[str, float]


NO_LIMITS = Limits({}, {})


def limits(
    measurements: Sequence[Measurement], readings: Sequence[Reading], peer: str, plain: str
) -> Limits:
    """Those of ``peer``, whose row ``plain`` decodes without drafts, or at least reads."""
    reading, token = {}, {}
    for case, measured in _by_case(measurements, plain).items():
        both = [one.cpu_seconds for one in readings if (one.peer, one.case) == (peer, case)]
        prompt = [one.first_cpu_seconds for one in measured if one.first_cpu_seconds is not None]
        if both and prompt:
            reading[case] = max(median(both) - median(prompt), 1e-6)
        if prompt and measured[0].rounds == measured[0].num_tokens:
            token[case] = _median(measured, _after_first) / max(measured[0].num_tokens - 1, 1)
    return Limits(reading, token)


def summarise(
    measurements: Sequence[Measurement], row: str, ours: str, least: Limits = NO_LIMITS
) -> RowFigures | None:
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
    after = _after_ratios(kept, theirs)
    prices = _by_reading(kept, least, lambda measured, _case: _median(measured, _after_first))
    floors = _by_reading(
        kept, least, lambda measured, case: (measured[0].rounds or 0) * least.token.get(case, 0.0)
    )
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
        after_median=median(after) if after else None,
        after_tenth=quantiles(after, n=10, method="inclusive")[0] if len(after) > 1 else None,
        price=geometric_mean(prices) if prices else None,
        floor=geometric_mean(floors) if floors else None,
        by_case=by_case,
        first_difference=next(
            ((case, index) for case, index in differing if index is not None), None
        ),
    )


def _cpu(measurement: Measurement) -> float:
    return max(measurement.cpu_seconds, 1e-6)  # a clock tick may be longer than a tiny answer


def _wall(measurement: Measurement) -> float:
    return max(measurement.seconds, 1e-6)


def _after_ratios(
    mine: dict[str, list[Measurement]], theirs: dict[str, list[Measurement]]
) -> list[float]:
    """By case; nothing if the first token was not timed in one of them."""
    every = [m for case in mine for m in (*mine[case], *theirs[case])]
    if any(m.first_cpu_seconds is None for m in every):
        return []
    return [
        _median(mine[case], _after_first) / _median(theirs[case], _after_first) for case in mine
    ]


def _by_reading(
    mine: dict[str, list[Measurement]],
    least: Limits,
    seconds: Callable[[list[Measurement], str], float],
) -> list[float]:
    """By case, ``seconds`` by those of reading the answer; nothing if a case is not known."""
    found = [
        seconds(mine[case], case) / least.reading[case]
        for case in mine
        if case in least.reading and mine[case][0].first_cpu_seconds is not None
    ]
    return found if len(found) == len(mine) and all(found) else []


def _after_first(measurement: Measurement) -> float:
    """CPU seconds of all tokens but the first.

    Where several came first, what follows them, and for these as much as for each of the others.
    """
    after = measurement.cpu_seconds - (measurement.first_cpu_seconds or 0.0)
    rest = max(measurement.num_tokens - measurement.first_tokens, 1)
    return max(after * max(measurement.num_tokens - 1, 1) / rest, 1e-6)


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
