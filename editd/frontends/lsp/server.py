"""The language server: its routes, its capabilities, its start and end.

One process per editor, over standard input and output. It never loads torch: edits are done by the daemon, through
one ``EngineClient``. A request is in the file of ``requests`` with its method's last name, a notification in
``notifications``.
"""

from __future__ import annotations

import asyncio
import contextlib
import functools
import logging
import os
import sys
import threading
from collections.abc import Callable
from typing import Any

from lsprotocol import types

from editd import __version__, interrupts
from editd.daemon.engine_client import EngineClient
from editd.errors import EditdError
from editd.frontends.lsp import methods, notifications
from editd.frontends.lsp.client_features import ClientFeatures
from editd.frontends.lsp.protocol import Phase, Protocol, Route
from editd.frontends.lsp.requests.accept import accept
from editd.frontends.lsp.requests.cancel import cancel
from editd.frontends.lsp.requests.code_action import code_action
from editd.frontends.lsp.requests.code_action_resolve import code_action_resolve
from editd.frontends.lsp.requests.complete import complete
from editd.frontends.lsp.requests.edit import edit
from editd.frontends.lsp.requests.execute_command import COMMANDS, execute_command
from editd.frontends.lsp.requests.mentions import mentions
from editd.frontends.lsp.requests.presets import presets
from editd.frontends.lsp.requests.reject import reject
from editd.frontends.lsp.requests.status import status
from editd.frontends.lsp.requests.warmup import warmup
from editd.frontends.lsp.session import Session
from editd.frontends.lsp.stdio import StdioTransport
from editd.frontends.lsp.trusted_folders import TrustedFolders
from editd.frontends.worded_client import WordedClient

LOG_VARIABLE = "EDITD_LSP_LOG"  # debug, info, warning or error; to standard error, never with texts
_POLL_SECONDS = 1.0
_FIRST_PARENT = os.getppid()  # of this process; the present one is another when that has died

Handler = Callable[[Session, Any], Any]

HANDLERS: dict[str, tuple[Handler, Any]] = {
    methods.EDIT: (edit, methods.EditParams),
    methods.ACCEPT: (accept, methods.AcceptParams),
    methods.REJECT: (reject, methods.RejectParams),
    methods.CANCEL: (cancel, methods.CancelParams),
    methods.WARMUP: (warmup, methods.WarmupParams),
    methods.COMPLETE: (complete, None),
    methods.MENTIONS: (mentions, methods.MentionsParams),
    methods.PRESETS: (presets, methods.NoParams),
    methods.STATUS: (status, methods.NoParams),
    methods.WORKSPACE: (notifications.workspace, methods.WorkspaceParams),
    types.TEXT_DOCUMENT_CODE_ACTION: (code_action, types.CodeActionParams),
    types.CODE_ACTION_RESOLVE: (code_action_resolve, types.CodeAction),
    types.WORKSPACE_EXECUTE_COMMAND: (execute_command, types.ExecuteCommandParams),
    types.TEXT_DOCUMENT_DID_OPEN: (notifications.did_open, types.DidOpenTextDocumentParams),
    types.TEXT_DOCUMENT_DID_CHANGE: (notifications.did_change, types.DidChangeTextDocumentParams),
    types.TEXT_DOCUMENT_DID_CLOSE: (notifications.did_close, types.DidCloseTextDocumentParams),
    types.WORKSPACE_DID_CHANGE_CONFIGURATION: (
        notifications.did_change_configuration,
        types.DidChangeConfigurationParams,
    ),
    types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS: (
        notifications.did_change_workspace_folders,
        types.DidChangeWorkspaceFoldersParams,
    ),
    types.WINDOW_WORK_DONE_PROGRESS_CANCEL: (
        notifications.work_done_progress_cancel,
        types.WorkDoneProgressCancelParams,
    ),
}
"""By method, its handler and the type of its params; ``None``: they are not checked before."""


def _make_client() -> EngineClient:
    """Make a client that plans edits in this process and computes those that need no model, by the user's settings,
    which are read now; others go to this user's daemon. Connects to nothing yet.
    """
    from editd.config_sources import resolve
    from editd.daemon.client import SocketEngineClient
    from editd.frontends.planning_client import PlanningClient

    async def connect() -> EngineClient:
        return SocketEngineClient(client="lsp")

    config = resolve().config
    return PlanningClient(connect, words_first=config.edit.words, checks=config.checks)


def main(make_client: Callable[[], EngineClient] = _make_client) -> None:
    """``editd lsp``: serve one editor over standard input and output, then exit the process (``SystemExit``), with 0
    after ``shutdown`` and else 1. Sets up logging to standard error; from then on standard output prints there, too.
    """
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
    """Serve one client over two file descriptors until it leaves, then disconnect from the engine and send what is
    queued; returns the exit code.
    """
    transport = StdioTransport(input_fd, output_fd)
    server = LanguageServer(transport, make_client())
    transport.start(server.protocol.receive, server.exit)
    code = await server.left
    await server.close()
    await transport.close()
    return code


