"""Reads substitutions (hunks of a diff, search/replace blocks: old lines, new ones, and a head that may say where): each belongs where its old lines stand.

Where they stand is searched in the lines, then but for typographic signs, then within longer lines, each also after
what a tool or a chat did to them is taken back (``copy_repairs``). What a block's head says only decides between
several such locations.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from editd.apply.doubts.table import CERTAIN, SHOWN
from editd.apply.paste.copy_repairs import plain, repaired, repairs_of, with_file_signs
from editd.apply.paste.segments import Segment
from editd.apply.paste.substitutions import Substitution
from editd.apply.readers.by_similar_lines import read_similar
from editd.apply.reading import ChangedLines, NoReadingError, Reading
from editd.apply.text.edited_lines import EditedLines
from editd.apply.text.file_lines import FileLines, nearest
from editd.apply.text.indent import reindented, shifted_like_file
from editd.apply.text.line import CLOSES, indent_of, num_strong
from editd.diff.matching import DiffChange, changes, is_weak

_CUT_OFF = 40  # characters of a heading from which on git may have cut its end off
_PART = "Only a part of line {} is shown as old; look whether the rest of it stays."
_JOINS = "._-$@#/\\"  # beside a word, they may be parts of it
_INSIDE = "“{}” also stands inside of longer words, which change as well; look whether they should."
_SECOND = "These lines stood in the file more than once before an earlier part of the paste changed one of the places."
_MIDDLES = "The block at line {} of the paste has more than one line of =======; look whether it is cut in the right place."
_TWICE = (
    "The lines to change at line {} of the paste occur {} times in the file, first at lines {} and {}; show more "
    "lines around them."
)


def read_substitutions(blocks: Sequence[Substitution], lines: FileLines) -> list[ChangedLines]:
    """The changes of all blocks, each located in the file; where that fails for one, each in the text that those before
    it left.

    The same block twice counts once. Old lines are searched as they are (or repaired) for all blocks first, then where
    similar lines stand. Raises the first ``NoReadingError`` if all fail: a block has no location, or two blocks change
    the same lines.
    """
    whole = {(x.old, x.new, x.line, x.anchors): x for x in reversed(blocks)}
    blocks = [x for x in blocks if whole[x.old, x.new, x.line, x.anchors] is x]
    why_not: NoReadingError | None = None
    for is_exact in (True, False):
        for read in (_together, _in_turn) if len(blocks) > 1 else (_together,):
            try:
                return read(blocks, lines, is_exact=is_exact)
            except NoReadingError as error:
                why_not = why_not or error
    assert why_not is not None  # noqa: S101  or it had returned
    raise why_not


def _together(
    blocks: Sequence[Substitution], lines: FileLines, *, is_exact: bool
) -> list[ChangedLines]:
    """The changes of all blocks in their order, each located in the file. Raises ``NoReadingError`` if one has no
    location, two changes overlap, or two insert at the same line.

    is_exact: whether old lines must stand in the file; else similar lines do.
    """
    read = _where_it_stands if is_exact else read_substitution
    found = [change for block in blocks for change in read(block, lines)]
    ordered = sorted(found, key=lambda change: (change.start, change.end))
    for first, second in pairwise(ordered):
        if first.end > second.start or (first.start, first.end) == (second.start, second.end):
            raise NoReadingError(
                f"Two parts of the paste change the file at line {second.start + 1}; apply them one "
                "after the other."
            )
    return found


def _in_turn(
    blocks: Sequence[Substitution], lines: FileLines, *, is_exact: bool
) -> list[ChangedLines]:
    """The changes of all blocks, each located in what those before it left, as changes of the file in its order. Raises
    ``NoReadingError`` if a block has no location.

    is_exact: whether old lines must stand there; else similar lines do. A block whose old lines the file had more than
    once gets a sentence and a confidence of 0.5 at most: an earlier block may have changed one of these places.
    """
    draft = EditedLines(lines)
    for block in blocks:
        found = (_where_it_stands if is_exact else read_substitution)(block, draft.lines)
        if len(_locations(block.old, lines)) > 1:
            found = [
                replace(x, confidence=min(x.confidence, SHOWN), sentence=x.sentence or _SECOND)
                for x in found
            ]
        draft.take(Reading(tuple(found), min((x.confidence for x in found), default=1.0)))
    return list(draft.changes().changes)


def read_substitution(block: Substitution, lines: FileLines) -> list[ChangedLines]:
    """The changes of a block where its old lines stand; else where similar lines stand, if only one location is likely.

    Similar lines are those of ``by_similar_lines``, else, with the doubt ``stale``, an aligned range of as many lines;
    old lines that stay are left as the file has them. Raises ``NoReadingError`` if there is no such location, or
    nothing would change at the aligned one.
    """
    try:
        return _where_it_stands(block, lines)
    except NoReadingError as error:
        if (similar := read_similar(block, lines)) is not None:
            return [_doubted(x, block.doubt) for x in similar]
        from editd.apply.readers.by_alignment import (
            align,  # numpy, for which other blocks do not wait
        )

        old = tuple(line.rstrip() for line in block.old)
        found = align(lines, [Segment(old, above=True, below=True)])
        if (
            found is None
            or found.confidence < SHOWN
            or found.changes[0].end - found.changes[0].start != len(old)
            or not any(not is_weak(line) and line in lines.where for line in old)
        ):
            raise
        start, sentence = found.changes[0].start, error.outcome.reason
        edits = [
            ChangedLines(
                start + x.old_start,
                start + x.old_end,
                block.new[x.new_start : x.new_end],
                SHOWN,
                sentence,
                ("stale",),
            )
            for x in changes(block.old, block.new)
        ]
        edits = [change for change in edits if lines.raw[change.start : change.end] != change.new]
        if not edits:
            raise
        return edits


def _where_it_stands(block: Substitution, lines: FileLines) -> list[ChangedLines]:
    """The changes of a block where its old lines stand, as they are or repaired; empty if they change nothing.

    A block with a doubt gets a sentence and a confidence of 0.5 at most. Raises ``NoReadingError`` if it has no old
    line that is not blank, if they stand nowhere, if they stand at several locations and its head chooses none, if new
    lines cannot be indented as the file is, or if the search takes too many comparisons.
    """
    block = _cut_as_in_file(block, lines)
    if not any(line.strip() for line in block.old):
        raise NoReadingError(
            f"The change at line {block.at + 1} of the paste shows no line of the file; show the "
            "lines above and below it.",
            block.at,
        )
    if (found := _search(block, lines)) is None:
        raise NoReadingError(_not_found_sentence(block, lines), block.at)
    return [_doubted(x, block.doubt) for x in found]


def _search(block: Substitution, lines: FileLines) -> list[ChangedLines] | None:
    """The changes of a block by the first of three searches that finds its old lines (``_by_lines``, ``_by_signs``,
    ``_in_text``); ``None`` if they stand nowhere.

    Each search takes the block as it is and with a copy's damage repaired, in its new lines, too; repaired first unless
    its old lines stand in the file as they are. Raises ``NoReadingError`` if they stand at several locations and its
    head chooses none, if the new lines cannot be indented as the old ones are in the file, or if the search takes too
    many comparisons.
    """
    versions = [block]
    if repairs := repairs_of(block.old, lines.where_bare, lines.where, lines.text):
        old, new = repaired(block.old, repairs), repaired(block.new, repairs)
        versions.insert(bool(_locations(block.old, lines)), replace(block, old=old, new=new))
    for search in (_by_lines, _by_signs, _in_text):
        for version in versions:
            if (found := search(version, lines)) is not None:
                return found
    return None


def _doubted(change: ChangedLines, sentence: str) -> ChangedLines:
    """The change with ``sentence`` and confidence ``SHOWN`` at most; as it is if the sentence is empty."""
    return (
        replace(change, confidence=min(change.confidence, SHOWN), sentence=sentence)
        if sentence
        else change
    )


# --- where old lines are ---


def _by_lines(block: Substitution, lines: FileLines) -> list[ChangedLines] | None:
    """The changes where the old lines stand one below the other as written; only if they stand nowhere so, where they
    stand all less or more indented, by the first such indentation that the file has. The new lines are indented as the
    old ones are there. ``None`` if they stand nowhere.

    At all locations of that indentation if the block says so (``is_everywhere``). Raises ``NoReadingError`` if several
    locations are left otherwise, new lines cannot be indented so, or the search takes too many comparisons.
    """
    for moved in (block.old, *shifted_like_file(block.old, lines)):
        found = _locations(moved, lines)
        if not found:
            continue
        new = block.new if moved is block.old else _moved_like(block, moved, lines)
        locations = (
            found
            if block.is_everywhere
            else [_chosen_location(found, replace(block, old=moved), lines)]
        )
        return [
            x for location in locations for x in _changes_at(location, block, moved, new, lines)
        ]
    return None


def _by_signs(block: Substitution, lines: FileLines) -> list[ChangedLines] | None:
    """The changes where the old lines stand but for quotes, blanks and hyphens of another kind, of which the file's
    stay. ``None`` if they stand nowhere, or neither file nor old lines have such signs.

    Raises ``NoReadingError`` if several locations are left.
    """
    if not lines.signs and plain(block.old) == list(block.old):
        return None
    old, new = plain([x.rstrip() for x in block.old]), plain(block.new)
    keys = plain(lines.keys)
    found = [n for n, line in enumerate(keys) if line == old[0] and keys[n : n + len(old)] == old]
    if not found:
        return None
    start = _chosen_location(found, block, lines)
    result = []
    for x in changes(old, new):
        shown = block.old[x.old_start : x.old_end]
        own = lines.keys[start + x.old_start : start + x.old_end]
        added = [
            with_file_signs(shown[n], own[n], line, lines.signs)
            if n < len(own)
            else with_file_signs("", "", line, lines.signs)
            for n, line in enumerate(block.new[x.new_start : x.new_end])
        ]
        result.append(ChangedLines(start + x.old_start, start + x.old_end, tuple(added)))
    return [x for x in result if lines.keys[x.start : x.end] != x.new]


def _in_text(block: Substitution, lines: FileLines) -> list[ChangedLines] | None:
    """The changes where the old text stands within longer lines, at the edges of words; for ``is_everywhere`` at all
    places. ``None`` if it stands nowhere, has no letter or digit, or would part kept words from the rest of their line.

    A confidence of 0.5 and a sentence if a part of a line is shown as if it were a line, or, for ``is_everywhere``, if
    the text also stands within longer words, which change as well. Raises ``NoReadingError`` if several locations are
    left otherwise.
    """
    old, new = _without_ends("\n".join(x.rstrip() for x in block.old), "\n".join(block.new))
    bare = old.lstrip(" \t")
    lead = old[: len(old) - len(bare)]
    if is_weak(bare):
        return None
    word = [r"(?<!\w)" * _is_word(bare[0]), r"(?!\w)" * _is_word(bare[-1])]
    target = f"{word[0]}(?={re.escape(bare)}{word[1]})"  # ahead, since places may overlap
    found = [x.start() for x in re.finditer(target, lines.text)]
    if block.is_everywhere:
        text = lines.text.replace(old, new) if old in lines.text else lines.text
        sentence = _INSIDE.format(bare[:60]) if lines.text.count(bare) > len(found) else ""
        return [
            replace(
                _file_change(x, 0, text.split("\n")),
                confidence=SHOWN if sentence else CERTAIN,
                sentence=sentence,
            )
            for x in changes(lines.keys, text.split("\n"))
        ] or None
    if old != "\n".join(x.rstrip() for x in block.old).lstrip("\n"):  # its last line is shown whole
        found = [x for x in found if not lines.text[x + len(bare) :].partition("\n")[0].strip()]
    if not found:
        return None
    numbers = [lines.text.count("\n", 0, x) for x in found]
    start = _chosen_location(numbers, block, lines, size=1)
    if numbers.count(start) > 1:
        raise NoReadingError(
            _TWICE.format(block.at + 1, len(found), start + 1, start + 1), block.at
        )
    at = found[numbers.index(start)]
    before = lines.text[lines.text.rfind("\n", 0, at) + 1 : at]
    rest = lines.text[at + len(bare) :].partition("\n")[0]
    if before.endswith(lead):
        before = before[: len(before) - len(lead)]
    else:
        new = new.removeprefix(lead)
    if not lead and not before.strip():
        new = new.removeprefix(before)
    end = start + bare.count("\n") + 1
    if not (new or before.strip() or rest.strip()):
        return [ChangedLines(start, end, ())]
    if _moves_rest(old.split("\n"), new.split("\n"), before, rest):
        return None
    is_part = before.strip() or rest.strip()
    is_joined = any(x in _JOINS for x in (before[-1:], rest[:1]) if x)
    sentence = _PART.format(start + 1) if is_part and (is_joined or not block.is_text) else ""
    written = (before + new + rest).split("\n")
    return [
        replace(
            _file_change(x, start, written),
            confidence=SHOWN if sentence else CERTAIN,
            sentence=sentence,
        )
        for x in changes(lines.keys[start:end], written)
    ]


def _moves_rest(old: Sequence[str], new: Sequence[str], before: str, rest: str) -> bool:
    """Whether the first or last old line is only a part of a file's line (``before``, ``rest``: what stands around it
    there), stays in the new lines, and would be parted from that rest by new lines beyond it.
    """
    is_parted_above = bool(before.strip()) and old[0] in new[1:] and new[0] != old[0]
    is_parted_below = bool(rest.strip()) and old[-1] in new[:-1] and new[-1] != old[-1]
    return is_parted_above or is_parted_below


def _without_ends(old: str, new: str) -> tuple[str, str]:
    """Two texts without the newlines with which both begin, and without those with which both end."""
    while old.startswith("\n") and new.startswith("\n"):
        old, new = old[1:], new[1:]
    while old.endswith("\n") and new.endswith("\n"):
        old, new = old[:-1], new[:-1]
    return old, new


def _file_change(change: DiffChange, start: int, new: Sequence[str]) -> ChangedLines:
    """A diff of lines from the file's line ``start`` on, as a change of the file."""
    return ChangedLines(
        start + change.old_start,
        start + change.old_end,
        tuple(new[change.new_start : change.new_end]),
    )


