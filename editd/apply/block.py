"""A hunk of a diff or a search/replace block: its old lines, its new lines, and where it applies."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from editd.apply.lines import Lines, num_strong, shifted
from editd.apply.outcome import Doubt
from editd.apply.places import Place


@dataclass(frozen=True, slots=True)
class Block:
    """``old`` becomes ``new``; lines without ends.

    at: 0-based line of the paste. line: 0-based line of the buffer that the hunk's header names;
    ``None`` if it names none.
    """

    old: tuple[str, ...]
    new: tuple[str, ...]
    at: int
    line: int | None = None


def place_block(block: Block, lines: Lines) -> tuple[Place, tuple[str, ...]]:
    """The place of the block's old lines, and these lines. Both are indented as the buffer is.

    If they occur more than once, the line that the block names decides. Raises ``Doubt``.
    """
    if not any(line.strip() for line in block.old):
        raise Doubt(
            f"The change at line {block.at + 1} of the paste shows no line of the file; show the "
            "lines above and below it.",
            block.at,
        )
    length = len(block.old)
    for moved in (block.old, *shifted(block.old, lines)):
        found = _found(moved, lines)
        if len(found) > 1 and block.line in found and moved is block.old:
            found = [block.line]
        if len(found) > 1:
            raise Doubt(
                f"The lines to change at line {block.at + 1} of the paste occur {len(found)} "
                f"times in the file, first at lines {found[0] + 1} and {found[1] + 1}; show "
                f"more lines "
                "around them.",
                block.at,
            )
        if found:
            new = block.new if moved is block.old else _moved_like(block, moved)
            start = found[0]
            return Place(start, start + length, new, 0, 0), moved
    raise Doubt(_nowhere(block, lines), block.at)


def _found(old: Sequence[str], lines: Lines) -> list[int]:
    keys = [line.rstrip() for line in old]
    first = lines.where.get(keys[0], ())
    if lines.is_too_much(len(first) * len(keys)):
        raise Doubt("The paste has too many lines that the file has too often; apply it in parts.")
    return [start for start in first if lines.run_down(keys, start) == len(keys)]


def _moved_like(block: Block, moved: Sequence[str]) -> tuple[str, ...]:
    """The new lines, with the change of indentation that made the old ones fit the buffer."""
    changes: dict[str, str] = {}
    for given, wanted in zip(block.old, moved, strict=True):
        if given.strip():
            before, after = _indents(given), _indents(wanted)
            if changes.setdefault(before, after) != after:
                raise Doubt(_INDENTATION.format(block.at + 1), block.at)
    given, wanted = next((g, m) for g, m in zip(block.old, moved, strict=True) if g.strip())
    less, more = _indents(given), _indents(wanted)
    new = []
    for line in block.new:
        if not line.strip():
            new.append("")
        elif _indents(line) in changes:
            new.append(changes[_indents(line)] + line.lstrip())
        elif more.endswith(less) and "\t" not in more + _indents(line):
            new.append(more[: len(more) - len(less)] + line)
        elif less.endswith(more) and line.startswith(less[: len(less) - len(more)]):
            new.append(line[len(less) - len(more) :])
        else:
            raise Doubt(_INDENTATION.format(block.at + 1), block.at)
    return tuple(new)


_INDENTATION = (
    "The change at line {} of the paste is indented otherwise than the file, in a way that its new "
    "lines do not follow; indent it as the file is."
)


def _indents(line: str) -> str:
    return line[: len(line) - len(line.lstrip())]


def _nowhere(block: Block, lines: Lines) -> str:
    """One sentence: the first line that the file does not have, and the nearest line that it has."""
    from editd.apply.nearest import nearest

    if num_strong(block.new) and (done := _found(block.new, lines)):
        return (
            f"The change at line {block.at + 1} of the paste is already in the file, at line "
            f"{done[0] + 1}; leave it out."
        )
    for line in block.old:
        if line.strip() and line.strip() not in lines.where_bare:
            return (
                f"“{line.strip()[:60]}” (a line to be changed, in the change at line {block.at + 1} of "
                f"the paste) is not in the file{nearest(line, lines)}; "
                "copy it as the file has it."
            )
    return (
        f"The lines to be changed at line {block.at + 1} of the paste do not stand together in the "
        "file; copy them from it."
    )
