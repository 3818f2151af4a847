"""An engine process seen from the daemon: starts it, sends orders to it, receives its reports, ends it.

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

END_SECONDS = 2.0  # for the process to exit by itself: it takes half of that if a unit runs

OnReport = Callable[[Report], None]
OnEnd = Callable[[str], None]
StartEngine = Callable[[Config, OnReport, OnEnd], "EngineProcess"]


class EngineProcess:
    """A running engine process; making an instance starts it. Used on the event loop.

    on_report: called with each report but log lines, which are logged. on_end: called with the reason, part of a
    sentence, if the process ends without ``end``. command: what to run in place of ``engine_command()``.
    Raises ``OSError`` if the process cannot be started.
    """

    def __init__(
        self,
        config: Config,
        on_report: OnReport,
        on_end: OnEnd,
        command: Sequence[str] | None = None,
    ) -> None:
        self._on_report = on_report
        self._on_end = on_end
        self._kill_reason = ""
        self._ending = False
        self._orders: asyncio.Queue[Order] = asyncio.Queue()
        self.send(Configure(config))
        self._writer: asyncio.StreamWriter | None = None
        daemon_end, engine_end = socket.socketpair()
        try:
            self._child: subprocess.Popen[bytes] = subprocess.Popen(
                list(command or engine_command()),
                stdin=engine_end.fileno(),
                stdout=subprocess.DEVNULL,
                env=engine_environment(),
                start_new_session=True,  # Ctrl-C in a terminal is for the process that talks to the user
            )
        except BaseException:
            daemon_end.close()
            raise
        finally:
            engine_end.close()
        self._receiving = asyncio.get_running_loop().create_task(self._receive_reports(daemon_end))

    @property
    def pid(self) -> int | None:
        """The id of the process; ``None`` if the engine runs in this process, which only a test does."""
        return self._child.pid

    def send(self, order: Order) -> None:
        """Queue an order to the process; returns at once."""
        self._orders.put_nowait(order)

    def kill(self, reason: str) -> None:
        """Kill the process; ``on_end`` will be called with ``reason``."""
        self._kill_reason = reason
        self._child.kill()

    async def end(self) -> None:
        """Close the socket to the process, which lets it exit, and wait for that; kill it after
        ``END_SECONDS``, or at once if the socket is not open yet, and wait again.

        Neither ``on_end`` nor ``on_report`` is called from then on.
        """
        self._ending = True
        if self._writer is not None:
            self._writer.close()
        else:  # no order has been sent yet
            self._child.kill()
        try:
            await asyncio.to_thread(self._child.wait, END_SECONDS)
        except subprocess.TimeoutExpired:
            self._child.kill()
            await asyncio.to_thread(self._child.wait)
        self._receiving.cancel()
        await asyncio.wait([self._receiving])

    async def _receive_reports(self, daemon_end: socket.socket) -> None:
        """Handle reports until the process ends, or one cannot be read, sending orders meanwhile.

        Then, unless ``end`` was called, kill the process and call ``on_end`` with the reason.
        daemon_end: the socket to the process.
        """
        reader, self._writer = await asyncio.open_connection(sock=daemon_end)
        sending = asyncio.create_task(self._send_orders(self._writer))
        try:
            while read := await read_frame(reader, max_head=MAX_FRAME_BYTES):
                self._handle_report(decode_order(*read))
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
            self._on_end(self._kill_reason or _exit_reason(code))

    async def _send_orders(self, writer: asyncio.StreamWriter) -> None:
        """Write the queued orders for ever, each whole before the next; returns if the process hangs up."""
        with contextlib.suppress(OSError):  # it hung up
            while True:
                for piece in frame(*encode_order(await self._orders.get())):
                    writer.write(piece)
                    await writer.drain()

    def _handle_report(self, report: Report) -> None:
        """Log a ``LogLine``, give any other report to ``on_report``; no effect while the process is being ended."""
        if self._ending:
            return
        if isinstance(report, LogLine):
            logging.getLogger(report.name).log(report.level, "engine: %s", report.text)
        else:
            self._on_report(report)


def engine_command() -> list[str]:
    """The command that starts the engine's process, with this interpreter and this editd."""
    return [sys.executable, "-P", "-m", "editd.daemon.engine_main"]


def _exit_reason(code: int) -> str:
    """The reason for an exit code of ``subprocess``, as part of a sentence. A negative code is a
    signal: "it crashed with SIGSEGV", or for SIGKILL that memory may have run out.
    """
    if code >= 0:
        return f"it ended with exit code {code}"
    try:
        name = signal.Signals(-code).name
    except ValueError:
        name = f"signal {-code}"
    if name == "SIGKILL":
        return "it was killed, perhaps because the machine's memory ran out"
    return f"it crashed with {name}"
