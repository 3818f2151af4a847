"""Records a pass on a CUDA device, plain or compiled.

As in PyTorch's notes on CUDA graphs: the pass first runs a few times on a side stream, so that
libraries allocate what they keep. All graphs share one memory pool. That is safe because no graph leaves
anything there that another reads: results are copied into buffers outside.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import torch

from editd.errors import OutOfMemory
from editd.files.local_cache import cache_dir
from editd.models.torch.device import free_memory
from editd.models.torch.gpu.pass_program import Output, Program
from editd.models.torch.gpu.recorded_passes import Replay

_WARM_UPS = 3
_MOST_VERSIONS = 1024
_SPARE = 512 << 20  # bytes that must stay free for work that is not recorded


class CudaGraphs:
    """A ``recorded_passes.Recorder``. ``compiled``: let torch.compile fuse a pass before it is recorded."""

    def __init__(self, device: torch.device, *, compiled: bool = False) -> None:
        self.name = "compiled CUDA graphs" if compiled else "CUDA graphs"
        self._device = device
        self._compiled = compiled
        self._pool: Any = None
        self._stream: torch.cuda.Stream | None = None
        self._logits: dict[tuple[Any, ...], torch.Tensor] = {}
        self._greedy: dict[int, torch.Tensor] = {}

    def record(self, program: Program) -> Replay:
        """Warm up on the side stream, record there, and return what replays it."""
        unused = torch.cuda.memory_reserved(self._device) - torch.cuda.memory_allocated(
            self._device
        )
        if free_memory(self._device) + unused < _SPARE:
            raise OutOfMemory("too little memory is free")
        body: Callable[[], Output] = program.body
        if self._compiled:
            body = compiled(body)
        with torch.cuda.device(self._device), torch.inference_mode():
            return self._record(body)

    def _record(self, body: Callable[[], Output]) -> Replay:
        if self._stream is None:
            self._stream = torch.cuda.Stream()  # type: ignore[no-untyped-call]
            self._pool = torch.cuda.graph_pool_handle()
        current = torch.cuda.current_stream()
        self._stream.wait_stream(current)
        with torch.cuda.stream(self._stream):
            for _ in range(_WARM_UPS):
                sample = body()
        current.wait_stream(self._stream)
        output = self._outside(sample)
        del sample
        graph = torch.cuda.CUDAGraph()
        try:
            # Other threads may call CUDA meanwhile (how much memory is free, say).
            with torch.cuda.graph(
                graph, pool=self._pool, stream=self._stream, capture_error_mode="thread_local"
            ):
                inside = body()
                output.logits.copy_(inside.logits)
                output.greedy.copy_(inside.greedy)
        finally:
            torch.cuda.set_stream(current)  # a capture that fails leaves its own stream current

        def replay() -> Output:
            graph.replay()
            return output

        return replay

    def _outside(self, sample: Output) -> Output:
        """Buffers for the results of a pass like this one, shared by all of its width."""
        logits, greedy = sample.logits, sample.greedy
        rows, vocab_size = logits.shape
        key = (logits.dtype, vocab_size)
        if key not in self._logits or len(self._logits[key]) < rows:
            # Graphs that were recorded with the smaller buffer hold on to it.
            self._logits[key] = torch.empty_like(logits)
        columns = greedy.shape[1]
        if columns not in self._greedy:
            self._greedy[columns] = torch.empty_like(greedy)
        return Output(self._logits[key][:rows], self._greedy[columns])


def compiled(body: Callable[[], Output]) -> Callable[[], Output]:
    """``body`` after torch.compile, whose cache lies with the user's other rebuildable files."""
    os.environ.setdefault("TORCHINDUCTOR_CACHE_DIR", str(cache_dir() / "inductor"))
    # Each shape is a version of the same code; past its limits dynamo would run it uncompiled.
    dynamo: Any = torch._dynamo.config  # noqa: SLF001 - its only name
    dynamo.recompile_limit = max(dynamo.recompile_limit, _MOST_VERSIONS)
    dynamo.accumulated_recompile_limit = max(dynamo.accumulated_recompile_limit, _MOST_VERSIONS)
    compile_it: Any = torch.compile(body, dynamic=False, fullgraph=True)
    result: Callable[[], Output] = compile_it
    return result
