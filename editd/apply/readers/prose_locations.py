"""Locations that the prose around a code block states: beside a line, or at an end of something.

For new lines, whose location no line of the block shows. Knows words and names, not how a block is read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from editd.apply.text.file_lines import FileLines
from editd.apply.text.line import ABOVE, CLOSES, indent_of
from editd.syntax.imports import IMPORT_LINE
from editd.syntax.language import is_file_name

_PHRASE = r"(?:`[^`]*`|[^.:;`])*"  # up to the end of a sentence or a part of it
_SIDES = "above|before|below|after|beneath|underneath|under|following|between|next to"
_SIDE = re.compile(
    rf"(?<!modeled )(?<!modelled )(?<!named )(?<!the )\b(?P<side>{_SIDES})\b"
    rf"(?P<what>(?:`[^`]*`|(?!\b(?:{_SIDES})\b)[^.:;`])*)",
    re.IGNORECASE,
)
_END = re.compile(
    rf"(?<!on )\b(?P<side>end|bottom|top|beginning|start|head)\s+of\s+(?P<what>{_PHRASE})|"
    r"\bat the (?P<file>end|bottom|top|beginning|start)\W*$",
    re.IGNORECASE,
)
_FILE = re.compile(
    r"\b(?:file|module|script|imports?|program|page|document|style ?sheet|config(?:uration)?)\b",
    re.IGNORECASE,
)
_IMPORTS = re.compile(r"\s*(?:the |your |all |existing |other )*imports?\b", re.IGNORECASE)
_CLASS = re.compile(r"\b(?:class|struct|interface|object|impl)\b", re.IGNORECASE)
_HOLDER = re.compile(
    r"\b(?:to|in|inside|into|of)\s+(?:the\s+|your\s+)?[`*“\"]+(?P<name>[\w.:$]+)[`*”\"]+",
    re.IGNORECASE,
)
_BEFORE = ("above", "before", "top", "beginning", "start", "head")
_ADDS = re.compile(r"\b(?:add|append|include|put)\b", re.IGNORECASE)
_PLAIN = ("", "text", "gitignore")  # languages of files that may be a list of entries
_QUOTED = re.compile(r"`+([^`]+)`+|\*\*([^*]+)\*\*|“([^”]+)”|\"([^\"]+)\"|'([^']+)'")
_MOST_TOLD, _MOST_CHARACTERS, _MOST_NAMES = (
    8,
    500,
    6,
)  # lines of prose, of each, names in one phrase


@dataclass(frozen=True, slots=True)
class StatedLocation:
    """Line ``at``, before which new lines go, as deep as ``depth``.

    before: whether line ``at`` is what is named; else it follows the named one. is_named: whether the prose names
    something there, not an end of the file.
    """

    at: int
    depth: str
    before: bool
    is_named: bool = True


def stated_location(prose: Sequence[str], lines: FileLines) -> StatedLocation | None:
    """Where the prose says that new lines go, by the nearest of its first eight lines that says so; ``None`` if none
    does, or what is named is not in the file exactly once. In a file that is a list, its end if the nearest line says
    that something is added.

    prose: its lines, the nearest to the block first. Before or after a named thing, before the second of two if
    “between”, at the beginning or end of a named block, or of the file (then below its imports). Of several sides in a
    line, the one of the shortest thing counts: a line rather than its function.
    """
    holder = class_of(prose, lines)
    for line in _near(prose):
        beside: list[tuple[int, StatedLocation]] = []
        for found in _SIDE.finditer(line):
            side = found["side"].lower()
            named = [*_ranges(found["what"], lines, holder)]
            if side == "between":
                if len(named) > 1:
                    return StatedLocation(named[1][0], indent_of(lines.keys[named[1][0]]), True)
                continue
            if not named and side not in _BEFORE and _IMPORTS.match(found["what"]):
                beside.append((0, StatedLocation(_top_of_code(lines), "", before=False)))
            for start, end in named[:1]:
                before = side in _BEFORE
                depth = indent_of(lines.keys[start])
                beside.append(
                    (end - start, StatedLocation(start if before else end, depth, before))
                )
        if beside:  # the line itself rather than the function
            return min(beside, key=lambda pair: pair[0])[1]
        if at_end := _END.search(line):
            side, what = at_end["side"] or at_end["file"], at_end["what"] or "file"
            before = side.lower() in _BEFORE
            named = [*_ranges(what, lines)]
            if not named and _CLASS.search(what) and (holder := only_class(lines)):
                named = [holder]
            if named and len(inside := _inside(named[0], lines)):
                at = inside[0] if before else inside[-1] + 1
                return StatedLocation(at, _depth_in(named[0], lines), before)
            if _FILE.search(what) or any(is_file_name(x.strip("`*")) for x in what.split()):
                at = _top_of_code(lines) if before else len(lines)
                return StatedLocation(at, "", before and not at, is_named=False)
    if is_list(lines) and any(map(_ADDS.search, _near(prose)[:1])):
        return StatedLocation(len(lines), "", before=False, is_named=False)
    return None


def is_list(lines: FileLines) -> bool:
    """Whether a file has one entry per line, none of which has white space in it, as in ``.gitignore`` or
    ``requirements.txt``; lines that begin with ``#`` and blank ones do not count. False for files of a known language
    (but ``text`` and ``gitignore``), and without entries.
    """
    entries = [x for x in lines.keys if x and not x.startswith("#")]
    is_plain = lines.language in _PLAIN
    return is_plain and bool(entries) and not any(map(str.isspace, "".join(entries)))


def _top_of_code(lines: FileLines) -> int:
    """The line at which the code of a file begins: below the imports above its first definition and a ``TYPE_CHECKING``
    block right below them; 0 without imports.
    """
    imports = [
        n for n, line in enumerate(lines.keys) if IMPORT_LINE.match(line) and line[0] not in " \t"
    ]
    first = min((block.start for block in lines.blocks if not block.is_other), default=len(lines))
    top = max((n + 1 for n in imports if n < first), default=0)
    below = next((n for n in range(top, len(lines)) if lines.keys[n]), 0)
    if lines.keys[below : below + 1] == ("if TYPE_CHECKING:",):
        top = below + 1
        while lines.keys[top : top + 1] and lines.keys[top][:1].isspace():
            top += 1
    return top


def only_class(lines: FileLines) -> tuple[int, int] | None:
    """The lines (start, end exclusive) of the class or type that has definitions in it, if the file has exactly one (of
    nested ones the innermost counts) and, outside of Python, it ends in a closing line; else ``None``.
    """
    known = [x for x in lines.blocks if not x.is_other]
    holders = [x for x, y in pairwise(known) if x.start < y.start < x.end]
    found = [x for x in holders if not any(x.start < y.start < x.end for y in holders)]
    is_whole = len(found) == 1 and (
        lines.language == "python" or CLOSES.match(lines.keys[found[0].end - 1])
    )  # text at the margin seems to end a class
    return (found[0].start, found[0].end) if is_whole else None


def class_of(prose: Sequence[str], lines: FileLines) -> tuple[int, int] | None:
    """The lines (start, end exclusive) of the first class or type that the prose names in quotes or bold after “to”,
    “in”, “into” or “of” (“add this method to the `Cache` class”) and that holds definitions; ``None`` if there is none.
    Only the first eight lines of prose are read.
    """
    for line in _near(prose):
        for found in _HOLDER.finditer(line):
            name = found["name"].replace("::", ".").rpartition(".")[2]
            for block in (x for x in lines.blocks if x.name == name):
                if any(block.start < x.start and x.end <= block.end for x in lines.definitions):
                    return block.start, block.end
    return None


def _near(prose: Sequence[str]) -> list[str]:
    """The lines of prose that are read: eight, of 500 characters each, so that a long or hostile answer costs no more."""
    return [line[:_MOST_CHARACTERS] for line in prose[:_MOST_TOLD]]


def _ranges(
    text: str, lines: FileLines, holder: tuple[int, int] | None = None
) -> Iterator[tuple[int, int]]:
    """Yield the lines (start, end exclusive) of each thing that a text names in quotes or bold and the file, or the
    class ``holder``, has exactly once; of the first six names. Names of files are left out.
    """
    names = [next(filter(None, found.groups())) for found in _QUOTED.finditer(text)]
    for name in names[:_MOST_NAMES]:
        if not is_file_name(name) and (found := _range(name.strip(), lines, holder)) is not None:
            yield found


def _range(
    name: str, lines: FileLines, holder: tuple[int, int] | None = None
) -> tuple[int, int] | None:
    """The lines (start, end exclusive) of the definition, field or other block with this name, else of the block whose
    first line has it, else of the line that has it; ``None`` if there is none, or several.

    Of several definitions, those in the named class count (``Cache.get``), else those in the class ``holder``.
    """
    blocks = lines.blocks
    owner, _, last = _bare(name).replace("::", ".").rpartition(".")
    same = [block for block in (*blocks, *lines.nested) if block.name == last]
    same = [block for block in same if block.owner != last] or same  # constructors
    if not same:
        fields = [x for x in lines.fields if x.name == last]
        if len(fields) == 1:
            return fields[0].start, fields[0].end
    if owner and any(block.owner == owner for block in same):
        same = [block for block in same if block.owner == owner]
    if len(same) > 1 and holder is not None:
        same = [x for x in same if holder[0] < x.start and x.end <= holder[1]]
    if len(same) != 1:
        word = re.compile(
            rf"(?<!\w){re.escape(name)}(?!\w)" if name[-1:].isalnum() else re.escape(name)
        )
        heads = [block for block in blocks if word.search(lines.keys[block.head])]
        same = heads if len(heads) == 1 else []
        line_numbers = [n for n, line in enumerate(lines.keys) if word.search(line)]
        if not same and len(line_numbers) == 1:
            return line_numbers[0], line_numbers[0] + 1
    return (same[0].start, same[0].end) if len(same) == 1 else None


def _bare(name: str) -> str:
    """A name without its arguments: ``Cache.get(key)`` is ``Cache.get``."""
    return re.sub(r"\s*\(.*", "", name.strip().removeprefix("def ").removeprefix("function "))


def _depth_in(block_lines: tuple[int, int], lines: FileLines) -> str:
    """The blanks before the definitions in a block: before the first of them, else before its first deeper line that is
    no comment; empty if there is neither.
    """
    inside = [n for n in _inside(block_lines, lines) if not ABOVE.match(lines.keys[n])]
    first = [
        block.head
        for block in lines.blocks
        if block_lines[0] < block.start and block.end <= block_lines[1]
    ]
    return indent_of(lines.keys[(first or inside)[0]]) if first or inside else ""


def _inside(block_lines: tuple[int, int], lines: FileLines) -> list[int]:
    """The numbers of a block's lines, blank ones aside, that are deeper than its first line."""
    start, end = block_lines
    depth = len(indent_of(lines.keys[start]))
    shown = [n for n in range(start, end) if lines.keys[n]]
    return [n for n in shown if len(indent_of(lines.keys[n])) > depth]
