"""The things of a text that a description may mean: definitions, statements, entries, comments and code in comments.

Each has its lines, its name, its own text, and the texts around it, by which ``edit_target`` chooses. Changes no text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from editd.refactor.comment_marks import bare_comment, comment_blocks, commented_code
from editd.refactor.entries import DATA, entries_of, is_program
from editd.refactor.named_lists import lists_in
from editd.syntax.code import Code
from editd.syntax.imports import IMPORT_LINE
from editd.syntax.places import place_of
from editd.syntax.tokens import Token
from editd.syntax.units import Unit, units_of

_PRINT = re.compile(
    r"(?:print|pprint|println!?|eprintln!|eprint!|print!|dbg!|printf|puts|putchar|echo|console\.(?:log|debug|info|dir|table)|fmt\.Print\w*"
    r"|System\.(?:out|err)\.\w+|Console\.Write\w*|(?:std::)?cout\b|var_dump|print_r|NSLog|Debug\.\w+|p )(?![\w.])"
)
_LOG = re.compile(
    r"(?:(?:self|this)\.)?_?(?:log|logger|logging|slog|tracing|console|LOG|Log|LOGGER|_logger)(?:\.|::|->)\w+!?\s*\("
)
_LEAVES = re.compile(r"(?:return|raise|throw|break|continue|yield|pass|goto)\b")
_TEXT = re.compile(r"([\"'`])(?:(?!\1).)*\1,?|-?\d[\d.]*,?")
_CHECK = re.compile(r"(?:}\s*)?(?:if|elif|else|guard|unless|switch|match)\b")
_LOOP = re.compile(r"(?:for|while|loop|until|foreach|do)\b")
_SHELL_FUNCTION = re.compile(
    r"^[ \t]*(?:function[ \t]+)?(?P<name>[\w-]+)[ \t]*\(\)[ \t]*\{", re.MULTILINE
)
_SHELLS = ("bash", "zsh", "fish", "sh")
_ONE_LINE = {
    "markdown": re.compile(r"\s*(?:[-*+]|\d+[.)]) \S"),
    "text": re.compile(r"(?!#)\S"),
    "sql": re.compile(
        r"\s+(?!(?:PRIMARY|FOREIGN|UNIQUE|CHECK|CONSTRAINT|AND|OR|FROM|WHERE|JOIN|ON|SET)\b)[\"`\[]?\w+[\"`\]]? +(?i:\w*(?:int|text|char|date|time|bool|num|dec|real|float|double|json|blob|uuid|serial|bytea)\w*)\b[^;]*$"
    ),
}
_ASSIGNED = re.compile(
    r"(?:(?:const|let|var|local|export|readonly|static|final|val)\s+)*(?P<name>[^\W\d]\w*)\s*(?::[^=\n]+)?:?=(?!=)"
)


@dataclass(frozen=True, slots=True)
class Thing:
    """Lines ``start .. end`` (0-based, end exclusive) of something.

    kind: ``definition``, ``comment``, ``commented`` (code in a comment), ``import``, ``print``, ``log``, ``statement``,
    ``entry``, ``element`` (of a list, beside others in its line), ``check``, ``loop`` or ``block``. names: by which it may be called, as a function is by the words of its name. text: what is written in it, of a definition, a block or a section the head. around: heads of
    what is around it; within: the names of definitions and entries around it. below, above: the lines beside it. tokens: of a comment. body: of a definition. span, list_name: the offsets of an element, and of what.
    """

    kind: str
    start: int
    end: int
    names: tuple[str, ...] = ()
    text: str = ""
    around: tuple[str, ...] = ()
    within: tuple[str, ...] = ()
    below: str = ""
    above: str = ""
    beside: str = ""
    tokens: tuple[Token, ...] = ()
    body: str = ""
    span: tuple[int, int] = (0, 0)
    list_name: str = ""


def things_of(code: Code) -> list[Thing]:
    """Collect the things of a text, with what is around each, in no order; the same lines may be several things."""
    found = [
        *_definitions(code),
        *_statements(code),
        *_entries(code),
        *_elements(code),
        *_comments(code),
        *_commented(code),
    ]
    holders = [x for x in found if x.kind in ("definition", "check", "loop", "block", "section")]
    holders += [x for x in found if x.kind in ("statement", "entry") and x.end - x.start > 1]
    return [_placed(thing, holders, code) for thing in found]


def _placed(thing: Thing, holders: Sequence[Thing], code: Code) -> Thing:
    """A thing with what is around it: those of ``holders`` that hold it, and the lines beside it."""
    around = [
        x
        for x in holders
        if x.start <= thing.start
        and thing.end <= x.end
        and (x.start, x.end) != (thing.start, thing.end)
    ]
    heads = [x.text.split("\n", 1)[0] for x in around]
    if thing.kind in ("comment", "commented") or (
        code.parses is None and code.language not in DATA
    ):
        above_it = _lines_above(thing.start, code)
        around += [x for x in holders if x.text.split("\n", 1)[0].strip() in above_it]
        heads += above_it
    if code.language == "dockerfile":
        heads += _stage(thing.start, code.lines)
    below, above = thing.end, thing.start - 1
    while above >= 0 and not code.lines[above].strip():
        above -= 1
    return replace(
        thing,
        around=tuple(heads),
        within=(*(name for x in around for name in x.names), *filter(None, [thing.list_name])),
        below="".join(code.lines[below : below + 1])
        if thing.kind == "comment"
        else _next_code(below, code.lines),
        above=code.lines[above] if above >= 0 else "",
    )


def _lines_above(number: int, code: Code) -> list[str]:
    """The lines above a line, each less indented than the one before, and in settings the heading of the section."""
    lines, found = code.lines, []
    depth = len(lines[number]) - len(lines[number].lstrip())
    for line in reversed(lines[:number]):
        own = len(line) - len(line.lstrip())
        if line.strip() and own < depth:
            found.append(line.strip())
            depth = own
        elif code.language in ("toml", "ini") and line.startswith("["):
            return [*found, line.strip()]
    return found


def _next_code(start: int, lines: Sequence[str]) -> str:
    """The first line from ``start`` on that is not blank; empty if there is none."""
    return next((line for line in lines[start:] if line.strip()), "")


def _stage(number: int, lines: Sequence[str]) -> list[str]:
    """The line of a Dockerfile with which the stage of a line begins, and the comment above it."""
    start = next((n for n in range(number, -1, -1) if lines[n].startswith("FROM")), -1)
    return list(lines[max(0, start - 1) : start + 1])


def _definitions(code: Code) -> Iterator[Thing]:
    """Yield the functions, methods and classes, with their decorators and the comment above."""
    for x in code.definitions:
        if x.is_block:
            head = _head_of(x.start, x.end, x.name, code.lines)
            body = "".join(code.lines[x.start : x.end])
            yield Thing("definition", x.start, x.end, (x.name, x.qualified), text=head, body=body)
    if code.language in _SHELLS and not code.definitions:
        for found in _SHELL_FUNCTION.finditer(code.text):
            place = place_of(found["name"], code.text, code.language)
            if place is not None:
                head = _head_of(place.start, place.end, place.name, code.lines)
                body = code.text[place.first : place.last]
                yield Thing("definition", place.start, place.end, (place.name,), head, body=body)


def _head_of(start: int, end: int, name: str, lines: Sequence[str]) -> str:
    """The lines of a definition up to the one with its name."""
    word = re.compile(rf"(?<!\w){re.escape(name)}(?!\w)")
    last = next(
        (
            n
            for n in range(start, end)
            if word.search(lines[n])
            and not lines[n].lstrip().startswith(("#", "//", "*", "/*", "@"))
        ),
        start,
    )
    return lines[last] + "".join(lines[start:last])


def _statements(code: Code) -> Iterator[Thing]:
    """Yield the statements, each as the kind that it is; in languages without a parser lines that are no part of a longer
    statement.
    """
    if code.language in DATA or code.language == "markdown":
        return
    for unit in _joined(code) if code.parses is None else units_of(code):
        text = unit.text.strip()
        if text.startswith(("@", "}", ")", "]")) or (
            IMPORT_LINE.match(text) and code.language not in _SHELLS
        ):
            yield Thing("import", unit.start, unit.end, (), text=text)
            continue
        if _CHECK.match(text) and code.language != "dockerfile":
            yield Thing("check", unit.start, unit.end, (), text=text.split("\n", 1)[0])
            continue
        if _LOOP.match(text) and code.language != "dockerfile":
            yield Thing("loop", unit.start, unit.end, (), text=text.split("\n", 1)[0])
            continue
        if unit.has_block:
            yield Thing("block", unit.start, unit.end, (), text=text.split("\n", 1)[0])
            continue
        kind = "print" if _PRINT.match(text) else "log" if _LOG.match(text) else "statement"
        if _TEXT.fullmatch(text):
            kind = "item"
        if _LEAVES.match(text):
            kind = "leaving"
        head = text if unit.end - unit.start <= 4 else "\n".join(text.split("\n")[:2])
        yield Thing(kind, unit.start, unit.end, tuple(_names_in(unit, code)), head)


def _joined(code: Code) -> Iterator[Unit]:
    """Yield the units of a language without a parser, with the lines that a backslash or an operator at the end joins; those
    with a bracket that they do not close are left out, and in languages with ``;`` those without one.
    """
    lines = code.lines
    shell = code.language in _SHELLS or code.language in ("dockerfile", "makefile")
    units = {unit.start: unit for unit in units_of(code)}
    number = 0
    while number < len(lines):
        start = number
        while shell and re.search(r"(?:\\|\||&&)\s*$", lines[number]) and number + 1 < len(lines):
            number += 1
        number += 1
        unit = units.get(start)
        if (
            number - start > 1
            and lines[start].strip()
            and not lines[start].lstrip().startswith("#")
        ):
            unit = Unit(start, number, "".join(lines[start:number]).strip())
        if unit is None:
            continue
        text = unit.text
        is_even = all(text.count(a) == text.count(b) for a, b in ("()", "[]", "{}"))
        ends = (
            shell
            or re.search(r"[;,}]\s*(?://.*|/\*.*|--.*)?$", text)
            or code.language not in ("csharp", "cpp", "php", "kotlin", "swift", "sql")
        )
        if is_even and ends:
            yield unit


def _names_in(unit: Unit, code: Code) -> Iterator[str]:
    """Yield the names by which a statement may be called: of the function that it calls, in a shell of the command, of the
    variable or item that it sets.
    """
    text = unit.text.strip()
    if called := unit.called:
        name = called.removesuffix("!")
        yield name
        yield re.split(r"\.|::", name)[-1]
    if found := re.match(r"[\w.$]+\[[\"'](?P<item>[^\"']+)[\"']\]\s*=(?!=)", text):
        yield found["item"]
    if found := _ASSIGNED.match(text):
        yield found["name"]
    if code.language in _SHELLS or code.language in ("dockerfile", "makefile"):
        words = text.split()
        start = 1 if code.language == "dockerfile" else 0
        yield from words[:1]
        yield from words[start : start + 1]
        yield " ".join(words[start : start + 2])
        yield " ".join(words[start:])


def _entries(code: Code) -> Iterator[Thing]:
    """Yield the settings, rules and fields; of data also the items of lists and the elements that stand on lines of their own."""
    lines = code.lines
    items = dict(_items(code))
    for entry in entries_of(code):
        start, end = entry.start, entry.end
        if entry.start in items and items[entry.start] != entry.end:
            continue  # the first key of an item with more
        text = "".join(lines[start:end]) if end - start <= 2 else lines[start]
        kind = "entry"
        if (
            code.language not in DATA
            and code.language
            and entry.end - entry.start == 1
            and _PRINT.match(text.strip())
        ):
            kind = "print"
        yield Thing(
            kind,
            start,
            end,
            tuple(dict.fromkeys((entry.name, ".".join(entry.path)))),
            text=text.strip(),
        )
    for start, end in items.items():
        text = "".join(lines[start:end]).strip()
        first = re.sub(r"^- *", "", lines[start].strip())
        value = re.sub(r"^[\w-]+: *", "", first).strip("\"'")
        if code.language in ("text", "sql"):
            value = re.split(r"[\s\[=<>~!;]", first.strip('"`['), maxsplit=1)[0].strip('"`]')
        yield Thing(
            "item",
            start,
            end,
            (first.strip("\"'"), value, *re.findall(r"^\s*(?:- )?name: *[\"']?([^\"'\n]+)", text)),
            text=text,
        )


def _elements(code: Code) -> Iterator[Thing]:
    """Yield the elements of lists with a name that share their line with others, or with the brackets."""
    for named in lists_in(code):
        for start, end in named.elements:
            first, last = (code.text.count("\n", 0, at) for at in (start, end))
            line = code.lines[first]
            text = code.text[start:end]
            rest = re.sub(r"\s+(?:#|//).*$", "", line.strip()).rstrip(",")
            is_alone = rest in (text, f"- {text}") and (is_program(code) or code.language == "yaml")
            if first == last and not is_alone:
                value = re.split(r"[\s\[=<>~!;]", text.strip("\"'`"), maxsplit=1)[0]
                yield Thing(
                    "element",
                    first,
                    first + 1,
                    (value,),
                    text,
                    span=(start, end),
                    list_name=named.name,
                )


def _items(code: Code) -> Iterator[tuple[int, int]]:
    """Yield the first line of each item of a YAML list, with the line after its last one; of prose each item of one line,
    of a plain text each line that is no comment; of SQL each column of a table.
    """
    if code.language in ("markdown", "text", "sql"):
        pattern = _ONE_LINE[code.language]
        for number, line in enumerate(code.lines):
            after = code.lines[number + 1 : number + 2]
            if pattern.match(line) and not (
                code.language == "markdown" and after and re.match(r"\s+\S", after[0])
            ):
                yield number, number + 1
        return
    if code.language != "yaml":
        return
    for number, line in enumerate(code.lines):
        found = re.match(r"(\s*)- +\S", line)
        if found is None or number in code.quoted_lines:
            continue
        depth = len(found[1])
        end = number + 1
        while end < len(code.lines):
            text = code.lines[end]
            if text.strip() and (len(text) - len(text.lstrip()) <= depth):
                break
            end += 1
        while not code.lines[end - 1].strip() or code.lines[end - 1].lstrip().startswith("#"):
            end -= 1
        yield number, end


def _comments(code: Code) -> Iterator[Thing]:
    """Yield the comments: lines that follow each other are one, up to the next mark such as TODO."""
    for block in comment_blocks(code):
        first = code.text.count("\n", 0, block[0].start)
        last = code.text.count("\n", 0, block[-1].end - 1)
        line = code.text.rfind("\n", 0, block[0].start) + 1
        before = code.text[line : block[0].start].strip()
        text = "\n".join(bare_comment(token.text) for token in block)
        mark = re.match(r"(TODO|FIXME|XXX|HACK|NOTE)\b", text.strip())
        if first == 0 and block[0].text.startswith("#!"):
            continue
        yield Thing(
            "comment",
            first,
            last + 1,
            (mark[1],) if mark else (),
            text=text,
            beside=before,
            tokens=tuple(block),
        )


def _commented(code: Code) -> Iterator[Thing]:
    """Yield the code that stands in comments on lines of their own."""
    for start, end, text in commented_code(code):
        head = text.split("\n", 1)[0]
        names = [head.strip().rstrip(";,")]
        if key := re.match(r"\s*(?:- )?[\"']?([\w.$-]+)[\"']?\s*(?::|=|\()", head):
            names += [key[1], re.split(r"\.|::", key[1])[-1]]
        if head.split():
            names.append(head.split()[0])
        yield Thing("commented", start, end, tuple(names), text=text)
