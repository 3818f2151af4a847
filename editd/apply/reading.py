"""The best reading of a sketch that is in doubt: its changes, how sure each is, and a sentence for each.

Two ways to read, one scale: by whole definitions (``structure``), else by its lines (``align``). A reading
is shown, never written by itself, and none is shown that is less likely than not, or in which a
definition goes that the sketch does not mention.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from editd.apply.align import Aligned, Change, Part, align, same_rows
from editd.apply.block import Block, place_block
from editd.apply.by_name import read_by_name
from editd.apply.edits import Edit, edits_of_block
from editd.apply.indentation import in_units, shifted_as_file, stripped
from editd.apply.lines import Lines
from editd.apply.markers import is_bare, is_marker, says_stays
from editd.apply.outcome import Doubt, Form, Merged, Reading
from editd.apply.recognise import Paste
from editd.apply.writing import written
from editd.diff.document import Document
from editd.diff.matching import changes as differences
from editd.diff.matching import is_weak
from editd.prompts.language import language_of
from editd.prompts.outline import outline

SHOWN, SURE = 0.5, 0.975  # least probability of a text that is shown, and of a hunk without a mark
_ROWS = 3  # lines of context that are compared with other places
_MOST_PLACES = 200
_BLANKS_LEFT_OUT, _BLANKS_NEVER_SHOWN, _NO_CONTEXT, _CHANGES_NOTHING = 0.7, 0.8, 0.5, 0.8
_SAYS_LITTLE = 0.9  # at most, of lines that are moved or show only brackets around the change
_WHOLE = 0.9  # least probability of a text without any mark


@dataclass(frozen=True, slots=True)
class Read:
    """Changes in order, those that change nothing left out. other: of the next likely text, if any."""

    changes: tuple[Change, ...]
    sure: float
    other: tuple[Change, ...] = ()


def read(
    document: Document,
    lines: Lines,
    paste: Paste,
    language: str,
    reason: str,
    allowed: tuple[int, int] | None,
) -> Reading | None:
    """The best reading as a text with marks. reason: why it is not certain. allowed: lines that may change."""
    if paste.form == "sketch":
        found = read_sketch(paste.parts, lines, language or _language(paste.info))
    else:
        found = read_blocks(paste.blocks, lines)
    if found is None or not found.changes:
        return None
    if allowed is not None and any(
        one.start < allowed[0] or one.end > allowed[1] for one in found.changes
    ):
        return None
    blanks = _trailing_blanks(paste, lines)
    marked = _written(document, lines, found.changes, paste.form, reason, blanks)
    if marked is None:
        return None
    other = None
    if found.other:
        other = _written(document, lines, found.other, paste.form, reason, blanks)
    if other is not None and other.text in (marked.text, document.text):
        other = None
    sure = all(hunk.suspect is None for hunk in marked.hunks)
    if sure and found.sure < _WHOLE:  # what is in doubt is a part that changes nothing
        hunks = (replace(hunk, suspect=reason, note=None) for hunk in marked.hunks)
        marked, sure = replace(marked, hunks=tuple(hunks)), False
    return Reading(marked, sure, other)


def _trailing_blanks(paste: Paste, lines: Lines) -> dict[str, str]:
    """New lines that end in blanks, if the paste shows those of the file: else they are noise."""
    every = [line for part in paste.parts for line in part if line != line.rstrip()]
    if not any(line in lines.raw for line in every if not is_weak(line)):
        return {}
    return {line.rstrip(): line for line in every if line.strip()}


def _written(
    document: Document,
    lines: Lines,
    changed: Sequence[Change],
    form: Form,
    reason: str,
    blanks: Mapping[str, str],
) -> Merged | None:
    edits: dict[Edit, Change] = {}
    for one in changed:
        there = lines.keys[one.start : one.end]
        for change in differences(there, [line.rstrip() for line in one.new]):
            new = [blanks.get(x, x) for x in one.new[change.new_start : change.new_end]]
            edit = Edit(one.start + change.old_start, one.start + change.old_end, tuple(new))
            edits[edit] = one
    try:
        merged = written(document, list(edits), form, ended=document.ends_with_newline)
    except Doubt:
        return None
    ordered = sorted(edits, key=lambda edit: (edit.start, edit.end))
    hunks = []
    for hunk, edit in zip(merged.hunks, ordered, strict=True):
        one = edits[edit]
        sure = one.sure >= SURE
        hunks.append(
            replace(hunk, note=_PLACED) if sure else replace(hunk, suspect=said_of(one, reason))
        )
    return replace(merged, hunks=tuple(hunks))


_PLACED = "Placed by its lines; no other place fits as well."


def _language(info: str) -> str:
    """The language that a fence names, for files whose name tells none."""
    return language_of(f"x.{info}") or info


def read_blocks(blocks: Sequence[Block], lines: Lines) -> Read | None:
    """Hunks of a diff or search blocks, some of them with lines that the file has not quite so."""
    found: list[Change] = []
    for block in blocks:
        try:
            place, old = place_block(block, lines)
        except Doubt:
            change = read_block(block, lines)
            if change is None:
                return None
            found.append(change)
            continue
        found += [
            Change(edit.start, edit.end, edit.new)
            for edit in edits_of_block(place, old, place.lines)
        ]
    found.sort(key=lambda one: (one.start, one.end))
    if any(one.end > two.start for one, two in pairwise(found)):
        return None
    return Read(tuple(found), min(one.sure for one in found))


def read_sketch(
    pasted: Sequence[Sequence[str]], lines: Lines, language: str, *, shown: bool = True
) -> Read | None:
    """The best reading of code blocks with markers; ``None`` if none is likely or safe enough.

    shown: to a user, who may accept it. As a draft of what a model writes any reading is good.
    """
    known = {line.strip() for line in lines.keys}

    def marks(line: str) -> bool:
        if line.strip() in known:
            return False
        return is_marker(line, known) or is_bare(line) or says_stays(line)

    blocks = in_units([[line.rstrip() for line in part] for part in pasted], lines.keys)
    aligned = read_by_name(blocks, lines.keys, language, marks)
    by_name = aligned is not None
    parts = parts_of(blocks, lines.keys, marks)
    if aligned is None:
        aligned = align(lines.keys, parts)
    if aligned is None:
        return None
    if not shown:
        changes = [one for one in aligned.changes if one.new != lines.keys[one.start : one.end]]
        return Read(tuple(changes), aligned.sure)
    spaced = any(not line for block in blocks for line in block)
    written = {line for block in blocks for line in block}
    moved = [not by_name and not written.issuperset(part.lines) for part in parts]
    read = _weighed(aligned, lines.keys, moved, spaced=spaced, by_name=by_name)
    text = "\n".join(line for block in blocks for line in block)
    if read.sure < SHOWN or _loses_definition(read.changes, lines.keys, language, text):
        return None
    if read.other and _loses_definition(read.other, lines.keys, language, text):
        return replace(read, other=())
    return read


def read_block(block: Block, lines: Lines) -> Change | None:
    """Where a search block or hunk of a diff belongs whose old lines are not the file's, and its change.

    Lines that it leaves alone stay as the file has them.
    """
    old = [line.rstrip() for line in block.old]
    aligned = align(lines.keys, [Part(tuple(old), above=True, below=True)])
    if aligned is None or not any(not is_weak(line) and line in lines.where for line in old):
        return None
    found = aligned.changes[0]
    there = lines.keys[found.start : found.end]
    if aligned.sure < SHOWN or 2 * len(there) < len(old) or len(there) > 2 * len(old):
        return None
    # Each old line that the new ones keep stands for the file's line that it was aligned with.
    mine = {i: i for i in range(len(old))}
    now: dict[int, str] = {}
    shift = 0
    for change in [*differences(old, there)]:
        for i in range(change.old_start, change.old_end):
            mine.pop(i)
        same = change.old_end - change.old_start == change.new_end - change.new_start
        if not same:
            return None
        for i, j in zip(
            range(change.old_start, change.old_end),
            range(change.new_start, change.new_end),
            strict=True,
        ):
            now[i] = lines.raw[found.start + j]
        shift = change.new_end - change.old_end
    if shift:
        return None
    new: list[str] = []
    position = 0
    for change in differences(block.old, block.new):
        new += [now.get(i, block.old[i]) for i in range(position, change.old_start)]
        new += block.new[change.new_start : change.new_end]
        position = change.old_end
    new += [now.get(i, block.old[i]) for i in range(position, len(old))]
    return replace(found, new=tuple(new), sure=min(found.sure, SHOWN))


def parts_of(
    blocks: Sequence[Sequence[str]], file: Sequence[str], marks: Callable[[str], bool]
) -> list[Part]:
    """The lines between markers, each part indented as the file is. A marker parts two code blocks."""
    cut: list[tuple[list[str], bool, bool]] = []
    for number, block in enumerate(blocks):
        start, above = 0, number > 0
        ends = [n for n, line in enumerate(block) if marks(line)]
        for end in (*ends, len(block)):
            below = end < len(block) or number + 1 < len(blocks)
            if any(block[start:end]):
                cut.append((list(block[start:end]), above, below))
            elif cut and start > 0:
                cut[-1] = (*cut[-1][:2], True)
            start, above = end + 1, True
    edges = [lines[0] for lines, above, _ in cut if above]
    edges += [lines[-1] for lines, _, below in cut if below]
    layout = bool(edges) and not any(edges)  # blank lines at all markers
    return [
        Part(tuple(shifted_as_file(list(stripped(lines)) if layout else lines, file)), above, below)
        for lines, above, below in cut
    ]


def said_of(change: Change, reason: str) -> str:
    """One sentence about a change that could be read otherwise."""
    if change.why:
        return change.why
    if change.also is None or change.also == (change.start, change.end):
        return reason
    first, last = change.also
    if first == last:
        return f"This could also be put in at line {first + 1}; show more lines around the change."
    where = f"line {last}" if last - first == 1 else f"lines {first + 1} to {last}"
    return f"This could also replace {where}; show more lines around the change."


def _weighed(
    aligned: Aligned, file: Sequence[str], moved: Sequence[bool], *, spaced: bool, by_name: bool
) -> Read:
    """Less sure where blank lines go, where no line shows the place, and where another one fits.

    moved: which parts are indented otherwise than the sketch has them.
    """
    found, sure = [], aligned.sure
    bounds = [0, *(change.end for change in aligned.changes)]
    for number, one in enumerate(aligned.changes):
        there = file[one.start : one.end]
        if tuple(there) == one.new:
            if not by_name and not _is_for_show(number, aligned.changes):
                sure *= _CHANGES_NOTHING
            continue
        share, new = _blanks(there, one.new, spaced=spaced)
        above, below = same_rows(one.new, there)
        if not by_name and not (above and below):
            share *= _NO_CONTEXT
        high = aligned.changes[number + 1].start if number + 1 < len(aligned.changes) else len(file)
        own = one.sure * share
        if not by_name and (moved[number] or all(map(is_weak, above)) or all(map(is_weak, below))):
            own = min(own, _SAYS_LITTLE)
        sure *= share
        if not by_name and _has_rival(one, file, bounds[number], high):
            own = min(own, SHOWN)
        if _is_foreign(new, file) or (not by_name and _reindents(new, there)):
            own = min(own, SHOWN)
        if tuple(there) != new:
            found.append(replace(one, new=new, sure=own))
    return Read(tuple(found), sure, aligned.other)


def _blanks(
    there: Sequence[str], new: tuple[str, ...], *, spaced: bool
) -> tuple[float, tuple[str, ...]]:
    """Blank lines that alone go: left out, or meant to go. If the sketch has none at all, they stay."""
    if list(there).count("") <= new.count(""):
        return 1.0, new
    alone, position = 0, 0
    kept: list[str] = []
    for change in differences(there, new):
        kept += there[position : change.old_start]
        gone, come = (
            there[change.old_start : change.old_end],
            new[change.new_start : change.new_end],
        )
        top = next((n for n, line in enumerate(gone) if line), len(gone))
        bottom = next((n for n, line in enumerate(reversed(gone)) if line), len(gone))
        if not come and top == len(gone):
            alone, kept = alone + 1, [*kept, *gone]
        elif not spaced and gone:
            alone += bool(top + bottom)
            kept += [*[""] * top, *come, *[""] * (bottom if top < len(gone) else 0)]
        else:
            kept += come
        position = change.old_end
    kept += there[position:]
    if not alone:
        return 1.0, new
    return (_BLANKS_LEFT_OUT, new) if spaced else (_BLANKS_NEVER_SHOWN, tuple(kept))


def _is_for_show(number: int, changes: Sequence[Change]) -> bool:
    """Whether a part that changes nothing is the head of the next one, or stands beside another."""
    one = changes[number]
    if len(one.new) == 1 and one.new[0].endswith((":", "{", "(", "[")):
        return True
    around = (*changes[max(0, number - 1) : number], *changes[number + 1 : number + 2])
    return any(other.end == one.start or one.end == other.start for other in around)


def _is_foreign(new: Sequence[str], file: Sequence[str]) -> bool:
    """Whether new lines are indented by tabs and the file by blanks alone, or the other way round."""
    tabs = any(line.startswith("\t") for line in file)
    blanks = any(line.startswith("  ") and not line.startswith("  *") for line in file)
    if tabs == blanks:
        return False
    wrong = "  " if tabs else "\t"
    return any(line.startswith(wrong) and not line.startswith("  *") for line in new)


def _reindents(new: Sequence[str], there: Sequence[str]) -> bool:
    """Whether some line differs from one that goes in its indentation alone: it may be pasted so."""
    gone, come = Counter(there) - Counter(new), Counter(new) - Counter(there)
    bare = {line.strip() for line in gone if not is_weak(line)}
    return any(line.strip() in bare for line in come)


def _has_rival(change: Change, file: Sequence[str], low: int, high: int) -> bool:
    """Whether another range between its neighbours begins and ends with the same lines of context."""
    there = file[change.start : change.end]
    above, below = same_rows(change.new, there)
    top, bottom = above[:_ROWS], below[:_ROWS][::-1]
    starts, ends = [change.start], [change.end]
    if change.start and top:
        starts = [i for i in range(low, high) if list(file[i : i + len(top)]) == top]
    if change.end < len(file) and bottom:
        size = len(bottom)
        ends = [i for i in range(low + size, high + 1) if list(file[i - size : i]) == bottom]
    if len(starts) > _MOST_PLACES or len(ends) > _MOST_PLACES:
        return True
    return any(
        (start, end) != (change.start, change.end) and end - len(bottom) >= start + len(top) - 1
        for start in starts
        for end in ends
    )


def _loses_definition(
    changes: Sequence[Change], file: Sequence[str], language: str, shown: str
) -> bool:
    """Whether a function or class would go whose name the sketch does not have."""
    gone = [one for one in changes if len(one.new) < one.end - one.start]
    if not gone:
        return False
    return any(
        one.is_block
        and one.name not in shown
        and any(
            change.start <= _named(one.name, file, one.start, one.end) < change.end
            for change in gone
        )
        for one in outline([f"{line}\n" for line in file], language)
    )


def _named(name: str, file: Sequence[str], start: int, end: int) -> int:
    return next((n for n in range(start, end) if name in file[n]), start)
