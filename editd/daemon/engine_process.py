"""One engine process: starts it, sends it orders, receives its reports and ends it.

Spawned, never forked: it shares nothing with the daemon but one end of a socket pair, which is its
standard input. Its code is ``engine_main``; its orders are the dispatcher's.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Sequence

from editd.config import Config
from editd.daemon.framing import MAX_FRAME_BYTES, Truncated, frame, read_frame
from editd.daemon.orders import (
    Configure,
    LogLine,
    Order,
    Report,
    decode_order,
    encode_order,
)
from editd.daemon.spawning import engine_environment

log = logging.getLogger(__name__)


END_SECONDS = 2.0  # for the process to go by itself: it takes half of that if a unit runs


OnReport = Callable[[Report], None]


Gone = Callable[[str], None]


StartEngine = Callable[[Config, OnReport, Gone], "EngineProcess"]


class EngineProcess:
    """Used on the event loop. ``on_report`` is called with its reports; ``gone`` when it has ended unexpectedly."""

    def __init__(
        self, config: Config, on_report: OnReport, gone: Gone, command: Sequence[str] | None = None
    ) -> None:
        self._on_report = on_report
        self._gone = gone
        self._why = ""
        self._ending = False
        self._orders: asyncio.Queue[Order] = asyncio.Queue()
        self.send(Configure(config))
        self._writer: asyncio.StreamWriter | None = None
        ours, theirs = socket.socketpair()
        try:
            self._child: subprocess.Popen[bytes] = subprocess.Popen(
                list(command or engine_command()),
                stdin=theirs.fileno(),
                stdout=subprocess.DEVNULL,
                env=engine_environment(),
                start_new_session=True,  # Ctrl-C in a terminal is for the process that talks to the user
            )
        except BaseException:
            ours.close()
            raise
        finally:
            theirs.close()
        self._conversation = asyncio.get_running_loop().create_task(self._converse(ours))

    @property
    def pid(self) -> int | None:
        """Its process id; ``None`` if it is this process."""
        return self._child.pid

    def send(self, order: Order) -> None:
        """Give an order; never waits."""
        self._orders.put_nowait(order)

    def kill(self, why: str) -> None:
        """End it at once; ``gone`` is called with ``why``."""
        self._why = why
        self._child.kill()

    async def end(self) -> None:
        """End it cleanly, soon; ``gone`` is not called."""
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
        self._conversation.cancel()
        await asyncio.wait([self._conversation])

    async def _converse(self, ours: socket.socket) -> None:
        """Pass on its reports, until it ends."""
        reader, self._writer = await asyncio.open_connection(sock=ours)
        sending = asyncio.create_task(self._give_orders(self._writer))
        try:
            while read := await read_frame(reader, most_head=MAX_FRAME_BYTES):
                self._report(decode_order(*read))
        except (Truncated, OSError):
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
            self._gone(self._why or _cause(code))

    async def _give_orders(self, writer: asyncio.StreamWriter) -> None:
        """One after the other."""
        with contextlib.suppress(OSError):  # it hung up
            while True:
                for piece in frame(*encode_order(await self._orders.get())):
                    writer.write(piece)
                    await writer.drain()

    def _report(self, report: Report | LogLine) -> None:
        if self._ending:
            return
        if isinstance(report, LogLine):
            logging.getLogger(report.name).log(report.level, "engine: %s", report.text)
        else:
            self._on_report(report)


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
