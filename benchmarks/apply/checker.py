"""How many texts a sketch can mean, found by trying every place for every piece.

Shares no code with ``editd.apply``: it knows the markers that ``styles`` writes, and one rule. A piece may
stand wherever its first and its last line do (blanks at line ends aside, blank lines at its edges with
or without); pieces are in any order and do not overlap; each takes the place of what is between.
Blank lines that are left out, and other blanks at the ends of lines that no edge shows, may be meant or
not.
Without a marker at the sketch's beginning or end what is there may go, if it is not much: 25 lines of a
sketch without any marker, else sixty. Blank lines there may be layout, or be meant.
Lines that are put in and stand right beyond the piece may be meant to move.
A piece without such a place is tried with another indentation. It weighs nothing and prefers nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from typing import Literal

from benchmarks.apply.styles import MARKER_WORDS

Verdict = Literal["unambiguous", "ambiguous", "none"]
_Change = tuple[int, int, tuple[str, ...]]  # start, end, new lines

_MOST_STEPS = 20_000  # of the search; a sketch that needs more has more than one text
_LEADERS = re.compile(r"^(?:#+|//+|--+|<!--|/\*+)\s*|\s*(?:-->|\*/)$")


def verdict(before: Sequence[str], sketch: str) -> Verdict:
    """How many different texts ``sketch`` can make of ``before``, lines without ends."""
    blocks = _blocks(sketch)
    if blocks is None:
        choices = [_places(piece, before) for piece in _pieces(_inside_fence(sketch))]
    else:
        choices = [list(_places_of_block(old, new, before)) for old, new in blocks]
    if not choices or not all(choices):
        return "none"
    steps = [_MOST_STEPS]
    texts: set[tuple[str, ...]] = set()
    if blocks is None and _has_open_blanks(sketch, before):
        return "ambiguous"
    for chosen in _combined(sorted(choices, key=len), [], steps):
        texts.add(_written(before, chosen))
        moved = blocks is None and any(_may_move(change, before) for change in chosen)
        if len(texts) > 1 or moved:
            return "ambiguous"
    unclear = any(_loses_blanks(before, text) for text in texts) or _ends_otherwise(sketch, before)
    if steps[0] <= 0 or (blocks is None and unclear):
        return "ambiguous"
    return "unambiguous" if texts - {_written(before, [])} else "none"


def _combined(
    choices: Sequence[list[_Change]], taken: list[_Change], steps: list[int]
) -> Iterator[list[_Change]]:
    """The ways to give each piece a place of its own."""
    if not choices:
        yield list(taken)
        return
    for change in choices[0]:
        steps[0] -= 1
        if steps[0] <= 0:
            return
        if all(change[1] <= other[0] or other[1] <= change[0] for other in taken):
            yield from _combined(choices[1:], [*taken, change], steps)


def _written(before: Sequence[str], changes: Sequence[_Change]) -> tuple[str, ...]:
    lines = [line.rstrip() for line in before]
    for start, end, new in sorted(changes, reverse=True):
        lines[start:end] = new
    return tuple(lines)


def _has_open_blanks(sketch: str, before: Sequence[str]) -> bool:
    """Whether the sketch begins or ends in a blank line that is not the file's first or last."""
    inside = _inside_fence(sketch)
    last = sketch.removesuffix("\n").split("\n")[-1]
    ends = not (last if not last.startswith("```") else "".join(inside[-1:])).strip()
    begins = bool(inside) and not inside[0].strip()
    return (begins and bool(before[0].strip())) or (ends and bool(before[-1].strip()))


def _may_move(change: _Change, before: Sequence[str]) -> bool:
    """Whether lines are put there, and nothing else, that stand right above or below the piece."""
    start, end, new = change
    more = len(new) - (end - start)
    lines = [line.rstrip() for line in before]
    for beyond in (tuple(lines[end : end + more]), tuple(lines[max(0, start - more) : start])):
        if more > 0 and any(map(str.isalnum, "".join(beyond))):
            at = range(1, len(new) - more)
            if any(
                [*new[:i], *new[i + more :]] == lines[start:end] and new[i : i + more] == beyond
                for i in at
            ):
                return True
    return False


def _loses_blanks(before: Sequence[str], after: Sequence[str]) -> bool:
    """Whether blank lines go and nothing comes for them: they may as well have been left out."""
    lines = [line.rstrip() for line in before]
    matcher = SequenceMatcher(None, lines, after, autojunk=False)
    return any(
        tag != "equal" and end > start and not any(lines[start:end]) and new_end - new < end - start
        for tag, start, end, new, new_end in matcher.get_opcodes()
    )


def _ends_otherwise(sketch: str, before: Sequence[str]) -> bool:
    """Whether lines that stay have other blanks at their ends, and none of those at a piece's edge."""
    raw = set(before)
    known = {line.rstrip() for line in before if line.strip()}
    inside = _inside_fence(sketch)
    other = [line.rstrip() in known and line not in raw for line in inside]
    last = len(inside) - 1
    edge = [
        number in (0, last) or _is_marker(inside[number - 1]) or _is_marker(inside[number + 1])
        for number in range(len(inside))
    ]
    return any(other) and not any(is_open and at for is_open, at in zip(other, edge, strict=True))


