"""Where the definitions of any text are, by keyword and indentation; and the comment above a definition."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from editd.syntax.definition import Definition
from editd.turns import yield_point

_HEAD = re.compile(
    r"""^(?P<indent>[ \t]*)
    (?:(?:export|default|pub(?:\([^)]*\))?|public|private|protected|internal|static|final|abstract
        |async|override|virtual|inline|local|sealed|partial|unsafe|extern)\s+)*
    (?:def|class|function\*?|func|fun|fn|sub|proc|struct|enum|trait|interface|impl|module|object|extension|protocol|actor
        |namespace|record|procedure|macro|defmodule|defp?|type)\s+
    (?P<name>(?:[^\W\d][\w$]*[.:])*[^\W\d][\w$?!]*)""",
    re.VERBOSE,
)
_METHOD = re.compile(
    r"""\s*(?:(?:public|private|protected|internal|static|final|abstract|async|override|virtual
        |sealed|partial|unsafe|extern|new)\s+)++(?!(?:val|var|let|const|delegate|event)\b)
    (?:(?P<type>[\w<>\[\],.?&*: ]+?[\s*&>\]?]))?(?P<name>[^\W\d]\w*)(?:<[\w, ]+>)?
    \s*(?:\(|(?(type)(?:\{.*|=>.*)?$|\())""",
    re.VERBOSE,
)  # a method or property of C# and its like, whose type stands before its name
_MANY = 1000  # definitions or lines that are looked at in a piece
_SHORT = 300  # characters of a line that may begin a method
_LOOKED_AT = 1000  # characters at a line's beginning, and at its end
_GOES_ON = re.compile(r"\s*(?:rescue|ensure|else)\b")  # of Ruby's methods
_CLOSES = re.compile(r"\s*(?:[\])}]|end\b|fi\b|done\b|esac\b)|\s*\{")
_OPENS = re.compile(r"[\[({:]\s*$")
_COMMENT = re.compile(r"\s*(?:#(?!include|if|endif|else|define)|//|/\*|\*|--|@|;;|%%)")


def text_definitions(lines: Sequence[str], most: int) -> list[Definition]:
    """The definitions that begin with a keyword such as ``func`` or ``class``, or as a method of C#, each as long
    as lines are indented more deeply than its first one, and with a closing bracket or ``end`` below.

    All are blocks without owner. Reading stops, looking every 1,000 lines, once more than ``most`` are found. Lets
    other work run meanwhile.
    """
    found: list[Definition] = []
    open_: list[tuple[int, int]] = []  # depth and number of the definitions that go on
    last = 0  # the line after the last one that is not blank
    for number, line in enumerate(lines):
        if number % _MANY == _MANY - 1:
            if len(found) > most:
                break
            yield_point()
        beginning = line[:_LOOKED_AT]
        if not beginning.strip():
            continue
        depth = _depth(beginning)
        while open_ and open_[-1][0] >= depth:
            if open_[-1][0] == depth and _GOES_ON.match(beginning):
                break
            closes = open_[-1][0] == depth and _CLOSES.match(beginning)
            if closes and _OPENS.search(line[-_LOOKED_AT:]):
                break  # "} else {"
            _, at = open_.pop()
            found[at] = replace(found[at], end=number + 1 if closes else last)
            if closes:
                break
        last = number + 1
        head = _HEAD.match(beginning) or _METHOD.match(beginning[:_SHORT])
        if head is not None:
            open_.append((depth, len(found)))
            found.append(Definition(re.split(r"[.:]", head["name"])[-1], number, number + 1))
    for _, at in open_:
        found[at] = replace(found[at], end=last)
    return found


def _depth(line: str) -> int:
    """How many blanks a line begins with, tabs expanded."""
    text = line.expandtabs()
    return len(text) - len(text.lstrip())


def comment_above(lines: Sequence[str], start: int) -> int:
    """The line of the first comment, decorator or attribute of those that stand directly above line
    ``start``, as deep or one blank deeper; ``start`` if it has none.
    """
    depth = _depth(lines[start][:_LOOKED_AT])
    while (
        start > 0
        and _COMMENT.match(lines[start - 1])
        and _depth(lines[start - 1][:_LOOKED_AT])
        in (
            depth,
            depth + 1,  # the second line of a block comment
        )
    ):
        start -= 1
    return start
