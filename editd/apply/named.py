"""Reads a sketch by the names of its definitions, and gives each its place in the file.

A definition that is shown whole takes the place of the file's one of its name. One that is shown in part is
a stretch of the file, in which its lines have their place. What stands between two such places is aligned with
what the file has there (``align``), or is new there, beside its neighbour. So nothing that the sketch does
not mention can go.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from math import prod

from editd.apply.additions import (
    ELSEWHERE,
    definitions_in,
    is_overload,
    kind_of,
    read_versions,
    usual_gap,
)
from editd.apply.align import align
from editd.apply.lines import (
    ABOVE,
    CLOSES,
    IMPORT,
    SECTION,
    Head,
    Lines,
    called,
    heads_of,
    indent_of,
    likeness,
    nesting,
    num_strong,
    reindented,
    stripped,
)
from editd.apply.outcome import CERTAIN, LIKELY, NAMED, UNSURE, Aligned, Change
from editd.apply.sketch import Part, num_blank
from editd.apply.support import Placed
from editd.diff.matching import is_weak

_ENDS = "The paste ends this otherwise than the file does at line {}; look whether more of it should stay."
_MOST_GO = "Most of lines {} to {} would go; look whether the paste shows all of what it replaces."
_DEEPER = (
    "The sketch shows this in another depth than the file at line {}; look whether it should move."
)
_FLAT = "The paste has no indentation, and the file has at line {}; indent it like the file."
_NESTED = "This is taken for the function within another one at line {}; look whether it is."
_BEYOND = re.compile(
    r"\b(?:class|methods?|functions?|file|module)\b"
)  # what a marker below a definition stands for
_UNSEEN = 0.49
_TYPE = re.compile(r"\b(?:class|enum|interface|module|object|record|struct|trait|union)\b")
_COMMENT = re.compile(r"\s*(?:#(?!\[)|//|/\*|\*|--)")


@dataclass(frozen=True, slots=True)
class _Piece:
    """Lines of a sketch. kind: ``marker``; ``lines``; ``new``, a definition that the file has not; ``known``, one that
    takes the place of lines ``start .. end``; ``opens`` and ``closes``, where one begins and ends that is shown in part.

    blank: how many blank lines are above and below. given: the indentation of a definition in the sketch. is_only: the file has its name once, and it begins with
    the line that names it.
    """

    kind: str
    lines: tuple[str, ...] = ()
    start: int = 0
    end: int = 0
    blank: tuple[int, int] = (0, 0)
    given: str = ""
    is_only: bool = False
    is_nested: bool = False


class _Unread(Exception):
    """The sketch is not to be read by names."""


def read_by_name(
    blocks: Sequence[Sequence[str]],
    lines: Lines,
    is_marker: Callable[[str], bool],
) -> Aligned | None:
    """The reading; ``None`` if the sketch is not made of definitions, or not in the file's order."""
    names = _Names(lines, is_marker)
    try:
        pieces = names.pieces(blocks)
        marked = any(is_marker(line) for block in blocks for line in block)
        if len(pieces) == 1 and pieces[0].is_only and not marked and names.is_alone(pieces[0]):
            return Aligned((names.replaced(pieces[0], sure=CERTAIN),), CERTAIN)
        changes = sorted(
            _Placing(names, pieces, marked=marked).changes(), key=lambda one: (one.start, one.end)
        )
    except _Unread:
        return None
    if any(one.end > two.start for one, two in pairwise(changes)):
        return None
    every = [one.sure for one in changes]
    return Aligned(
        tuple(changes), max(prod(every), min(UNSURE, *every, 1.0))
    )  # each is looked at alone


