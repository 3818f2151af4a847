"""Docstrings that say no more than the name of what they document: "Get user." for ``get_user``.

Nothing is wrong with such a hunk, so it gets a note. A comment above a definition counts as its docstring in languages that
have no others. Words are compared by their beginnings: "words" and "Gets" repeat ``word`` and ``get``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from editd.checks.rewrite import Rewrite
from editd.diff.hunk import Hunk
from editd.intent.english import FUNCTION_WORDS
from editd.syntax.code import Code, read_code
from editd.syntax.definition import Definition

_MOST = 40_000  # characters of a text that is looked at
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[^\W\d_]+")
# Words that are true of any definition.
_EMPTY = FUNCTION_WORDS | {"return", "returns", "function", "method", "class", "instance"}
_MARKS = "\"'#/*-! \n"  # around a documentation's words
_SHORTEST = 3  # letters of a beginning that two words must share


def with_notes(rewrite: Rewrite, hunks: Sequence[Hunk]) -> list[Hunk]:
    """Copies of ``hunks`` of ``rewrite``, with a note on each that has none and brings a docstring in which every word
    repeats the name; several in one hunk are told of once. No notes where the new text does not parse, no parser knows the
    language, or a text has more than 40,000 characters.
    """
    notes: dict[int, str] = {}
    for name, line in _thin(rewrite):
        hunk = rewrite.hunk_at(line)
        start = rewrite.new_starts[rewrite.hunks.index(hunk)]
        if line < start + len(hunk.new_lines):
            notes.setdefault(hunk.id, f"This documentation only repeats the name “{name}”.")
    return [replace(hunk, note=hunk.note or notes.get(hunk.id)) for hunk in hunks]


def _thin(rewrite: Rewrite) -> Iterator[tuple[str, int]]:
    """Yield each definition of the new text whose documentation repeats its name, unless its text is in the old one or in
    the instruction: its name, and the 0-based line of the documentation.
    """
    total = len(rewrite.old_lines)
    if rewrite.size(0, total) > _MOST:
        return
    old, text = rewrite.model_text(0, total), rewrite.new_text(0, total)
    code = read_code(text, rewrite.language)
    if code.parsed_tokens is None:
        return
    for definition in code.definitions:
        if not definition.is_block or (found := _documentation(code, definition)) is None:
            continue
        line, documentation = found
        words = [word.casefold() for word in _WORD.findall(documentation)]
        name = [part.casefold() for part in _WORD.findall(definition.name)]
        telling = [word for word in words if word not in _EMPTY]
        repeats = all(any(_is_alike(word, part) for part in name) for word in telling)
        is_asked_for = documentation.strip(_MARKS) in rewrite.instruction
        if words and repeats and documentation not in old and not is_asked_for:
            yield definition.name, line


def _documentation(code: Code, definition: Definition) -> tuple[int, str] | None:
    """The 0-based first line and the text of a definition's docstring, or of the comments that it begins with, as in
    the code; ``None`` without either.
    """
    starts = code.line_starts
    end = starts[definition.end] if definition.end < len(starts) else len(code.text)
    nested = [x.start for x in code.definitions if definition.start < x.start < definition.end]
    if nested:  # what it documents stands before them
        end = min(end, starts[nested[0]])
    if code.language == "python":
        tokens = code.tokens_of("docstring")
        found = next((x for x in tokens if starts[definition.start] <= x.start < end), None)
        return None if found is None else (code.text.count("\n", 0, found.start), found.text)
    lines: list[str] = []
    for token in code.tokens_of("comment"):
        line = code.text.count("\n", 0, token.start)
        if line == definition.start + sum(text.count("\n") + 1 for text in lines):
            lines.append(token.text.rstrip("\n"))
    return (definition.start, "\n".join(lines)) if lines else None


def _is_alike(word: str, part: str) -> bool:
    """Whether one of two words begins with the other, which has at least three letters, or both are the same."""
    shorter, longer = sorted((word, part), key=len)
    return word == part or (len(shorter) >= _SHORTEST and longer.startswith(shorter))
