"""Reads a sketch by the names of its definitions, and gives each its place in the file.

A definition that is shown whole takes the place of the file's one of its name. One that is shown in part is
a stretch of the file, in which its lines have their place. What stands between two such places is aligned with
what the file has there (``align``), or is new there, beside its neighbour. So nothing that the sketch does
not mention can go.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from math import prod

from editd.apply.additions import (
    ANEW,
    ELSEWHERE,
    read_imports,
    read_versions,
    usual_gap,
)
from editd.apply.align import align
from editd.apply.indent import reindented
from editd.apply.lines import (
    IMPORT,
    Head,
    Lines,
    indent_of,
    likeness,
    num_strong,
    stripped,
)
from editd.apply.outcome import CERTAIN, LIKELY, NAMED, UNSURE, Aligned, Change
from editd.apply.pieces import Names, Piece, Unread
from editd.apply.sketch import Part
from editd.apply.support import Placed
from editd.diff.matching import is_weak

_ALIKE = 0.65  # a new line and the one above a definition that it may be a version of
_UNSEEN = 0.49  # lines go at an edge that no line shows


def read_by_name(
    blocks: Sequence[Sequence[str]],
    lines: Lines,
    is_marker: Callable[[str], bool],
) -> Aligned | None:
    """The reading; ``None`` if the sketch is not made of definitions, or not in the file's order."""
    names = Names(lines, is_marker)
    try:
        pieces = names.pieces(blocks)
        marked = any(is_marker(line) for block in blocks for line in block)
        if len(pieces) == 1 and pieces[0].is_only and not marked and names.is_alone(pieces[0]):
            return Aligned((names.replaced(pieces[0], sure=CERTAIN),), CERTAIN)
        changes = sorted(
            _Placing(names, pieces, marked=marked).changes(), key=lambda one: (one.start, one.end)
        )
    except Unread:
        return None
    if any(one.end > two.start for one, two in pairwise(changes)):
        return None
    every = [one.sure for one in changes]
    return Aligned(
        tuple(changes), max(prod(every), min(UNSURE, *every, 1.0))
    )  # each is looked at alone


def _are_imports(group: Sequence[Piece]) -> bool:
    told = [x for one in group for x in one.lines if x]
    return bool(told) and all(map(IMPORT.match, told))


def _told_together(group: Sequence[Piece]) -> list[str]:
    """Their lines, with the blank lines that the sketch has between them, or one between two definitions."""
    found = [*group[0].lines] if group else []
    for above, one in pairwise(group):
        blank = [above.blank[1]] * (above.kind == "lines") + [one.blank[0]] * (one.kind == "lines")
        found += [*[""] * max(blank, default=1), *one.lines]
    return found


