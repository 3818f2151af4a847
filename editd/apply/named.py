"""A sketch that is one whole definition and nothing else replaces the definition of that name.

It has no marker, so it leaves nothing out. Decorators and comments above the definition in the buffer
stay. A sketch with decorators or comments of its own is not placed here.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from editd.apply.lines import Lines, indent_of, moved_to, nesting
from editd.apply.places import Place
from editd.apply.sketch import Piece
from editd.diff.matching import is_weak
from editd.prompts.outline import Definition, outline


def place_by_name(piece: Piece, lines: Lines, language: str) -> Place | None:
    """The place of the definition of the same name; ``None`` if that is not certain."""
    if piece.marked_above or piece.marked_below or not language:
        return None
    own = moved_to(piece.lines, "")
    new = None if own is None else _whole(own, language)
    if own is None or new is None:
        return None
    found = [
        one
        for one in outline([line + "\n" for line in lines.raw], language)
        if one.name == new.name and one.is_block
    ]
    if len(found) != 1:
        return None
    old = found[0]
    start = _head(lines.keys, old)
    if start is None or len(lines.where_bare[lines.keys[start].strip()]) > 1:
        return None  # in text that does not parse the outline may miss another definition
    if _head(own, new) != 0:
        return None  # its own decorators and comments may replace the old ones or join them
    given, wanted = indent_of(piece.lines[0]), indent_of(lines.keys[start])
    if len(given) > len(wanted):
        return None  # the sketch may be meant to move it deeper
    moved = moved_to(piece.lines, wanted)
    if given != wanted and moved is not None and moved[0].rstrip() != lines.keys[start]:
        return None  # its first line differs, so it may be meant to leave its class
    if moved is None or not _is_alike(moved, lines.keys[start : old.end]):
        return None
    if any(nesting(lines.keys[old.start : old.end])) or any(nesting(moved)):
        return None  # in text that does not parse the end of a definition is unknown
    place = Place(start, old.end, moved, 0, 0)
    keys = [line.rstrip() for line in moved]
    most = min(len(keys), old.end - start)
    above = min(lines.run_down(keys, start), most)
    below = min(lines.run_up(keys, old.end), most - above)
    return Place(place.start, place.end, moved, above, below)


def _whole(piece: Sequence[str], language: str) -> Definition | None:
    """The definition that spans the whole piece, if there is exactly one."""
    found = [one for one in outline([f"{x}\n" for x in piece], language) if one.is_block]
    all_of_it = [one for one in found if (one.start, one.end) == (0, len(piece))]
    return all_of_it[0] if len(all_of_it) == 1 and len(piece) > 1 else None


def _head(lines: Sequence[str], definition: Definition) -> int | None:
    """The line that names the definition, below its decorators and comments."""
    named = re.compile(rf"(?<![\w@]){re.escape(definition.name)}(?!\w)")
    for index in range(definition.start, definition.end):
        bare = lines[index].lstrip()
        if not bare.startswith(("@", "#", "//", "/*", "*", "--")) and named.search(bare):
            return index
    return None


def _is_alike(new: Sequence[str], old: Sequence[str]) -> bool:
    """Whether the piece is a version of this definition and reaches its end.

    Both have the same last line. A piece with the beginning alone would delete the rest.
    """
    if new[-1].rstrip() != old[-1]:
        return False
    body = {line for line in old[1:-1] if not is_weak(line)}
    own = new[0].rstrip() == old[0]
    return (own and not is_weak(new[-1])) or any(line.rstrip() in body for line in new[1:-1])
