"""Passes recorded once and replayed: when, and what happens if that fails.

``Captures`` knows when a pass is worth recording and switches to the recording when there is one;
a ``Recorder`` (``cuda_graphs``) does the recording on a device. A recording is used only after its
replay has agreed with the pass. If anything fails, one line is logged, and passes run
unrecorded: only speed is lost.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from time import perf_counter
from typing import Protocol

import torch

from editd.errors import OutOfMemory, as_out_of_memory, first_line
from editd.models.torch.gpu.pass_program import Output, Program, Shape
from editd.models.torch.gpu.storage import Storage

log = logging.getLogger(__name__)

Make = Callable[[Storage, Shape], Program]
Replay = Callable[[], Output]

# Recording costs as much as some passes; one that was run so often will be run as often again.
_RUNS_WORTH_RECORDING = 4
_MOST_RECORDED = 96
_MOST_FAILED = 3  # what fails so often will go on failing, and may leave the device worse each time
# Share of a row's spread by which a recorded pass may differ where bits are not promised.
_TOLERANCE = 0.1


class Recorder(Protocol):
    """Turns a program into something that repeats it faster."""

    name: str

    def record(self, program: Program) -> Replay:
        """Called within ``program.rehearsal()``. Raises any error of the device."""
        ...


@dataclass(slots=True)
class _Step:
    """One pass over one storage. ``replay``: ``None`` until it is recorded, or if it cannot be."""

    program: Program
    replay: Replay | None = None
    runs: int = 0
    failed: bool = False


class Captures:
    """The recordings of one model; ``recorder`` ``None``: every pass is run as it is.

    exact: a replay must leave the very same bits as the pass that was recorded.
    """

    def __init__(self) -> None:
        self.recorder: Recorder | None = None
        self.exact = False
        self.recorded = 0
        self.failed = 0

    def consider(self, storage: Storage, shape: Shape, make: Make) -> None:
        """Before a pass of ``shape`` in the middle of an edit: record it if it has come often."""
        step = self._step(storage, shape, make)
        step.runs += 1
        if step.runs > _RUNS_WORTH_RECORDING and self.wants(storage, shape):
            self._record(step)

    def run(self, storage: Storage, shape: Shape, make: Make) -> Output:
        """One pass of ``shape`` on what ``Inputs`` holds: replayed if it is recorded."""
        step = self._step(storage, shape, make)
        return step.replay() if step.replay is not None else step.program()

    def wants(self, storage: Storage, shape: Shape) -> bool:
        """Whether ``record`` would do anything for this pass."""
        full = self.recorded >= _MOST_RECORDED or self.failed >= _MOST_FAILED
        if self.recorder is None or full:
            return False
        step = storage.steps.get(shape)
        return step is None or (step.replay is None and not step.failed)

    def record(self, storage: Storage, shape: Shape, make: Make) -> None:
        """Record this pass now, between two units of work."""
        self._record(self._step(storage, shape, make))

    def _step(self, storage: Storage, shape: Shape, make: Make) -> _Step:
        step: _Step | None = storage.steps.get(shape)
        if step is None:
            step = storage.steps[shape] = _Step(make(storage, shape))
        return step

    def _record(self, step: _Step) -> None:
        program, started = step.program, perf_counter()
        rows, bucket = program.shape.width, program.shape.bucket
        try:
            with program.rehearsal():
                step.replay = self._replay(program)
        except Exception as error:
            step.failed = True
            self.failed += 1
            is_short = isinstance(error, OutOfMemory) or as_out_of_memory(error)
            why = "out of memory" if is_short else first_line(error)
            log.warning("%d rows over %d tokens are not recorded (%s)", rows, bucket, why)
            log.debug("what went wrong", exc_info=True)
        else:
            self.recorded += 1
            seconds = perf_counter() - started
            log.info("recorded %d rows over %d tokens in %.2f s", rows, bucket, seconds)

    def _replay(self, program: Program) -> Replay:
        """A recording whose replay agrees with the pass; raises if there is none."""
        assert self.recorder is not None  # noqa: S101 - only called with a recorder
        program.practise(0)
        replay = self.recorder.record(program)
        # At another length and on other tokens than it was recorded with.
        program.practise(1)
        said = program().logits.clone()
        left = program.traces()
        program.practise(1)
        pairs = [(said, replay().logits), *zip(left, program.traces(), strict=True)]
        if not all(self._same(one, other) for one, other in pairs):
            raise RuntimeError("its replay differs from the pass")
        return replay

    def _same(self, one: torch.Tensor, other: torch.Tensor) -> bool:
        if self.exact or one.numel() == 0:
            return torch.equal(one, other)
        spread = one.float().std() + 1e-6
        return bool((one.float() - other.float()).abs().max() <= _TOLERANCE * spread)
