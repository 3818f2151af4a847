"""Reads a sketch by the names of its definitions, and gives each its place in the file.

A definition that is shown whole takes the place of the file's one of its name. One that is shown in part is
a stretch of the file, in which its lines have their place. What stands between two such places is aligned with
what the file has there (``align``), or is new there, beside its neighbour. So nothing that the sketch does
not mention can go.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import pairwise
from math import prod

from editd.apply.doubts.support import Placed
from editd.apply.doubts.weighing import CLEAR, weighed
from editd.apply.outcome import CERTAIN, LIKELY, NAMED, SURE, UNSURE, Aligned, Change
from editd.apply.paste.segments import Part, Sketch
from editd.apply.readers.by_alignment import align
from editd.apply.readers.name_segments import Names, Piece, Unread
from editd.apply.readers.new_code import (
    read_versions,
    usual_gap,
)
from editd.apply.readers.new_imports import ANEW, ELSEWHERE, read_imports
from editd.apply.text.file_lines import (
    ABOVE,
    IMPORT,
    Lines,
    given_name,
    indent_of,
    likeness,
    num_strong,
    stripped,
)
from editd.apply.text.indent import reindented
from editd.diff.matching import is_weak

_ALIKE = 0.65  # a new line and the one above a definition that it may be a version of
_SAME_LINE = 0.5  # a new line below a definition's first one, and the file's that it may replace
_UNSEEN = 0.49  # lines go at an edge that no line shows
_MOST_SHOWN = 0.7  # least share of the file's lines in a sketch that shows all of it


def read_by_name(
    blocks: Sequence[Sequence[str]],
    lines: Lines,
    is_marker: Callable[[str], bool],
) -> Aligned | None:
    """The reading; ``None`` if it changes nothing, or the sketch is not made of definitions in the file's order."""
    names = Names(lines, is_marker)
    sketch = Sketch(
        (), tuple(map(tuple, blocks)), marked=any(is_marker(x) for block in blocks for x in block)
    )
    try:
        pieces = names.pieces(blocks)
        alone = len(pieces) == 1 and pieces[0].is_only and not sketch.marked
        if alone and names.is_alone(pieces[0]):
            return Aligned((names.replaced(pieces[0], sure=CERTAIN),), CERTAIN)
        found = list(_placed(names, pieces, sketch))
    except Unread:
        return None
    changes = sorted(
        (one for each in found for one in each.changes), key=lambda one: (one.start, one.end)
    )
    is_same = all(lines.keys[one.start : one.end] == one.new for one in changes)
    if is_same or any(one.end > two.start for one, two in pairwise(changes)):
        return None
    least = min((one.sure for one in changes), default=CERTAIN)
    return Aligned(tuple(changes), max(prod(one.sure for one in found), min(UNSURE, least)))


def _placed(names: Names, pieces: Sequence[Piece], sketch: Sketch) -> Iterator[Aligned]:
    """The definitions and what is between them. Raises ``Unread`` if some piece has no place."""
    shown = {x.strip() for one in pieces for x in one.lines}
    strong = [x.strip() for x in names.file if not is_weak(x)]
    whole = not any(one.kind in ("marker", "opens") for one in pieces) and (
        sum(x in shown for x in strong) >= _MOST_SHOWN * len(strong)
    )
    run: list[Piece] = []
    above: Piece | None = None
    for piece in [*pieces, None]:
        if piece is not None and piece.kind in ("marker", "lines", "new"):
            run.append(piece)
            continue
        if any(one.kind != "marker" for one in run):
            yield _Between(names, sketch, run, above, piece, whole=whole).read()
        if piece is not None and piece.kind in ("head", "known"):
            one = Change(piece.start, piece.end, piece.lines, NAMED)
            if piece.kind == "known":
                one = names.replaced(piece, marked=sketch.marked)
            yield Aligned((one,), one.sure)
        run, above = [], piece