def _places(piece: tuple[tuple[str, ...], bool, bool], before: Sequence[str]) -> list[_Change]:
    """The places of a piece of a sketch: its lines, whether a marker stands above and below."""
    lines, above, below = piece
    trimmed = tuple("\n".join(lines).strip("\n").split("\n"))
    if not "".join(trimmed).strip():
        return []
    found = {place for variant in {lines, trimmed} for place in _where(variant, before)}
    most = 60 if above or below else 25
    for start, end, new in list(found):
        if not above and 0 < start <= most:
            found.add((0, end, new))
        if not below and 0 < len(before) - end <= most:
            found.add((start, len(before), new))
    if not found:
        for moved in (*_indented_otherwise(lines, before), *_indented_otherwise(trimmed, before)):
            found |= set(_where(moved, before))
    return sorted(found)


def _where(piece: tuple[str, ...], before: Sequence[str]) -> Iterator[_Change]:
    firsts = [i for i, line in enumerate(before) if line.rstrip() == piece[0]]
    lasts = [i for i, line in enumerate(before) if line.rstrip() == piece[-1]]
    for first in firsts:
        for last in lasts:
            if last > first or (last == first and len(piece) == 1):
                yield first, last + 1, piece


def _indented_otherwise(piece: tuple[str, ...], before: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """The piece, all of it deeper, or with tabs for spaces and the other way round.

    Not less deep: who writes lines deeper than they stand may mean that they move.
    """
    depths = {re.match(r"\s*", line)[0] for line in before if line.strip()}  # type: ignore[index]
    for width in (2, 4, 8):
        spaces = " " * width
        for was, now in ((spaces, "\t"), ("\t", spaces)):
            changed = tuple(_exchanged(line, was, now) for line in piece)
            if changed != piece:
                yield changed
    own = re.match(r"\s*", next(filter(None, piece)))[0]  # type: ignore[index]
    for depth in depths:
        if depth.endswith(own) and depth != own:
            more = depth[: len(depth) - len(own)]
            yield tuple(more + line if line else "" for line in piece)


def _exchanged(line: str, was: str, now: str) -> str:
    indent = line[: len(line) - len(line.lstrip())]
    return indent.replace(was, now) + line.lstrip()


def _pieces(sketch: Sequence[str]) -> list[tuple[tuple[str, ...], bool, bool]]:
    """The lines between markers, and whether a marker stands above and below them."""
    found: list[tuple[tuple[str, ...], bool, bool]] = []
    lines: list[str] = []
    above = False
    for line in sketch:
        if _is_marker(line):
            if lines:
                found.append((tuple(lines), above, True))
            lines, above = [], True
        else:
            lines.append(line.rstrip())
    if any(lines):
        found.append((tuple(lines), above, False))
    return found


def _is_marker(line: str) -> bool:
    words = _LEADERS.sub("", line.strip())
    return words != line.strip() and words.strip() in MARKER_WORDS


def _inside_fence(sketch: str) -> list[str]:
    lines = sketch.rstrip("\n").split("\n")
    fences = [i for i, line in enumerate(lines) if line.startswith("```")]
    return lines[fences[0] + 1 : fences[-1]] if len(fences) == 2 else lines


def _blocks(sketch: str) -> list[tuple[tuple[str, ...], tuple[str, ...]]] | None:
    """Old and new lines of search/replace blocks or of a diff's hunks; ``None``: it is neither."""
    lines = _inside_fence(sketch)
    text = "\n".join(lines)
    parts = re.findall(
        r"^[<-]{7} SEARCH\n(.*?)^=======\n(.*?)^[>+]{7} REPLACE$", text, re.MULTILINE | re.DOTALL
    )
    if parts:
        return [(_lines(old), _lines(new)) for old, new in parts]
    if not any(line.startswith("@@") for line in lines):
        return None
    blocks = []
    for hunk in re.split(r"^@@.*\n", text + "\n", flags=re.MULTILINE)[1:]:
        rows = _lines(hunk)
        old = tuple(row[1:] for row in rows if row[:1] != "+")
        blocks.append((old, tuple(row[1:] for row in rows if row[:1] != "-")))
    return blocks


def _lines(text: str) -> tuple[str, ...]:
    return tuple(line.rstrip() for line in text.removesuffix("\n").split("\n")) if text else ()


def _places_of_block(
    old: tuple[str, ...], new: tuple[str, ...], before: Sequence[str]
) -> Iterator[_Change]:
    """The places where the old lines stand in a row."""
    lines = tuple(line.rstrip() for line in before)
    for start in range(len(lines) - len(old) + 1):
        if old and lines[start : start + len(old)] == old:
            yield start, start + len(old), new
