"""The values of a text that a sentence can be about, each with the words that speak for it: those of its own name, of what it
stands in, and beside it.

Beyond ``literals`` (settings, arguments, defaults, results): arguments of shell commands, defaults of shell variables, instructions of
a Dockerfile, and the name that a call's result is given to. Which one is meant is for ``set_by_words``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from editd.refactor.entries import is_program
from editd.refactor.literals import literals_of
from editd.refactor.values import SHELLS, values_of
from editd.refactor.word_stems import parts_of_names
from editd.syntax.code import Code

_ASSIGNED = re.compile(
    r"[ \t]*(?:(?:export|default|pub(?:\(\w+\))?|public|private|protected|internal|static|final|readonly|const|let|var|mut|val|override|#define)[ \t]+)*"
    r"(?:[\w.<>\[\],?&*]+[ \t]+)??(?P<name>[A-Za-z_$][\w$.]*)[ \t]*(?::[^=\n]+?)?[ \t]*(?::=|\?=|=(?![=>]))"
)
_DEFINE = re.compile(
    r"[ \t]*#[ \t]*define[ \t]+(?P<name>\w+)[ \t]+(?P<value>-?\d[\w.]*|\"[^\"\n]*\")[ \t]*(?:/[/*].*)?$",
    re.MULTILINE,
)
_SHELL_DEFAULT = re.compile(
    r"(?m)^[ \t]*(?:export |local |readonly )?(?P<name>\w+)=[\"']?\$\{\w+:?-(?P<value>[^}$\n]*)\}"
)
_SHELL_ARGUMENT = re.compile(
    r"(?<![\w$\"'/.{-])(?:-{1,2}[\w-]+[ =])?(?P<value>\d+(?:\.\d+)?[smhd]?)(?![\w./}\"'-])"
)
_INSTRUCTION = re.compile(
    r"(?mi)^[ \t]*(?P<name>WORKDIR|USER|EXPOSE|STOPSIGNAL|FROM|SHELL|VOLUME|MAINTAINER)[ \t]+(?:--\S+[ \t]+)*(?P<value>[^\s#\[]+)"
)
_ENVIRONMENT = re.compile(
    r"(?mi)^[ \t]*(?:ENV|ARG)[ \t]+(?P<name>\w+)(?:=|[ \t]+)[\"']?(?P<value>[^\s\"'#]+)"
)
_DURATION = re.compile(
    r"(?P<name>\w+)[ \t]*(?::|:?=|\()[ \t]*(?P<value>\d+)[ \t]*\*[ \t]*time\.(?P<unit>Millisecond|Second|Minute|Hour)\b"
)
_ITEM = re.compile(r"(?m)^[ \t]*- [\"']?(?P<name>[A-Za-z_]\w*)=(?P<value>[^\s\"'#]+)")
_FLAG = re.compile(r"[\"']--?(?P<flag>[\w-]+)[\"']")
_COMMENT = re.compile(r"[ \t]*(?:#(?!!)|//|--|/\*|\*)[ \t]*(?P<text>[^\n]*)")
_TRAILING = re.compile(r"(?:#|//|/\*)[ \t]*(?P<text>[^\n]*)$")
_ENDS = re.compile(
    r"[ \t]*(?:[,;:)}\]]|#|//|/\*|$|\?|\b(?:if|else|and|or|in)\b|&&|\|\|)", re.MULTILINE
)
"""The text after a literal that is all of an argument, a result or a side of a comparison."""
_KEY_END = re.compile(r"\s*:(?!:)")
"""The text after a string that is a key."""
_SUBSCRIPT = re.compile(r"[\w)\]]\[\s*$"), re.compile(r"\s*\]")
"""The text before and after a string that chooses an element."""
_CONSTANT = re.compile(r"[A-Z][A-Z\d_]*")


@dataclass(frozen=True, slots=True)
class Spot:
    """The value ``start .. end`` (offsets).

    own: words of its own name. outer: of what it stands in. near: of the code and comments in its line, and of the comment above.
    names: all names as they are written. is_setting: it is a setting, a constant of the file, a default, not a value in the middle of
    a computation.
    """

    start: int
    end: int
    own: frozenset[str]
    outer: frozenset[str]
    near: frozenset[str]
    names: frozenset[str]
    is_setting: bool = True


@lru_cache(maxsize=2)
def spots_of(code: Code) -> tuple[Spot, ...]:
    """The values of a text, in order; empty for a program whose strings and comments are not known. The last two are cached."""
    found: dict[int, Spot] = {}
    for spot in (
        *_of_shells(code),
        *_of_instructions(code),
        *_of_defines(code),
        *_of_durations(code),
        *_of_items(code),
        *_of_literals(code),
        *_of_strings(code),
    ):
        found.setdefault(spot.start, spot)
    return tuple(_with_lines(found[start], code) for start in sorted(found))


def _of_literals(code: Code) -> Iterator[Spot]:
    """Yield the values that ``literals`` finds, by the names that they are given."""
    blocks = [x for x in code.definitions if x.is_block]
    named = {x.start: x for x in values_of(code)}
    imports = {n for x in code.imports for n in range(x.line, x.end_line)}
    modules = {word for x in code.imports for word in re.findall(r"\w+", x.text)}
    for literal in literals_of(code):
        if code.text.count("\n", 0, literal.start) in imports:
            continue
        value = named.get(literal.start)
        is_key = code.text[literal.start] in "\"'" and _is_key(literal.start, literal.end, code)
        is_whole = _ENDS.match(code.text, literal.end) is not None and not is_key
        if value is None and is_program(code) and not is_whole:
            continue  # a part of a computation, or a key
        names = set(literal.names)
        own = set(parts_of_names(value.name)) if value else set()
        line = code.text.count("\n", 0, literal.start)
        head = code.text[code.line_starts[line] : literal.start]
        assigned = _ASSIGNED.match(head) if is_program(code) else None
        if assigned and not (value and value.name != assigned["name"]):
            own.update(parts_of_names(assigned["name"]))
            names.add(assigned["name"])
        if flag := _FLAG.search(head):
            own.update(parts_of_names(flag["flag"]))
            names.add(f"--{flag['flag']}")
        is_inside = any(x.start <= line < x.end and not _is_type(x.name) for x in blocks)
        is_setting = (
            not is_program(code)
            or literal.is_parameter
            or bool(flag)
            or bool(value and not is_inside)
        )
        is_setting |= bool(assigned and not is_inside) or bool(
            value and _CONSTANT.fullmatch(value.name)
        )
        outer = {
            word
            for name in literal.names
            if not (value and name == value.name)
            for word in parts_of_names(name)
        }
        own = own or set(literal.own) - modules or set(literal.own)
        if is_inside and re.fullmatch(r"-?0+(?:\.0*)?", code.text[literal.start : literal.end]):
            is_setting = literal.is_parameter  # where something begins to be counted
        yield Spot(
            literal.start,
            literal.end,
            frozenset(own),
            frozenset(outer | literal.outer),
            frozenset(),
            frozenset(names),
            is_setting,
        )


def _is_key(start: int, end: int, code: Code) -> bool:
    """Whether the string ``start .. end`` is a key: before a colon, or alone in the brackets behind a name."""
    before, after = _SUBSCRIPT
    line = code.text[code.text.rfind("\n", 0, start) + 1 : start]
    is_subscript = after.match(code.text, end) is not None and before.search(line) is not None
    return is_subscript or _KEY_END.match(code.text, end) is not None


def _is_type(name: str) -> bool:
    """Whether a definition's name is that of a class or type by its first letter."""
    return name[:1].isupper()


