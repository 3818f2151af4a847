"""The open documents, as the client last sent them.

Own store, because pygls splits lines where editors do not (form feed, U+2028), which corrupts a document at the
next change, and reads documents that are not open from disk. Here, only ``\\r\\n``, ``\\n`` and ``\\r`` end a line,
and only open documents exist. A change costs what it touches plus one copy of the list of lines.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from lsprotocol.types import (
    TextDocumentContentChangeEvent,
    TextDocumentContentChangePartial,
    TextDocumentItem,
)

from editd.diff.document import line_end, split_lines
from editd.frontends.lsp.placed_hunks import DocumentChange, trimmed_change
from editd.frontends.lsp.positions import Encoding, LineColumn, place_of

OnChange = Callable[[DocumentChange, Sequence[str]], None]


@dataclass(frozen=True, slots=True)
class OpenDocument:
    """An open text at one version. ``lines`` have their line ends; joined they are the text."""

    uri: str
    language_id: str
    version: int
    lines: tuple[str, ...]

    @property
    def text(self) -> str:
        """The whole text."""
        return "".join(self.lines)


class DocumentStore:
    """The open documents by URI, in the client's ``encoding`` of positions."""

    def __init__(self) -> None:
        self.encoding: Encoding = "utf-16"
        self._documents: dict[str, OpenDocument] = {}

    def get(self, uri: str) -> OpenDocument | None:
        """The document at its current version; ``None`` if it is not open."""
        return self._documents.get(uri)

    def snapshot(self) -> Mapping[str, OpenDocument]:
        """A copy of the store: all open documents by URI."""
        return dict(self._documents)

    def open(self, item: TextDocumentItem) -> OpenDocument:
        """Add a document that the client opened, in place of one with its URI; returns it."""
        lines = tuple(split_lines(item.text))
        document = OpenDocument(item.uri, item.language_id, item.version, lines)
        self._documents[item.uri] = document
        return document

    def change(
        self,
        uri: str,
        version: int,
        changes: Iterable[TextDocumentContentChangeEvent],
        on_change: OnChange | None = None,
    ) -> OpenDocument | None:
        """Apply the client's changes to a document, in order, and store it with ``version``; returns it, or ``None``
        if it is not open.

        on_change: called after each change with the lines that it changed and all lines then, in a list that the next
        change alters.
        """
        document = self._documents.get(uri)
        if document is None:
            return None
        lines = list(document.lines)
        for change in changes:
            line_change = self._apply(lines, change)
            if on_change is not None:
                on_change(line_change, lines)
        document = replace(document, version=version, lines=tuple(lines))
        self._documents[uri] = document
        return document

    def close(self, uri: str) -> None:
        """Forget a document that the client closed."""
        self._documents.pop(uri, None)

    def _apply(self, lines: list[str], change: TextDocumentContentChangeEvent) -> DocumentChange:
        """Apply one change to ``lines``, in place; returns which lines changed. A change without a range replaces the
        whole text; positions beyond the text mean its end, and a range may be given backwards.
        """
        if isinstance(change, TextDocumentContentChangePartial):
            start, end = sorted(
                (
                    place_of(lines, change.range.start, self.encoding),
                    place_of(lines, change.range.end, self.encoding),
                )
            )
            return splice(lines, start, end, change.text)
        old = list(lines)
        lines[:] = split_lines(change.text)
        return trimmed_change(0, old, lines)


def splice(lines: list[str], start: LineColumn, end: LineColumn, text: str) -> DocumentChange:
    """Replace the text between two places by ``text``, in ``lines``, in place; returns the lines that changed. start,
    end: 0-based line and column in code points, in this order; the line after the last one means the text's end.

    Lines outside the range that keep their ends count as untouched, even if their neighbours are equal: a copy
    inserted before a line is not taken for the line. A CR and a LF that meet become one line end.
    """
    first, last = start[0], end[0]
    body = (lines[first][: start[1]] if first < len(lines) else "") + text
    rest = lines[last][end[1] :] if last < len(lines) else ""
    if first and lines[first - 1].endswith("\r") and (body or rest).startswith("\n"):
        first -= 1  # a LF was put after a lone CR: they are one line end now
        body = lines[first] + body
    meets_lf = body.endswith("\r") and rest.startswith("\n")
    open_end = bool(body) and (meets_lf or not line_end(body))
    if last < len(lines) and (end[1] or open_end):
        body += rest
        last += 1
    old, new = lines[first:last], split_lines(body)
    lines[first:last] = new
    if text and start != end:
        return trimmed_change(first, old, new)  # what replaces may repeat what it replaces
    # An insertion or a deletion says exactly what it touches: of these lines only a partly
    # touched one at either edge can have stayed as it was.
    return trimmed_change(first, old, new, 1 if start[1] else 0, 1 if end[1] else 0)
