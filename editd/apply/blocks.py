"""Blocks that name their old lines: hunks of a diff and search/replace blocks, and where they apply.

A block belongs where its old lines are, after what a tool or a chat did to them is taken back (``copies``). What its
head says, a line's number or the line above, only decides between several such places. How blocks are written is
known to ``search_blocks`` and ``patches``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from editd.apply.copies import carried, plain, repaired, repairs_of
from editd.apply.draft import Draft
from editd.apply.file_names import Named
from editd.apply.indent import reindented, shifted
from editd.apply.lines import CLOSES, Lines, indent_of, nearest, num_strong
from editd.apply.outcome import CERTAIN, SHOWN, Aligned, Change, Doubt
from editd.apply.sketch import Part
from editd.diff.matching import DiffChange, changes, is_weak

_CUT_OFF = 40  # characters of a heading from which on git may have cut its end off
_PART = "Only a part of line {} is shown as old; look whether the rest of it stays."
_JOINS = "._-$@#/\\"  # beside a word, they may be parts of it
_INSIDE = "“{}” also stands inside of longer words, which change as well; look whether they should."
_SECOND = "These lines stood in the file more than once before an earlier part of the paste changed one of the places."
_MIDDLES = "The block at line {} of the paste has more than one line of =======; look whether it is cut in the right place."


@dataclass(frozen=True, slots=True)
class Block:
    """``old`` becomes ``new``; lines without ends.

    at, end: 0-based lines of the paste. line: 0-based line of the buffer that the block's head names; ``None`` if it
    names none. anchors: lines that the head shows, which stand above the old ones. is_last: whether the old lines are
    the last ones of the file. ends: whether the file ends in a newline after it; ``None``: as before. is_text: whether
    ``old`` is a text rather than lines. is_everywhere: whether all places are meant. splits: further ways to cut the
    block into old and new lines. named: what names its file. doubt: why it may not be meant for this place.
    """

    old: tuple[str, ...]
    new: tuple[str, ...]
    at: int
    line: int | None = None
    end: int = 0
    anchors: tuple[str, ...] = ()
    is_last: bool = False
    ends: bool | None = None
    is_text: bool = False
    is_everywhere: bool = False
    splits: tuple[tuple[tuple[str, ...], tuple[str, ...]], ...] = ()
    named: Named | None = None
    doubt: str = ""


def between_signs(block: Block) -> str:
    """The block as a text, in the form of aider."""
    rows = ("<<<<<<< SEARCH", *block.old, "=======", *block.new, ">>>>>>> REPLACE")
    return "".join(f"{row}\n" for row in rows)


def read_blocks(blocks: Sequence[Block], lines: Lines) -> list[Change]:
    """What all blocks change, each in the file; where that fails, each in the text that those before it left.

    The same block twice is one. Old lines are searched as they are in all blocks first, then where they are alike.
    Raises ``Doubt`` if a block has no place, or two change the same lines.
    """
    whole = {(x.old, x.new, x.line, x.anchors): x for x in reversed(blocks)}
    blocks = [x for x in blocks if whole[x.old, x.new, x.line, x.anchors] is x]
    why_not: Doubt | None = None
    for is_exact in (True, False):
        for read in (_together, _in_turn) if len(blocks) > 1 else (_together,):
            try:
                return read(blocks, lines, is_exact=is_exact)
            except Doubt as doubt:
                why_not = why_not or doubt
    assert why_not is not None  # noqa: S101  or it had returned
    raise why_not


def _together(blocks: Sequence[Block], lines: Lines, *, is_exact: bool) -> list[Change]:
    read = _placed if is_exact else read_block
    found = [change for block in blocks for change in read(block, lines)]
    ordered = sorted(found, key=lambda change: (change.start, change.end))
    for first, second in pairwise(ordered):
        if first.end > second.start or (first.start, first.end) == (second.start, second.end):
            raise Doubt(
                f"Two parts of the paste change the file at line {second.start + 1}; apply them one "
                "after the other."
            )
    return found


def _in_turn(blocks: Sequence[Block], lines: Lines, *, is_exact: bool) -> list[Change]:
    draft = Draft(lines)
    for block in blocks:
        found = (_placed if is_exact else read_block)(block, draft.lines)
        if len(_found(block.old, lines)) > 1:
            found = [replace(x, sure=min(x.sure, SHOWN), why=x.why or _SECOND) for x in found]
        draft.take(Aligned(tuple(found), min((x.sure for x in found), default=1.0)))
    return list(draft.changes().changes)


def read_block(block: Block, lines: Lines) -> list[Change]:
    """What the block changes where its old lines stand; else where they are alike, if one place is likely.

    Each old line that stays is left as the file has it. Raises ``Doubt``.
    """
    try:
        return _placed(block, lines)
    except Doubt as doubt:
        from editd.apply.align import align  # numpy, for which other blocks do not wait

        old = tuple(line.rstrip() for line in block.old)
        found = align(lines, [Part(old, above=True, below=True)])
        if (
            found is None
            or found.sure < SHOWN
            or found.changes[0].end - found.changes[0].start != len(old)
            or not any(not is_weak(line) and line in lines.where for line in old)
        ):
            raise
        start, why = found.changes[0].start, doubt.outcome.reason
        edits = [
            Change(
                start + x.old_start,
                start + x.old_end,
                block.new[x.new_start : x.new_end],
                SHOWN,
                why,
                ("stale",),
            )
            for x in changes(block.old, block.new)
        ]
        edits = [change for change in edits if lines.raw[change.start : change.end] != change.new]
        if not edits:
            raise
        return edits


def _placed(block: Block, lines: Lines) -> list[Change]:
    """What the block changes where its old lines stand, as they are or repaired; raises ``Doubt``."""
    block = _split(block, lines)
    if not any(line.strip() for line in block.old):
        raise Doubt(
            f"The change at line {block.at + 1} of the paste shows no line of the file; show the "
            "lines above and below it.",
            block.at,
        )
    if (found := _search(block, lines)) is None:
        raise Doubt(_nowhere(block, lines), block.at)
    return [_doubted(x, block.doubt) for x in found]


def _search(block: Block, lines: Lines) -> list[Change] | None:
    """What the block changes; ``None`` if its old lines stand nowhere. Raises ``Doubt`` if they do in several places."""
    versions = [block]
    if repairs := repairs_of(block.old, lines.where_bare, lines.where, lines.text):
        old, new = repaired(block.old, repairs), repaired(block.new, repairs)
        versions.insert(bool(_found(block.old, lines)), replace(block, old=old, new=new))
    for search in (_by_lines, _by_signs, _in_text):
        for version in versions:
            if (found := search(version, lines)) is not None:
                return found
    return None


def _doubted(change: Change, why: str) -> Change:
    return replace(change, sure=min(change.sure, SHOWN), why=why) if why else change


# --- where old lines are ---


def _by_lines(block: Block, lines: Lines) -> list[Change] | None:
    """Where the old lines stand, also less or more indented; its new lines are indented as its old ones are there."""
    for moved in (block.old, *shifted(block.old, lines)):
        found = _found(moved, lines)
        if not found:
            continue
        new = block.new if moved is block.old else _moved_like(block, moved, lines)
        places = (
            found if block.is_everywhere else [_one_of(found, replace(block, old=moved), lines)]
        )
        return [x for place in places for x in _changes_at(place, block, moved, new, lines)]
    return None


def _by_signs(block: Block, lines: Lines) -> list[Change] | None:
    """Where the old lines stand but for quotes, blanks and hyphens of another kind; the file's stay."""
    if not lines.signs and plain(block.old) == list(block.old):
        return None
    old, new = plain([x.rstrip() for x in block.old]), plain(block.new)
    keys = plain(lines.keys)
    found = [n for n, line in enumerate(keys) if line == old[0] and keys[n : n + len(old)] == old]
    if not found:
        return None
    start = _one_of(found, block, lines)
    result = []
    for x in changes(old, new):
        shown = block.old[x.old_start : x.old_end]
        own = lines.keys[start + x.old_start : start + x.old_end]
        added = [
            carried(shown[n], own[n], line, lines.signs)
            if n < len(own)
            else carried("", "", line, lines.signs)
            for n, line in enumerate(block.new[x.new_start : x.new_end])
        ]
        result.append(Change(start + x.old_start, start + x.old_end, tuple(added)))
    return [x for x in result if lines.keys[x.start : x.end] != x.new]


