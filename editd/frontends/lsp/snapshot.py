"""The immutable state that a request is served from, taken when it arrives."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pygls.exceptions import JsonRpcContentModified, JsonRpcInvalidParams

from editd.diff.document import split_lines
from editd.frontends.lsp.client_features import ClientFeatures
from editd.frontends.lsp.documents import OpenDocument
from editd.frontends.lsp.methods import ContextEntry, EditParams, WarmupParams
from editd.frontends.lsp.positions import selected_lines
from editd.frontends.lsp.session_options import SessionOptions
from editd.frontends.lsp.trusted_folders import TrustedFolders
from editd.messages import ContextItem


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A document at its version, with the settings and the client's capabilities of the same moment.

    document: named by the request; ``None`` if it names none, or one that is not open. documents: all open ones, by
    URI.
    """

    document: OpenDocument | None
    documents: Mapping[str, OpenDocument]
    options: SessionOptions
    features: ClientFeatures
    folders: TrustedFolders

    def text_fields(
        self, params: EditParams | WarmupParams
    ) -> tuple[tuple[str, ...], dict[str, Any]]:
        """The lines of the text that ``params`` name, and its fields of an ``EditRequest`` or ``WarmupRequest``. A
        range becomes the whole lines that it touches; an empty one means the whole text, for an edit with its line as
        ``cursor``.

        The text is ``params.text``, else the document's. Raises ``JsonRpcInvalidParams`` if there is neither, and
        ``JsonRpcContentModified`` if the document is at another version.
        """
        uri = params.text_document.uri if params.text_document else ""
        path, language, is_open = params.path, params.language_id, params.text is None
        if params.text is not None:
            lines = tuple(split_lines(params.text))
        else:
            document = self._document_of(params)
            path, language, lines = "", document.language_id, document.lines
        touched = None
        if params.range is not None:
            touched = selected_lines(lines, params.range, self.features.encoding)
        start, end = touched or (None, None)
        # Only an edit has a use for the place of an empty range.
        is_cursor = isinstance(params, EditParams) and params.range is not None and touched is None
        cursor = params.range.start.line if is_cursor and params.range is not None else None
        return lines, {
            "text": "".join(lines),
            "path": path or self.folders.name_in_prompt(uri),
            "language_id": language,
            "document": uri if is_open else "",
            "start_line": start,
            "end_line": end,
            **({} if cursor is None else {"cursor": cursor}),
            "workspace_root": self.project_of(uri),
        }

    def context_items(
        self, entries: Sequence[ContextEntry], path: str, lines: Sequence[str]
    ) -> tuple[ContextItem, ...]:
        """Context for the engine: with paths in place of URIs, and whole lines (0-based, end exclusive) in place of
        ranges: those that a range touches, an empty one its line; in a document that is not open, those from its
        first to its last line.

        An entry without a URI is about the edited text: ``lines`` at ``path``.
        """
        items = []
        for entry in entries:
            document = self.documents.get(entry.uri)
            start = end = None
            if entry.range is not None:
                start, end = entry.range.start.line, entry.range.end.line + 1
                text = document.lines if document else lines
                touched = selected_lines(text, entry.range, self.features.encoding)
                if touched is not None and (document or not entry.uri):
                    start, end = touched
            name = self.folders.name_in_prompt(entry.uri) if entry.uri else path
            items.append(ContextItem(entry.kind, entry.text, name, start, end))
        return tuple(items)

    def project_of(self, uri: str) -> str:
        """The trusted project that a file belongs to; empty if there is none, or projects must not be drafted from."""
        return self.folders.trusted_root(uri) if self.options.config.edit.workspace else ""

    def mention_root(self, uri: str) -> str:
        """The trusted folder whose files the instruction of an edit of ``uri`` (empty: of inline text) may name, as
        ``TrustedFolders.mention_root``; empty if there is none, or projects must not be read.
        """
        return self.folders.mention_root(uri) if self.options.config.edit.workspace else ""

    def _document_of(self, params: EditParams | WarmupParams) -> OpenDocument:
        """The open document that ``params`` name. Raises ``JsonRpcInvalidParams`` if they name none, or one that is not
        open, and ``JsonRpcContentModified`` if they name another version.
        """
        named = params.text_document
        if named is None:
            raise JsonRpcInvalidParams(
                "Give params.textDocument (an open document) or params.text."
            )
        if self.document is None:
            raise JsonRpcInvalidParams(
                f"{named.uri} is not open: send textDocument/didOpen first, or give params.text."
            )
        if named.version not in (None, self.document.version):
            # A range of another version would mean other lines.
            raise JsonRpcContentModified(
                f"{named.uri} is at version {self.document.version}, not at {named.version}."
            )
        return self.document
