"""A ``llama_context``: the KV cache of one sequence, and forward passes over it, of chains and of trees of tokens.

Knows C calls and sequence ids; leaves prompts, prefixes and choices to ``target``, and the caches of closed sequences
to ``stored_caches``. The cache holds one chain of tokens in sequence 0. A tree is verified in one pass: every leaf
has its own sequence id. This costs only metadata, because all ids share one buffer (``kv_unified``).
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from editd.decode.target import depths
from editd.errors import EditCancelled, EditFailed, OutOfMemory
from editd.models.llama_cpp.layouts import set_known
from editd.models.llama_cpp.library import Batch, Library
from editd.models.llama_cpp.placement import STATES

Logits = NDArray[np.float32]  # [rows, vocab_size]

MAX_LEAVES = 256  # leaves of a tree in one pass: llama.cpp has no more sequence ids
_NO_SPACE, _ABORTED = 1, 2  # what ``llama_decode`` returns
_FILLING = 1  # the sequence of rows that fill a pass up
RECURRENT_ONLY = 1  # LLAMA_STATE_SEQ_FLAGS_PARTIAL_ONLY
ALL = -1  # "to the end" and "of any", as llama.cpp has it
_STEP = 256  # tokens; llama.cpp rounds capacities up to it


@dataclass(frozen=True, slots=True)
class Passes:
    """The settings that all contexts of a model have in common.

    model: ``llama_model *``.
    widest: rows of the widest pass.
    threads: of a pass, at most.
    free_cores: the threads of the next pass, up to ``threads``; ``None`` for always ``threads``.
    token_bytes: bytes of one token in a cache.
    least: rows that a pass with logits is filled up to.
    recurrent: some layers keep a state that each token changes.
    state_bytes: bytes of such a state.
    reread_limit: up to so many tokens are read again in the same pass as the next ones, more in a pass of their own.
    window: tokens that layers with a sliding window see; 0 if there are none.
    flash: flash attention, which is slower below 64 rows and hardly faster above, and takes other paths at other
        widths (docs/decisions/0015-no-flash-attention.md).
    """

    library: Library
    model: int
    vocab_size: int
    widest: int
    threads: int
    free_cores: Callable[[], int] | None = None
    token_bytes: int = 0
    least: int = 1
    recurrent: bool = False
    state_bytes: int = 0
    reread_limit: int = 4
    window: int = 0
    flash: bool = False

    @property
    def widest_tree(self) -> int:
        """Rows of the widest tree: llama.cpp would end the process at a wider one."""
        return min(self.widest, MAX_LEAVES)

    @property
    def sequence_ids(self) -> int:
        """The number of sequence ids in a context: for the leaves of a tree, or for recurrent states."""
        return STATES if self.recurrent else self.widest_tree

    def nbytes(self, capacity: int) -> int:
        """Bytes of a cache with space for ``capacity`` tokens, full or empty."""
        return capacity * self.token_bytes + STATES * self.state_bytes

    def usable(self, length: int, first: int, states: Collection[int] = ()) -> int:
        """The number of a cache's first ``length`` tokens that can serve another prompt.

        For a recurrent model as many as the last stored state after ``length`` tokens or fewer has.
        0 if the next token would see keys that a layer with a sliding window lacks. first, states:
        as in ``Context``.
        """
        if self.recurrent:
            length = max((state for state in states if state <= length), default=0)
        return length if first <= max(0, length - self.window) else 0


class Context:
    """A cache of ``capacity`` tokens and the passes that fill it. Raises ``OutOfMemory`` if it cannot be allocated."""

    def __init__(self, passes: Passes, capacity: int) -> None:
        self._handle = None
        library, widest = passes.library, passes.widest
        self._passes, self._library = passes, library
        cells = -(-(capacity + passes.least) // _STEP) * _STEP
        self.capacity = cells - passes.least  # less what fills a pass up
        self.token_ids: list[int] = []  # what the cache holds
        params = library.llama_context_default_params()
        set_known(
            params,
            {
                "n_ctx": cells,
                "n_batch": widest,
                "n_ubatch": widest,  # a pass is never split: its rows see one graph
                "n_outputs_max": widest,
                "n_outputs_max_per_seq": widest,
                "n_seq_max": passes.sequence_ids,
                "kv_unified": True,
                "swa_full": True,  # else what slid out of a window could not come back on crop
                "n_threads": passes.threads,
                "n_threads_batch": passes.threads,
                "flash_attn_type": int(passes.flash),
            },
        )
        self._handle = library.llama_init_from_model(passes.model, params)
        if not self._handle:
            raise OutOfMemory(
                f"llama.cpp could not make a cache of {self.capacity:,} tokens "
                f"({library.take_errors() or 'no reason given'}): edit fewer lines at a time "
                "(--range), or lower model.max_context."
            )
        self._memory = library.llama_get_memory(self._handle)
        self._rows = _BatchArrays(widest)
        self._leaf_of: list[int] = []  # after a tree: for each row a leaf below it
        self._unguarded = False  # a whole context was restored, and no pass has followed
        self._stop = (ctypes.c_char * 2)()
        _abort_when_set(library, self._handle, self._stop)

    @property
    def length(self) -> int:
        """The number of tokens in the cache."""
        return len(self.token_ids)

    def cancel(self) -> None:
        """End the pass that is running in another thread; it raises ``EditCancelled``."""
        self._stop[0] = b"\1"

    def append_without_logits(self, token_ids: Sequence[int]) -> None:
        """Append tokens in one pass without computing their logits. Raises as ``_run``; nothing is
        appended then.
        """
        self._rows.fill(token_ids, self._following(token_ids), with_logits=False)
        self._run(token_ids)

    def append_chain(self, token_ids: Sequence[int]) -> Logits:
        """Append tokens; returns the logits after each, ``[rows, vocab_size]``, a view that is
        valid until the next pass.

        A pass narrower than ``Passes.least`` is filled up with rows of a sequence of their own,
        which are removed again. Raises as ``_run``.
        """
        filling = max(0, self._passes.least - len(token_ids))
        self._rows.fill(token_ids, self._following(token_ids), filling=filling)
        self._run(token_ids)
        if filling:
            self._remove(_FILLING)
        return self._logits(len(token_ids))

    def append_tree(self, token_ids: Sequence[int], parents: Sequence[int]) -> Logits:
        """Append a root and a tree that descends from it; returns logits as ``append_chain``, a row for
        each token.

        parents: as in ``Draft.parents``.

        The next call must be ``keep_rows`` or ``crop``: until then the cache holds all branches.
        Raises ``ValueError`` for a tree wider than ``widest_tree``, and as ``_run``.
        """
        leaves = leaves_below(parents)
        if len(token_ids) > self._passes.widest_tree:
            raise ValueError("this tree is too wide for one pass (widest_tree)")
        for leaf in range(1, len(leaves[0])):
            self._library.llama_memory_seq_cp(self._memory, 0, leaf, ALL, ALL)
        self._leaf_of = [below[0] for below in leaves]
        self._rows.fill(token_ids, self.length + np.array(depths(parents)), leaves)
        self._run(token_ids)
        return self._logits(len(token_ids))

    def crop(self, length: int) -> None:
        """Forget all but the first ``length`` tokens, and all branches. Raises ``EditFailed`` if
        llama.cpp refuses; the cache is empty then.
        """
        self._drop_branches()
        self._remove(0, length)
        del self.token_ids[length:]

    @property
    def first(self) -> int:
        """The position of the first token whose keys no layer lacks: llama.cpp overwrites keys that
        slid out of a window. 0 for a model without windows.
        """
        if not self._passes.window:
            return 0
        return max(0, int(self._library.llama_memory_seq_pos_min(self._memory, 0)))

    @property
    def states(self) -> Collection[int]:
        """The numbers of tokens after which a recurrent state is stored; empty for a model without."""
        return ()

    def keep_rows(self, base: int, rows: Sequence[int]) -> None:
        """Reduce the cache to its first ``base`` tokens and the verified ``rows``: a path from the
        root, numbers from 0 within the last pass.

        Raises ``EditFailed`` if llama.cpp refuses; the cache is empty then.
        """
        ids = [self.token_ids[base + row] for row in rows]
        end = base + len(rows)
        leaf = self._leaf_of[rows[-1]] if self._leaf_of and rows else 0
        if leaf:
            self._remove(0, base)
            self._library.llama_memory_seq_cp(self._memory, leaf, 0, base, end)
        self._remove(0, end)
        self._drop_branches()
        self.token_ids[base:] = ids

    @property
    def nbytes(self) -> int:
        """Bytes of the cache, full or empty."""
        return self._passes.nbytes(self.capacity)

    def grow(self, capacity: int) -> Context:
        """Return ``self`` if it has space for ``capacity`` tokens; else copy it into a larger
        context, close ``self`` and return the copy.

        Raises ``OutOfMemory``; ``self`` stays as it was then.
        """
        if capacity <= self.capacity:
            return self
        larger = type(self)(self._passes, capacity)
        try:
            larger.restore(self.token_ids, self.state())
        except OutOfMemory:
            larger.close()
            raise
        self.close()
        return larger

    def recurrent_bytes(self) -> int:
        """Bytes of the recurrent state, once there is one; 0 for a model without."""
        if not self._passes.recurrent:
            return 0
        return int(self._library.llama_state_seq_get_size_ext(self._handle, 0, RECURRENT_ONLY))

    def state(self) -> Any:
        """A copy of all that the cache holds, as llama.cpp writes it: a buffer of bytes, for
        ``restore``.

        With a sliding window that is the whole context, since of a sequence llama.cpp writes only
        the keys that its windows still show; without one the sequence of the chain.
        """
        library, handle = self._library, self._handle
        if self._passes.window:
            buffer = ctypes.create_string_buffer(library.llama_state_get_size(handle))
            library.llama_state_get_data(handle, buffer, len(buffer))
        else:
            buffer = ctypes.create_string_buffer(library.llama_state_seq_get_size(handle, 0))
            library.llama_state_seq_get_data(handle, buffer, len(buffer), 0)
        return buffer

    def restore(self, token_ids: Sequence[int], state: Any) -> None:
        """Replace the cache's contents by ``state``, bit for bit. token_ids: the tokens that
        ``state`` holds.

        Raises ``OutOfMemory`` if llama.cpp does not take it; the cache is empty then.
        """
        self.empty()
        library, handle = self._library, self._handle
        if self._passes.window:
            restored = library.llama_state_set_data(handle, state, len(state))
            self._unguarded = True
        else:
            restored = library.llama_state_seq_set_data(handle, state, len(state), 0)
        if not restored:
            self.empty()
            raise OutOfMemory(
                "llama.cpp could not copy a cache: edit fewer lines at a time (--range)."
            )
        self.token_ids = list(token_ids)

    def empty(self) -> None:
        """Remove all tokens; the memory stays reserved."""
        self._leaf_of = []
        self._library.llama_memory_clear(self._memory, False)
        self.token_ids.clear()

    def close(self) -> None:
        """Free the cache's memory; nothing else may be called afterwards. Safe to call twice."""
        if self._handle:
            self._library.llama_free(self._handle)
        self._handle = None

    def __del__(self) -> None:
        self.close()  # a prefix cache drops contexts without closing them

    def _following(self, token_ids: Sequence[int]) -> NDArray[np.int64]:
        """The positions of the next rows."""
        return np.arange(self.length, self.length + len(token_ids))

    def _run(self, token_ids: Sequence[int]) -> None:
        """Run the pass prepared in ``_rows``; on success ``token_ids`` are in the cache, on failure
        none of them is.

        Raises ``EditCancelled`` after ``cancel``, ``EditFailed`` as ``_remove``, ``OutOfMemory``
        for every other failure. A ``cancel`` before the pass has begun has no effect.
        """
        self._stop[0] = b"\0"
        if free_cores := self._passes.free_cores:
            threads = free_cores()
            self._library.llama_set_n_threads(self._handle, threads, threads)
        with self._guarded():
            code = self._library.llama_decode(self._handle, self._rows.batch)
        if code == 0:
            self.token_ids.extend(token_ids)
            self._unguarded = False
            return
        self._recover()
        if code == _ABORTED:
            raise EditCancelled("The edit was cancelled; nothing was changed.")
        if code == _NO_SPACE:
            raise OutOfMemory(
                f"llama.cpp found no room for {len(token_ids)} tokens more in a cache of "
                f"{self.capacity:,}: edit fewer lines at a time (--range)."
            )
        raise OutOfMemory(
            f"llama.cpp could not compute ({self._library.take_errors() or f'code {code}'}): "
            "try again, or use a smaller model."
        )

    def _logits(self, rows: int) -> Logits:
        """A view of the first ``rows`` rows of logits of the last pass, ``[rows, vocab_size]``; the
        next pass overwrites it.
        """
        pointer = self._library.llama_get_logits(self._handle)
        return np.ctypeslib.as_array(pointer, shape=(rows, self._passes.vocab_size))

    @contextmanager
    def _guarded(self) -> Iterator[None]:
        """For a ``with`` around ``llama_decode``: has the first pass after a whole context was
        restored write after the cache's end.

        llama.cpp otherwise looks for space from the start, and takes keys that slid out of a window
        for space, unless another sequence has them, too: a guard has them during the pass. Does
        nothing for any other pass. Raises ``EditFailed`` if llama.cpp keeps the guard; the cache is
        empty then. No ``finally``, because nothing inside raises: a failed or cancelled pass
        returns a code, and the guard goes before ``_run`` looks at it.
        """
        guard = self._passes.sequence_ids - 1  # no leaf's: a tree has a row more than leaves
        if self._unguarded:
            self._library.llama_memory_seq_cp(self._memory, 0, guard, ALL, ALL)
        yield
        if self._unguarded:
            self._remove(guard)

    def _recover(self) -> None:
        """Remove the rows and branches that a failed pass has left; everything, if llama.cpp
        refuses to remove the rows.

        Raises ``EditFailed`` as ``_drop_branches``.
        """
        self._drop_branches()
        if not self._library.llama_memory_seq_rm(self._memory, 0, self.length, ALL):
            self.empty()

    def _drop_branches(self) -> None:
        """Remove the sequences of a tree's leaves but the first. Raises ``EditFailed`` if llama.cpp
        refuses; the cache is empty then.
        """
        leaves, self._leaf_of = max(self._leaf_of, default=0), []
        for leaf in range(1, leaves + 1):
            self._remove(leaf)

    def _remove(self, sequence: int, start: int = ALL) -> None:
        """Remove the tokens of llama.cpp's ``sequence`` from position ``start`` on, all of them by
        default.

        Raises ``EditFailed`` if llama.cpp refuses; the cache is empty then.
        """
        if not self._library.llama_memory_seq_rm(self._memory, sequence, start, ALL):
            self.empty()
            raise EditFailed("llama.cpp could not take tokens back: try the edit again.")