def _is_word(sign: str) -> bool:
    """Whether a character may be part of a name."""
    return sign.isalnum() or sign == "_"


def _locations(old: Sequence[str], lines: FileLines) -> list[int]:
    """The first line of each location where the file has these lines one below the other, trailing blanks aside; empty
    for no lines. Raises ``NoReadingError`` if that takes too many comparisons.
    """
    keys = [line.rstrip() for line in old]
    first = lines.where.get(keys[0], ()) if keys else ()
    if lines.is_too_much(len(first) * len(keys)):
        raise NoReadingError(
            "The paste has too many lines that the file has too often; apply it in parts."
        )
    return [start for start in first if lines.run_down(keys, start) == len(keys)]


def _changes_at(
    location: int, block: Substitution, old: Sequence[str], new: Sequence[str], lines: FileLines
) -> Iterator[ChangedLines]:
    """The differences between old and new lines at ``location``, as changes of the file. If the block says that the
    newline at the file's end comes or goes, the change that reaches the last line has ``ends``; if none does, a change
    of the last line by itself is added.
    """
    last = len(lines) - 1
    is_last = location + len(old) > last
    ends = block.ends if is_last and block.ends is not lines.is_ended else None
    found = [
        ChangedLines(
            location + x.old_start, location + x.old_end, tuple(new[x.new_start : x.new_end])
        )
        for x in changes(old, new)
    ]
    if ends is not None and (not found or found[-1].end <= last):
        found.append(ChangedLines(last, last + 1, (lines.raw[last],)))
    for change in found:
        yield replace(change, ends=ends) if change.end > last else change


