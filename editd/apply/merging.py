"""``merge``: reads the paste, and writes its likeliest text: the one that is certain, or a reading with marks.

``likely`` is the same text for a model that merges, to draft from: the best reading, however unlikely. A wrong
guess costs it a round and never a character.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import groupby, pairwise

from editd.apply.alternatives import chosen
from editd.apply.blocks import between_signs, read_block, read_blocks
from editd.apply.commas import with_commas
from editd.apply.invisible import without_invisible
from editd.apply.keyed import STAY
from editd.apply.lines import MOST_COMPARED, Lines
from editd.apply.outcome import (
    CERTAIN,
    LIKELY,
    SURE,
    Change,
    Doubt,
    Doubtful,
    Merged,
    Reading,
    Unsettled,
    differences,
    sentence_for_reader,
    with_others,
    written,
)
from editd.apply.prose import TOLD
from editd.apply.recognise import Paste, Step, recognise
from editd.apply.sketch import Part
from editd.diff.document import Document
from editd.diff.matching import changes, is_weak
from editd.syntax.language import language_of
from editd.turns import yield_point

_PLACED = "Placed by its lines; no other place fits as well."
_CUT = "The paste breaks off within its code; look whether more was to follow."
_NOTEBOOK = ".ipynb"
_IN_CELLS = "The file is a notebook, which keeps its code as JSON; paste the code into its cell."
_BLANKS = (
    "The sketch shows spaces at line ends otherwise than the file, which may or may not be intended; use a "
    "diff or search/replace blocks for that."
)


def merge(
    text: str,
    sketch: str,
    *,
    path: str = "",
    lines: tuple[int, int] | None = None,
    file: str = "",
    beside: Sequence[str] = (),
) -> Merged | Unsettled:
    """``text`` with the change in ``sketch``, if only one result is possible. Never raises for any text.

    text: the whole buffer, with its own line ends. sketch: changed lines with markers for what stays, a
    unified diff, or search/replace blocks, each with or without a fence and prose around it. path: the
    file's name, which gives its language and chooses among the files of an answer. lines: only these may
    change (0-based, end exclusive). file: its absolute path, if that is known. beside: names of other files that the same sketch is merged into.
    """
    document = Document.of(text)
    buffer = Lines(document.model_lines)
    try:
        paste = _recognised(sketch, buffer, path, file, beside)
        if paste.form == "sketch":
            merged = _of_sketch(document, buffer, paste, path, lines)
        else:
            merged = _of_blocks(document, buffer, paste, lines)
    except Doubt as doubt:
        return _unsettled(doubt, None)
    return with_others(merged, paste.others)


def _recognised(
    sketch: str, lines: Lines, path: str, file: str = "", beside: Sequence[str] = ()
) -> Paste:
    """The paste without what copies add, and of several versions the one that is meant. Raises ``Doubt``."""
    text = without_invisible(sketch, lines.where_bare, language_of(path))
    paste = recognise(text, lines.where_bare, language_of(path), path, file, beside)
    if paste.form != "sketch":
        return paste
    steps = chosen(paste.steps, text, lines.where_bare)
    if path.lower().endswith(_NOTEBOOK) and not any(map(_is_json, steps)):
        raise Doubt(_IN_CELLS, final=True)
    return replace(paste, steps=steps)


def _is_json(step: Step) -> bool:
    """Whether most lines of a code block are lines of JSON."""
    told = [line.strip() for line in step.lines if not is_weak(line)]
    return 2 * sum(line.startswith(('"', "{", "[")) for line in told) > len(told)


def _of_blocks(
    document: Document, buffer: Lines, paste: Paste, allowed: tuple[int, int] | None
) -> Merged | Unsettled:
    """Where all old lines of a diff or of search/replace blocks stand; else where they are alike."""
    edits = read_blocks(paste.blocks, buffer)
    why = next((one.why for one in edits if one.why), "")
    try:
        _refuse_outside(edits, allowed)
        merged = written(document, edits, paste.form)
    except Doubt as doubt:
        raise (Doubt(why) if why else doubt) from None
    if not why:
        return merged
    return _unsettled(Doubt(why), _marked(merged, edits, why, [x.sure < SURE for x in edits]))


def _of_sketch(
    document: Document,
    buffer: Lines,
    paste: Paste,
    path: str,
    allowed: tuple[int, int] | None,
) -> Merged | Unsettled:
    """The text of the best reading."""
    from editd.apply import marks, reading
    from editd.apply.choose import read_answer

    # 1) the best reading, and whether the blanks at its line ends are meant
    buffer.language = language_of(path) or language_of(f"x.{paste.info}") or paste.info
    found, sketch = read_answer(paste.steps, buffer)
    found = with_commas(found, buffer)
    if paste.is_cut:
        found = reading.capped(found, LIKELY, _CUT, ("cut",))
    ends = _Ends(paste, buffer, found.changes)
    edits = ends.differences(found.changes)
    _refuse_outside(edits, allowed)
    merged = written(document, edits, "sketch")
    displaced = reading.displaces(found.changes, edits, buffer, sketch)
    if marks.is_certain(found) and not ends.doubtful and not displaced:
        return merged
    # 2) what a model would have to decide, and the reading if it may be shown
    why = Doubt(_BLANKS if ends.doubtful else reading.why(found))
    if len(paste.steps) == 1 and sketch.parts and found.sure < CERTAIN:
        sure = [one.sure >= CERTAIN for one in found.changes]
        certain = [one for one in edits if one.sure >= CERTAIN]
        ranges = _ranges(found.changes, sketch.parts, sure, paste.steps[0].lines, len(buffer))
        why.outcome = replace(
            why.outcome,
            certain=written(document, certain, "sketch").hunks if certain else (),
            doubtful=ranges if any(sure) else (),
        )
    try:
        shown = reading.refuse_unlikely(found, sketch, buffer)
    except Doubt as doubt:
        return _unsettled(why if doubt.outcome.reason == why.outcome.reason else doubt, None)
    # Of changes that do not lean on one another, as those of several steps, each is as sure as it is.
    least = min(one.sure for one in edits)
    is_named = not sketch.parts
    whole = (shown.sure >= SURE or shown.sure >= least or is_named) and not (
        ends.doubtful or displaced
    )
    suspects = [not whole or marks.is_suspect(one) for one in edits]
    best = _marked(merged, edits, why.outcome.reason, suspects)
    with suppress(Doubt):
        others = ends.differences(shown.other)
        other = written(document, others, "sketch")
        best = replace(best, other=other if other.text != merged.text else None)
    return _unsettled(why, best)


def _unsettled(doubt: Doubt, reading: Reading | None) -> Unsettled:
    why = doubt.outcome
    final = why.final and reading is None
    return Unsettled(why.reason, why.line, final, why.certain, why.doubtful, reading)


def _marked(
    merged: Merged, edits: Iterable[Change], reason: str, suspects: Iterable[bool]
) -> Reading:
    """A reading whose hunks say how sure they are. suspects: which changes could be wrong."""
    told = zip(edits, suspects, strict=True)
    ordered = sorted(told, key=lambda one: (one[0].start, one[0].end))
    hunks = tuple(
        replace(hunk, suspect=sentence_for_reader(one.why or reason))
        if is_suspect
        else replace(hunk, note=_PLACED)
        if one.sure >= SURE and one.why not in (TOLD, STAY)
        else replace(hunk, note=sentence_for_reader(one.why or reason))
        for hunk, (one, is_suspect) in zip(merged.hunks, ordered, strict=True)
    )
    return Reading(replace(merged, hunks=hunks), all(hunk.suspect is None for hunk in hunks))


class _Ends:
    """Which blanks at the ends of new lines are meant.

    Assistants drop a file's trailing blanks or add their own. They are meant if the paste shows the file's
    as they are, and noise if it adds some to the file's lines. ``doubtful``: neither, or both.
    """

    def __init__(self, paste: Paste, lines: Lines, changed: Sequence[Change]) -> None:
        self._keys = lines.keys
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

    def differences(self, found: Sequence[Change]) -> list[Change]:
        """What changes really change, with the blanks that are meant."""
        told = (replace(one, new=self._meant(one.new)) for one in found)
        return [part for one in told for part in differences(one, self._keys)]

    def _meant(self, new: Sequence[str]) -> tuple[str, ...]:
        kept = self._as_pasted(new) if new and self._keeps else [line.rstrip() for line in new]
        return tuple(kept)

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


def _refuse_outside(edits: Sequence[Change], allowed: tuple[int, int] | None) -> None:
    for edit in edits if allowed is not None else ():
        start, end = allowed or (0, 0)
        if not start <= edit.start <= edit.end <= end:
            raise Doubt(
                f"The paste changes line {edit.start + 1}, and only lines {start + 1} to {end} may "
                "change."
            )


# --- the draft for a model that merges ---


@dataclass(frozen=True, slots=True)
class Likely:
    """The likely text after the merge.

    pieces: its text in order, each with its origin, ``buffer`` or ``sketch``. spacing: whether some
    change may be about blank lines.
    """

    pieces: tuple[tuple[str, str], ...]
    spacing: bool = False


def likely(text: str, sketch: str, path: str = "") -> Likely:
    """The likeliest reading of ``sketch`` in ``text``, which has LF line ends. Never raises."""
    lines = Lines(Document.of(text).model_lines, language_of(path))
    paste = _read(sketch, lines, path)
    yield_point()
    pieces: list[tuple[Sequence[str], str]] = []
    position = 0
    found = _changes(paste, lines)
    spacing = any("blank" in one.doubts for one in found)
    for one in (part for whole in found for part in differences(whole, lines.keys)):
        pieces += [(lines.raw[position : one.start], "buffer"), (one.new, "sketch")]
        spacing |= not any((*lines.keys[one.start : one.end], *one.new))
        position = one.end
    pieces.append((lines.raw[position:], "buffer"))
    told = (("".join(f"{line}\n" for line in own), source) for own, source in pieces)
    return Likely(tuple(one for one in told if one[0]), spacing)


def unwrapped(text: str, sketch: str, path: str = "") -> str:
    """The paste as a model is shown it: without fence, prose and parts for other files, with LF line ends."""
    paste = _read(sketch, Lines(Document.of(text).model_lines), path)
    if paste.form != "sketch" and paste.others:
        return "\n".join(map(between_signs, paste.blocks))
    if paste.form != "sketch":
        return Document.of(sketch).model_text
    return "".join(line + "\n" for step in paste.steps for line in step.lines)


def _read(sketch: str, lines: Lines, path: str) -> Paste:
    try:
        return _recognised(sketch, lines, path)
    except Doubt:
        told = Document.of(sketch).model_text.split("\n")
        bare = tuple(line for line in told if not line.lstrip().startswith("```"))
        return Paste("sketch", steps=(Step(bare),))


def _changes(paste: Paste, lines: Lines) -> list[Change]:
    from editd.apply.choose import read_answer

    found: list[Change] = []
    if paste.form == "sketch":
        with suppress(Doubt):
            found += read_answer(paste.steps, lines)[0].changes
    for block in paste.blocks:
        with suppress(Doubt):
            found += read_block(block, lines)
    found.sort(key=lambda one: (one.start, one.end))
    return [] if any(one.end > two.start for one, two in pairwise(found)) else found