class LanguageServer:
    """The conversation with the editor, from ``initialize`` to ``exit``. left: the exit code, when it is over."""

    def __init__(self, transport: StdioTransport, engine: EngineClient) -> None:
        self.protocol = Protocol()
        self.session = Session(self.protocol, engine, lambda: transport.busy)
        self.left: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        self._watching: asyncio.Task[None] | None = None
        self._warnings: list[str] = []  # about options, not shown yet
        self.protocol.connect(transport.send, self._routes())

    def _routes(self) -> dict[str, Route]:
        """The handlers bound to this session, and those of the conversation's beginning and end."""
        routes = {
            method: Route(functools.partial(self._handle, method, handler), params)
            for method, (handler, params) in HANDLERS.items()
        }
        return {
            **routes,
            types.INITIALIZE: Route(self.initialize),
            types.INITIALIZED: Route(self.initialized),
            types.SHUTDOWN: Route(self.shutdown),
            types.EXIT: Route(self.exit),
        }

    def _handle(self, method: str, handler: Handler, params: Any) -> Any:
        """Call a handler and return its result; for a method of editd's (but ``editd/workspace``) first set
        ``speaks_editd`` in the session: the client uses these.
        """
        if method.startswith("editd/") and method != methods.WORKSPACE:
            self.session.speaks_editd = True
        return handler(self.session, params)

    # --- beginning and end -----------------------------------------------------------------------

    def initialize(self, params: Any) -> types.InitializeResult:
        """Read the client's capabilities, options and folders, unchecked, into the session, and keep warnings about
        them for later; returns what this server offers. Begins to watch the editor's process, if ``processId`` names
        it. From now on other requests are taken.
        """
        params = params if isinstance(params, dict) else {}
        session = self.session
        session.features = ClientFeatures.of(params.get("capabilities"), params.get("clientInfo"))
        session.engine = WordedClient(session.engine, session.features.door)
        session.folders = TrustedFolders.of(params)
        self._warnings = notifications.set_options(session, params.get("initializationOptions"))
        session.documents.encoding = session.features.encoding
        session.speaks_editd = session.features.speaks_editd
        process_id = params.get("processId")
        if isinstance(process_id, int):
            self._watching = asyncio.ensure_future(watch_parent(process_id, self.exit))
        self.protocol.phase = Phase.RUNNING
        return types.InitializeResult(capabilities(session), types.ServerInfo("editd", __version__))

    def initialized(self, _: Any) -> None:
        """Show the warnings about options, which the client could not take before. Begin to import what the first edit needs."""
        notifications.show_warnings(self.session, self._warnings)
        self._warnings = []
        from editd.frontends.planning_client import load_planning

        threading.Thread(target=load_planning, daemon=True).start()

    def shutdown(self, _: Any) -> None:
        """Ask all edits to stop. From now on requests are answered with an error, and of notifications only ``exit``
        and ``$/cancelRequest`` have an effect.
        """
        self.protocol.phase = Phase.SHUT_DOWN
        for live in self.session.edits:
            live.stop("The editor is exiting.")

    def exit(self, _: Any = None) -> None:
        """Set ``left``, because the client sent ``exit``, has ended, or has closed our input instead."""
        if not self.left.done():
            self.left.set_result(0 if self.protocol.phase is Phase.SHUT_DOWN else 1)

    async def close(self) -> None:
        """Stop watching the editor's process, and disconnect from the daemon, which cancels this editor's running
        edits; raises neither ``EditdError`` nor ``OSError``.
        """
        if self._watching is not None:
            self._watching.cancel()
        with contextlib.suppress(EditdError, OSError):
            await self.session.engine.aclose()


def capabilities(session: Session) -> types.ServerCapabilities:
    """The capabilities that this server declares to this client; code actions only if they are switched on."""
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
            commands=list(COMMANDS), work_done_progress=True
        ),
        workspace=types.WorkspaceOptions(
            workspace_folders=types.WorkspaceFoldersServerCapabilities(
                supported=True, change_notifications=True
            )
        ),
        experimental={"editd": {"schemaVersion": methods.SCHEMA_VERSION}},
    )


async def watch_parent(process_id: int, on_end: Callable[[], None]) -> None:
    """Wait until the editor's process has ended, then call ``on_end``, if ``process_id`` is the process that started
    this one; looks again and again.

    Returns at once for any other: in a container, or at the other end of a remote connection, the same number is
    another process or none, and the end of standard input is the sign.
    """
    if process_id != _FIRST_PARENT:
        return
    while os.getppid() == _FIRST_PARENT:  # noqa: ASYNC110  the end of a stranger is no event
        await asyncio.sleep(_POLL_SECONDS)
    on_end()
