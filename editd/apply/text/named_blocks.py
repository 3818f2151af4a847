"""Definitions and other blocks of a file by name, read from indentation and brackets."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise, zip_longest

from editd.apply.text.line import _FLOW, ABOVE, CLOSES, REMARK, SECTION, indent_of
from editd.diff.matching import is_weak
from editd.syntax.definition import Definition

_HEADS = re.compile(
    r".*(?:[\[({:>)|&=,]|\b(?:then|do|begin|const|override|where))$|\s*(?:- |<\w)"
)  # what a line with deeper ones below ends in


@dataclass(frozen=True, slots=True)
class NamedBlock:
    """A definition or other block of a text: lines ``start .. end`` (end exclusive) around the line ``head``.

    Begins with the comment and decorators above, ends with the bracket that closes it. name: the definition's, else all
    of the first line. owner: the class or type around a definition, else empty. is_other: whether it is no definition.
    """

    name: str
    start: int
    end: int
    head: int
    owner: str = ""
    is_other: bool = False


def blocks_of(keys: Sequence[str], definitions: Sequence[Definition]) -> list[NamedBlock]:
    """The definitions and other blocks of a text, by their first line, outer ones first; no other block that begins in
    a definition (of any kind) without inner ones.

    Other blocks are lines with deeper ones below (``.nav {``, ``proxy:``, ``test('x', () => {``), if they end in an
    open bracket, ``:``, ``,``, ``=``, ``>``, ``|``, ``&`` or a word such as ``do``, or begin a list item or tag; and
    sections of a file of settings; no control flow. Comments and decorators above belong to them. definitions: those of
    the text. keys: its lines without trailing blanks.
    """
    found = [
        NamedBlock(
            definition.name,
            definition.start,
            min(definition.end, len(keys)),
            named_in(keys, definition),
            definition.owner,
        )
        for definition in definitions
        if 0 <= definition.start < len(keys)
    ]
    named = {definition.head for definition in found}
    within = bytearray(len(keys) + 1)  # a function's lines
    ordered = sorted(definitions, key=lambda definition: (definition.start, -definition.end))
    for definition, below in zip_longest(ordered, ordered[1:]):
        if below is None or below.start >= definition.end:  # none is inside of it
            within[max(definition.start, 0) : definition.end] = b"\1" * (
                min(definition.end, len(keys)) - max(definition.start, 0)
            )
    for start, end in (*indented_blocks(keys), *_sections(keys)):
        line = keys[start]
        if (
            start in named
            or within[start]
            or is_weak(line)
            or not (_HEADS.match(line) or SECTION.fullmatch(line))
            or _FLOW.match(line)
            or ABOVE.match(line)
        ):
            continue
        top = start
        while (
            top
            and ABOVE.match(keys[top - 1])
            and indent_of(keys[top - 1])[:1000] == indent_of(line)
        ):
            top -= 1
        found.append(NamedBlock(line.strip(), top, end, start, is_other=True))
    return sorted(found, key=lambda definition: (definition.start, -definition.end))


def named_in(keys: Sequence[str], definition: Definition) -> int:
    """The number of the line that names a definition: its first line with the name as a whole word that is no comment
    or decorator; the definition's first line if none is.
    """
    inside = range(max(definition.start, 0), min(definition.end, len(keys)))
    numbers = (
        n for n in inside if _has_word(keys[n], definition.name) and not ABOVE.match(keys[n])
    )
    return next(numbers, definition.start)


def _has_word(line: str, word: str) -> bool:
    """Whether a word stands in a line with no letter, digit or ``_`` beside it. Searches instead of matching a pattern:
    a line of minified code is asked for a thousand words.
    """
    at = line.find(word)
    while at >= 0:
        edges = line[at - 1 : at] + line[at + len(word) : at + len(word) + 1]
        if not any(x.isalnum() or x == "_" for x in edges):
            return True
        at = line.find(word, at + 1)
    return False


def indented_blocks(keys: Sequence[str]) -> Iterator[tuple[int, int]]:
    """The first line and the end (exclusive) of each run that consists of a line, the deeper lines below it and the
    line that closes them; inner runs before outer ones.

    Blank lines and comments end no run; a run of one line is left out.
    """
    stack: list[tuple[int, int]] = []  # depth and number of lines whose deeper ones go on
    last = 0
    for number, line in enumerate((*keys, None)):
        if line is not None and (not line or REMARK.match(line)):
            continue  # a comment at the margin ends no block
        depth = -1 if line is None else len(indent_of(line.expandtabs()))
        closes = line is not None and CLOSES.match(line)
        while stack and stack[-1][0] >= depth and not (stack[-1][0] == depth and closes):
            _, start = stack.pop()
            if last > start + 1:
                yield start, last
        if line is None:
            return
        if not (stack and stack[-1][0] == depth):
            stack.append((depth, number))
        last = number + 1


def _sections(keys: Sequence[str]) -> Iterator[tuple[int, int]]:
    """The first line and the end (exclusive) of each section of a file of settings (``[tool.ruff]``), without blank
    lines and comments at its end and without sections of one line.

    Nothing if some head of a section has anything but a blank line, a comment or the beginning of the file right above
    it.
    """
    heads = [n for n, line in enumerate(keys) if SECTION.fullmatch(line)]
    if not all(n == 0 or not keys[n - 1] or ABOVE.match(keys[n - 1]) for n in heads):
        return
    for start, below in pairwise([*heads, len(keys)]):
        end = below
        while end > start + 1 and (
            not keys[end - 1] or (end < len(keys) and ABOVE.match(keys[end - 1]))
        ):
            end -= 1
        if end > start + 1:
            yield start, end
