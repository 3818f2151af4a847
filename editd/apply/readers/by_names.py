"""Reads a sketch (pasted lines with markers for what stays) by the names of its definitions, and gives each its location in the file.

A definition that is shown whole takes the place of the file's one of its name. One that is shown in part is a stretch
of the file, in which its lines are located (``name_segments``). What stands between two such locations is aligned with
what the file has there (``by_alignment``), or is new there, beside its neighbour. So nothing that the sketch does not
mention can go.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import pairwise
from math import prod

from editd.apply.doubts.support import Support
from editd.apply.doubts.table import (
    BEST_GUESS,
    BY_NAME,
    CERTAIN,
    CONFIDENT,
    WEAK_GUESS,
)
from editd.apply.doubts.weighing import CLEAR, weighed
from editd.apply.paste.segments import Segment, Sketch
from editd.apply.readers.by_alignment import align
from editd.apply.readers.name_segments import NameMatcher, NameSegment, NotByNamesError
from editd.apply.readers.new_code import (
    read_versions,
    usual_gap,
)
from editd.apply.readers.new_imports import read_imports
from editd.apply.reading import ChangedLines, Reading
from editd.apply.text.file_lines import FileLines
from editd.apply.text.indent import reindented
from editd.apply.text.line import (
    ABOVE,
    given_name,
    indent_of,
    likeness,
    num_strong,
    stripped,
)
from editd.apply.text.named_blocks import NamedBlock
from editd.diff.matching import is_weak
from editd.syntax.imports import IMPORT_LINE

_ALIKE = 0.65  # a new line and the one above a definition that it may be a version of
_SAME_LINE = 0.5  # a new line below a definition's first one, and the file's that it may replace
_MOST_SHOWN = 0.7  # least share of the file's lines in a sketch that shows all of it


def read_by_names(
    blocks: Sequence[Sequence[str]],
    lines: FileLines,
    is_marker: Callable[[str], bool],
) -> Reading | None:
    """The reading by names of definitions; ``None`` if it changes nothing, its changes overlap, or the sketch is not
    made of definitions in the file's order.

    blocks: the lines of the sketch's code blocks. is_marker: which of them are markers. A lone definition that cannot
    mean anything else is certain; else the confidence is the product of those of the parts, but a weak guess at least
    where each change is.
    """
    names = NameMatcher(lines, is_marker)
    sketch = Sketch(
        (), tuple(map(tuple, blocks)), marked=any(is_marker(x) for block in blocks for x in block)
    )
    try:
        name_segments = names.name_segments(blocks)
        alone = len(name_segments) == 1 and name_segments[0].is_only and not sketch.marked
        if alone and names.is_alone(name_segments[0]):
            return Reading((names.replacement(name_segments[0], confidence=CERTAIN),), CERTAIN)
        found = list(_located(names, name_segments, sketch))
    except NotByNamesError:
        return None
    changes = sorted(
        (change for reading in found for change in reading.changes),
        key=lambda change: (change.start, change.end),
    )
    is_same = all(lines.keys[change.start : change.end] == change.new for change in changes)
    if is_same or any(change.end > below.start for change, below in pairwise(changes)):
        return None
    least = min((change.confidence for change in changes), default=CERTAIN)
    return Reading(
        tuple(changes), max(prod(change.confidence for change in found), min(WEAK_GUESS, least))
    )


def _located(
    names: NameMatcher, name_segments: Sequence[NameSegment], sketch: Sketch
) -> Iterator[Reading]:
    """A reading for each definition that is shown whole, each changed first line of one, and each run of other segments
    between two of them, in order. Raises ``NotByNamesError`` if some run has no location.

    names: of the file. name_segments: the sketch's, in order.
    """
    shown = {x.strip() for segment in name_segments for x in segment.lines}
    strong = [x.strip() for x in names.file if not is_weak(x)]
    whole = not any(segment.kind in ("marker", "opens") for segment in name_segments) and (
        sum(x in shown for x in strong) >= _MOST_SHOWN * len(strong)
    )
    run: list[NameSegment] = []
    above: NameSegment | None = None
    for name_segment in [*name_segments, None]:
        if name_segment is not None and name_segment.kind in ("marker", "lines", "new"):
            run.append(name_segment)
            continue
        if any(segment.kind != "marker" for segment in run):
            yield _BetweenNames(names, sketch, run, above, name_segment, whole=whole).read()
        if name_segment is not None and name_segment.kind in ("head", "known"):
            change = ChangedLines(name_segment.start, name_segment.end, name_segment.lines, BY_NAME)
            if name_segment.kind == "known":
                change = names.replacement(name_segment, marked=sketch.marked)
            yield Reading((change,), change.confidence)
        run, above = [], name_segment


class _BetweenNames:
    """Segments between two locations that names give, and the file's lines ``low .. high`` there.

    run: these segments. above, below: the segments that have the locations; ``None`` at an end of the sketch. whole:
    whether the sketch shows all of the file.
    """

    def __init__(
        self,
        names: NameMatcher,
        sketch: Sketch,
        run: Sequence[NameSegment],
        above: NameSegment | None,
        below: NameSegment | None,
        *,
        whole: bool,
    ) -> None:
        self.names, self.lines, self.file = names, names.lines, names.file
        self.sketch, self.above, self.below, self.whole = sketch, above, below, whole
        self.low = above.end if above is not None else 0
        self.high = below.start if below is not None else len(self.file)
        self.groups: list[list[NameSegment]] = [[]]
        for name_segment in run:
            if name_segment.kind == "marker" or (
                name_segment.kind == "new" and _are_imports(self.groups[-1])
            ):
                self.groups.append([])
            if name_segment.kind != "marker":
                self.groups[-1].append(name_segment)

    def read(self) -> Reading:
        """The changes of the file's lines between two names: each group of new lines below the first lines of a partly
        shown definition, as versions or imports, aligned, or put in between the aligned ones. Groups of brackets alone
        are left out.

        In a sketch with markers each change is ``CONFIDENT`` if nothing speaks against it, else a best guess at most,
        and the reading's confidence is the product of theirs as best guesses; else the product of their own. Raises
        ``NotByNamesError`` if some group has no location.
        """
        changes: list[ChangedLines] = []
        to_align: list[Segment] = []
        new: list[tuple[int, int]] = []  # after so many parts, and the group
        for number, group in enumerate(self.groups):
            if all(is_weak(x) for name_segment in group for x in name_segment.lines):
                continue  # brackets close what a marker left open
            shown = stripped(_joined(group))
            if number == 0 and (below := self._below_head(shown)) is not None:
                changes.append(below)
                continue
            if (
                anew := self._read_versions(group, shown)
            ) is not None:  # prose may say another place
                changes += (
                    replace(x, confidence=min(x.confidence, BEST_GUESS)) for x in anew.changes
                )
            elif any(
                self._has_version_of(x)
                for name_segment in group
                if name_segment.kind != "new"
                for x in name_segment.lines
            ):
                to_align.append(self._segment_to_align(number, shown))
            else:
                new.append((len(to_align), number))
        aligned, clear = self._aligned(to_align)
        changes += aligned
        for count, number in new:
            top = aligned[count - 1].end if count else self.low
            bottom = aligned[count].start if count < len(aligned) else self.high
            changes.append(self._insertion(number, top, bottom))
            if changes[-1].confidence == BY_NAME and all(
                x.kind == "new" for x in self.groups[number]
            ):
                clear.add(changes[-1])
        if self.sketch.marked:  # lines may be context of another change
            capped = [replace(x, confidence=min(x.confidence, BEST_GUESS)) for x in changes]
            raised = [
                replace(x, confidence=CONFIDENT) if x in clear else y
                for x, y in zip(changes, capped, strict=True)
            ]
            return Reading(tuple(raised), prod(x.confidence for x in capped))
        return Reading(tuple(changes), prod(x.confidence for x in changes))

    @cached_property
    def known(self) -> set[str]:
        """The file's lines here that say something, stripped."""
        return {x.strip() for x in self.file[self.low : self.high] if not is_weak(x)}

    # --- lines of the file ---

    def _has_version_of(self, line: str) -> bool:
        """Whether the file's lines here have this one, blanks around aside (never for a line without a letter or
        digit), or exactly one of them gives the same name a value and resembles it (0.65).
        """
        given = self.lines.where_given.get(given_name(line) or "\n", ())
        same_name = [self.file[n].strip() for n in given if self.low <= n < self.high]
        is_version = len(same_name) == 1 and likeness(line.strip(), same_name[0], _ALIKE) > 0
        return line.strip() in self.known or is_version

    def _read_versions(
        self, group: Sequence[NameSegment], shown: tuple[str, ...]
    ) -> Reading | None:
        """A reading of a group (new lines between two markers) as imports, if all are imports above a definition in a
        sketch without markers; else as versions of the file's lines here; ``None`` if it cannot be read so. shown: the
        group's lines.
        """
        if _are_imports(group) and self.below is not None and not self.sketch.marked:
            return read_imports(shown, self.lines)
        return read_versions(shown, self.lines, (self.low, self.high))

    def _segment_to_align(self, number: int, shown: tuple[str, ...]) -> Segment:
        """Group ``number`` (new lines between two markers) as one segment to align, indented as the file indents the
        first of its lines that the file has here. Markers count as around it but at an end of a definition or of a
        sketch that shows the whole file. shown: the group's lines. Raises ``IndexError`` if the file has no lines here.
        """
        begins = number == 0 and (self.whole or _is(self.above, "opens"))
        ends = number + 1 == len(self.groups) and (self.whole or _is(self.below, "closes"))
        old_lines = self.file[self.low : self.high]
        indents = {x.strip(): indent_of(x) for x in reversed(old_lines)}
        first = next((x for x in shown if not is_weak(x) and x.strip() in indents), old_lines[0])
        if first not in old_lines:
            shown = tuple(reindented(shown, indent_of(first), indents[first.strip()], self.lines))
        return Segment(shown, not begins, not ends)

    def _aligned(self, to_align: Sequence[Segment]) -> tuple[list[ChangedLines], set[ChangedLines]]:
        """The changes of segments that are aligned with the file's lines here, and the set of those against which
        nothing speaks within these lines. Empty for no segments.

        Doubts that are raised within these lines are added as ``in NAME``, without their caps, but too little context
        (``beside``, ``context``, ``thin``) makes a change a best guess at most. The doubt ``unseen`` is added where
        lines go and no shared line shows where they end (``_is_unseen``). Raises ``NotByNamesError`` if the lines here
        are none, or the segments cannot be aligned with them.
        """
        if not to_align:
            return [], set()
        low, bottom = self.low, self._without_blank_end(self.low, self.high)  # blank lines stay
        found = align(self.lines, to_align, (low, bottom)) if low < self.high else None
        if found is None:
            raise NotByNamesError
        inner = FileLines(self.file[low:bottom], self.lines.language)
        moved = [replace(x, start=x.start - low, end=x.end - low) for x in found.changes]
        weighed_inside = weighed(
            replace(found, changes=tuple(moved)), to_align, self.sketch, inner
        ).changes
        changes: list[ChangedLines] = []
        clear: set[ChangedLines] = set()
        for given, segment, inside in zip(found.changes, to_align, weighed_inside, strict=True):
            change = replace(given, doubts=tuple(f"in {x}" for x in inside.doubts))
            if self._is_unseen(change, segment):
                change = change.doubted("unseen")
            if {"beside", "context", "thin"} & {*inside.doubts}:
                change = replace(
                    change, confidence=min(change.confidence, BEST_GUESS), sentence=inside.sentence
                )
            changes.append(change)
            if not inside.doubts and change.before_doubts >= CLEAR:
                clear.add(change)
        return changes, clear

    def _is_unseen(self, change: ChangedLines, segment: Segment) -> bool:
        """Whether more different lines with a letter or digit go than come, and, on a side of the segment with a marker, no
        shared line shows where they end.
        """
        support = Support(self.lines, change.start, change.end, change.new)
        above, below = support.rows
        return num_strong(support.removed) > num_strong(support.added) and bool(
            (segment.above and not above) or (segment.below and not below)
        )

    # --- new lines ---

    def _insertion(self, number: int, low: int, high: int) -> ChangedLines:
        """The insertion of group ``number`` (new lines between two markers) within the lines ``low .. high`` (end
        exclusive): beside the definition that it stands beside in the sketch, else below the last of its kind, else at
        the end; parted by blank lines as usual in the file, or as in the sketch. A line at the end of these lines of
        which the last new one is a version is replaced.

        Raises ``NotByNamesError`` if the file has some of the lines elsewhere, they are at another depth than their
        neighbour, or lie in something that is not shown.
        """
        group = self.groups[number]
        if any(self.names.has(x) for part in group if part.kind == "lines" for x in part.lines):
            raise NotByNamesError  # the file has them elsewhere
        above = self.above if number == 0 and not _is(self.above, "opens") else None
        is_last = number + 1 == len(self.groups)
        below = self.below if is_last and not _is(self.below, "closes") else None
        beside = above if above is not None else below
        lines, depth = self._as_deep_as_here(group, beside, low, high)
        is_new = any(part.kind == "new" for part in group)
        is_below = above is not None or below is None
        blank = group[0].blank[0] if is_below else group[-1].blank[1]
        gap = ("",) * ((usual_gap(self.lines, depth) if is_new else 0) or blank)
        if above is not None:
            return self._beside(group, low, lines, (*gap, *lines), low, high)
        if below is None:
            return self._below_its_kind(number, lines, gap, depth, low, high)
        end = self._without_blank_end(low, high)
        if end > low and _is_version(lines[-1], self.file[end - 1], is_near=end == high):
            new = (*lines, *(gap if end == high else ()))
            return ChangedLines(end - 1, end, new).doubted("anew", end)
        at = self._above_comment(low, high)
        return self._beside(group, at, lines, (*lines, *gap), low, high)

    def _as_deep_as_here(
        self, group: Sequence[NameSegment], beside: NameSegment | None, low: int, high: int
    ) -> tuple[tuple[str, ...], str]:
        """The new lines of a group, as deep as the definition ``beside``, else as the first definition in ``low ..
        high``, else as shown; and that depth.

        Raises ``NotByNamesError`` if a new definition is at another depth than ``beside`` in the sketch; or, without
        ``beside`` at the file's beginning, if a new definition is indented in the sketch, or the lines hold none and
        the file has a definition in ``low .. high``.
        """
        is_new = any(part.kind == "new" for part in group)
        shown = stripped(_joined(group))
        inside = self._definitions_within(low, high)
        given = depth = beside.given if beside is not None else indent_of(shown[0])
        if beside is not None:
            depth = indent_of(beside.lines[0])
        elif inside:
            depth = indent_of(self.file[inside[0].start])
        if is_new and indent_of(shown[0]) != given:
            raise NotByNamesError  # at another depth than its neighbour
        if beside is None and low == 0 and (given if is_new else inside):
            raise NotByNamesError  # inside of something that is not shown
        return tuple(reindented(shown, given, depth, self.lines)), depth

    def _beside(
        self,
        group: Sequence[NameSegment],
        at: int,
        lines: Sequence[str],
        text: Sequence[str],
        low: int,
        high: int,
    ) -> ChangedLines:
        """An insertion of ``text`` before line ``at``, by name, with the doubt ``odd`` or ``near`` if there is cause.

        Odd is an import (``lines``: the text without blank lines around) beside a definition, and an insertion where a
        sketch of the whole file leaves lines of ``low .. high`` out. Near are lines that are no definition, in a sketch
        with markers. group: the sketch's segments that ``text`` is made of.
        """
        change = ChangedLines(at, at, tuple(text), BY_NAME)
        stays = self.whole and any(not is_weak(x) for x in self.file[low:high])
        if stays or any(map(IMPORT_LINE.match, lines)):
            return change.doubted("odd")
        is_near = self.sketch.marked and any(part.kind != "new" for part in group)
        return change.doubted("near") if is_near else change

    def _below_its_kind(
        self, number: int, lines: Sequence[str], gap: Sequence[str], depth: str, low: int, high: int
    ) -> ChangedLines:
        """An insertion of new definitions below the last one of their depth within ``low .. high``, of other lines at
        the end of these; always with a doubt: ``last`` for new definitions at the end of a partly shown one, else
        ``loose``.

        Where new definitions would lie within another definition that is as deep, they go above that one, with the
        doubt ``user``. number: of the group. gap: blank lines to write beside it. depth: the blanks before its lines.
        """
        is_new = any(part.kind == "new" for part in self.groups[number])
        alike = [
            x
            for x in self._definitions_within(low, high)
            if x.end <= high and indent_of(self.file[x.head]) == depth
        ]
        end = self._without_blank_end(low, alike[-1].end if is_new and alike else high)
        holder = next((x for x in self.names.definitions if x.start < end < x.end), None)
        if is_new and holder is not None and indent_of(self.file[holder.start]) == depth:
            new = (*lines, *gap)
            return ChangedLines(holder.start, holder.start, new).doubted("user")
        is_last = is_new and number + 1 == len(self.groups) and _is(self.below, "closes")
        return ChangedLines(end, end, (*gap, *lines)).doubted("last" if is_last else "loose")

    def _definitions_within(self, low: int, high: int) -> list[NamedBlock]:
        """The file's definitions that begin in ``low .. high``."""
        return [x for x in self.names.blocks if low <= x.start < high and not x.is_other]

    def _above_comment(self, low: int, at: int) -> int:
        """The first line of the comments and decorators right above line ``at``, ``at`` itself if there are none;
        ``low`` at the least. A ``/*`` comment counts whole.
        """
        while at > low and ABOVE.match(self.file[at - 1]):
            at -= 1
            if self.file[at].rstrip().endswith("*/"):
                opened = (n for n in range(at, low - 1, -1) if "/*" in self.file[n])
                at = next(opened, at)
        return at

    def _below_head(self, shown: Sequence[str]) -> ChangedLines | None:
        """An insertion of new lines below the first lines of a partly shown definition; ``None`` if the group is
        anything else.

        shown: the group's lines in the sketch: some lines with which the definition begins in the file, the first of
        which ends with ``:`` or ``{`` there, then new ones, then a marker for the rest. ``None`` also if the file has
        one of the new lines here, or a version of it. Below the first line alone means below the docstring.
        """
        rows = self.file[self.low : self.high]
        size = 0  # of the beginning that both have
        while size < min(len(shown), len(rows)) and shown[size].strip() == rows[size].strip():
            size += 1
        if (
            not _is(self.above, "opens")
            or len(self.groups) < 2
            or not 0 < size < len(shown)
            or not rows[0].endswith((":", "{"))
            or any(map(self._has_version_of, shown[size:]))
        ):
            return None
        lines = tuple(reindented(shown, indent_of(shown[0]), indent_of(rows[0]), self.lines))
        at = self._below_docstring() if size == 1 else self.low + size
        below = next((x.strip() for x in self.file[at : self.high] if x), "")
        if any(likeness(x.strip(), below, _SAME_LINE) for x in lines[size:]):
            return None  # a version of the line below
        blank = ("",) * (at > self.low + 1 and not lines[size])
        return ChangedLines(at, at, (*blank, *stripped(lines[size:])), BY_NAME)

    def _below_docstring(self) -> int:
        """The line below the first one of the definition that begins at ``low``, and below its docstring if it has one."""
        at = self.low + 1
        first = self.file[at].strip() if at < self.high else ""
        quotes = next((x for x in ('"""', "'''") if first.lstrip("rRbBuU").startswith(x)), "")
        if not quotes:
            return at
        ends = (n for n in range(at, self.high) if self.file[n].rstrip().endswith(quotes))
        return next((n + 1 for n in ends if n > at or first.count(quotes) > 1), at)

    def _without_blank_end(self, low: int, high: int) -> int:
        """The end (exclusive) of the lines ``low .. high`` of the file without blank ones at their end; ``low`` if all
        are blank.
        """
        while high > low and not self.file[high - 1]:
            high -= 1
        return high


