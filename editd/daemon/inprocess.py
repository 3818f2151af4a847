"""The engine in this very process, behind the same face as the daemon: ``--no-daemon``.

The queue, the worker's thread and the rules of cancellation are the daemon's own (``dispatcher``);
only the socket is missing. Nothing of torch is imported before the first request.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator
from uuid import uuid4

from editd.config import Config
from editd.daemon.asking import Asking, Request
from editd.daemon.dispatcher import Dispatcher
from editd.daemon.limits import Limits
from editd.daemon.outbox import Outbox
from editd.daemon.worker import EngineFactory
from editd.messages import (
    Explained,
    ExplainRequest,
    Interim,
    JobRequest,
    ServerMessage,
    StatusReport,
)

_CLIENT = 0  # all requests come from one: this process
# A process cannot be protected from itself, but one mistake should not fill its memory either.
_LIMITS = Limits(requests=10_000, request_bytes=1 << 30)
_CLOSE_SECONDS = 5.0


class InProcessEngineClient(Asking):
    """An ``EngineClient`` without a daemon. Make and use it on one event loop."""

    def __init__(self, config: Config, engine_factory: EngineFactory | None = None) -> None:
        self._dispatcher = Dispatcher(config, engine_factory, _LIMITS)
        self._dispatcher.start()

    async def cancel(self, request_id: str) -> None:
        """As ``EngineClient.cancel``."""
        self._dispatcher.cancel(_CLIENT, request_id)

    async def status(self) -> StatusReport:
        """As ``EngineClient.status``."""
        return self._dispatcher.report(uuid4().hex, clients=1)

    async def explain(self, trace_id: str = "") -> Explained:
        """As ``EngineClient.explain``."""
        return self._dispatcher.explain(ExplainRequest(uuid4().hex, trace_id))

    async def stop(self, *, force: bool = False) -> str:
        """As ``EngineClient.stop``, though this process goes on."""
        if force:
            self._dispatcher.cancel_all("The engine was stopped.")
        self._dispatcher.stopping = True
        await self._dispatcher.until_answered()
        return "The engine has stopped."

    async def aclose(self) -> None:
        """Cancel what runs and free the models."""
        self._dispatcher.cancel_all("The client has gone.")
        await self._dispatcher.until_answered()
        await self._dispatcher.close(_CLOSE_SECONDS)

    async def _ask(self, request: Request) -> AsyncGenerator[ServerMessage, None]:
        if not isinstance(request, JobRequest):
            raise TypeError("status and stop are methods here, not messages")
        box = Outbox(_LIMITS.delta_interval)
        self._dispatcher.submit(_CLIENT, request, box.put)
        try:
            while True:
                for message in await box.take():
                    yield message
                    if not isinstance(message, Interim):
                        return
        finally:
            self._dispatcher.cancel(_CLIENT, request.request_id)
