"""Containers in indentation: mappings of YAML, and classes of Python with what brackets hold there.

A list of YAML is a value as it stands, and so is what ``{ … }`` holds there.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from editd.syntax.brackets import Reader
from editd.syntax.containers import Container, Member
from editd.syntax.dialects import dialect_of

_KEY = re.compile(
    r"(?P<indent> *)(?P<key>\"(?:[^\"\\]|\\.)*\"|'[^']*'|[^\s#\-\[\]{}&*!|>'\"%@`,?:][^#\n]*?|-[^\s#][^#\n]*?|<<)\s*:(?=\s|$)"
)
_SCALAR = re.compile(r":\s+(?:[&!]\S+\s+)*[|>][+-]?\d*[+-]?\s*(?:#.*)?$")
_DEEPEST = 60


@dataclass(frozen=True, slots=True)
class _Line:
    """start, end: its offsets, without the newline. depth: its blanks. text: without them."""

    start: int
    end: int
    depth: int
    text: str


def _lines_of(text: str) -> list[_Line]:
    found = []
    start = 0
    for line in text.split("\n"):
        bare = line.lstrip(" ")
        found.append(_Line(start, start + len(line.rstrip()), len(line) - len(bare), bare.rstrip()))
        start += len(line) + 1
    return found


# --- YAML ---


def read_yaml(text: str) -> Container | None:
    """A mapping, or the mappings of several documents; ``None`` for other texts."""
    lines = _lines_of(text)
    if any("\t" in text[x.start : x.start + x.depth + 1] for x in lines):
        return None
    parted = [n for n, x in enumerate(lines) if x.text == "---" or x.text.startswith("--- ")]
    told = [n for n in parted if any(y.text and y.text[0] != "#" for y in lines[:n])]
    if not told:
        return _mapping(text, lines, parted[-1] + 1 if parted else 0, len(lines), 0)
    members = []
    for low, high in zip([0, *(n + 1 for n in told)], [*told, len(lines)], strict=True):
        found = _mapping(text, lines, low, high, 0)
        if found is None or not found.members:
            return None
        end = found.members[-1].end
        members.append(
            Member(_name_of_document(text, found), found.start, found.members[0].start, end, end, found)
        )
    return Container(0, len(text), tuple(members), "", is_scope=True)


def _name_of_document(text: str, found: Container) -> str:
    """``Service/web`` of a resource of Kubernetes."""
    told = {x.key: x for x in found.members}
    kind = told["kind"] if "kind" in told else found.members[0]
    inner = told["metadata"].inner if "metadata" in told else None
    name = next((x for x in (inner.members if inner else ()) if x.key == "name"), None)
    return "/".join(text[x.start : x.end].partition(":")[2].strip() for x in (kind, name) if x)


def _mapping(text: str, lines: Sequence[_Line], low: int, high: int, level: int) -> Container | None:
    """The lines ``low .. high`` as a mapping; ``None`` if the first one has no key."""
    told = [n for n in range(low, high) if lines[n].text and lines[n].text[0] != "#"]
    if not told or level > _DEEPEST:
        return None
    depth = lines[told[0]].depth
    heads: list[int] = []
    beyond = -1  # the depth of a scalar's key, whose lines are no keys
    for n in told:
        line = lines[n]
        if 0 <= beyond < line.depth:
            continue
        beyond = -1
        found = _KEY.match(text, line.start, line.end)
        if line.depth < depth or (line.depth == depth and found is None and line.text[0] not in "-]})"):
            return None
        if line.depth == depth and found is not None and not line.text.startswith("- "):
            heads.append(n)
        if _SCALAR.search(text[line.start : line.end]):
            beyond = line.depth
    if not heads or heads[0] != told[0]:
        return None
    members = []
    for n, below in zip(heads, [*heads[1:], high], strict=True):
        own = [x for x in told if n <= x < below]
        line, last = lines[n], lines[own[-1]]
        found = _KEY.match(text, line.start, line.end)
        key = found["key"].strip("\"'") if found else ""
        value = text[found.end() : line.end].partition(" #")[0].strip() if found else ""
        inner = None
        if not value or re.fullmatch(r"[&!]\S+", value):
            deeper = own[1:2] and lines[own[1]].depth > depth
            inner = _mapping(text, lines, n + 1, below, level + 1) if deeper else None
        end = last.end
        if _SCALAR.search(text[line.start : line.end]):
            inside = (x for x in range(n, below) if lines[x].text and lines[x].depth > depth)
            end = max((lines[x].end for x in inside), default=end)
        elif last is line and " #" in text[line.start : line.end]:
            end = line.start + len(text[line.start : line.end].partition(" #")[0].rstrip())
        top = n
        while top > low and lines[top - 1].text[:1] == "#" and lines[top - 1].depth == depth:
            top -= 1
        members.append(
            Member(key, lines[top].start + lines[top].depth, line.start + depth, end, max(end, last.end), inner)
        )
    start = lines[low].start
    return Container(start, members[-1].after, tuple(members))


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
