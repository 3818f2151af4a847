"""The state of this server and its one client, shared by all handlers. Changed on the event loop only."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import Any

from lsprotocol.types import WINDOW_SHOW_MESSAGE, MessageType, ShowMessageParams

from editd.daemon.engine_client import EngineClient
from editd.frontends.lsp import methods
from editd.frontends.lsp.client_features import ClientFeatures
from editd.frontends.lsp.documents import DocumentStore
from editd.frontends.lsp.live_edit import EditTable, LastRun, LiveEdit
from editd.frontends.lsp.protocol import Protocol
from editd.frontends.lsp.session_options import SessionOptions
from editd.frontends.lsp.snapshot import Snapshot
from editd.frontends.lsp.status_board import StatusBoard
from editd.frontends.lsp.trusted_folders import TrustedFolders
from editd.frontends.lsp.work_done import WorkDone
from editd.wording import worded


class Session:
    """The state that handlers share.

    busy: tells whether the client is behind with reading. speaks_editd: the client has used a method of editd's, so
    it knows our notifications. last_runs, applying: by document. progress: by token, how to cancel the work.
    """

    def __init__(self, protocol: Protocol, engine: EngineClient, busy: Callable[[], bool]) -> None:
        self.protocol = protocol
        self.engine = engine
        self.busy = busy
        self.features = ClientFeatures()
        self.options = SessionOptions()
        self.folders = TrustedFolders()
        self.speaks_editd = False
        self.documents = DocumentStore()
        self.edits = EditTable()
        self.last_runs: dict[str, LastRun] = {}
        self.status = StatusBoard(self._notify_status)
        self.progress: dict[str | int, Callable[[], object]] = {}
        self.applying: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)

    def snapshot(self, uri: str = "") -> Snapshot:
        """The state that a request is served from: the document ``uri``, and everything that is set now."""
        return Snapshot(
            self.documents.get(uri),
            self.documents.snapshot(),
            self.options,
            self.features,
            self.folders,
        )

    def lines_of(self, edit: LiveEdit) -> Sequence[str]:
        """The current lines of an edit's document, or the lines of its inline text."""
        document = self.documents.get(edit.uri)
        return document.lines if document else edit.placed.base

    def version_of(self, edit: LiveEdit) -> int | None:
        """The current version of an edit's document; ``None`` if none is open."""
        document = self.documents.get(edit.uri)
        return document.version if document else None

    def notify(self, method: str, params: Any) -> None:
        """Send a notification."""
        self.protocol.notify(method, params)

    def show(self, message: str, kind: MessageType = MessageType.Info) -> None:
        """Show a message to the user, in the words of the editor."""
        shown = worded(message, self.features.door)
        self.notify(WINDOW_SHOW_MESSAGE, ShowMessageParams(kind, shown))

    def begin_work_done(
        self, title: str, token: str | int | None, cancel: Callable[[], object]
    ) -> WorkDone | None:
        """Show work-done progress and return it; ``None``, and nothing is shown, if the client gave no token, and
        does not support progress that a server begins or has switched it off.

        cancel: called when the user cancels the progress; remembered until ``end_work_done``.
        """
        if token is None and not (self.features.progress and self.options.lsp.progress):
            return None
        progress = WorkDone(self.protocol, title, token)
        self.progress[progress.token] = cancel
        return progress

    def end_work_done(self, progress: WorkDone | None, message: str = "") -> None:
        """End the progress, if there is one, with ``message``; forget how to cancel it. No effect the second time."""
        if progress is not None:
            self.progress.pop(progress.token, None)
            progress.end(message)

    def _notify_status(self, status: methods.ServerStatus) -> None:
        """Send ``editd/didChangeStatus`` to a client that knows it."""
        if self.speaks_editd:
            self.notify(methods.DID_CHANGE_STATUS, status)
