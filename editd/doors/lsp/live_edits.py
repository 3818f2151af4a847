"""The edits of this editor: those that run, and those with hunks that wait for a decision.

A ``LiveEdit`` is what the server remembers of one edit; ``EditTable`` finds it by token or by
document. ``edit_request`` runs an edit, ``review`` handles its hunks.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from editd.doors.lsp.methods import EditAnswer, EditToken, RunParams
from editd.doors.lsp.rebase import LineChange, PlacedEdit, State
from editd.messages import EditRequest, Way

MAX_FINISHED = 32  # edits whose hunks wait; beyond that the oldest is forgotten
MAX_ANSWERS = 8  # answers kept for `basedOn`

LastSeen = tuple[int, State]  # where the client last saw a hunk


@dataclass(slots=True)
class Acceptance:
    """Hunks that were sent to the client; they are accepted when the document reads ``lines``."""

    lines: list[str]
    ids: tuple[int, ...]
    arrived: asyncio.Event = field(default_factory=asyncio.Event)


@dataclass(slots=True, eq=False)
class LiveEdit:
    """One edit. ``request``: what the engine was asked; ``quiet``: sends no deltas."""

    token: EditToken
    request: EditRequest
    placed: PlacedEdit
    quiet: bool = False
    task: asyncio.Future[EditAnswer] | None = None
    answering: bool = False  # its answer is written and not sent yet
    stopped: asyncio.Event = field(default_factory=asyncio.Event)
    stop_reason: str = ""
    keeps: bool = False  # when stopped: the hunks that are done stay
    num_deltas: int = 0
    told: dict[int, LastSeen] = field(default_factory=dict)
    announcing: bool = False  # the client is behind; it will get the positions of hunks
    acceptance: Acceptance | None = None
    applying: bool = False  # an accept waits for the client to apply hunks

    @property
    def uri(self) -> str:
        """Its document; empty for inline text."""
        return self.request.document

    @property
    def running(self) -> bool:
        """Whether its answer is still to come."""
        return self.task is None or not self.task.done()

    def stop(self, reason: str, *, keep: bool = False) -> None:
        """Cancel it; its answer will say ``cancelled``. keep: keep the hunks that are done."""
        if self.running and not self.stopped.is_set():
            self.stop_reason = reason
            self.keeps = keep
            self.stopped.set()

    def drop(self, reason: str) -> None:
        """End it and drop its hunks, which are no longer moved."""
        self.stop(reason)
        self.keeps = False

    def follow(self, change: LineChange, lines: Sequence[str]) -> None:
        """Its document changed."""
        self.placed.follow(change, lines)
        acceptance = self.acceptance
        if acceptance is not None and acceptance.lines == lines:
            self.placed.settle(acceptance.ids, "accepted")
            self.acceptance = None
            acceptance.arrived.set()


@dataclass(frozen=True, slots=True)
class LastRun:
    """An edit of an editor without a plugin, as long as there are other ways to it.

    base: the document's lines before it. Where they are back, one of ``ways`` can be taken.
    """

    run: RunParams
    base: Sequence[str]
    ways: tuple[Way, ...]


class EditTable:
    """All live edits, and the answers of the last few."""

    def __init__(self) -> None:
        self._edits: OrderedDict[EditToken, LiveEdit] = OrderedDict()
        self._answers: OrderedDict[EditToken, str] = OrderedDict()

    def __iter__(self) -> Iterator[LiveEdit]:
        return iter(list(self._edits.values()))

    def get(self, token: EditToken) -> LiveEdit | None:
        """The edit of that token, if it runs or has open hunks."""
        return self._edits.get(token)

    def in_document(self, uri: str) -> list[LiveEdit]:
        """The edits of one open document."""
        return [edit for edit in self._edits.values() if edit.uri == uri]

    def add(self, edit: LiveEdit) -> None:
        """A new edit; a finished one of the same name is forgotten."""
        self.forget(edit.token)
        self._edits[edit.token] = edit
        finished = [token for token, other in self._edits.items() if not other.running]
        for token in finished[: max(0, len(finished) - MAX_FINISHED)]:
            self.forget(token)

    def forget(self, token: EditToken) -> None:
        """Drop an edit and what is left of its hunks."""
        self._edits.pop(token, None)

    def forget_if_decided(self, edit: LiveEdit) -> None:
        """Drop an edit that has ended and has no open hunks."""
        decided = not (edit.running or edit.applying or edit.placed.pending())
        if decided and self.get(edit.token) is edit:
            self.forget(edit.token)

    def answer_of(self, token: EditToken) -> str | None:
        """The new text that a finished edit wrote, while it is remembered."""
        return self._answers.get(token)

    def remember_answer(self, token: EditToken, text: str) -> None:
        """Keep an edit's new text for one that refines it."""
        self._answers.pop(token, None)
        self._answers[token] = text
        while len(self._answers) > MAX_ANSWERS:
            self._answers.popitem(last=False)
