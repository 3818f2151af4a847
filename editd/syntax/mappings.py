"""Containers in YAML, with their members: mappings, lists that hold mappings, and several documents in one text.

What YAML has in brackets is a value as it stands.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass

from editd.syntax.containers import Container, Member
from editd.turns import yield_point

_KEY = re.compile(
    r"(?P<key>\"(?:[^\"\\]|\\.)*\"|'[^']*'|[^\s#\-\[\]{}&*!|>'\"%@`,?:][^#\n]*?|-[^\s#][^#\n]*?|<<)\s*:(?=\s|$)"
)
_SCALAR = re.compile(r":\s+(?:[&!]\S+\s+)*[|>][+-]?\d*[+-]?\s*(?:#.*)?$")  # lines of text below
_TAG = re.compile(r"[&!]\S+")
_DEEPEST = 60


@dataclass(frozen=True, slots=True)
class _Line:
    """start: its offset. at, end: those of ``text``, its text without the blanks around it. depth: their number."""

    start: int
    at: int
    end: int
    depth: int
    text: str


def read_yaml(text: str) -> Container | None:
    """A mapping, a list that holds mappings, or a container of documents with a member for each;
    ``None`` for other texts, also if one document is neither or a line is indented with a tab.
    """
    lines = _lines_of(text)
    if any(line.text.startswith("\t") for line in lines):
        return None
    starts = [n for n, line in enumerate(lines) if re.match(r"---(?: |$)", line.text)]
    first = next((n for n, line in enumerate(lines) if line.text[:1] not in ("", "#", "%")), -1)
    parted = [n for n in starts if n > first]
    if not parted:
        return _value(text, lines, starts[-1] + 1 if starts else 0, len(lines))
    members = []
    for low, high in zip([0, *parted], [*parted, len(lines)], strict=True):
        found = _value(text, lines, low + lines[low].text.startswith("---"), high)
        if found is None:
            return None
        top, last = found.members[0], found.members[-1]
        name = _name_of_document(text, found)
        members.append(Member(name, top.top, top.start, last.end, last.after, found))
    return Container(0, len(text), tuple(members), is_scope=True)


def _lines_of(text: str) -> list[_Line]:
    """The lines of a text, blank ones too, with their offsets, without the blanks around them; only spaces count as
    depth.
    """
    found = []
    start = 0
    for line in text.split("\n"):
        bare = line.lstrip(" ")
        depth = len(line) - len(bare)
        found.append(_Line(start, start + depth, start + len(line.rstrip()), depth, bare.rstrip()))
        start += len(line) + 1
    return found


def _value(text: str, lines: Sequence[_Line], low: int, high: int) -> Container | None:
    """The lines from ``low`` to ``high`` (exclusive) as a list or a mapping, by the first line that
    is no comment and no directive; ``None`` if they are neither.
    """
    first = next((n for n in range(low, high) if lines[n].text[:1] not in ("", "#", "%")), high)
    if first < high and lines[first].text.startswith("- "):
        return _list(text, lines, first, high, 0)
    return _mapping(text, lines, low, high, 0)


def _name_of_document(text: str, found: Container) -> str:
    """``kind/name`` for a resource of Kubernetes: ``Service/web``; without ``kind`` the first
    entry's value in its place, without a name in ``metadata`` the first part alone.
    """
    by_key = {member.key: member for member in found.members}
    inner = by_key["metadata"].inner if "metadata" in by_key else None
    named = {member.key: member for member in (inner.members if inner else ())}.get("name")
    parts = (by_key.get("kind", found.members[0]), named)
    return "/".join(text[x.start : x.end].partition(":")[2].strip() for x in parts if x)


def _mapping(
    text: str, lines: Sequence[_Line], low: int, high: int, level: int, first: _Line | None = None
) -> Container | None:
    """The lines ``low .. high`` (exclusive) as a mapping. Lets other work run meanwhile.

    ``None`` if there is none but comments and blank lines, the first one has no key, a later one is less deep or as
    deep without a key, or ``level``, the mappings and lists around it, exceeds ``_DEEPEST``. first: replaces the
    line ``low``, as behind the dash of a list.
    """

    def line_of(number: int) -> _Line:
        return first if first is not None and number == low else lines[number]

    # 1) which lines begin a member
    filled = [n for n in range(low, high) if line_of(n).text[:1] not in ("", "#")]
    if not filled or level > _DEEPEST:
        return None
    depth = line_of(filled[0]).depth
    heads: list[int] = []
    beyond = -1  # the depth of a key whose text stands in deeper lines
    for number in filled:
        line = line_of(number)
        if 0 <= beyond < line.depth:
            continue
        has_key = _KEY.match(text, line.at, line.end) is not None and line.text[:2] != "- "
        is_other = line.depth == depth and not has_key and line.text[0] not in "-]})"
        if line.depth < depth or is_other:
            return None
        if line.depth == depth and has_key:
            heads.append(number)
        beyond = line.depth if _SCALAR.search(line.text) else -1
    if not heads or heads[0] != filled[0]:
        return None
    # 2) what each of them holds
    members = []
    for number, below in zip(heads, [*heads[1:], high], strict=True):
        yield_point()
        own = filled[bisect_left(filled, number) : bisect_left(filled, below)]
        top = number
        while top > low and lines[top - 1].text[:1] == "#" and lines[top - 1].depth == depth:
            top -= 1
        members.append(_entry(text, lines, line_of(number), own, below, level, line_of(top).at))
    end = members[-1].after
    for line in lines[filled[-1] + 1 : high]:
        if line.text and line.depth < depth:
            break
        end = line.end if line.text else end
    return Container(line_of(low).start, end, tuple(members))


def _entry(
    text: str,
    lines: Sequence[_Line],
    line: _Line,
    own: Sequence[int],
    below: int,
    level: int,
    top: int,
) -> Member:
    """The member for a key and its value; a mapping or a list below the key is read as its
    ``inner``, if it is one.

    own: the numbers of its filled lines. below: the number of the line where the next key begins.
    level: of the mapping. top: the offset of the comments above.
    """
    found = _KEY.match(text, line.at, line.end)
    key = found["key"].strip("\"'") if found else ""
    value = text[found.end() : line.end].partition(" #")[0].strip() if found else ""
    inner = None
    if own[1:] and (not value or _TAG.fullmatch(value)):
        if lines[own[1]].text.startswith("- "):
            inner = _list(text, lines, own[1], below, level + 1)
        elif lines[own[1]].depth > line.depth:
            inner = _mapping(text, lines, own[0] + 1, below, level + 1)
    after = end = lines[own[-1]].end if own[1:] else line.end
    deeper = [x for x in lines[own[0] + 1 : below] if x.text and x.depth > line.depth]
    if _SCALAR.search(line.text) or (
        not own[1:] and not value
    ):  # a comment may stand for the value
        after = end = deeper[-1].end if deeper else end
    elif not own[1:] and " #" in line.text:
        end = line.at + len(line.text.partition(" #")[0].rstrip())
    return Member(key, top, line.at, end, after, inner)


def _list(text: str, lines: Sequence[_Line], low: int, high: int, level: int) -> Container | None:
    """The list whose first dash is in line ``low``, as members without keys; ``None`` if no element
    is a mapping or ``level`` exceeds ``_DEEPEST``.
    """
    depth = lines[low].depth
    heads = [n for n in range(low, high) if lines[n].depth == depth and lines[n].text[:2] == "- "]
    members = []
    for number, below in zip(heads, [*heads[1:], high], strict=True):
        line = lines[number]
        more = len(line.text) - len(line.text[1:].lstrip())
        at = line.at + more
        first = _Line(at, at, line.end, depth + more, line.text[more:])
        inner = _mapping(text, lines, number, below, level, first)
        end = max(x.end for x in lines[number:below] if x.text[:1] not in ("", "#"))
        members.append(Member("", line.at, line.at, end, end, inner))
    if level > _DEEPEST or not any(member.inner for member in members):
        return None
    return Container(lines[low].start, members[-1].after, tuple(members), is_list=True)