def _of_shells(code: Code) -> Iterator[Spot]:
    """Yield the values of a shell script that ``literals`` leaves out: bare words that variables get, their defaults
    (``${1:-latest}``), and the numbers that commands get.
    """
    if code.language not in ("bash", "zsh", "makefile", "dockerfile"):
        return
    texts = [(x.start, x.end) for x in code.tokens_of("comment", "string")]
    for value in values_of(code):
        names = frozenset(value.path)
        yield Spot(
            value.start,
            value.end,
            frozenset(parts_of_names(value.name)),
            frozenset(),
            frozenset(),
            names,
        )
    for at in _SHELL_DEFAULT.finditer(code.text):
        own = {*parts_of_names(at["name"]), "default"}
        yield Spot(
            *at.span("value"), frozenset(own), frozenset(), frozenset(), frozenset([at["name"]])
        )
    if code.language == "dockerfile":
        return
    for line, start in zip(code.lines, code.line_starts, strict=False):
        command = re.match(r"\s*(?P<name>[a-z][\w-]*)(?=\s)", line)
        if command is None or re.match(r"\s*(?:if|for|while|case|echo|printf|function)\b", line):
            continue
        for at in _SHELL_ARGUMENT.finditer(line, command.end()):
            if not any(a <= start + at.start() < b for a, b in texts):
                own = {
                    *parts_of_names(command["name"]),
                    *parts_of_names(at[0].split(at["value"])[0]),
                }
                yield Spot(
                    start + at.start("value"),
                    start + at.end("value"),
                    frozenset(own),
                    frozenset(),
                    frozenset(),
                    frozenset([command["name"]]),
                    is_setting=False,
                )


