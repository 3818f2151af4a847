"""The text of a request: an open document at its version, or text in the request itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any
from urllib.parse import unquote, urlsplit

from lsprotocol.types import Range
from pygls.exceptions import JsonRpcContentModified, JsonRpcInvalidParams

from editd.diff.document import split_lines
from editd.doors.lsp.documents import selected_lines
from editd.doors.lsp.methods import ContextEntry, EditParams, WarmupParams
from editd.doors.lsp.session import Session
from editd.errors import EditRefused
from editd.messages import ContextItem


@dataclass(frozen=True, slots=True)
class RequestText:
    """A text as it was when the request came. ``uri`` is empty unless it is an open document.

    workspace_root: the folder of the trusted project that it belongs to, or empty.
    """

    uri: str
    path: str
    language_id: str
    lines: tuple[str, ...]
    selection: tuple[int, int] | None  # lines, end exclusive; None: everything
    workspace_root: str

    def asked(self) -> dict[str, Any]:
        """Its description in a request to the engine."""
        start, end = self.selection or (None, None)
        return {
            "text": "".join(self.lines),
            "path": self.path,
            "language_id": self.language_id,
            "document": self.uri,
            "start_line": start,
            "end_line": end,
            "workspace_root": self.workspace_root,
        }


def source_of(session: Session, params: EditParams | WarmupParams) -> RequestText:
    """The text that ``params`` refer to. Raises a JSON-RPC error that says what is wrong with them."""
    uri = params.text_document.uri if params.text_document else ""
    if params.text is not None:
        lines, language = tuple(split_lines(params.text)), params.language_id
        path = params.path or path_of(session, uri)
        return _source(session, "", uri, path, language, lines, params.range)
    if params.text_document is None:
        raise JsonRpcInvalidParams("Give params.textDocument (an open document) or params.text.")
    document, version = session.documents.get(uri), params.text_document.version
    if document is None:
        raise JsonRpcInvalidParams(
            f"{uri} is not open: send textDocument/didOpen first, or give params.text."
        )
    if version not in (None, document.version):
        # A range of another version would mean other lines.
        raise JsonRpcContentModified(f"{uri} is at version {document.version}, not at {version}.")
    path, language = path_of(session, uri), document.language_id
    return _source(session, uri, uri, path, language, document.lines, params.range)


def _source(
    session: Session,
    document: str,
    uri: str,
    path: str,
    language: str,
    lines: tuple[str, ...],
    selection: Range | None,
) -> RequestText:
    touched = None
    if selection is not None:
        touched = selected_lines(lines, selection, session.documents.encoding)
    return RequestText(document, path, language, lines, touched, session.project_of(uri))


def context_items(
    session: Session, entries: Sequence[ContextEntry], source: RequestText
) -> tuple[ContextItem, ...]:
    """Context for the engine: with paths and whole lines. No URI: the text itself."""
    items = []
    for entry in entries:
        document = session.documents.get(entry.uri)
        lines = document.lines if document else source.lines
        start = end = None
        if entry.range is not None:
            start, end = entry.range.start.line, entry.range.end.line + 1
            touched = selected_lines(lines, entry.range, session.documents.encoding)
            if touched is not None and (document or not entry.uri):
                start, end = touched
        path = path_of(session, entry.uri) if entry.uri else source.path
        items.append(ContextItem(entry.kind, entry.text, path, start, end))
    return tuple(items)


def path_of(session: Session, uri: str) -> str:
    """What a file is called in a prompt: its path in its project, else its name alone."""
    return session.workspace.relative(uri) or unquote(PurePath(urlsplit(uri).path).name)


def check_text(name: str, *texts: str) -> None:
    """Raise ``EditRefused`` for text that is not valid Unicode; ``name`` is for the message."""
    for text in texts:
        try:
            text.encode()
        except UnicodeEncodeError as error:
            line = len(split_lines(text[: error.start] + "."))
            raise EditRefused(
                f"Line {line} of the {name} contains half of a surrogate pair, which is not a character: "
                "remove it first."
            ) from None
