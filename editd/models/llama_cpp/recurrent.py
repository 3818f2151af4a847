"""Caches of models with a recurrent state: a crop goes back to a stored state, the spare one or a mark, and reads on.

llama.cpp can only continue from such a state: each token changes all of it. So the state before a pass is stored. A
second sequence gets it, which copies nothing, because the next pass writes to a cell of its own. A crop returns to
that state; tokens after it that stay are read again, with the next pass or before it. States that a later prompt may
begin with are stored as bytes (``marks``).
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from editd.errors import EditFailed
from editd.models.llama_cpp.context import ALL, RECURRENT_ONLY, Context, Logits, Passes
from editd.models.loaded_model import dummy_ids, least_useful_mark

_SPARE = 1  # the sequence that holds the state before a pass
# Tokens that may be read alone before the spare state follows: a model that drafts takes back several passes at once.
_ALONE = 16

_PROBE_TOKENS, _PROBE_ROWS = (
    20,
    9,
)  # tokens of ``goes_back``: an odd pass, which is no multiple of any kernel's rows


def new_context(passes: Passes, capacity: int) -> Context:
    """A context of the kind that the model needs. Raises ``OutOfMemory``."""
    return (RecurrentContext if passes.recurrent else Context)(passes, capacity)


class RecurrentContext(Context):
    """A ``Context`` for chains alone: a state has no branches.

    The last of ``token_ids`` may still have to be read again.
    """

    def __init__(self, passes: Passes, capacity: int) -> None:
        self.marks: dict[int, Any] = {}
        """The recurrent state after so many tokens, as llama.cpp writes it, by that number."""
        self.num_read_again = 0
        """The number of tokens that were read more than once, in all."""
        self._unread = 0  # tokens at the end that have to be read again
        self._spare: int | None = None  # tokens before the spare state
        super().__init__(passes, capacity)

    def append_without_logits(self, token_ids: Sequence[int]) -> None:
        """Append tokens in one pass without computing their logits, after reading again those that
        have to be, and storing the state in between.

        Raises as ``Context._run``.
        """
        self._read_again()
        self._store_spare()
        super().append_without_logits(token_ids)

    def append_chain(self, token_ids: Sequence[int]) -> Logits:
        """Append tokens and return their logits, as ``Context.append_chain`` without filling; reads again
        the tokens that have to be.

        Few of these go into the same pass; more than ``Passes.reread_limit``, or than fit, into
        passes of their own. Stores the state before the pass as the spare, but not before each
        single token. On failure the tokens are not appended. Raises as ``Context._run``.
        """
        if (
            self._unread > self._passes.reread_limit
            or self._unread + len(token_ids) > self._passes.widest
        ):
            self._read_again()
        again = self._take_unread()
        if len(token_ids) > 1 or self._spare is None or self.length >= self._spare + _ALONE:
            self._store_spare()
        rows = [*again, *token_ids]
        self._rows.fill(rows, self._following(rows), num_without_logits=len(again))
        try:
            self._run(rows)
        except BaseException:
            self._put_back(again)
            raise
        self.num_read_again += len(again)
        return self._logits(len(token_ids))

    def crop(self, length: int) -> None:
        """Forget all but the first ``length`` tokens, and later marks.

        Returns to the last state stored at or before ``length``; tokens after it that stay are read
        again by a later pass, all of them if no state can be restored. Raises ``EditFailed`` as
        ``Context._remove``.
        """
        num_cached = (
            self._restore_last_state(length) if length < self._num_cached else self._num_cached
        )
        del self.token_ids[length:]
        self._unread = self.length - num_cached
        self.marks = {place: state for place, state in self.marks.items() if place <= length}

    def keep_rows(self, base: int, rows: Sequence[int]) -> None:
        """Crop to ``base`` tokens and as many as there are ``rows``: chains alone."""
        self.crop(base + len(rows))  # chains alone

    def mark(self, most: int, protected: int = 0) -> None:
        """Read again the tokens that have to be, and store the state after all tokens as bytes; at
        most ``most`` marks stay, more towards both ends.

        Prompts part after their common beginning, or at the end of a text that they share.
        protected: the mark after so many tokens stays, because another prompt was seen to part
        there. Raises as ``Context._run``.
        """
        self._read_again()
        buffer = ctypes.create_string_buffer(self.recurrent_bytes())
        self._library.llama_state_seq_get_data_ext(
            self._handle, buffer, len(buffer), 0, RECURRENT_ONLY
        )
        self.marks[self.length] = buffer
        while len(self.marks) > most:
            del self.marks[least_useful_mark(sorted(self.marks), protected)]

    @property
    def first(self) -> int:
        """Always 0: keys are never overwritten, because the spare sequence has them, too."""
        return 0  # keys are never written over: the spare sequence has them, too

    @property
    def states(self) -> set[int]:
        """The numbers of tokens after which a state is stored."""
        spare = set() if self._spare is None else {self._spare}
        return {*self.marks, *spare, self._num_cached}

    @property
    def nbytes(self) -> int:
        """Bytes of the cache and of all marks."""
        return super().nbytes + sum(map(len, self.marks.values()))

    def grow(self, capacity: int) -> Context:
        """As ``Context.grow``, after reading again the tokens that have to be if a larger copy is
        needed, which has the marks, too. Raises as ``Context._run`` for that.
        """
        if capacity <= self.capacity:
            return self
        self._read_again()
        marks, again = self.marks, self.num_read_again
        larger = super().grow(capacity)
        if isinstance(larger, RecurrentContext):
            larger.marks, larger.num_read_again = marks, again
        return larger

    def empty(self) -> None:
        """Remove all tokens and marks."""
        super().empty()
        self.marks, self._unread, self._spare = {}, 0, None

    @property
    def _num_cached(self) -> int:
        """The number of tokens that are in the cache."""
        return self.length - self._unread

    def _read_again(self) -> None:
        """Read the tokens that have to be read again, in passes of their own, storing the state
        before each.

        On failure those not yet read stay to be read; raises as ``Context._run``.
        """
        again = self._take_unread()
        while again:
            piece = again[: self._passes.widest]
            self._store_spare()
            try:
                super().append_without_logits(piece)
            except BaseException:
                self._put_back(again)
                raise
            self.num_read_again += len(piece)
            del again[: len(piece)]

    def _take_unread(self) -> list[int]:
        """Remove the tokens that have to be read again from the end of ``token_ids``, and return
        them: the caller reads them, or calls ``_put_back``.
        """
        again = self.token_ids[self._num_cached :]
        del self.token_ids[self._num_cached :]
        self._unread = 0
        return again

    def _put_back(self, again: Sequence[int]) -> None:
        """Undo ``_take_unread``, after a pass that failed."""
        self.token_ids.extend(again)
        self._unread += len(again)

    def _store_spare(self) -> None:
        """Make the spare sequence hold the current state in place of an older one. Raises
        ``EditFailed`` if llama.cpp refuses.
        """
        self._remove(_SPARE)
        self._library.llama_memory_seq_cp(self._memory, 0, _SPARE, ALL, ALL)
        self._spare = self.length

    def _restore_last_state(self, length: int) -> int:
        """Return the cache to the last stored state (spare or mark) after ``length`` tokens or
        fewer; returns after how many.

        Drops a spare state that is not used. Empties the cache, but not ``token_ids``, and returns
        0 if no state can be restored. Raises ``EditFailed`` as ``Context._remove``.
        """
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
            num_restored = self._library.llama_state_seq_set_data_ext(
                self._handle, state, size, 0, RECURRENT_ONLY
            )
            if num_restored == size and self._library.llama_memory_seq_rm(
                self._memory, 0, marked, ALL
            ):
                return marked
        self._library.llama_memory_clear(self._memory, False)  # all of it is read again
        return 0

    def _recover(self) -> None:
        """Return to the last stored state: a pass that failed may have changed the current one.
        Tokens after it are to be read again.
        """
        length = self.length
        self._unread = length - self._restore_last_state(length)

    @contextmanager
    def _guarded(self) -> Iterator[None]:
        """As ``Context._guarded``, with the spare sequence as guard, which is not removed
        afterwards. Raises ``EditFailed`` as ``_store_spare``, before the pass.
        """
        if self._unguarded and self._spare is None:
            self._store_spare()
        yield


def restores_exactly(passes: Passes) -> bool:
    """Whether a pass has the same bits after its tokens were cropped, by either kind of stored
    state; false if llama.cpp refuses to take tokens back.

    Runs four short passes of the model in a context of its own. Raises as ``Context._run``
    otherwise.
    """
    token_ids = dummy_ids(_PROBE_TOKENS + _PROBE_ROWS, passes.vocab_size)
    token_ids, more = token_ids[:_PROBE_TOKENS], token_ids[_PROBE_TOKENS:]
    context = RecurrentContext(passes, 2 * len(token_ids))
    try:
        context.append_without_logits(token_ids)
        context.mark(1)
        expected = context.append_chain(more).copy()
        context.crop(_PROBE_TOKENS)  # to the spare state
        same = np.array_equal(context.append_chain(more), expected)
        context.append_chain(more)
        context.crop(_PROBE_TOKENS)  # the spare state is a later one now, so to the mark
        return same and np.array_equal(context.append_chain(more), expected)
    except EditFailed:
        return False
    finally:
        context.close()
