"""Containers in indentation: mappings of YAML, and classes of Python with what brackets hold there.

What YAML has in brackets is a value as it stands.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass

from editd.syntax.brackets import Reader
from editd.syntax.containers import Container, Member
from editd.syntax.dialects import dialect_of

_KEY = re.compile(
    r"(?P<key>\"(?:[^\"\\]|\\.)*\"|'[^']*'|[^\s#\-\[\]{}&*!|>'\"%@`,?:][^#\n]*?|-[^\s#][^#\n]*?|<<)\s*:(?=\s|$)"
)
_SCALAR = re.compile(r":\s+(?:[&!]\S+\s+)*[|>][+-]?\d*[+-]?\s*(?:#.*)?$")
_DEEPEST = 60


@dataclass(frozen=True, slots=True)
class _Line:
    """start: its offset. at, end: those of ``text``, its text without the blanks around it. depth: their number."""

    start: int
    at: int
    end: int
    depth: int
    text: str


def _lines_of(text: str) -> list[_Line]:
    found = []
    start = 0
    for line in text.split("\n"):
        bare = line.lstrip(" ")
        depth = len(line) - len(bare)
        found.append(_Line(start, start + depth, start + len(line.rstrip()), depth, bare.rstrip()))
        start += len(line) + 1
    return found


# --- YAML ---


def read_yaml(text: str) -> Container | None:
    """A mapping, a list of mappings, or the mappings of several documents; ``None`` for other texts."""
    lines = _lines_of(text)
    if any(x.text.startswith("\t") for x in lines):
        return None
    starts = [n for n, x in enumerate(lines) if x.text == "---" or x.text.startswith("--- ")]
    parted = [n for n in starts if any(y.text[:1] not in ("", "#", "%") for y in lines[:n])]
    if not parted:
        return _value(text, lines, starts[-1] + 1 if starts else 0, len(lines))
    members = []
    for low, high in zip([0, *parted], [*parted, len(lines)], strict=True):
        low += lines[low].text.startswith("---")
        found = _value(text, lines, low, high)
        if found is None:
            return None
        first, last = found.members[0], found.members[-1]
        name = _name_of_document(text, found)
        members.append(Member(name, first.top, first.start, last.end, last.after, found))
    return Container(0, len(text), tuple(members), is_scope=True)


def _value(text: str, lines: Sequence[_Line], low: int, high: int) -> Container | None:
    first = next((n for n in range(low, high) if lines[n].text[:1] not in ("", "#", "%")), high)
    if first < high and lines[first].text.startswith("- "):
        return _list(text, lines, first, high, 0)
    return _mapping(text, lines, low, high, 0)


def _name_of_document(text: str, found: Container) -> str:
    """``Service/web`` of a resource of Kubernetes."""
    told = {x.key: x for x in found.members}
    inner = told["metadata"].inner if "metadata" in told else None
    named = {x.key: x for x in (inner.members if inner else ())}.get("name")
    wanted = (told.get("kind", found.members[0]), named)
    return "/".join(text[x.start : x.end].partition(":")[2].strip() for x in wanted if x)


def _mapping(
    text: str, lines: Sequence[_Line], low: int, high: int, level: int, first: _Line | None = None
) -> Container | None:
    """The lines ``low .. high`` as a mapping; ``None`` if the first one has no key. first: that stands for the first."""

    def line_of(number: int) -> _Line:
        return first if first is not None and number == low else lines[number]

    told = [n for n in range(low, high) if line_of(n).text[:1] not in ("", "#")]
    if not told or level > _DEEPEST:
        return None
    depth = line_of(told[0]).depth
    heads: list[int] = []
    beyond = -1  # the depth of a scalar's key, whose lines are no keys
    for n in told:
        line = line_of(n)
        if 0 <= beyond < line.depth:
            continue
        has_key = _KEY.match(text, line.at, line.end) is not None and line.text[:2] != "- "
        if line.depth < depth or (line.depth == depth and not has_key and line.text[0] not in "-]})"):
            return None
        if line.depth == depth and has_key:
            heads.append(n)
        beyond = line.depth if _SCALAR.search(line.text) else -1
    if not heads or heads[0] != told[0]:
        return None
    members = []
    for n, below in zip(heads, [*heads[1:], high], strict=True):
        inside = [x for x in told if n <= x < below]
        top = n
        while top > low and lines[top - 1].text[:1] == "#" and lines[top - 1].depth == depth:
            top -= 1
        members.append(_entry(text, lines, line_of(n), inside, below, level, line_of(top).at))
    end = members[-1].after
    for n in range(told[-1] + 1, high):
        if lines[n].text and lines[n].depth < depth:
            break
        end = max(end, lines[n].end)
    return Container(line_of(low).start, end, tuple(members))


def _entry(
    text: str,
    lines: Sequence[_Line],
    line: _Line,
    inside: Sequence[int],
    below: int,
    level: int,
    top: int,
) -> Member:
    """A key of a mapping and its value. inside: the numbers of its lines that are no comments."""
    found = _KEY.match(text, line.at, line.end)
    key = found["key"].strip("\"'") if found else ""
    value = text[found.end() : line.end].partition(" #")[0].strip() if found else ""
    inner = None
    if (not value or re.fullmatch(r"[&!]\S+", value)) and inside[1:]:
        if lines[inside[1]].text.startswith("- "):
            inner = _list(text, lines, inside[1], below, level + 1)
        elif lines[inside[1]].depth > line.depth:
            inner = _mapping(text, lines, inside[0] + 1, below, level + 1)
    after = end = lines[inside[-1]].end
    if _SCALAR.search(line.text):
        deeper = (x for x in range(inside[0], below) if lines[x].text)
        after = end = max((lines[x].end for x in deeper if lines[x].depth > line.depth), default=end)
    elif not inside[1:] and not value:
        # what only a comment stands for
        for number in range(inside[0] + 1, below):
            if not lines[number].text or lines[number].depth <= line.depth:
                break
            after = end = lines[number].end
    elif not inside[1:] and " #" in line.text:
        end = line.at + len(line.text.partition(" #")[0].rstrip())
    return Member(key, top, line.at, end, after, inner)


def _list(text: str, lines: Sequence[_Line], low: int, high: int, level: int) -> Container | None:
    """A list that holds mappings; ``None`` for other lists."""
    depth = lines[low].depth
    heads = [n for n in range(low, high) if lines[n].depth == depth and lines[n].text[:2] == "- "]
    members = []
    for n, below in zip(heads, [*heads[1:], high], strict=True):
        line = lines[n]
        more = len(line.text) - len(line.text[1:].lstrip())
        first = _Line(line.at + more, line.at + more, line.end, depth + more, line.text[more:])
        inner = _mapping(text, lines, n, below, level, first)
        last = max(lines[x].end for x in range(n, below) if lines[x].text[:1] not in ("", "#"))
        members.append(Member("", line.at, line.at, last, last, inner))
    if level > _DEEPEST or not any(one.inner for one in members):
        return None
    return Container(lines[low].start, members[-1].after, tuple(members), is_list=True)


# --- Python ---


@dataclass(frozen=True, slots=True)
class _Statement:
    """Tokens of one line in which all brackets are closed. depth: its blanks."""

    tokens: list[int]
    depth: int


def read_python(text: str) -> Container | None:
    """A module; ``None`` if its brackets do not match."""
    dialect = dialect_of("python")
    assert dialect is not None  # noqa: S101 - it is in the table
    reader = Reader(text, "python", dialect)
    if not reader.is_whole:
        return None
    statements: list[_Statement] = []
    comments: dict[int, int] = {}  # by the offset of the line's end, where one begins that stands alone
    line: list[int] = []
    for at in (*reader.outer(0, len(reader.tokens)), -1):
        kind, start, _ = reader.tokens[at] if at >= 0 else ("\n", len(text), len(text))
        if kind == "\n" and line and text[start - 1 : start] != "\\":
            begin = reader.tokens[line[0]][1]
            margin = text.rfind("\n", 0, begin) + 1
            statements.append(_Statement(line, begin - margin))
            line = []
        elif kind == "c" and not line:
            comments[start] = start
        elif kind not in ("\n", "c"):
            line.append(at)
    if not statements:
        return None
    members = _suite(reader, statements, sorted(comments), 0)
    return Container(0, len(text), members, "", is_scope=True)


_DEFINED = re.compile(r"(?:async\s+)?(?P<kind>class|def)\s+(?P<name>\w+)")
_COMPOUND = re.compile(r"(?:if|elif|else|for|while|try|except|finally|with|async|match|case)\b")


def _suite(
    reader: Reader, statements: Sequence[_Statement], comments: Sequence[int], level: int
) -> tuple[Member, ...]:
    """Statements of one depth, each with the deeper ones below it."""
    found: list[Member] = []
    text, depth = reader.text, min((x.depth for x in statements), default=0)
    at = 0
    top: int | None = None
    while at < len(statements):
        one, below = statements[at], at + 1
        while below < len(statements) and statements[below].depth > depth:
            below += 1
        start = reader.tokens[one.tokens[0]][1]
        end = reader.end_of(statements[below - 1].tokens[-1])
        if below > at + 1:
            high = len(text)
            if below < len(statements):
                high = reader.tokens[statements[below].tokens[0]][1]
            end = _with_comments(text, end, high, depth, comments)
        first = _above(text, start, comments)
        top = first if top is None else top
        if text[start] == "@":
            at = below
            continue
        defined = _DEFINED.match(text, start)
        if defined is not None:
            inner = None
            if defined["kind"] == "class" and below > at + 1 and level < _DEEPEST:
                inside = statements[at + 1 : below]
                begin = text.find("\n", reader.end_of(one.tokens[-1])) + 1
                inner = Container(begin, end, _suite(reader, inside, comments, level + 1))
            key = defined["name"] + "()" * (defined["kind"] == "def")
            found.append(Member(key, top, start, end, _line_end(text, end), inner))
        elif below > at + 1 or _COMPOUND.match(text, start):
            words = tuple(text[start:end].split())
            found.append(Member(words[0], top, start, end, _line_end(text, end), None, words))
        else:
            found.append(reader.member(one.tokens, top, _line_end(text, end), ""))
        at, top = below, None
    return tuple(found)


def _with_comments(text: str, end: int, high: int, depth: int, comments: Sequence[int]) -> int:
    """Where a statement ends with the comments below it that are deeper."""
    for start in comments[bisect_left(comments, end) : bisect_left(comments, high)]:
        if start - (text.rfind("\n", 0, start) + 1) <= depth:
            break
        below = text.find("\n", start)
        end = below if below >= 0 else len(text)
    return end


def _line_end(text: str, end: int) -> int:
    """After a comment on the same line."""
    below = text.find("\n", end)
    rest = text[end : below if below >= 0 else len(text)]
    return end + len(rest.rstrip()) if rest.lstrip().startswith("#") else end


def _above(text: str, start: int, comments: Sequence[int]) -> int:
    """Where the comments directly above a statement begin, if they are as deep."""
    known = set(comments)
    margin = text.rfind("\n", 0, start) + 1
    depth = start - margin
    while margin > 0:
        above = text.rfind("\n", 0, margin - 1) + 1
        if above + depth not in known or text[above : above + depth].strip():
            break
        start, margin = above + depth, above
    return start
