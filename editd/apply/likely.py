"""The likeliest merge, certain or not: the draft for a model that merges.

If the merge is certain, this is the merge. Otherwise each piece goes where most of its lines are in the
buffer. A piece without any of them goes where similar lines are, or nowhere. A wrong guess costs a round
and never a character, so these rules guess where the merge would not. Texts in, texts out.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import NamedTuple

from editd.apply.lines import Lines, indent_of, moved_to, num_found
from editd.apply.markers import is_bare, is_marker
from editd.apply.merging import merge
from editd.apply.outcome import Doubt, Merged
from editd.apply.recognise import Paste, recognise
from editd.breathing import breathe
from editd.diff.document import Document
from editd.diff.matching import is_weak
from editd.prompts.language import language_of

_ALIKE, _MOST_COMPARED = 0.6, 400  # least ratio of similar lines; how many are compared
_MOST_LOOKED_AT = 5_000  # lines searched for a part that shows no line of the buffer


_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Likely:
    """The likely text after the merge.

    pieces: its text in order, each with its origin, ``buffer`` or ``sketch``. written: the parts of the
    paste in order, without markers, including those without a place. spacing: whether blank lines or
    trailing blanks are part of the change.
    """

    pieces: tuple[tuple[str, str], ...]
    written: tuple[str, ...]
    spacing: bool = False


def likely(text: str, sketch: str, path: str = "") -> Likely:
    """The likeliest reading of ``sketch`` in ``text``, which has LF line ends. Never raises.

    It breathes between its steps. A step takes long only for texts that fit in no model's context.
    """
    lines = Lines(Document.of(text).model_lines)
    breathe()
    paste = _read(sketch, lines, path)
    breathe()
    changes = _certain(text, sketch, path)
    breathe()
    if changes is None:
        changes = _guessed(paste, lines)
    return Likely(
        _joined(lines, changes),
        tuple("".join(line + "\n" for line in piece.new) for piece in _parts(paste, lines)),
        any(_is_spacing(lines.raw[start:end], new) for start, end, new in changes),
    )


def unwrapped(text: str, sketch: str, path: str = "") -> str:
    """The paste as a model is shown it: without fence and prose, with LF line ends."""
    paste = _read(sketch, Lines(Document.of(text).model_lines), path)
    if paste.form != "sketch":
        return Document.of(sketch).model_text
    return "".join(line + "\n" for line in paste.lines)


@dataclass(frozen=True, slots=True)
class _Part:
    """New lines. old: the lines that they replace, if the paste names them."""

    new: tuple[str, ...]
    old: tuple[str, ...] | None = None


_Change = tuple[int, int, tuple[str, ...]]
"""Lines ``start .. end`` of the buffer become these."""


def _read(sketch: str, lines: Lines, path: str) -> Paste:
    known = {line.strip() for line in lines.keys}
    try:
        return recognise(sketch, known, language_of(path), path)
    except Doubt:
        bare = Document.of(sketch).model_text.split("\n")
        return Paste("sketch", tuple(line for line in bare if not line.lstrip().startswith("```")))


def _parts(paste: Paste, lines: Lines) -> list[_Part]:
    """The blocks, or the lines between two markers without blank lines at their edges."""
    if paste.form != "sketch":
        return [_Part(block.new, block.old) for block in paste.blocks]
    known = {line.strip() for line in lines.keys}
    found: list[list[str]] = [[]]
    # If one shown line has trailing blanks that the buffer lacks, all trailing blanks are noise.
    raw = set(lines.raw)
    noise = any(
        line.rstrip() in lines.where and line != line.rstrip() and line not in raw
        for line in paste.lines
    )
    for line in map(str.rstrip, paste.lines) if noise else paste.lines:
        if is_marker(line, known) or (is_bare(line) and line.strip() not in known):
            found.append([])
        elif line.strip() or found[-1]:
            found[-1].append(line)
    for part in found:
        while part and not part[-1].strip():
            part.pop()
    return [_Part(tuple(part)) for part in found if part]


def _certain(text: str, sketch: str, path: str) -> list[_Change] | None:
    merged = merge(text, sketch, path=path)
    if not isinstance(merged, Merged):
        return None
    return [
        (
            hunk.start,
            hunk.start + hunk.old_count,
            tuple(line.rstrip("\n") for line in hunk.new_lines),
        )
        for hunk in merged.hunks
    ]


def _guessed(paste: Paste, lines: Lines) -> list[_Change]:
    changes: list[_Change] = []
    position = 0
    for part in _parts(paste, lines):
        breathe()
        found = _placed(part, lines, position)
        if found is not None:
            position = max(position, found[1])
            changes.append(found)
    changes.sort(key=lambda change: change[:2])
    kept: list[_Change] = []
    for change in changes:
        if not kept or change[0] >= kept[-1][1]:
            kept.append(change)
    return kept


def _placed(part: _Part, lines: Lines, position: int) -> _Change | None:
    """Where a part most likely belongs. position: where the part before it ended."""
    shown = part.old if part.old is not None else part.new
    found = _edges(shown, lines, position)
    if found is None:
        return None if part.old is not None else _beside_alike(part.new, lines, position)
    first, start, last, end = found
    if part.old is not None:
        return max(0, start - first), min(len(lines), end + len(shown) - last), part.new
    at = (first, start) if first < last else (last - 1, end - 1)
    new = _reindented(shown, indent_of(shown[at[0]]), indent_of(lines.raw[at[1]]))
    if num_found(new, lines) <= num_found(shown, lines):
        new = tuple(shown)
    start -= _num_alike(new[:first][::-1], lines.keys[max(0, start - first) : start][::-1])
    end += _num_alike(new[last:], lines.keys[end : end + len(new) - last])
    return start, max(start, end), new


class _Edge(NamedTuple):
    """A row of shown lines found in the buffer: ``size`` lines from ``at`` on, and what the row is worth."""

    at: int
    size: int
    worth: float


def _edges(shown: Sequence[str], lines: Lines, position: int) -> tuple[int, int, int, int] | None:
    """The first line of ``shown`` that the buffer has, its place, the end of the last one, and its place."""
    keys = [line.strip() for line in shown]
    known = [number for number, key in enumerate(keys) if key in lines.where_bare]
    if not any(not is_weak(keys[number]) for number in known):
        return None
    first, last = known[0], known[-1] + 1
    heads = _rows(shown[first:], lines.keys, lines, position)
    tails = _rows(shown[:last][::-1], lines.keys[::-1], lines, len(lines) - position, above=True)
    best: tuple[float, int, int, int, int] | None = None
    for head in heads:
        for tail in tails:
            end = len(lines) - tail.at
            length = last - first
            if end <= head.at or (end - head.at < length and end - head.at < head.size):
                continue
            removed = max(0, end - head.at - head.size - tail.size)
            added = max(0, length - head.size - tail.size)
            worth = head.worth + tail.worth - _REMOVED * max(0, removed - added)
            worth -= _OUT_OF_ORDER * (head.at < position)
            if best is None or worth > best[0]:
                best = worth, first, head.at, last, end
    for head in heads[:1]:  # the heaviest first row alone
        worth = head.worth - _LONE
        if best is None or worth > best[0]:
            size = first + head.size
            best = worth, first, head.at, size, head.at + head.size
    for tail in tails[:1]:
        worth = tail.worth - _LONE
        if best is None or worth > best[0]:
            end = len(lines) - tail.at
            best = worth, last - tail.size, end - tail.size, last, end
    return None if best is None else best[1:]


_REMOVED, _OUT_OF_ORDER, _LONE = 0.03, 0.3, 0.4
_MOST_EDGES = 12


def _rows(
    shown: Sequence[str],
    buffer: Sequence[str],
    lines: Lines,
    position: int,
    *,
    above: bool = False,
) -> list[_Edge]:
    """Rows of the buffer that begin like ``shown``, the heaviest first. above: both are reversed."""
    keys = [line.strip() for line in shown]
    places: Sequence[int] = lines.where_bare[keys[0]]
    if above:
        places = [len(buffer) - 1 - place for place in places]
    found = []
    for at in places:
        size, most = 0, min(len(keys), len(buffer) - at)
        worth = 0.0
        while size < most and buffer[at + size].strip() == (key := keys[size]):
            worth += _WEAK if is_weak(key) else len(lines.where_bare[key]) ** -0.5
            worth += _EXACT * (buffer[at + size] == shown[size].rstrip())
            size += 1
        found.append(_Edge(at, size, worth))
    found.sort(key=lambda edge: (-edge.worth, abs(edge.at - position)))
    return found[:_MOST_EDGES]


_EXACT = 0.1
_WEAK = 0.1


def _reindented(shown: Sequence[str], given: str, wanted: str) -> tuple[str, ...]:
    """The lines as the buffer indents them: where they have the blanks ``given``, it has ``wanted``."""
    if set(given + wanted) == {"\t", " "} and len(set(given)) == len(set(wanted)) == 1:
        long, short = max(given, wanted, key=len), min(given, wanted, key=len)
        unit = long[: len(long) // len(short)]
        old, new = ("\t", unit) if given[0] == "\t" else (unit, "\t")
        return tuple(indent_of(x).replace(old, new) + x.lstrip() for x in shown)
    first = indent_of(shown[0])
    less = len(given) - len(wanted)
    if wanted.endswith(given):
        first = wanted[:-less] + first if less else first
    elif given.endswith(wanted) and len(first) >= less:
        first = first[less:]
    return moved_to(shown, first) or tuple(shown)


def _num_alike(new: Sequence[str], old: Sequence[str]) -> int:
    """How many of the buffer's lines the new ones beside them replace."""
    count = 0
    for one, other in zip(new, old, strict=False):
        if not _alike(one, other):
            break
        count += 1
    return count


