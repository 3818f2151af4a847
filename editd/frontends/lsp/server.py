"""The language server: its capabilities, its handlers, its start and end.

One process per editor, over standard input and output. It never loads torch: edits are done by
the daemon, through one ``EngineClient``.
"""

from __future__ import annotations

import asyncio
import contextlib
import functools
import logging
import os
import sys
from collections.abc import Awaitable, Callable, Mapping
from typing import Any
from uuid import uuid4

from lsprotocol import types
from pygls.exceptions import JsonRpcInvalidParams

from editd import __version__, interrupts
from editd.daemon.engine_client import EngineClient, refuse_half_characters
from editd.errors import DaemonUnreachable, EditdError
from editd.frontends.lsp import actions, complete, edit_request, methods, review
from editd.frontends.lsp.edit_request import source_of
from editd.frontends.lsp.initialization import ClientFeatures, SessionOptions, merged
from editd.frontends.lsp.methods import (
    PresetList,
    ServerStatus,
    WarmupAnswer,
    WarmupParams,
)
from editd.frontends.lsp.protocol import Phase, Protocol, Route
from editd.frontends.lsp.session import Session
from editd.frontends.lsp.stdio import StdioTransport
from editd.messages import Progress, WarmupRequest
from editd.outcome import outcome_of

LOG_VARIABLE = "EDITD_LSP_LOG"  # debug, info, warning or error; to standard error, never with texts


def _client_of_daemon() -> EngineClient:
    from editd.daemon.client import SocketEngineClient
    from editd.frontends.planning_client import PlanningClient
    from editd.settings import resolve

    async def connect() -> EngineClient:
        return SocketEngineClient(client="lsp")

    return PlanningClient(connect, words_first=resolve().config.edit.words)


def main(make_client: Callable[[], EngineClient] = _client_of_daemon) -> None:
    """``editd lsp``: serve one editor, then exit as LSP says: 0 after shutdown, else 1."""
    level = os.environ.get(LOG_VARIABLE, "").upper()
    logging.basicConfig(
        stream=sys.stderr,
        level=logging.getLevelNamesMapping().get(level, logging.WARNING),
        format="%(levelname)s %(name)s: %(message)s",
    )
    # Standard output belongs to the protocol: what a library prints goes to standard error.
    output = os.dup(1)
    os.dup2(2, 1)
    sys.exit(interrupts.run(serve(0, output, make_client)))


async def serve(input_fd: int, output_fd: int, make_client: Callable[[], EngineClient]) -> int:
    """Serve one client over two file descriptors; returns the exit code."""
    transport = StdioTransport(input_fd, output_fd)
    server = LanguageServer(transport, make_client())
    transport.start(server.protocol.receive, server.exit)
    code = await server.left
    await server.close()
    await transport.close()
    return code