class _Placing:
    """What becomes of the file's lines between the places that names give."""

    def __init__(self, names: Names, pieces: Sequence[Piece], *, marked: bool) -> None:
        self.names, self.pieces, self.marked = names, pieces, marked
        self.lines, self.file = names.lines, names.lines.keys
        # Without a marker, and with most of the file's lines, it shows all of the file.
        shown = {x.strip() for one in pieces for x in one.lines}
        strong = [x.strip() for x in self.file if not is_weak(x)]
        self.whole = not any(one.kind in ("marker", "opens") for one in pieces) and (
            sum(x in shown for x in strong) >= 0.7 * len(strong)
        )

    def changes(self) -> Iterator[Change]:
        """All of them. Raises ``Unread`` if some piece has no place."""
        run: list[Piece] = []
        above: Piece | None = None
        for piece in [*self.pieces, None]:
            if piece is not None and piece.kind in ("marker", "lines", "new"):
                run.append(piece)
                continue
            if any(one.kind != "marker" for one in run):
                yield from self._run(run, above, piece)
            if piece is not None and piece.kind == "head":
                yield Change(piece.start, piece.end, piece.lines, NAMED)
            if piece is not None and piece.kind == "known":
                yield self.names.replaced(piece, marked=self.marked)
            run, above = [], piece

    def _run(
        self, run: Sequence[Piece], above: Piece | None, below: Piece | None
    ) -> Iterator[Change]:
        """Pieces between two places in the file."""
        low = above.end if above is not None else 0
        high = below.start if below is not None else len(self.file)
        groups: list[list[Piece]] = [[]]
        for piece in run:
            if piece.kind == "marker" or (piece.kind == "new" and _are_imports(groups[-1])):
                groups.append([])
            if piece.kind != "marker":
                groups[-1].append(piece)
        last = len(groups) - 1
        known = {x.strip() for x in self.file[low:high] if not is_weak(x)}
        changes: list[Change] = []
        aligned: list[Part] = []
        inserted: list[tuple[int, int]] = []  # after so many aligned parts, and the group
        for number, group in enumerate(groups):
            if all(is_weak(x) for one in group for x in one.lines):
                continue  # brackets close what a marker left open
            shown = stripped(_told_together(group))
            anew = read_versions(shown, self.lines, (low, high))
            if anew is None and _are_imports(group) and below is not None and not self.marked:
                anew = read_imports(shown, self.lines)
            if anew is not None:  # prose may say another place
                changes += (replace(x, sure=min(x.sure, LIKELY)) for x in anew.changes)
                continue
            if any(x.strip() in known for one in group if one.kind != "new" for x in one.lines):
                begins = number == 0 and (
                    self.whole or (above is not None and above.kind == "opens")
                )
                ends = number == last and (
                    self.whole or (below is not None and below.kind == "closes")
                )
                aligned.append(Part(self._fitted(shown, low, high), not begins, not ends))
            else:
                inserted.append((len(aligned), number))
        bottom = high
        while bottom > low and not self.file[bottom - 1]:
            bottom -= 1  # blank lines above a definition stay
        found = align(self.lines, aligned, (low, bottom)) if aligned and low < high else None
        if aligned and found is None:
            raise Unread
        there = found.changes if found is not None else ()
        changes += (
            replace(one, sure=min(one.sure, _UNSEEN)) if self._is_unseen(one, part) else one
            for one, part in zip(there, aligned, strict=True)
        )
        for count, number in inserted:
            top = there[count - 1].end if count else low
            bottom = there[count].start if count < len(there) else high
            changes.append(
                self._inserted(
                    groups[number],
                    (top, bottom),
                    above if number == 0 else None,
                    below if number == last else None,
                )
            )
        for one in changes:  # where there are markers, lines may be context of another change
            yield replace(one, sure=min(one.sure, LIKELY)) if self.marked else one

    def _is_unseen(self, one: Change, part: Part) -> bool:
        """Whether more lines go than come where no line shows on which side they end."""
        placed = Placed(self.lines, one.start, one.end, one.new)
        above, below = placed.rows
        return num_strong(placed.gone) > num_strong(placed.come) and bool(
            (part.above and not above) or (part.below and not below)
        )

    def _fitted(self, lines: tuple[str, ...], low: int, high: int) -> tuple[str, ...]:
        """Indented as the file indents the first of them that it has."""
        indents = {x.strip(): indent_of(x) for x in reversed(self.file[low:high])}
        first = next(x for x in lines if not is_weak(x) and x.strip() in indents)
        return tuple(
            reindented(lines, indent_of(first), indents[first.strip()], self.lines)
            if first not in self.file[low:high]
            else lines
        )

    def _inserted(
        self,
        group: Sequence[Piece],
        bounds: tuple[int, int],
        above: Piece | None,
        below: Piece | None,
    ) -> Change:
        """New lines between two known places: beside the piece that they stand beside in the sketch, else at the end."""
        low, high = bounds
        file, is_new = self.file, any(one.kind == "new" for one in group)
        lines = list(stripped(_told_together(group)))
        if any(self.names.has(x) for one in group if one.kind == "lines" for x in one.lines):
            raise Unread  # the file has them elsewhere
        if above is not None and above.kind == "opens":
            above = None
        if below is not None and below.kind == "closes":
            below = None
        inside: list[Head] = []
        beside = above if above is not None else below
        if beside is not None:
            if is_new and indent_of(lines[0]) != beside.given:
                raise Unread  # at another depth than its neighbour
            given, wanted = beside.given, indent_of(beside.lines[0])
        else:
            inside = [x for x in self.names.blocks if low <= x.start < high and not x.is_other]
            given = indent_of(lines[0])
            wanted = indent_of(file[inside[0].start]) if inside else given
            if low == 0 and (given if is_new else inside):
                raise Unread  # inside of something that is not shown
        lines = list(reindented(lines, given, wanted, self.lines))
        gap = [""] * usual_gap(self.lines, wanted) if is_new else []
        at_top = above is not None or below is None
        gap = gap or [""] * (group[0].blank[0] if at_top else group[-1].blank[1])
        # an import is hardly meant to stand beside a definition, and what the whole file is shown without, to stay
        stays = self.whole and any(not is_weak(x) for x in file[low:high])
        is_odd = stays or any(map(IMPORT.match, lines))
        sure, why = (LIKELY, ELSEWHERE) if is_odd else (NAMED, "")
        if above is not None:
            return Change(low, low, (*gap, *lines), sure, why=why)
        if (
            below is not None
            and high > low
            and likeness(lines[-1].strip(), file[high - 1].strip(), _ALIKE)
        ):
            new = (*lines, *gap)
            return Change(high - 1, high, new, LIKELY, why=ANEW.format(high))
        if below is not None:
            return Change(high, high, (*lines, *gap), sure, why=why)
        alike = [
            x for x in inside if is_new and x.end <= high and indent_of(file[x.head]) == wanted
        ]
        end = alike[-1].end if alike else high
        while end > low and not file[end - 1].strip():
            end -= 1
        holder = next((x for x in self.names.definitions if x.start < end < x.end), None)
        if is_new and holder is not None and indent_of(file[holder.start]) == wanted:
            # above the definition that it is used in
            return Change(holder.start, holder.start, (*lines, *gap), LIKELY, why=ELSEWHERE)
        return Change(end, end, (*gap, *lines), UNSURE, why=ELSEWHERE)