def _chosen_location(
    found: Sequence[int], block: Substitution, lines: FileLines, size: int | None = None
) -> int:
    """The location that the block's head can mean, of one or more ``found``; raises ``NoReadingError`` if it leaves
    several.

    Chosen by the end of the file, then by the lines that the head shows. A line number that is one of the locations
    decides if these left it; if they left others, it counts as one more, so there are several. size: lines of the old
    text, if not those of ``block.old``.
    """
    size = len(block.old) if size is None else size
    left = list(found)
    if block.is_last:
        left = [x for x in left if not any(lines.keys[x + size :])] or left
    if len(left) > 1 and block.anchors:
        left = _below_anchors(block.anchors, left, lines)
    line = block.line
    if len(found) > 1 and line is not None and line in found:
        left = [line] if line in left else [*left, line]
    if len(left) > 1:
        raise NoReadingError(
            _TWICE.format(block.at + 1, len(found), found[0] + 1, found[1] + 1), block.at
        )
    return left[0]


def _below_anchors(anchors: Sequence[str], locations: Sequence[int], lines: FileLines) -> list[int]:
    """The locations that lie in the block of lines that the last anchor heads, this one within or below the blocks of
    the anchors before; all locations if none does. An anchor that the file does not have is passed over.
    """
    regions = [(0, len(lines))]
    for anchor in anchors:
        heads = _anchor_lines(anchor.strip(), lines)
        within = [x for start, end in regions for x in heads if start <= x < end]
        below = [x for start, _ in regions for x in heads if start <= x]
        regions = [(x, _end_of_block(x, lines)) for x in within or below] or regions
    inside = [x for x in locations if any(start <= x < end for start, end in regions)]
    return inside or list(locations)


