"""``merge``: reads the paste, and writes its likeliest text: the one that is certain, or a reading with marks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import groupby, pairwise
from typing import TYPE_CHECKING

from editd.apply.blocks import place_block
from editd.apply.lines import MOST_COMPARED, Lines
from editd.apply.outcome import Doubt, Doubtful, Edit, Merged, Reading, Unsettled, written
from editd.apply.recognise import Paste, recognise
from editd.diff.document import Document
from editd.diff.matching import changes, is_weak
from editd.prompts.language import language_of

if TYPE_CHECKING:  # numpy, for which diffs and search/replace blocks do not wait
    from editd.apply.align import Change
    from editd.apply.sketch import Part

_PLACED = "Placed by its lines; no other place fits as well."
_CUT = "The paste breaks off within its code; look whether more was to follow."
_BLANKS = (
    "The sketch shows spaces at line ends otherwise than the file, which may or may not be intended; use a "
    "diff or search/replace blocks for that."
)


def merge(
    text: str, sketch: str, *, path: str = "", lines: tuple[int, int] | None = None
) -> Merged | Unsettled:
    """``text`` with the change in ``sketch``, if only one result is possible. Never raises for any text.

    text: the whole buffer, with its own line ends. sketch: changed lines with markers for what stays, a
    unified diff, or search/replace blocks, each with or without a fence and prose around it. path: the
    file's name, which gives its language and chooses among the files of a diff. lines: only these may
    change (0-based, end exclusive).
    """
    document = Document.of(text)
    buffer = Lines(document.model_lines)
    try:
        paste = recognise(sketch, {x.strip() for x in buffer.keys}, language_of(path), path)
        if paste.form == "sketch":
            return _of_sketch(document, buffer, paste, path, lines)
        return _of_blocks(document, buffer, paste, lines)
    except Doubt as doubt:
        return _unsettled(doubt, None)


def _of_blocks(
    document: Document, buffer: Lines, paste: Paste, allowed: tuple[int, int] | None
) -> Merged | Unsettled:
    """Where all old lines of a diff or of search/replace blocks stand; else where they are alike."""
    edits: list[tuple[Edit, Change | None]] = []
    why: Doubt | None = None
    for block in paste.blocks:
        try:
            edits += [(edit, None) for edit in place_block(block, buffer)]
        except Doubt as doubt:
            from editd.apply.reading import read_block

            why = why or doubt
            change = read_block(block, buffer)
            if change is None:
                raise why from doubt
            told = replace(change, why=doubt.outcome.reason)
            edits += [(edit, told) for edit in _differences(buffer, change, change.new)]
    try:
        _refuse_outside([edit for edit, _ in edits], allowed)
        merged = written(document, [x for x, _ in edits], paste.form, ended=paste.ended)
    except Doubt as doubt:
        raise why or doubt from None
    return merged if why is None else _unsettled(why, _marked(merged, edits, why.outcome.reason))


def _of_sketch(
    document: Document,
    buffer: Lines,
    paste: Paste,
    path: str,
    allowed: tuple[int, int] | None,
) -> Merged | Unsettled:
    """The text of the best reading."""
    from editd.apply import reading
    from editd.apply.stepwise import read_answer

    # 1) the best reading, and whether the blanks at its line ends are meant
    language = language_of(path) or language_of(f"x.{paste.info}") or paste.info
    found, sketch = read_answer(paste.steps, buffer, language)
    if paste.is_cut:
        found = reading.capped(found, reading.MAY_BE, _CUT)
    ends = _Ends(paste, buffer, found.changes)
    edits = [
        (edit, one)
        for one in found.changes
        for edit in _differences(buffer, one, ends.meant(one.new))
    ]
    _refuse_outside([edit for edit, _ in edits], allowed)
    merged = written(document, [edit for edit, _ in edits], "sketch", ended=paste.ended)
    displaced = reading.displaces(edits, buffer, language, sketch)
    if found.sure >= reading.CERTAIN and not ends.doubtful and not displaced:
        return merged
    # 2) what a model would have to decide, and the reading if it may be shown
    why = Doubt(_BLANKS if ends.doubtful else reading.why(found))
    if len(paste.steps) == 1 and sketch.parts and found.sure < reading.CERTAIN:
        sure = [one.sure >= reading.CERTAIN for one in found.changes]
        certain = [edit for edit, one in edits if one.sure >= reading.CERTAIN]
        ranges = _ranges(found.changes, sketch.parts, sure, paste.steps[0].lines, len(buffer))
        why.outcome = replace(
            why.outcome,
            certain=written(document, certain, "sketch", ended=True).hunks if certain else (),
            doubtful=ranges if any(sure) else (),
        )
    try:
        shown = reading.refuse_unlikely(found, sketch, buffer, language)
    except Doubt as doubt:
        return _unsettled(why if doubt.outcome.reason == why.outcome.reason else doubt, None)
    # Of changes that do not lean on one another, as those of several steps, each is as sure as it is.
    least = min(one.sure for _, one in edits)
    whole = (shown.sure >= reading.SURE or shown.sure >= least) and not ends.doubtful
    best = _marked(merged, edits, why.outcome.reason, whole=whole)
    if shown.other:
        others = [x for one in shown.other for x in _differences(buffer, one, ends.meant(one.new))]
        try:
            other = written(document, others, "sketch", ended=paste.ended)
            best = replace(best, other=other if other.text != merged.text else None)
        except Doubt:
            pass
    return _unsettled(why, best)


def _unsettled(doubt: Doubt, reading: Reading | None) -> Unsettled:
    why = doubt.outcome
    final = why.final and reading is None
    return Unsettled(why.reason, why.line, final, why.certain, why.doubtful, reading)


def _marked(
    merged: Merged, edits: Iterable[tuple[Edit, Change | None]], reason: str, *, whole: bool = True
) -> Reading:
    """A reading whose hunks say how sure they are. whole: whether the text is as sure as its hunks."""
    from editd.apply.confidence import SURE

    ordered = sorted(edits, key=lambda pair: (pair[0].start, pair[0].end))
    hunks = []
    for hunk, (_, one) in zip(merged.hunks, ordered, strict=True):
        sure = one is None or (one.sure >= SURE and whole)
        told = one.why if one is not None and one.why else reason
        hunks.append(replace(hunk, note=_PLACED) if sure else replace(hunk, suspect=told))
    return Reading(replace(merged, hunks=tuple(hunks)), all(hunk.suspect is None for hunk in hunks))


def _differences(lines: Lines, one: Change, new: Sequence[str]) -> list[Edit]:
    """What a change really changes. new: its lines with the blanks that are meant."""
    keys = [line.rstrip() for line in new]
    return [
        Edit(
            one.start + change.old_start,
            one.start + change.old_end,
            tuple(new[change.new_start : change.new_end]),
        )
        for change in changes(lines.keys[one.start : one.end], keys)
    ]


class _Ends:
    """Which blanks at the ends of new lines are meant.

    Assistants drop a file's trailing blanks or add their own. They are meant if the paste shows the file's
    as they are, and noise if it adds some to the file's lines. ``doubtful``: neither, or both.
    """

    def __init__(self, paste: Paste, lines: Lines, changed: Sequence[Change]) -> None:
        self._raw = [line for step in paste.steps for line in ("", *step.lines)]
        self._bare = [line.strip() for line in self._raw]
        self.doubtful = False
        shown: list[tuple[str, str]] = []  # the file's line and the paste's
        come: list[str] = []
        for one in changed:
            new = self._as_pasted(one.new) if one.new else []
            now = then = 0
            for change in (*changes(lines.keys[one.start : one.end], one.new), None):
                end = len(new) if change is None else change.new_start
                shown += zip(lines.raw[one.start + then :], new[now:end], strict=False)
                if change is not None:
                    come += new[change.new_start : change.new_end]
                    then, now = change.old_end, change.new_end
        keeps = any(was == line != was.rstrip() for was, line in shown)
        loses = any(len(line) < len(was) for was, line in shown if not is_weak(line))
        adds = sum(len(line) > len(was) for was, line in shown if not is_weak(line)) > 1
        self.doubtful |= (
            (keeps and (loses or adds))
            or (keeps == adds and any(line != line.rstrip() for line in come))
            or any(len(line) < len(was) and not loses for was, line in shown)
            or any(len(line) > len(was) and not adds for was, line in shown)
        )
        self._keeps = keeps and not adds

    def meant(self, new: Sequence[str]) -> list[str]:
        """The new lines with their blanks."""
        return self._as_pasted(new) if new and self._keeps else [line.rstrip() for line in new]

    def _as_pasted(self, new: Sequence[str]) -> list[str]:
        """The lines with their blanks in the paste, where they stand there in a row."""
        bare = [line.strip() for line in new]
        found = set()
        starts = [start for start, line in enumerate(self._bare) if line == bare[0]]
        too_much = len(starts) * len(bare) > MOST_COMPARED
        for start in () if too_much else starts:
            if self._bare[start : start + len(bare)] == bare:
                pasted = self._raw[start : start + len(bare)]
                found.add(tuple(line[len(line.rstrip()) :] for line in pasted))
        if len(found) != 1:
            self.doubtful |= bool(found) or too_much
            return [line.rstrip() for line in new]
        return [line.rstrip() + blanks for line, blanks in zip(new, found.pop(), strict=True)]


def _ranges(
    found: Sequence[Change],
    parts: Sequence[Part],
    sure: Sequence[bool],
    sketch: Sequence[str],
    size: int,
) -> tuple[Doubtful, ...]:
    """Neighbouring parts in doubt, between the certain ones above and below, with the sketch's lines of them."""
    if any(one.start > two.start for one, two in pairwise(found)) or any(
        one.at > two.at for one, two in pairwise(parts)
    ):
        return ()
    ranges = []
    for is_sure, group in groupby(range(len(parts)), key=lambda number: sure[number]):
        if is_sure:
            continue
        numbers = list(group)
        first, last = numbers[0], numbers[-1] + 1
        top = parts[first - 1].at + len(parts[first - 1].lines) if first else 0
        bottom = parts[last].at if last < len(parts) else len(sketch)
        start = found[first - 1].end if first else 0
        end = found[last].start if last < len(parts) else size
        ranges.append(Doubtful(start, end, tuple(sketch[top:bottom])))
    return tuple(ranges)


def _refuse_outside(edits: Sequence[Edit], allowed: tuple[int, int] | None) -> None:
    for edit in edits if allowed is not None else ():
        start, end = allowed or (0, 0)
        if not start <= edit.start <= edit.end <= end:
            raise Doubt(
                f"The paste changes line {edit.start + 1}, and only lines {start + 1} to {end} may "
                "change."
            )
