"""The lines of a text that a description means: statements, entries of settings, elements of lists, or plain lines.

A description (``intent.description``) counts only where as many things fit as it says. What becomes of the lines is for
``delete_code`` and ``comment_out_code``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

from editd.intent.description import Description
from editd.refactor.candidates import Lines
from editd.refactor.entries import Entry, entries_of, is_program, lines_called
from editd.syntax.code import Code
from editd.syntax.imports import IMPORT_LINE
from editd.syntax.language import PROSE
from editd.syntax.python_places import has_decorator_with
from editd.syntax.units import units_of
from editd.syntax.words import as_word

_IN_CONTAINERS = frozenset(
    "service volume script dependency dep package library job image port column plugin".split()  # noqa: SIM905
)
"""Nouns for what stands in a container that is called so."""
_NO_CODE = frozenset(
    "the a an and both that this line lines call calls statement statements one of it is".split()  # noqa: SIM905
)
"""Words for what stands on a line, which do not stand there."""
_METHODS = ("get", "post", "put", "patch", "delete", "head", "options")
_MAY_BE_USED = ("", "variable", "var", "constant", "const", "field", "attribute", "property", "member")  # fmt: skip


def described_lines(described: Description, within: str, code: Code) -> tuple[Lines, ...]:
    """The ranges of lines (0-based, end exclusive) that ``described`` means, in order; only those inside of the
    definition, entry or call ``within``, if that is not empty.

    Empty if the ranges are not as many as the description says (0: any number but none), overlap, or the text has no or
    several ``within``, or of "the lines with x" another line has the word, too. The first way of looking that finds a range
    decides. Lines by number are those of the whole
    text, and have to have the words that are said to stand there.
    """
    scope = _scope_of(within, code) if within else (0, len(code.lines))
    if scope is None:
        return ()
    if described.first:
        return _numbered(described, code)
    for find in _finders(described, code, has_place=bool(within)):
        found = sorted(
            {
                lines
                for lines in find(described, code)
                if _is_in(lines, scope) and _has_text(lines, described.text, code)
            }
        )
        if found:
            is_right = len(found) == described.count or (not described.count and len(found) > 0)
            are_apart = all(first[1] <= second[0] for first, second in pairwise(found))
            is_right = is_right and not _leaves_lines(described, found, code)
            return tuple(found) if is_right and are_apart else ()
    return ()


def _leaves_lines(described: Description, found: Sequence[Lines], code: Code) -> bool:
    """Whether any number of lines is described by a word, and another line has that, too."""
    word = as_word(described.code)
    return (
        (described.kind, described.count) == ("line", 0)
        and not described.text
        and any(
            word.search(line) and not any(start <= number < end for start, end in found)
            for number, line in enumerate(code.lines)
        )
    )


def _scope_of(within: str, code: Code) -> Lines | None:
    """The lines (0-based, end exclusive) of the definition or entry ``within``, or else of the only statement of
    several lines that calls it ("app.listen"); ``None`` if there is none, or several are.
    """
    if found := lines_called(within, code):
        return found
    name = within.removesuffix("()")
    calls = [
        (unit.start, unit.end)
        for unit in units_of(code)
        if unit.called == name and unit.end - unit.start > 1
    ]
    return calls[0] if len(calls) == 1 else None


def _has_text(lines: Lines, text: str, code: Code) -> bool:
    """Whether the further text of a description, which may be empty, stands on these lines, in any case of letters."""
    return text.lower() in "".join(code.lines[lines[0] : lines[1]]).lower()


def _is_in(lines: Lines, scope: Lines) -> bool:
    """Whether a range of lines lies in another."""
    return scope[0] <= lines[0] and lines[1] <= scope[1]


def _numbered(described: Description, code: Code) -> tuple[Lines, ...]:
    """The one range of lines (0-based, end exclusive) with the numbers that are said; empty if the text has fewer
    lines, or they lack one of the words that are said to stand there, in any case of letters.
    """
    lines = (described.first - 1, described.last)
    written = "".join(code.lines[slice(*lines)]).lower()
    words = {word for word in re.findall(r"\w+", described.text.lower()) if word not in _NO_CODE}
    has_all = all(re.search(rf"(?<![a-z]){word}", written) for word in words)
    return (lines,) if lines[1] <= len(code.lines) and has_all else ()


_Finder = Callable[[Description, Code], Iterator[Lines]]


def _finders(described: Description, code: Code, *, has_place: bool) -> Sequence[_Finder]:
    """The ways to look for a description, by its kind, in the order in which they are tried; bare
    words in a program must be a whole statement. has_place: a place is named.
    """
    of_kind: dict[str, Sequence[_Finder]] = {
        "line": (_imports, _whole, _entries, _calls, _with_text)
        if not described.text
        else (_with_text,),
        "import": (_imports,),
        "call": (_whole, _calls),
        "entry": (_entries, _elements),
        "route": (_routes,),
    }
    if described.is_bare and is_program(code):
        return (_whole, _elements) if has_place else (_whole,)
    finders = of_kind.get(described.kind, (_whole, _assigned, _calls, _entries, _elements))
    is_flag = described.code.startswith("-") and described.kind != "line"
    return (*finders, _with_flag) if is_flag else finders


def _whole(described: Description, code: Code) -> Iterator[Lines]:
    """Yield the statements and elements that are the code of the description and nothing else, white space and a last
    comma or semicolon aside.
    """
    statement = re.sub(r"\s+", " ", described.code).rstrip(";, ")
    for unit in units_of(code):
        if unit.bare == statement:
            yield unit.start, unit.end


def _with_text(described: Description, code: Code) -> Iterator[Lines]:
    """Yield the lines that have the code as a word, without regard to case if none has it as it is written; in a
    program the whole statement of such a line, unless that has a block. Lines inside of strings do not count.

    Nothing if the description leaves the number of lines open. In prose a line that is part of a longer paragraph is
    yielded as two, so that no single one fits.
    """
    if not described.count:
        return
    word = as_word(described.code)
    numbers = [n for n, line in enumerate(code.lines) if word.search(line)]
    if not numbers:
        word = re.compile(word.pattern, re.IGNORECASE)
        numbers = [n for n, line in enumerate(code.lines) if word.search(line)]
    units = units_of(code) if code.parses else []
    for number in numbers:
        if number in code.quoted_lines:
            continue
        if code.language in ("", *PROSE):
            if _is_a_paragraph(number, code.lines):
                yield number, number + 1
            else:
                yield number, number + 2  # two, so that no single line fits
            continue
        around = [unit for unit in units if unit.start <= number < unit.end]
        if around:
            unit = min(around, key=lambda unit: unit.end - unit.start)
            yield (unit.start, unit.end) if not unit.has_block else (number, number + 1)
        else:
            yield number, number + 1


def _with_flag(described: Description, code: Code) -> Iterator[Lines]:
    """Yield the lines of ``_with_text`` for an option (``--debug``) that stands alone in quotes, or at the beginning of
    its line. Nothing where it is one of several in a text.
    """
    flag = re.escape(described.code)
    alone = re.compile(rf"([\"'`]){flag}\1|^\s*(?:- )?[\"']?{flag}(?![\w-])(?! -)", re.MULTILINE)
    for start, end in _with_text(described, code):
        if alone.search("\n".join(code.lines[start:end])):
            yield start, end


def _is_a_paragraph(number: int, lines: Sequence[str]) -> bool:
    """Whether a line of prose is no part of a longer paragraph: it is an item, a heading or a row of a table, or comes
    after such a line or a blank one; and such a line, a blank one or the end follows.
    """
    marked = re.compile(r"\s*(?:[-*+] |\d+[.)] |#|\||```|~~~|$)")
    own = marked.match(lines[number]) and lines[number].strip()
    before = lines[number - 1] if number else ""
    after = lines[number + 1] if number + 1 < len(lines) else ""
    return bool((own or marked.match(before)) and marked.match(after))


def _assigned(described: Description, code: Code) -> Iterator[Lines]:
    """Yield the statements that assign a function to the dotted name in the code ("Slider.prototype.stop"); nothing if
    the code is no such name.
    """
    name = described.code.removesuffix("()")
    if not re.fullmatch(r"[\w$]+(?:\.[\w$]+)+", name):
        return
    assigned = re.compile(rf"{re.escape(name)}\s*=\s*(?:async\b|function\b|\(|\w+\s*=>)")
    for unit in units_of(code):
        if assigned.match(unit.text.lstrip()):
            yield unit.start, unit.end


def _imports(described: Description, code: Code) -> Iterator[Lines]:
    """Yield the lines of the imports that mention the name in the code. With a parser: those that stand alone on their
    lines and have no comma; if it finds no import at all, each line that begins like an import. Nothing for a plain
    "line" without a name.
    """
    name = re.sub(r"^(?:import|from|use|require|#include) ", "", described.code).strip("'\"<>;")
    if described.kind == "line" and described.noun == "line" and not name:
        return
    word = as_word(name)
    imports = code.imports
    if imports:
        for found in imports:
            if found.is_alone and word.search(found.text) and "," not in found.text:
                yield found.line, found.end_line
        return
    for number, line in enumerate(code.lines):
        if IMPORT_LINE.match(line) and word.search(line):
            yield number, number + 1


def _calls(described: Description, code: Code) -> Iterator[Lines]:
    """Yield the statements without a block that are a call of the function that the code names (by its full or last
    name), and hold the description's further text. Nothing if the request has no noun and the text defines that name,
    or the code is no name.
    """
    name = described.code.removesuffix("()").removesuffix("!")
    is_call = re.fullmatch(r"[\w$.:]+", name) is not None
    if not described.noun and any(found.name == name for found in code.definitions):
        return  # the definition is meant
    for unit in units_of(code):
        called = unit.called.removesuffix("!")
        fits = is_call and (called == name or re.search(rf"(?:^|[.:]){re.escape(name)}$", called))
        if fits and not unit.has_block and described.text in unit.text:
            yield unit.start, unit.end


def _entries(described: Description, code: Code) -> Iterator[Lines]:
    """Yield the lines of the settings, fields, keys and rules that have the code as their name, or begin with it if it
    ends in ``_`` or ``*``. If the noun is of a thing in a container ("dependency", "volume"), only those inside a
    container called so; of several, those in one called like the noun, if any are.

    In a program: none that other code uses, if the noun is none or a word for variables, constants and fields; no
    variable for a "key"; nothing for a "parameter" or "argument", unless the code is an option (``--debug``). A noun
    may be the name itself, or that of the container: "the db volumes" are the ``volumes`` of ``db``; "the lint script"
    is the ``lint`` of ``scripts``.
    """
    noun = described.noun
    is_option = described.code.startswith("-")
    if noun in ("parameter", "argument", "arg") and is_program(code) and not is_option:
        return
    entries = entries_of(code)
    own = [x for x in entries if _stem(x.name) == noun and described.code in x.path[:-1]]
    found = own or [entry for entry in entries if _is_called(entry, described.code)]
    if noun in _IN_CONTAINERS and not own:
        found = [x for x in found if any(_holds(noun, name) for name in x.path[:-1])]
    elif len(found) > 1 and described.count and noun:
        owned = [x for x in found if any(_stem(name) == noun for name in x.path[:-1])]
        found = owned or found
    if is_program(code) and noun in _MAY_BE_USED:
        found = [entry for entry in found if not _is_used(entry, code)]
    for entry in found:
        is_variable = re.match(rf"\s*{re.escape(entry.name)}\s*=", code.lines[entry.start])
        if not (noun == "key" and is_program(code) and is_variable):
            yield entry.start, entry.end


def _holds(noun: str, name: str) -> bool:
    """Whether a container called ``name`` is for things that are called ``noun`` (singular): ``devDependencies`` for a
    "dependency", ``services`` for a "service".
    """
    stem = _stem(name)
    if noun in ("dependency", "dep", "package", "library", "plugin"):
        return re.search(r"depend|require|package|plugin|librar", name, re.IGNORECASE) is not None
    return stem.endswith(noun)


def _stem(name: str) -> str:
    """A name in lower case and the singular."""
    name = name.lower()
    return f"{name[:-3]}y" if name.endswith("ies") else name.removesuffix("s")


def _is_used(entry: Entry, code: Code) -> bool:
    """Whether code outside of an entry's lines has its name."""
    starts = code.line_starts
    names = (
        token
        for token in code.tokens or ()
        if token.kind in ("name", "member") and token.text == entry.name
    )
    return any(not starts[entry.start] <= token.start < starts[entry.end] for token in names)