def _anchor_lines(anchor: str, lines: FileLines) -> Sequence[int]:
    """The numbers of the file's lines that equal an anchor, blanks around aside; if there are none and it has 40
    characters or more, of those that begin with it: git cuts headings off.
    """
    if anchor in lines.where_bare:
        return lines.where_bare[anchor]
    if len(anchor) < _CUT_OFF:
        return ()
    return [n for n, line in enumerate(lines.keys) if line.strip().startswith(anchor)]


def _end_of_block(head: int, lines: FileLines) -> int:
    """The end (exclusive) of the lines below ``head`` that belong to it: the next line with a letter or digit that is
    no deeper and closes nothing; the file's end if there is none.
    """
    depth = len(indent_of(lines.keys[head]))
    for number in range(head + 1, len(lines)):
        line = lines.keys[number]
        if not is_weak(line) and len(indent_of(line)) <= depth and not CLOSES.match(line):
            return number
    return len(lines)


def _cut_as_in_file(block: Substitution, lines: FileLines) -> Substitution:
    """The block, cut where its old lines are the file's, if it can be cut in several ways; as it is if it cannot.

    A cut fits if its old lines stand in the file and are not all blank, and each side closes the conflicts of git that
    it opens. Of several that fit, the last one; with a doubt unless the cut is clear from the lines of ``=======``
    around. Raises ``NoReadingError`` if no cut fits.
    """
    if not block.splits:
        return block
    stands = []
    for old, new in block.splits:
        cut = replace(block, old=old, new=new, splits=())
        if (
            any(map(str.strip, old))
            and _is_balanced(old)
            and _is_balanced(new)
            and _is_found(cut, lines)
        ):
            stands.append((old, new))
    if not stands:
        raise NoReadingError(
            f"The search/replace block at line {block.at + 1} has more than one line of =======; "
            "apply that change by hand.",
            block.at,
        )
    old, new = stands[-1]
    is_clear = not _num_middles([*old[-1:], *new[:1]]) and (
        len(stands) == 1 or _num_middles(old) == _num_middles(new)
    )
    doubt = block.doubt or ("" if is_clear else _MIDDLES.format(block.at + 1))
    return replace(block, old=old, new=new, splits=(), doubt=doubt)


