"""The open documents, as the client last sent them, and the places in them.

Own store, because pygls splits lines where editors do not (form feed, U+2028), which corrupts a document at the
next change, and reads documents that are not open from disk. Here, only ``\\r\\n``, ``\\n`` and ``\\r`` end a line,
and only open documents exist. A ``OpenDocument`` is an immutable snapshot; a change costs what it touches plus one
copy of the list of lines.

The only module that knows that a client may count UTF-16 code units or UTF-8 bytes. A place is ``(line, column)``
with the column in code points. Each conversion looks at one line, never at the document. Positions beyond the end
of a line or of the document are taken as its end, as LSP asks.

::

    line "a😀b\\n"     column 2 (before b) = character 5 in utf-8, 3 in utf-16, 2 in utf-32
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from lsprotocol.types import (
    Position,
    Range,
    TextDocumentContentChangeEvent,
    TextDocumentContentChangePartial,
    TextDocumentItem,
    TextEdit,
)

from editd.diff.document import BOM, line_end, split_lines
from editd.diff.edits import trimmed
from editd.frontends.lsp.rebase import LineChange, Lines, trimmed_change

Encoding = Literal["utf-8", "utf-16", "utf-32"]
LineColumn = tuple[int, int]  # line, column in code points; both 0-based


def choose_encoding(offered: Sequence[object]) -> Encoding:
    """The first encoding that both sides support, else utf-16.

    The client's order is kept: hunks are whole lines, so the choice costs the server nothing, and
    an editor puts first what it uses itself or with its other servers.
    """
    for encoding in offered:
        if encoding in ("utf-8", "utf-16", "utf-32"):
            return encoding
    return "utf-16"


def column_of(line: str, character: int, encoding: Encoding) -> int:
    """The column at ``character``; inside a code point: its start; beyond the line: before its end."""
    last = len(line) - len(line_end(line))
    if encoding == "utf-32" or line.isascii():
        return min(character, last)
    # No code point is less than one unit. Halving what is left reads each code point about once.
    column, furthest = 0, min(character, last)
    while column < furthest:
        middle = (column + furthest + 1) // 2
        units = _num_units(line[column:middle], encoding)
        if units <= character:
            character -= units
            column = middle
        else:
            furthest = middle - 1
    return column


def character_of(line: str, column: int, encoding: Encoding) -> int:
    """How many of the encoding's units stand before ``column``."""
    if encoding == "utf-32" or line.isascii():
        return column
    return _num_units(line[:column], encoding)


def place_of(lines: Lines, position: Position, encoding: Encoding) -> LineColumn:
    """The place of ``position`` in this text."""
    if position.line >= len(lines):
        return end_of(lines)
    return position.line, column_of(lines[position.line], position.character, encoding)


def position_of(lines: Lines, place: LineColumn, encoding: Encoding) -> Position:
    """The position of a place; a line beyond the last means the end of the text."""
    line, column = place if place[0] < len(lines) else end_of(lines)
    text = lines[line] if line < len(lines) else ""
    return Position(line, character_of(text, column, encoding))


def end_of(lines: Lines) -> LineColumn:
    """The end of the text. After a final newline, that is an empty line which is not in ``lines``."""
    if not lines or line_end(lines[-1]):
        return len(lines), 0
    return len(lines) - 1, len(lines[-1])


def selected_lines(lines: Lines, selection: Range, encoding: Encoding) -> tuple[int, int] | None:
    """The whole lines ``start .. end`` (exclusive) that a selection touches, ``None`` if it is empty.

    A selection that ends before the first character of a line does not touch that line.
    """
    start, end = sorted(
        (place_of(lines, selection.start, encoding), place_of(lines, selection.end, encoding))
    )
    if start == end:
        return None
    last = end[0] if end[1] == 0 else end[0] + 1
    return start[0], last


def text_edit(
    lines: Lines, start: int, old_count: int, new_lines: Lines, encoding: Encoding
) -> TextEdit | None:
    """The smallest edit that turns ``old_count`` lines at ``start`` into ``new_lines``.

    Only what differs is replaced, so that cursors and marks elsewhere in these lines stay put.
    ``None`` if nothing differs.
    """
    # A byte order mark is part of no line; elsewhere in the text U+FEFF is a character like others.
    after_bom = 1 if start == 0 and lines and lines[0].startswith(BOM) else 0
    old = "".join(lines[start : start + old_count])[after_bom:]
    replacement = trimmed(0, old, "".join(new_lines))
    if replacement is None:
        return None
    begin, end = (
        position_of(lines, _advance(lines, (start, after_bom), offset), encoding)
        for offset in (replacement.start, replacement.end)
    )
    return TextEdit(Range(begin, end), replacement.new_text)


def _num_units(text: str, encoding: Encoding) -> int:
    """How many units ``text`` has in UTF-16 or UTF-8; counted in C, for a line may be megabytes."""
    if encoding == "utf-16":
        return len(text.encode("utf-16-le", "surrogatepass")) // 2
    return len(text.encode("utf-8", "surrogatepass"))


def _advance(lines: Lines, place: LineColumn, count: int) -> LineColumn:
    """The place ``count`` code points after ``place``, at a line's start rather than at an end."""
    line, column = place
    column += count
    while line < len(lines) and column >= len(lines[line]):
        column -= len(lines[line])
        line += 1
    return (line, column) if line < len(lines) else end_of(lines)


OnChange = Callable[[LineChange, Sequence[str]], None]


@dataclass(frozen=True, slots=True)
class OpenDocument:
    """One open text at one version. ``lines`` carry their ends; joined they are the text."""

    uri: str
    language_id: str
    version: int
    lines: tuple[str, ...]

    @property
    def text(self) -> str:
        return "".join(self.lines)


class DocumentStore:
    """The open documents by URI."""

    def __init__(self) -> None:
        self.encoding: Encoding = "utf-16"
        self._documents: dict[str, OpenDocument] = {}

    def get(self, uri: str) -> OpenDocument | None:
        """The document as it is now, ``None`` if it is not open."""
        return self._documents.get(uri)

    def open(self, item: TextDocumentItem) -> OpenDocument:
        """The client opened a document."""
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
        """The client changed a document. ``on_change`` is called for each change, with the lines after it."""
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
        """The client closed a document."""
        self._documents.pop(uri, None)

    def _apply(self, lines: list[str], change: TextDocumentContentChangeEvent) -> LineChange:
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


def splice(lines: list[str], start: LineColumn, end: LineColumn, text: str) -> LineChange:
    """Replace the text between two places by ``text``, in place; returns the lines that changed.

    Lines outside the range that keep their ends count as untouched, even if their neighbours are
    equal: a copy inserted before a line is not taken for the line.
    """
    first, last = start[0], end[0]
    body = (lines[first][: start[1]] if first < len(lines) else "") + text
    rest = lines[last][end[1] :] if last < len(lines) else ""
    if first and lines[first - 1].endswith("\r") and (body or rest).startswith("\n"):
        first -= 1  # a LF came behind a lone CR: they are one line end now
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
