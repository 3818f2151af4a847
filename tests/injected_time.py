"""An event loop whose time is injected, and the daemon's engine on it: a stall is a number there.

Nobody waits: when nothing is ready, the time of the next timer has come. Nothing reads a clock and
nothing runs in a thread, so that the same steps always give the same history.
"""

import asyncio
import contextlib
import selectors
from collections.abc import Callable
from unittest import mock

from editd.daemon import dispatcher, engine_core
from editd.daemon.orders import Configure
from tests import in_process

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
        left = asyncio.all_tasks(self)
        for task in left:
            task.cancel()
        # A generator that a task is still leaving cannot be closed, and its complaint would hide what failed.
        self.run_until_complete(asyncio.wait_for(_all(left), 60))
        self.run_until_complete(self.shutdown_asyncgens())
        self.close()

    @contextlib.contextmanager
    def under_the_daemon(self, on_unit=lambda _key: None):
        """Within this, the daemon reads this loop's clock, and its engines run on this loop."""

        def start(make_engine, config, hear, gone):
            return InjectedEngine(make_engine, config, hear, on_unit)

        with (
            mock.patch.object(dispatcher, "monotonic", self.time),
            mock.patch.object(engine_core, "monotonic", self.time),
            mock.patch.object(in_process, "InProcessEngine", start),
        ):
            yield


async def _all(tasks):
    await asyncio.gather(*tasks, return_exceptions=True)


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


class InjectedEngine:
    """The engine's loop on the event loop: a unit is done at once, and over when its time has passed.

    unit: how long one takes. working: whether one does. on_unit: hears of each before it is done.
    """

    pid = None
    unit = UNIT  # of all engines
    working = False

    def __init__(self, make_engine, config, hear, on_unit):
        self._made = None
        self._hear = hear
        self._on_unit = on_unit
        self._said = []
        self._orders = [Configure(config)]
        self._loop = asyncio.get_running_loop()
        self._turn = None

        def make(*args):
            self._made = make_engine(*args)
            return self._made

        self.core = engine_core.EngineCore(make, self._said.append)

    def send(self, order):
        self._orders.append(order)
        self._wake(0)

    def kill(self, why):
        raise AssertionError(why)

    async def end(self):
        self._hear = lambda report: None
        if self._turn:
            self._turn.cancel()
        self.core.close()

    def _wake(self, seconds):
        if self._turn is None:
            self._turn = self._loop.call_later(seconds, self._go_on)

    def _go_on(self):
        """Say what the last unit said, take orders, do a unit."""
        self._turn, self.working = None, False
        before = self._loaded()
        orders, self._orders[:] = [*self._orders], []
        for order in orders:
            self.core.take_order(order)
        self._flush()
        if self._orders:  # what was said had an answer: it comes before the next unit
            self._wake(0)
            return
        job = self.core._current
        if job is not None:
            self._on_unit(job)
        if self.core.step():
            self.working = True
            self._wake(LOAD if self._loaded() - before else self.unit)
        else:
            self._flush()

    def _flush(self):
        said, self._said[:] = [*self._said], []
        for report in said:
            self._hear(report)

    def _loaded(self):
        return set(self._made._models) if self._made else set()