def _is_found(block: Substitution, lines: FileLines) -> bool:
    """Whether the block's old lines stand in the file, once or at several locations, as they are or repaired; true as
    well if the search fails for another reason, such as too many comparisons.
    """
    try:
        return _search(block, lines) is not None
    except NoReadingError:
        return True


def _num_middles(rows: Sequence[str]) -> int:
    """How many lines look like the line between old and new ones."""
    return sum(x.strip().startswith("=====") and not x.strip(" =") for x in rows)


def _is_balanced(rows: Sequence[str]) -> bool:
    """Whether as many conflicts of git end in the lines as begin there."""
    return sum(x.startswith("<<<<<<< ") for x in rows) == sum(
        x.startswith(">>>>>>> ") for x in rows
    )


def _moved_like(block: Substitution, moved: Sequence[str], lines: FileLines) -> tuple[str, ...]:
    """The new lines with the change of indentation that made the old ones (``moved``) fit the file. Raises
    ``NoReadingError`` if the old ones cannot be moved so as a whole, or the new ones stay as they are.
    """
    given, target = next((g, m) for g, m in zip(block.old, moved, strict=True) if g.strip())
    less, more = indent_of(given), indent_of(target)
    back = reindented(block.old, less, more, lines)
    new = tuple(reindented(block.new, less, more, lines))
    if [x.rstrip() for x in back] != [x.rstrip() for x in moved] or (new == block.new and any(new)):
        raise NoReadingError(
            f"The change at line {block.at + 1} of the paste is indented otherwise than the file, in a "
            "way that its new lines do not follow; indent it as the file is.",
            block.at,
        )
    return new


def _not_found_sentence(block: Substitution, lines: FileLines) -> str:
    """A sentence why a block's old lines stand nowhere: its new lines are in the file already; else the first old line
    that the file does not have, with the most similar one; else that they do not stand together. Raises
    ``NoReadingError`` if looking for the new lines takes too many comparisons.
    """
    if num_strong(block.new) and (done := _locations(block.new, lines)):
        return (
            f"The change at line {block.at + 1} of the paste is already in the file, at line "
            f"{done[0] + 1}; leave it out."
        )
    for line in block.old:
        if line.strip() and line.strip() not in lines.where_bare:
            return (
                f"“{line.strip()[:60]}” (a line to be changed, in the change at line {block.at + 1} of "
                f"the paste) is not in the file{nearest(line, lines)}; "
                "copy it as the file has it."
            )
    return (
        f"The lines to be changed at line {block.at + 1} of the paste do not stand together in the "
        "file; copy them from it."
    )