def _is_called(entry: Entry, name: str) -> bool:
    """Whether an entry has this name, or this path with dots; of a name that ends in ``_`` or ``*``: whether the
    entry's name begins with it.
    """
    if name.endswith(("_", "*")):
        return entry.name.startswith(name.rstrip("*"))
    return name in (entry.name, ".".join(entry.path))


def _elements(described: Description, code: Code) -> Iterator[Lines]:
    """Yield the lines of list elements, in quotes or after ``-``, that are the code, or begin with it and a version or
    option; if the noun is of a thing that stands in a container ("dependency", "volume"), and the text has any entries,
    only those inside a container that is called so.
    """
    name = re.sub(r"^- ", "", described.code).strip("'\"")
    element = re.compile(
        rf"\s*(?:- )?(?P<mark>[\"'`]?){re.escape(name)}(?:[\[=<>~!@^ ;:][^\"'`]*)?(?P=mark),?\s*(?:(?:#|//).*)?"
    )
    entries = entries_of(code) if described.noun in _IN_CONTAINERS else []
    for number, line in enumerate(code.lines):
        around = [entry for entry in entries if entry.start <= number < entry.end]
        if entries and not any(_holds(described.noun, entry.name) for entry in around):
            continue
        is_item = line.lstrip().startswith(("-", '"', "'", "`")) or code.language == "text"
        if is_item and element.fullmatch(line) and not re.match(r"\s*[\"'][^\"']*[\"']\s*:", line):
            yield number, number + 1


def _routes(described: Description, code: Code) -> Iterator[Lines]:
    """Yield the statements whose first line has the path of the code as a string, and the functions with a decorator
    that has; with a call of the HTTP method before it, if the code names one. Nothing if the code is no path.
    """
    method, _, path = described.code.strip("'\"`").rpartition(" ")
    if not path.startswith("/") or method.lower() not in ("", *_METHODS):
        return
    verb = rf"(?i:\.{method}\().*" if method else ""
    string = re.compile(rf"{verb}([\"'`]){re.escape(path)}\1")
    for unit in units_of(code):
        if string.search(unit.text.split("\n", 1)[0]):
            yield unit.start, unit.end
    python = code.python
    for function in python.definitions() if python else ():
        if has_decorator_with(string, function):
            assert python is not None  # noqa: S101
            yield python.first(function), python.last(function) + 1
