"""The traces of the last finished edits, for ``editd explain``."""

from __future__ import annotations

from collections import deque
from dataclasses import replace

from editd.daemon.framing import Packed, unpack
from editd.messages import (
    Explained,
)
from editd.messages.reports import TraceSummary

_MOST_TRACES = 20


_MOST_BYTES = 16 << 20  # of all of them


class Traces:
    """The last finished edits, numbered here: engines come and go."""

    def __init__(self) -> None:
        self._number = 0
        self._kept: deque[tuple[TraceSummary, Packed]] = deque()  # the last one last

    def keep(self, summary: TraceSummary, body: Packed) -> None:
        """Add a trace, and drop the oldest ones to make room."""
        self._number += 1
        self._kept.append((replace(summary, id=str(self._number)), body))
        while len(self._kept) > _MOST_TRACES or (
            len(self._kept) > 1 and sum(len(body) for _, body in self._kept) > _MOST_BYTES
        ):
            self._kept.popleft()

    def explain(self, request_id: str, trace_id: str) -> Explained:
        """The trace of that id (empty: the last one), and which ones are known."""
        known = tuple(summary for summary, _ in reversed(self._kept))
        for summary, body in reversed(self._kept):
            if trace_id in ("", summary.id):
                explained = unpack(body)
                if isinstance(explained, Explained) and explained.trace is not None:
                    trace = replace(explained.trace, id=summary.id)
                    return Explained(request_id, trace, known)
        return Explained(request_id, None, known)
