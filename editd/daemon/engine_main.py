"""The engine's process around its loop: standard input, signals, log records, and its end with the daemon.

Standard input is a socket to the daemon: orders come from it, reports and log records go to it. What an order does is
left to ``engine_core``.
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

from editd.daemon.engine_core import EngineCore, EngineFactory, Say, run

log = logging.getLogger("editd.daemon.engine_main")  # it is run as __main__


_PR_SET_PDEATHSIG = 1


CLOSE_SECONDS = 1.0  # for a unit to end before the process goes without waiting for it


def default_engine(config: Config, progress: Callable[[ModelStatus], None]) -> Engine:
    """The real engine; its imports may load torch, so they wait for the first request."""
    from editd.engine import Engine

    return Engine(config, progress)


def serve(make_engine: EngineFactory = default_engine) -> None:
    """Run the engine's process; standard input is a socket to the daemon."""
    faulthandler.enable()
    _end_with_daemon()
    pipe = socket.socket(fileno=os.dup(0))  # not inherited by what is started here
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)  # what a library prints is no report
    writing = threading.Lock()

    def say(report: Report) -> None:
        try:
            with writing:
                for piece in frame(*encode_order(report)):
                    pipe.sendall(piece)
        except OSError:  # the daemon has gone
            os._exit(0)

    inbox: queue.SimpleQueue[Order | None] = queue.SimpleQueue()
    orders = pipe.makefile("rb")
    opened = _next(orders)
    if not isinstance(opened, Configure):
        return
    logs.log_to(_Forwarding(say), opened.config.daemon.log_level)
    inbox.put(opened)
    core = EngineCore(make_engine, say)
    reading = threading.Thread(
        target=_read, args=(orders, inbox, core), name="editd-orders", daemon=True
    )
    reading.start()
    try:
        run(core, inbox)
    except BaseException:  # Python would print it, and its words may be the user's
        log.exception("the engine's process fails")
        os._exit(1)
    os._exit(0)  # at once: nothing is left that an orderly end would save


def _read(orders: BinaryIO, inbox: queue.SimpleQueue[Order | None], core: EngineCore) -> None:
    """Read orders; when the daemon ends, this process ends, even in the middle of a unit."""
    while order := _next(orders):
        inbox.put(order)
        if isinstance(order, CancelJob):
            core.interrupt(order.key)
    inbox.put(None)
    sleep(CLOSE_SECONDS)
    os._exit(0)


def _next(orders: BinaryIO) -> Order | None:
    """The next order; ``None`` when the daemon has ended, in the middle of one, too."""
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
    """Have the kernel end this process with the daemon, even where no thread of it can run; on Linux."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the daemon decides
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


class _Forwarding(logging.Handler):
    """Sends log records to the daemon, which writes the file."""

    def __init__(self, say: Say) -> None:
        super().__init__()
        self._say = say
        self.setFormatter(logs.DiscreetFormatter("%(message)s"))

    def emit(self, record: logging.LogRecord) -> None:
        self._say(LogLine(record.name, record.levelno, self.format(record)))


if __name__ == "__main__":
    serve()