def _in_text(block: Block, lines: Lines) -> list[Change] | None:
    """Where the old text stands in longer lines. A part of a line that is shown as a line is in doubt."""
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
        why = _INSIDE.format(bare[:60]) if lines.text.count(bare) > len(found) else ""
        return [
            replace(_part(x, 0, text.split("\n")), sure=SHOWN if why else CERTAIN, why=why)
            for x in changes(lines.keys, text.split("\n"))
        ] or None
    if not found:
        return None
    numbers = [lines.text.count("\n", 0, x) for x in found]
    start = _one_of(numbers, block, lines, size=1)
    if numbers.count(start) > 1:
        raise Doubt(_TWICE.format(block.at + 1, len(found), start + 1, start + 1), block.at)
    at = found[numbers.index(start)]
    before = lines.text[lines.text.rfind("\n", 0, at) + 1 : at]
    rest = lines.text[at + len(bare) :].partition("\n")[0]
    if before.endswith(lead):
        before = before[: len(before) - len(lead)]
    else:
        new = new.removeprefix(lead)
    if not before.strip():
        new = new.removeprefix(before)
    end = start + bare.count("\n") + 1
    if not (new or before.strip() or rest.strip()):
        return [Change(start, end, ())]
    is_part = before.strip() or rest.strip()
    is_joined = any(x in _JOINS for x in (before[-1:], rest[:1]) if x)
    why = _PART.format(start + 1) if is_part and (is_joined or not block.is_text) else ""
    written = (before + new + rest).split("\n")
    return [
        replace(_part(x, start, written), sure=SHOWN if why else CERTAIN, why=why)
        for x in changes(lines.keys[start:end], written)
    ]


