"""Code made a comment, and a comment code again, by whole lines: what contains a text, a definition, or
what is selected.

Only where everything else keeps its meaning: a string that goes over a border of the lines, or a body
that would be empty, leaves it to a model.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from editd.instruction.meanings import CommentOut
from editd.instruction.meant import Literal, as_word
from editd.instruction.source import parses, split, tokens_of
from editd.prompts.outline import outline

_MARKS = {"python": "#"} | dict.fromkeys(
    ("javascript", "jsx", "typescript", "tsx", "go", "rust", "java", "c"), "//"
)


def commented(
    meaning: CommentOut, text: str, language: str, selected: tuple[int, int] | None
) -> Literal | None:
    """The text with these lines as comments, or as code; ``None`` where it is not said which."""
    mark = _MARKS.get(language)
    lines = split(text)
    if mark is None or parses(text, language) is False:
        return None
    if meaning.is_undone:
        return _undone(meaning, text, lines, language, mark, selected)
    runs = list(_runs(_lines_of(meaning, lines, language, selected)))
    new = list(lines)
    for start, end in runs:
        filled = [line for line in lines[start:end] if line.strip()]
        if not filled or any(line.rstrip().endswith("\\") for line in filled):
            return None
        depth = min(len(line) - len(line.lstrip()) for line in filled)
        if len({line[:depth] for line in filled}) > 1:
            return None  # tabs and spaces
        for at in range(start, end):
            if lines[at].strip():
                new[at] = f"{lines[at][:depth]}{mark} {lines[at][depth:]}"
    result = "".join(new)
    is_single = bool(runs) and _keeps_the_rest(text, result, lines, runs, language)
    return Literal((result,), is_single)


def _lines_of(
    meaning: CommentOut, lines: list[str], language: str, selected: tuple[int, int] | None
) -> list[int]:
    if meaning.name:
        *_, name = re.split(r"\.|::|#", meaning.name)
        found = [one for one in outline(lines, language) if one.name == name and one.is_block]
        if len(found) != 1:
            return []
        start = found[0].start
        while lines[start].lstrip().startswith(("#", "//", "/*", "*")) and language != "rust":
            start += 1
        return list(range(start, found[0].end))
    if meaning.text:
        word = as_word(meaning.text)
        mark = _MARKS[language]
        return [
            number
            for number, line in enumerate(lines)
            if word.search(line) and line.lstrip().startswith(mark) == meaning.is_undone
        ]
    return list(range(selected[0], min(selected[1], len(lines)))) if selected else []


def _runs(numbers: Iterable[int]) -> Iterator[tuple[int, int]]:
    """Neighbouring lines as ranges."""
    start = end = -1
    for number in numbers:
        if number != end:
            if start >= 0:
                yield start, end
            start = number
        end = number + 1
    if start >= 0:
        yield start, end


def _keeps_the_rest(
    text: str, new: str, lines: list[str], runs: list[tuple[int, int]], language: str
) -> bool:
    """Whether the names, numbers and strings outside the lines are the same as before, and those inside gone."""
    old, left = tokens_of(text, language), tokens_of(new, language)
    if old is None or left is None:
        return False
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line))
    spans = [(starts[start], starts[end]) for start, end in runs]

    def is_inside(at: int) -> bool:
        return any(start <= at < end for start, end in spans)

    kept = [one.text for one in old if one.kind != "comment" and not is_inside(one.start)]
    return kept == [one.text for one in left if one.kind != "comment"]


def _undone(
    meaning: CommentOut,
    text: str,
    lines: list[str],
    language: str,
    mark: str,
    selected: tuple[int, int] | None,
) -> Literal | None:
    pattern = re.compile(rf"(\s*){re.escape(mark)} ?(?![{mark[0]}!])((?s:.*))")
    if meaning.name:
        numbers = _commented_definition(meaning.name, lines, pattern)
    else:
        numbers = _lines_of(meaning, lines, language, selected)
    new = list(lines)
    for number in numbers:
        if found := pattern.fullmatch(lines[number]):
            new[number] = found[1] + found[2] if found[2].strip() else found[2]
    result = "".join(new)
    return Literal((result,), is_single=result != text and bool(parses(result, language)))


def _commented_definition(name: str, lines: list[str], pattern: re.Pattern[str]) -> list[int]:
    """The lines of the one definition of that name in comments, up to where its indentation ends."""
    head = re.compile(
        rf"(?:async |pub |export |static |public |private )*(?:def|class|fn|func|function)\b.*\b{re.escape(name)}\b"
    )
    code = [found[2] if (found := pattern.fullmatch(line)) else None for line in lines]
    starts = [at for at, line in enumerate(code) if line is not None and head.match(line.lstrip())]
    if len(starts) != 1:
        return []
    first = code[starts[0]] or ""
    depth = len(first) - len(first.lstrip())
    end = starts[0] + 1
    while end < len(code) and (line := code[end]) is not None:
        end += 1
        if line.strip() and len(line) - len(line.lstrip()) <= depth:
            if not line.lstrip().startswith(("}", ")")):
                end -= 1
            break
    while end > starts[0] and not (code[end - 1] or "").strip():
        end -= 1
    return list(range(starts[0], end))
