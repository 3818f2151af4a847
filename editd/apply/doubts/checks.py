"""Finds the doubts (reasons against it, each a name and a sentence) against one aligned change: what the sketch leaves out, how it is indented, what else it could mean.

Each check looks at the change, at the lines that it shares with the file (``support``) and at the markers around its
segment. What a doubt protects, its cap and its sentence stand in ``table``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from editd.apply.doubts.support import Support, is_edge_new, is_thin, rival_range, would_spare_lines
from editd.apply.doubts.table import raised
from editd.apply.paste.segments import Segment
from editd.apply.reading import ChangedLines
from editd.apply.text.file_lines import FileLines, nearest
from editd.apply.text.line import REMARK, indent_of, likeness, nesting, num_strong
from editd.diff.matching import changes as differences
from editd.diff.matching import is_weak

_REWRITTEN, _ALIKE = 3, 0.65  # lines that are versions of the file's, and how alike the ends are
_NEARLY = 0.8  # the same of one open end alone
_FEW, _MANY = 25, 250  # lines beyond an end of the sketch that has no marker
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


def doubts_against(
    number: int,
    change: ChangedLines,
    support: Support,
    segments: Sequence[Segment],
    *,
    spaced: bool,
) -> Iterator[tuple[str, str]]:
    """The doubts against the aligned change ``number``, each as its name in ``table`` and a sentence; the first one's
    sentence is the one shown. Nothing for a change that no check objects to.

    In this order: no shared line on a side (``version``, ``beside``, ``ends`` or ``context``, one at most); an end of
    the sketch without a marker, blank lines left out; another indentation; lines that could be another statement, a
    branch or an old line moved; another range that fits almost as well; too few shared lines. segments: those of all
    changes, in the same order. spaced: whether the sketch shows any blank line. May count comparisons of
    ``support.lines``.
    """
    segment, file = segments[number], support.lines.keys
    at = change.start + 1
    above, below = support.rows
    # 1) what the sketch leaves out
    if not (above and below):
        name = (
            "version"
            if _are_versions(support)
            else "beside"
            if not support.removed
            and num_strong(above or below)
            and _is_once(above or below, support, down=bool(above))
            else "ends"
            if _ends_with_file(number, support, segments)
            else "context"
        )
        yield name, _edge_sentence(segment, 0 if not above else -1, support.lines)
    yield from _open_ends(number, support, segments)
    is_cut = len(change.new) < len(segment.lines)
    if is_cut or _loses_blank(support.old, change.new, spaced=spaced):
        yield raised("blank", at)
    # 2) how it is indented
    is_sole = all(map(support.is_sole, support.edges))
    is_shallow = segment.moved and (
        segment.inside or _dips(segment) or (support.strong < 2 and not is_sole)
    )
    if is_shallow or _reindents(support, moved=segment.moved):
        yield raised("moved", at)
    if not _is_shaped(support):
        yield raised("shape", at)
    if _is_foreign(support):
        yield raised("foreign")
    # 3) what its lines could be instead
    if is_edge_new(support):
        yield raised("edge", at)
    if _cuts_branch(support):
        yield raised("branch", at)
    neighbours = (
        next(filter(None, file[change.end :]), ""),
        next(filter(None, file[: change.start][::-1]), ""),
    )
    if any(line in support.added and support.is_sole(line) for line in neighbours):
        yield raised("moves")
    # 4) where else it could stand
    if change.new and (other := rival_range(support)) is not None:
        yield "rival", _rival_sentence(other)
        if would_spare_lines(support, other):
            yield "spares", _rival_sentence(other)
    if change.new and is_thin(support):
        yield raised("thin", at)


def still_doubts(number: int, changes: Sequence[ChangedLines]) -> Iterator[tuple[str, str]]:
    """The doubt ``still`` against change ``number``, which has to be one that changes nothing: what the sketch is about
    may not be shown.

    Nothing if the change is a single line that ends in ``:`` or an opening bracket, or if the change before or after it
    in ``changes`` touches it (ends where it begins, or begins where it ends).
    """
    change = changes[number]
    around = (*changes[max(0, number - 1) : number], *changes[number + 1 : number + 2])
    heads = len(change.new) == 1 and change.new[0].endswith((":", "{", "(", "["))
    if not heads and not any(x.end == change.start or change.end == x.start for x in around):
        yield raised("still", change.start + 1)


def vanished_comment(support: Support) -> int | None:
    """The first line's 0-based number in the file of a comment of two or more lines that goes with only blank lines for
    it; ``None`` if no such comment goes.

    Only comments at the margin, or with `` *`` at the beginning of their lines, count; lines of a comment and code that
    go together do not.
    """
    for part in differences(support.old, support.new):
        numbers = [n for n in range(part.old_start, part.old_end) if support.old[n]]
        removed = [support.old[n] for n in numbers]
        if any(support.new[part.new_start : part.new_end]) or not all(map(REMARK.match, removed)):
            continue
        if len(removed) > 1 and all(not x[:1].isspace() or x.startswith(" *") for x in removed):
            return support.start + numbers[0]
    return None


# --- sentences ---


def _rival_sentence(other: tuple[int, int]) -> str:
    """A sentence that names the other range of lines (0-based, end exclusive), or, if the range is empty, the line
    before which the new lines could stand.
    """
    first, last = other
    if first == last:
        return f"This could also be put in at line {first + 1}; show more lines around the change."
    lines_text = f"line {last}" if last - first == 1 else f"lines {first + 1} to {last}"
    return f"This could also replace {lines_text}; show more lines around the change."


def _edge_sentence(segment: Segment, edge: int, lines: FileLines) -> str:
    """A sentence about a segment's first (``edge`` 0) or last (-1) line: that it may not say where the segment belongs,
    if it is blank or a line of the file; else that it is not in the file, with the most similar line of the file if
    there is one.
    """
    line = segment.lines[edge].strip()
    number = segment.at + (0 if edge == 0 else len(segment.lines) - 1)
    shown = f"“{line[:60]}” (line {number + 1} of the sketch)"
    if segment.lines[edge] in lines.where or not line:
        return raised("context", shown)[1]
    side = "begin" if edge == 0 else "end"
    return (
        f"{shown} is not in the file{nearest(line, lines)}; {side} each part of the sketch with a line "
        "that stays."
    )


# --- what the sketch leaves out ---


def _ends_with_file(number: int, support: Support, segments: Sequence[Segment]) -> bool:
    """Whether each side of the segment that shares no line with the file is an end of the sketch, without a marker, and
    stands at the same end of the file.

    False as well if at such a side more different lines with a letter or digit go than come.
    """
    above, below = support.rows
    if not above and (number or segments[0].above or support.start):
        return False
    if not below and (
        number + 1 < len(segments) or segments[-1].below or support.end < len(support.lines)
    ):
        return False
    inner = differences(support.old, support.new)
    open_edges = [inner[0]] * (not above) + [inner[-1]] * (not below)
    return all(
        num_strong(support.old[x.old_start : x.old_end])
        <= num_strong(support.new[x.new_start : x.new_end])
        for x in open_edges
    )


def _is_once(row: Sequence[str], support: Support, *, down: bool) -> bool:
    """Whether the file has this row of lines, which is not empty, exactly once; false as well if that would take too
    many comparisons, which are counted.

    down: the row is in the file's order, else from its last line upwards.
    """
    shown = row if down else row[::-1]
    lines = support.lines
    starts = lines.where.get(shown[0], ())
    if lines.is_too_much(len(starts) * len(shown)):
        return False
    return sum(lines.run_down(shown, start) == len(shown) for start in starts) == 1


def _are_versions(support: Support) -> bool:
    """Whether the lines that go and the new ones are versions of each other.

    If one to three lines go for as many, whether the first lines and the last lines of old and new are alike (0.65).
    Else whether old and new share lines on one side only, their outermost lines on the other side are alike (more than
    0.8) but not equal, and no more different lines go than come.
    """
    new, old = support.new, support.old
    if 0 < len(support.removed) == len(support.added) <= _REWRITTEN:
        return all(likeness(new[edge], old[edge], _ALIKE) for edge in (0, -1))
    above, below = support.rows
    if bool(above) == bool(below) or num_strong(support.removed) > num_strong(support.added):
        return False
    edge = -1 if above else 0
    return _NEARLY < likeness(new[edge].strip(), old[edge].strip(), _NEARLY) < 1


def _loses_blank(old: Sequence[str], new: Sequence[str], *, spaced: bool) -> bool:
    """Whether blank lines go by themselves, more than come; or, in a sketch without any blank line (``spaced`` false),
    together with other lines for which new ones come, or as the first or last of the lines that go.
    """
    for part in differences(old, new):
        removed = old[part.old_start : part.old_end]
        added = new[part.new_start : part.new_end]
        if "" not in removed:
            continue
        if not any(removed) and removed.count("") > added.count(""):
            return True
        if not spaced and (any(added) or not removed[0] or not removed[-1]):
            return True
    return False


def _open_ends(
    number: int, support: Support, segments: Sequence[Segment]
) -> Iterator[tuple[str, str]]:
    """The doubt ``open`` if the sketch ends here without a marker although the file goes on for a few lines; ``blank``
    if these lines are all blank.

    Few are 25 lines at most, or 250 in a sketch with markers or several segments; no doubt beyond that. One doubt at
    most: the upper end comes first.
    """
    segment, is_last, file = segments[number], number + 1 == len(segments), support.lines.keys
    few = _FEW if len(segments) == 1 and not (segment.above or segment.below) else _MANY
    for marked, beyond, side, at in (
        (segment.above or number, file[: support.start], "above", segment.at),
        (
            segment.below or not is_last,
            file[support.end :],
            "below",
            segment.at + len(segment.lines) - 1,
        ),
    ):
        if not marked and 0 < len(beyond) <= few:
            more = "1 more line" if len(beyond) == 1 else f"{len(beyond)} more lines"
            yield "open" if any(beyond) else "blank", raised("open", side, at + 1, more)[1]
            return


# --- how it is indented ---


def _dips(segment: Segment) -> bool:
    """Whether some line that is not empty is less deep than the first such line, so that the first does not say how
    deep the segment is.
    """
    depths = [len(indent_of(line)) for line in segment.lines if line]
    return min(depths, default=0) < next(iter(depths), 0)


def _reindents(support: Support, *, moved: bool) -> bool:
    """Whether a new line equals a removed one but for the blanks around it, and nothing shows that the new depth is
    meant.

    An indented line with a letter or digit that stays at the segment's edge shows it, unless the whole segment was
    moved (``moved``).
    """
    bare = {line.strip() for line in support.removed if line}
    if not bare & {line.strip() for line in support.added}:
        return False
    rows = *support.rows[0], *support.rows[1]
    return moved or not any(line[:1].isspace() and not is_weak(line) for line in rows)


def _is_shaped(support: Support) -> bool:
    """Whether the indentation of the new lines fits. Below a line that opens a block: deeper, or a closing bracket at
    any depth; below a bracket or colon both by whole units. Below any other line: not deeper, and a closing bracket
    less deep.

    Only pairs of neighbouring lines of which at least one is new count, blank lines aside; a line that continues the
    one above, or stands below an open bracket, may be deeper. In a comment ``/*`` lines with ``*`` are deeper. Judged
    by lines, not by a grammar, since a segment alone would not parse.
    """
    added, unit = set(support.added), support.lines.unit
    for above, line in pairwise(filter(None, support.new)):
        if above not in added and line not in added:
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
    """Whether some line of the change, new or not, is indented by two spaces or more in a file that is indented by tabs
    alone, or by a tab in one with spaces alone. False for files with both or no indentation.

    Lines that begin with two spaces and ``*``, as in block comments, do not count.
    """
    if support.lines.indented_by_tabs is None:
        return False
    wrong = "  " if support.lines.indented_by_tabs else "\t"
    return any(line.startswith(wrong) and not line.startswith("  *") for line in support.new)


# --- what it could be instead ---


def _cuts_branch(support: Support) -> bool:
    """Whether a statement may lose a branch, or a branch its statement, that is not meant to go.

    Either the change ends in a line without a letter or digit, such as a bracket, that the range has, too, and a
    removed line begins with that line and goes on: ``}`` for ``} catch (error) {``. Or the file's next line that is not
    blank is a branch (``except``, ``catch``, ``finally``, ``rescue``) and more ``try`` lines (``begin`` in Ruby) of its
    depth go than come.
    """
    below = next(filter(None, support.lines.keys[support.end :]), "")
    if _BRANCH_OF_TRY.match(below):
        begins = f"{indent_of(below)}{'begin' if 'rescue' in below or 'ensure' in below else 'try'}"
        removed, added = (
            sum(x.startswith(begins) for x in row) for row in (support.removed, support.added)
        )
        if removed > added:
            return True
    edge = support.new[-1] if support.new else ""
    if not edge or not is_weak(edge) or edge not in support.old:
        return False
    return any(line.startswith(edge.rstrip(";,")) and line != edge for line in support.removed)
