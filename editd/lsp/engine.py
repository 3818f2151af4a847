"""The one connection of this editor to the daemon, opened when it is first needed."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from editd.errors import DaemonUnreachable, EditdError
from editd.messages import StatusReport

if TYPE_CHECKING:
    from editd.daemon.client import EngineClient

# Whether a daemon may be started → a connected client. Raises ``DaemonUnreachable``.
Connect = Callable[[bool], Awaitable["EngineClient"]]


async def connect_to_daemon(start: bool) -> EngineClient:  # noqa: FBT001
    """Connect to this user's daemon, starting it if ``start`` and there is none."""
    from editd.daemon.client import SocketEngineClient

    return await SocketEngineClient.connect(start=start, client="lsp")


class EngineConnection:
    """Hands out one shared client, however many edits ask at once."""

    def __init__(self, connect: Connect = connect_to_daemon) -> None:
        self._connect = connect
        self._client: EngineClient | None = None
        self._connecting = asyncio.Lock()

    async def client(self) -> EngineClient:
        """The client, which replaces a daemon that has gone. Raises ``DaemonUnreachable``."""
        async with self._connecting:
            if self._client is None:
                self._client = await self._connect(True)
            return self._client

    async def status(self) -> StatusReport | None:
        """How the daemon is, ``None`` if none runs; asking starts none."""
        try:
            client = await self._connect(False)
            try:
                return await client.status()
            finally:
                await client.aclose()
        except DaemonUnreachable:
            return None

    async def close(self) -> None:
        """Hang up; the daemon cancels what this editor left behind."""
        client, self._client = self._client, None
        if client is not None:
            with contextlib.suppress(EditdError, OSError):
                await client.aclose()
