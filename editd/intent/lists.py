"""Lists in an instruction: their items, each a request of its own.

Bullets of any kind, numbers and letters, on lines of their own or in one line. A line above the items must say no
more than that they follow: "The code has two problems:" says more. Standard library only.
"""

from __future__ import annotations

import re
from itertools import pairwise

_BULLET = re.compile(
    r"^\s*(?:[-*+•‣◦▪○●·–—>]|#{1,6}(?! out )|\(?(?:\d{1,2}|[a-hA-H]|i{1,3}|iv|v)[.)]|\d{1,2}:|(?:step|task|item) \d+[.:)])\s+(?:\[[ xX]?\]\s+)?"
    r"(?=\S)",
    re.IGNORECASE,
)
_SEQUENCES = (
    tuple(rf"{n}\." for n in range(1, 10)),
    tuple(rf"\(?{n}\)" for n in range(1, 10)),
    tuple(rf"\(?{letter}\)" for letter in "abcdefgh"),
)
_SURE = "•‣◦▪●"
_BULLETS = (*_SURE, r"[-–—]", r"\*", r"\+")
_FEWEST = 2  # items of a list in one line
_INDENTED = 2  # columns of a line that goes on with an item
_ANNOUNCING = frozenset(
    """
    please pls hi hello hey thanks thank you thx cheers regards do does make apply carry out the following these those two three four few some several all
    of things changes edits steps tasks todo todos to-do list here is are what that which i we you want need needs needed
    want would like could can should must to be done have my our requests wishes cleanup clean up refactoring this file
    code in for now next it them a an as follows below and
    """.split()  # noqa: SIM905
)


def items_of(instruction: str) -> tuple[str, ...]:
    """The items of a list in lines or in one line, without their bullets, ``**``, and commas, semicolons or an "and" at
    their ends; of any other text the text alone, without a single bullet before it.

    What is more than a list (a heading that says something, a line below it) is an item of its own, a line that only
    announces the list is none; an indented line goes on an item.
    """
    lines = [line for line in instruction.splitlines() if line.strip()]
    bullets = [_BULLET.match(line) for line in lines]
    if not any(bullets) or len(lines) == 1:
        found = _in_one_line(instruction)
        return found or (_BULLET.sub("", instruction, count=1) if any(bullets) else instruction,)
    items: list[str] = []
    depth = 0
    for line, bullet in zip(lines, bullets, strict=True):
        if bullet:
            depth = depth or bullet.end()
            items.append(line[bullet.end() :])
        elif items and len(line) - len(line.lstrip()) >= min(depth, _INDENTED):
            items[-1] += f" {line.strip()}"  # an item that goes on
        elif not _only_announces(line):
            items.append(line)
    return tuple(map(_bare, items))


def lines_of(instruction: str) -> tuple[str, ...]:
    """The lines of an instruction that are not blank, but for a first one that only says that they
    follow; empty if fewer than two are left. Each without ``**`` and without commas, semicolons and
    an "and" behind one at its end; signs of a list at its beginning stay.
    """
    lines = [line.strip() for line in instruction.splitlines() if line.strip()]
    if len(lines) > 1 and _only_announces(lines[0]):
        lines = lines[1:]
    return tuple(map(_bare, lines)) if len(lines) > 1 else ()


def _in_one_line(instruction: str) -> tuple[str, ...]:
    """The items of "1. … 2. …", "a) … b) …" or "- … - …" in one line, without these marks, ``**`` and commas at their
    ends, a heading that says something first; empty if it is no list of at least two items in order.
    """
    for sequence in _SEQUENCES:
        marks = [re.search(rf"(?:^|(?<=\s)){mark}\s+", instruction) for mark in sequence]
        found = [mark for mark in marks[: marks.index(None) if None in marks else None] if mark]
        if len(found) < _FEWEST or any(a.end() > b.start() for a, b in pairwise(found)):
            continue
        heading = instruction[: found[0].start()].strip()
        ends = [*(mark.start() for mark in found[1:]), len(instruction)]
        items = [instruction[a.end() : end] for a, end in zip(found, ends, strict=True)]
        return tuple(map(_bare, items if _only_announces(heading) else [heading, *items]))
    for bullet in _BULLETS:
        heading, *items = re.split(rf"(?:^|\s+){bullet}\s+", instruction.strip())
        if len(items) >= _FEWEST and (bullet in _SURE or not heading):
            return tuple(map(_bare, items if _only_announces(heading) else [heading, *items]))
    return ()


def _only_announces(heading: str) -> bool:
    """Whether a line only says that requests follow, or thanks: "Please do the following:"."""
    return all(word in _ANNOUNCING for word in re.findall(r"[\w'’-]+", heading.lower()))


def _bare(item: str) -> str:
    """An item without the marks and the "and" at its end, and without asterisks."""
    return re.sub(r"[\s,;]+(?:and)?$", "", item.strip().replace("**", ""))
