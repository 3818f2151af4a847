"""The traces of the last finished edits, for ``editd explain``."""

from __future__ import annotations

from collections import deque
from dataclasses import replace

from editd.daemon.framing import Packed, unpack
from editd.messages import (
    Explained,
)
from editd.messages.reports import TraceSummary

MAX_TRACES = 20
MAX_BYTES = 16 << 20  # of all traces together


class Traces:
    """The traces of the last finished edits, numbered by this class because it outlives engine processes."""

    def __init__(self) -> None:
        self._number = 0
        self._traces: deque[tuple[TraceSummary, Packed]] = deque()  # oldest first

    def add(self, summary: TraceSummary, body: Packed) -> None:
        """Add a trace (``body``: a packed ``Explained``) under the next number; drop the oldest
        beyond ``MAX_TRACES``, and beyond ``MAX_BYTES`` all but the newest that fit, at least one.
        """
        self._number += 1
        self._traces.append((replace(summary, id=str(self._number)), body))
        while len(self._traces) > MAX_TRACES or (
            len(self._traces) > 1 and sum(len(body) for _, body in self._traces) > MAX_BYTES
        ):
            self._traces.popleft()

    def explain(self, request_id: str, trace_id: str) -> Explained:
        """The answer to request ``request_id`` with the trace of id ``trace_id`` (empty: the
        newest) and the summaries of all traces, newest first.

        Its ``trace`` is ``None`` if no trace has that id.
        """
        known = tuple(summary for summary, _ in reversed(self._traces))
        for summary, body in reversed(self._traces):
            if trace_id in ("", summary.id):
                explained = unpack(body)
                if isinstance(explained, Explained) and explained.trace is not None:
                    trace = replace(explained.trace, id=summary.id)
                    return Explained(request_id, trace, known)
        return Explained(request_id, None, known)
