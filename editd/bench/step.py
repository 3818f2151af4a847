"""t(k, context): how long one pass over k tokens takes behind a context, through the real runner.

What is timed is ``verify`` and what comes back to the host with it, as in a round of an edit; the
drafter is not part of it. Sizes are taken in turns, so that a machine that slows down slows all.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from statistics import median
from time import perf_counter, process_time
from typing import TYPE_CHECKING, Any

from editd.backends.probe_ids import probe_ids
from editd.backends.torch.run.graphs.choose_recorder import machine_key, prefer
from editd.bench.limits import copy_bandwidth, wait
from editd.bench.step_models import BenchModel, weights_read
from editd.decode.target import GREEDY
from editd.errors import ModelUnsupported, OutOfMemory, UsageError

if TYPE_CHECKING:
    from editd.backends.torch.run.runner import ModelRunner

SIZES = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512)
CONTEXTS = (2048,)
_WARM_UPS = 6  # more than a pass is run before it is worth recording

Told = Callable[[str, float], None]
"""What is being measured, and how far it has come (0 to 1)."""


@dataclass(frozen=True, slots=True)
class Step:
    """One cell of the table, in milliseconds. ``low``, ``high``: quartiles. ``cpu``: processor time."""

    mode: str
    context: int
    k: int
    median_ms: float
    low_ms: float
    high_ms: float
    cpu_ms: float


@dataclass(slots=True)
class StepFigures:
    """All that was measured of one model. ``limit_ms``: of reading the weights once."""

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
        """One cell, if it was measured."""
        for step in self.steps:
            if (step.mode, step.context, step.k) == (mode, context, k):
                return step
        return None

    def ratio(self, step: Step) -> float | None:
        """To t(1) of the same mode and context."""
        first = self.at(step.mode, step.context, 1)
        return step.median_ms / first.median_ms if first else None

    def faster_capture(self) -> str:
        """``graphs`` or ``compile``, whose passes take less together; empty if not both were run."""
        together = {
            capture: sum(step.median_ms for step in self.steps if step.mode == mode)
            for capture, mode in (("graphs", "captured"), ("compile", "compiled"))
        }
        return min(together, key=lambda name: together[name]) if all(together.values()) else ""

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
    told: Told = lambda _what, _done: None,
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
                told(f"{mode}, context {context}", done)
                figures.steps += steps_at(runner, mode, context, sizes, repeats)
        except OutOfMemory as error:
            figures.notes.append(f"{mode}: {error}")
        finally:
            runner.close()
    faster = figures.faster_capture()
    if faster and not bench.random:
        prefer(faster, machine_key(bench.name, bench.model.device, bench.model.dtype))
        figures.notes.append(
            f"From now on model.capture = auto means {faster} for this model here."
        )
    told("done", 1.0)
    return figures


def steps_at(
    runner: ModelRunner, mode: str, context: int, sizes: Sequence[int], repeats: int
) -> list[Step]:
    """The cells of one mode and context. Raises ``UsageError`` where the context is too long."""
    sizes = sorted(set(sizes))
    if context + sizes[-1] >= runner.max_context:
        raise UsageError(
            f"The model reads {runner.max_context} tokens, which a context of {context} and "
            f"{sizes[-1]} tokens more would exceed: choose a smaller --context."
        )
    device = str(runner.device)
    ids = probe_ids(context + sizes[-1], runner.vocab_size)
    sequence = runner.open(ids[: context + 1])
    try:
        while sequence.length < context:
            start = sequence.length
            end = min(context, (start // runner.prefill_chunk + 1) * runner.prefill_chunk)
            sequence.prefill(ids[start:end])
        times: dict[int, list[tuple[float, float]]] = {k: [] for k in sizes}
        for turn in range(_WARM_UPS + repeats):
            while turn == _WARM_UPS - 1 and runner.idle_work():
                pass
            for k in sizes:
                wait(device)
                started, worked = perf_counter(), process_time()
                sequence.verify(ids[context : context + k], GREEDY)
                if turn >= _WARM_UPS:
                    times[k].append((perf_counter() - started, process_time() - worked))
                sequence.crop(context)
    finally:
        sequence.close()
    return [_step(mode, context, k, taken) for k, taken in times.items()]


def _step(mode: str, context: int, k: int, taken: list[tuple[float, float]]) -> Step:
    walls = sorted(1000 * wall for wall, _ in taken)
    return Step(
        mode,
        context,
        k,
        median_ms=median(walls),
        low_ms=walls[len(walls) // 4],
        high_ms=walls[(3 * len(walls)) // 4],
        cpu_ms=median(1000 * worked for _, worked in taken),
    )
