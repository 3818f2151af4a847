"""Where the functions, classes and constants of a file are, line by line.

Python line by line, other languages through tree-sitter where a grammar is installed and the file is
not too long to be parsed at once, any other text (and source that does not parse) through
indentation and a few keywords. Never raises: an outline is a help for choosing lines, and an empty
outline is an answer.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import accumulate, pairwise

from editd.syntax.definition import Definition
from editd.syntax.python_outline import python_definitions
from editd.syntax.text_outline import comment_above, text_definitions
from editd.syntax.tree_outline import tree_definitions
from editd.syntax.trees import Node, parse_tree
from editd.turns import yield_point

_MOST_DEFINITIONS = 10_000
_MANY = 1000  # definitions or lines that are looked at in a piece
_MOST_PARSED = 1 << 16  # characters that a parser is given: it cannot be stopped


def outline(
    lines: Sequence[str], language: str, root: Node | None = None
) -> tuple[Definition, ...]:
    """The file's definitions in order of their first line; of two that begin on the same line the longer one first.
    The comment directly above belongs to it, but for a member's constant. Lets other work run meanwhile.

    Empty for more than 10,000, since such a file can only be data. lines: with their LF. root: what ``parse_tree``
    makes of them, if that is known; without it only a file that ``are_parsed`` accepts (not too large) is parsed,
    others are read by patterns, Python always by its tokens.
    """
    found: list[Definition] | None = None
    if language == "python":
        found = python_definitions(lines, _MOST_DEFINITIONS)
    elif root is not None or are_parsed(lines):
        root = parse_tree("".join(lines), language) if root is None else root
        found = None if root is None else tree_definitions(root)
    if found is None:
        found = text_definitions(lines, _MOST_DEFINITIONS)
    if len(found) > _MOST_DEFINITIONS:
        return ()
    yield_point()
    above: dict[int, int] = {}
    whole = []
    for count, definition in enumerate(found):
        start = definition.start
        if definition.is_block or not definition.owner:
            if start not in above:
                above[start] = comment_above(lines, start)
            start = above[start]
        whole.append(replace(definition, start=start))
        if count % _MANY == _MANY - 1:
            yield_point()
    return tuple(sorted(whole, key=lambda d: (d.start, -d.end)))


def tiles(lines: Sequence[str], definitions: Iterable[Definition]) -> tuple[tuple[int, int], ...]:
    """The whole file cut into functions, what stands between them, and the heads of classes.

    ``(start, end)`` line ranges (0-based, end exclusive) in order, without gaps. A range of blank lines only is
    joined to the one before it, a first one stays. Constants make no cut. Lets other work run meanwhile.
    """
    borders = {0, len(lines)}
    for definition in definitions:
        if definition.is_block:
            borders |= {definition.start, definition.end}
    cuts = sorted(border for border in borders if 0 <= border <= len(lines))
    pieces: list[tuple[int, int]] = []
    for start, end in pairwise(cuts):
        if pieces and not any(lines[number].strip() for number in range(start, end)):
            pieces[-1] = (pieces[-1][0], end)
        else:
            pieces.append((start, end))
        if len(pieces) % _MANY == 0:
            yield_point()
    return tuple(pieces)


def are_parsed(lines: Sequence[str]) -> bool:
    """Whether lines are few enough to be parsed at once."""
    return all(size <= _MOST_PARSED for size in accumulate(map(len, lines)))  # stops once it is not
