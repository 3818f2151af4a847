"""Places all pieces of a sketch together, so that none changes what another changes or shows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import pairwise

from editd.apply.lines import Lines, indent_of, num_found, shifted
from editd.apply.named import place_by_name
from editd.apply.nearest import nearest
from editd.apply.otherwise import doubted
from editd.apply.outcome import Doubt
from editd.apply.places import NoPlace, Place, place
from editd.apply.shape import are_shaped, is_shaped
from editd.apply.sketch import Piece
from editd.diff.matching import is_weak


def place_pieces(pieces: Sequence[Piece], lines: Lines, language: str) -> list[Place | NoPlace]:
    """A place for each piece that has one, in the sketch's order.

    Raises ``Doubt`` with one sentence where no piece can be relied on.
    """
    if len(pieces) == 1 and (named := place_by_name(pieces[0], lines, language)) is not None:
        _refuse_blank_border(pieces[0], named, lines)
        return [named]
    _refuse_other_file(pieces, lines)
    layout = _is_layout(pieces)
    found = [_place(piece, lines, layout=layout) for piece in pieces]
    known = 0
    while known < (known := sum(_where(one) is not None for one in found)):
        found = _placed_beside(found, pieces, lines, layout=layout)
    for piece, one in zip(pieces, found, strict=True):
        if isinstance(one, Place):
            _refuse_border(piece, one, lines, lone=len(pieces) == 1)
    places = [one for one in found if isinstance(one, Place)]
    _refuse_clashes(places)
    _refuse_still_and_out_of_order(places)
    return doubted(found, lines)


def _placed_beside(
    found: Sequence[Place | NoPlace], pieces: Sequence[Piece], lines: Lines, *, layout: bool
) -> list[Place | NoPlace]:
    """Tries the pieces without a place again, now that others have one.

    If all certain pieces show three lines around their changes, the others do too. And no piece changes
    another's lines.
    """
    taken = [place for one in found if (place := _where(one)) is not None]
    shown = [row for one in found if isinstance(one, Place) for row in _rows(one)]
    context = min(shown) if len(shown) >= _ENOUGH_ROWS else 1
    beside: list[Place | NoPlace] = []
    for piece, one in zip(pieces, found, strict=True):
        others = [other for other in taken if other is not _where(one)]
        beside.append(
            one
            if isinstance(one, Place)
            else _place(piece, lines, others, layout=layout, context=context)
        )
    return beside


def _where(found: Place | NoPlace) -> Place | None:
    """The piece's place, or the only place that it could have."""
    return found if isinstance(found, Place) else found.only


_ENOUGH_ROWS = 4


def _rows(found: Place) -> tuple[int, ...]:
    """How many lines the piece shows above and below its change."""
    return () if found.changes_nothing else (found.above, found.below)


def _refuse_still_and_out_of_order(places: Sequence[Place]) -> None:
    in_order = all(first.start <= second.start for first, second in pairwise(places))
    if not in_order and any(one.changes_nothing and len(one.lines) > 1 for one in places):
        raise Doubt(
            "The parts of the sketch are in another order than in "
            "the file, and one of them would change nothing; put them in order."
        )


def _is_layout(pieces: Sequence[Piece]) -> bool:
    """Whether blank lines are layout: there is one between each piece and each marker beside it."""
    sides = [
        blank
        for piece in pieces
        for marked, blank in (
            (piece.marked_above, piece.blank_above),
            (piece.marked_below, piece.blank_below),
        )
        if marked
    ]
    return len(sides) > 1 and all(sides)


def _place(
    piece: Piece, lines: Lines, taken: Sequence[Place] = (), *, layout: bool, context: int = 1
) -> Place | NoPlace:
    """Its place with the blank lines at its edges. If they are layout, its place without them.

    Then both places must agree.
    """
    beside = partial(place, lines=lines, context=context, taken=taken)
    above = piece.blank_above if piece.marked_above else 0
    below = piece.blank_below if piece.marked_below else 0
    around = piece.blank_above, piece.blank_below
    kept = _as_indented(piece.lines, lines, *around, beside)
    if isinstance(kept, NoPlace) and not kept.found and around != (above, below):
        # At an end of the sketch without a marker, blank lines that the file does not have are layout.
        kept = _as_indented(piece.lines, lines, above, below, beside)
    if not layout:
        return kept
    bare = beside(piece.lines, careful_above=above > 0, careful_below=below > 0)
    if isinstance(kept, NoPlace) or isinstance(bare, NoPlace):
        return bare
    inside = kept.start + above == bare.start and kept.end - below == bare.end
    return kept if inside else NoPlace(0, (kept.start, bare.start))