class _BatchArrays:
    """The arrays that a ``llama_batch`` points to, for up to ``widest`` rows."""

    def __init__(self, widest: int) -> None:
        self._token_ids = np.zeros(widest, np.int32)
        self._positions = np.zeros(widest, np.int32)
        self._num_leaves = np.ones(widest, np.int32)
        self._leaves = np.zeros((widest, MAX_LEAVES), np.int32)
        start, stride = self._leaves.ctypes.data, self._leaves.strides[0]
        self._leaf_pointers = np.arange(start, start + widest * stride, stride, dtype=np.uintp)
        self._with_logits = np.zeros(widest, np.int8)
        self.batch = Batch(
            0,
            _pointer(self._token_ids, Batch, "token"),
            None,
            _pointer(self._positions, Batch, "pos"),
            _pointer(self._num_leaves, Batch, "n_seq_id"),
            _pointer(self._leaf_pointers, Batch, "seq_id"),
            _pointer(self._with_logits, Batch, "logits"),
        )

    def fill(
        self,
        token_ids: Sequence[int],
        positions: NDArray[np.int64],
        leaves: Sequence[Sequence[int]] = (),
        *,
        with_logits: bool = True,
        num_without_logits: int = 0,
        filling: int = 0,
    ) -> None:
        """Write the rows of the next pass into the arrays. positions: of the rows in the text,
        ``[rows]``.

        leaves: for each row the leaves of the tree that descend from it; empty for a chain.
        with_logits: compute logits, but for the first ``num_without_logits`` rows.
        filling: number of additional rows (the last token again) that no other row sees, and that
            see none.
        """
        count = len(token_ids)
        self._token_ids[:count], self._positions[:count] = token_ids, positions
        end = self.batch.n_tokens = count + filling
        self._with_logits[:end] = with_logits
        self._with_logits[:num_without_logits] = False
        if not leaves:
            self._num_leaves[:end], self._leaves[:count, 0] = 1, 0
        if filling:
            self._token_ids[count:end], self._leaves[count:end, 0] = token_ids[-1], _FILLING
            self._positions[count:end] = range(filling)
        for row, below in enumerate(leaves):
            self._num_leaves[row], self._leaves[row, : len(below)] = len(below), below


