"""Where the definitions of a Python file are, from its tokens as they are read.

``ast`` would say the same, but in one call that takes forty microseconds a line and cannot be stopped. All that is
needed here is where logical lines begin, how deep they stand and what their first words are. Text whose brackets
or strings do not close is left to ``outline``.
"""

from __future__ import annotations

import tokenize
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice
from keyword import iskeyword
from typing import NamedTuple

from editd.syntax.definition import Definition
from editd.turns import yield_point

_TOKENS_A_PIECE = 1000
_LONGEST_LINE = 100_000  # characters; a file with a longer one is data
_LOOKED_AT = 32  # tokens at the beginning of a logical line

_SILENT = frozenset([tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.ENDMARKER])
_OPEN = frozenset(["if", "elif", "else", "try", "except", "with"])


class _IndentedBlock(NamedTuple):
    """Lines that are indented below another.

    owner: of the definitions in them; ``None`` if these do not count. place: the index among all definitions of the one
    whose body they are; -1 if they are no definition's.
    """

    owner: str | None
    place: int = -1


def python_definitions(lines: Sequence[str], most: int) -> list[Definition] | None:
    """The functions, classes and assigned names of a file, at top level and in classes, in order; what a function
    defines is left out. lines: each with its LF.

    ``None`` for a text whose brackets or strings do not close or whose indentation is broken. Empty if a line
    exceeds 100,000 characters. Reading stops once more than ``most`` are found, and these are returned. Lets other
    work run meanwhile.
    """
    if any(len(line) > _LONGEST_LINE for line in lines):
        return []
    found: list[Definition] = []
    try:
        for count, _ in enumerate(
            _read_definitions(tokenize.generate_tokens(iter(lines).__next__), found)
        ):
            if len(found) > most:
                break
            if count % _TOKENS_A_PIECE == _TOKENS_A_PIECE - 1:
                yield_point()
    except (tokenize.TokenError, SyntaxError):
        return None
    return found


def _read_definitions(
    tokens: Iterator[tokenize.TokenInfo], found: list[Definition]
) -> Iterator[None]:
    """Append the definitions in ``tokens`` to ``found``, in place; yields after each token, so that
    the caller can stop. A block's end is set when its lines are over. Raises what the tokens'
    iterator raises.
    """
    blocks = [_IndentedBlock("")]
    opened = blocks[0]  # by the last logical line, if lines are indented below it
    line: list[tokenize.TokenInfo] = []  # its first tokens
    decorated: int | None = None  # line of the first decorator
    end = 0  # the line after the last one that holds code
    for token in tokens:
        yield
        if token.type == tokenize.INDENT:
            blocks.append(opened)
        elif token.type == tokenize.DEDENT:
            place = blocks.pop().place
            if place >= 0:
                found[place] = replace(found[place], end=end)
        elif token.type == tokenize.NEWLINE and line:
            end, start = token.start[0], line[0].start[0] - 1
            if line[0].string == "@":
                decorated = start if decorated is None else decorated
            else:
                first = start if decorated is None else decorated
                opened = _opened([x.string for x in line], first, end, blocks[-1].owner, found)
                decorated = None
            line = []
        elif token.type not in _SILENT and len(line) < _LOOKED_AT:
            line.append(token)


def _opened(
    words: Sequence[str], start: int, end: int, owner: str | None, found: list[Definition]
) -> _IndentedBlock:
    """Append to ``found`` what a logical line defines; returns the block that may be indented below
    it.

    words: its first tokens. start, end: its lines. owner: the class around it, empty at top level,
    ``None`` in a function, where nothing is appended. Branches and ``with`` keep the owner; loops
    and all other lines have no definitions below.
    """
    kind, *rest = words[1:] if words[:2] == ["async", "def"] else words
    if kind in ("def", "class") and rest:
        if owner is None:
            return _IndentedBlock(None)
        found.append(Definition(rest[0], start, end, owner))
        return _IndentedBlock(rest[0] if kind == "class" else None, len(found) - 1)
    if kind in _OPEN:
        return _IndentedBlock(owner)
    if owner is not None:
        names = _names_assigned(words)
        found.extend(Definition(name, start, end, owner, is_block=False) for name in names)
    return _IndentedBlock(None)


def _names_assigned(words: Sequence[str]) -> Iterator[str]:
    """Yield ``a`` and ``b`` of ``a = b = 1``, ``a`` of ``a: int``; of ``a = 1`` nothing but ``a``.
    Nothing if the line begins otherwise.
    """
    for name, sign in zip(islice(words, 0, None, 2), islice(words, 1, None, 2), strict=False):
        if sign not in ("=", ":") or not name.isidentifier() or iskeyword(name):
            return
        yield name
        if sign == ":":
            return
