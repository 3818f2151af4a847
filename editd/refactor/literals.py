"""The literals of a text with the words that name them: the name that gets one, and what they stand in.

A literal may be the value of a setting, a parameter's default, an argument, what a function returns or what a name is
compared with. Which one a request means is for ``set_described``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from editd.refactor.entries import is_program
from editd.refactor.values import values_of
from editd.syntax.code import Code
from editd.syntax.definition import Definition

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_TRUTH = re.compile(r"(?<![\w.])(?:True|False|None|true|false|null|nil)\b")
_NAMED = re.compile(r"(?P<name>[\w$.]+)!?\s*$")
_ABOVE = re.compile(r"\s*(?:@|#|//|/\*|\*|\]?\)$)")
_COMPUTED = re.compile(r"[ \t]*(?:\*\*?|/(?!/)|%|\+|-|<<|>>|\^)[ \t]*[\w(]")
"""The text after a number that is but a part of a computation."""
_GETTER = re.compile(r"(?:^|\.)(?:get|getenv|getattr|pop|setdefault|get_or_default)$")
_NO_CALLS = frozenset("if while for return and or not in elif switch match".split())  # noqa: SIM905
_LONGEST_NAME = 200  # characters before a bracket in which its name is looked for
_FARTHEST = 3000  # characters before a literal in which the bracket around it is looked for


@dataclass(frozen=True, slots=True)
class Literal:
    """The literal ``start .. end`` (offsets).

    own: stems of the words that name it: of its key, parameter, function or the name that it is compared with. outer: of
    what it stands in: definitions, calls, containers. names: all of these as they are written. function: the innermost
    definition around it; is_parameter: it is the default of one of its parameters. is_named: a key, parameter or variable
    gets it, and it is no mere argument or result.
    """

    start: int
    end: int
    own: frozenset[str]
    outer: frozenset[str]
    names: frozenset[str]
    function: str = ""
    is_parameter: bool = False
    is_named: bool = True


def stems_of(name: str) -> frozenset[str]:
    """The words of a name in lower case and the singular."""
    return frozenset(re.sub(r"(?<=\w{3})s$", "", word.lower()) for word in _WORD.findall(name))


def literals_of(code: Code) -> list[Literal]:
    """The literals of a text that words can name, in order: in files that are no programs the values of settings, in
    code those that are assigned, passed, compared, returned or listed, except strings in triple quotes and numbers that are parts of computations.
    Empty for code whose strings and comments are not known.
    """
    if not is_program(code):
        return [_of_names(x.start, x.end, x.name, x.path[:-1]) for x in values_of(code)]
    if code.tokens is None:
        return []
    masked = _masked(code)
    assigned = {value.start: value for value in values_of(code)}
    found = []
    for start, end in sorted(_places(code, masked)):
        around = list(_around(start, masked, code))
        name = assigned[start].name if start in assigned else _holder(start, masked, code)
        if name and (start in assigned or not _is_computed(start, end, code)):
            found.append(
                _in_code(start, end, name, around, masked, code, is_named=start in assigned)
            )
    return found


def _is_computed(start: int, end: int, code: Code) -> bool:
    """Whether a number is but a part of a computation."""
    return code.text[start].isdigit() and _COMPUTED.match(code.text, end) is not None


def _of_names(start: int, end: int, name: str, around: tuple[str, ...]) -> Literal:
    """The literal of data that has a name, below the names ``around`` it."""
    outer = frozenset(stem for x in around for stem in stems_of(x))
    return Literal(start, end, stems_of(name), outer, frozenset((name, *around)))


def _in_code(
    start: int, end: int, name: str, around: list[str], masked: str, code: Code, *, is_named: bool
) -> Literal:
    """The literal of code at ``start .. end`` that is called ``name``, with the words of what it stands in: calls and
    containers (``around``), definitions and their decorators. masked: the text with blanks for strings and comments.
    is_named: a key, parameter or variable gets it.
    """
    line = code.text.count("\n", 0, start)
    blocks = [x for x in code.definitions if x.is_block and x.start <= line < x.end]
    blocks.sort(key=lambda x: x.end - x.start)
    decorators = [
        text
        for block in blocks
        for text in code.lines[block.start : line]
        if text.lstrip().startswith("@")
    ]
    outer = [*around, *(block.name for block in blocks), *decorators]
    names = {name, *around, *(block.name for block in blocks), *(x.qualified for x in blocks)}
    return Literal(
        start,
        end,
        stems_of(name),
        frozenset(stem for x in outer for stem in stems_of(x)),
        frozenset(names),
        blocks[0].name if blocks else "",
        bool(blocks) and _head_bracket(blocks[0], code) in _openers(start, masked),
        is_named,
    )


def _head_bracket(definition: Definition, code: Code) -> int:
    """The offset of the first round bracket on or after a definition's first line, decorators and comments aside, which
    opens its parameters; -1 if none follows.
    """
    line = definition.start
    while line + 1 < definition.end and _ABOVE.match(code.lines[line]):
        line += 1
    return code.text.find("(", code.line_starts[line])


def _masked(code: Code) -> str:
    """The text of the same length with blanks for strings and comments, with their quotes and marks; line ends stay."""
    parts, done = [], 0
    for token in code.tokens or ():
        if token.kind in ("string", "comment", "docstring") and token.start >= done:
            parts += [code.text[done : token.start], re.sub(r"[^\n]", " ", token.text)]
            done = token.end
    return "".join((*parts, code.text[done:]))


def _places(code: Code, masked: str) -> Iterator[tuple[int, int]]:
    """Yield start and end of each string in one pair of straight quotes and each number of code, in order; then of each
    truth value.
    """
    for token in code.tokens or ():
        is_string = (
            token.kind == "string"
            and token.text[:1] in "\"'"
            and token.text[:3] not in ('"""', "'''")
        )
        if is_string or token.kind == "number":
            yield token.start, token.end
    for at in _TRUTH.finditer(masked):
        yield at.span()


