"""The engine's process around its loop: the socket to the daemon, signals, log records, and its end with the daemon.

Standard input is that socket: orders are read from it, reports and log records are written to it. What an order does
is left to ``engine_core``.
"""

from __future__ import annotations

import ctypes
import faulthandler
import logging
import os
import queue
import signal
import socket
import sys
import threading
from collections.abc import Callable
from time import sleep
from typing import TYPE_CHECKING, BinaryIO

from editd.config import Config
from editd.daemon import logs
from editd.daemon.engine_core import EngineCore, EngineFactory, SendReport, run
from editd.daemon.framing import LENGTHS, frame
from editd.daemon.orders import (
    CancelJob,
    Configure,
    LogLine,
    Order,
    Report,
    decode_order,
    encode_order,
)
from editd.messages.reports import ModelStatus

if TYPE_CHECKING:
    from editd.engine import Engine

log = logging.getLogger("editd.daemon.engine_main")  # it is run as __main__

_PR_SET_PDEATHSIG = 1
CLOSE_SECONDS = 1.0  # for a unit to end before the process exits without waiting for it


def default_engine(config: Config, progress: Callable[[ModelStatus], None]) -> Engine:
    """Make the real engine. Importing it may load torch, so this is left to the first request."""
    from editd.engine import Engine

    return Engine(config, progress)


def serve(make_engine: EngineFactory = default_engine) -> None:
    """Run the engine's process: take standard input as the socket to the daemon, work, and exit
    with the daemon.

    Redirects standard input to ``/dev/null`` and standard output to standard error, and sends log
    records to the daemon. Returns only if the daemon's first order is no configuration; otherwise
    ends the process, with exit code 1 if the loop itself failed, else 0, also when a report cannot
    be sent.
    """
    faulthandler.enable()
    _end_with_daemon()
    pipe = socket.socket(fileno=os.dup(0))  # not inherited by processes that this one starts
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)  # a library's output is no report
    write_lock = threading.Lock()

    def send_report(report: Report) -> None:
        try:
            with write_lock:
                for piece in frame(*encode_order(report)):
                    pipe.sendall(piece)
        except OSError:  # the daemon has ended
            os._exit(0)

    inbox: queue.SimpleQueue[Order | None] = queue.SimpleQueue()
    orders = pipe.makefile("rb")
    configure = _read_order(orders)
    if not isinstance(configure, Configure):
        return
    logs.log_to(_ForwardingHandler(send_report), configure.config.daemon.log_level)
    inbox.put(configure)
    core = EngineCore(make_engine, send_report)
    reader = threading.Thread(
        target=_read_orders, args=(orders, inbox, core), name="editd-orders", daemon=True
    )
    reader.start()
    try:
        run(core, inbox)
    except BaseException:  # Python would print its message, which may quote the user's text
        log.exception("the engine's process fails")
        os._exit(1)
    os._exit(0)  # at once: nothing is left that an orderly end would save


def _read_orders(
    orders: BinaryIO, inbox: queue.SimpleQueue[Order | None], core: EngineCore
) -> None:
    """Put orders into ``inbox`` and interrupt the unit that a ``CancelJob`` names.

    When the daemon ends, closes the loop by ``None``, and exits after ``CLOSE_SECONDS`` even in the middle of a unit.
    """
    while order := _read_order(orders):
        inbox.put(order)
        if isinstance(order, CancelJob):
            core.interrupt(order.key)
    inbox.put(None)
    sleep(CLOSE_SECONDS)
    os._exit(0)


def _read_order(orders: BinaryIO) -> Order | None:
    """Read the next order; ``None`` when the daemon has closed the socket, even in the middle of an
    order. Raises as ``decode_order`` for other bytes.
    """
    try:
        lengths = orders.read(LENGTHS.size)
        if len(lengths) < LENGTHS.size:
            return None
        sizes = LENGTHS.unpack(lengths)
        head, body = map(orders.read, sizes)
    except OSError:
        return None
    if (len(head), len(body)) != sizes:
        return None
    order: Order = decode_order(head, body)
    return order


def _end_with_daemon() -> None:
    """Ignore SIGINT; on Linux, also have the kernel kill this process when the daemon ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the daemon orders what is cancelled
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


class _ForwardingHandler(logging.Handler):
    """A logging handler that sends each record as a ``LogLine``; the daemon writes the file."""

    def __init__(self, send_report: SendReport) -> None:
        super().__init__()
        self._send_report = send_report
        self.setFormatter(logs.DiscreetFormatter("%(message)s"))

    def emit(self, record: logging.LogRecord) -> None:
        """Send ``record``, without an exception's message."""
        self._send_report(LogLine(record.name, record.levelno, self.format(record)))


if __name__ == "__main__":
    serve()
