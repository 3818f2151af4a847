"""How likely a change is what the sketch means: one probability, from the alignment and what speaks against it.

The alignment knows which reading is likelier than another. It does not know what assistants leave out and
get wrong. Each such *doubt* caps the probability at the share of readings that were right where it alone
was raised (``CAPS``). Nothing is added up: what is certain is a reading without any doubt.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from editd.apply.doubts.support import (
    Support,
    is_edge_new,
    is_thin,
    lost_block,
    rival,
    spares,
)
from editd.apply.paste.segments import Segment, Sketch
from editd.apply.reading import BEST_GUESS, CERTAIN, CONFIDENT, WEAK_GUESS, LineChange, Reading
from editd.apply.text.file_lines import FileLines, nearest
from editd.apply.text.line import REMARK, given_name, indent_of, likeness, nesting, num_strong
from editd.diff.matching import changes as differences
from editd.diff.matching import is_weak

_PROSE = ("markdown", "rst", "text", "latex")
_REMARK_GOES = (
    "A comment goes at line {} of the file, and nothing comes for it; look whether it should stay."
)
CAPS = {
    "remark": BEST_GUESS,
    "rival": 0.96,
    "spares": BEST_GUESS,
    "context": 0.49,
    "ends": 0.7,
    "version": 0.7,
    "beside": 0.6,
    "thin": 0.9,
    "edge": 0.9,
    "branch": 0.6,
    "blank": 0.6,
    "moves": 0.96,
    "moved": 0.96,
    "shape": 0.96,
    "foreign": 0.6,
    "open": 0.96,
    "still": 0.55,
    "block": 0.49,
}
"""By doubt, about the share of right readings where it alone was raised: ``python -m benchmarks.apply.tune --caps``.

