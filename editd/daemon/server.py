"""The daemon: one process per user and version, which answers on its socket until it exits.

``run`` is ``editd daemon --foreground``. The server accepts connections, reports and exits; a client's messages are left
to ``connection``, and the engine's next work to ``dispatcher``.
"""

from __future__ import annotations

import asyncio
import faulthandler
import functools
import logging
import os
import signal
from collections.abc import Coroutine
from pathlib import Path
from time import monotonic
from typing import Any

from editd import __version__
from editd.config import Config
from editd.daemon import framing, lifecycle, logs, transport
from editd.daemon.connection import Connection
from editd.daemon.dispatcher import Dispatcher
from editd.daemon.engine_process import EngineProcess, StartEngine
from editd.daemon.failures import failure
from editd.daemon.file_lock import FileLock
from editd.daemon.outbox import DEFAULT_LIMITS, ClientLimits
from editd.errors import (
    DaemonUnreachable,
)
from editd.messages import (
    StatusReport,
)

log = logging.getLogger(__name__)

_MAX_TASKS = 64  # in addition to those of clients
_HELLO_BYTES = 1 << 12  # bytes


def run(
    config: Config,
    start_engine: StartEngine = EngineProcess,
    limits: ClientLimits = DEFAULT_LIMITS,
) -> None:
    """Run the daemon in this process and its event loop; returns when it has exited. Sets the
    process's umask and signal handlers: SIGTERM, SIGINT and SIGHUP stop it and cancel its edits.

    Raises ``DaemonUnreachable`` if its directory cannot be trusted, another daemon is running, or
    no socket or log can be made.
    """
    os.umask(0o077)
    faulthandler.enable()
    asyncio.run(_run(config, start_engine, limits))


async def _run(config: Config, start_engine: StartEngine, limits: ClientLimits) -> None:
    """Take the daemon's lock, log to its file, and serve until a request or a signal stops it;
    releases the lock in the end. Raises ``DaemonUnreachable`` as ``run``.
    """
    path = transport.socket_path()
    lock = await lifecycle.take_over(path)
    try:
        logs.log_to_file(config.daemon.log_level)
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(_log_exception)
        server = Server(path, lock, config, start_engine, limits)
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            loop.add_signal_handler(number, functools.partial(server.stop, force=True))
        await server.serve()
    finally:
        lock.release()


class Server:
    """Accepts clients at the socket ``path``, which ``lock`` reserves, until it is stopped."""

    def __init__(
        self,
        path: Path,
        lock: FileLock,
        config: Config,
        start_engine: StartEngine = EngineProcess,
        limits: ClientLimits = DEFAULT_LIMITS,
    ) -> None:
        self.config = config
        self.limits = limits
        self._path = path
        self._lock = lock
        self.dispatcher = Dispatcher(config, start_engine, limits)
        self._connections: dict[asyncio.Task[None], Connection] = {}
        self._last_number = 0
        self._background: set[asyncio.Task[Any]] = set()
        self._may_exit = asyncio.Event()

    async def serve(self) -> None:
        """Open the socket, serve until ``stop`` has taken effect, then send farewells, close all
        connections and end the engine. Meanwhile asks daemons of other versions to exit, and
        watches for idleness and the loss of the socket.

        Raises ``DaemonUnreachable`` if no socket can be made.
        """
        # 1) open: from now on clients are answered, even while the engine is busy
        listener = transport.bind(self._path)
        socket_file = transport.identity(self._path)
        accepting = await transport.listen(listener, self._accept)
        log.info("editd %s serves at %s", __version__, self._path)
        self._spawn(lifecycle.dismiss_others(self._path, spare_installed=True))
        self._spawn(self._watch(socket_file))
        # 2) serve
        await self._may_exit.wait()
        # 3) close: the listening socket first, so that new clients fail at once
        accepting.close()
        transport.remove(self._path, socket_file)
        for connection in self._connections.values():
            connection.send_farewell()
        if self._connections:
            await asyncio.wait(self._connections, timeout=self.limits.farewell_seconds)
        for task in [*self._connections, *self._background]:
            task.cancel()
        await self.dispatcher.close()
        log.info("the daemon has exited")

    def report(self, request_id: str) -> StatusReport:
        """The status of the daemon and its engine, at once."""
        return self.dispatcher.report(request_id, len(self._connections))

    def stop(self, *, force: bool) -> None:
        """Refuse further edits, note the exit in the lock, and let ``serve`` end when open edits
        are answered.

        force: cancel them. Raises ``DaemonUnreachable`` if the lock's file cannot be written.
        """
        log.info("leaving%s", " at once" if force else " when the running edits have ended")
        self.dispatcher.stopping = True
        self._lock.write_note(f"{os.getpid()}{lifecycle.EXITING}")
        if force:
            self.dispatcher.cancel_all("The editd daemon was stopped.")
        self._spawn(self._exit_when_answered())

    def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Serve a new connection in a task; beyond ``limits.clients`` refuse it with an answer, or
        with too many refusals under way without.
        """
        if len(self._connections) >= self.limits.clients:
            log.warning("more than %d clients: one is turned away", self.limits.clients)
            if len(self._background) < _MAX_TASKS:
                self._spawn(self._turn_away(reader, writer))
            else:
                writer.close()  # too many connections: refused without an answer
            return
        self._last_number += 1
        connection = Connection(self._last_number, reader, writer, self)
        task = asyncio.create_task(connection.serve())
        self._connections[task] = connection
        task.add_done_callback(self._connections.pop)

    async def _turn_away(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Refuse a connection beyond the limit: send ``DaemonUnreachable``, read its ``Hello``, and close it."""
        sentence = f"{self.limits.clients} programs use the editd daemon already: end some."
        writer.write(framing.encode(failure("", "", DaemonUnreachable(sentence))))
        # The answer is lost if the client's own bytes are still unread when the connection is closed.
        try:
            async with asyncio.timeout(self.limits.farewell_seconds):
                await reader.read(_HELLO_BYTES)
        except (OSError, TimeoutError):
            pass
        finally:
            writer.close()

    async def _exit_when_answered(self) -> None:
        """Let ``serve`` end when every request has its answer."""
        await self.dispatcher.until_answered()
        self._may_exit.set()

    async def _watch(self, socket_file: int | None) -> None:
        """Stop the daemon when it has been idle for ``exit_after`` seconds (0: never) or its socket
        file has been removed or replaced; checks every ``WATCH_SECONDS`` or sooner, and returns
        then.

        Also truncates standard error's file as ``logs.truncate_stderr``.
        """
        exit_after = self.config.daemon.exit_after
        while True:
            delay = min(lifecycle.WATCH_SECONDS, exit_after or lifecycle.WATCH_SECONDS)
            idle_since = self.dispatcher.idle_since
            if exit_after and idle_since is not None:
                rest = idle_since + exit_after - monotonic()
                if rest <= 0:
                    log.info("idle for %g seconds", exit_after)
                    self.stop(force=False)
                    return
                delay = min(delay, rest)
            if transport.identity(self._path) != socket_file:
                log.warning("the socket was removed")
                self.stop(force=False)
                return
            logs.truncate_stderr()
            await asyncio.sleep(delay)

    def _spawn(self, coroutine: Coroutine[Any, Any, Any]) -> None:
        """Run a coroutine in a task, which is cancelled when the daemon exits."""
        task = asyncio.create_task(coroutine)
        self._background.add(task)
        task.add_done_callback(self._background.discard)


def _log_exception(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """Log an exception of a task in place of asyncio, whose text may quote the exception's message."""
    del loop
    log.error("a defect in the daemon", exc_info=context.get("exception"))
