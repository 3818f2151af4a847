"""Positions in a text: LSP's, which count the client's units, and ours, which count code points.

The only module that knows that a client may count UTF-16 code units or UTF-8 bytes. Our place is ``(line, column)``,
both 0-based, with the column in code points. Each conversion looks at one line, never at the document. Positions
beyond the end of a line or of the document are taken as its end, as LSP asks.

::

    line "a😀b\\n"     column 2 (before b) = character 5 in utf-8, 3 in utf-16, 2 in utf-32
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from lsprotocol.types import Position, Range, TextEdit

from editd.diff.document import BOM, line_end
from editd.diff.edits import trimmed

Encoding = Literal["utf-8", "utf-16", "utf-32"]
Lines = Sequence[str]
LineColumn = tuple[int, int]  # line, column in code points; both 0-based


def choose_encoding(offered: Sequence[object]) -> Encoding:
    """The first of the client's encodings that is known (utf-8, utf-16, utf-32), else utf-16.

    The client's order counts: hunks are whole lines, so the choice costs the server nothing, and an editor puts first
    what it uses itself or with its other servers.
    """
    for encoding in offered:
        if encoding in ("utf-8", "utf-16", "utf-32"):
            return encoding
    return "utf-16"


def column_of(line: str, character: int, encoding: Encoding) -> int:
    """The column, in code points, at ``character`` (units of ``encoding``); inside a code point its start; beyond the
    line the place before its line end.
    """
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
    """The number of the encoding's units before ``column`` in a line. column: in code points, at most the line's
    length.
    """
    if encoding == "utf-32" or line.isascii():
        return column
    return _num_units(line[:column], encoding)


def place_of(lines: Lines, position: Position, encoding: Encoding) -> LineColumn:
    """The place of ``position`` in this text; the line's end for a character beyond it, the text's end for a position
    below its last line.
    """
    if position.line >= len(lines):
        return end_of(lines)
    return position.line, column_of(lines[position.line], position.character, encoding)


def position_of(lines: Lines, place: LineColumn, encoding: Encoding) -> Position:
    """The client's position (units of ``encoding``) of a place (code points); a line beyond the last means the end of
    the text.
    """
    line, column = place if place[0] < len(lines) else end_of(lines)
    text = lines[line] if line < len(lines) else ""
    return Position(line, character_of(text, column, encoding))


def end_of(lines: Lines) -> LineColumn:
    """The place of the text's end. After a final newline that is column 0 of a line which is not in ``lines``."""
    if not lines or line_end(lines[-1]):
        return len(lines), 0
    return len(lines) - 1, len(lines[-1])


def selected_lines(lines: Lines, selection: Range, encoding: Encoding) -> tuple[int, int] | None:
    """The lines ``start .. end`` (0-based, end exclusive) that a selection touches, in whichever direction it is
    given; ``None`` if it is empty, as a cursor is. Positions beyond the text mean its end.

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
    """The edit, in the client's units, that turns ``old_count`` lines at ``start`` into ``new_lines``, without equal
    text at its beginning and end; ``None`` if nothing differs.

    Only what differs is replaced, so that cursors and marks elsewhere in these lines stay put. A byte order mark
    before the first line stays.
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
    """The number of units of a text in UTF-16, else in UTF-8 (any other ``encoding``); counted in C, since a line may
    be megabytes.
    """
    if encoding == "utf-16":
        return len(text.encode("utf-16-le", "surrogatepass")) // 2
    return len(text.encode("utf-8", "surrogatepass"))


def _advance(lines: Lines, place: LineColumn, count: int) -> LineColumn:
    """The place ``count`` code points after ``place``, at the start of a line rather than at the end of the one before;
    the text's end if there are fewer.
    """
    line, column = place
    column += count
    while line < len(lines) and column >= len(lines[line]):
        column -= len(lines[line])
        line += 1
    return (line, column) if line < len(lines) else end_of(lines)
