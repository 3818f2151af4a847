"""Replay: how many rounds would a drafter have needed for edits whose result is known?

Each case's answer is played by a scripted target through the real decode loop, so what is counted
here is what ``editd edit`` does. Figures have the names of ``decode.speculative``.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import asdict, dataclass, field, replace
from math import exp, log
from statistics import fmean, median
from time import thread_time
from typing import Any
from unittest.mock import patch

from editd.decode.drafters import buffer, make_drafter
from editd.decode.drafters.base import Codec, Draft, Drafter
from editd.decode.speculative import Decoding
from editd.decode.window import FixedWindow, WindowPolicy
from tests.recorded_cases import size_of
from tests.replay.copy_oracle import oracle_runs
from tests.replay.cost_profiles import PROFILES, CostProfile, profile_named
from tests.replay.scripted_target import ScriptedTarget
from tests.replay.transcripts import END_OF_ANSWER, Transcript, task_of

ORACLE = "copy-oracle"
BASELINE = "prompt-lookup:tuned"
"""The best rule that knows no position: what the others are compared with."""

_REPLACED: dict[str, tuple[Any, str, Any]] = {
    "substitutions": (buffer.BufferDrafter, "_learn", lambda *_: None),
    "shifts": (buffer, "shift_of", lambda *_: None),
}
"""Parts of the drafter ``buffer``: where each is, and what stands in for it."""

ABLATIONS = (*_REPLACED, "suffix", "branches")
"""Parts that ``--ablate`` leaves out, one at a time: ``DRAFTER -PART``."""


@dataclass(slots=True)
class CaseFigures:
    """One case with one drafter. ``drafter_seconds`` it computed, reading prompt and buffer included."""

    id: str
    kind: str
    language: str
    size: str
    output_tokens: int = 0
    rounds: int = 0
    drafted: int = 0
    accepted: int = 0
    rejected: int = 0
    modelled_seconds: dict[str, float] = field(default_factory=dict)
    drafter_seconds: float = 0.0

    @property
    def tokens_per_round(self) -> float:
        return self.output_tokens / self.rounds

    def add_round(self, drafted: int, accepted: int, emitted: int, context: int) -> None:
        self.rounds += 1
        self.drafted += drafted
        self.accepted += accepted
        self.rejected += drafted - accepted
        self.output_tokens += emitted
        for profile in PROFILES:
            seconds = profile.seconds(drafted + 1, context)
            known = self.modelled_seconds.get(profile.name, 0.0)
            self.modelled_seconds[profile.name] = known + seconds


@dataclass(slots=True)
class DrafterFigures:
    """One drafter over all cases."""

    drafter: str
    window: int
    per_case: list[CaseFigures]

    def total(self, name: str) -> float:
        """The sum of one figure over the cases."""
        return sum((float(getattr(case, name)) for case in self.per_case), 0.0)

    def seconds(self, profile: str) -> float:
        return sum(case.modelled_seconds[profile] for case in self.per_case)

    @property
    def tokens_per_round(self) -> float:
        return self.total("output_tokens") / self.total("rounds")


@dataclass(frozen=True, slots=True)
class Paired:
    """One drafter against another on the same cases.

    ratio: of rounds, the other's by this one's, geometric mean over cases, with the bounds of a
    95 % bootstrap interval; above 1 this one needs fewer. not_slower: per cost profile the share
    of cases on which this one's modelled time is at most the other's.
    """

    drafter: str
    against: str
    ratio: float
    low: float
    high: float
    not_slower: dict[str, float]
    seconds_ratio: dict[str, float]


class _Clocked:
    """A drafter and the seconds that it computes: what else the machine does meanwhile is not counted."""

    def __init__(self, drafter: Drafter) -> None:
        self.name = drafter.name
        self.seconds = 0.0
        self._drafter = drafter

    def propose(self, output_ids: Sequence[int], max_tokens: int) -> Draft:
        started = thread_time()
        draft = self._drafter.propose(output_ids, max_tokens)
        self.seconds += thread_time() - started
        return draft

    def observe(self, accepted_ids: Sequence[int]) -> None:
        started = thread_time()
        self._drafter.observe(accepted_ids)
        self.seconds += thread_time() - started


def replay_case(
    transcript: Transcript,
    spec: str,
    codec: Codec,
    *,
    window: int,
    seed: int = 0,
    options: dict[str, Any] | None = None,
    costs: CostProfile | None = None,
) -> CaseFigures:
    """Decode one known answer with one drafter; raises if the loop gave another text.

    options: more of the drafter's task. costs: choose each round's window by what rounds cost there, ``window`` at most.
    """
    case = transcript.case
    figures = CaseFigures(case.id, case.kind, case.language, size_of(case))
    if spec == ORACLE:
        context = len(transcript.prompt_ids)
        for run in oracle_runs(transcript.prompt_ids, transcript.answer_ids, window):
            figures.add_round(run, run, run + 1, context)
            context += run + 1
        return figures
    started = thread_time()
    drafter = _Clocked(
        make_drafter(spec, replace(task_of(transcript, codec), costs=costs, **(options or {})))
    )
    drafter.seconds = thread_time() - started
    decoding = Decoding(
        ScriptedTarget(transcript.prompt_ids, transcript.answer_ids, seed),
        transcript.prompt_ids,
        drafter,
        ends_answer=lambda token_id: token_id == END_OF_ANSWER,
        max_new_tokens=len(transcript.answer_ids),
        window=WindowPolicy(costs, window) if costs else FixedWindow(window),
    )
    context = len(transcript.prompt_ids)
    while decoding.finish_reason is None:
        done = decoding.advance()
        if done is not None:
            emitted = len(done.token_ids)
            figures.add_round(done.num_drafted, done.num_accepted, emitted, context)
            context += emitted
    figures.drafter_seconds = drafter.seconds
    if decoding.output_ids != list(transcript.answer_ids):
        raise AssertionError(f"{spec} changed the answer of {case.id}")
    return figures


def replay_all(
    known: Sequence[Transcript],
    specs: Sequence[str],
    codec: Codec,
    *,
    window: int,
    seed: int = 0,
    advanced: Callable[[str], None] = lambda _spec: None,
) -> list[DrafterFigures]:
    """All cases with each drafter, in the order given. ``advanced`` is called after each case.

    A spec may end in ``@PROFILE``, for windows by the costs of a machine, and in `` -PART``, one of
    ``ABLATIONS``.
    """
    results = []
    for spec in specs:
        name, _, part = spec.partition(" -")
        name, costs = costs_of(name)
        run, left_out = ablated(name, part)
        per_case = []
        for transcript in known:
            with left_out:
                figures = replay_case(transcript, run, codec, window=window, seed=seed, costs=costs)
            per_case.append(figures)
            advanced(spec)
        results.append(DrafterFigures(spec, window, per_case))
    return results


def costs_of(spec: str) -> tuple[str, CostProfile | None]:
    """The drafter of ``DRAFTER@PROFILE``, and the profile; raises ``UsageError`` for an unknown one."""
    name, _, profile = spec.partition("@")
    return name, profile_named(profile) if profile else None


def ablated(spec: str, part: str) -> tuple[str, AbstractContextManager[Any]]:
    """The spec of a drafter with one part left out (``""``: none), and what leaves it out meanwhile."""
    if part in _REPLACED:
        return spec, patch.object(*_REPLACED[part])
    if part == "branches":
        spec = spec.replace(":tree", ":chain")
    if part == "suffix":
        others = [name for name in spec.split("+") if not name.startswith("suffix")]
        spec = "+".join(others) or "none"
    return spec, nullcontext()


def pair(this: DrafterFigures, other: DrafterFigures, seed: int = 0, draws: int = 2000) -> Paired:
    """Compare two drafters case by case. The interval's resampling is seeded."""
    logs = [log(b.rounds / a.rounds) for a, b in zip(this.per_case, other.per_case, strict=True)]
    low, high = _bootstrap(logs, seed, draws)
    names = [profile.name for profile in PROFILES]
    return Paired(
        drafter=this.drafter,
        against=other.drafter,
        ratio=exp(fmean(logs)),
        low=exp(low),
        high=exp(high),
        not_slower={
            name: fmean(
                # 1e-9: sums of the same floats in another order
                a.modelled_seconds[name] <= b.modelled_seconds[name] * (1 + 1e-9)
                for a, b in zip(this.per_case, other.per_case, strict=True)
            )
            for name in names
        },
        seconds_ratio={name: other.seconds(name) / this.seconds(name) for name in names},
    )


