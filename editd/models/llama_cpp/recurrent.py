"""A context of a model that keeps a recurrent state, which still takes tokens back.

llama.cpp can only go on from such a state: each token changes all of it. So the state before a pass is kept. A second sequence
gets it, which copies nothing, because the next pass writes to a cell of its own. Taking tokens back returns to that state;
those of them that stay are read again, with the next pass or before it. States that a later prompt may begin
with are kept as bytes (``marks``).
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from editd.errors import EditFailed
from editd.models.llama_cpp.context import ALL, RECURRENT_ONLY, Context, Logits, Passes
from editd.models.loaded_model import dummy_ids

_SPARE = 1  # the sequence that holds the state before a pass
# Tokens that may be read alone before the spare state follows: a model that drafts takes back several passes at once.
_ALONE = 16


def new_context(passes: Passes, capacity: int) -> Context:
    """A cache of the kind that the model needs. Raises ``OutOfMemory``."""
    return (RecurrentContext if passes.recurrent else Context)(passes, capacity)


class RecurrentContext(Context):
    """As ``Context``, for chains alone: a state has no branches. The last of ``token_ids`` may still have to be read again."""

    def __init__(self, passes: Passes, capacity: int) -> None:
        self.marks: dict[int, Any] = {}
        """By number of tokens, the recurrent state behind them as llama.cpp writes it."""
        self.num_read_again = 0
        """Tokens that were read more than once, in all."""
        self._unread = 0  # tokens at the end that have to be read again
        self._spare: int | None = None  # tokens before the spare state
        super().__init__(passes, capacity)

    def read(self, token_ids: Sequence[int]) -> None:
        self._read_again()
        self._keep_spare()
        super().read(token_ids)

    def chain(self, token_ids: Sequence[int]) -> Logits:
        """As ``Context.chain``, without filling."""
        if (
            self._unread > self._passes.together
            or self._unread + len(token_ids) > self._passes.widest
        ):
            self._read_again()
        again = self._take_unread()
        if len(token_ids) > 1 or self._spare is None or self.length >= self._spare + _ALONE:
            self._keep_spare()
        rows = [*again, *token_ids]
        self._rows.fill(rows, self._following(rows), unwanted=len(again))
        try:
            self._run(rows)
        except BaseException:
            self._put_back(again)
            raise
        self.num_read_again += len(again)
        return self._logits(len(token_ids))

    def crop(self, length: int) -> None:
        """Forget all but the first ``length`` tokens; what of them is not in the cache then is read again later."""
        held = self._go_back(length) if length < self._held else self._held
        del self.token_ids[length:]
        self._unread = self.length - held
        self.marks = {place: state for place, state in self.marks.items() if place <= length}

    def keep_rows(self, base: int, rows: Sequence[int]) -> None:
        self.crop(base + len(rows))  # chains alone

    def mark(self, most: int, lasting: int = 0) -> None:
        """Keep the state after all tokens; of all marks ``most`` stay, spread towards both ends.

        Prompts part behind what all of them begin with, or at the end of a text that they have in common.
        lasting: the mark after so many tokens stays, because another prompt was seen to part there.
        """
        self._read_again()
        buffer = ctypes.create_string_buffer(self.recurrent_bytes())
        self._library.llama_state_seq_get_data_ext(
            self._handle, buffer, len(buffer), 0, RECURRENT_ONLY
        )
        self.marks[self.length] = buffer
        while len(self.marks) > most:
            del self.marks[_least_useful(sorted(self.marks), lasting)]

    @property
    def first(self) -> int:
        return 0  # keys are never written over: the spare sequence has them, too

    @property
    def states(self) -> set[int]:
        """After how many tokens a state is held."""
        spare = set() if self._spare is None else {self._spare}
        return {*self.marks, *spare, self._held}

    @property
    def nbytes(self) -> int:
        return super().nbytes + sum(map(len, self.marks.values()))

    def with_room(self, capacity: int) -> Context:
        if capacity <= self.capacity:
            return self
        self._read_again()
        marks, again = self.marks, self.num_read_again
        larger = super().with_room(capacity)
        if isinstance(larger, RecurrentContext):
            larger.marks, larger.num_read_again = marks, again
        return larger

    def empty(self) -> None:
        super().empty()
        self.marks, self._unread, self._spare = {}, 0, None

    @property
    def _held(self) -> int:
        """How many of the tokens are in the cache."""
        return self.length - self._unread

    def _read_again(self) -> None:
        """Read what has to be read again."""
        again = self._take_unread()
        while again:
            piece = again[: self._passes.widest]
            self._keep_spare()
            try:
                super().read(piece)
            except BaseException:
                self._put_back(again)
                raise
            self.num_read_again += len(piece)
            del again[: len(piece)]

    def _take_unread(self) -> list[int]:
        """What has to be read again, which ``token_ids`` lacks from then on."""
        again = self.token_ids[self._held :]
        del self.token_ids[self._held :]
        self._unread = 0
        return again

    def _put_back(self, again: Sequence[int]) -> None:
        """Undo ``_take_unread``, after a pass that failed."""
        self.token_ids.extend(again)
        self._unread += len(again)

    def _keep_spare(self) -> None:
        """Let the spare sequence hold the state as it is."""
        self._remove(_SPARE)
        self._library.llama_memory_seq_cp(self._memory, 0, _SPARE, ALL, ALL)
        self._spare = self.length

    def _go_back(self, length: int) -> int:
        """Return to the last state that is held of ``length`` tokens or fewer, and to none else; to how many."""
        marked = max((place for place in self.marks if place <= length), default=0)
        if self._spare is not None and marked <= self._spare <= length:
            self._remove(0)
            self._library.llama_memory_seq_cp(self._memory, _SPARE, 0, ALL, ALL)
            return self._spare
        self._remove(_SPARE)
        self._spare = None
        state = self.marks.get(marked)
        size = 0 if state is None else len(state)
        if state is not None:
            took = self._library.llama_state_seq_set_data_ext(
                self._handle, state, size, 0, RECURRENT_ONLY
            )
            if took == size and self._library.llama_memory_seq_rm(self._memory, 0, marked, ALL):
                return marked
        self._library.llama_memory_clear(self._memory, False)  # all of it is read again
        return 0

    def _recover(self) -> None:
        """A pass that failed may have changed the state."""
        length = self.length
        self._unread = length - self._go_back(length)

    @contextmanager
    def _guarded(self) -> Iterator[None]:
        if self._unguarded and self._spare is None:
            self._keep_spare()
        yield


def _least_useful(places: Sequence[int], lasting: int) -> int:
    """Which of several marks leaves the smallest gap, measured by how far either end is from it."""
    *before, last = places

    def share(place: int) -> float:
        index = places.index(place)
        gap = places[index + 1] - (places[index - 1] if index else 0)
        return gap / min(place, last - place)

    return min([place for place in before if place != lasting] or before, key=share)


_READ, _MORE = (
    20,
    9,
)  # tokens of ``goes_back``: an odd pass, which is no multiple of any kernel's rows


def goes_back(passes: Passes) -> bool:
    """Whether a pass has the same bits after its tokens were taken back, by either kind of state that is held.

    Takes four short passes of the model.
    """
    token_ids = dummy_ids(_READ + _MORE, passes.vocab_size)
    token_ids, more = token_ids[:_READ], token_ids[_READ:]
    context = RecurrentContext(passes, 2 * len(token_ids))
    try:
        context.read(token_ids)
        context.mark(1)
        expected = context.chain(more).copy()
        context.crop(_READ)  # to the spare state
        same = np.array_equal(context.chain(more), expected)
        context.chain(more)
        context.crop(_READ)  # the spare state is a later one now, so to the mark
        return same and np.array_equal(context.chain(more), expected)
    except EditFailed:
        return False
    finally:
        context.close()
