"""Containers in Python: modules, classes, and what brackets hold outside of functions, for text that may be a fragment.

``ast`` would refuse what a paste shows of a file. All that is needed is where logical lines begin and how deep they stand.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, replace

from editd.syntax.brackets import BracketReader
from editd.syntax.containers import Container, Member
from editd.syntax.dialects import Dialect
from editd.turns import yield_point

_DEFINED = re.compile(r"(?:async\s+)?(?P<kind>class|def)\s+(?P<name>\w+)")
_COMPOUND = re.compile(r"(?:if|elif|else|for|while|try|except|finally|with|async|match|case)\b")
_DEEPEST = 60  # classes within classes


@dataclass(frozen=True, slots=True)
class _Statement:
    """Tokens of a logical line. depth: its blanks."""

    tokens: list[int]
    depth: int


def read_suites(text: str, dialect: Dialect) -> Container | None:
    """A Python module or a part of one as a container; ``None`` if its brackets do not match or it
    has no statement.
    """
    reader = BracketReader(text, "python", dialect)
    if not reader.is_whole:
        return None
    statements: list[_Statement] = []
    comments: list[int] = []  # the offsets of those that stand alone
    tokens: list[int] = []
    for at in (*reader.outer(0, len(reader.tokens)), -1):
        kind, start, _ = reader.tokens[at] if at >= 0 else ("\n", len(text), len(text))
        if kind == "\n" and tokens and text[start - 1 : start] != "\\":
            begin = reader.tokens[tokens[0]][1]
            statements.append(_Statement(tokens, begin - _margin(text, begin)))
            tokens = []
        elif kind == "c" and not tokens:
            comments.append(start)
        elif kind not in ("\n", "c"):
            tokens.append(at)
    if not statements:
        return None
    members = _suite(reader, statements, comments, 0)
    return Container(0, len(text), members, is_scope=True)


def _suite(
    reader: BracketReader, statements: Sequence[_Statement], comments: Sequence[int], level: int
) -> tuple[Member, ...]:
    """The members of a module or class: a member for each of the least deep statements, with the deeper ones below
    it. Lets other work run meanwhile.

    A decorator belongs to the statement below it; a class has its own members inside, a function none. Calls and
    compound statements have no key. comments: offsets of those that stand alone. level: classes around these
    statements; at ``_DEEPEST`` a class has no members inside.
    """
    found: list[Member] = []
    text, depth = reader.text, min((x.depth for x in statements), default=0)
    top: int | None = None  # where the comments and decorators above begin
    at = 0
    while at < len(statements):
        yield_point()
        statement, below = statements[at], at + 1
        while below < len(statements) and statements[below].depth > depth:
            below += 1
        start = reader.tokens[statement.tokens[0]][1]
        end = reader.end_of(statements[below - 1].tokens[-1])
        top = _above(text, start, comments) if top is None else top
        if text[start] == "@":
            at = below
            continue
        if below > at + 1:
            following = statements[below : below + 1]
            high = reader.tokens[following[0].tokens[0]][1] if following else len(text)
            end = _with_comments(text, end, high, depth, comments)
        after = _with_remark(text, end)
        if defined := _DEFINED.match(text, start):
            inner = None
            if defined["kind"] == "class" and below > at + 1 and level < _DEEPEST:
                begin = text.find("\n", reader.end_of(statement.tokens[-1])) + 1
                inside = _suite(reader, statements[at + 1 : below], comments, level + 1)
                inner = Container(begin, end, inside)
            key = defined["name"] + "()" * (defined["kind"] == "def")
            found.append(Member(key, top, start, end, after, inner))
        elif below > at + 1 or _COMPOUND.match(text, start):
            found.append(Member("", top, start, end, after))
        else:
            member = reader.member(statement.tokens, top, after, "")
            is_call = member.key.endswith("()") and member.inner is None
            found.append(replace(member, key="") if is_call else member)
        at, top = below, None
    return tuple(found)


def _margin(text: str, at: int) -> int:
    """The offset at which the line of an offset begins."""
    return text.rfind("\n", 0, at) + 1


def _with_comments(text: str, end: int, high: int, depth: int, comments: Sequence[int]) -> int:
    """The end of a statement that ends at ``end``, moved behind the comments below it, up to the first that is not
    deeper than the statement. depth: the statement's. high: where the next statement begins.
    """
    for start in comments[bisect_left(comments, end) : bisect_left(comments, high)]:
        if start - _margin(text, start) <= depth:
            break
        below = text.find("\n", start)
        end = below if below >= 0 else len(text)
    return end


def _with_remark(text: str, end: int) -> int:
    """The end of a ``#`` comment that follows offset ``end`` on the same line; ``end`` if none
    does.
    """
    below = text.find("\n", end)
    rest = text[end : below if below >= 0 else len(text)]
    return end + len(rest.rstrip()) if rest.lstrip().startswith("#") else end


def _above(text: str, start: int, comments: Sequence[int]) -> int:
    """The offset of the first of the comments on the lines directly above a statement and as deep;
    ``start``, the statement's own, if it has none. comments: offsets of those that stand alone.
    """
    depth = start - _margin(text, start)
    number = bisect_left(comments, start) - 1
    while number >= 0:
        line = _margin(text, start)
        above = comments[number]
        if line == 0 or above != _margin(text, line - 1) + depth:
            break
        start, number = above, number - 1
    return start
