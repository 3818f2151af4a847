"""Forward passes over a paged KV cache: blocks of keys and values, a table of blocks for each sequence, one network.

Knows OpenVINO's calls and the layout of its cache; leaves prompts, prefixes and choices to ``target``. A sequence is
a list of blocks and a length: whatever was written after the length is forgotten, and sequences that begin alike
share their blocks. A block that is shared and not full is copied before it is written to.
"""

from __future__ import annotations

import contextlib
import mmap
import platform
import re
import sys
from collections.abc import Sequence
from typing import Any

import numpy as np
import openvino as ov
from numpy.typing import NDArray

from editd.errors import ModelUnsupported, OutOfMemory, first_line
from editd.models.loaded_model import dummy_ids

Logits = NDArray[np.float32]  # [rows, vocab_size]

# The cache in half precision: in 8 bits it would cost most of the accuracy and save no time, and its keys, scaled
# by channel, would make a row that was forgotten coarsen its whole block. What is between the products of 8-bit
# numbers stays in single precision: processors with bfloat16 would take that for it and for the cache, which is a
# tenth faster and agrees less with the float weights than llama.cpp does (docs/explanation/backends.md).
_SETTINGS = {
    "KV_CACHE_PRECISION": "f16",
    "INFERENCE_PRECISION_HINT": "f32",
    "NUM_STREAMS": 1,
    "ENABLE_CPU_PINNING": False,
}
# Few rows take other kernels, which round otherwise, in the layers and in the head: one row alone everywhere, up
# to three where 8-bit numbers are not multiplied as such.
LEAST = (2, 8)
"""Rows that a pass is filled up to, best first."""
WIDEST = (128, 64, 32)
"""Rows of the widest pass, over a prompt or a draft, best first; longer chains take several."""
_VERIFIED = (1, 2, 3, 5, 8, 9, 17, 33, 50)
# Python names it from 3.13 on. Without it a process that reserves more than the machine has cannot start another program.
_NO_RESERVE: int = getattr(
    mmap,
    "MAP_NORESERVE",
    0x4000 if sys.platform == "linux" and platform.machine() in ("x86_64", "aarch64") else 0,
)