def _as_indented(
    piece: tuple[str, ...],
    lines: Lines,
    above: int,
    below: int,
    beside: Callable[..., Place | NoPlace],
) -> Place | NoPlace:
    """Its place as it is indented, or else its only place in another indentation.

    above, below: the number of blank lines around it. beside: ``place``, with its other arguments set.
    """

    def at(moved: tuple[str, ...], *, shifted: bool) -> Place | NoPlace:
        around = ("",) * above + moved + ("",) * below
        return beside(around, careful_above=shifted, careful_below=shifted, shifted=shifted)

    as_it_is = at(piece, shifted=False)
    own = num_found(piece, lines)
    others = shifted(piece, lines)
    better = any(num_found(moved, lines) > own for moved in others)
    if isinstance(as_it_is, Place):
        as_good = (at(moved, shifted=False) for moved in others if num_found(moved, lines) == own)
        if better or any(isinstance(one, Place) or one.found for one in as_good):
            return NoPlace(0, (as_it_is.start,))
        return as_it_is
    if as_it_is.found and not (better and (above or below)):
        return as_it_is
    if any(_is_shallower(moved, piece) for moved in others):
        return as_it_is  # deeper than the file's lines, it may be meant to move into a block
    if not _is_at_margin(piece) and any(_is_shallower(piece, moved) for moved in others):
        return as_it_is  # shallower, but not at the margin, it may be meant to move out
    # An indentation does not count if the piece has no place with it, or if the file has clearly fewer of
    # the piece's lines in it than in the best one.
    most = max(num_found(moved, lines) for moved in others) if others else 0
    likely = [moved for moved in others if num_found(moved, lines) > most - _LEAD]
    found = [at(moved, shifted=True) for moved in likely]
    found = [one for one in found if isinstance(one, Place) or one.found]
    if not found or not all(isinstance(one, Place) for one in found):
        return as_it_is
    places = [one for one in found if isinstance(one, Place)]
    places.sort(key=lambda one: num_found(one.lines, lines))
    best = places[-1]
    same = all((one.start, one.end) == (best.start, best.end) for one in places)
    tied = len(places) > 1 and num_found(places[-2].lines, lines) == num_found(best.lines, lines)
    # If the shifted piece changes nothing, the change of indentation may be the intended one.
    certain = same and not tied and not best.changes_nothing and is_shaped(best, lines)
    certain = certain and _is_by_levels(piece, best.lines)
    return best if certain else NoPlace(0, tuple(one.start for one in places))


_LEAD = 2


def _is_at_margin(piece: Sequence[str]) -> bool:
    """Whether some of its lines are at the margin, other than lines of a string."""
    if not indent_of(piece[0]) or not indent_of(piece[-1]):
        return True
    return any(line and not indent_of(line) for line in piece) and are_shaped(piece)


def _is_by_levels(piece: Sequence[str], moved: Sequence[str]) -> bool:
    """Whether the lines at the margin were moved by whole levels, or are all lines of a comment."""
    at_margin = [line for line in piece if line and not indent_of(line)]
    first = next((number for number, line in enumerate(piece) if line and not indent_of(line)), 0)
    depth = indent_of(next(line for line in moved if line.strip() == piece[first].strip()))
    return len(depth.replace("\t", "  ")) % 2 == 0 or all(line[0] == "*" for line in at_margin)


def _is_shallower(moved: Sequence[str], piece: Sequence[str]) -> bool:
    before, after = indent_of(piece[0]), indent_of(moved[0])
    return len(after) < len(before) and before.startswith(after)


