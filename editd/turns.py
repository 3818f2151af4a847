"""Plain functions that end their turn in the middle, so that other work gets its own.

Work on text calls ``yield_point()`` every few milliseconds, however large the text is; calls into C, which hold the
interpreter, get a bounded part of it. The host runs the work as ``Turns``; to all other callers it is a plain
function. The work runs as a greenlet of its host's thread: no second thread runs. The order of turns, and when work
is cancelled, are left to the host.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import copy_context
from time import monotonic
from typing import Any, Generic, TypeVar

from greenlet import getcurrent, greenlet

T = TypeVar("T")

UNIT_SECONDS = 0.02
"""The length of a turn, after which ``yield_point`` ends it."""


def yield_point() -> None:
    """End the turn if it has lasted as long as ``Turns.advance`` gave it; no effect outside
    ``Turns`` or in a ``critical_section``.

    Raises ``GreenletExit``, which is no ``Exception``, if the host closes the turns meanwhile.
    """
    turns = _thread.turns
    if turns is not None and turns.is_over():
        del turns  # a reference from its own work would keep dropped work for ever
        end_turn(None)


def end_turn(value: Any) -> None:
    """End the turn now; ``Turns.advance`` returns ``value``. Only within ``Turns``; raises as ``yield_point``."""
    getcurrent().parent.switch(value)


@contextmanager
def critical_section() -> Iterator[None]:
    """A context in which ``yield_point`` has no effect, for work that must not be left half done, as a load or a round.
    Contexts may be nested; no effect outside ``Turns``.
    """
    before = _set_critical(True)
    try:
        yield
    finally:
        _set_critical(before)


class Turns(Generic[T]):
    """Runs ``work`` turn by turn, in the thread of the first ``advance``.

    done: the work has ended. is_critical: it is in a ``critical_section``. clock: measures the turns.
    """

    def __init__(self, work: Callable[[], T], clock: Callable[[], float] = monotonic) -> None:
        self.done = False
        self.is_critical = False
        self._ends = 0.0
        self._clock = clock
        self._work: Callable[[], T] | None = work
        self._greenlet: Any = None  # once it has begun
        self._made: list[T] = []

    @property
    def result(self) -> T:
        """The value that the work returned; only once it is done."""
        return self._made[0]

    def advance(self, seconds: float = UNIT_SECONDS) -> Any:
        """Run one turn and return the value of its ``end_turn``; ``None`` if it lasted ``seconds``, the work ended in
        it, or it is ``done`` already. Raises what the work raises, which is done then.
        """
        if self.done:
            return None
        if self._work is not None:
            self._greenlet, self._work = greenlet(self._work), None
            self._greenlet.gr_context = copy_context()
        self._ends = self._clock() + seconds
        value = self._switch(self._greenlet.switch)
        if self._greenlet.dead:
            self._made.append(value)
            return None
        return value

    def close(self) -> None:
        """End the work by ``GreenletExit`` where it is; its ``finally`` clauses run in one go, however long. Work that
        has not begun is dropped. No effect if it is done.
        """
        self._work = None
        if not self.done and self._greenlet is not None:
            self._ends = float("inf")  # what is given back is given back in one go
            self._switch(self._greenlet.throw)
        self.done = True

    def is_over(self) -> bool:
        """Whether the turn of the running work has lasted long enough and may end."""
        return not self.is_critical and self._clock() >= self._ends and self.is_running()

    def is_running(self) -> bool:
        """Whether the caller is part of this work, and not of some other that is dropped during its turn."""
        return getcurrent() is self._greenlet

    def _switch(self, switch: Callable[[], Any]) -> Any:
        """Run the greenlet by ``switch`` until it switches back, with these turns as those of this thread; returns the
        value that it brings, and sets ``done``. Raises what the work raises.
        """
        self._greenlet.parent = getcurrent()
        before, _thread.turns = _thread.turns, self
        try:
            return switch()
        finally:
            _thread.turns = before
            self.done = self._greenlet.dead


class _Thread(threading.local):
    """The turns that each thread is running."""

    turns: Turns[Any] | None = None


def _set_critical(value: bool) -> bool:  # noqa: FBT001 - private
    """Set ``is_critical`` of the work that runs in this thread, and return its value before; ``False``, with no effect,
    outside ``Turns``.
    """
    turns = _thread.turns
    if turns is None or not turns.is_running():
        return False
    before, turns.is_critical = turns.is_critical, value
    return before


_thread = _Thread()
