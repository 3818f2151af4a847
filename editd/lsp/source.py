"""Which text a request is about: an open document at its version, or text that it brings along."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePath
from urllib.parse import unquote, urlsplit

from lsprotocol.types import OptionalVersionedTextDocumentIdentifier, Range
from pygls.exceptions import JsonRpcContentModified, JsonRpcInvalidParams

from editd.diff.document import split_lines
from editd.errors import EditRefused
from editd.lsp.methods import ContextEntry, EditParams, WarmupParams
from editd.lsp.positions import selected_lines
from editd.lsp.session import Session
from editd.messages import ContextItem


@dataclass(frozen=True, slots=True)
class Source:
    """A text as it was when the request came. ``uri`` is empty unless it is an open document.

    workspace_root: the folder of the trusted project that it belongs to, or empty.
    """

    uri: str
    version: int | None
    path: str
    language_id: str
    lines: tuple[str, ...]
    selection: tuple[int, int] | None  # lines, end exclusive; None: everything
    workspace_root: str = ""

    @property
    def text(self) -> str:
        return "".join(self.lines)


def source_of(session: Session, params: EditParams | WarmupParams) -> Source:
    """The text that ``params`` mean. Raises a JSON-RPC error that says what is wrong with them."""
    named = params.text_document
    if params.text is not None:
        lines = tuple(split_lines(params.text))
        uri = named.uri if named else ""
        return Source(
            "",
            None,
            params.path or path_of(session, uri),
            params.language_id,
            lines,
            _lines(session, lines, params.range),
            session.project_of(uri),
        )
    if named is None:
        raise JsonRpcInvalidParams("Give params.textDocument (an open document) or params.text.")
    return document_source(session, named, params.range)


def document_source(
    session: Session, named: OptionalVersionedTextDocumentIdentifier, selection: Range | None
) -> Source:
    """As ``source_of``, of an open document."""
    document = session.documents.get(named.uri)
    if document is None:
        raise JsonRpcInvalidParams(
            f"{named.uri} is not open: send textDocument/didOpen first, or give params.text."
        )
    if named.version is not None and named.version != document.version:
        # A range of another version would mean other lines.
        raise JsonRpcContentModified(
            f"{named.uri} is at version {document.version}, not at {named.version}."
        )
    return Source(
        document.uri,
        document.version,
        path_of(session, document.uri),
        document.language_id,
        document.lines,
        _lines(session, document.lines, selection),
        session.project_of(document.uri),
    )


def context_items(
    session: Session, entries: Sequence[ContextEntry], source: Source
) -> tuple[ContextItem, ...]:
    """Context as the engine knows it: with paths and whole lines. No URI: the text itself."""
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
    """Raise ``EditRefused`` for text that is no Unicode text, as JSON can spell it; ``name`` it."""
    for text in texts:
        try:
            text.encode()
        except UnicodeEncodeError as error:
            line = len(split_lines(text[: error.start] + "."))
            raise EditRefused(
                f"Line {line} of the {name} contains half of a surrogate pair, which is not a character: "
                "remove it first."
            ) from None


def _lines(
    session: Session, lines: tuple[str, ...], selection: Range | None
) -> tuple[int, int] | None:
    if selection is None:
        return None
    return selected_lines(lines, selection, session.documents.encoding)
