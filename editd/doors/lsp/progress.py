"""Work-done progress of one edit: begun at most once, and if begun ended exactly once."""

from __future__ import annotations

import asyncio
import itertools
from typing import Any

from lsprotocol.types import (
    PROGRESS,
    WINDOW_WORK_DONE_PROGRESS_CREATE,
    ProgressParams,
    WorkDoneProgressBegin,
    WorkDoneProgressCreateParams,
    WorkDoneProgressEnd,
    WorkDoneProgressReport,
)

from editd.doors.lsp.protocol import Protocol, RequestFailed

_MESSAGE_CHARACTERS = 80
_count = itertools.count(1)


class WorkDone:
    """Shows the progress of an edit in the client's own way.

    The client's token is used if it gave one; else one is created, which the client may refuse,
    and until it has agreed nothing is shown.
    """

    def __init__(self, protocol: Protocol, title: str, token: str | int | None) -> None:
        self.token: str | int = f"editd/{next(_count)}" if token is None else token
        self._protocol = protocol
        self._title = title
        self._message = ""
        self._percentage: int | None = None
        self._begun = False
        self._ended = False
        self._creating: asyncio.Task[None] | None = None
        if token is None:
            self._creating = asyncio.ensure_future(self._create())
        else:
            self._begin()

    def report(self, message: str, fraction: float | None = None) -> None:
        """Report progress, unless it is what was reported last."""
        percentage = None if fraction is None else round(100 * min(max(fraction, 0.0), 1.0))
        if (message, percentage) == (self._message, self._percentage):
            return
        self._message, self._percentage = message, percentage
        if self._begun and not self._ended:
            self._tell(WorkDoneProgressReport(message=message, percentage=percentage))

    def end(self, message: str = "") -> None:
        """End the progress."""
        if self._begun and not self._ended:
            self._tell(WorkDoneProgressEnd(message=message or None))
        self._ended = True

    async def _create(self) -> None:
        try:
            await self._protocol.ask(
                WINDOW_WORK_DONE_PROGRESS_CREATE, WorkDoneProgressCreateParams(self.token)
            )
        except RequestFailed:
            return  # the client wants none
        if not self._ended:
            self._begin()

    def _begin(self) -> None:
        self._begun = True
        self._tell(
            WorkDoneProgressBegin(
                title=self._title,
                cancellable=True,
                message=self._message or None,
                percentage=self._percentage,
            )
        )

    def _tell(self, value: Any) -> None:
        self._protocol.notify(PROGRESS, ProgressParams(self.token, value))


def title_of(instruction: str) -> str:
    """``editd: `` and the instruction's beginning, on one line."""
    words = " ".join(instruction.split())
    if len(words) > _MESSAGE_CHARACTERS:
        words = words[: _MESSAGE_CHARACTERS - 1] + "…"
    return f"editd: {words}"
