"""Plain functions that hand the turn back in the middle, so that others get theirs.

Work on text calls ``breathe()`` every few milliseconds, however large the text is; calls into C, which
hold the interpreter, get a bounded part of it. Whoever hosts the work runs it as ``Turns``, and whoever
does not sees plain functions. The work runs as a greenlet of its host's thread: no second thread runs.
Whose turn is next, and when work is cancelled, is left to the host.
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
"""How long work goes on until ``breathe`` hands the turn back."""


def breathe() -> None:
    """Hand the turn back if it has lasted long enough; does nothing outside ``Turns``.

    A cancel is raised here as ``GreenletExit``, which is no ``Exception``.
    """
    turns = _here.turns
    if turns is not None and turns.is_over():
        del turns  # a reference from its own work would keep dropped work for ever
        hand_back(None)


def hand_back(told: Any) -> None:
    """End the turn now, with something for its host; only within ``Turns``."""
    getcurrent().parent.switch(told)


@contextmanager
def unbroken() -> Iterator[None]:
    """``breathe`` does nothing within: for what must not be left half done, as a load or a round."""
    before = _mark_unbroken(True)
    try:
        yield
    finally:
        _mark_unbroken(before)


class Turns(Generic[T]):
    """Runs ``work`` turn by turn in the thread of the first ``advance``.

    done: the work has ended. clock: what a turn is measured by.
    """

    def __init__(self, work: Callable[[], T], clock: Callable[[], float] = monotonic) -> None:
        self.done = False
        self.unbroken = False
        self._ends = 0.0
        self._clock = clock
        self._work: Callable[[], T] | None = work
        self._greenlet: Any = None  # once it has begun
        self._made: list[T] = []

    @property
    def result(self) -> T:
        """What the work returned, once it is done."""
        return self._made[0]

    def advance(self, seconds: float = UNIT_SECONDS) -> Any:
        """A turn of ``seconds``; what the work handed back at its end. Raises what the work raises."""
        if self.done:
            return None
        if self._work is not None:
            self._greenlet, self._work = greenlet(self._work), None
            self._greenlet.gr_context = copy_context()
        self._ends = self._clock() + seconds
        told = self._switch(self._greenlet.switch)
        if self._greenlet.dead:
            self._made.append(told)
            return None
        return told

    def close(self) -> None:
        """End the work where it is: its ``finally`` clauses run, without handing the turn back."""
        self._work = None
        if not self.done and self._greenlet is not None:
            self._ends = float("inf")  # what is given back is given back in one go
            self._switch(self._greenlet.throw)
        self.done = True

    def is_over(self) -> bool:
        """Whether the work that asks is this work, and its turn has lasted long enough."""
        return not self.unbroken and self._clock() >= self._ends and self.is_asking()

    def is_asking(self) -> bool:
        """Whether the caller is this work, and not some other that ends in its turn."""
        return getcurrent() is self._greenlet

    def _switch(self, switch: Callable[[], Any]) -> Any:
        self._greenlet.parent = getcurrent()
        before, _here.turns = _here.turns, self
        try:
            return switch()
        finally:
            _here.turns = before
            self.done = self._greenlet.dead


class _Here(threading.local):
    turns: Turns[Any] | None = None  # that this thread is running


_here = _Here()


def _mark_unbroken(mark: bool) -> bool:  # noqa: FBT001 - private
    """Mark the work that is running; returns its mark before."""
    turns = _here.turns
    if turns is None or not turns.is_asking():
        return False
    before, turns.unbroken = turns.unbroken, mark
    return before
