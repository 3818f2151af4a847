"""A text that stops in the middle of a statement: where, and which brackets would end the blocks around it.

Found by the parser of its language. Knows nothing of what may have followed.
"""

from __future__ import annotations

import codeop
import re
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from textwrap import dedent

from editd.syntax.language import SCRIPTS
from editd.syntax.lines import split
from editd.syntax.python_tree import parse_python
from editd.syntax.trees import parse_tree
from editd.turns import yield_point

MOST_READ = 100_000
"""Characters of a text that is looked at: what takes some 80 ms."""
_MOST_UNFINISHED = 30  # lines at the end of a text that one statement may have begun on
_PAIRS = {"(": ")", "[": "]", "{": "}"}
# Strings and comments are passed over. Between single quotes most languages have one character; Rust's lifetimes none.
_LONG_STRINGS = r"'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`"
_CHARACTERS = r"'(?:[^'\\\n]|\\.)'|`[^`]*`"
_BRACKETS = r"\"(?:[^\"\\\n]|\\.)*\"|//[^\n]*|/\*.*?\*/|[()\[\]{}]"


@dataclass(frozen=True, slots=True)
class CutText:
    """A text divided where its last statement stops.

    whole: the statements before it. unfinished: the lines from its first one on. closing: brackets that end the blocks
    which are open after ``whole``.
    """

    whole: str
    unfinished: str
    closing: str = ""

    @property
    def closed(self) -> str:
        """The whole statements with the blocks around them ended: a text that parses."""
        return self.whole + self.closing

    def without_end(self, text: str) -> str | None:
        """``text`` without the lines of ``unfinished`` at its end, with ``closing`` appended;
        ``None`` if it does not end in these lines.
        """
        if not text.endswith(self.unfinished):
            return None
        return text.removesuffix(self.unfinished) + self.closing


def find_cut(text: str, language: str) -> CutText | None:
    """A text divided where it stops in the middle of a statement, as late as possible.

    The lines before must parse once their brackets are closed, and the rest be the beginning of one statement.
    ``None`` if no cut within the last 30 lines does that, or the language has no parser. Call it for a text that
    does not parse. Lets other work run meanwhile.
    """
    lines = split(text)
    ends_in_a_line = not text.endswith("\n")
    for count in range(1, min(len(lines), _MOST_UNFINISHED) + 1):
        whole, rest = "".join(lines[:-count]), lines[len(lines) - count :]
        if not rest[0].strip():
            continue
        closing = "" if language == "python" else _closing_brackets(whole, language)
        begun = rest[:-1] if ends_in_a_line else rest
        yield_point()
        if _parses(whole + closing, language) and _is_begun(begun, language):
            return CutText(whole, "".join(rest), closing)
    return None


def _parses(text: str, language: str) -> bool:
    """Whether a text has no syntax error; never for a language without a parser."""
    if language == "python":
        return parse_python(text) is not None
    root = parse_tree(text, language)
    return root is not None and not root.has_error


def _is_begun(lines: Sequence[str], language: str) -> bool:
    """Whether these lines are the beginning of a single statement; blank lines are.

    Of Python by its compiler, and lines that begin with a decorator; elsewhere a single line, or
    lines with an open bracket.
    """
    text = dedent("".join(lines))
    if not text.strip():
        return True
    if language != "python":
        return len(lines) == 1 or bool(_closing_brackets(text, language))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return codeop.compile_command(text, symbol="exec") is None
    except (SyntaxError, ValueError, OverflowError):
        return text.lstrip().startswith("@")


def _closing_brackets(text: str, language: str) -> str:
    """A line end and the brackets that close those open at a text's end; empty if none is open or
    some do not match. Strings and comments are passed over.
    """
    expected: list[str] = []
    strings = _LONG_STRINGS if language in SCRIPTS else _CHARACTERS
    for token in re.finditer(f"{strings}|{_BRACKETS}", text, re.DOTALL):
        mark = token[0]
        if mark in _PAIRS:
            expected.append(_PAIRS[mark])
        elif mark in ")]}" and (not expected or expected.pop() != mark):
            return ""
    return "\n" + "".join(reversed(expected)) if expected else ""