def gap_closed(this: DrafterFigures, base: DrafterFigures, oracle: DrafterFigures) -> float | None:
    """The share of the rounds between ``base`` and the oracle that was saved; above 1: fewer rounds than the oracle's.

    ``None`` if the oracle saves none.
    """
    gap = base.total("rounds") - oracle.total("rounds")
    return (base.total("rounds") - this.total("rounds")) / gap if gap > 0 else None


def as_json(figures: DrafterFigures) -> dict[str, Any]:
    """One drafter's object of ``--json``; the names are documented in docs/reference."""
    return {
        "drafter": figures.drafter,
        "window": figures.window,
        "cases": len(figures.per_case),
        **_summary(figures.per_case),
        **{
            f"by_{name}": {
                value: _summary(group) for value, group in grouped(figures.per_case, name).items()
            }
            for name in ("kind", "language", "size")
        },
        "per_case": [asdict(case) for case in figures.per_case],
    }


def grouped(cases: Iterable[CaseFigures], name: str) -> dict[str, list[CaseFigures]]:
    """The cases by the value of one of ``kind``, ``language``, ``size``."""
    groups: dict[str, list[CaseFigures]] = {}
    for case in cases:
        groups.setdefault(getattr(case, name), []).append(case)
    return dict(sorted(groups.items()))


def _summary(cases: Sequence[CaseFigures]) -> dict[str, Any]:
    tokens, rounds = sum(c.output_tokens for c in cases), sum(c.rounds for c in cases)
    drafted, accepted = sum(c.drafted for c in cases), sum(c.accepted for c in cases)
    return {
        "output_tokens": tokens,
        "rounds": rounds,
        "tokens_per_round": tokens / rounds,
        "median_tokens_per_round": median(c.tokens_per_round for c in cases),
        "drafted": drafted,
        "accepted": accepted,
        "rejected": drafted - accepted,
        "modelled_seconds": {
            p.name: sum(c.modelled_seconds[p.name] for c in cases) for p in PROFILES
        },
        "drafter_seconds": sum(c.drafter_seconds for c in cases),
    }


def _bootstrap(values: Sequence[float], seed: int, draws: int) -> tuple[float, float]:
    """Bounds of the mean's 95 % interval by the percentile bootstrap."""
    rng = random.Random(seed)
    means = sorted(fmean(rng.choices(values, k=len(values))) for _ in range(draws))
    return means[int(0.025 * draws)], means[int(0.975 * draws)]
