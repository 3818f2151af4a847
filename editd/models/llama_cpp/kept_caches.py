"""What closed sequences keep for later prompts: a whole context, or bytes.

A context reserves more memory than it fills, and buffers for passes besides (some 100 to 200 MB for a
vocabulary of 150,000 words). So only the sequence that was closed last keeps its context, until another
needs it. Of all others only the bytes of their tokens are kept, in main memory. Which of them serves which prompt is left to
``loaded_model.PrefixCache``, and what a context can go back to, to ``context``.
"""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from typing import Any

from editd.models.llama_cpp.context import Context, Passes
from editd.models.llama_cpp.recurrent import RecurrentContext, new_context


class Contexts:
    """Gives contexts out and takes them back."""

    def __init__(self, passes: Passes) -> None:
        self.passes = passes
        self._idle: weakref.ref[KeptCache] | None = None

    def take(self, capacity: int) -> Context:
        """An empty context. Raises ``OutOfMemory``."""
        kept = self._idle() if self._idle else None
        context = kept.give_up() if kept else None
        if context is None or context.capacity < capacity:
            if context is not None:
                context.close()
            return new_context(self.passes, capacity)
        context.empty()
        return context

    def keep(self, context: Context, length: int) -> KeptCache:
        """What ``context`` holds, but for what follows the first ``length`` tokens (``Passes.usable``)."""
        kept = self._idle() if self._idle else None
        if kept and (other := kept.give_up()):
            other.close()
        context.crop(length)
        kept = KeptCache(self, context)
        self._idle = weakref.ref(kept)
        return kept


class KeptCache:
    """``loaded_model.KvCache``: a whole context, or the bytes of what it held."""

    def __init__(self, contexts: Contexts, context: Context) -> None:
        self._contexts = contexts
        self._context: Context | None = context
        # What its context was found to hold when it was given up.
        self._token_ids: Sequence[int] = ()
        self._first = 0
        self._state: Any = b""
        self._marks: dict[int, Any] = {}  # of a recurrent model (``RecurrentContext.marks``)

    @property
    def nbytes(self) -> int:
        """Bytes of keys, values and recurrent states."""
        if self._context:
            return self._context.nbytes
        return len(self._state) + sum(map(len, self._marks.values()))

    def usable(self, length: int) -> int:
        """How many of the first ``length`` tokens ``resume`` and ``copy_prefix`` can give."""
        passes, context = self._contexts.passes, self._context
        if context is not None:
            return passes.usable(length, context.first, context.states)
        return passes.usable(length, self._first, {*self._marks, len(self._token_ids)})

    def give_up(self) -> Context | None:
        """Its context, which is the caller's from now on; what it held is kept as bytes."""
        context, self._context = self._context, None
        if context is not None:
            self._token_ids, self._first = list(context.token_ids), context.first
            self._state = context.state()
            if isinstance(context, RecurrentContext):
                self._marks = dict(context.marks)
        return context

    def crop_to(self, length: int) -> None:
        """Forget all but the first ``length`` tokens; of bytes they go when they are used."""
        if self._context:
            self._context.crop(length)

    def resume(self, length: int, capacity: int) -> Context:
        """Its first ``length`` tokens with room for ``capacity``; it is used no more."""
        context, self._context = self._context, None
        if context is None:
            return self.copy_prefix(length, capacity)
        context.crop(length)
        return context.with_room(capacity)

    def copy_prefix(self, length: int, capacity: int) -> Context:
        """A separate context with the first ``length`` tokens, bit for bit.

        Of its own context, where it has one; what that held is kept as bytes.
        """
        if (context := self.give_up()) is not None:
            context.crop(length)
            return context.with_room(capacity)
        context = self._contexts.take(capacity)
        try:
            context.restore(self._token_ids, self._state)
            if isinstance(context, RecurrentContext):
                context.marks = dict(self._marks)
            context.crop(length)
        except BaseException:
            context.close()
            raise
        return context
