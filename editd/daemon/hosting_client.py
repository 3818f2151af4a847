"""The ``EngineClient`` of ``--no-daemon``: does the daemon's part itself, without a socket."""

from __future__ import annotations

import logging
from collections.abc import AsyncGenerator
from uuid import uuid4

from editd.config import Config
from editd.daemon.dispatcher import Dispatcher
from editd.daemon.engine_client import EngineClient, Request, raise_if_failed
from editd.daemon.engine_process import EngineProcess, StartEngine
from editd.daemon.forwarded import QueuedRequest
from editd.daemon.framing import unpack
from editd.daemon.outbox import ClientLimits, Outbox
from editd.messages import (
    JobRequest,
    ServerMessage,
    StatusReport,
)

_CLIENT = 0  # all requests come from one: this process
# A process cannot be protected from itself, but one mistake should not fill its memory either.
_LIMITS = ClientLimits(requests=10_000, request_bytes=1 << 30)


class HostingEngineClient(EngineClient):
    """An ``EngineClient`` with a ``Dispatcher`` and an engine process of its own, and no daemon.

    Create and use it on one event loop.
    """

    def __init__(self, config: Config, start_engine: StartEngine = EngineProcess) -> None:
        # This process has no log, and Python would print warnings between a command's own words.
        logging.getLogger("editd").addHandler(logging.NullHandler())
        self._dispatcher = Dispatcher(config, start_engine, _LIMITS)

    async def cancel(self, request_id: str) -> None:
        """Cancel a request; its own final answer reports that."""
        self._dispatcher.cancel(_CLIENT, request_id)

    async def status(self) -> StatusReport:
        """The status of this process and its engine, at once."""
        return self._dispatcher.report(uuid4().hex, clients=1)

    async def aclose(self) -> None:
        """Cancel all requests, wait for their answers, and end the engine process."""
        self._dispatcher.cancel_all("The client has gone.")
        await self._dispatcher.until_answered()
        await self._dispatcher.close()

    async def ask(self, request: Request) -> AsyncGenerator[ServerMessage, None]:
        """Queue ``request``, which must be a ``JobRequest``, and yield its messages, as
        ``EngineClient.ask``; leaving early cancels it.

        Raises ``UsageError`` if its id is in use, and the error of a request that ends in
        ``Failed``.
        """
        assert isinstance(request, JobRequest)  # noqa: S101  other requests are methods of this class
        box = Outbox()
        self._dispatcher.submit(_CLIENT, QueuedRequest.of(request), box.put)
        try:
            while outgoing := await box.take():
                message = unpack(outgoing.body)
                assert isinstance(message, ServerMessage)  # noqa: S101 - our own engine sent it
                raise_if_failed(message)
                yield message
                if outgoing.kind == "final":
                    return
        finally:
            self._dispatcher.cancel(_CLIENT, request.request_id)
