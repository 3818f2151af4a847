"""The notifications that the client sends while it works, each handled by a function named after its method."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lsprotocol import types
from pygls.exceptions import JsonRpcInvalidParams

from editd.frontends.lsp import methods
from editd.frontends.lsp.session import Session
from editd.frontends.lsp.session_options import SessionOptions
from editd.frontends.lsp.wire_hunks import announce


def did_open(session: Session, params: types.DidOpenTextDocumentParams) -> None:
    """``textDocument/didOpen``: add the document, and drop edits of it from before it was closed."""
    _drop_edits(session, params.text_document.uri, "The document was opened anew.")
    session.documents.open(params.text_document)


def did_change(session: Session, params: types.DidChangeTextDocumentParams) -> None:
    """``textDocument/didChange``: change the document, move the hunks of its edits and the lines of its answers along,
    send the client the hunks' new places (``announce``), and forget edits without open hunks that have ended. Ignored
    for a document that is not open.
    """
    uri, version = params.text_document.uri, params.text_document.version
    edits = session.edits.in_document(uri)

    def follow(change: Any, lines: Any) -> None:
        for live in edits:
            live.follow(change, lines)
        session.edits.move_answers(uri, change)

    session.documents.change(uri, version, params.content_changes, follow)
    for live in edits:
        announce(session, live)
        session.edits.forget_if_decided(live)


def did_close(session: Session, params: types.DidCloseTextDocumentParams) -> None:
    """``textDocument/didClose``: forget the document, stop its edits and forget them with their hunks, and forget
    other ways that could have been offered for it.
    """
    uri = params.text_document.uri
    _drop_edits(session, uri, "The document was closed.")
    session.documents.close(uri)
    session.applying.pop(uri, None)
    session.last_runs.pop(uri, None)


def did_change_configuration(session: Session, params: types.DidChangeConfigurationParams) -> None:
    """``workspace/didChangeConfiguration``: take the section ``editd`` in place of all earlier options
    (``set_options``), and show the user a message about each wrong one; settings without that section, or one that is
    no object, are ignored.
    """
    settings = params.settings
    if isinstance(settings, Mapping) and isinstance(settings.get("editd"), Mapping):
        show_warnings(session, set_options(session, settings["editd"]))


def did_change_workspace_folders(
    session: Session, params: types.DidChangeWorkspaceFoldersParams
) -> None:
    """``workspace/didChangeWorkspaceFolders``: add and remove folders; trust in a removed one ends."""
    added = [folder.uri for folder in params.event.added]
    removed = [folder.uri for folder in params.event.removed]
    session.folders = session.folders.changed(added, removed)


def workspace(session: Session, params: methods.WorkspaceParams) -> None:
    """``editd/workspace``: begin or cease to trust a project, or all. Raises ``JsonRpcInvalidParams`` for a relative path."""
    try:
        session.folders = session.folders.with_trust(params)
    except ValueError as error:
        raise JsonRpcInvalidParams(f"params.{error}.") from None


def work_done_progress_cancel(session: Session, params: types.WorkDoneProgressCancelParams) -> None:
    """``window/workDoneProgress/cancel``: cancel the work that shows this progress, by the function that it
    registered; no effect for an unknown token.
    """
    cancel = session.progress.get(params.token)
    if cancel is not None:
        cancel()


def set_options(session: Session, options: object) -> list[str]:
    """Take the client's options, unchecked, in place of the earlier ones, and read the user's file and environment
    again; returns a sentence for each wrong value in any of these, which is ignored. If the options have
    ``workspace``, trust in folders is set by it, else it stays.
    """
    session.options = SessionOptions.of(options)
    warnings = list(session.options.warnings)
    if session.options.workspace is not None:
        try:
            session.folders = session.folders.with_trust(session.options.workspace)
        except ValueError as error:
            warnings.append(f"initialization options: workspace.{error}; it is ignored.")
    return warnings


def show_warnings(session: Session, warnings: list[str]) -> None:
    """Show each warning to the user."""
    for warning in warnings:
        session.show(warning, types.MessageType.Warning)


def _drop_edits(session: Session, uri: str, reason: str) -> None:
    """Stop and forget all edits of a document, whose hunks are dropped, and the lines of its answers. reason: the
    sentence of the edits' answers.
    """
    session.edits.move_answers(uri, None)
    for live in session.edits.in_document(uri):
        live.drop(reason)
        session.edits.forget(live.token)