class LanguageServer:
    """One conversation with one editor, from ``initialize`` to ``exit``."""

    def __init__(self, transport: StdioTransport, engine: EngineClient) -> None:
        self.protocol = Protocol()
        self.session = Session(self.protocol, engine, lambda: transport.busy)
        self.left: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        self._watching: asyncio.Task[None] | None = None
        self._warnings: list[str] = []  # about options, not yet shown
        self.protocol.connect(transport.send, self._routes())

    def _routes(self) -> dict[str, Route]:
        """The table of handlers: method → who handles it, and the type of its params."""
        of_session: dict[str, tuple[Callable[[Session, Any], Any], Any]] = {
            methods.EDIT: (edit_request.edit, methods.EditParams),
            methods.ACCEPT: (review.accept, methods.AcceptParams),
            methods.REJECT: (review.reject, methods.RejectParams),
            methods.CANCEL: (review.cancel, methods.CancelParams),
            methods.WARMUP: (warmup, methods.WarmupParams),
            methods.COMPLETE: (complete.complete, None),
            methods.PRESETS: (presets, methods.NoParams),
            methods.STATUS: (status_request, methods.NoParams),
            types.TEXT_DOCUMENT_CODE_ACTION: (actions.code_actions, types.CodeActionParams),
            types.CODE_ACTION_RESOLVE: (actions.resolve, types.CodeAction),
            types.WORKSPACE_EXECUTE_COMMAND: (actions.execute_command, types.ExecuteCommandParams),
        }
        return {
            **{
                method: Route(functools.partial(self._handle, method, handler), params)
                for method, (handler, params) in of_session.items()
            },
            methods.WORKSPACE: Route(self.trust, methods.WorkspaceParams),
            types.INITIALIZE: Route(self.initialize),
            types.INITIALIZED: Route(self.initialized),
            types.SHUTDOWN: Route(self.shutdown),
            types.EXIT: Route(self.exit),
            types.WORKSPACE_DID_CHANGE_CONFIGURATION: Route(
                self.did_change_configuration, types.DidChangeConfigurationParams
            ),
            types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS: Route(
                self.did_change_folders, types.DidChangeWorkspaceFoldersParams
            ),
            types.TEXT_DOCUMENT_DID_OPEN: Route(self.did_open, types.DidOpenTextDocumentParams),
            types.TEXT_DOCUMENT_DID_CHANGE: Route(
                self.did_change, types.DidChangeTextDocumentParams
            ),
            types.TEXT_DOCUMENT_DID_CLOSE: Route(self.did_close, types.DidCloseTextDocumentParams),
            types.WINDOW_WORK_DONE_PROGRESS_CANCEL: Route(
                self.cancel_progress, types.WorkDoneProgressCancelParams
            ),
        }

    def _handle(self, method: str, handler: Callable[[Session, Any], Any], params: Any) -> Any:
        if method.startswith("editd/"):
            self.session.speaks_editd = True
        return handler(self.session, params)

    # --- beginning and end -----------------------------------------------------------------------

    def initialize(self, params: Any) -> types.InitializeResult:
        """Read the client's capabilities and options."""
        params = params if isinstance(params, dict) else {}
        session = self.session
        session.features = ClientFeatures.of(params.get("capabilities"))
        session.workspace.open(params)
        self._set(params.get("initializationOptions"))
        session.documents.encoding = session.features.encoding
        session.speaks_editd = session.features.speaks_editd
        process_id = params.get("processId")
        if isinstance(process_id, int):
            self._watching = asyncio.ensure_future(watch_parent(process_id, self.exit))
        self.protocol.phase = Phase.RUNNING
        return types.InitializeResult(capabilities(session), types.ServerInfo("editd", __version__))

    def initialized(self, _: Any) -> None:
        """The client can now be told about errors in its options."""
        for warning in self._warnings:
            self.session.show(warning, types.MessageType.Warning)
        self._warnings = []

    def _set(self, options: object) -> None:
        """Take the client's options; errors in them are reported once the client can show them."""
        session = self.session
        session.options = SessionOptions.of(options)
        self._warnings += session.options.warnings
        if session.options.workspace is not None:
            try:
                session.workspace.trust(session.options.workspace)
            except ValueError as error:
                self._warnings.append(f"initialization options: workspace.{error}; it is ignored.")

    def did_change_configuration(self, params: types.DidChangeConfigurationParams) -> None:
        """The user changed settings while the editor runs; settings of other servers are ignored."""
        settings = params.settings
        if isinstance(settings, Mapping) and isinstance(settings.get("editd"), Mapping):
            self._set(settings["editd"])
            self.initialized(None)

    def trust(self, params: methods.WorkspaceParams) -> None:
        """The user began or ceased to trust a project."""
        try:
            self.session.workspace.trust(params)
        except ValueError as error:
            raise JsonRpcInvalidParams(f"params.{error}.") from None

    def did_change_folders(self, params: types.DidChangeWorkspaceFoldersParams) -> None:
        """The user opened or closed folders."""
        event = params.event
        self.session.workspace.change(
            [folder.uri for folder in event.added], [folder.uri for folder in event.removed]
        )

    def shutdown(self, _: Any) -> None:
        """Stop everything; only ``exit`` may follow."""
        self.protocol.phase = Phase.SHUT_DOWN
        for live in self.session.edits:
            live.stop("The editor is exiting.")

    def exit(self, _: Any = None) -> None:
        """Leave: the client said so, is gone, or has closed our input instead."""
        if not self.left.done():
            self.left.set_result(0 if self.protocol.phase is Phase.SHUT_DOWN else 1)

    async def close(self) -> None:
        """Disconnect from the daemon, which cancels this editor's running edits."""
        if self._watching is not None:
            self._watching.cancel()
        with contextlib.suppress(EditdError, OSError):
            await self.session.engine.aclose()

    # --- documents -------------------------------------------------------------------------------

    def did_open(self, params: types.DidOpenTextDocumentParams) -> None:
        """A document was opened; hunks from before it was closed are dropped."""
        self._forget_edits(params.text_document.uri, "The document was opened anew.")
        self.session.documents.open(params.text_document)

    def did_change(self, params: types.DidChangeTextDocumentParams) -> None:
        """A document changed: its hunks move along, and the client gets their new places."""
        uri, version = params.text_document.uri, params.text_document.version
        edits = self.session.edits.in_document(uri)

        def follow(change: Any, lines: Any) -> None:
            for live in edits:
                live.follow(change, lines)

        self.session.documents.change(uri, version, params.content_changes, follow)
        for live in edits:
            review.announce(self.session, live)
            self.session.edits.forget_if_decided(live)

    def did_close(self, params: types.DidCloseTextDocumentParams) -> None:
        """A document was closed; its hunks can no longer be accepted."""
        self._forget_edits(params.text_document.uri, "The document was closed.")
        self.session.documents.close(params.text_document.uri)
        self.session.applying.pop(params.text_document.uri, None)
        self.session.last_runs.pop(params.text_document.uri, None)

    def cancel_progress(self, params: types.WorkDoneProgressCancelParams) -> None:
        """The user cancelled where the editor shows progress."""
        cancel = self.session.progress.get(params.token)
        if cancel is not None:
            cancel()

    def _forget_edits(self, uri: str, reason: str) -> None:
        for live in self.session.edits.in_document(uri):
            live.drop(reason)
            self.session.edits.forget(live.token)


