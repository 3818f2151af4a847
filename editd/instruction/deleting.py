"""Lines, definitions and comments deleted, as the words say."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from editd.instruction import DeleteDefinition
from editd.instruction.meant import Literal, Spans, as_word, split, with_spans
from editd.instruction.source import tokens_of
from editd.prompts.outline import outline


def _dropped(lines: Sequence[str], numbers: Iterable[int]) -> str:
    gone = set(numbers)
    return "".join(line for number, line in enumerate(lines) if number not in gone)


def without_lines(said: str, text: str) -> Literal | None:
    """The text without the lines that contain what was said, as a word or as it stands."""
    lines = split(text)
    word = as_word(said)
    by_word = [number for number, line in enumerate(lines) if word.search(line)]
    by_text = [number for number, line in enumerate(lines) if said in line]
    readings = tuple(
        dict.fromkeys(_dropped(lines, numbers) for numbers in (by_word, by_text) if numbers)
    )
    return Literal(readings or (text,), by_word == by_text)


def undefined(meaning: DeleteDefinition, text: str, language: str) -> Literal | None:
    """The text without the one definition of that name, and the smaller gap beside it."""
    lines = split(text)
    found = [
        one
        for one in outline(lines, language)
        if one.name == meaning.name
        and one.is_block
        and (not meaning.owner or one.owner == meaning.owner)
    ]
    if len(found) != 1 or tokens_of(text, language) is None:
        return None
    one = found[0]
    head = one.start
    while head < one.end and lines[head].lstrip().startswith(("#", "//", "/*", "*")):
        head += 1
    first, last = one.start, one.end
    above, below = first, last
    while above and not lines[above - 1].strip():
        above -= 1
    while below < len(lines) and not lines[below].strip():
        below += 1
    if below == len(lines) or 0 < first - above < below - last:
        first = above
    else:
        last = below
    rest = _dropped(lines, range(first, last))
    used = [n for n, line in enumerate(lines) if as_word(one.name).search(line)]
    used = [number for number in used if not first <= number < last]
    without = _dropped(lines, range(head, one.end))
    stays = (("mentions of it", tuple(used)),) if used else ()
    return Literal(tuple(dict.fromkeys((rest, without))), head == one.start, stays)


_FOR_TOOLS = re.compile(
    r"#\s*(?:type:|noqa|pragma|pylint|mypy|fmt:|ruff|-\*-|!)|//\s*(?:@|eslint|go:|nolint|\+build)|/\*\s*eslint|///|/\*\*|//!|#!|@ts-"
)


def without_comments(text: str, language: str) -> Literal | None:
    """The text without its comments, and without the lines that were nothing else."""
    tokens = tokens_of(text, language)
    if tokens is None:
        return None
    comments = [t for t in tokens if t.kind == "comment" and not t.text.startswith("#!")]
    spans: Spans = []
    for token in comments:
        start, end = token.start, token.end
        line = text.rfind("\n", 0, start) + 1
        after = text.find("\n", end)
        after = len(text) if after < 0 else after
        if not text[end:after].strip():  # the end of its line goes with it
            end = after
            if not text[line:start].strip():
                start, end = line, min(len(text), after + 1)
            else:
                start = line + len(text[line:start].rstrip())
        spans.append((start, end, ""))
    is_single = not any(_FOR_TOOLS.match(token.text) for token in comments)
    return Literal((with_spans(text, spans),), is_single)
