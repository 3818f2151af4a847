"""Search/replace blocks, in the forms of aider and Cline.

aider: ``<<<<<<< SEARCH``, ``=======``, ``>>>>>>> REPLACE``, with the file's name above. Cline:
``------- SEARCH``, ``=======``, ``+++++++ REPLACE``. Five to nine signs are accepted, since models
miscount.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from pathlib import PurePosixPath

from editd.apply.block import Block
from editd.apply.markers import is_marker
from editd.apply.outcome import Doubt

_SEARCH = re.compile(r"\s*(?:<{5,9}|-{5,9}) ?SEARCH>?\s*")
_MIDDLE = re.compile(r"\s*={5,9}\s*")
_REPLACE = re.compile(r"\s*(?:>{5,9}|\+{5,9}) ?REPLACE>?\s*")
_NAME = re.compile(r"[\s*`#]*([\w.~][\w./\\ -]*\.\w+|Makefile|Dockerfile)[\s*`:]*")


def is_one(lines: Sequence[str], known: Collection[str]) -> bool:
    """Whether some line opens a block and is not a line of the buffer."""
    return any(_SEARCH.fullmatch(line) and line.strip() not in known for line in lines)


def blocks(lines: Sequence[str], path: str) -> tuple[Block, ...]:
    """The blocks for the file ``path``, in order. Those for other files are ignored."""
    found: list[Block] = []
    others: set[str] = set()
    position = 0
    name = ""
    while position < len(lines):
        if not _SEARCH.fullmatch(lines[position]):
            position += 1
            continue
        named = _name_above(lines, position)
        name = named or name
        middle = _next(_MIDDLE, lines, position)
        end = _next(_REPLACE, lines, middle)
        if any(_SEARCH.fullmatch(line) for line in lines[position + 1 : end]):
            raise Doubt(_BROKEN.format(position + 1), position)
        if _MIDDLE.fullmatch("".join(lines[middle + 1 : end])) or any(
            _MIDDLE.fullmatch(line) for line in lines[middle + 1 : end]
        ):
            raise Doubt(
                f"The search/replace block at line {position + 1} has more than one line of =======; "
                "apply that change by hand.",
                position,
            )
        block = Block(tuple(lines[position + 1 : middle]), tuple(lines[middle + 1 : end]), position)
        if any(map(is_marker, block.old)) or any(
            is_marker(line, {old.strip() for old in block.old}) for line in block.new
        ):
            raise Doubt(
                f"The search/replace block at line {position + 1} leaves lines out (“...”); write "
                "them.",
                position,
            )
        if name and path and PurePosixPath(name).name != PurePosixPath(path).name:
            others.add(name)
        else:
            found.append(block)
        position = end + 1
    if not found:
        raise Doubt(f"The blocks change {', '.join(sorted(others))}, not this file.", final=True)
    return tuple(found)


_BROKEN = (
    "The search/replace block at line {} has no end: it needs a line of ======= and one that says "
    "REPLACE."
)


def _next(wanted: re.Pattern[str], lines: Sequence[str], after: int) -> int:
    for position in range(after + 1, len(lines)):
        if wanted.fullmatch(lines[position]):
            return position
    raise Doubt(_BROKEN.format(after + 1), after)


def _name_above(lines: Sequence[str], position: int) -> str:
    """The file's name on the line above, or above a fence on that line."""
    for line in reversed(lines[max(0, position - 2) : position]):
        if line.lstrip().startswith(("```", "~~~")):
            continue
        match = _NAME.fullmatch(line)
        return match[1].replace("\\", "/").strip() if match else ""
    return ""
