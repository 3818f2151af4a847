"""The caches of closed sequences, stored for later prompts: a whole context, or bytes.

A context reserves more memory than it fills, and buffers for passes besides (some 100 to 200 MB for a vocabulary of
150,000 words). So only the sequence that was closed last keeps its context, until another needs it. Of all others
only the bytes of their tokens are stored, in main memory. Choosing a cache for a prompt is left to
``loaded_model.PrefixCache``, cropping to ``context``.
"""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from typing import Any

from editd.models.llama_cpp.context import Context, Passes
from editd.models.llama_cpp.recurrent import RecurrentContext, new_context


class ContextPool:
    """Creates contexts, and reuses the one that was closed last."""

    def __init__(self, passes: Passes) -> None:
        self.passes = passes
        self._idle: weakref.ref[StoredCache] | None = None

    def take(self, capacity: int) -> Context:
        """An empty context with space for ``capacity`` tokens: the one closed last if it is large
        enough, else a new one.

        The stored cache that holds that context keeps its content as bytes; a context that is too
        small is closed. Raises ``OutOfMemory``.
        """
        stored = self._idle() if self._idle else None
        context = stored.release_context() if stored else None
        if context is None or context.capacity < capacity:
            if context is not None:
                context.close()
            return new_context(self.passes, capacity)
        context.empty()
        return context

    def store(self, context: Context, length: int) -> StoredCache:
        """Store ``context``, cropped to its first ``length`` tokens, for later prompts
        (``Passes.usable``); the caller uses it no more.

        The context stored before is closed; its content remains as bytes. Raises ``EditFailed`` as
        ``Context.crop``.
        """
        stored = self._idle() if self._idle else None
        if stored and (other := stored.release_context()):
            other.close()
        context.crop(length)
        stored = StoredCache(self, context)
        self._idle = weakref.ref(stored)
        return stored


class StoredCache:
    """A ``loaded_model.KvCache``: a whole context, or the bytes of its content."""

    def __init__(self, contexts: ContextPool, context: Context) -> None:
        self._contexts = contexts
        self._context: Context | None = context
        # What its context was found to hold when it was given up.
        self._token_ids: Sequence[int] = ()
        self._first = 0
        self._state: Any = b""
        self._marks: dict[int, Any] = {}  # of a recurrent model (``RecurrentContext.marks``)

    @property
    def nbytes(self) -> int:
        """Bytes of keys, values and recurrent states: of the whole context, full or empty, if it
        has one.
        """
        if self._context:
            return self._context.nbytes
        return len(self._state) + sum(map(len, self._marks.values()))

    def usable(self, length: int) -> int:
        """The number of the first ``length`` tokens that ``resume`` and ``copy_prefix`` can
        provide, as ``Passes.usable``.
        """
        passes, context = self._contexts.passes, self._context
        if context is not None:
            return passes.usable(length, context.first, context.states)
        return passes.usable(length, self._first, {*self._marks, len(self._token_ids)})

    def release_context(self) -> Context | None:
        """Copy the content to bytes and return the context, still filled, which is the caller's
        from now on; ``None`` if this cache has none any more.
        """
        context, self._context = self._context, None
        if context is not None:
            self._token_ids, self._first = list(context.token_ids), context.first
            self._state = context.state()
            if isinstance(context, RecurrentContext):
                self._marks = dict(context.marks)
        return context

    def crop_to(self, length: int) -> None:
        """Forget all but the first ``length`` tokens; stored bytes are cropped when they are used."""
        if self._context:
            self._context.crop(length)

    def resume(self, length: int, capacity: int) -> Context:
        """Turn this cache into a context with the first ``length`` tokens and space for
        ``capacity``: its own, if it has one. Use this no more.

        Raises ``OutOfMemory``, or ``EditFailed`` as ``Context.crop``.
        """
        context, self._context = self._context, None
        if context is None:
            return self.copy_prefix(length, capacity)
        context.crop(length)
        return context.grow(capacity)

    def copy_prefix(self, length: int, capacity: int) -> Context:
        """A context with the first ``length`` tokens and space for ``capacity``, bit for bit; this
        cache stays usable.

        Takes this cache's own context, if it has one, after copying its content to bytes; else
        copies the bytes into another. Raises ``OutOfMemory``, or ``EditFailed`` as
        ``Context.crop``.
        """
        if (context := self.release_context()) is not None:
            context.crop(length)
            return context.grow(capacity)
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
