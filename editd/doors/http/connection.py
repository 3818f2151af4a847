"""One connection: uvicorn's HTTP/1.1 with time limits.

Covers three clients that uvicorn would wait for without limit: one that does not finish the head of its
request, one that goes on with a body after its answer, and one that does not read its answer. The limits
for bodies that are read are in ``routes``, those for whole requests in ``answering``.
"""

from __future__ import annotations

import asyncio
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

HEAD_SECONDS = 10.0  # that the head of a request may take, from the connection or its first byte on
REST_SECONDS = 5.0  # that a client may go on with a body that was answered before its end
REST_BYTES = 1 << 20  # of it that are read, so that the client gets to reading its answer
UNREAD_SECONDS = 60.0  # that a client may leave unread what it was sent


class Connection(H11Protocol):
    """Closes the connection of a client that exceeds a time limit."""

    _head: asyncio.TimerHandle | None = None  # runs while the head of a request is awaited
    _rest: asyncio.TimerHandle | None = None  # runs while the rest of an answered body comes
    _rest_bytes = 0
    _unread: asyncio.TimerHandle | None = None  # runs while something sent waits to be read

    def connection_made(self, transport: Any) -> None:
        """A client has connected: wait for its request, and watch unread bytes."""
        super().connection_made(transport)
        transport.set_write_buffer_limits(high=0)
        self._await_head()

    def data_received(self, data: bytes) -> None:
        """Read a piece of a request. Further pieces of one head do not extend its time limit."""
        self._rest_bytes -= len(data)
        if self._rest is not None and self._rest_bytes < 0:
            self.transport.close()
            return
        super().data_received(data)
        if self.conn.their_state is h11.IDLE:
            self._await_head()
        else:
            _stop(self._head)
            self._head = None
        if not self._is_answered_early:
            _stop(self._rest)
            self._rest = None

    def on_response_complete(self) -> None:
        """An answer is sent, maybe before the end of the body that it answers."""
        super().on_response_complete()
        if self._is_answered_early:
            self._rest_bytes = REST_BYTES
            self._rest = self.loop.call_later(REST_SECONDS, self.transport.close)

    def send_400_response(self, msg: str) -> None:
        """What came is no HTTP; an answer that is being sent is cut off."""
        if self.conn.our_state in (h11.IDLE, h11.SEND_RESPONSE):
            super().send_400_response(msg)
        self.transport.close()
        if self.cycle is not None:
            self.cycle.disconnected = True  # nobody is there to be answered
            self.cycle.message_event.set()

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
        for timer in (self._head, self._rest, self._unread):
            _stop(timer)
        super().connection_lost(exc)

    @property
    def _is_answered_early(self) -> bool:
        return self.conn.their_state is h11.SEND_BODY and self.cycle.response_complete

    def _await_head(self) -> None:
        if self._head is None:
            self._head = self.loop.call_later(HEAD_SECONDS, self.transport.close)


def _stop(timer: asyncio.TimerHandle | None) -> None:
    if timer is not None:
        timer.cancel()
