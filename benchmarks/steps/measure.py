"""t(k, context) by each way of running passes, against the time of reading the weights once.

``timing`` times one pass; here are the ways.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from benchmarks.steps.models import BenchModel, weights_read
from benchmarks.steps.timing import CONTEXTS, SIZES, Step, copy_bandwidth, steps_at
from editd.errors import ModelUnsupported, OutOfMemory

Report = Callable[[str, float], None]
"""Called with the name of the measurement that begins, and the share that is done (0 to 1)."""


@dataclass(slots=True)
class StepFigures:
    """The figures that were measured of one model. ``limit_ms``: of reading the weights once."""

    model: str
    device: str
    dtype: str
    random_weights: bool
    copy_bandwidth: float  # bytes a second, read plus written
    weights_read: int  # bytes
    steps: list[Step] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    @property
    def limit_ms(self) -> float:
        return 1000 * self.weights_read / self.copy_bandwidth

    def at(self, mode: str, context: int, k: int) -> Step | None:
        """The step of a mode, context and size; ``None`` if it was not measured."""
        for step in self.steps:
            if (step.mode, step.context, step.k) == (mode, context, k):
                return step
        return None

    def ratio(self, step: Step) -> float | None:
        """The time of ``step`` by t(1) of the same mode and context; ``None`` if that was not measured."""
        first = self.at(step.mode, step.context, 1)
        return step.median_ms / first.median_ms if first else None

    def as_json(self) -> dict[str, Any]:
        return {
            **{name: value for name, value in asdict(self).items() if name != "steps"},
            "limit_ms": self.limit_ms,
            "steps": [
                {
                    **asdict(step),
                    "ratio_to_t1": self.ratio(step),
                    "ratio_to_limit": step.median_ms / self.limit_ms,
                }
                for step in self.steps
            ],
        }


def measure(
    bench: BenchModel,
    *,
    contexts: Sequence[int] = CONTEXTS,
    sizes: Sequence[int] = SIZES,
    modes: tuple[str, ...] = (),
    repeats: int = 0,
    report: Report = lambda _what, _done: None,
) -> StepFigures:
    """Measure every mode at every context and size; ``repeats`` 0: as many as suit the device."""
    chosen = bench.modes(modes)
    repeats = repeats or (20 if bench.device.startswith("cuda") else 9)
    figures = StepFigures(
        bench.name,
        bench.device,
        bench.dtype,
        bench.random,
        copy_bandwidth(bench.device),
        weights_read(bench.model),
    )
    for number, mode in enumerate(chosen):
        try:
            runner = bench.runner(mode)
        except ModelUnsupported as error:
            figures.notes.append(str(error))
            continue
        try:
            for index, context in enumerate(contexts):
                done = (number + index / len(contexts)) / len(chosen)
                report(f"{mode}, context {context}", done)
                figures.steps += steps_at(runner, mode, context, sizes, repeats)
        except OutOfMemory as error:
            figures.notes.append(f"{mode}: {error}")
        finally:
            runner.close()
    report("done", 1.0)
    return figures