class _Names:
    """A file's definitions, and a sketch as such."""

    def __init__(self, lines: Lines, is_marker: Callable[[str], bool]) -> None:
        self.lines, self.is_marker = lines, is_marker
        self.file, self.blocks = lines.keys, lines.blocks
        self.definitions = lines.definitions

    def pieces(self, blocks: Sequence[Sequence[str]]) -> list[_Piece]:
        """The sketch's pieces in order, those of a definition that is shown in part between its ends."""
        found: list[_Piece] = []
        for number, block in enumerate(blocks):
            if number:
                found.append(_Piece("marker"))
            found += self._of(block, self._own(block), 0, len(self.file))
        kinds = {one.kind for one in found}
        if not kinds & {"known", "opens"} and not (
            "new" in kinds and any(self.has(line) for block in blocks for line in block)
        ):
            raise _Unread
        for one, below in zip(found, [*found[1:], _Piece("marker")], strict=True):
            ends = below.kind == "marker" and any(map(_BEYOND.search, below.lines))
            if self._is_clipped(one) and not ends:
                raise _Unread
        return found

    def has(self, line: str) -> bool:
        return not is_weak(line) and line.strip() in self.lines.where_bare

    # --- the sketch's definitions ---

    def _own(self, block: Sequence[str]) -> list[Head]:
        """Definitions and other blocks that the file has, none in a function, without markers and blank lines at their ends."""
        least = min((indent_of(x) for x in block if x.strip()), key=len, default="")
        bare = [x.removeprefix(least) for x in block]
        told = definitions_in(bare, self.lines.language)
        names = {one.name for one in told} | {one.name for one in self.blocks}
        calls = {kind_of(self.file[x.head]) for x in self.blocks if x.is_other}
        calls = {x for x in calls if x[-1:] in ("(", "[")}  # tests and sections, for example
        trimmed = []
        nested = {one.name for one in self.lines.nested} - {one.name for one in self.definitions}
        for one in heads_of(bare, told):
            if one.name not in names and (name := called(bare[one.head])) in nested:
                one = replace(one, name=name, is_other=False)
            start, end = one.start, one.end
            head = bare[one.head]
            depth = -1 if SECTION.fullmatch(head) else len(indent_of(head))
            if (
                one.name not in names
                and one.name not in nested
                and kind_of(bare[one.head]) not in calls
            ):
                continue

            def goes_on(line: str, depth: int = depth) -> bool:
                return bool(line.strip()) and (
                    not self.is_marker(line) or len(indent_of(line)) > depth
                )

            while end > start and not goes_on(bare[end - 1]):
                end -= 1
            below = end  # a marker that ends its body
            while below < len(bare) and (not bare[below].strip() or self.is_marker(bare[below])):
                below += 1
                end = below if goes_on(bare[below - 1]) else end
            while start < end and (self.is_marker(bare[start]) or not bare[start].strip()):
                start += 1
            text = "\n".join(bare[start:end])
            if (
                start <= one.head < end
                and not any(nesting([text]))
                and text.count("/*") == text.count("*/")
            ):
                trimmed.append(replace(one, start=start, end=end))
        return trimmed

    def _of(self, block: Sequence[str], own: Sequence[Head], low: int, high: int) -> list[_Piece]:
        """The pieces of some lines; their definitions are looked for in ``low .. high`` of the file."""
        found: list[_Piece] = []
        position = 0
        for one in own:
            if one.start >= position:  # else it is inside of another
                found += self._between(block[position : one.start])
                found += self._definition(block, one, own, low, high)
                position = one.end
        return [*found, *self._between(block[position:])]

    def _between(self, lines: Sequence[str]) -> Iterator[_Piece]:
        rest: list[str] = []
        for line in [*lines, None]:
            if line is not None and not self.is_marker(line):
                rest.append(line)
                continue
            if any(x.strip() for x in rest):
                yield _Piece(
                    "lines", stripped(rest), blank=(num_blank(rest), num_blank(rest[::-1]))
                )
            rest = []
            if line is not None:
                yield _Piece("marker", (line,))

    def _definition(
        self, block: Sequence[str], one: Head, own: Sequence[Head], low: int, high: int
    ) -> list[_Piece]:
        lines, number = block[one.start : one.end], one.head
        there = self._same(block, one, low, high)
        is_open = any(map(self.is_marker, lines))
        given = indent_of(lines[0])
        if there is not None and not is_open and is_overload(one, block, self.lines):
            return [_Piece("new", tuple(lines), given=given)]
        if there is None:
            same_line = self.lines.where_bare.get(block[number].strip(), ())
            if any(low <= n < high for n in same_line) or any(
                x.name == one.name for x in self.blocks if low <= x.start < high
            ):
                raise _Unread  # the file has its name several times
            return [_Piece("lines" if is_open else "new", tuple(lines), given=given)]
        # comments and decorators that the sketch omits stay
        start, end, head = there.start, there.end, there.head
        while end > start and not self.file[end - 1].strip():
            end -= 1
        if one.start == number:
            start = head
        elif not any(map(_COMMENT.match, block[one.start : number])):
            while start < head and _COMMENT.match(self.file[start]):
                start += 1
        else:  # from the first of them that the sketch shows
            comment = block[one.start].strip()
            start = next((n for n in range(start, head) if self.file[n].strip() == comment), start)
        shown = reindented(lines, given, indent_of(self.file[start]), self.lines)
        text = "\n".join(shown)
        theirs = [x for x in self.definitions if there.start < x.start < there.end]
        if not is_open and all(x.name in text for x in theirs):
            is_only = (
                sum(x.name == one.name for x in self.blocks) == 1
                and (start, one.start) == (head, number)
            )  # fmt: skip
            known = _Piece("known", tuple(shown), start, end, given=given, is_only=is_only)
            return [replace(known, is_nested=there not in self.blocks)]
        inside = [
            replace(x, start=x.start - one.start, end=x.end - one.start, head=x.head - one.start)
            for x in own
            if one.start < x.start < one.end
        ]
        top: list[_Piece] = []
        anew = shown[0].strip() != self.file[head].strip() and any(map(self.is_marker, shown[1:2]))
        if anew and start == head and one.start == number:
            top = [_Piece("head", tuple(shown[:1]), start, start + 1, given=given)]
            shown, start = ["", *shown[1:]], start + 1
        inner = self._of(shown, inside, start, end)
        last = end - (end - 1 > start and CLOSES.match(self.file[end - 1]) is not None)
        if last < end and inner[-1].lines[-1:] and inner[-1].kind == "lines":
            bracket = inner[-1].lines[-1].strip() == self.file[last].strip()
            rest = stripped(inner[-1].lines[: -1 if bracket else None])
            inner[-1:] = [replace(inner[-1], lines=rest)] if rest else []
        first = self.file[head : head + 1]  # it says how deep the definition is
        opens = _Piece("opens", first, start, start, given=given)
        closes = _Piece("closes", first, last, end, given=given)
        beyond = inner[-1:] if SECTION.fullmatch(lines[0]) and inner[-1].kind == "marker" else []
        return [*top, opens, *inner, closes, *beyond]

    def _same(self, block: Sequence[str], one: Head, low: int, high: int) -> Head | None:
        """The file's definition of that name; of several the one that is most alike."""
        inside = [x for x in self.blocks if low <= x.start and x.end <= high]
        found = [x for x in inside if x.name == one.name] or [
            x for x in self.lines.nested if x.name == one.name and low <= x.start and x.end <= high
        ]
        if one.owner and any(x.owner == one.owner for x in found):
            found = [x for x in found if x.owner == one.owner]
        if len(found) < 2:
            return found[0] if found else None
        head = block[one.head].strip()
        is_type = _TYPE.search(head) is not None  # a constructor has its name, too
        found = [x for x in found if bool(_TYPE.search(self.file[x.head])) == is_type] or found
        if len(found) == 1:
            return found[0]
        own = {x.strip() for x in block[one.start : one.end] if not is_weak(x)}
        scores = [
            (
                self.file[x.head].strip() == head,
                len(own & {y.strip() for y in self.file[x.start : x.end]}),
            )
            for x in found
        ]
        (same, most), (also, next_most) = sorted(scores)[:-3:-1]
        if same == also and most <= max(1, next_most):
            return None
        return found[scores.index((same, most))]

    # --- whether a definition is shown whole ---

    def _is_clipped(self, one: _Piece) -> bool:
        """Whether a definition seems to be shown whole, but may end in the middle of the file's."""
        if one.kind not in ("known", "new"):
            return False
        strong = [x.strip() for x in one.lines if not is_weak(x)]
        if len([x for x in strong if not ABOVE.match(x)]) < 2:
            return True
        theirs = [x.strip() for x in self.file[one.start : one.end] if not is_weak(x)]
        if one.kind == "new" or theirs[-1] in strong:
            return False
        last = one.lines[-1]
        if CLOSES.match(last) and last.strip() == self.file[one.end - 1].strip():
            return self.lines.language == "json"  # where people show a few keys of an object
        if strong[-1] in theirs[:-1]:
            return True
        alike = [likeness(strong[-1], line, 0.6) for line in theirs]
        return max(alike) > 0 and not alike[-1]

    def is_alone(self, piece: _Piece) -> bool:
        """Whether a version of a definition that is all of the sketch cannot be anything else.

        Both end in the same line, and share another one: a beginning alone would delete the rest.
        """
        there = [x.strip() for x in self.file[piece.start : piece.end]]
        new = [x.strip() for x in piece.lines]
        same_head = new[0] == there[0] and there.count(there[0]) == 1
        shared = {x for x in new[1:-1] if not is_weak(x)} & set(there[1:-1])
        indent = indent_of(self.file[piece.start])
        return (
            new[-1] == there[-1]
            and (bool(shared) or (same_head and not is_weak(new[-1])))
            and (piece.given == indent or (same_head and len(piece.given) < len(indent)))
        )

    def replaced(self, piece: _Piece, sure: float = NAMED, *, marked: bool = False) -> Change:
        """A definition in the place of the one with its name."""
        start, end = piece.start, piece.end
        there = [x.strip() for x in self.file[start:end] if not is_weak(x)]
        new = {x.strip() for x in piece.lines if not is_weak(x)}
        gone, come = set(there) - new, new - set(there)
        why = ""
        if (
            len(gone) - len(come) > 5
            and len(gone) > (end - start) / 2
            and 2 * len(come) < len(gone)
        ):
            sure, why = UNSURE, _MOST_GO.format(start + 1, end)
        elif marked and stripped(piece.lines)[-1].strip() != self.file[end - 1].strip():
            sure, why = LIKELY, _ENDS.format(end)
        elif piece.given != (wanted := indent_of(self.file[start])) and (
            marked or len(piece.given) > len(wanted)
        ):
            sure, why = LIKELY, _DEEPER.format(start + 1)
        elif len({*map(indent_of, filter(None, piece.lines))}) == 1 < end - start - 1:
            sure, why = UNSURE, _FLAT.format(start + 1)
        elif piece.is_nested:
            sure, why = LIKELY, _NESTED.format(start + 1)
        return Change(start, end, piece.lines, sure, why=why)


