"""The engine's process: a thread reads orders, the main thread computes (``engine_core``).

Knows pipes and signals, and that the process must end with the daemon, even when busy. Standard input
is a socket to the daemon; the engine's log records go there too.
"""

from __future__ import annotations

import contextlib
import faulthandler
import fcntl
import logging
import os
import queue
import signal
import socket
import termios
import threading
from collections.abc import Callable
from time import sleep
from typing import TYPE_CHECKING

from editd.config import Config
from editd.daemon import logs, orders
from editd.daemon.engine_core import EngineCore, EngineFactory, Say, run
from editd.daemon.orders import Cancel, Logged, Open, Order, Report
from editd.messages import ModelStatus

if TYPE_CHECKING:
    from editd.engine import Engine

log = logging.getLogger(__name__)

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
        head, body = orders.encode(report)
        try:
            with writing:
                pipe.sendall(head)
                if body:
                    pipe.sendall(body)
        except OSError:  # the daemon has gone
            os._exit(0)

    inbox: queue.SimpleQueue[Order | None] = queue.SimpleQueue()
    opened = _receive(pipe)
    if not isinstance(opened, Open):
        return
    logs.log_to(_Forwarding(say), opened.config.daemon.log_level)
    inbox.put(opened)
    core = EngineCore(make_engine, say)
    reading = threading.Thread(
        target=_read, args=(pipe, inbox, core), name="editd-orders", daemon=True
    )
    reading.start()
    try:
        run(core, inbox)
    except BaseException:  # Python would print it, and its words may be the user's
        log.exception("the engine's process fails")
        os._exit(1)
    os._exit(0)  # at once: nothing is left that an orderly end would save


def _read(pipe: socket.socket, inbox: queue.SimpleQueue[Order | None], core: EngineCore) -> None:
    """Read orders; when the daemon ends, this process ends, even in the middle of a unit."""
    while order := _receive(pipe):
        inbox.put(order)
        if isinstance(order, Cancel):
            core.interrupt(order.key)
    inbox.put(None)
    sleep(CLOSE_SECONDS)
    os._exit(0)


def _receive(pipe: socket.socket) -> Order | None:
    lengths = _exactly(pipe, orders.LENGTHS.size)
    if lengths is None:
        return None
    header_bytes, body_bytes = orders.LENGTHS.unpack(lengths)
    header, body = _exactly(pipe, header_bytes), _exactly(pipe, body_bytes)
    if header is None or body is None:
        return None
    order: Order = orders.decode(header, body)
    return order


def _exactly(pipe: socket.socket, size: int) -> bytes | None:
    """The next ``size`` bytes; ``None`` when there are no more."""
    data = bytearray(size)
    view, filled = memoryview(data), 0
    while filled < size:
        try:
            received = pipe.recv_into(view[filled:])
        except OSError:
            return None
        if not received:
            return None
        filled += received
    return bytes(data)


def _end_with_daemon() -> None:
    """Have the kernel end this process with the daemon, even where no thread of it can run.

    Standard output is a terminal whose other end the daemon holds. It becomes this session's
    controlling terminal and stays open, so the kernel sends SIGHUP when the daemon ends.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the daemon decides
    signal.signal(signal.SIGHUP, signal.SIG_DFL)  # nohup would have it ignored
    with contextlib.suppress(OSError):  # no terminal was available
        fcntl.ioctl(os.dup(1), termios.TIOCSCTTY, 0)


class _Forwarding(logging.Handler):
    """Sends log records to the daemon, which writes the file."""

    def __init__(self, say: Say) -> None:
        super().__init__()
        self._say = say
        self.setFormatter(logs.DiscreetFormatter("%(message)s"))

    def emit(self, record: logging.LogRecord) -> None:
        self._say(Logged(record.name, record.levelno, self.format(record)))


if __name__ == "__main__":
    serve()
