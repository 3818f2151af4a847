"""The shape of an output. Most need only ``finished``."""

from __future__ import annotations

from editd.diff.marks import notes
from editd.doors.cli.console import say
from editd.doors.cli.figures import doubts
from editd.doors.cli.inputs import Source
from editd.errors import EditdError
from editd.messages import Delta, EditResult, Progress


class Output:
    """Told everything about each edit in turn; sentences about errors are said elsewhere.

    together: nothing is handed out before all are done.
    """

    together = False

    def started(self, source: Source) -> None:
        """An edit of ``source`` is about to be requested."""

    def progress(self, progress: Progress) -> None:
        """How it fares before its first hunk."""

    def delta(self, delta: Delta) -> None:
        """More of the change is known."""

    def finished(self, source: Source, result: EditResult, new_text: str) -> int:
        """It is done; the exit code. May refuse by raising ``EditdError``; ``failed`` follows."""
        raise NotImplementedError

    def failed(self, given: str, error: EditdError, result: EditResult | None) -> None:
        """It is not done; ``result`` is the answer if there was one."""

    def concluded(self, *, failed: bool) -> int:  # noqa: ARG002
        """Each edit is done, or some ``failed``; the exit code. May raise ``EditdError``."""
        return 0

    def close(self) -> None:
        """Nothing more comes."""


def warn_of_doubts(result: EditResult) -> None:
    """Say which parts of an answer that is handed out are suspect, and what is to be noted."""
    for notice in result.notices:
        say(f"note: {notice}")
    for note in notes(result.hunks):
        say(f"note: {note}")
    for doubt in doubts(result):
        say(f"suspect: {doubt}")