``version`` and ``beside`` are set by pasted answers: clipped sketches that are made at random raise them more often wrongly.
"""

CLEAR = 0.9  # least that the alignment gives a reading that is right in spite of some doubts
_FEW_BLANK = 2  # blank lines that a sketch without any may mean to go
_OF_PLACE = ("rival", "context", "version", "beside", "thin", "edge", "open")
_AGREED = 0.96  # two readings with the same text
_LIKELY = 0.9  # least of what the alignment alone gives a reading that may be sure
_REWRITTEN, _ALIKE = 3, 0.65  # lines that are versions of the file's, and how alike the ends are
_NEARLY = 0.8  # the same of one open end alone
_FEW, _MANY = 25, 250  # lines beyond an end of the sketch that has no marker
_DECLARES = re.compile(r"(?:export\s+)?(?:const|let|static|var)\s")
_GROUPS = re.compile(r"(?:const|var) \($")
_TWICE = "“{}” would be declared twice; show its old line, or remove it."
_MOST_NAMES = 200
_BLOCK = "“{}” would go, and the paste does not mention it; show it if it stays, or say in a diff that it goes."
_CUT = (
    "Lines go at line {} of the file, and what stays beside them could stand elsewhere, too; show more lines "
    "around the change."
)
_EDGE = (
    "The part of the sketch at line {} of the file begins or ends with a line that may be new or may stay; "
    "show one more line above and below the change."
)
_BRANCH = (
    "Lines go at line {} of the file that begin like the bracket which the sketch has instead of them, such as "
    "“}} catch”; show them, or a line below them."
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
_OPEN = "The sketch has no marker {} line {}, and the file has {} there; add a marker if they stay."
_DEPTH = (
    "New lines at line {} of the file are not as deep as the file's lines would be; indent them like the "
    "file."
)
_STILL = (
    "A part of the sketch changes nothing at line {} of the file, so what it is about is not shown; show "
    "more lines around the change, or leave that part out."
)
_BRANCH_OF_TRY = re.compile(r"\s*\}?\s*(?:except|finally|catch|rescue|ensure)\b")
_HEAD = (
    r"^\W*(?:if|else|elif|elsif|elseif|for|foreach|while|until|unless|do|case|when|default|switch|with|"
    r"try|except|catch|finally|local|function|func|fn|def|class|module|struct|enum|impl|begin|async)\b"
)
_OPENS = re.compile(
    rf"(?:[{{(\[]|\b(?:then|do|else|repeat|try))$|{_HEAD}.*:$|^(?:\}}\s*)?(?:else\s+)?(?:if|for|foreach)\b.*\)$"
)
_OPENS_NOT = re.compile(r"#|//|/?\*|--|;|%|(?:case|default)\b")
_MAY_OPEN = re.compile(rf"(?:[-+*/%=<>&|?,.\\:]|\b(?:and|or|in|not))$|^(?:\.\. |:\w)|{_HEAD}")
_GOES_ON = re.compile(r"[-+*/%=<>&|?.,:]|and\b|or\b")


def weighed(
    aligned: Reading,
    parts: Sequence[Segment],
    sketch: Sketch,
    lines: FileLines,
) -> Reading:
    """The changes, each with its probability and what is to be said of it; then the text's.

    parts: one for each change; none of a reading by name, which no line has to show a place for.
    """
    shown = {line.strip() for block in sketch.code_blocks for line in block}
    spaced = "" in shown
    found: list[LineChange] = []
    for number, one in enumerate(aligned.changes):
        support = Support(lines, one.start, one.end, one.new)
        doubts: Iterable[tuple[str, str]] = ()
        if parts and support.old == one.new:
            doubts = _doubts_of_still(number, aligned.changes)
        elif parts:
            doubts = _doubts(number, one, support, parts, spaced=spaced)
        told = list(doubts)
        own = _own(one.confidence) if parts else one.confidence
        whole = not parts and any(
            x.end >= one.end for x in lines.heads_in(one.start, one.start + 1)
        )
        if not whole and (name := lost_block(support, shown)) is not None:
            told.append(("block", _BLOCK.format(name[:60])))
        if lines.language not in _PROSE and (at := _lost_remark(support)) is not None:
            told.append(("remark", _REMARK_GOES.format(at + 1)))
        if told:
            caps = {kind: CAPS[kind] for kind, _ in told}
            if "block" in caps and sketch.marked and aligned.confidence >= CLEAR:
                caps["block"] = WEAK_GUESS
            least = min(own, *caps.values())
            kinds = tuple(kind for kind, _ in told)
            if num_strong(support.removed) > 1 and {"moved", "shape"} & {*kinds}:
                # what goes is told by lines that are not as deep as they are shown
                least = min(least, BEST_GUESS)
            found.append(
                replace(one, confidence=least, sentence=told[0][1], doubts=(*one.doubts, *kinds))
            )
        else:
            found.append(replace(one, confidence=CERTAIN if parts else one.confidence))
    if not spaced:
        kept = _with_blanks(found, lines)
        dropped = sum(len(one.new) for one in kept) - sum(len(one.new) for one in found)
        if dropped > _FEW_BLANK:
            found = kept  # such a sketch drops them all
    if twice := _given_twice(found, lines):
        found = [
            replace(
                x, confidence=BEST_GUESS, sentence=_TWICE.format(twice), doubts=(*x.doubts, "twice")
            )
            if x.confidence > BEST_GUESS
            else x
            for x in found
        ]
    return _whole(found, _own(aligned.confidence) if parts else aligned.confidence, aligned.other)


def _given_twice(changes: Iterable[LineChange], lines: FileLines) -> str:
    """A name that new lines declare at the margin or in a group, as Go does, and the file still does elsewhere."""
    come: list[str] = []
    gone: set[int] = set()
    for one in changes:
        grouped = any(map(_GROUPS.match, one.new))
        for part in differences(lines.keys[one.start : one.end], one.new):
            gone |= {*range(one.start + part.old_start, one.start + part.old_end)}
            new = one.new[part.new_start : part.new_end]
            come += (given_name(x) for x in new if grouped or _DECLARES.match(x))
    for name in come[:_MOST_NAMES]:
        there = lines.where_given.get(name, ()) if name else ()
        if any(n not in gone and _DECLARES.match(lines.keys[n]) for n in there):
            return name
    return ""


def _own(confidence: float) -> float:
    """What the alignment alone says; one that is likely was right as often as one that is sure."""
    return max(confidence, CONFIDENT) if confidence >= _LIKELY else confidence


def agreed(found: Reading) -> Reading:
    """A reading by lines whose text is that of the reading by name as well: its places are no doubt then."""
    changes = []
    for one in found.changes:
        left = tuple(kind for kind in one.doubts if kind not in _OF_PLACE)
        most = BEST_GUESS if left else _AGREED
        most = min(
            most if one.before_doubts >= _LIKELY else one.before_doubts,
            *(CAPS[kind] for kind in left),
            1.0,
        )
        changes.append(replace(one, confidence=max(one.confidence, most), doubts=left))
    return _whole(changes, _AGREED, found.other)


def _whole(changes: Sequence[LineChange], most: float, other: tuple[LineChange, ...]) -> Reading:
    """A reading of these changes: certain if they all are, else as sure as the least sure one, or ``most``."""
    if sum("rival" in one.doubts for one in changes) > 1:  # they add up
        changes = [
            replace(x, confidence=min(x.confidence, BEST_GUESS)) if x.doubts else x for x in changes
        ]
    confidence = min((one.confidence for one in changes), default=0.0)
    return Reading(
        tuple(changes), confidence if confidence == CERTAIN else min(confidence, most), other
    )


def _with_blanks(found: Iterable[LineChange], lines: FileLines) -> list[LineChange]:
    """The changes with the file's blank lines."""
    changes = []
    for one in found:
        there, new = lines.keys[one.start : one.end], one.new
        kept: list[str] = []
        position = 0
        for change in differences(there, new):
            kept += there[position : change.old_start]
            gone = there[change.old_start : change.old_end]
            come = new[change.new_start : change.new_end]
            top = next((n for n, line in enumerate(gone) if line), len(gone))
            bottom = next((n for n, line in enumerate(reversed(gone)) if line), 0)
            kept += [*[""] * top, *come, *[""] * bottom]
            position = change.old_end
        changes.append(replace(one, new=(*kept, *there[position:])))
    return changes