def _pointer(array: NDArray[Any], struct: type[ctypes.Structure], field: str) -> Any:
    """A pointer to the memory of ``array``, of the type that ``struct`` has for ``field``; valid
    while ``array`` lives.
    """
    kinds: Any = struct._fields_
    kind: Any = dict(kinds)[field]
    return ctypes.cast(array.ctypes.data, kind)


def leaves_below(parents: Sequence[int]) -> list[list[int]]:
    """For the root and each row of a tree: the leaves that descend from it, numbered from 0 in row
    order.

    parents: as in ``Draft.parents``. The root's list has all numbers; a leaf's own list holds
    itself.
    """
    rows = len(parents) + 1
    inner = {parent + 1 for parent in parents}
    below: list[list[int]] = [[] for _ in range(rows)]
    for leaf, row in enumerate(row for row in range(rows) if row not in inner):
        at = row
        while at:
            below[at].append(leaf)
            at = parents[at - 1] + 1
        below[0].append(leaf)
    return below


def _abort_when_set(library: Library, handle: int, flag: Any) -> None:
    """Have llama.cpp end a pass of the context ``handle`` as soon as ``flag`` is no empty C string;
    does nothing but on POSIX.

    libc's ``strlen`` is the callback: it needs no interpreter, whose lock another thread may hold.
    """
    if os.name == "posix":
        strlen = ctypes.cast(ctypes.CDLL(None).strlen, ctypes.c_void_p)
        library.llama_set_abort_callback(handle, strlen, ctypes.addressof(flag))
