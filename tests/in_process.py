"""The engine's loop in a thread of the test, without process and pipe, so that a test can reach in.

The same code otherwise: ``InProcessEngineClient(Config(), scripted(...))``, and
``in_process(scripted(...))`` for whatever takes a ``start_engine``.
"""

import asyncio
import contextlib
import queue
import threading

from editd.daemon.engine_core import EngineCore, run
from editd.daemon.engine_main import default_engine
from editd.daemon.hosting_client import HostingEngineClient
from editd.daemon.orders import Configure


def in_process(make_engine=default_engine):
    """A function that starts an engine in this process, made by ``make_engine``."""
    return lambda config, hear, gone: InProcessEngine(make_engine, config, hear, gone)


class InProcessEngine:
    """As ``EngineProcess``."""

    pid = None

    def __init__(self, make_engine, config, hear, gone):
        self._loop = asyncio.get_running_loop()
        self._hear = hear
        self._gone = gone
        self._inbox = queue.SimpleQueue()
        self.send(Configure(config))
        self.thread = threading.Thread(
            target=run, args=(EngineCore(make_engine, self._say), self._inbox), daemon=True
        )
        self.thread.start()

    def send(self, order):
        self._inbox.put(order)

    def kill(self, why):
        self._hear = lambda report: None
        self._loop.call_soon(self._gone, why)

    async def end(self):
        self._hear = lambda report: None
        self._inbox.put(None)
        await asyncio.to_thread(self.thread.join, 1)

    def _say(self, report):
        with contextlib.suppress(RuntimeError):  # the loop has been closed
            self._loop.call_soon_threadsafe(lambda: self._hear(report))


class InProcessEngineClient(HostingEngineClient):
    """A client with an engine in this process."""

    def __init__(self, config, make_engine=default_engine):
        super().__init__(config, in_process(make_engine))
