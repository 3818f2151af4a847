"""Comments code out by whole lines, and back in.

Only where everything else keeps its meaning: a string over a border of the lines, or an empty body, leaves it to a model.

a.py, "comment out the function load_all"::

    x = 1
    def load_all():
        return 1
    y = 2

becomes::

    x = 1
    # def load_all():
    #     return 1
    y = 2

a.yaml, "comment the command of web back in"::

    web:
      # command: serve
      image: a
    db:
      # command: store
      image: b

becomes::

    web:
      command: serve
      image: a
    db:
      # command: store
      image: b

a.go, "uncomment the lines with `log`"::

    package a

    func f() {
        // log(1)
    }

becomes::

    package a

    func f() {
        log(1)
    }
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from editd.intent.intents import CommentOut
from editd.refactor.candidates import Candidates
from editd.refactor.comment_marks import MARKS, comment_line
from editd.refactor.entries import DATA, entries_of, lines_called
from editd.syntax.code import Code, read_code
from editd.syntax.members import members_of
from editd.syntax.places import place_of
from editd.syntax.words import as_word

_PARSED = frozenset("python javascript jsx typescript tsx go rust java c".split())  # noqa: SIM905
_AROUND = {
    "css": ("/* ", " */"),
    "html": ("<!-- ", " -->"),
    "xml": ("<!-- ", " -->"),
    "markdown": ("<!-- ", " -->"),
}


def comment_out(
    intent: CommentOut, code: Code, selected: tuple[int, int] | None
) -> Candidates | None:
    """The text with the intent's lines as comments, or (``intent.is_undone``) as code again, where lines that are no
    comments stay; certain if something changes and the rest keeps its tokens (of code again: if the result parses).
    Unchanged, and not certain, if no line fits.

    ``None`` in languages whose line comments (``#``, ``//``) are not known, or if the text does not parse; in languages
    without a parser, but for commenting out a definition by name, and for one entry of settings that is a comment; and if the lines to comment out are blank or comments
    already, are continued by a backslash, or mix tabs and spaces. selected: lines ``start .. end`` (0-based, end
    exclusive) for "this".
    """
    text, language = code.text, code.language
    mark = MARKS.get(language)
    lines = code.lines
    if mark is None or code.parses is False:
        return None
    is_entry = intent.is_one and language in DATA
    if language not in _PARSED and not is_entry and (intent.is_undone or not intent.name):
        return None
    numbers, new = _lines_of(intent, lines, language, selected), list(lines)
    if intent.is_one:
        numbers = _the_one(numbers, intent.beside, code)
    if intent.is_undone:
        for number in numbers:
            if found := comment_line(mark).fullmatch(lines[number]):
                new[number] = found[1] + found[2] if found[2].strip() else found[2]
        result = "".join(new)
        uncommented = read_code(result, language)
        is_right = (
            bool(uncommented.parses)
            if language in _PARSED
            else len(entries_of(uncommented)) == len(entries_of(code)) + len(numbers)
        )
        return Candidates((result,), is_certain=result != text and is_right)
    return commented(code, numbers)


def commented(code: Code, numbers: Sequence[int]) -> Candidates | None:
    """The text with these lines (0-based numbers, in order) as comments, but for blank ones; certain if there are some
    and the rest keeps its tokens. In a language without line comments a comment goes around each run of lines; that and
    a file of settings in no known language are certain without a look at tokens.

    ``None`` in languages whose comments are not known, or if a run of lines is blank, is comments already, continues a
    line or is continued by a backslash, or is indented by a mixture of tabs and spaces.
    """
    lines, new = code.lines, list(code.lines)
    runs = list(_runs(numbers))
    if code.language in _AROUND:
        return _commented_around(code, runs)
    is_env = not code.language and bool(members_of(code.text, ""))
    mark = "#" if is_env else MARKS.get(code.language)
    if mark is None:
        return None
    for start, end in runs:
        filled = [line for line in lines[start:end] if line.strip()]
        before = lines[start - 1 : start] if start else []
        if any(line.rstrip().endswith("\\") for line in (*before, *filled[-1:])):
            return None
        if all(line.lstrip().startswith(mark) for line in filled):
            return None
        if not filled:
            return None
        depth = min(len(line) - len(line.lstrip()) for line in filled)
        if len({line[:depth] for line in filled}) > 1:
            return None  # tabs and spaces
        for at in range(start, end):
            if lines[at].strip():
                new[at] = f"{lines[at][:depth]}{mark} {lines[at][depth:]}"
    result = "".join(new)
    is_certain = bool(runs) and (is_env or _keeps_the_rest(code, result, runs))
    return Candidates((result,), is_certain)


def uncommented(code: Code, numbers: Sequence[int]) -> Candidates | None:
    """The text with these lines of comments (0-based numbers, in order) as code, as a certain candidate if it parses, or, as
    settings, can be read.

    ``None`` in languages whose comments are not known, or if a line is no comment.
    """
    new = list(code.lines)
    if code.language in _AROUND:
        opening, closing = (re.escape(mark.strip()) for mark in _AROUND[code.language])
        first, last = numbers[0], numbers[-1]
        new[first] = re.sub(rf"{opening} ?", "", new[first], count=1)
        new[last] = re.sub(rf" ?{closing}", "", new[last], count=1)
    else:
        is_env = not code.language and bool(members_of(code.text, ""))
        mark = "#" if is_env else MARKS.get(code.language)
        if mark is None:
            return None
        for number in numbers:
            found = comment_line(mark).fullmatch(new[number])
            if found is None:
                return None
            new[number] = found[1] + found[2] if found[2].strip() else found[2]
    result = read_code("".join(new), code.language)
    is_right = result.parses is not False and (
        code.language not in DATA or len(entries_of(result)) > len(entries_of(code))
    )
    return Candidates((result.text,), is_certain=is_right)


def _commented_around(code: Code, runs: list[tuple[int, int]]) -> Candidates | None:
    """The text with a comment around each run of lines, for languages without line comments;
    certain if there is a run. ``None`` if one is blank or has a comment in it.
    """
    opening, closing = _AROUND[code.language]
    new = list(code.lines)
    for start, end in runs:
        text = "".join(new[start:end])
        if any(mark.strip() in text for mark in (opening, closing)) or not text.strip():
            return None
        depth = len(new[start]) - len(new[start].lstrip())
        new[start] = f"{new[start][:depth]}{opening}{new[start][depth:]}"
        last = new[end - 1].rstrip()
        new[end - 1] = f"{last}{closing}{new[end - 1][len(last) :]}"
    return Candidates(("".join(new),), is_certain=bool(runs))


def _lines_of(
    intent: CommentOut, lines: list[str], language: str, selected: tuple[int, int] | None
) -> list[int]:
    """Numbers (0-based) of the lines that the intent names: of a definition, without comments above it; or each line
    that has a text as a word, and is a comment if ``intent.is_undone``, else is none; or else the selection. Empty if
    nothing or several definitions fit.
    """
    mark = MARKS[language]
    if intent.name and intent.is_undone:
        return _commented_definition(intent.name, lines, comment_line(mark))
    if intent.name:
        place = place_of(intent.name, "".join(lines), language)
        if place is None:
            return []
        start = place.start
        marks = ("#",) if language == "python" else ("//", "/*", "*")
        while lines[start].lstrip().startswith(marks) and language != "rust":
            start += 1
        return list(range(start, place.end))
    if intent.text:
        word = as_word(intent.text)
        return [
            number
            for number, line in enumerate(lines)
            if word.search(line) and line.lstrip().startswith(mark) == intent.is_undone
        ]
    return list(range(selected[0], min(selected[1], len(lines)))) if selected else []


def _the_one(numbers: list[int], beside: str, code: Code) -> list[int]:
    """The only one of these lines, or the only one that has the word ``beside`` or stands in the definition or entry
    called so, if that is not empty; empty if there is none, or several are.
    """
    if beside:
        place = range(*(lines_called(beside, code) or (0, 0)))
        word = as_word(beside)
        numbers = [at for at in numbers if at in place or word.search(code.lines[at])]
    return numbers if len(numbers) == 1 else []


def _runs(numbers: Iterable[int]) -> Iterator[tuple[int, int]]:
    """Yield runs of neighbouring line numbers as ranges, end exclusive. numbers: in order."""
    for _, run in groupby(enumerate(numbers), key=lambda pair: pair[1] - pair[0]):
        lines = [line for _, line in run]
        yield lines[0], lines[-1] + 1


def _keeps_the_rest(code: Code, new: str, runs: list[tuple[int, int]]) -> bool:
    """Whether the names, numbers and strings of ``new`` are those that ``code`` has outside the lines ``runs``, and no
    others; comments do not count. ``False`` where the tokens of one of the texts are unknown, as of a text that does
    not parse.
    """
    language = code.language
    old, left = code.tokens, read_code(new, language).tokens
    if old is None or left is None:
        return False
    starts = code.line_starts
    spans = [(starts[start], starts[end]) for start, end in runs]

    def is_inside(at: int) -> bool:
        return any(start <= at < end for start, end in spans)

    outside = [
        token.text for token in old if token.kind != "comment" and not is_inside(token.start)
    ]
    return outside == [token.text for token in left if token.kind != "comment"]


def _commented_definition(name: str, lines: list[str], pattern: re.Pattern[str]) -> list[int]:
    """The numbers (0-based) of the lines of the one definition of that name in comments, up to where its indentation or
    the comments end; empty if none or several are there.

    pattern: of a commented line, whose second group is the code.
    """
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
