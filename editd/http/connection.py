"""One connection: uvicorn's HTTP/1.1 with time limits.

Covers two clients that uvicorn would wait for without limit: one that does not finish the head of its
request, and one that does not read its answer. The limits for bodies are in ``routes``, those for whole
requests in ``answering``.
"""

from __future__ import annotations

import asyncio
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

HEAD_SECONDS = 10.0  # that the head of a request may take, from the connection or its first byte on
UNREAD_SECONDS = 60.0  # that a client may leave unread what it was sent


class Connection(H11Protocol):
    """Closes the connection of a client that exceeds a time limit."""

    _head: asyncio.TimerHandle | None = None  # runs while the head of a request is awaited
    _unread: asyncio.TimerHandle | None = None  # runs while something sent waits to be read

    def connection_made(self, transport: Any) -> None:
        """A client has connected: wait for its request, and watch unread bytes."""
        super().connection_made(transport)
        transport.set_write_buffer_limits(high=0)
        self._await_head()

    def data_received(self, data: bytes) -> None:
        """Read a piece of a request. Further pieces of one head do not extend its time limit."""
        super().data_received(data)
        if self.conn.their_state is h11.IDLE:
            self._await_head()
        else:
            _stop(self._head)
            self._head = None

    def pause_writing(self) -> None:
        """The client does not read."""
        super().pause_writing()
        self._unread = self.loop.call_later(UNREAD_SECONDS, self.transport.abort)

    def resume_writing(self) -> None:
        """The client has read everything."""
        super().resume_writing()
        _stop(self._unread)
        self._unread = None

    def connection_lost(self, exc: Exception | None) -> None:
        """The client is gone."""
        _stop(self._head)
        _stop(self._unread)
        super().connection_lost(exc)

    def _await_head(self) -> None:
        if self._head is None:
            self._head = self.loop.call_later(HEAD_SECONDS, self.transport.close)


def _stop(timer: asyncio.TimerHandle | None) -> None:
    if timer is not None:
        timer.cancel()