def _without_ends(old: str, new: str) -> tuple[str, str]:
    """Two texts without the line ends that both begin or end with."""
    while old.startswith("\n") and new.startswith("\n"):
        old, new = old[1:], new[1:]
    while old.endswith("\n") and new.endswith("\n"):
        old, new = old[:-1], new[:-1]
    return old, new


def _part(change: DiffChange, start: int, new: Sequence[str]) -> Change:
    """A change of lines from ``start`` on, in the file."""
    return Change(
        start + change.old_start,
        start + change.old_end,
        tuple(new[change.new_start : change.new_end]),
    )


def _is_word(sign: str) -> bool:
    return sign.isalnum() or sign == "_"


def _found(old: Sequence[str], lines: Lines) -> list[int]:
    keys = [line.rstrip() for line in old]
    first = lines.where.get(keys[0], ()) if keys else ()
    if lines.is_too_much(len(first) * len(keys)):
        raise Doubt("The paste has too many lines that the file has too often; apply it in parts.")
    return [start for start in first if lines.run_down(keys, start) == len(keys)]


def _changes_at(
    place: int, block: Block, old: Sequence[str], new: Sequence[str], lines: Lines
) -> Iterator[Change]:
    """What differs between old and new lines, at ``place``; and the newline at the file's end, if it comes or goes."""
    last = len(lines) - 1
    is_last = place + len(old) > last
    ends = block.ends if is_last and block.ends is not lines.is_ended else None
    found = [
        Change(place + x.old_start, place + x.old_end, tuple(new[x.new_start : x.new_end]))
        for x in changes(old, new)
    ]
    if ends is not None and (not found or found[-1].end <= last):
        found.append(Change(last, last + 1, (lines.raw[last],)))
    for change in found:
        yield replace(change, ends=ends) if change.end > last else change


