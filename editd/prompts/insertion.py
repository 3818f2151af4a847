"""New definitions that an instruction asks for beside another: where they go, and how they stand there.

"Write a function that … below this one", "add a helper above load", "create a class here". *This* is the function or class around the
cursor or the selection. Knows lines and definitions; what the new text is, is left to the model.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from editd.syntax.code import Code
from editd.syntax.definition import Definition

_KINDS = r"functions?|methods?|class(?:es)?|helpers?|tests?|constructor|struct|enum|interface|trait|propert(?:y|ies)"
_ASKS = re.compile(
    rf"^(?:please |can you |could you )*(?:write|add|create|insert|implement|define|make)(?: me)?"
    rf" (?:an?|another|one more|the|two|some)?\s*(?:[\w-]+ ){{0,3}}?(?:{_KINDS})\b",
    re.IGNORECASE,
)
_PLACE = re.compile(
    r"\b(?P<side>below|under|underneath|beneath|after|above|before|over)\s+"
    rf"(?:(?P<this>this(?: one| (?:{_KINDS}))?|it|the (?:current|selected) (?:{_KINDS}|one)|the cursor|here)|"
    rf"(?:the )?(?:(?:{_KINDS}) )?[`'\"]?(?P<name>[^\W\d][\w.]*)[`'\"]?)(?=[\s,.:;!?]|$)",
    re.IGNORECASE,
)
_HERE = re.compile(
    r"(?<!from )(?<!above )(?<!below )\b(?:right )?(?:here|at the cursor|at this (?:place|point))\b",
    re.IGNORECASE,
)
_ABOVE = ("above", "before", "over")


@dataclass(frozen=True, slots=True)
class Insertion:
    """A place for a new definition: before ``line``, at this indentation, ``gap`` blank lines from its neighbours."""

    line: int
    indent: str
    gap: int


def insertion_of(instruction: str, code: Code, cursor: tuple[int, int] | None) -> Insertion | None:
    """The place that the instruction names for a new definition.

    cursor: lines ``start .. end`` of the cursor or the selection; ``None`` if unknown. ``None`` if the instruction asks for no new
    definition, or its place is none: neither the name of one definition, nor "this one" or "here" with a cursor. The last
    place that is named counts.
    """
    if not _ASKS.match(instruction.strip()):
        return None
    blocks = [x for x in code.definitions if x.is_block]
    for found in reversed(list(_PLACE.finditer(instruction))):
        block = _named(found["name"], blocks) if found["name"] else _around(cursor, blocks)
        if block is not None:
            return _beside(block, code, above=found["side"].lower() in _ABOVE)
    if cursor is not None and _HERE.search(instruction):
        return _at(cursor[0], blocks, code)
    return None


def _named(name: str, blocks: Sequence[Definition]) -> Definition | None:
    """The one definition of this name, which may be qualified; ``None`` if there is none or several."""
    named = [x for x in blocks if name in (x.name, x.qualified)]
    return named[0] if len(named) == 1 else None


def _around(cursor: tuple[int, int] | None, blocks: Sequence[Definition]) -> Definition | None:
    """The innermost definition that holds the lines of the cursor, else the last that ends above it; ``None`` without either."""
    if cursor is None:
        return None
    start, end = cursor
    inner = [x for x in blocks if x.start <= start and max(end, start + 1) <= x.end]
    if inner:
        return min(inner, key=lambda x: x.end - x.start)
    above = [x for x in blocks if x.end <= start]
    return max(above, key=lambda x: (x.end, x.start - x.end), default=None)


def _beside(block: Definition, code: Code, *, above: bool) -> Insertion:
    """The place right above a definition or right below its last filled line, at its indentation."""
    line = block.start if above else _filled_end(block, code)
    return _insertion(line, _indent(block.start, code), code)


def _at(line: int, blocks: Sequence[Definition], code: Code) -> Insertion:
    """The place at a line, or at the text's end if this is nearer; inside a definition, below that; at a blank line
    of a class with members, there, at the indentation of its first member. Of several definitions around it the one
    that begins last counts.
    """
    around = [x for x in blocks if x.start < line < _filled_end(x, code)]
    if not around:
        return _insertion(min(line, len(code.lines)), "", code)
    block = max(around, key=lambda x: x.start)
    members = [
        x for x in code.definitions if x.owner == block.name and block.start < x.start < block.end
    ]
    if members and not code.lines[line].strip():
        return _insertion(line, _indent(members[0].start, code), code)
    return _beside(block, code, above=False)


def _filled_end(block: Definition, code: Code) -> int:
    """The line after the last filled line of a definition."""
    end = block.end
    while end > block.start + 1 and not code.lines[end - 1].strip():
        end -= 1
    return end


def _indent(line: int, code: Code) -> str:
    """The blanks at the beginning of a line."""
    text = code.lines[line]
    return text[: len(text) - len(text.lstrip())]


def _insertion(line: int, indent: str, code: Code) -> Insertion:
    """A place with the blank lines that the language has between definitions."""
    return Insertion(line, indent, 2 if code.language == "python" and not indent else 1)


def arranged(written: Sequence[str], place: Insertion, old: Sequence[str]) -> list[str]:
    """The lines to insert before ``place.line`` of ``old``: ``written`` at the place's indentation, and as many
    blank lines above and below as are missing there to ``place.gap``; none at the beginning and the end of the
    file.

    All lines end with LF. Empty if nothing but blanks was written.
    """
    text = textwrap.dedent("".join(line.rstrip("\n") + "\n" for line in written)).strip("\n")
    if not text.strip():
        return []
    lines = [f"{place.indent}{line}\n" if line.strip() else "\n" for line in text.split("\n")]
    above = _blanks(reversed(old[: place.line]))
    below = _blanks(iter(old[place.line :]))
    before = 0 if above is None else max(0, place.gap - above)
    after = 0 if below is None else max(0, place.gap - below)
    return ["\n"] * before + lines + ["\n"] * after


def _blanks(lines: Iterator[str]) -> int | None:
    """The number of blank lines before the first other one; ``None`` if there is no other."""
    return next((count for count, line in enumerate(lines) if line.strip()), None)
