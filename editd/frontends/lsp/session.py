"""The shared state of this server and its one client: its edits, and how the user is told how things stand.

A ``LiveEdit`` is what the server remembers of one edit that runs, or whose hunks wait for a decision;
``EditTable`` finds it by token or by document. ``edit_request`` runs an edit, ``review`` handles its hunks.
Changed on the event loop only.
"""

from __future__ import annotations

import asyncio
import dataclasses
import itertools
from collections import OrderedDict, defaultdict
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from lsprotocol.types import (
    PROGRESS,
    WINDOW_SHOW_MESSAGE,
    WINDOW_WORK_DONE_PROGRESS_CREATE,
    MessageType,
    ProgressParams,
    ShowMessageParams,
    WorkDoneProgressBegin,
    WorkDoneProgressCreateParams,
    WorkDoneProgressEnd,
    WorkDoneProgressReport,
)

from editd.daemon.engine_client import EngineClient
from editd.frontends.lsp import methods
from editd.frontends.lsp.documents import DocumentStore
from editd.frontends.lsp.initialization import ClientFeatures, SessionOptions, TrustedFolders
from editd.frontends.lsp.methods import EditAnswer, EditToken, RunParams, ServerStatus
from editd.frontends.lsp.protocol import Protocol, RequestFailed
from editd.frontends.lsp.rebase import LineChange, PlacedEdit, State
from editd.messages import EditRequest, Progress, StatusReport
from editd.messages.options import Way

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


class StatusBoard:
    """The present status. ``tell`` is called with it whenever it has changed."""

    def __init__(self, tell: Callable[[ServerStatus], None]) -> None:
        self.current = ServerStatus("stopped")
        self._tell = tell
        self._running: dict[Hashable, ServerStatus] = {}
        self._model = ""

    def began(self, work: Hashable) -> None:
        """An edit or warm-up was sent to the daemon."""
        self._running[work] = ServerStatus("starting")
        self._update()

    def progress(self, work: Hashable, progress: Progress) -> None:
        """It has made progress."""
        loads = progress.stage == "loading"
        self._running[work] = ServerStatus(
            "loading" if loads else "busy",
            message=progress.message,
            queue=progress.queue_position or 0,
            fraction=progress.fraction if loads else None,
        )
        self._update()

    def working(self, work: Hashable) -> None:
        """Its answer has begun to come."""
        if self._running.get(work) != _WORKING:
            self._running[work] = _WORKING
            self._update()

    def ended(self, work: Hashable, model: str = "", error: str = "") -> None:
        """It has ended; ``error``: the sentence for the user if editd itself failed."""
        self._running.pop(work, None)
        self._model = model or self._model
        self._update(ServerStatus("error", message=error) if error else ServerStatus("idle"))

    def with_report(self, report: StatusReport | None) -> ServerStatus:
        """The status as an answer, with the daemon's own; ``None``: no daemon."""
        if report is None:
            return self.current if self._running else ServerStatus("stopped", self._model)
        status = self.current
        if not self._running:
            state: Any = {"stopping": "stopped"}.get(report.state, report.state)
            loaded = report.models[0] if report.models else None
            status = ServerStatus(
                state,
                model=self._model or (loaded.name if loaded else ""),
                message=report.message,
                queue=report.queue,
                fraction=loaded.fraction if loaded and state == "loading" else None,
            )
        daemon = dataclasses.asdict(report)
        del daemon["request_id"]
        return dataclasses.replace(status, daemon=daemon)

    def _update(self, at_rest: ServerStatus | None = None) -> None:
        """Show the work that has advanced furthest, else ``at_rest``."""
        order = ("busy", "loading", "starting")
        running = sorted(self._running.values(), key=lambda s: (order.index(s.state), s.queue))
        status = running[0] if running else at_rest or self.current
        status = dataclasses.replace(status, model=self._model)
        if status != self.current:
            self.current = status
            self._tell(status)


_WORKING = ServerStatus("busy")


class Session:
    """The state that handlers share; ``busy`` says whether the client is behind with reading."""

    def __init__(self, protocol: Protocol, engine: EngineClient, busy: Callable[[], bool]) -> None:
        self.protocol = protocol
        self.engine = engine
        self.busy = busy
        self.features = ClientFeatures()
        self.options = SessionOptions()
        self.workspace = TrustedFolders()
        self.speaks_editd = False  # has used an editd method, so it knows our notifications
        self.documents = DocumentStore()
        self.edits = EditTable()
        self.last_runs: dict[str, LastRun] = {}  # by document
        self.status = StatusBoard(self._tell_status)
        self.progress: dict[str | int, Callable[[], object]] = {}  # by token: how to cancel it
        self.applying: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)  # by document

    def lines_of(self, edit: LiveEdit) -> Sequence[str]:
        """The lines of an edit's document as it is now, or of its inline text."""
        document = self.documents.get(edit.uri)
        return document.lines if document else edit.placed.base

    def version_of(self, edit: LiveEdit) -> int | None:
        """The version of an edit's document now; ``None`` without one."""
        document = self.documents.get(edit.uri)
        return document.version if document else None

    def project_of(self, uri: str) -> str:
        """The trusted project of a file, if projects may be drafted from; else empty."""
        return self.workspace.trusted_root(uri) if self.options.config.edit.workspace else ""

    def notify(self, method: str, params: Any) -> None:
        """Send a notification."""
        self.protocol.notify(method, params)

    def show(self, message: str, kind: MessageType = MessageType.Info) -> None:
        """Show a message to the user."""
        self.notify(WINDOW_SHOW_MESSAGE, ShowMessageParams(kind, message))

    def work_done(
        self, title: str, token: str | int | None, cancel: Callable[[], object]
    ) -> WorkDone | None:
        """Progress in the client's own way, if it has one and wants it."""
        if token is None and not (self.features.progress and self.options.lsp.progress):
            return None
        progress = WorkDone(self.protocol, title, token)
        self.progress[progress.token] = cancel
        return progress

    def end_work_done(self, progress: WorkDone | None, message: str = "") -> None:
        """End the progress; does nothing the second time."""
        if progress is not None:
            self.progress.pop(progress.token, None)
            progress.end(message)

    def _tell_status(self, status: methods.ServerStatus) -> None:
        if self.speaks_editd:
            self.notify(methods.DID_CHANGE_STATUS, status)


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
