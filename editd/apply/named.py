"""A sketch that is one whole definition and nothing else: it replaces the one of that name.

No marker stands anywhere in it, so nothing of the definition is left out. Without an own line above
its first one, decorators and comments that the buffer has there stay.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from editd.apply.lines import Lines, indent_of, moved_to, nesting
from editd.apply.places import Place
from editd.apply.sketch import Piece
from editd.diff.matching import is_weak
from editd.pieces import whole
from editd.prompts.outline import Definition, outline


def place_by_name(piece: Piece, lines: Lines, language: str) -> Place | None:
    """Where the definition stands whose name the piece's has; ``None`` where that is not certain."""
    if piece.marked_above or piece.marked_below or not language:
        return None
    own = moved_to(piece.lines, "")
    new = None if own is None else _whole(own, language)
    if own is None or new is None:
        return None
    found = [
        one
        for one in whole(outline([line + "\n" for line in lines.raw], language))
        if one.name == new.name and one.is_block
    ]
    if len(found) != 1:
        return None
    old = found[0]
    start = _head(lines.keys, old)
    if start is None or len(lines.where_bare[lines.keys[start].strip()]) > 1:
        return None  # text that does not parse may hide another one
    if _head(own, new) != 0:
        return None  # decorators and comments of its own: do they replace or join the old ones?
    given, wanted = indent_of(piece.lines[0]), indent_of(lines.keys[start])
    if len(given) > len(wanted):
        return None  # it may be meant to stand deeper than it does
    moved = moved_to(piece.lines, wanted)
    if given != wanted and moved is not None and moved[0].rstrip() != lines.keys[start]:
        return None  # with another first line it may be meant to leave its class
    if moved is None or not _is_alike(moved, lines.keys[start : old.end]):
        return None
    if any(nesting(lines.keys[old.start : old.end])) or any(nesting(moved)):
        return None  # of text that does not parse nobody knows where a definition ends
    place = Place(start, old.end, moved, 0, 0)
    keys = [line.rstrip() for line in moved]
    most = min(len(keys), old.end - start)
    above = min(lines.run_down(keys, start), most)
    below = min(lines.run_up(keys, old.end), most - above)
    return Place(place.start, place.end, moved, above, below)


def _whole(piece: Sequence[str], language: str) -> Definition | None:
    """The one definition that the piece is, from its first line to its last."""
    found = [one for one in whole(outline([f"{x}\n" for x in piece], language)) if one.is_block]
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
    """Whether the piece goes to the definition's end, and is of this definition.

    Its last line is the old one's. A piece that shows the beginning alone would delete the rest.
    """
    if new[-1].rstrip() != old[-1]:
        return False
    body = {line for line in old[1:-1] if not is_weak(line)}
    own = new[0].rstrip() == old[0]
    return (own and not is_weak(new[-1])) or any(line.rstrip() in body for line in new[1:-1])
