"""Texts, numbers, lines, definitions and comments exchanged for others or taken out, and lines made comments.

A text goes by syntax where there is a parser. Code becomes a comment, or a comment code, by whole lines, and only
where everything else keeps its meaning: a string over a border of the lines, or an empty body, leaves it to a model.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from editd.instruction.meanings import CommentOut, DeleteDefinition, Replace, SetValue
from editd.instruction.places import place_of
from editd.instruction.source import (
    Literal,
    Spans,
    as_word,
    docstring_of,
    is_text,
    line_starts,
    parses,
    read_python,
    split,
    that_stays,
    tokens_of,
    with_spans,
)

_DELIMITED = re.compile(r"(?s)([a-zA-Z]{0,2}#*)(\"\"\"|'''|\"|'|`)(.*)\2#*")


def replaced(meaning: Replace, text: str, language: str) -> Literal | None:
    """Another text: whole strings if there are such, else inside strings, else anywhere."""
    old, new = meaning.old, meaning.new
    everywhere = text.replace(old, new)
    tokens = tokens_of(text, language)
    if tokens is None or everywhere == text:
        return Literal((everywhere,))
    strings = [token for token in tokens if token.kind in ("string", "docstring")]
    exact: Spans = []
    for token in strings:
        cut = _DELIMITED.fullmatch(token.text)
        if cut and cut[3] == old:
            exact.append((token.start + cut.start(3), token.start + cut.end(3), new))
    inside = [
        (token.start + at.start(), token.start + at.end(), new)
        for token in strings
        for at in re.finditer(re.escape(old), token.text)
    ]
    whole = set(exact)
    others = [span for span in inside if span not in whole]
    is_plain = not re.search(r"[\\\"'`\n{}$]", old + new)
    outside = everywhere.count(new) - with_spans(text, inside).count(new)
    readings = (with_spans(text, exact or inside), with_spans(text, inside), everywhere)
    stays = that_stays(text, ("longer strings", others if exact else []))
    if meaning.is_one and len(exact) > 1:
        return _one_of(exact, readings, text)
    # Words inside of longer strings, and nowhere else.
    is_inside = not outside and len(as_word(old).findall(text)) == len(inside)
    return Literal(
        tuple(dict.fromkeys(one for one in readings if one != text)) or (text,),
        bool(exact or (inside and is_inside)) and is_plain and not (outside and not inside),
        stays,
        with_spans(text, inside) if stays else None,
    )


def renumbered(meaning: Replace, text: str, language: str) -> Literal | None:
    """Another number, where it stands as one."""
    old, new = meaning.old, meaning.new
    pattern = re.compile(rf"(?<![\w.]){re.escape(old)}(?![\w.])")
    everywhere = pattern.sub(lambda _: new, text)
    tokens = tokens_of(text, language)
    if tokens is None or old.startswith(("-", "+")):
        return Literal((everywhere,))
    spans = [(t.start, t.end, new) for t in tokens if t.kind == "number" and t.text == old]
    others = [(at.start(), at.end(), new) for at in pattern.finditer(text)]
    known = set(spans)
    others = [span for span in others if span not in known]
    stays = that_stays(text, ("strings or comments", others))
    readings = tuple(dict.fromkeys((with_spans(text, spans), everywhere)))
    if meaning.is_one and len(spans) > 1:
        return _one_of(spans, readings, text)
    return Literal(readings, bool(spans), stays, everywhere if stays else None)


def _one_of(spans: Spans, readings: tuple[str, ...], text: str) -> Literal:
    """Which of several places is meant by "the port 80" is not for the words to say."""
    each = (with_spans(text, [span]) for span in spans[:_MOST_PLACES])
    return Literal(tuple(dict.fromkeys((*readings, *each))))


_MOST_PLACES = 20  # of which each is a reading


def valued(meaning: SetValue, text: str, language: str) -> Literal | None:
    """Another number for the one thing that is called so; ``None`` if there are several."""
    name, new = meaning.name.rsplit(".", 1)[-1], meaning.new
    place = place_of(meaning.place, text, language) if meaning.place else None
    pattern = (
        rf"(?<!\w){re.escape(name)}[\"']?(?:\s*:\s*[\w\[\]. ]+?)?\s*(?::=|=(?!=)|:)\s*(-?\d[\w.]*)"
    )
    found: list[re.Match[str]] = []
    for flag in (re.NOFLAG, re.IGNORECASE):  # "the timeout" may be TIMEOUT
        if not found:
            found = list(re.finditer(pattern, text, flag))
    if meaning.place:
        found = [at for at in found if place and place.first <= at.start() < place.last]
    if len(found) != 1:
        return None
    at = found[0]
    tokens = tokens_of(text, language)
    is_code = tokens is not None and any(
        t.kind == "number" and t.end == at.end(1) and at.start(1) <= t.start for t in tokens
    )
    # Of "10 * 60" the words do not say what becomes of the rest.
    is_code = is_code and _ENDS.match(text, at.end(1)) is not None
    return Literal((with_spans(text, [(at.start(1), at.end(1), new)]),), is_code)


_ENDS = re.compile(r"\s*(?:[,;)}\]]|#|//|/\*|$)|[ \t]*\n")


# What goes


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
    name = f"{meaning.owner}.{meaning.name}" if meaning.owner else meaning.name
    one = place_of(name, text, language)
    if one is None or tokens_of(text, language) is None:
        return None
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


_KEPT = {
    "comments for tools": re.compile(
        r"#\s*(?:type:|noqa|pragma|pylint|mypy|fmt:|ruff|-\*-)|//\s*(?:@|eslint|go:|nolint|\+build)|/\*\s*eslint|.*@ts-"
    ),
    "documentation": re.compile(r"///|/\*\*(?!/)|//!|/\*!"),
}


def without_comments(text: str, language: str) -> Literal | None:
    """The text without its comments, and without the lines that were nothing else.

    What is for tools stays, and documentation does: in Python that is no comment either.
    """
    tokens = tokens_of(text, language)
    if tokens is None:
        return None
    spans: Spans = []
    kept: dict[str, Spans] = {what: [] for what in _KEPT}
    for token in (t for t in tokens if t.kind == "comment" and not t.text.startswith("#!")):
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
        stays = next((what for what, pattern in _KEPT.items() if pattern.match(token.text)), "")
        kept.get(stays, spans).append((start, end, ""))
    others = [span for spans_of in kept.values() for span in spans_of]
    everything = with_spans(text, spans + others)
    return Literal(
        tuple(dict.fromkeys((with_spans(text, spans), everything))),
        is_single=True,
        stays=that_stays(text, *kept.items()),
        resembling=everything if others else None,
    )


def without_docstrings(name: str, text: str) -> Literal | None:
    """A Python text without its docstrings, or without that of the one definition ``name``.

    A body that would be empty gets ``pass``. Of a text that reads ``__doc__`` nothing is decided.
    """
    python = read_python(text)
    if python is None or python.is_part:
        return None
    named = python.definitions(name) if name else [python.tree, *python.definitions()]
    if name and len(named) != 1:
        return None
    spans: Spans = []
    for node in named:
        if (said := docstring_of(node)) is None:
            continue
        body: list[ast.stmt] = node.body
        first, last = python.first(said), python.last(said) + 1
        if len(body) == 1 and node is not python.tree:
            spans.append((*python.span(said), "pass"))
            continue
        if not python.is_alone(said) or (body[1:] and is_text(body[1])):
            return None
        above = python.lines[first - 1].strip() if first else ""
        while last < len(python.lines) and not python.lines[last].strip():
            if node is python.tree and above:
                break  # the blank line below a file's first comments
            last += 1
        spans.append((python.line_start(first), python.line_start(last), ""))
    is_clear = not as_word("__doc__").search(text)
    return Literal((with_spans(text, spans),), is_single=is_clear)


# Comments and code


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
        place = place_of(meaning.name, "".join(lines), language)
        if place is None:
            return []
        start = place.start
        marks = ("#",) if language == "python" else ("//", "/*", "*")
        while lines[start].lstrip().startswith(marks) and language != "rust":
            start += 1
        return list(range(start, place.end))
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
    for _, run in groupby(enumerate(numbers), key=lambda one: one[1] - one[0]):
        lines = [line for _, line in run]
        yield lines[0], lines[-1] + 1


def _keeps_the_rest(
    text: str, new: str, lines: list[str], runs: list[tuple[int, int]], language: str
) -> bool:
    """Whether the names, numbers and strings outside the lines are the same as before, and those inside gone."""
    old, left = tokens_of(text, language), tokens_of(new, language)
    if old is None or left is None:
        return False
    starts = line_starts(lines)
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