def _openers(start: int, masked: str) -> Iterator[int]:
    """Yield the offsets of the brackets that are open before ``start``, the innermost first, no farther back than a
    limit of characters. masked: the text with blanks for strings and comments.
    """
    depth = 0
    for at in range(start - 1, max(-1, start - _FARTHEST), -1):
        if masked[at] in ")]}":
            depth += 1
        elif masked[at] in "([{":
            if not depth:
                yield at
            depth = max(0, depth - 1)


def _around(start: int, masked: str, code: Code) -> Iterator[str]:
    """Yield the names of the calls and containers around a literal, the innermost first, each followed by the first
    argument of the call if that is a text and another follows. masked: the text with blanks for strings and comments.
    """
    for at in _openers(start, masked):
        if name := _opened_by(at, masked, code):
            yield name
        if masked[at] == "(" and (
            found := re.match(r"[\"'`]([^\"'`\n]+)[\"'`]\s*,", code.text[at + 1 :])
        ):
            yield found[1]


def _opened_by(at: int, masked: str, code: Code) -> str:
    """The name of the function before the round bracket at ``at``; for another bracket the key or name that the
    container is given to. Empty if none stands there, or it is a keyword. masked: the text with blanks for strings and
    comments.
    """
    first = max(0, at - _LONGEST_NAME)
    before = masked[first:at]
    if masked[at] == "(":
        found = _NAMED.search(before)
        return found["name"] if found and found["name"] not in _NO_CALLS else ""
    if key := re.search(r"[\"']([\w-]+)[\"']\s*:\s*$", code.text[first:at]):
        return key[1]
    assigned = re.search(r"(?P<name>[\w$.]+)\s*(?::[^=\n]*)?(?:=|:)\s*$", before)
    return assigned["name"] if assigned else ""


def _holder(start: int, masked: str, code: Code) -> str:
    """The words for a literal at ``start`` to which no name is given: "return"; the name with which it is compared; or
    the call or container around it, of a call with the texts among the arguments before it, and "default" for a later
    argument of a getter. Empty for another place.
    """
    before = masked[max(0, start - 200) : start].rstrip()
    if re.search(r"\breturn$", before):
        return "return"
    if compared := re.search(r"(?P<name>[\w$.\])]+)\s*(?:[<>]=?|[!=]==?)$", before):
        return re.sub(r"[\])].*$", "", compared["name"])
    if before[-1:] not in ("(", ",", "[", "{"):
        return ""
    at = next(_openers(start, masked), None)
    name = "" if at is None else _opened_by(at, masked, code)
    if name and at is not None and masked[at] == "(":
        texts = re.findall(r"[\"']([\w -]+)[\"']", code.text[at:start])
        default = ["default"] if before.endswith(",") and _GETTER.search(name) else []
        return " ".join((name, *texts, *default))
    return name