def _doubts_of_still(number: int, every: Sequence[LineChange]) -> Iterator[tuple[str, str]]:
    """Against a part that changes nothing, unless it is the head of the next one or beside another."""
    one = every[number]
    around = (*every[max(0, number - 1) : number], *every[number + 1 : number + 2])
    heads = len(one.new) == 1 and one.new[0].endswith((":", "{", "(", "["))
    if not heads and not any(x.end == one.start or one.end == x.start for x in around):
        yield "still", _STILL.format(one.start + 1)


def _doubts(
    number: int,
    one: LineChange,
    support: Support,
    parts: Sequence[Segment],
    *,
    spaced: bool,
) -> Iterator[tuple[str, str]]:
    """What speaks against a change: the doubt, and a sentence for the user."""
    part, file = parts[number], support.lines.keys
    at = one.start + 1
    above, below = support.rows
    # 1) what the sketch leaves out
    if not (above and below):
        edge = 0 if not above else -1
        kind = (
            "version"
            if _are_versions(support)
            else "beside"
            if not support.removed
            and num_strong(above or below)
            and _is_once(above or below, support, down=bool(above))
            else "ends"
            if _ends_with_file(number, support, parts)
            else "context"
        )
        yield kind, _edge(part, edge, support.lines)
    yield from _open(number, support, parts)
    cut = len(one.new) < len(part.lines)
    if cut or _loses_blank(support.old, one.new, spaced=spaced):
        yield "blank", _BLANK.format(at)
    # 2) how it is indented
    sole = all(map(support.is_sole, support.edges))
    shallow = part.moved and (part.inside or _dips(part) or (support.strong < 2 and not sole))
    if shallow or _reindents(support, moved=part.moved):
        yield "moved", _INDENTED.format(at)
    if not _is_shaped(support):
        yield "shape", _DEPTH.format(at)
    if _is_foreign(support):
        yield "foreign", _TABS
    # 3) what its lines could be instead
    if is_edge_new(support):
        yield "edge", _EDGE.format(at)
    if _cuts_branch(support):
        yield "branch", _BRANCH.format(at)
    next_to_it = (
        next(filter(None, file[one.end :]), ""),
        next(filter(None, file[: one.start][::-1]), ""),
    )
    if any(line in support.added and support.is_sole(line) for line in next_to_it):
        yield "moves", _MOVES
    # 4) where else it could stand
    if one.new and (where := rival(support)) is not None:
        yield "rival", also(where)
        if spares(support, where):
            yield "spares", also(where)
    if one.new and is_thin(support):
        yield "thin", _CUT.format(at)


def also(where: tuple[int, int]) -> str:
    """What else a change could replace."""
    first, last = where
    if first == last:
        return f"This could also be put in at line {first + 1}; show more lines around the change."
    place = f"line {last}" if last - first == 1 else f"lines {first + 1} to {last}"
    return f"This could also replace {place}; show more lines around the change."


def _ends_with_file(number: int, support: Support, parts: Sequence[Segment]) -> bool:
    """Whether the sketch begins or ends as the file does wherever no line shows where a part does."""
    above, below = support.rows
    if not above and (number or parts[0].above or support.start):
        return False
    if not below and (
        number + 1 < len(parts) or parts[-1].below or support.end < len(support.lines)
    ):
        return False
    inner = differences(support.old, support.new)
    open_edges = [inner[0]] * (not above) + [inner[-1]] * (not below)
    return all(
        num_strong(support.old[one.old_start : one.old_end])
        <= num_strong(support.new[one.new_start : one.new_end])
        for one in open_edges
    )


def _is_once(row: Sequence[str], support: Support, *, down: bool) -> bool:
    """Whether the file has this row of lines only here. down: it is not told from the end upwards."""
    shown = row if down else row[::-1]
    lines = support.lines
    starts = lines.where.get(shown[0], ())
    if lines.is_too_much(len(starts) * len(shown)):
        return False
    return sum(lines.run_down(shown, start) == len(shown) for start in starts) == 1


def _edge(part: Segment, edge: int, lines: FileLines) -> str:
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