class _Between:
    """Pieces between two places that names give, and the file's lines ``low .. high`` there.

    above, below: the pieces that have these places. whole: whether the sketch shows all of the file.
    """

    def __init__(
        self,
        names: Names,
        sketch: Sketch,
        run: Sequence[Piece],
        above: Piece | None,
        below: Piece | None,
        *,
        whole: bool,
    ) -> None:
        self.names, self.lines, self.file = names, names.lines, names.file
        self.sketch, self.above, self.below, self.whole = sketch, above, below, whole
        self.low = above.end if above is not None else 0
        self.high = below.start if below is not None else len(self.file)
        self.groups: list[list[Piece]] = [[]]
        for piece in run:
            if piece.kind == "marker" or (piece.kind == "new" and _are_imports(self.groups[-1])):
                self.groups.append([])
            if piece.kind != "marker":
                self.groups[-1].append(piece)

    def read(self) -> Aligned:
        """What becomes of these lines. Raises ``Unread`` if some piece has no place."""
        changes: list[Change] = []
        parts: list[Part] = []
        new: list[tuple[int, int]] = []  # after so many parts, and the group
        for number, group in enumerate(self.groups):
            if all(is_weak(x) for one in group for x in one.lines):
                continue  # brackets close what a marker left open
            shown = stripped(_told_together(group))
            if number == 0 and (below := self._below_head(shown)) is not None:
                changes.append(below)
                continue
            if (anew := self._read_anew(group, shown)) is not None:  # prose may say another place
                changes += (replace(x, sure=min(x.sure, LIKELY)) for x in anew.changes)
            elif any(self._is_here(x) for one in group if one.kind != "new" for x in one.lines):
                parts.append(self._part(number, shown))
            else:
                new.append((len(parts), number))
        there, clear = self._aligned(parts)
        changes += there
        for count, number in new:
            top = there[count - 1].end if count else self.low
            bottom = there[count].start if count < len(there) else self.high
            changes.append(self._inserted(number, top, bottom))
            if changes[-1].sure == NAMED and all(x.kind == "new" for x in self.groups[number]):
                clear.add(changes[-1])
        if self.sketch.marked:  # lines may be context of another change
            capped = [replace(x, sure=min(x.sure, LIKELY)) for x in changes]
            told = [
                replace(x, sure=SURE) if x in clear else y
                for x, y in zip(changes, capped, strict=True)
            ]
            return Aligned(tuple(told), prod(x.sure for x in capped))
        return Aligned(tuple(changes), prod(x.sure for x in changes))

    @cached_property
    def known(self) -> set[str]:
        """The file's lines here that say something, stripped."""
        return {x.strip() for x in self.file[self.low : self.high] if not is_weak(x)}

    # --- lines of the file ---

    def _is_here(self, line: str) -> bool:
        """Whether the file has the line here, or a version of it that gives the same name a value."""
        given = self.lines.where_given.get(given_name(line) or "\n", ())
        here = [self.file[n].strip() for n in given if self.low <= n < self.high]
        is_version = len(here) == 1 and likeness(line.strip(), here[0], _ALIKE) > 0
        return line.strip() in self.known or is_version

    def _read_anew(self, group: Sequence[Piece], shown: tuple[str, ...]) -> Aligned | None:
        """Versions of the file's lines, and imports above definitions."""
        if _are_imports(group) and self.below is not None and not self.sketch.marked:
            return read_imports(shown, self.lines)
        return read_versions(shown, self.lines, (self.low, self.high))

    def _part(self, number: int, shown: tuple[str, ...]) -> Part:
        """A group to align: indented as the file indents the first line of it that it has."""
        begins = number == 0 and (self.whole or _is(self.above, "opens"))
        ends = number + 1 == len(self.groups) and (self.whole or _is(self.below, "closes"))
        here = self.file[self.low : self.high]
        indents = {x.strip(): indent_of(x) for x in reversed(here)}
        first = next((x for x in shown if not is_weak(x) and x.strip() in indents), here[0])
        if first not in here:
            shown = tuple(reindented(shown, indent_of(first), indents[first.strip()], self.lines))
        return Part(shown, not begins, not ends)

    def _aligned(self, parts: Sequence[Part]) -> tuple[list[Change], set[Change]]:
        """The parts' changes, and those of them that nothing speaks against within these lines."""
        if not parts:
            return [], set()
        low, bottom = self.low, self._end(self.low, self.high)  # blank lines stay
        found = align(self.lines, parts, (low, bottom)) if low < self.high else None
        if found is None:
            raise Unread
        inner = Lines(self.file[low:bottom], self.lines.language)
        moved = [replace(x, start=x.start - low, end=x.end - low) for x in found.changes]
        told = weighed(replace(found, changes=tuple(moved)), parts, self.sketch, inner).changes
        changes: list[Change] = []
        clear: set[Change] = set()
        for given, part, inside in zip(found.changes, parts, told, strict=True):
            one = replace(given, doubts=tuple(f"in {x}" for x in inside.doubts))
            if self._is_unseen(one, part):
                one = replace(one, sure=min(one.sure, _UNSEEN), doubts=(*one.doubts, "unseen"))
            if {"beside", "context", "thin"} & {*inside.doubts}:
                one = replace(one, sure=min(one.sure, LIKELY), why=inside.why)
            changes.append(one)
            if not inside.doubts and one.raw >= CLEAR:
                clear.add(one)
        return changes, clear

    def _is_unseen(self, one: Change, part: Part) -> bool:
        """Whether more lines go than come where no line shows on which side they end."""
        placed = Placed(self.lines, one.start, one.end, one.new)
        above, below = placed.rows
        return num_strong(placed.gone) > num_strong(placed.come) and bool(
            (part.above and not above) or (part.below and not below)
        )

    # --- new lines ---

    def _inserted(self, number: int, low: int, high: int) -> Change:
        """New lines within ``low .. high``: beside the piece that they stand beside in the sketch, else at the end."""
        group = self.groups[number]
        if any(self.names.has(x) for one in group if one.kind == "lines" for x in one.lines):
            raise Unread  # the file has them elsewhere
        above = self.above if number == 0 and not _is(self.above, "opens") else None
        below = (
            self.below if number + 1 == len(self.groups) and not _is(self.below, "closes") else None
        )
        beside = above if above is not None else below
        is_new = any(one.kind == "new" for one in group)
        shown = stripped(_told_together(group))
        inside = [x for x in self.names.blocks if low <= x.start < high and not x.is_other]
        # 1) how deep, and how many blank lines away
        given = wanted = beside.given if beside is not None else indent_of(shown[0])
        if beside is not None:
            wanted = indent_of(beside.lines[0])
        elif inside:
            wanted = indent_of(self.file[inside[0].start])
        if is_new and indent_of(shown[0]) != given:
            raise Unread  # at another depth than its neighbour
        if beside is None and low == 0 and (given if is_new else inside):
            raise Unread  # inside of something that is not shown
        lines = tuple(reindented(shown, given, wanted, self.lines))
        is_below = above is not None or below is None
        blank = group[0].blank[0] if is_below else group[-1].blank[1]
        gap = ("",) * ((usual_gap(self.lines, wanted) if is_new else 0) or blank)
        # 2) beside its neighbour
        # an import is hardly meant to stand beside a definition, and what the whole file is shown without, to stay
        stays = self.whole and any(not is_weak(x) for x in self.file[low:high])
        is_odd = stays or any(map(IMPORT.match, lines))
        sure, why = (LIKELY, ELSEWHERE) if is_odd else (NAMED, "")
        is_near = self.sketch.marked and any(one.kind != "new" for one in group)
        doubts = ("odd",) if is_odd else ("near",) if is_near else ()
        if above is not None:
            return Change(low, low, (*gap, *lines), sure, why, doubts)
        end = self._end(low, high)
        if (
            below is not None
            and end > low
            and _is_version(lines[-1], self.file[end - 1], is_near=end == high)
        ):
            new = (*lines, *(gap if end == high else ()))
            return Change(end - 1, end, new, LIKELY, ANEW.format(end), ("anew",))
        if below is not None:
            at = self._above_comment(low, high)
            return Change(at, at, (*lines, *gap), sure, why, doubts)
        # 3) below the last one of its kind
        alike = [x for x in inside if x.end <= high and indent_of(self.file[x.head]) == wanted]
        end = self._end(low, alike[-1].end if is_new and alike else high)
        holder = next((x for x in self.names.definitions if x.start < end < x.end), None)
        if is_new and holder is not None and indent_of(self.file[holder.start]) == wanted:
            # above the definition that it is used in
            new = (*lines, *gap)
            return Change(holder.start, holder.start, new, LIKELY, ELSEWHERE, ("user",))
        is_last = is_new and number + 1 == len(self.groups) and _is(self.below, "closes")
        kind = "last" if is_last else "loose"
        return Change(end, end, (*gap, *lines), UNSURE, ELSEWHERE, (kind,))

    def _above_comment(self, low: int, at: int) -> int:
        """Before the comments and decorators of the definition at ``at`` that the sketch leaves out."""
        while at > low and ABOVE.match(self.file[at - 1]):
            at -= 1
            if self.file[at].rstrip().endswith("*/"):
                opened = (n for n in range(at, low - 1, -1) if "/*" in self.file[n])
                at = next(opened, at)
        return at

    def _below_head(self, shown: Sequence[str]) -> Change | None:
        """New lines between the beginning of a definition and a marker for the rest of it, in their place."""
        rows = self.file[self.low : self.high]
        size = 0  # of the beginning that both have
        while size < min(len(shown), len(rows)) and shown[size].strip() == rows[size].strip():
            size += 1
        if (
            not _is(self.above, "opens")
            or len(self.groups) < 2
            or not 0 < size < len(shown)
            or not rows[0].endswith((":", "{"))
            or any(map(self._is_here, shown[size:]))
        ):
            return None
        lines = tuple(reindented(shown, indent_of(shown[0]), indent_of(rows[0]), self.lines))
        at = self._below_docstring() if size == 1 else self.low + size
        below = next((x.strip() for x in self.file[at : self.high] if x), "")
        if any(likeness(x.strip(), below, _SAME_LINE) for x in lines[size:]):
            return None  # a version of the line below
        blank = ("",) * (at > self.low + 1 and not lines[size])
        return Change(at, at, (*blank, *stripped(lines[size:])), NAMED)

    def _below_docstring(self) -> int:
        """The line below the first one of a definition, and below its docstring."""
        at = self.low + 1
        first = self.file[at].strip() if at < self.high else ""
        quotes = next((x for x in ('"""', "'''") if first.lstrip("rRbBuU").startswith(x)), "")
        if not quotes:
            return at
        ends = (n for n in range(at, self.high) if self.file[n].rstrip().endswith(quotes))
        return next((n + 1 for n in ends if n > at or first.count(quotes) > 1), at)

    def _end(self, low: int, high: int) -> int:
        """Before the blank lines above ``high``."""
        while high > low and not self.file[high - 1]:
            high -= 1
        return high


def _is(piece: Piece | None, kind: str) -> bool:
    return piece is not None and piece.kind == kind


def _is_version(line: str, old: str, *, is_near: bool) -> bool:
    """Whether a new line may be a version of an old one, which it goes on from, for example."""
    goes_on = line.strip().startswith(old.strip()) and " " in old.strip()
    return goes_on or (is_near and likeness(line.strip(), old.strip(), _ALIKE) > 0)


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
