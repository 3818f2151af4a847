"""The shared state of this server and its one client. Changed on the event loop only."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import Any

from lsprotocol.types import WINDOW_SHOW_MESSAGE, MessageType, ShowMessageParams

from editd.daemon.engine_client import EngineClient
from editd.doors.lsp import methods
from editd.doors.lsp.client_features import ClientFeatures
from editd.doors.lsp.documents import DocumentStore
from editd.doors.lsp.live_edits import EditTable, LastRun, LiveEdit
from editd.doors.lsp.options import SessionOptions
from editd.doors.lsp.progress import WorkDone
from editd.doors.lsp.protocol import Protocol
from editd.doors.lsp.status import StatusBoard
from editd.doors.lsp.workspace import Workspace


class Session:
    """The state that handlers share; ``busy`` says whether the client is behind with reading."""

    def __init__(self, protocol: Protocol, engine: EngineClient, busy: Callable[[], bool]) -> None:
        self.protocol = protocol
        self.engine = engine
        self.busy = busy
        self.features = ClientFeatures()
        self.options = SessionOptions()
        self.workspace = Workspace()
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
        return document.lines if document else edit.base

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