def _are_versions(support: Support) -> bool:
    """Whether the file has its place in lines that are rewritten: one by one, or the one at its open end, and no fewer come."""
    new, there = support.new, support.old
    if 0 < len(support.removed) == len(support.added) <= _REWRITTEN:
        return all(likeness(new[edge], there[edge], _ALIKE) for edge in (0, -1))
    above, below = support.rows
    if bool(above) == bool(below) or num_strong(support.removed) > num_strong(support.added):
        return False
    edge = -1 if above else 0
    return _NEARLY < likeness(new[edge].strip(), there[edge].strip(), _NEARLY) < 1


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


def _cuts_branch(support: Support) -> bool:
    """Whether a statement would lose a branch, or a branch its statement, that need not be meant to go.

    It ends in a bracket, and a line that goes begins with that bracket at its depth, and goes on: ``}`` for
    ``} catch (error) {``. Or the line below is a branch of what goes.
    """
    below = next(filter(None, support.lines.keys[support.end :]), "")
    if _BRANCH_OF_TRY.match(below):
        begins = f"{indent_of(below)}{'begin' if 'rescue' in below or 'ensure' in below else 'try'}"
        gone, come = (
            sum(x.startswith(begins) for x in row) for row in (support.removed, support.added)
        )
        if gone > come:
            return True
    edge = support.new[-1] if support.new else ""
    if not edge or not is_weak(edge) or edge not in support.old:
        return False
    return any(line.startswith(edge.rstrip(";,")) and line != edge for line in support.removed)


def _lost_remark(support: Support) -> int | None:
    """The first line of a comment that stands for itself, such as a licence, if it goes and nothing comes for it."""
    for part in differences(support.old, support.new):
        told = [n for n in range(part.old_start, part.old_end) if support.old[n]]
        gone = [support.old[n] for n in told]
        if any(support.new[part.new_start : part.new_end]) or not all(map(REMARK.match, gone)):
            continue
        if len(gone) > 1 and all(not x[:1].isspace() or x.startswith(" *") for x in gone):
            return support.start + told[0]
    return None


def _dips(part: Segment) -> bool:
    """Whether it goes on less deep than it begins, so that its beginning does not say how deep it is."""
    depths = [len(indent_of(line)) for line in part.lines if line]
    return min(depths, default=0) < next(iter(depths), 0)


def _reindents(support: Support, *, moved: bool) -> bool:
    """Whether a line differs from one that goes in its indentation alone, and no line shows the sketch's depth."""
    bare = {line.strip() for line in support.removed if line}
    if not bare & {line.strip() for line in support.added}:
        return False
    rows = *support.rows[0], *support.rows[1]
    return moved or not any(line[:1].isspace() and not is_weak(line) for line in rows)


def _is_shaped(support: Support) -> bool:
    """Whether new lines are deeper below an opening line, by whole levels, and nowhere else.

    A sketch may be indented in another unit, or moved to the margin unevenly, and still show lines of the
    file, since lines at the margin are the same in any unit. Knows lines, not grammars: a part would not parse.
    """
    come, unit = set(support.added), support.lines.unit
    for above, line in pairwise(filter(None, support.new)):
        if above not in come and line not in come:
            continue
        step = len(indent_of(line)) - len(indent_of(above))
        head, closes = above.lstrip(), line.lstrip()[0] in ")]}"
        if head.startswith("/*") and line.lstrip()[0] == "*":
            if step <= 0:
                return False
        elif _OPENS.search(head) and not _OPENS_NOT.match(head):
            if (step <= 0 and not closes) or (unit and above[-1] in "{[:" and step % len(unit)):
                return False
        elif (closes and step == 0) or (
            step > 0
            and not (
                _MAY_OPEN.search(head) or _GOES_ON.match(line.lstrip()) or max(nesting([above])) > 0
            )
        ):
            return False
    return True


def _is_foreign(support: Support) -> bool:
    """Whether new lines are indented by tabs and the file by blanks alone, or the other way round."""
    if support.lines.indented_by_tabs is None:
        return False
    wrong = "  " if support.lines.indented_by_tabs else "\t"
    return any(line.startswith(wrong) and not line.startswith("  *") for line in support.new)


def _open(number: int, support: Support, parts: Sequence[Segment]) -> Iterator[tuple[str, str]]:
    """Without a marker at an end of the sketch what is beyond may stay or go, if it is not much."""
    part, last, file = parts[number], number + 1 == len(parts), support.lines.keys
    few = _FEW if len(parts) == 1 and not (part.above or part.below) else _MANY
    for marked, beyond, side, at in (
        (part.above or number, file[: support.start], "above", part.at),
        (part.below or not last, file[support.end :], "below", part.at + len(part.lines) - 1),
    ):
        if not marked and 0 < len(beyond) <= few:
            more = "1 more line" if len(beyond) == 1 else f"{len(beyond)} more lines"
            yield "open" if any(beyond) else "blank", _OPEN.format(side, at + 1, more)
            return
