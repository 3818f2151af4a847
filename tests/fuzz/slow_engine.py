"""An ``EngineClient`` that takes its time on an injected loop, and knows who is still being served."""

import asyncio

from editd.diff.edits import apply
from editd.diff.hunk import Hunk
from editd.errors import DaemonUnreachable, ModelDamaged
from editd.messages import (
    CompleteResult,
    EditRequest,
    EditResult,
    Progress,
    StatusReport,
    TextDelta,
)
from editd.messages.reports import Stats
from tests.injected_time import LOAD, UNIT

WORDS = ["one ", "é ", "😀", "\n", "five"]


class SlowEngine:
    """A completion is ``WORDS``, a unit each; an edit writes its lines in upper case.

    open: the requests that somebody waits for. reachable: whether there is a daemon. broken: it
    answers all with an error.
    """

    def __init__(self):
        self.open = 0
        self.reachable = True
        self.broken = False

    async def _begin(self, seconds):
        if not self.reachable:
            raise DaemonUnreachable("No daemon runs.")
        await asyncio.sleep(seconds)
        if self.broken:
            raise ModelDamaged("The model is damaged.")

    def ask(self, request):
        """What an ``EngineClient`` is asked."""
        is_edit = isinstance(request, EditRequest)
        return self._edit(request) if is_edit else self._complete(request)

    async def _complete(self, request):
        self.open += 1
        try:
            await self._begin(UNIT)
            for word in WORDS:
                await asyncio.sleep(UNIT)
                if request.stream:
                    yield TextDelta(request.request_id, word)
            yield CompleteResult(request.request_id, "stop", "".join(WORDS), stats=Stats())
        finally:
            self.open -= 1

    async def _edit(self, request):
        self.open += 1
        try:
            yield Progress(request.request_id, "loading", "Loading")
            await self._begin(LOAD)
            lines = request.text.splitlines(keepends=True)
            start, end = request.start_line or 0, request.end_line or len(lines)
            hunks = tuple(
                Hunk(i + 1, i, 1, (lines[i].upper(),))
                for i in range(start, end)
                if lines[i] != lines[i].upper()
            )
            yield EditResult(
                request.request_id,
                "stop",
                text=apply(hunks, request.text),
                hunks=hunks,
                stats=Stats(written_by="model"),
            )
        finally:
            self.open -= 1

    async def status(self):
        if not self.reachable:
            raise DaemonUnreachable("No daemon runs.")
        return StatusReport("s", "busy" if self.open else "idle", "0", 1, 2.0)
