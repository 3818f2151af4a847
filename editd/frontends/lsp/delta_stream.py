"""The deltas of one edit on their way to the client, merged while it is behind."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from editd.diff.hunk import Hunk, Op, merge_ops


class DeltaStream:
    """Sends the operations of an edit to the client in deltas.

    send: sends operations as one delta. interval: least seconds between two deltas. busy: tells whether the client is
    behind; then nothing is sent, and waiting operations are merged, so that they never exceed the answer.
    """

    def __init__(
        self, send: Callable[[tuple[Op, ...]], None], interval: float, busy: Callable[[], bool]
    ) -> None:
        self._send = send
        self._interval = interval
        self._busy = busy
        self._ops: tuple[Op, ...] = ()
        self._hunk_sent = False
        self._next = 0.0  # loop time before which nothing is sent
        self._timer: asyncio.TimerHandle | None = None

    def add(self, ops: tuple[Op, ...]) -> None:
        """Merge operations with the waiting ones, and send all: at once with the first hunk, else when the interval
        since the last is over; while the client is behind, they wait.
        """
        self._ops = merge_ops(self._ops, ops)
        first_hunk = not self._hunk_sent and any(isinstance(op, Hunk) for op in ops)
        if first_hunk and not self._busy():
            self.flush()
        else:
            self._send_when_due()

    def flush(self) -> None:
        """Send the waiting operations now, as one delta, even if the client is behind; nothing if there are none.
        Stops the timer, and begins the next interval.
        """
        self.close()
        if self._ops:
            ops, self._ops = self._ops, ()
            self._hunk_sent = self._hunk_sent or any(isinstance(op, Hunk) for op in ops)
            self._next = asyncio.get_running_loop().time() + self._interval
            self._send(ops)

    def close(self) -> None:
        """Stop the timer: nothing more is sent unless ``flush`` or ``add`` is called. Waiting operations are kept."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _send_when_due(self) -> None:
        """Send the waiting operations now if the interval is over and the client is not behind; else start a timer
        that looks again. No effect if one runs or nothing waits.
        """
        if self._timer is not None or not self._ops:
            return
        loop = asyncio.get_running_loop()
        if self._busy():
            self._timer = loop.call_later(max(self._interval, 0.02), self._tick)
        elif loop.time() >= self._next:
            self.flush()
        else:
            self._timer = loop.call_at(self._next, self._tick)

    def _tick(self) -> None:
        """Look again after a timer."""
        self._timer = None
        self._send_when_due()
