"""Cuts a sketch into pieces at its markers.

Knows the sketch's lines and which of them the buffer has. ``places`` finds where a piece belongs.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from editd.apply.markers import holds_marker, is_bare, is_marker, is_note
from editd.apply.outcome import Doubt


@dataclass(frozen=True, slots=True)
class Piece:
    """Lines of a sketch between two markers, without blank lines at its edges.

    lines: without line ends. at: 0-based line of the sketch where they begin. marked_above,
    marked_below: whether a marker is there; otherwise the sketch begins or ends. blank_above,
    blank_below: the number of blank lines between marker and piece, which may be layout or context.
    """

    lines: tuple[str, ...]
    at: int
    marked_above: bool
    marked_below: bool
    blank_above: int = 0
    blank_below: int = 0


def pieces_of(lines: Sequence[str], known: Collection[str], language: str) -> list[Piece]:
    """The pieces of a sketch in its order. known: the buffer's lines, stripped."""
    found: list[Piece] = []
    start, marked, twice = 0, False, None
    for number, line in enumerate(lines):
        if _stands_for_text(lines, number, known, language):
            nothing = not any(text.strip() for text in lines[start:number])
            if marked and nothing and lines[start - 1].strip() == line.strip():
                twice = number
            _add(found, lines, start, number, above=marked, below=True)
            start, marked = number + 1, True
        elif holds_marker(line) and line.strip() not in known:
            raise Doubt(
                f"Line {number + 1} of the sketch has a marker beside code; give the marker a line "
                "of its own.",
                number,
            )
        elif is_note(line) and line.strip() not in known:
            raise Doubt(
                f"Line {number + 1} of the sketch is “{line.strip()}”, which may be a marker or a "
                "comment; write the marker with dots.",
                number,
            )
    _add(found, lines, start, len(lines), above=marked, below=False)
    if found and twice is not None:
        raise Doubt(
            f"The marker at line {twice + 1} of the sketch has nothing beside it but the same marker, and "
            "something that goes may stand there; leave one of them out, or show the lines around it.",
            twice,
        )
    if not found:
        raise Doubt("The sketch has only markers; add the lines to change.", final=True)
    return found


def _stands_for_text(
    lines: Sequence[str], number: int, known: Collection[str], language: str
) -> bool:
    line = lines[number]
    if is_marker(line, known):
        return True
    if not is_bare(line):
        return False
    above = next((x.strip() for x in reversed(lines[:number]) if x.strip()), "")
    body = language == "python" and above.endswith((":", '"""', "'''"))
    if body or line.strip() in known or language in ("markdown", "rst", "text", "yaml"):
        raise Doubt(
            f"Line {number + 1} of the sketch is “{line.strip()}”, which may be a marker or a line "
            "of the file; write the marker as a comment.",
            number,
        )
    return True


def _add(
    found: list[Piece], lines: Sequence[str], start: int, end: int, *, above: bool, below: bool
) -> None:
    first, last = start, end
    while first < last and not lines[first].strip():
        first += 1
    while last > first and not lines[last - 1].strip():
        last -= 1
    if first == last:
        if (end > start and below and not above) or end - start > 1:
            raise Doubt(
                f"The marker at line {start + 1} of the sketch has only "
                f"blank lines beside it; show the lines around them.",
                start,
            )
        return
    found.append(Piece(tuple(lines[first:last]), first, above, below, first - start, end - last))