class PagedNetwork:
    """``model`` compiled, with a cache of ``tokens`` and ``cache_bytes`` more, which takes memory once it is used.

    least: rows that a pass is filled up to. constants: the owner of the constants' memory, kept alive as long as this
    object. Raises ``ModelUnsupported`` if this OpenVINO has no paged attention that is known, ``OutOfMemory`` if
    there is no address space.
    """

    state_bytes = 0
    """Bytes that a stored mark takes beside the blocks (``BlockTable.mark``)."""

    def __init__(
        self, model: ov.Model, *, threads: int, tokens: int, cache_bytes: int, constants: object
    ) -> None:
        _use_paged_attention(model)
        self.least = LEAST[0]
        self._constants = constants
        compiled = compile_network(model, threads)
        self._request = compiled.create_infer_request()
        self._takes = {name for port in compiled.inputs for name in port.get_names()}
        names = re.compile(r"(key|value)_cache\.\d+")
        ports = [port for port in compiled.inputs if any(map(names.fullmatch, port.get_names()))]
        shapes = {
            tuple(size.get_length() for size in list(port.partial_shape)[1:]) for port in ports
        }
        if len(shapes) != 1 or any(port.get_element_type() != ov.Type.f16 for port in ports):
            raise ModelUnsupported(
                "This OpenVINO lays its cache out in a way that editd does not know: install another "
                "version of openvino, or set model.engine to llama.cpp."
            )
        (shape,) = shapes
        self.tokens = int(shape[1])  # of a block
        self.block_bytes = len(ports) * 2 * int(np.prod(shape))
        blocks = cache_bytes // self.block_bytes + tokens // self.tokens + 1
        self._free = list(range(blocks))[::-1]
        self._users = [0] * len(self._free)
        self._maps: list[mmap.mmap] = []
        self._caches: list[NDArray[np.float16]] = []
        for port in ports:
            cache = self._reserve((len(self._users), *shape))
            self._caches.append(cache)
            self._request.set_tensor(port, ov.Tensor(cache, shared_memory=True))

    def new_table(self) -> BlockTable:
        """The table of an empty sequence."""
        return BlockTable(self)

    @property
    def used_bytes(self) -> int:
        """Bytes of the blocks in use."""
        return self.block_bytes * (len(self._users) - len(self._free))

    @property
    def free_tokens(self) -> int:
        """Tokens that fit into free blocks."""
        return len(self._free) * self.tokens

    def share_bytes(self, block: int) -> float:
        """The bytes of a block, divided by its users."""
        return self.block_bytes / self._users[block]

    def take_block(self) -> int:
        """Take a free block, for one user; its content is undefined. Raises ``OutOfMemory`` if no
        block is free.
        """
        if not self._free:
            raise OutOfMemory(
                "There is no room for more keys and values: edit fewer lines at a time (--range), or "
                "lower model.max_context."
            )
        block = self._free.pop()
        self._users[block] = 1
        return block

    def add_user(self, blocks: Sequence[int]) -> None:
        """Count one more user of each block."""
        for block in blocks:
            self._users[block] += 1

    def remove_user(self, blocks: Sequence[int]) -> None:
        """Count one user less of each block; a block whose last user that was is free for others."""
        for block in blocks:
            self._users[block] -= 1
            if not self._users[block]:
                self._free.append(block)

    def own_block(self, block: int) -> int:
        """``block`` if it has one user; else a copy of it for that user, who is counted off the
        original. Raises ``OutOfMemory`` if no block is free.
        """
        if self._users[block] == 1:
            return block
        copy = self.take_block()
        for cache in self._caches:
            cache[copy] = cache[block]
        self.remove_user([block])
        return copy

    def run(
        self, token_ids: Sequence[int], past: int, blocks: Sequence[int], wanted_rows: Sequence[int]
    ) -> Logits:
        """Run a pass over rows that follow ``past`` tokens, which writes their keys and values to
        ``blocks``; returns the logits of the wanted rows.

        blocks: those of the whole sequence, in order, with space for the rows. wanted_rows: indices
        into ``token_ids``, in the order of the result. The result is valid until the next pass.
        Raises ``OutOfMemory`` if OpenVINO fails.
        """
        count, number = len(token_ids), np.int32
        inputs = {
            "input_ids": np.array(token_ids, np.int64),
            "position_ids": np.arange(past, past + count, dtype=np.int64),
            "past_lens": np.array([past], number),
            "subsequence_begins": np.array([0, count], number),
            "block_indices": np.array(blocks, number),
            "block_indices_begins": np.array([0, len(blocks)], number),
            "max_context_len": np.array(past + count, number),
            "wanted_rows": np.array(wanted_rows, np.int64),
        }
        for name, values in inputs.items():
            if name in self._takes:
                self._request.set_tensor(name, ov.Tensor(values))
        try:
            self._request.infer()
        except RuntimeError as error:
            raise could_not_compute(error) from error
        logits: Logits = self._request.get_output_tensor(0).data
        return logits

    def warm_up(self) -> None:
        """Run a pass of one token, which leaves nothing in the cache: in its first one OpenVINO
        lays the weights out for its kernels. Raises ``OutOfMemory``.
        """
        table = self.new_table()
        table.append_without_logits([0])
        table.close()

    def trim(self) -> None:
        """Give the cache's memory back to the system, if no block is in use; else do nothing."""
        if not self.used_bytes:
            for mapping in self._maps:
                mapping.madvise(mmap.MADV_DONTNEED)

    def close(self) -> None:
        """Free the compiled network and the cache, once nobody else holds their arrays; no pass can
        be run afterwards. Safe to call twice.
        """
        self._request = None
        self._caches.clear()
        self._maps.clear()

    def _reserve(self, shape: tuple[int, ...]) -> NDArray[np.float16]:
        """Reserve an array of halves that takes no memory before it is written to; its mapping
        lives until ``close``. Raises ``OutOfMemory`` if there is no address space.
        """
        try:
            flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | _NO_RESERVE
            mapping = mmap.mmap(-1, 2 * int(np.prod(shape)), flags=flags)
        except OSError as error:
            raise OutOfMemory(
                "There is no room for keys and values: lower model.max_context, or free some memory."
            ) from error
        self._maps.append(mapping)
        return np.frombuffer(mapping, np.float16).reshape(shape)