def _is(name_segment: NameSegment | None, kind: str) -> bool:
    """Whether there is a segment, and it is of this kind."""
    return name_segment is not None and name_segment.kind == kind


def _is_version(line: str, old: str, *, is_near: bool) -> bool:
    """Whether a new line may be a version of an old one: it goes on from the whole old line, or, if ``is_near``, is similar."""
    goes_on = line.strip().startswith(old.strip()) and " " in old.strip()
    return goes_on or (is_near and likeness(line.strip(), old.strip(), _ALIKE) > 0)


def _are_imports(group: Sequence[NameSegment]) -> bool:
    """Whether all lines of the segments that are not blank are imports; false if there are none."""
    rows = [x for name_segment in group for x in name_segment.lines if x]
    return bool(rows) and all(map(IMPORT_LINE.match, rows))


def _joined(group: Sequence[NameSegment]) -> list[str]:
    """The lines of all segments, parted by the blank lines that the sketch has beside segments of plain lines, or by
    one between two definitions; empty for an empty group.
    """
    found = [*group[0].lines] if group else []
    for above, below in pairwise(group):
        blank = [above.blank[1]] * (above.kind == "lines") + [below.blank[0]] * (
            below.kind == "lines"
        )
        found += [*[""] * max(blank, default=1), *below.lines]
    return found