_TWICE = (
    "The lines to change at line {} of the paste occur {} times in the file, first at lines {} and {}; show more "
    "lines around them."
)


def _one_of(found: Sequence[int], block: Block, lines: Lines, size: int | None = None) -> int:
    """The one place that the block's head can mean; raises ``Doubt`` if it decides for none.

    size: lines of the old text, if not those of ``block.old``.
    """
    size = len(block.old) if size is None else size
    left = list(found)
    if block.is_last:
        left = [x for x in left if not any(lines.keys[x + size :])] or left
    if len(left) > 1 and block.anchors:
        left = _below(block.anchors, left, lines)
    line = block.line
    if len(found) > 1 and line is not None and line in found:
        left = [line] if line in left else [*left, line]
    if len(left) > 1:
        raise Doubt(_TWICE.format(block.at + 1, len(found), found[0] + 1, found[1] + 1), block.at)
    return left[0]


def _below(anchors: Sequence[str], places: Sequence[int], lines: Lines) -> list[int]:
    """Those of several places that stand in what the last anchor heads, inside or below the others; all if none does."""
    regions = [(0, len(lines))]
    for anchor in anchors:
        heads = _heads(anchor.strip(), lines)
        within = [x for start, end in regions for x in heads if start <= x < end]
        below = [x for start, _ in regions for x in heads if start <= x]
        regions = [(x, _end_of(x, lines)) for x in within or below] or regions
    inside = [x for x in places if any(start <= x < end for start, end in regions)]
    return inside or list(places)


def _heads(anchor: str, lines: Lines) -> Sequence[int]:
    if anchor in lines.where_bare:
        return lines.where_bare[anchor]
    if len(anchor) < _CUT_OFF:
        return ()
    return [n for n, line in enumerate(lines.keys) if line.strip().startswith(anchor)]


def _end_of(head: int, lines: Lines) -> int:
    """Where the lines end that a line heads: at the next one that is no deeper and closes nothing."""
    depth = len(indent_of(lines.keys[head]))
    for number in range(head + 1, len(lines)):
        line = lines.keys[number]
        if not is_weak(line) and len(indent_of(line)) <= depth and not CLOSES.match(line):
            return number
    return len(lines)


def _split(block: Block, lines: Lines) -> Block:
    """The block, cut where its old lines are the file's, if it can be cut in several places.

    It is in doubt if they are in more than one and the halves do not show which is meant.
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
            and _stands(cut, lines)
        ):
            stands.append((old, new))
    if not stands:
        raise Doubt(
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


def _stands(block: Block, lines: Lines) -> bool:
    try:
        return _search(block, lines) is not None
    except Doubt:
        return True


def _num_middles(rows: Sequence[str]) -> int:
    return sum(x.strip().startswith("=====") and not x.strip(" =") for x in rows)


def _is_balanced(rows: Sequence[str]) -> bool:
    """Whether each conflict of git that begins in the lines ends in them."""
    return sum(x.startswith("<<<<<<< ") for x in rows) == sum(
        x.startswith(">>>>>>> ") for x in rows
    )


def _moved_like(block: Block, moved: Sequence[str], lines: Lines) -> tuple[str, ...]:
    """The new lines, with the change of indentation that made the old ones fit the buffer."""
    given, target = next((g, m) for g, m in zip(block.old, moved, strict=True) if g.strip())
    less, more = indent_of(given), indent_of(target)
    back = reindented(block.old, less, more, lines)
    new = tuple(reindented(block.new, less, more, lines))
    if [x.rstrip() for x in back] != [x.rstrip() for x in moved] or (new == block.new and any(new)):
        raise Doubt(
            f"The change at line {block.at + 1} of the paste is indented otherwise than the file, in a "
            "way that its new lines do not follow; indent it as the file is.",
            block.at,
        )
    return new


def _nowhere(block: Block, lines: Lines) -> str:
    """One sentence: the first line that the file does not have, and the nearest line that it has."""
    if num_strong(block.new) and (done := _found(block.new, lines)):
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
