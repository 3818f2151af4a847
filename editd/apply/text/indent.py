"""Indentation of pasted lines like that of the file: moved as a whole, in the file's unit, or mended."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from editd.apply.text.file_lines import FileLines
from editd.apply.text.line import indent_of, nesting, unit_of
from editd.diff.matching import is_weak

_MOST_DEPTH = 4  # levels of a block that has lost its indentation
_MOST_INDENTS = 400  # places of a line whose indentation is looked at
_DECORATOR = re.compile(r"@[\w.]+(?:\(.*\))?|#\[.*\]")
_CONTINUES = re.compile(r"(?:[-+*/%=<>&|?,.\\(\[]|=>|\b(?:and|or|not|in|do|then))$")


def shifted_like_file(block: Sequence[str], lines: FileLines) -> list[tuple[str, ...]]:
    """The block in every other indentation in which the file has both its first and its last line (of any place); empty
    if there is none.

    Tried are all lines moved by the same blanks, and tabs in place of spaces or the reverse. The block's own
    indentation is left out. Raises ``IndexError`` for no lines.
    """
    own = tuple(line.rstrip() for line in block)
    found: dict[tuple[str, ...], tuple[str, ...]] = {}
    for moved in (*_moved(block, lines), *_other_characters(block, lines)):
        if moved[0].rstrip() in lines.where and moved[-1].rstrip() in lines.where:
            found.setdefault(tuple(line.rstrip() for line in moved), moved)
    found.pop(own, None)
    return list(found.values())


def num_found(block: Sequence[str], lines: FileLines) -> int:
    """How many lines of the block with a letter or digit the file has, indentation included."""
    return sum(line.rstrip() in lines.where for line in block if not is_weak(line))


def moved_to(block: Sequence[str], target: str) -> tuple[str, ...] | None:
    """The block, shifted so that its first line is indented by ``target``; ``None`` if that is impossible. Empty lines
    stay empty.

    The same characters are put before every line, or taken from it. Impossible if neither indentation is an end of the
    other, if a line lacks the blanks that would be taken, or if a line consists of blanks. Raises ``IndexError`` for no
    lines.
    """
    given = indent_of(block[0])
    if any(line and not line.strip() for line in block):
        return None  # how long its lines of blanks should be is unknown
    if target.endswith(given):
        more = target[: len(target) - len(given)]
        return tuple(more + line if line.strip() else "" for line in block)
    if not given.endswith(target):
        return None
    less = given[: len(given) - len(target)]
    if any(line.strip() and not line.startswith(less) for line in block):
        return None
    return tuple(line[len(less) :] if line.strip() else "" for line in block)


def _moved(block: Sequence[str], lines: FileLines) -> Iterator[tuple[str, ...]]:
    """The block, shifted to each indentation that the file has for its first line (in its first 400 places); those to
    which it cannot be shifted are left out.
    """
    found = lines.where_bare.get(block[0].strip(), [])[:_MOST_INDENTS]
    for target in dict.fromkeys(indent_of(lines.keys[index]) for index in found):
        if (moved := moved_to(block, target)) is not None:
            yield moved


def _other_characters(block: Sequence[str], lines: FileLines) -> Iterator[tuple[str, ...]]:
    """The block in three versions if the file is indented by tabs only: a tab for each 4, each 2, each 8 spaces of its
    indentation. If the file is indented by spaces only, with as many spaces for each tab.

    Nothing if the file has both or no indentation, or a line of the block consists of blanks.
    """
    if lines.indented_by_tabs is None or any(line and not line.strip() for line in block):
        return
    for width in (4, 2, 8):
        was, now = (" " * width, "\t") if lines.indented_by_tabs else ("\t", " " * width)
        yield tuple(indent_of(line).replace(was, now) + line.lstrip() for line in block)


def in_units(blocks: list[list[str]], lines: FileLines) -> list[list[str]]:
    """The code blocks indented by the file's unit (such as two spaces) in place of their own; the blocks themselves if
    one of the units is unknown or both are equal.

    Their own unit is that of all blocks together (``unit_of``); if that is unknown, a tab if a line begins with one and
    the file has none. The blocks are also left alone if some indented line of theirs with a letter or digit stands in
    the file as it is, unless their first line stands in the file at other depths only and their unit is wider than the
    file's.
    """
    every = [line for block in blocks for line in block]
    first = next((line for line in every if not is_weak(line)), "")
    less = {
        len(indent_of(lines.keys[n])) - len(indent_of(first))
        for n in lines.where_bare.get(first.strip(), ())
    }
    is_moved = bool(less) and 0 not in less
    if any(
        line[:1] in (" ", "\t") and line in lines.where and not is_weak(line) for line in every
    ) and not (is_moved and len(unit_of(every)) > len(lines.unit) > 0):
        return blocks
    own, unit = unit_of(every), lines.unit
    if not own and any(line.startswith("\t") for line in every) and "\t" not in unit:
        own = "\t"
    if not own or not unit or own == unit:
        return blocks
    return [
        [indent_of(line).replace(own, unit) + line.lstrip() for line in block] for block in blocks
    ]


def reindented(lines: Sequence[str], given: str, target: str, file: FileLines) -> Sequence[str]:
    """The lines as the file indents them: moved together so that depth ``given`` becomes ``target``, with tabs or
    spaces as the file has them (if it has only one of both), and lines of blanks emptied.

    given, target: indentations, as text; ``given`` is that of the depth from which the lines come, not always that of
    the first line. If they differ and neither is an end of the other, or tabs and spaces are exchanged, the first line
    gets just ``target``. Where the lines cannot be moved so (``moved_to``), only tabs, spaces and lines of blanks
    change.
    """
    lines = [x if x.strip() else "" for x in lines]
    first = indent_of(next((x for x in lines if x.strip()), ""))
    first_target = first
    if given != target:
        if target.endswith(given):
            first_target = target[: len(target) - len(given)] + first
        elif given.endswith(target) and len(first) >= len(given) - len(target):
            first_target = first[len(given) - len(target) :]
        elif not {*given, *target} - {" ", "\t"}:
            first_target = target
    if file.indented_by_tabs is not None:
        unit, tabs = _least_step(lines), file.indented_by_tabs
        if tabs and any(x.startswith("  ") for x in lines) and unit:
            lines = [indent_of(x).replace(unit, "\t") + x.lstrip() for x in lines]
            first_target = target if given != target else first_target.replace(unit, "\t")
        elif not tabs and any(x.startswith("\t") for x in lines):
            own = _least_step(file.keys) or "    "
            lines = [indent_of(x).replace("\t", own) + x.lstrip() for x in lines]
            first_target = target if given != target else first_target.replace("\t", own)
    if not lines or indent_of(lines[0]) == first_target:
        return lines
    return moved_to(lines, first_target) or lines


def with_mended_indent(block: Sequence[str], file: FileLines) -> tuple[str, ...]:
    """The block with indentation that a copy lost: all lines as deep as their brackets say, or the first line as deep
    as the others say; else as it is.

    All lines are mended if none is indented and every line of the file among them then stands as the file has it. The
    first one alone is mended if it is less deep than the lines below and the file confirm: chats copy from the first
    letter on.
    """
    known = sum(x.strip() in file.where_bare and not is_weak(x) for x in block)
    for depth in range(_MOST_DEPTH):  # copied without any indentation
        deep = _indented_by_brackets(block, file.unit, depth)
        levels = {indent_of(x) for x in deep if x}
        if len(levels) > 1 and num_found(block, file) < num_found(deep, file) == known:
            return deep
    shown = [n for n, line in enumerate(block) if line.strip()]
    if len(shown) < 2:
        return tuple(block)
    rest = [block[n] for n in shown[1:]]
    target = _depth_of_first(block[shown[0]], rest, file)
    return (*block[: shown[0]], target + block[shown[0]].lstrip(), *block[shown[0] + 1 :])


def _depth_of_first(first: str, rest: Sequence[str], file: FileLines) -> str:
    """The blanks that a block's first line should have: by the shape of the lines below (``rest``, none blank), else by
    the file's definition of its name, else by the file's own lines among those below.

    The first two only for a line without indentation. Its own blanks if none of them says anything, and for an item of
    a list (``- ``).
    """
    given = indent_of(first)
    if first.lstrip().startswith("- "):
        return given  # what belongs to it is deeper
    depth = None
    if not given:
        depth = _depth_by_shape(first, rest)
        depth = _depth_by_definition(first, rest, file) if depth is None else depth
    depth = _depth_by_known_lines(first, rest, file) if depth is None else depth
    return given if depth is None else depth


def _depth_by_shape(first: str, rest: Sequence[str]) -> str | None:
    """The blanks of a first line without indentation, since what belongs to it, and what it opens, is not deeper
    without a reason; ``None`` unless it is one of these.

    A decorator, and a line that is followed by ``{`` alone as the first least deep line: as deep as the line below (as
    the least deep one, if it ends in ``(``). A line that ends in ``:`` or ``{``, if all below are indented and the first
    one deeper than the least deep one: as deep as that.
    """
    least = _least_indent(rest)
    if _DECORATOR.fullmatch(first) or next(x for x in rest if indent_of(x) == least) == least + "{":
        return least if first.rstrip().endswith("(") else indent_of(rest[0])
    if _opens(first) and 0 < len(least) < len(indent_of(rest[0])):
        return least
    return None


def _depth_by_definition(first: str, rest: Sequence[str], file: FileLines) -> str | None:
    """The blanks of the file's definitions of the name in a first line (``_depth_by_name``); ``None`` unless all lines
    below are indented, and at least as deep, the next one otherwise than just so.
    """
    depth = _depth_by_name(first, file) if _least_indent(rest) else None
    if depth is None or depth == indent_of(rest[0]):
        return None
    return depth if all(x.startswith(depth) for x in rest) else None


def _depth_by_known_lines(first: str, rest: Sequence[str], file: FileLines) -> str | None:
    """The blanks of the least deep line below, a level less if the first line ends in ``:`` or ``{`` and no bracket at
    that depth closes it, if the file has some indented line of ``rest`` as it is.

    ``None`` if it has none; if it has the first line as it is; if that ends in an operator, a comma or an open bracket
    (``(`` and ``[`` only if no line as deep as the least begins with a closing one), or begins with a closing one; and
    if the blanks do not begin with the line's own.
    """
    given, least = indent_of(first), _least_indent(rest)
    closed = any(indent_of(x) == least and x.lstrip()[0] in ")]" for x in rest)
    continues = _CONTINUES.search(first) and not (first.rstrip()[-1] in "([" and closed)
    if (
        not any(x.rstrip() in file.where and not is_weak(x) and x[0].isspace() for x in rest)
        or (first.rstrip() in file.where and not is_weak(first))
        or continues
        or first.strip()[0] in ")]}"
    ):
        return None
    target = least
    if _opens(first) and not (is_weak(rest[-1]) and indent_of(rest[-1]) == least):
        target = least[: len(least) - len(file.unit)]  # no bracket closes what it opens
    return target if target.startswith(given) else None


def _least_indent(rows: Sequence[str]) -> str:
    """The blanks of the least deep line. Raises ``ValueError`` for no lines."""
    return min(map(indent_of, rows), key=len)


def _opens(line: str) -> bool:
    """Whether a line ends in a sign that opens a block."""
    return line.rstrip().endswith((":", "{"))


def _depth_by_name(first: str, file: FileLines) -> str | None:
    """The blanks of the file's definitions whose name stands in the line before ``(`` or ``<``; ``None`` if there is
    none, or they differ in depth.
    """
    names = {*re.findall(r"(\w+)\s*[(<]", first)}
    same = [x for x in (*file.blocks, *file.nested) if not x.is_other and x.name in names]
    depths = {indent_of(file.keys[x.head]) for x in same}
    return depths.pop() if len(depths) == 1 else None


def _indented_by_brackets(block: Sequence[str], unit: str, level: int) -> tuple[str, ...]:
    """A block in which no line is indented, each line as deep as the brackets above say, from ``level`` (in units) on;
    a block with any indented line as it is.
    """
    found = []
    for line in block:
        opened = sum(nesting([line])[:3])
        depth = level - line.startswith((")", "]", "}"))
        found.append(unit * depth + line if line else line)
        level = max(0, level + opened)
    return tuple(found) if not any(x[:1].isspace() for x in block) else tuple(block)


def _least_step(lines: Sequence[str]) -> str:
    """As many spaces as the smallest step is by which a line is deeper than the one above, blank lines and lines that
    begin with ``*`` aside; empty if no line is deeper.
    """
    steps = [
        len(indent_of(below)) - len(indent_of(above))
        for above, below in pairwise([x for x in lines if x.strip()])
        if len(indent_of(below)) > len(indent_of(above)) and not below.lstrip().startswith("*")
    ]
    return " " * min(steps) if steps else ""
