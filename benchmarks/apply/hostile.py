"""Edits that mislead: made with a seed on recorded texts, of lines that the text already has.

Releases seldom copy a block of lines, delete one of two like functions, or put a line where the same one
stands below. A merge that places lines by their likeness is led astray by just that. ``hostile`` makes
such edits; ``styles`` writes them as sketches.
"""

from __future__ import annotations

import re
from dataclasses import replace
from random import Random

from benchmarks.apply.pairs import Hunk, Pair, hunks_between

_Lines = tuple[str, ...]
_MOST_LINES = 14  # of an edit
_WRAPS = {"python": ("if ready:", ""), "lua": ("if ready then", "end")}


def hostile(pair: Pair, random: Random) -> Pair:
    """The pair's text before with one to three made edits instead of the recorded ones."""
    before = pair.before
    if random.random() < 0.3:
        before = _twin(before, random)
    edits: list[Hunk] = []
    for _ in range(random.choice((1, 1, 2, 3))):
        start = _start(before, random)
        end = min(len(before), start + _size(random))
        hunk = _edit(random.choice(_KINDS), before, start, end, pair, random)
        if all(hunk.end < edit.start or edit.end < hunk.start for edit in edits):
            edits.append(hunk)
    edits.sort(key=lambda hunk: hunk.start)
    made = replace(pair, before=before, hunks=tuple(edits))
    if random.random() < 0.5:
        made = replace(made, hunks=tuple(hunks_between(before, made.after())))
    return made


def _twin(before: _Lines, random: Random) -> _Lines:
    """The lines with a copy of some part after it, a name or two exchanged: two classes of the same methods."""
    start = _start(before, random)
    end = min(len(before), start + random.randrange(5, 60))
    copy = _renamed(before[start:end], random)
    at = random.choice((end, len(before)))
    return (*before[:at], *copy, *before[at:])


def _start(before: _Lines, random: Random) -> int:
    """A line to start at: half of the time the first line of a block."""
    at = random.randrange(len(before))
    if random.random() < 0.5:
        return at
    heads = [i for i in range(1, len(before)) if before[i].strip() and not before[i - 1].strip()]
    return random.choice(heads) if heads else at


def _size(random: Random) -> int:
    return min(_MOST_LINES, 1 + int(random.expovariate(0.3)))


def _renamed(lines: _Lines, random: Random) -> _Lines:
    names = sorted(set(re.findall(r"\b[A-Za-z_]{4,}\b", "\n".join(lines))))
    text = "\n".join(lines)
    for name in random.sample(names, min(len(names), random.choice((0, 1, 2)))):
        text = re.sub(rf"\b{name}\b", f"{name}_2", text)
    return tuple(text.split("\n")) if lines else ()


_KINDS = (
    "copied in",
    "copied over",
    "doubled",
    "deleted",
    "swapped",
    "wrapped",
    "renamed",
    "one line",
    "blank",
    "recorded",
)


def _edit(kind: str, before: _Lines, start: int, end: int, pair: Pair, random: Random) -> Hunk:
    """The lines that take the place of ``start .. end``, or are put there."""
    old = before[start:end]
    copy = before[(other := _start(before, random)) : other + _size(random)]
    match kind:
        case "copied in":
            return Hunk(start, start, _renamed(copy, random))
        case "copied over":
            return Hunk(start, end, _renamed(copy, random))
        case "doubled":
            return Hunk(end, end, _renamed(old, random))
        case "deleted":
            return Hunk(start, end, ())
        case "swapped":
            middle = random.randrange(len(old) + 1)
            return Hunk(start, end, (*old[middle:], *old[:middle]))
        case "wrapped":
            return Hunk(start, end, _wrapped(old, pair.language))
        case "renamed":
            return Hunk(start, end, _renamed(old, random))
        case "one line":
            return Hunk(start, start + 1, copy[:1])
        case "blank":
            return Hunk(start, start, ("",) * random.choice((1, 2)))
        case _:  # lines that were really written, in a place where they were not
            new = random.choice(pair.hunks).new[:_MOST_LINES]
            return Hunk(start, random.choice((start, end)), new)


def _wrapped(lines: _Lines, language: str) -> _Lines:
    first = next((line for line in lines if line.strip()), "")
    indent = first[: len(first) - len(first.lstrip())]
    head, tail = _WRAPS.get(language, ("if (ready) {", "}"))
    inner = tuple("    " + line if line.strip() else line for line in lines)
    return (indent + head, *inner, *((indent + tail,) if tail else ()))
