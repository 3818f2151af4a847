"""One engine process: starts it, talks to it and ends it. ``engine_keeper`` decides when.

Spawned, never forked: it shares nothing with the daemon but one end of a socket pair, which is its
standard input, and of a pseudo-terminal, by which the kernel ends it with the daemon, as it ends a
shell whose window is closed. Its code is ``engine_main``.
"""

from __future__ import annotations

import asyncio
import contextlib
import ctypes
import logging
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Sequence
from io import FileIO
from typing import Protocol

from editd.config import Config
from editd.daemon import orders
from editd.daemon.framing import exactly, in_pieces
from editd.daemon.orders import Logged, Open, Order, Report
from editd.daemon.spawning import engine_environment

log = logging.getLogger(__name__)

END_SECONDS = 2.0  # for the process to go by itself: it takes half of that if a unit runs


class Engine(Protocol):
    """The interface that the dispatcher uses, on the event loop."""

    @property
    def pid(self) -> int | None:
        """Its process id; ``None`` if it is this process."""
        ...

    def send(self, order: Order) -> None:
        """Give an order; never waits."""
        ...

    def kill(self, why: str) -> None:
        """End it at once; ``gone`` is called with ``why``."""
        ...

    async def end(self) -> None:
        """End it cleanly, soon; ``gone`` is not called."""
        ...


Hear = Callable[[Report], None]
Gone = Callable[[str], None]
StartEngine = Callable[[Config, Hear, Gone], Engine]


class EngineProcess:
    """An ``Engine``. ``hear`` is called with its reports; ``gone`` when it has ended unexpectedly."""

    def __init__(
        self, config: Config, hear: Hear, gone: Gone, command: Sequence[str] | None = None
    ) -> None:
        self._hear = hear
        self._gone = gone
        self._why = ""
        self._ending = False
        self._orders: asyncio.Queue[Order] = asyncio.Queue()
        self.send(Open(config))
        self._writer: asyncio.StreamWriter | None = None
        ours, theirs = socket.socketpair()
        self._line, terminal = _open_terminal()
        try:
            self._child: subprocess.Popen[bytes] = subprocess.Popen(
                list(command or engine_command()),
                stdin=theirs.fileno(),
                stdout=terminal,
                env=engine_environment(),
                start_new_session=True,  # Ctrl-C in a terminal is for the process that talks to the user
            )
        except BaseException:
            ours.close()
            self._line.close()
            raise
        finally:
            theirs.close()
            os.close(terminal)
        self._conversation = asyncio.get_running_loop().create_task(self._converse(ours))

    @property
    def pid(self) -> int | None:
        """As ``Engine.pid``."""
        return self._child.pid

    def send(self, order: Order) -> None:
        """As ``Engine.send``."""
        self._orders.put_nowait(order)

    def kill(self, why: str) -> None:
        """As ``Engine.kill``."""
        self._why = why
        self._child.kill()

    async def end(self) -> None:
        """As ``Engine.end``."""
        self._ending = True
        if self._writer is not None:
            self._writer.close()
        else:  # nothing has been said to it yet
            self._child.kill()
        try:
            await asyncio.to_thread(self._child.wait, END_SECONDS)
        except subprocess.TimeoutExpired:
            self._child.kill()
            await asyncio.to_thread(self._child.wait)
        self._line.close()
        self._conversation.cancel()
        await asyncio.wait([self._conversation])

    async def _converse(self, ours: socket.socket) -> None:
        """Pass on its reports, until it ends."""
        reader, self._writer = await asyncio.open_connection(sock=ours)
        sending = asyncio.create_task(self._give_orders(self._writer))
        try:
            while True:
                await self._report(reader)
        except (asyncio.IncompleteReadError, OSError):
            pass  # it hung up
        except Exception:
            log.exception("a report of the engine's process cannot be read")
        finally:
            sending.cancel()
            self._writer.close()
        if self._ending:
            return
        self._child.kill()
        code = await asyncio.to_thread(self._child.wait)
        if not self._ending:
            self._line.close()
            self._gone(self._why or _cause(code))

    async def _give_orders(self, writer: asyncio.StreamWriter) -> None:
        """One after the other."""
        with contextlib.suppress(OSError):  # it hung up
            while True:
                for piece in in_pieces(*orders.encode(await self._orders.get())):
                    writer.write(piece)
                    await writer.drain()

    async def _report(self, reader: asyncio.StreamReader) -> None:
        lengths = await exactly(reader, orders.LENGTHS.size)
        header_bytes, body_bytes = orders.LENGTHS.unpack(lengths)
        header = await exactly(reader, header_bytes)
        report = orders.decode(header, await exactly(reader, body_bytes))
        if self._ending:
            return
        if isinstance(report, Logged):
            logging.getLogger(report.name).log(report.level, "engine: %s", report.text)
        else:
            self._hear(report)


def _open_terminal() -> tuple[FileIO, int]:
    """A new pseudo-terminal: the session of its second end gets SIGHUP when the first end closes.

    Not by ``os.openpty``, which on some systems would make it the daemon's own.
    """
    libc = ctypes.CDLL(None)
    libc.ptsname.restype = ctypes.c_char_p
    number = libc.posix_openpt(os.O_RDWR | os.O_NOCTTY)
    if number < 0:
        return _no_terminal()
    os.set_inheritable(number, False)
    libc.grantpt(number)
    libc.unlockpt(number)
    try:
        terminal = os.open(libc.ptsname(number) or b"", os.O_RDWR | os.O_NOCTTY)
    except OSError:
        os.close(number)
        return _no_terminal()
    return FileIO(number), terminal


def _no_terminal() -> tuple[FileIO, int]:
    """For a container without pseudo-terminals: there, only the end of the socket ends the engine."""
    return FileIO(os.devnull), os.open(os.devnull, os.O_WRONLY)


def engine_command() -> list[str]:
    """The command that starts the engine's process, with this interpreter and this editd."""
    return [sys.executable, "-P", "-m", "editd.daemon.engine_main"]


def _cause(code: int) -> str:
    """Why a process ended with this exit code, as part of a sentence."""
    if code >= 0:
        return f"it ended with exit code {code}"
    try:
        name = signal.Signals(-code).name
    except ValueError:
        name = f"signal {-code}"
    if name == "SIGKILL":
        return "it was killed, perhaps because the machine's memory ran out"
    return f"it crashed with {name}"
