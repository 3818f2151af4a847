"""Reads substitutions (old lines with the new ones for them) whose old lines are not quite the file's: other white space, a stale line, a re-flowed comment.

The lines that change have to be the file's but for white space; only lines around them may differ. They are taken where
they stand if no other location fits nearly as well; an old text that fits twice has no location.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from editd.apply.doubts.table import CONFIDENT
from editd.apply.paste.substitutions import Substitution
from editd.apply.reading import ChangedLines
from editd.apply.text.file_lines import FileLines
from editd.apply.text.line import collapse, indent_of, likeness
from editd.diff.document import Document
from editd.diff.matching import changes, is_weak
from editd.turns import yield_point

_LEAST_LIKENESS = 0.5  # of a stale line and the file's
_LEAST_OF_ALL = 0.6  # of all old lines together
# Lines that do not fit: how many more another location has at least, and how many times as many.
_MARGIN, _TIMES = 0.25, 3
_SLACK = 3  # lines by which a location may be longer or shorter than the old lines
_MOST_ALIGNED = 40  # locations; with more that have as many lines, none stands out
_MOST_LINES = 200  # of an old text; a longer one is read by alignment alone
_GAP = -0.5  # for a line that stands on one side only
_BLANK = 0.1  # for an empty line on both sides
_SENTENCE = "“{}” is not in the file; line {}, “{}”, is taken for it."


def read_similar(block: Substitution, lines: FileLines) -> list[ChangedLines] | None:
    """The changes of a block at the location where its old lines fit clearly best, also if the file has lines more or
    fewer there, or two lines for one (as where a comment is wrapped otherwise). Calls ``yield_point`` (pauses for other
    work).

    ``None`` if no old line has a letter or digit, no location fits, two fit about as well with different changes, or
    the changes are made already there. Lines that change have to be the file's but for white space; 60 % of all lines
    have to fit. Each change is ``CONFIDENT``; its sentence names the first line that differs by more than white space,
    and is empty if none does.
    """
    old = [collapse(line) for line in block.old]
    if not any(line and not is_weak(line) for line in old):
        return None
    most = sum(1.0 if line else _BLANK for line in old)
    best: tuple[_LineMatch, list[ChangedLines]] | None = None
    for found in sorted(_line_matches(old, lines), key=lambda x: x.score, reverse=True):
        if found.score < _LEAST_OF_ALL * most:
            break
        if best and _is_clear(best[0], found, most):
            break
        read = _changes(block, found, old, lines)
        if read is None or (best and read == best[1]):
            continue  # the lines that change are other ones there, or it is the same location
        if best is not None:
            return None
        best = found, read
    return best[1] or None if best else None


def _is_clear(best: _LineMatch, rival: _LineMatch, most: float) -> bool:
    """Whether location ``best`` fits so much better than ``rival`` that the rival is none: by 0.25 at least, and by
    three times as much as ``best`` lacks. most: the score of lines that all fit.
    """
    misfit = max(_MARGIN, _TIMES * (most - best.score))
    return most - rival.score >= misfit


def nearest_region(text: str, old: str) -> str:
    """The lines of a text that an old text fits best, each with its number (from 1) and ``|``, a ``>`` before those
    that the old text does not have.

    Empty if no line of the old text with a letter or digit is in the text, white space aside; for an old text of more
    than 200 lines; and if more than 40 places have equally many of its lines. Calls ``yield_point`` (pauses for other
    work).
    """
    lines = FileLines(Document.of(text).model_lines)
    shown = [collapse(line) for line in Document.of(old).model_text.split("\n")]
    best = max(_line_matches(shown, lines), key=lambda x: x.score, default=None)
    spans = [span for span in best.spans if span is not None] if best else []
    if not spans:
        return ""
    rows = []
    for number in range(spans[0][0], spans[-1][1]):
        sign = " " if lines.collapsed[number] in shown else ">"
        rows.append(f"{sign} {number + 1:>4} | {lines.keys[number]}")
    return "\n".join(rows)


@dataclass(frozen=True, slots=True)
class _LineMatch:
    """The lines of the file that each old line is: ``spans[i]`` is the pair (first, end), ``None`` for a line that it has not.

    Two old lines that are one line of the file have the same span. score: the sum of the lines' likeness.
    """

    spans: tuple[tuple[int, int] | None, ...]
    score: float


def _line_matches(old: Sequence[str], lines: FileLines) -> Iterator[_LineMatch]:
    """The best alignment at each location where old lines are the file's, of those with most such lines first, 40 at
    most.

    Empty if more than 40 locations have the highest number of such lines, or the old text has more than 200 lines.
    Calls ``yield_point`` (pauses for other work).
    """
    anchors: dict[int, tuple[int, int]] = {}
    counts: Counter[int] = Counter()
    for number, line in enumerate(old if len(old) <= _MOST_LINES else ()):
        for at in lines.where_collapsed.get(line, ()) if not is_weak(line) else ():
            anchors.setdefault(at - number, (number, at))
            counts[at - number] += 1
    most = max(counts.values(), default=0)
    if sum(count == most for count in counts.values()) > _MOST_ALIGNED:
        return
    for start, _ in counts.most_common(_MOST_ALIGNED):
        yield_point()
        number, at = anchors[start]
        begin = max(start - _SLACK, 0)
        window = lines.collapsed[begin : max(start, 0) + len(old) + _SLACK]
        yield _best_line_match(old, window, begin, (number, at - begin))


def _best_line_match(
    old: Sequence[str], window: Sequence[str], begin: int, anchor: tuple[int, int]
) -> _LineMatch:
    """The alignment of the old lines with a window of the file that has the highest score; lines of the window beyond
    both ends cost nothing.

    begin: the window's first line in the file. anchor: an old line and a line of the window that are one in any case.
    Only lines that are up to three lines apart from that diagonal are compared.
    """
    rows, columns = len(old) + 1, len(window) + 1
    # Only lines about as far from the anchor on both sides are compared.
    scores = [[0.0] * columns] + [[float("-inf")] * columns for _ in old]
    steps: list[list[tuple[int, int]]] = [[(0, 0)] * columns for _ in range(rows)]
    diagonal = anchor[1] - anchor[0]
    for row in range(1, rows):
        low = max(row + diagonal - _SLACK, 0)
        for column in range(low, min(row + diagonal + _SLACK + 1, columns)):
            for up, left, value in _steps_to(old, window, row, column):
                if row - 1 == anchor[0] and (left != 1 or column - 1 != anchor[1]):
                    continue
                score = scores[row - up][column - left] + value
                if score > scores[row][column]:
                    scores[row][column], steps[row][column] = score, (up, left)
            if column > low and scores[row][column - 1] + _GAP > scores[row][column]:
                scores[row][column], steps[row][column] = scores[row][column - 1] + _GAP, (0, 1)
    column = max(range(columns), key=lambda x: scores[-1][x])
    score, row = scores[-1][column], rows - 1
    spans: list[tuple[int, int] | None] = [None] * len(old)
    while row:
        up, left = steps[row][column]
        if up and left:
            for number in range(row - up, row):
                spans[number] = (begin + column - left, begin + column)
        row, column = row - up, column - left
    return _LineMatch(tuple(spans), score)


def _steps_to(
    old: Sequence[str], window: Sequence[str], row: int, column: int
) -> Iterator[tuple[int, int, float]]:
    """The ways in which an alignment may end at old line ``row`` and window line ``column`` (both counted from 1): how
    many old lines and how many window lines correspond, and the score. 1 and 0: an old line that the file has not; 1
    and 1; 1 and 2, or 2 and 1, only if the two lines joined equal the other one.
    """
    yield 1, 0, 0.0 if not old[row - 1] else _GAP
    if column:
        yield 1, 1, _likeness(old[row - 1], window[column - 1])
    if column > 1:  # an old line that is two of the file
        joined = _joined(window[column - 2], window[column - 1])
        if joined == old[row - 1]:
            yield 1, 2, 1.0
    if row > 1 and column:
        joined = _joined(old[row - 2], old[row - 1])
        if joined == window[column - 1]:
            yield 2, 1, 2.0


def _joined(first: str, second: str) -> str:
    """Two lines as one with a blank between; if both begin with the same comment's sign (``#``, ``//``, ``*``, ``--``
    or ``;``), in the second with a blank after it, without that of the second.
    """
    for sign in ("#", "//", "*", "--", ";"):
        if first.startswith(sign) and second.startswith(f"{sign} "):
            return f"{first} {second[len(sign) + 1 :]}"
    return f"{first} {second}"


def _likeness(first: str, second: str) -> float:
    """The score of an old line and a line of the file: 1 if equal, 0.1 if both are empty, their likeness above 0.5;
    else the cost of a line left out, -0.5.
    """
    if first == second:
        return 1.0 if first else _BLANK
    if not first or not second:
        return _GAP
    return likeness(first, second, _LEAST_LIKENESS) or _GAP


def _changes(
    block: Substitution, best: _LineMatch, old: Sequence[str], lines: FileLines
) -> list[ChangedLines] | None:
    """The changes at the location ``best``; a change that is made already is left out, so that the list may be empty.

    ``None`` if a removed line is not the file's but for white space, lines are added where the file has others between,
    the file's indentation differs from the block's unevenly, or a new line lacks the blanks that would be taken off.
    Each change is ``CONFIDENT``; its sentence names the first of all old lines that differs from the file's, and is
    empty if none does. old: the block's old lines with white space collapsed.
    """
    sentence = ""
    moves: set[tuple[str, str]] = set()
    for number, span in enumerate(best.spans):
        if span is None or not old[number]:
            continue
        own = lines.keys[span[0]]
        moves.add((indent_of(block.old[number]), indent_of(own)))
        if not sentence and span[1] - span[0] == 1 and lines.collapsed[span[0]] != old[number]:
            sentence = _SENTENCE.format(old[number], span[0] + 1, own.strip())
    shift = _shift_of(moves)
    if shift is None:
        return None
    result = []
    for change in changes([x.rstrip() for x in block.old], [x.rstrip() for x in block.new]):
        place = _place_of(
            range(change.old_start, change.old_end), best, old, lines, change.old_start
        )
        if place is None:
            return None
        added = block.new[change.new_start : change.new_end]
        moved = [_moved(line, *shift) for line in added]
        if any(line is None for line in moved):
            return None
        new = tuple(line for line in moved if line is not None)
        if lines.raw[place[0] : place[1]] != new:
            result.append(ChangedLines(*place, new, CONFIDENT, sentence))
    return result


def _place_of(
    removed: range, best: _LineMatch, old: Sequence[str], lines: FileLines, at: int
) -> tuple[int, int] | None:
    """The file's lines (start, end exclusive) that a change of old lines ``removed`` replaces; for an empty ``removed``
    the place below the line above old line ``at``, else above that line, as start and end.

    ``None`` if a removed line stands nowhere in the file, or for one line of its own there that differs in more than white
    space (lines that were re-flowed may differ), or the lines are not beside each other in the file; for an empty ``removed`` if the file has neither line around the place, or others between them. best: where
    each old line stands.
    """
    if not removed:
        above = best.spans[at - 1] if at else None
        below = best.spans[at] if at < len(best.spans) else None
        if above is not None and below is not None and above[1] != below[0]:
            return None
        place = above[1] if above is not None else below[0] if below is not None else None
        return None if place is None else (place, place)
    spans = [best.spans[number] for number in removed]
    if any(span is None for span in spans):
        return None
    whole = [span for span in spans if span is not None]
    if any(first[1] not in (second[0], second[1]) for first, second in pairwise(whole)):
        return None
    for number, span in zip(removed, whole, strict=True):
        shown = lines.collapsed[span[0] : span[1]]
        is_same = shown == [old[number]] or (len(shown) == 2 and _joined(*shown) == old[number])
        if not is_same and span[1] - span[0] == 1 and whole.count(span) == 1:
            return None
    return whole[0][0], whole[-1][1]


def _shift_of(moves: set[tuple[str, str]]) -> tuple[str, str] | None:
    """The blanks that old lines have too many and too few, in front, as a pair, one of them empty; ``None`` if lines
    differ in that, if one's indentation is not the end of the other's, or for no lines. moves: the indentations of a
    shown line and of the file's.
    """
    shifts = set()
    for shown, own in moves:
        if own.endswith(shown):
            shifts.add(("", own[: len(own) - len(shown)]))
        elif shown.endswith(own):
            shifts.add((shown[: len(shown) - len(own)], ""))
        else:
            return None
    return shifts.pop() if len(shifts) == 1 else None


def _moved(line: str, less: str, more: str) -> str | None:
    """The line with the blanks ``less`` taken off its beginning and ``more`` put there; ``None`` if it does not begin
    with ``less``. A blank line stays as it is.
    """
    if not line.strip():
        return line
    return more + line[len(less) :] if line.startswith(less) else None