class BlockTable:
    """The blocks of one sequence, and its length in tokens: a ``loaded_model.KvCache``."""

    def __init__(self, network: PagedNetwork, blocks: Sequence[int] = (), length: int = 0) -> None:
        self._network, self._blocks, self.length = network, list(blocks), length

    @property
    def nbytes(self) -> int:
        """Bytes of the blocks; of shared blocks this table's part."""
        return round(sum(map(self._network.share_bytes, self._blocks)))

    def append_without_logits(self, token_ids: Sequence[int]) -> None:
        """Append tokens without their logits. Raises ``OutOfMemory``."""
        self._run(token_ids, [0])  # a network that computes no row at all fails

    def append_chain(self, token_ids: Sequence[int]) -> Logits:
        """Append tokens; returns the logits after each, ``[rows, vocab_size]``, valid until the next pass.

        Raises ``OutOfMemory``.
        """
        return self._run(token_ids, range(len(token_ids)))

    def crop_to(self, length: int) -> None:
        """Forget all but the first ``length`` tokens, and give up the blocks that hold none of
        them.
        """
        needed = -(-length // self._network.tokens)
        self._network.remove_user(self._blocks[needed:])
        del self._blocks[needed:]
        self.length = length

    def resume(self, length: int, capacity: int) -> BlockTable:  # noqa: ARG002  grows as it is used
        """``self``, cropped to ``length`` tokens."""
        self.crop_to(length)
        return self

    def copy_prefix(self, length: int, capacity: int) -> BlockTable:  # noqa: ARG002  as above
        """A second table with the first ``length`` tokens, in the same blocks, each with one more
        user; ``capacity`` is ignored.
        """
        blocks = self._blocks[: -(-length // self._network.tokens)]
        self._network.add_user(blocks)
        return BlockTable(self._network, blocks, length)

    def mark(self, most: int, protected: int = 0) -> None:
        """Store what later prompts need to go on from this length, beside the blocks: nothing."""

    def usable(self, length: int) -> int:
        """How many of the first ``length`` tokens can be had without reading them: all."""
        return length

    def trim(self) -> None:
        """Free what a closed sequence needs no more: nothing."""

    def close(self) -> None:
        """Give all blocks back. Safe to call twice."""
        self.crop_to(0)

    def __del__(self) -> None:
        self.close()  # a prefix cache drops tables without closing them

    def _run(self, token_ids: Sequence[int], wanted_rows: Sequence[int]) -> Logits:
        """Append tokens in one pass, filled up to ``least`` rows; returns the logits of the wanted
        rows (indices into ``token_ids``), valid until the next pass.

        Raises ``OutOfMemory``; the table is as before after a failure.
        """
        past, filled, rows = self.length, self._padded(token_ids), self._padded(wanted_rows)
        try:
            self._reserve(past, past + len(filled))
            logits = self._compute(filled, past, rows)[: len(wanted_rows)]
        except BaseException:
            self.crop_to(past)
            raise
        self.crop_to(past + len(token_ids))
        return logits

    def _compute(self, token_ids: Sequence[int], past: int, wanted_rows: Sequence[int]) -> Logits:
        """As ``PagedNetwork.run``, in this table's blocks."""
        return self._network.run(token_ids, past, self._blocks, wanted_rows)

    def _padded(self, numbers: Sequence[int]) -> Sequence[int]:
        """``numbers``, filled up to ``least`` by repeating the last."""
        return [*numbers, *[numbers[-1]] * (self._network.least - len(numbers))]

    def _reserve(self, past: int, length: int) -> None:
        """Take blocks for the tokens from ``past`` up to ``length``, and copy the one that ``past``
        lies in if others use it. Raises ``OutOfMemory`` if too few are free.
        """
        tokens = self._network.tokens
        if past % tokens:
            self._blocks[past // tokens] = self._network.own_block(self._blocks[past // tokens])
        while len(self._blocks) * tokens < length:
            self._blocks.append(self._network.take_block())


def find_exact_widths(network: PagedNetwork, vocab_size: int) -> tuple[int, int]:
    """The fewest and the most rows of a pass, between which every row has the same bits; zeros if
    no pair tried is exact.

    Runs the model on several hundred tokens. Sets ``network.least`` to the fewest rows returned, or
    the last number tried. Raises ``OutOfMemory``. Where 8-bit numbers are not multiplied as such,
    other kernels take over between 64 and 128 rows.
    """
    for network.least in LEAST:
        for widest in WIDEST:
            if _is_exact_up_to(widest, network, vocab_size):
                return network.least, widest
    return 0, 0


def _is_exact_up_to(widest: int, network: PagedNetwork, vocab_size: int) -> bool:
    """Whether rows that are read and verified in pieces of many widths equal, bit for bit, those of
    two passes of ``widest`` rows; false, too, if such a pass cannot have so many.

    Runs the model on two tables of its own, which are closed again. Raises ``OutOfMemory``.
    """
    ids = dummy_ids(2 * widest, vocab_size)
    whole, pieces = network.new_table(), network.new_table()
    try:
        whole.append_without_logits(ids[:widest])
        expected = whole.append_chain(ids[widest:]).copy()
        if len(expected) != widest:  # kernels for another processor: no row equals no row
            return False
        for width in (widest // 4, widest - widest // 4 - 8, 7, 1):
            pieces.append_without_logits(ids[pieces.length : pieces.length + width])
        for width in _VERIFIED:
            at = pieces.length
            if not (piece := ids[at : at + width]):
                break
            rows = pieces.append_chain(piece)
            if not np.array_equal(rows, expected[at - widest :][: len(piece)]):
                return False
        return True
    finally:
        whole.close()
        pieces.close()


def compile_network(model: ov.Model, threads: int) -> Any:
    """Compile the network ``model`` for the processor, which takes seconds; returns it as OpenVINO
    does. Raises ``ModelUnsupported`` if OpenVINO cannot.
    """
    settings = {**_SETTINGS, "INFERENCE_NUM_THREADS": threads}
    try:
        return ov.Core().compile_model(model, "CPU", settings)
    except RuntimeError as error:  # of an operator, or of memory
        raise ModelUnsupported(
            f"OpenVINO cannot run this network here ({first_line(error)}): set model.engine to "
            "llama.cpp."
        ) from error


def could_not_compute(error: RuntimeError) -> OutOfMemory:
    """The exception for a pass that failed with ``error``, for a user; returned, not raised."""
    return OutOfMemory(
        f"OpenVINO could not compute ({first_line(error)}): try again, or use a smaller model."
    )


def _use_paged_attention(model: ov.Model) -> None:
    """Replace the state of ``model``, in place, by paged attention, by a private module of
    OpenVINO's.

    Raises ``ModelUnsupported`` if that module is missing, fails, or leaves no paged cache.
    """
    try:
        from openvino._offline_transformations import paged_attention_transformation

        paged_attention_transformation(model)
        with contextlib.suppress(RuntimeError):
            model.input("key_cache.0")
            return
    except (ImportError, RuntimeError, TypeError):
        pass
    raise ModelUnsupported(
        "This OpenVINO has no paged attention that editd can use for this network: install another version of "
        "openvino, or run a GGUF file of it with model.engine llama.cpp."
    )