def _of_instructions(code: Code) -> Iterator[Spot]:
    """Yield the values of a Dockerfile's instructions, and of the variables that it sets."""
    if code.language != "dockerfile":
        return
    for at in _ENVIRONMENT.finditer(code.text):
        parts = frozenset(parts_of_names(at["name"]))
        yield Spot(*at.span("value"), parts, frozenset(), frozenset(), frozenset([at["name"]]))
    for at in _INSTRUCTION.finditer(code.text):
        own = {"from": {"image", "base", "from"}, "expose": {"expose", "port"}}.get(
            at["name"].lower(), {at["name"].lower()}
        )
        yield Spot(
            *at.span("value"), frozenset(own), frozenset(), frozenset(), frozenset([at["name"]])
        )


def _of_defines(code: Code) -> Iterator[Spot]:
    """Yield the values of C's macros."""
    if code.language not in ("c", "cpp"):
        return
    for at in _DEFINE.finditer(code.text):
        yield Spot(
            *at.span("value"),
            frozenset(parts_of_names(at["name"])),
            frozenset(),
            frozenset(),
            frozenset([at["name"]]),
        )


def _of_durations(code: Code) -> Iterator[Spot]:
    """Yield the numbers of Go's durations (``10 * time.Second``), named by their unit and what gets them."""
    for at in _DURATION.finditer(code.text) if code.language == "go" else ():
        own = {*parts_of_names(at["name"]), at["unit"].lower()}
        yield Spot(
            *at.span("value"), frozenset(own), frozenset(), frozenset(), frozenset([at["name"]])
        )


def _of_items(code: Code) -> Iterator[Spot]:
    """Yield the values of variables that a list of YAML gives (``- DEBUG=1``)."""
    for at in _ITEM.finditer(code.text) if code.language == "yaml" else ():
        names = frozenset([at["name"]])
        yield Spot(
            *at.span("value"),
            frozenset(parts_of_names(at["name"])),
            frozenset(),
            frozenset(),
            names,
        )


def _of_strings(code: Code) -> Iterator[Spot]:
    """Yield the strings in one pair of quotes, without names, for requests that have their text."""
    imports = {n for x in code.imports for n in range(x.line, x.end_line)}
    for token in code.tokens_of("string") if is_program(code) else ():
        if (
            code.text.count("\n", 0, token.start) not in imports
            and not _is_key(token.start, token.end, code)
            and token.text[:1] in "\"'`"
            and token.text[:3] not in ('"""', "'''")
        ):
            yield Spot(
                token.start,
                token.end,
                frozenset(),
                frozenset(),
                frozenset(),
                frozenset(),
                is_setting=False,
            )


def _with_lines(spot: Spot, code: Code) -> Spot:
    """The value with the words of its line, of the comment directly above."""
    number = code.text.count("\n", 0, spot.start)
    near = set(parts_of_names(code.lines[number]))
    above = number - 1
    while above >= 0 and (comment := _COMMENT.match(code.lines[above])):
        near.update(parts_of_names(comment["text"]))
        above -= 1
    return replace(spot, near=frozenset(near))


def words_around(spot: Spot, code: Code) -> set[str]:
    """The words of the heads of the loops and blocks around a value of a program, of the lines where a setting is used and the comments above them, and of the
    names of the functions around them.
    """
    if not is_program(code) and code.language not in SHELLS:
        return set()
    number = code.text.count("\n", 0, spot.start)
    found = _words_of_heads(number, code.lines)
    names = [x for x in spot.names if re.search(r"[_A-Z]|\w{4}", x)]
    if not (names and spot.is_setting):
        return found
    word = re.compile(rf"(?<![\w.])(?:{'|'.join(map(re.escape, names))})(?!\w)")
    for number, line in enumerate(code.lines):
        if word.search(line):
            found.update(parts_of_names(line))
            if number and (comment := _COMMENT.match(code.lines[number - 1])):
                found.update(parts_of_names(comment["text"]))
            for block in code.definitions:
                if block.is_block and block.start <= number < block.end:
                    found.update(parts_of_names(block.name))
    return found


def _words_of_heads(number: int, lines: Sequence[str]) -> set[str]:
    """The words of the lines above with less indentation, each time less than the one before."""
    found: set[str] = set()
    depth = _indentation(lines[number])
    while number > 0 and depth > 0:
        number -= 1
        if lines[number].strip() and _indentation(lines[number]) < depth:
            depth = _indentation(lines[number])
            found.update(parts_of_names(lines[number]))
    return found


def _indentation(line: str) -> int:
    """The number of blanks and tabs before a line's text."""
    return len(line) - len(line.lstrip())


def comment_beside(start: int, code: Code) -> str:
    """The comment behind the value at an offset, and those directly above its line, in lower case."""
    number = code.text.count("\n", 0, start)
    texts = []
    if trailing := _TRAILING.search(code.lines[number].rstrip("\n")):
        texts.append(trailing["text"])
    above = number - 1
    while above >= 0 and (comment := _COMMENT.match(code.lines[above])):
        texts.append(comment["text"])
        above -= 1
    return " ".join(texts).lower()
