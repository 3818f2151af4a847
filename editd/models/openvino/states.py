"""Sequences of a hybrid network: blocks of keys and values; states: the base that passes go on from, marks for prompts.

A state can only go on, so a table has the state after a multiple of ``CHUNK`` tokens, its *base*, and the rows since
then as the rule takes them. Passes compute those rows once more, in the rule alone, and leave the state as it is. Once a
whole chunk of them is there to stay, a small network moves the base over it. So a crop to the base or later drops rows
and computes nothing. The base before this one stays for a draft model, whose tokens are accepted long after they were
read. States that later prompts may begin with are *marks*, after pieces of a prompt.

A row has the same bits whatever pass computes it: chunks begin at the same tokens in all of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import openvino as ov
from numpy.typing import NDArray

from editd.models.loaded_model import least_useful_mark
from editd.models.openvino.delta_rule import CHUNK
from editd.models.openvino.paged import (
    BlockTable,
    Logits,
    PagedNetwork,
    compile_network,
    could_not_compute,
)
from editd.models.openvino.weights import Settling

_ROOM = 64  # rows that an array of rows gets beyond those that are needed


class State:
    """The states of all layers after some tokens; never written to again.

    values: ``[layers, 1, heads, keys, values]``. look_back: the last rows before, ``[layers, kernel - 1, row_width]``.
    users: tables that hold it.
    """

    def __init__(self, network: HybridPaging, values: Any, look_back: Any) -> None:
        self.values, self.look_back = values, look_back
        self.nbytes: int = values.nbytes + look_back.nbytes
        self.users = 0
        self._network = network

    def add_user(self) -> None:
        """Count one more table that holds the state; the first makes its bytes count as memory in
        use.
        """
        if not self.users:
            self._network.states_bytes += self.nbytes
        self.users += 1

    def remove_user(self) -> None:
        """Count one table less; with the last its bytes count no more."""
        self.users -= 1
        if not self.users:
            self._network.states_bytes -= self.nbytes


class HybridPaging(PagedNetwork):
    """A ``hybrid_graph`` network, compiled, with its cache.

    model: the network. settling: moves its states on. The others are as in ``PagedNetwork``, which raises the same.
    """

    def __init__(
        self,
        model: ov.Model,
        settling: Settling,
        *,
        threads: int,
        tokens: int,
        cache_bytes: int,
        constants: object,
    ) -> None:
        super().__init__(
            model, threads=threads, tokens=tokens, cache_bytes=cache_bytes, constants=constants
        )
        self._settling = compile_network(settling.model, threads).create_infer_request()
        self._layers, delta = settling.layers, settling.delta
        self._row_width, self.look_back = delta.row_width, delta.kernel - 1
        self._state_shape = (
            *(len(self._layers), 1, delta.value_heads),
            *(delta.head_width, delta.head_width),
        )
        self._filling = np.zeros((CHUNK, self._row_width), np.float32)
        zeros = np.zeros(self._state_shape, np.float32), self.new_rows(self.look_back)
        self.empty_state = State(self, *zeros)
        self.state_bytes, self.empty_state.nbytes = self.empty_state.nbytes, 0  # one for all
        self.states_bytes = 0  # in use

    @property
    def used_bytes(self) -> int:
        """Bytes of the blocks and of the states in use."""
        return super().used_bytes + self.states_bytes

    def new_table(self) -> HybridTable:
        """The table of an empty sequence."""
        return HybridTable(self)

    def new_rows(self, count: int) -> NDArray[np.float32]:
        """Zeros for so many rows of all layers, ``[layers, count, row_width]``."""
        return np.zeros((len(self._layers), count, self._row_width), np.float32)

    def bind(self, state: State, earlier: NDArray[np.float32], new: NDArray[np.float32]) -> None:
        """Make the next pass go on from ``state`` and the rows after it, and write its own rows to
        ``new``; nothing is copied.

        earlier: the rows since ``state``, with those before it that the convolution looks back at.
        Both are ``[layers, rows, row_width]``.
        """
        request = self._request
        filling = -(earlier.shape[1] - self.look_back + new.shape[1]) % CHUNK
        request.set_tensor("filling", _shared(self._filling[:filling]))
        for index, layer in enumerate(self._layers):
            request.set_tensor(f"state.{layer}", _shared(state.values[index]))
            request.set_tensor(f"rows.{layer}", _shared(earlier[index]))
            request.set_tensor(f"new_rows.{layer}", _shared(new[index]))

    def settle(self, state: State, rows: NDArray[np.float32]) -> State:
        """Compute the state after ``rows``, whole chunks that follow ``state``, which is not
        changed.

        rows: ``[layers, rows, row_width]``, with the rows before them that the convolution looks
        back at. Raises ``OutOfMemory`` if OpenVINO fails.
        """
        values = np.empty(self._state_shape, np.float32)
        request = self._settling
        for index, layer in enumerate(self._layers):
            request.set_tensor(f"state.{layer}", _shared(state.values[index]))
            request.set_tensor(f"rows.{layer}", _shared(rows[index]))
            request.set_tensor(f"settled.{layer}", _shared(values[index]))
        try:
            request.infer()
        except RuntimeError as error:
            raise could_not_compute(error) from error
        return State(self, values, rows[:, -self.look_back :].copy())

    def close(self) -> None:
        """Free everything; no pass can be run afterwards. Safe to call twice."""
        self._settling = None
        super().close()


class HybridTable(BlockTable):
    """The blocks and states of one sequence.

    A crop may end before the length given to it, at a state: the caller appends the tokens between once more.
    """

    _network: HybridPaging

    def __init__(self, network: HybridPaging, blocks: Sequence[int] = (), length: int = 0) -> None:
        super().__init__(network, blocks, length)
        self._states: dict[int, State] = {}  # by the number of tokens before
        self._marks: set[int] = set()
        self._base = self._first = (
            0  # the tokens before the state to go on from, and before the first row
        )
        self._hold(0, network.empty_state)
        self._restart(0)

    @property
    def nbytes(self) -> int:
        """Bytes of blocks, states and rows; of what is shared this table's part."""
        states = sum(state.nbytes / state.users for state in self._states.values())
        return round(super().nbytes + states + self._rows.nbytes)

    def append_without_logits(self, token_ids: Sequence[int]) -> None:
        """Append tokens that are there to stay, without their logits; moves the base over all whole
        chunks, and forgets rows and states before it but for marks.

        Raises ``OutOfMemory``.
        """
        super().append_without_logits(token_ids)
        self._settle()
        self._forget_before(self._base)

    def crop_to(self, length: int) -> None:
        """Forget all but the first ``length`` tokens; also those after the last state at or before
        them, if the rows since that state are gone.

        So the length afterwards may be less than ``length``.
        """
        for place in [place for place in self._states if place > length]:
            self._release(place)
        if length < self._base:
            place = max(self._states)
            if place >= self._first:  # with all rows since then
                self._base = place
            else:
                self._restart(place)
                length = place
        super().crop_to(length)

    def mark(self, most: int, protected: int = 0) -> None:
        """Make the state at the base a mark, stored for later prompts; at most ``most`` marks stay,
        more towards both ends.

        Marks nothing at the base 0. protected: the mark after so many tokens stays, because another
        prompt was seen to part there.
        """
        if self._base:
            self._marks.add(self._base)
        while len(self._marks) > most:
            place = least_useful_mark(sorted(self._marks), protected)
            self._marks.remove(place)
            if place not in (self._base, self._first):
                self._release(place)

    def usable(self, length: int) -> int:
        """The number of the first ``length`` tokens that a crop or a copy provides: all if the rows
        since the last state before are there, else those before that state.
        """
        place = max(place for place in self._states if place <= length)
        return length if place >= self._first else place

    def copy_prefix(self, length: int, capacity: int) -> HybridTable:  # noqa: ARG002  grows as it is used
        """A second table with the first ``length`` tokens, or fewer (``usable``), in the same
        blocks and states, with a copy of the rows; ``capacity`` is ignored.
        """
        length = self.usable(length)
        blocks = self._blocks[: -(-length // self._network.tokens)]
        self._network.add_user(blocks)
        copy = HybridTable(self._network, blocks)
        for place, state in self._states.items():
            if 0 < place <= length:
                copy._hold(place, state)
        copy._marks = {place for place in self._marks if place <= length}
        copy._restart(max(copy._states))
        if length > copy.length:
            copy._rows = self._rows_from(copy._base, length).copy()
        copy.length = length
        return copy

    def trim(self) -> None:
        """Forget what a closed sequence needs no more: states and rows before the base but for
        marks, and spare room for rows.
        """
        self._forget_before(self._base)
        self._rows = self._rows_from(self._base, self.length).copy()
        self._origin = self._base - self._network.look_back

    def close(self) -> None:
        """Give all blocks and states back. Safe to call twice."""
        super().close()
        self._restart(0)

    def _compute(self, token_ids: Sequence[int], past: int, wanted_rows: Sequence[int]) -> Logits:
        """As ``PagedNetwork.run``, in this table's blocks, going on from the base and the rows
        since; stores the rows of ``token_ids``.

        Moves the base over whole chunks first, which are there to stay, and keeps the base before.
        Raises ``OutOfMemory``.
        """
        before = self._base
        self._settle()  # what was appended earlier is there to stay, or is a model's own draft
        if self._base > before:
            self._forget_before(before)
        self._make_room(len(token_ids))
        end = past - self._origin
        self._network.bind(
            self._states[self._base],
            self._rows_from(self._base, past),
            self._rows[:, end : end + len(token_ids)],
        )
        return super()._compute(token_ids, past, wanted_rows)

    def _settle(self) -> None:
        """Move the base over all whole chunks of rows; does nothing if there is none. Raises
        ``OutOfMemory``, and then changes nothing.
        """
        whole = (self.length - self._base) // CHUNK * CHUNK
        if whole:
            place = self._base + whole
            rows = self._rows_from(self._base, place)
            self._hold(place, self._network.settle(self._states[self._base], rows))
            self._base = place

    def _rows_from(self, first: int, last: int) -> NDArray[np.float32]:
        """The rows from ``first`` to before ``last``, after those that the convolution looks back at."""
        return self._rows[:, first - self._network.look_back - self._origin : last - self._origin]

    def _make_room(self, count: int) -> None:
        """Make room for ``count`` more rows: move those that are needed to the front, in a larger
        array if need be; does nothing if there is room.
        """
        end = self.length - self._origin
        if end + count <= self._rows.shape[1]:
            return
        needed = self._rows_from(self._first, self.length)
        most = needed.shape[1] + count
        if most > self._rows.shape[1]:
            rows = self._network.new_rows(most + _ROOM)
            rows[:, : needed.shape[1]] = needed
            self._rows = rows
        else:
            self._rows[:, : needed.shape[1]] = needed.copy()
        self._origin = self._first - self._network.look_back

    def _restart(self, place: int) -> None:
        """Make the state after ``place`` tokens, which the table must have, the base, and forget
        all rows; sets the length to ``place``.
        """
        self._first = self._base = self.length = place
        self._origin = place - self._network.look_back
        self._rows = self._states[place].look_back.copy()

    def _forget_before(self, first: int) -> None:
        """Let rows before ``first`` be overwritten, and drop states before it that are no marks."""
        self._first = first
        for place in [place for place in self._states if 0 < place < first]:
            if place not in self._marks:
                self._release(place)

    def _hold(self, place: int, state: State) -> None:
        """Add ``state`` as the one after ``place`` tokens, with one more user, unless the table has
        one there.
        """
        if place not in self._states:
            state.add_user()
            self._states[place] = state

    def _release(self, place: int) -> None:
        """Drop the state after ``place`` tokens, also as a mark."""
        self._states.pop(place).remove_user()
        self._marks.discard(place)


def _shared(values: NDArray[np.float32]) -> Any:
    """A tensor in the array's memory."""
    return ov.Tensor(values, shared_memory=True)
