"""Progress of a request in the client's own way: LSP's work-done progress."""

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

from editd.frontends.lsp.protocol import Protocol, RequestFailed

_MESSAGE_CHARACTERS = 80
_token_numbers = itertools.count(1)


class WorkDone:
    """Work-done progress of one request, shown by the client.

    token: as the client gave it. ``None``: one is created, which the client may refuse; until it agrees, nothing is
    sent.
    """

    def __init__(self, protocol: Protocol, title: str, token: str | int | None) -> None:
        self.token: str | int = f"editd/{next(_token_numbers)}" if token is None else token
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
        """Send message and percentage, unless they are those of the last report; before the begin, or after the end,
        they are only remembered. fraction: 0 to 1, limited to that, if known.
        """
        percentage = None if fraction is None else round(100 * min(max(fraction, 0.0), 1.0))
        if (message, percentage) == (self._message, self._percentage):
            return
        self._message, self._percentage = message, percentage
        if self._begun and not self._ended:
            self._notify(WorkDoneProgressReport(message=message, percentage=percentage))

    def end(self, message: str = "") -> None:
        """Send the end, with ``message`` unless it is empty, if the begin was sent; nothing is sent afterwards, even
        if the client takes the token later. No effect the second time.
        """
        if self._begun and not self._ended:
            self._notify(WorkDoneProgressEnd(message=message or None))
        self._ended = True

    async def _create(self) -> None:
        """Ask the client to take the token, wait for its answer, and begin if it agrees and the work has not ended;
        if it refuses, nothing is ever sent.
        """
        try:
            await self._protocol.ask(
                WINDOW_WORK_DONE_PROGRESS_CREATE, WorkDoneProgressCreateParams(self.token)
            )
        except RequestFailed:
            return  # the client shows none
        if not self._ended:
            self._begin()

    def _begin(self) -> None:
        """Send the begin, with what was reported before it."""
        self._begun = True
        self._notify(
            WorkDoneProgressBegin(
                title=self._title,
                cancellable=True,
                message=self._message or None,
                percentage=self._percentage,
            )
        )

    def _notify(self, value: Any) -> None:
        """Send a value of ``$/progress``."""
        self._protocol.notify(PROGRESS, ProgressParams(self.token, value))


def title_of(instruction: str) -> str:
    """``editd: `` and the instruction with its white space made single blanks; of an instruction longer than 80
    characters the first 79 and ``…``.
    """
    words = " ".join(instruction.split())
    if len(words) > _MESSAGE_CHARACTERS:
        words = words[: _MESSAGE_CHARACTERS - 1] + "…"
    return f"editd: {words}"
