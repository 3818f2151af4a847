"""The edits of a session: those that run, those whose hunks wait for a decision, and the last answers.

``requests.edit`` runs an edit, ``requests.accept`` and ``requests.reject`` decide on its hunks. Changed on the event
loop only.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from editd.frontends.lsp.methods import EditAnswer, EditToken, RunParams
from editd.frontends.lsp.placed_hunks import DocumentChange, PlacedEdit, State, grown
from editd.messages import EditRequest
from editd.messages.options import Way

MAX_FINISHED = 32  # edits whose hunks wait; beyond that the oldest is forgotten
MAX_ANSWERS = 8  # answers kept for `basedOn`

SeenHunk = tuple[int, State]  # the line and the state that the client was last sent


@dataclass(slots=True)
class Acceptance:
    """Hunks that the client was sent to apply; they are accepted when the document has these ``lines``.

    before: the document's lines until then; when it has them again, by an undo, the hunks are open again.
    arrived: set when the hunks are accepted.
    """

    lines: list[str]
    before: list[str]
    ids: tuple[int, ...]
    arrived: asyncio.Event = field(default_factory=asyncio.Event)


@dataclass(slots=True, eq=False)
class LiveEdit:
    """An edit that runs, or whose hunks wait for a decision.

    quiet: no deltas are sent. answering: its answer is written and not sent yet. keeps: when stopped, finished hunks
    stay. seen: by the id of each hunk that the client knows. announcing: the client is behind, and the new places of
    hunks are sent to it later. applying: an accept waits until the client has applied hunks. accepted: what an undo
    would bring back, the latest last. refines: the edit that this one takes the place of when it has hunks.
    version: of the document that it began with; ``None`` for inline text.
    """

    token: EditToken
    request: EditRequest
    placed: PlacedEdit
    quiet: bool = False
    refines: LiveEdit | None = None
    version: int | None = None
    task: asyncio.Future[EditAnswer] | None = None
    answering: bool = False
    stopped: asyncio.Event = field(default_factory=asyncio.Event)
    stop_reason: str = ""
    keeps: bool = False
    num_deltas: int = 0
    seen: dict[int, SeenHunk] = field(default_factory=dict)
    announcing: bool = False
    acceptance: Acceptance | None = None
    accepted: list[Acceptance] = field(default_factory=list)
    applying: bool = False

    @property
    def uri(self) -> str:
        """The URI of the edited document; empty for inline text."""
        return self.request.document

    @property
    def running(self) -> bool:
        """Whether the answer is still to be written."""
        return self.task is None or not self.task.done()

    @property
    def decided(self) -> bool:
        """Whether the edit has ended and has no open hunks."""
        return not (self.running or self.applying or self.placed.pending())

    def stop(self, reason: str, *, keep: bool = False) -> None:
        """Ask the edit to stop, by setting ``stopped``; its answer will be ``cancelled``, with ``reason``. keep:
        finished hunks stay. No effect if the edit has ended or was asked before.
        """
        if self.running and not self.stopped.is_set():
            self.stop_reason = reason
            self.keeps = keep
            self.stopped.set()

    def drop(self, reason: str) -> None:
        """Ask the edit to stop and to drop its hunks."""
        self.stop(reason)
        self.keeps = False

    def follow(self, change: DocumentChange, lines: Sequence[str]) -> None:
        """Move the hunks along with a change of the document; ``lines``: after it.

        Marks the hunks of the waiting acceptance as accepted, and reports its arrival, if the document has the lines
        that it was to have; else makes those accepted last open again if an undo brought the lines from before back,
        and lets that acceptance wait for a redo.
        """
        self.placed.follow(change, lines)
        acceptance = self.acceptance
        if acceptance is not None and acceptance.lines == lines:
            self.placed.settle(acceptance.ids, "accepted")
            self.acceptance = None
            self.accepted.append(acceptance)
            acceptance.arrived.set()
        elif self.accepted and self.accepted[-1].before == lines:
            self.acceptance = self.accepted.pop()
            self.placed.reopen(self.acceptance.ids, lines)


@dataclass(frozen=True, slots=True)
class LastRun:
    """The last edit of a document in an editor without a plugin, if other ways lead on from it.

    base: the document's lines before the edit. When the document has them again, one of ``ways`` can be taken.
    """

    run: RunParams
    base: Sequence[str]
    ways: tuple[Way, ...]


class EditTable:
    """The live edits, and the answers of the last few."""

    def __init__(self) -> None:
        self._edits: OrderedDict[EditToken, LiveEdit] = OrderedDict()
        self._answers: OrderedDict[EditToken, tuple[EditRequest, str]] = OrderedDict()
        self._answered_lines: dict[EditToken, tuple[int, int]] = {}

    def __iter__(self) -> Iterator[LiveEdit]:
        """The edits, as a copy that may be changed meanwhile."""
        return iter(list(self._edits.values()))

    def get(self, token: EditToken) -> LiveEdit | None:
        """The edit of that token; ``None`` unless it runs or has open hunks."""
        edit = self._edits.get(token)
        return None if edit is None or edit.decided else edit

    def is_being_refined(self, edit: LiveEdit) -> bool:
        """Whether another edit runs that is to take this one's place."""
        return any(
            other.refines is edit and not other.stopped.is_set() for other in self._edits.values()
        )

    def in_document(self, uri: str) -> list[LiveEdit]:
        """The edits of one open document."""
        return [edit for edit in self._edits.values() if edit.uri == uri]

    def add(self, edit: LiveEdit) -> None:
        """Add an edit under its token, in place of an earlier one, which is forgotten; forget the oldest edits that
        have ended beyond ``MAX_FINISHED`` (32) of these.
        """
        self.forget(edit.token)
        self._edits[edit.token] = edit
        finished = [token for token, other in self._edits.items() if not other.running]
        for token in finished[: max(0, len(finished) - MAX_FINISHED)]:
            self.forget(token)

    def forget(self, token: EditToken) -> None:
        """Remove an edit and its hunks; no effect if there is none."""
        self._edits.pop(token, None)

    def forget_edit(self, edit: LiveEdit) -> None:
        """Remove this edit; no effect if its token names another by now."""
        if self._edits.get(edit.token) is edit:
            self.forget(edit.token)

    def forget_if_decided(self, edit: LiveEdit) -> None:
        """Remove an edit if it has ended and has no hunks that are open or that an undo would bring back."""
        if edit.decided and not edit.accepted:
            self.forget_edit(edit)

    def answer_of(self, token: EditToken) -> tuple[EditRequest, str] | None:
        """The request and the new text of a finished edit; ``None`` if it is not among the last ``MAX_ANSWERS``."""
        return self._answers.get(token)

    def answered_lines(self, token: EditToken) -> tuple[int, int] | None:
        """The lines that a finished edit selected, or else that its hunks span, in the document as it is now (0-based,
        end exclusive). ``None`` if its answer is not stored, for inline text, without hunks, and once the document was
        closed.
        """
        return self._answered_lines.get(token)

    def remember_answer(
        self, token: EditToken, request: EditRequest, text: str, lines: tuple[int, int] | None
    ) -> None:
        """Keep an edit's request, new text and lines (``answered_lines``), in place of earlier ones of its token, for
        an edit that refines it; of more than eight the oldest is forgotten.
        """
        self._forget_answer(token)
        self._answers[token] = (request, text)
        if lines is not None:
            self._answered_lines[token] = lines
        while len(self._answers) > MAX_ANSWERS:
            self._forget_answer(next(iter(self._answers)))

    def move_answers(self, uri: str, change: DocumentChange | None) -> None:
        """Move the lines of a document's answers along with a change of it; ``None``: forget the lines, because the
        document was closed.
        """
        for token, lines in list(self._answered_lines.items()):
            if self._answers[token][0].document != uri:
                continue
            if change is None:
                del self._answered_lines[token]
            else:
                self._answered_lines[token] = grown(*lines, change)

    def _forget_answer(self, token: EditToken) -> None:
        """Remove an answer and its lines; no effect if there is none."""
        self._answers.pop(token, None)
        self._answered_lines.pop(token, None)