def _told_together(group: Sequence[_Piece]) -> list[str]:
    """Their lines, with the blank lines that the sketch has between them, or one between two definitions."""
    found = [*group[0].lines] if group else []
    for above, one in pairwise(group):
        blank = [above.blank[1]] * (above.kind == "lines") + [one.blank[0]] * (one.kind == "lines")
        found += [*[""] * max(blank, default=1), *one.lines]
    return found


class _Placing:
    """What becomes of the file's lines between the places that names give."""

    def __init__(self, names: _Names, pieces: Sequence[_Piece], *, marked: bool) -> None:
        self.names, self.pieces, self.marked = names, pieces, marked
        self.lines, self.file = names.lines, names.lines.keys
        # Without a marker, and with most of the file's lines, it shows all of the file.
        shown = {x.strip() for one in pieces for x in one.lines}
        strong = [x.strip() for x in self.file if not is_weak(x)]
        self.whole = not any(one.kind in ("marker", "opens") for one in pieces) and (
            sum(x in shown for x in strong) >= 0.7 * len(strong)
        )

    def changes(self) -> Iterator[Change]:
        """All of them. Raises ``_Unread`` if some piece has no place."""
        run: list[_Piece] = []
        above: _Piece | None = None
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
        self, run: Sequence[_Piece], above: _Piece | None, below: _Piece | None
    ) -> Iterator[Change]:
        """Pieces between two places in the file."""
        low = above.end if above is not None else 0
        high = below.start if below is not None else len(self.file)
        groups: list[list[_Piece]] = [[]]
        for piece in run:
            imports = [x for one in groups[-1] for x in one.lines if x]
            if piece.kind == "marker" or (
                piece.kind == "new" and imports and all(map(IMPORT.match, imports))
            ):
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
            if (anew := read_versions(shown, self.lines, (low, high))) is not None:
                changes += anew.changes
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
            raise _Unread
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
        group: Sequence[_Piece],
        bounds: tuple[int, int],
        above: _Piece | None,
        below: _Piece | None,
    ) -> Change:
        """New lines between two known places: beside the piece that they stand beside in the sketch, else at the end."""
        low, high = bounds
        file, is_new = self.file, any(one.kind == "new" for one in group)
        lines = list(stripped(_told_together(group)))
        if any(self.names.has(x) for one in group if one.kind == "lines" for x in one.lines):
            raise _Unread  # the file has them elsewhere
        if above is not None and above.kind == "opens":
            above = None
        if below is not None and below.kind == "closes":
            below = None
        inside: list[Head] = []
        beside = above if above is not None else below
        if beside is not None:
            if is_new and indent_of(lines[0]) != beside.given:
                raise _Unread  # at another depth than its neighbour
            given, wanted = beside.given, indent_of(beside.lines[0])
        else:
            inside = [x for x in self.names.blocks if low <= x.start < high and not x.is_other]
            given = indent_of(lines[0])
            wanted = indent_of(file[inside[0].start]) if inside else given
            if low == 0 and (given if is_new else inside):
                raise _Unread  # inside of something that is not shown
        lines = list(reindented(lines, given, wanted, self.lines))
        gap = [""] * usual_gap(self.lines, wanted) if is_new else []
        at_top = above is not None or below is None
        gap = gap or [""] * (group[0].blank[0] if at_top else group[-1].blank[1])
        # an import is hardly meant to stand beside a definition
        sure, why = (LIKELY, ELSEWHERE) if any(map(IMPORT.match, lines)) else (NAMED, "")
        if above is not None:
            return Change(low, low, (*gap, *lines), sure, why=why)
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
