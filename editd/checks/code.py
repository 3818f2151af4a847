"""A text in its language's syntax, as checks compare it; and the end of a text that stops in the middle of a statement.

Python by its own parser, other languages by tree-sitter where a grammar is installed. What the code does is not known.
"""

from __future__ import annotations

import codeop
import re
import warnings
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import lru_cache
from textwrap import dedent
from typing import Any, Protocol

from editd.checks.python_code import PythonCode
from editd.checks.requests import Kind
from editd.checks.tree_code import TreeCode
from editd.syntax.tokens import SCRIPTS, parses, split
from editd.turns import yield_point

_MOST = 100_000  # characters of a text that is looked at: what takes some 80 ms
_MOST_UNFINISHED = 30  # lines at the end of a text that one statement may have begun on


class Code(Protocol):
    """As ``PythonCode`` and ``TreeCode`` say."""

    @property
    def text(self) -> str: ...
    @property
    def comments(self) -> list[str]: ...
    def named(self, names: Collection[str]) -> dict[str, list[Any]]: ...
    def line(self, definition: Any) -> int: ...
    def things(self, kind: Kind, within: Sequence[Any] | None = None) -> list[str]: ...
    def rest(self, kinds: Collection[Kind], names: Collection[str], *, is_result: bool) -> str: ...


@dataclass(frozen=True, slots=True)
class Cut:
    """A text that stops in the middle of a statement: the whole statements, and the lines from the last one's first on.

    closing: brackets that would end the blocks around it.
    """

    whole: str
    unfinished: str
    closing: str = ""


@lru_cache(maxsize=4)
def cut_of(text: str, language: str) -> Cut | None:
    """Where a text stops in the middle of a statement; ``None`` if it parses, has an error elsewhere or no parser.

    The last texts are remembered, as by ``code_of``: several checks ask.
    """
    if len(text) > _MOST or parses(text, language) in (True, None):
        return None
    lines = split(text)
    ends_in_a_line = not text.endswith("\n")
    for count in range(1, min(len(lines), _MOST_UNFINISHED) + 1):
        whole, rest = "".join(lines[:-count]), lines[len(lines) - count :]
        if not rest[0].strip():
            continue
        closing = "" if language == "python" else _closing(whole, language)
        begun = rest[:-1] if ends_in_a_line else rest
        yield_point()
        if parses(whole + closing, language) and _is_begun(begun, language):
            return Cut(whole, "".join(rest), closing)
    return None


def _is_begun(lines: Sequence[str], language: str) -> bool:
    """Whether these lines are the beginning of one statement."""
    text = dedent("".join(lines))
    if not text.strip():
        return True
    if language != "python":
        return len(lines) == 1 or bool(_closing(text, language))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return codeop.compile_command(text, symbol="exec") is None
    except (SyntaxError, ValueError, OverflowError):
        return text.lstrip().startswith("@")


def _closing(text: str, language: str) -> str:
    """The brackets that are open at a text's end, closed; empty if some do not match."""
    open_: list[str] = []
    strings = _LONG_STRINGS if language in SCRIPTS else _CHARACTERS
    for token in re.finditer(f"{strings}|{_BRACKETS}", text, re.DOTALL):
        mark = token[0]
        if mark in _PAIRS:
            open_.append(_PAIRS[mark])
        elif mark in ")]}" and (not open_ or open_.pop() != mark):
            return ""
    return "\n" + "".join(reversed(open_)) if open_ else ""


def without_end(text: str, cut: Cut) -> str | None:
    """What ``text`` is before the lines that ``cut`` stopped in, with its brackets closed; ``None`` if it goes on otherwise."""
    if not text.endswith(cut.unfinished):
        return None
    return text.removesuffix(cut.unfinished) + cut.closing


@lru_cache(maxsize=4)
def code_of(text: str, language: str) -> Code | None:
    """``None`` for a text that does not parse or is too long, and for a language without a parser."""
    if len(text) > _MOST:
        return None
    yield_point()
    return PythonCode.of(text) if language == "python" else TreeCode.of(text, language)


_PAIRS = {"(": ")", "[": "]", "{": "}"}
# Strings and comments are passed over. Between single quotes most languages have one character; Rust's lifetimes none.
_LONG_STRINGS = r"'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`"
_CHARACTERS = r"'(?:[^'\\\n]|\\.)'|`[^`]*`"
_BRACKETS = r"\"(?:[^\"\\\n]|\\.)*\"|//[^\n]*|/\*.*?\*/|[()\[\]{}]"
