"""Forward passes over static caches: which shape, padded how, run or replayed.

Between a sequence (``static_sequence``), which knows tokens, and a ``pass_program.Program``, which knows a
shape. Widths are padded to a few, lengths to buckets, so that few shapes have to be recorded
(``recorded_passes``) and every pass finds one.

In bitwise mode all verification has one width, plain decoding's too, and the bucket follows from
the position alone: a draft that reaches over the last row of a bucket is verified in two passes.
So each token is computed by the same kernels in the same shapes whichever drafter proposed it, and only what
is in other rows and behind it differs, which ``exactness`` proves to make no difference.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import torch

from editd.models.torch.device import memory_guard
from editd.models.torch.gpu.pass_program import (
    MOST_ROWS,
    Inputs,
    Output,
    Program,
    Shape,
    Way,
)
from editd.models.torch.gpu.recorded_passes import Captures
from editd.models.torch.gpu.static_cache import (
    FIRST_BUCKET,
    StaticCache,
    StoragePool,
    buckets_up_to,
)
from editd.models.torch.gpu.storage import Layout, Storage

# Beyond the last they grow by its size. A width costs one recorded pass for each bucket in use.
WIDTHS = (1, 16, 32, 64, 128, 256, 512)


class StaticPasses:
    """All passes of one model over its static caches.

    runner: a ``running_model.RunningModel``. verify_width: rows of every verification in bitwise mode, 0: as many
    as it takes. longest: most tokens that a cache may hold, padding included.
    """

    def __init__(
        self,
        runner: Any,
        layout: Layout,
        way: Way,
        *,
        widths: Sequence[int] = WIDTHS,
        first_bucket: int = FIRST_BUCKET,
    ) -> None:
        self.way: Way = way
        self.verify_width = 0
        self.captures = Captures()
        self._runner = runner
        self._device: torch.device = runner.device
        self._chunk: int = runner.prefill_chunk
        # Padding needs room too: of a whole chunk, or of the widest verification.
        self.longest: int = runner.max_context + max(widths[-1], self._chunk)
        self.pool = StoragePool(layout, buckets_up_to(self.longest, first_bucket))
        self.inputs = Inputs(self._device, self.pool.buckets[-1])
        self._widths: tuple[int, ...] = tuple(sorted({*widths, self._chunk}))

    # --- shapes ----------------------------------------------------------------------------------

    def width(self, rows: int) -> int:
        """The width to which a pass of ``rows`` is padded."""
        for width in self._widths:
            if rows <= width:
                return width
        step = self._widths[-1]
        return -(-rows // step) * step

    def pieces(self, start: int, rows: int) -> list[int]:
        """Rows of each pass in which a chain of ``rows`` behind ``start`` tokens is verified."""
        pieces = []
        while rows:
            most = self._widths[-1]
            if width := self.verify_width:
                # The next position whose own bucket is another one begins a pass of its own.
                most = min(width, self._bucket(start, width) - width - start + 1)
            pieces.append(min(rows, most))
            start += pieces[-1]
            rows -= pieces[-1]
        return pieces

    def verifying(self, start: int, rows: int, *, tree: bool) -> Shape:
        """The shape of one verification."""
        width = self.verify_width or self.width(rows)
        return Shape(width, self._bucket(start, width), tree)

    def reading(self, start: int, rows: int) -> Shape:
        """The shape of one piece of a prompt; a function of where it stands and how long it is."""
        width = self.width(rows)
        return Shape(width, self._bucket(start, width), chooses=False)

    def capacity(self, tokens: int) -> int:
        """Slots that a sequence of ``tokens`` needs, padding included."""
        return min(tokens + self._widths[-1], self.longest)

    def _bucket(self, start: int, width: int) -> int:
        return self.pool.bucket(start + width)

    # --- passes ----------------------------------------------------------------------------------

    def run(
        self,
        cache: StaticCache,
        token_ids: Sequence[int],
        shape: Shape,
        parents: Sequence[int] | None = None,
    ) -> Output:
        """One pass of ``shape`` behind what ``cache`` holds; nothing is valid before ``advance``.

        The output is overwritten by the next pass. Raises ``OutOfMemory``.
        """
        cache.reserve(max(shape.bucket, cache.length + shape.width))
        storage = cache.storage
        # Triton launches on the current card, whichever the tensors lie on.
        with memory_guard(self._device), torch.cuda.device_of(self.inputs.start):  # type: ignore[no-untyped-call]
            if cache.seat is not None:  # else its addresses will not be seen again
                self.captures.consider(storage, shape, self.program)
            with torch.inference_mode():
                storage.prepare(cache.length + shape.width)
                self.inputs.fill(cache.length, token_ids, shape.width, parents)
            return self.captures.run(storage, shape, self.program)

    def program(self, storage: Storage, shape: Shape) -> Program:
        """The pass of ``shape`` over ``storage``, not yet recorded."""
        if shape.width > MOST_ROWS:
            raise ValueError(f"a pass has at most {MOST_ROWS} rows")
        return Program(self._runner, storage, shape, self.inputs, self.way)

    def idle_work(self) -> bool:
        """Record one more of the passes that will be wanted; false if there is none."""
        for storage, shape in self._likely():
            if self.captures.wants(storage, shape):
                with memory_guard(self._device):
                    self.captures.record(storage, shape, self.program)
                return True
        return False

    def _likely(self) -> Iterator[tuple[Storage, Shape]]:
        """What may be wanted of each storage in the buckets that are in use."""
        for storage in self.pool.storages():
            for bucket in sorted({shape.bucket for shape in storage.steps}):
                for shape in self._shapes_in(bucket):
                    yield storage, shape

    def _shapes_in(self, bucket: int) -> list[Shape]:
        """All that a sequence may need in a bucket, likeliest first."""
        widths = (self.verify_width,) if self.verify_width else self._widths
        verifying = [Shape(width, bucket) for width in widths if width <= bucket]
        reading = [Shape(self._chunk, bucket, chooses=False)] if self._chunk <= bucket else []
        return [*verifying, *reading]