def _refuse_other_file(pieces: Sequence[Piece], lines: Lines) -> None:
    """If no line of the sketch is in the file, a model cannot know its place either."""
    strong = [line for piece in pieces for line in piece.lines if not is_weak(line)]
    if strong and not any(line.strip() in lines.where_bare for line in strong):
        raise Doubt(
            "None of the sketch's lines is in the file, so its place is unknown"
            f"{nearest(strong[0], lines)}; name the file that it is for.",
            pieces[0].at,
            final=True,
        )


_FEW_LINES = 25
_MANY_LINES = 60


def _refuse_border(piece: Piece, found: Place, lines: Lines, *, lone: bool) -> None:
    """Without a marker at the sketch's beginning or end, the file's lines there may stay or go.

    The marker is taken to be forgotten only if many lines are there. Fewer are enough for a sketch
    without any marker, which shows a part of the file.
    """
    forgotten = lone and not piece.marked_above and not piece.marked_below
    few = _FEW_LINES if forgotten else _MANY_LINES
    above, below = found.start, len(lines) - found.end
    _refuse_blank_border(piece, found, lines)
    for marked, left, side, number in (
        (piece.marked_above, above, "above", piece.at),
        (piece.marked_below, below, "below", piece.at + len(piece.lines) - 1),
    ):
        if not marked and left and (left <= few or found.changes_nothing):
            raise Doubt(
                f"The sketch has no marker {side} line {number + 1}, and the file has {left} more "
                f"{'line' if left == 1 else 'lines'} there; add a marker if they stay.",
                number,
            )


def _refuse_blank_border(piece: Piece, found: Place, lines: Lines) -> None:
    """Blank lines at an end of the sketch without a marker are in doubt: they may be layout or new.

    At an end of the file that has the same blank lines there is no doubt.
    """
    own = piece.lines
    top = found.start + (0 if found.lines[0].strip() else piece.blank_above)
    end = found.end - (0 if found.lines[-1].strip() else piece.blank_below)
    for marked, blank, beyond, what, number in (
        (piece.marked_above, piece.blank_above, lines.keys[:top], "begins", piece.at - 1),
        (piece.marked_below, piece.blank_below, lines.keys[end:], "ends", piece.at + len(own)),
    ):
        if not marked and blank and beyond != ("",) * blank:
            raise Doubt(
                f"The sketch {what} with a blank line, which may stay or be new; leave it out, or "
                "add a marker beyond it.",
                number,
            )


def _refuse_clashes(places: Sequence[Place]) -> None:
    """No piece may change what another changes or shows. Two pieces may show the same lines."""
    ordered = sorted(places, key=lambda one: (one.start, one.end))
    for number, first in enumerate(ordered):
        for second in ordered[number + 1 :]:
            if second.start >= first.end:
                break
            if first.clashes(second.start, second.end, *second.core):
                raise Doubt(
                    f"Two parts of the sketch include line {second.start + 1} of the file, and one "
                    "of them changes it; apply them one after the other."
                )


def why_not(piece: Piece, found: NoPlace, lines: Lines) -> tuple[str, int]:
    """One sentence that says why a piece has no place, and the line of the sketch that it is about."""
    number = piece.at + (0 if found.edge == 0 else len(piece.lines) - 1)
    if found.reason:
        return found.reason, number
    line = piece.lines[found.edge].strip()
    shown = f"“{line[:60]}” (line {number + 1} of the sketch)"
    same = [index for index in found.found if lines.keys[index].strip() == line]
    if len(same) > 1:
        places = " and ".join(str(index + 1) for index in same[:2])
        return (
            (
                f"{shown} stands {len(same)} times in the file, first at lines {places}; show "
                f"more lines {'above' if found.edge == 0 else 'below'} the change."
            ),
            number,
        )
    if found.found:
        return (
            f"{shown} does not say for certain where it belongs; show more lines around the change.",
            number,
        )
    side = "begin" if found.edge == 0 else "end"
    return (
        (
            f"{shown} is not in the file{nearest(line, lines)}; {side} each part of the sketch with a "
            "line that stays."
        ),
        number,
    )