def _alike(one: str, other: str) -> bool:
    if not one.strip() or not other.strip():
        return False
    return SequenceMatcher(None, one.strip(), other.strip(), False).ratio() >= _ALIKE


def _beside_alike(new: Sequence[str], lines: Lines, position: int) -> _Change | None:
    """A part that shows no line of the buffer replaces lines similar to its own."""
    first = next((number for number, line in enumerate(new) if not is_weak(line)), None)
    if first is None:
        return None
    words = Counter(_WORD.findall(new[first]))
    candidates = [
        index
        for index in range(position, min(len(lines), position + _MOST_LOOKED_AT))
        if 2 * (words & Counter(_WORD.findall(lines.keys[index]))).total() >= words.total()
    ]
    for index in candidates[:_MOST_COMPARED]:
        if _alike(new[first], lines.keys[index]):
            start = index - first if first <= index else index
            count = first + _num_alike(new[first:], lines.keys[index : index + len(new) - first])
            return start, start + count, tuple(new)
    return None


def _is_spacing(old: Sequence[str], new: Sequence[str]) -> bool:
    """Whether some change adds or removes blank lines alone, or changes trailing blanks."""
    matcher = SequenceMatcher(None, old, new, False)
    for tag, first, last, new_first, new_last in matcher.get_opcodes():
        was = [line.rstrip() for line in old[first:last]]
        now = [line.rstrip() for line in new[new_first:new_last]]
        if tag != "equal" and (not any((*was, *now)) or set(was) & set(now) - {""}):
            return True
    return False


def _joined(lines: Lines, changes: Sequence[_Change]) -> tuple[tuple[str, str], ...]:
    pieces: list[tuple[str, str]] = []

    def add(part: Sequence[str], source: str) -> None:
        if part:
            pieces.append(("".join(line + "\n" for line in part), source))

    position = 0
    for start, end, new in changes:
        old = lines.raw[start:end]
        add(lines.raw[position:start], "buffer")
        keys = [[line.rstrip() for line in side] for side in (old, new)]
        matcher = SequenceMatcher(None, keys[0], keys[1], autojunk=False)
        for tag, first, last, new_first, new_last in matcher.get_opcodes():
            same = tag == "equal"
            add(
                old[first:last] if same else new[new_first:new_last], "buffer" if same else "sketch"
            )
        position = end
    add(lines.raw[position:], "buffer")
    return tuple(pieces)
