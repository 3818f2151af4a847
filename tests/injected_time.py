"""An event loop whose time is injected, and the daemon's worker on it: a stall is a number there.

Nobody waits: when nothing is ready, the time of the next timer has come. Nothing reads a clock and
nothing runs in a thread, so that the same steps always give the same history.
"""

import asyncio
import contextlib
import selectors
from collections.abc import Callable
from unittest import mock

from editd.daemon import dispatcher, engine_room, outbox

UNIT, LOAD = 0.05, 2.0  # seconds that the engine takes, if nothing else is said


class InjectedLoop(asyncio.SelectorEventLoop):
    """``before_waiting`` is called whenever time is about to pass; what it raises ends the run."""

    def __init__(self):
        super().__init__(_NeverWaiting(self))
        self.now = 0.0
        self.before_waiting: Callable[[], None] = lambda: None

    def time(self):
        return self.now

    def end(self):
        """Cancel what is left, and close."""
        self.before_waiting = lambda: None
        for task in asyncio.all_tasks(self):
            task.cancel()
        self.run_until_complete(asyncio.sleep(0))
        self.run_until_complete(self.shutdown_asyncgens())
        self.close()

    @contextlib.contextmanager
    def under_the_daemon(self, engines, on_call=lambda *_: None):
        """Who reads the clock in the daemon reads this loop's, and its worker is one on this loop."""
        with (
            mock.patch.object(dispatcher, "monotonic", self.time),
            mock.patch.object(outbox, "monotonic", self.time),
            mock.patch.object(engine_room, "Worker", lambda: InjectedWorker(engines, on_call)),  # noqa: PT008 - one for each daemon
        ):
            yield


class _NeverWaiting(selectors.DefaultSelector):
    def __init__(self, loop):
        super().__init__()
        self._loop = loop

    def select(self, timeout=None):
        events = super().select(0)
        if events or timeout == 0:
            return events
        assert timeout is not None, "everybody waits for something that will never happen"
        self._loop.before_waiting()
        self._loop.now += timeout
        return events


class InjectedWorker:
    """As ``Worker``, on the loop: a call is made at once, and is over when its time has passed.

    calling: what is being called. on_call: hears of each call before it is made.
    """

    def __init__(self, engines, on_call=lambda *_: None):
        self.unit = UNIT
        self.calling = None
        self._engines = engines
        self._on_call = on_call
        self._loop = asyncio.get_running_loop()

    def call(self, function, *args):
        assert self.calling is None, "two calls at once"
        self._on_call(function, *args)
        future = self._loop.create_future()
        before = self._loaded()
        try:
            value, error = function(*args), None
        except Exception as caught:  # noqa: BLE001  # as the worker does
            value, error = None, caught
        self.calling = function
        self._loop.call_later(
            LOAD if self._loaded() - before else self.unit, self._settle, future, value, error
        )
        return future

    async def stop(self, seconds):
        return True

    def _loaded(self):
        return {name for engine in self._engines for name in engine._models}

    def _settle(self, future, value, error):
        self.calling = None
        if future.done():
            return
        if error:
            future.set_exception(error)
        else:
            future.set_result(value)