def capabilities(session: Session) -> types.ServerCapabilities:
    """What this server offers to this client."""
    kinds = [f"{methods.CODE_ACTION_KIND}.{name}" for name in session.options.presets]
    kinds.append(methods.ANOTHER_WAY_KIND)
    return types.ServerCapabilities(
        position_encoding=types.PositionEncodingKind(session.features.encoding),
        text_document_sync=types.TextDocumentSyncOptions(
            open_close=True, change=types.TextDocumentSyncKind.Incremental
        ),
        code_action_provider=types.CodeActionOptions(
            code_action_kinds=kinds, resolve_provider=True, work_done_progress=True
        )
        if session.options.lsp.code_actions
        else None,
        execute_command_provider=types.ExecuteCommandOptions(
            commands=list(actions.COMMANDS), work_done_progress=True
        ),
        workspace=types.WorkspaceOptions(
            workspace_folders=types.WorkspaceFoldersServerCapabilities(
                supported=True, change_notifications=True
            )
        ),
        experimental={"editd": {"schemaVersion": methods.SCHEMA_VERSION}},
    )


def warmup(session: Session, params: WarmupParams) -> Awaitable[WarmupAnswer]:
    """Handler of ``editd/warmup``. In the daemon's queue, a newer warm-up replaces an older one."""
    _, source = source_of(session, params)
    request = WarmupRequest(
        request_id=uuid4().hex,
        **source,
        options=merged(session.options.requests, params.options),
    )
    return _warmup(session, request)


async def status_request(session: Session, _: Any) -> ServerStatus:
    """Handler of ``editd/status``."""
    try:
        report = await session.engine.status()
    except DaemonUnreachable:
        return session.status.with_report(None)
    return session.status.with_report(report)


def presets(session: Session, _: Any) -> PresetList:
    """Handler of ``editd/presets``."""
    return PresetList(tuple(session.options.presets.values()))


async def _warmup(session: Session, request: WarmupRequest) -> WarmupAnswer:
    def on_progress(progress: Progress) -> None:
        session.status.progress(request.request_id, progress)

    error = ""
    session.status.began(request.request_id)
    try:
        refuse_half_characters(request)
        await session.engine.warmup(request, on_progress)
    except EditdError as failure:
        if outcome_of(failure).answer_status == "cancelled":
            return WarmupAnswer("cancelled", str(failure))
        error = str(failure)
        return WarmupAnswer("failed", error)
    finally:
        session.status.ended(request.request_id, error=error)
    return WarmupAnswer("warm")


_POLL_SECONDS = 1.0
_FIRST_PARENT = os.getppid()  # of this process; the present one is another when that has died


async def watch_parent(process_id: int, gone: Callable[[], None]) -> None:
    """Call ``gone`` when the editor's process has ended, if it is the one that started this process.

    Any other is not watched: in a container, or at the other end of a remote connection, the same number is
    another process or none. There, the end of standard input is the sign.
    """
    if process_id != _FIRST_PARENT:
        return
    while os.getppid() == _FIRST_PARENT:  # noqa: ASYNC110  the end of a stranger is no event
        await asyncio.sleep(_POLL_SECONDS)
    gone()
