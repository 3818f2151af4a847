"""How likely a change is what the sketch means: one probability, from the alignment and what speaks against it.

The alignment knows which reading is likelier than another. It does not know what assistants leave out and
get wrong. Each such *doubt* caps the probability at the share of readings that were right where it alone
was raised (``CAPS``). Nothing is added up: what is certain is a reading without any doubt.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from editd.apply.align import Aligned, Change, same_rows
from editd.apply.edges import is_edge_new, stands_elsewhere
from editd.apply.indentation import unit_of
from editd.apply.lines import Lines, indent_of, nearest, num_strong
from editd.apply.sketch import Part
from editd.diff.matching import changes as differences
from editd.diff.matching import is_weak

CERTAIN, SURE, SHOWN = (
    0.98,
    0.95,
    0.5,
)  # least probability: nothing else fits; unmarked; shown at all

CAPS = {
    "close": 1.0,  # the alignment's own probability is the cap
    "rival": 0.88,
    "context": 0.5,
    "brackets": 0.97,
    "cut": 0.97,
    "thin": 0.97,
    "edge": 0.94,
    "parted": 0.9,
    "blank": 0.6,
    "moves": 0.9,
    "moved": 0.96,
    "foreign": 0.6,
    "open": 0.9,
    "still": 0.55,
}
"""By doubt, about the share of right readings where nothing else was against them."""

_ROWS = 3  # lines of context that are compared with other places
_MOST_PLACES = 200
_FEW, _MANY = 25, 250  # lines beyond an end of the sketch that has no marker
_MUCH = 10  # lines that go on the word of one line


@dataclass(frozen=True, slots=True)
class _Case:
    """One change of a reading. low, high: where its neighbours end and begin."""

    number: int
    change: Change
    part: Part
    there: tuple[str, ...]
    above: list[str]
    below: list[str]
    gone: list[str]
    come: list[str]
    low: int
    high: int


def weighed(aligned: Aligned, parts: Sequence[Part], lines: Lines, *, spaced: bool) -> Aligned:
    """The changes, each with its probability and what is to be said of it; then the text's.

    parts: one for each change. spaced: whether the sketch has blank lines.
    """
    file = lines.keys
    found = []
    sure = aligned.sure
    bounds = [0, *(change.end for change in aligned.changes)]
    for number, (one, part) in enumerate(zip(aligned.changes, parts, strict=True)):
        there = file[one.start : one.end]
        if there == one.new:
            if not _is_for_show(number, aligned.changes):
                sure = min(sure, CAPS["still"])
                found.append(replace(one, sure=sure, why=_STILL.format(one.start + 1)))
            else:
                found.append(one)
            if len(one.new) < len(part.lines):
                sure = min(sure, CAPS["blank"])
                found[-1] = replace(one, sure=sure, why=_BLANK.format(one.start + 1))
            continue
        high = aligned.changes[number + 1].start if number + 1 < len(parts) else len(file)
        above, below = same_rows(one.new, there)
        gone = list((Counter(there) - Counter(one.new)).elements())
        come = list((Counter(one.new) - Counter(there)).elements())
        case = _Case(number, one, part, there, above, below, gone, come, bounds[number], high)
        own, why = one.sure, ""
        for kind, told in _doubts(case, aligned, parts, lines, spaced=spaced):
            if CAPS[kind] < own or not why:
                own, why = min(own, CAPS[kind]), told
        sure = min(sure, own)
        found.append(replace(one, sure=own, why=why))
    return Aligned(tuple(found), sure, aligned.other)


def weighed_names(found: Aligned, lines: Lines, *, spaced: bool) -> Aligned:
    """The same for a reading by name, which no line has to show a place for."""
    changes = []
    for one in found.changes:
        there = lines.keys[one.start : one.end]
        own, told = one.sure, one.why
        if _loses_blank(there, one.new, spaced=spaced):
            own, told = min(own, CAPS["blank"]), _BLANK.format(one.start + 1)
        if _is_foreign(one.new, lines):
            own, told = min(own, CAPS["foreign"]), _TABS
        changes.append(replace(one, sure=own, why=told))
    sure = min((one.sure for one in changes), default=0.0)
    named = Aligned(tuple(changes), min(sure, found.sure), found.other)
    return with_blanks(named, lines, only_alone=spaced)


def with_blanks(found: Aligned, lines: Lines, *, only_alone: bool = False) -> Aligned:
    """The changes of a sketch that shows no blank line at all: those of the file stay.

    only_alone: only those that would go without another line.
    """
    changes = []
    for one in found.changes:
        there, new = lines.keys[one.start : one.end], one.new
        kept: list[str] = []
        position = 0
        for change in differences(there, new):
            kept += there[position : change.old_start]
            gone = there[change.old_start : change.old_end]
            come = new[change.new_start : change.new_end]
            top = next((n for n, line in enumerate(gone) if line), len(gone))
            bottom = next((n for n, line in enumerate(reversed(gone)) if line), 0)
            if only_alone and (come or any(gone)):
                kept += come
            else:
                kept += [*[""] * top, *come, *[""] * bottom]
            position = change.old_end
        changes.append(replace(one, new=(*kept, *there[position:])))
    return replace(found, changes=tuple(changes))


def _doubts(
    case: _Case, aligned: Aligned, parts: Sequence[Part], lines: Lines, *, spaced: bool
) -> Iterator[tuple[str, str]]:
    """What speaks against a change: the doubt, and a sentence for the user."""
    one, part, file = case.change, case.part, lines.keys
    if not (case.above and case.below):
        edge = 0 if not case.above else -1
        yield "context", _edge(part, edge, lines)
    if (rival := _rival(case, file)) is not None:
        yield "rival", also(rival)
    if one.sure < CERTAIN:
        yield "close", also(one.also) if one.also else _MORE
    strong = min(num_strong(case.above), num_strong(case.below))
    alone = [row for row in (case.above, case.below) if not num_strong(row)]
    if len(alone) == 2 or any("*" in "".join(row) for row in alone):
        yield "brackets", _MORE
    if not case.come and not all(
        one.new and not is_weak(edge) and len(lines.where.get(edge, ())) == 1
        for edge in (one.new[:1] or ("",)) + (one.new[-1:] or ("",))
    ):
        yield "cut", _CUT.format(one.start + 1)
    if len(case.gone) > _MUCH and strong < 2:
        yield "thin", _CUT.format(one.start + 1)
    if stands_elsewhere(one.new, file[: one.start], file[one.end :]):
        yield "parted", _BROKEN.format(one.start + 1)
    if is_edge_new(case.there, one.new):
        yield "edge", _EDGE.format(one.start + 1)
    if _may_go_on(case, aligned, file):
        yield "parted", _PARTED.format(one.start + 1)
    if (
        _loses_blank(case.there, one.new, spaced=spaced)
        or len(one.new) < len(part.lines)
        or _cuts_blanks(one, file)
    ):
        yield "blank", _BLANK.format(one.start + 1)
    beyond = {
        next(filter(None, file[one.end :]), ""),
        next(filter(None, file[: one.start][::-1]), ""),
    }
    if any(len(lines.where.get(line, ())) == 1 for line in beyond.intersection(case.come)):
        yield "moves", _MOVES
    sole = all(len(lines.where.get(edge, ())) == 1 for edge in (*one.new[:1], *one.new[-1:]))
    if (
        part.moved and ((strong < 2 and not sole) or part.inside or not _is_shaped(case))
    ) or _is_shallow(case, unit_of(file)):
        yield "moved", _INDENTED.format(one.start + 1)
    if _is_foreign(one.new, lines):
        yield "foreign", _TABS
    open_ends = _open(case, parts, len(file))
    if open_ends:
        yield "open", open_ends


def also(where: tuple[int, int]) -> str:
    """What else a change could replace."""
    first, last = where
    if first == last:
        return f"This could also be put in at line {first + 1}; show more lines around the change."
    place = f"line {last}" if last - first == 1 else f"lines {first + 1} to {last}"
    return f"This could also replace {place}; show more lines around the change."


def _edge(part: Part, edge: int, lines: Lines) -> str:
    line = part.lines[edge].strip()
    number = part.at + (0 if edge == 0 else len(part.lines) - 1)
    shown = f"“{line[:60]}” (line {number + 1} of the sketch)"
    if part.lines[edge] in lines.where or not line:
        return (
            f"{shown} does not say for certain where it belongs; show more lines around the change."
        )
    side = "begin" if edge == 0 else "end"
    return (
        f"{shown} is not in the file{nearest(line, lines)}; {side} each part of the sketch with a line "
        "that stays."
    )


_MORE = "Few lines show where this belongs; show more lines around the change."
_CUT = (
    "Lines go at line {} of the file, and what stays beside them could stand elsewhere, too; show more lines "
    "around the change."
)
_EDGE = (
    "The part of the sketch at line {} of the file begins or ends with a line that may be new or may stay; "
    "show one more line above and below the change."
)
_BROKEN = (
    "The part of the sketch at line {} of the file is what other lines of the file say, broken otherwise; "
    "show more lines around the change."
)
_PARTED = (
    "The part of the sketch at line {} of the file begins or ends with a line that the file also has right "
    "beside another part; show one more line above and below the change."
)
_BLANK = (
    "The sketch leaves out a blank line of the file, at line {}, which may or may not be intended; show it, "
    "or use a diff."
)
_MOVES = (
    "The sketch puts lines here that stand right beyond it, so they may be meant to move; show them in "
    "their old place too, or a line beyond it."
)
_INDENTED = (
    "The sketch is indented otherwise than the file at line {}, and may be indented unevenly; indent it "
    "like the file."
)
_TABS = (
    "New lines of the sketch are indented by tabs and the file by spaces, or the other way round; indent "
    "them like the file."
)
_STILL = (
    "A part of the sketch changes nothing at line {} of the file, so what it is about is not shown; show "
    "more lines around the change, or leave that part out."
)


def _rival(case: _Case, file: Sequence[str]) -> tuple[int, int] | None:
    """Another range between its neighbours that begins and ends with the same lines of context."""
    one = case.change
    top, bottom = case.above[:_ROWS], case.below[:_ROWS][::-1]
    starts, ends = [one.start], [one.end]
    low, high = case.low, case.high
    if one.start and top:
        starts = [i for i in range(low, high) if list(file[i : i + len(top)]) == top]
    if one.end < len(file) and bottom:
        size = len(bottom)
        ends = [i for i in range(low + size, high + 1) if list(file[i - size : i]) == bottom]
    if len(starts) > _MOST_PLACES or len(ends) > _MOST_PLACES:
        return low, high
    return next(
        (
            (start, end)
            for start in starts
            for end in ends
            if (start, end) != (one.start, one.end) and end - len(bottom) >= start + len(top) - 1
        ),
        None,
    )


def _loses_blank(there: Sequence[str], new: Sequence[str], *, spaced: bool) -> bool:
    """Whether blank lines go alone, or with other lines in a sketch that shows none."""
    for change in differences(there, new):
        gone = there[change.old_start : change.old_end]
        come = new[change.new_start : change.new_end]
        if "" not in gone:
            continue
        if not any(gone) and gone.count("") > come.count(""):
            return True
        if not spaced and (any(come) or not gone[0] or not gone[-1]):
            return True
    return False


def _cuts_blanks(one: Change, file: Sequence[str]) -> bool:
    """Whether its first or last line is blank, and the file has another blank line beyond it."""
    ends = (one.new[:1], one.start - 1), (one.new[-1:], one.end)
    return any(
        edge == ("",) and 0 <= beyond < len(file) and not file[beyond] for edge, beyond in ends
    )


def _may_go_on(case: _Case, aligned: Aligned, file: Sequence[str]) -> bool:
    """Whether it may begin or end right beside a part that changes nothing, and delete the lines between.

    The marker between such a part and its neighbour often stands for no lines.
    """
    one = case.change
    still = [x for x in aligned.changes if file[x.start : x.end] == x.new]
    return any(
        (x.end < one.start and file[x.end] == one.new[:1][0] != "")
        or (one.end < x.start and file[x.start - 1] == one.new[-1:][0] != "")
        for x in still
        if one.new
    )


def _is_shallow(case: _Case, unit: str) -> bool:
    """Whether a new line is in another unit than the file, or moves and no line shows the sketch's depth."""
    rows = *case.above, *case.below
    if not any(line[:1].isspace() and not is_weak(line) for line in rows):
        bare = {line.strip() for line in case.gone if not is_weak(line)}
        if any(line.strip() in bare for line in case.come):
            return True
    come = set(case.come)
    for above, line in pairwise([line for line in case.change.new if line]):
        step = len(indent_of(line)) - len(indent_of(above))
        if unit and line in come and above[-1] in "{[:" and step > 0 and step % len(unit):
            return True
    return False


def _is_shaped(case: _Case) -> bool:
    """Whether lines that were moved as a whole are as deep as they should be among each other.

    At the margin a line may have lost less than the others: then a block's first line is not followed by
    a deeper one, or a bracket closes at the depth of what is in it.
    """
    new = [line for line in case.change.new if line]
    come = set(case.come)
    if {line.strip() for line in case.gone if not is_weak(line)} & {line.strip() for line in come}:
        return False  # a line differs in indentation alone
    for above, line in pairwise(new):
        if above not in come and line not in come:
            continue
        deeper = len(indent_of(line)) > len(indent_of(above))
        closes = line.lstrip()[0] in ")]}"
        if above[-1] in "{([:" and not deeper and not closes:
            return False
        if closes and len(indent_of(line)) == len(indent_of(above)) and above[-1] not in "{([":
            return False
    return len(indent_of(new[0]).replace("\t", "  ")) % 2 == 0 or new[0].lstrip()[0] == "*"


def _is_foreign(new: Sequence[str], lines: Lines) -> bool:
    """Whether new lines are indented by tabs and the file by blanks alone, or the other way round."""
    if lines.indented_by_tabs is None:
        return False
    wrong = "  " if lines.indented_by_tabs else "\t"
    return any(line.startswith(wrong) and not line.startswith("  *") for line in new)


def _open(case: _Case, parts: Sequence[Part], size: int) -> str:
    """Without a marker at an end of the sketch what is beyond may stay or go, if it is not much."""
    few = _FEW if len(parts) == 1 and not (case.part.above or case.part.below) else _MANY
    for marked, left, side, number in (
        (case.part.above or case.number, case.change.start, "above", case.part.at),
        (
            case.part.below or case.number + 1 < len(parts),
            size - case.change.end,
            "below",
            case.part.at + len(case.part.lines) - 1,
        ),
    ):
        if not marked and 0 < left <= few:
            more = "1 more line" if left == 1 else f"{left} more lines"
            return (
                f"The sketch has no marker {side} line {number + 1}, and the file has {more} there; add a "
                "marker if they stay."
            )
    return ""


def _is_for_show(number: int, changes: Sequence[Change]) -> bool:
    """Whether a part that changes nothing is the head of the next one, or stands beside another."""
    one = changes[number]
    if len(one.new) == 1 and one.new[0].endswith((":", "{", "(", "[")):
        return True
    around = (*changes[max(0, number - 1) : number], *changes[number + 1 : number + 2])
    return any(other.end == one.start or one.end == other.start for other in around)
