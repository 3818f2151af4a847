"""Text that parsed before and does not now.

Python, JSON and TOML are judged by the standard library, other languages by tree-sitter where a
grammar is installed. A text that did not parse before is not judged: it may be a fragment, or
written in a dialect that the parser does not know.
"""

from __future__ import annotations

import ast
import json
import re
import tomllib
import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from editd.checks.rewrite import Doubt, Rewrite
from editd.syntax.language import parser_of
from editd.turns import yield_point

if TYPE_CHECKING:
    from tree_sitter import Node, Tree

# Characters that a parser is given: it cannot be stopped, and this takes some 30 ms.
_MOST = {"python": 100_000, "json": 500_000, "toml": 20_000}
_MOST_OF_OTHERS = 40_000
_MUCH = 10_000  # characters; parsing more is what a merge would wait for
_FARTHEST = 3000  # lines around a hunk in which its part of a larger text may begin and end


def doubts(rewrite: Rewrite) -> list[Doubt]:
    """The first syntax error of the new text, if the old one had none.

    Of a text that is too large to be parsed at once, the statements around the hunks.
    """
    find_error = _PARSERS.get(rewrite.language, _tree_sitter(rewrite.language))
    if rewrite.language == "python" and rewrite.size(0, len(rewrite.old_lines)) > _MUCH:
        around = [rewrite.new_text(*part) for part in _around(rewrite)]
        if sum(map(len, around)) < _MUCH and not any(map(find_error, around)):
            return []  # whole statements that parse, between unchanged ones
    most = _MOST.get(rewrite.language, _MOST_OF_OTHERS)
    for start, end in _parts(rewrite, most):
        if rewrite.size(start, end) > most:
            continue
        new_text = rewrite.new_text(start, end)
        if len(new_text) > most or not rewrite.model_text(start, end).strip():
            continue
        found = find_error(new_text)
        yield_point()
        if found is None or find_error(rewrite.model_text(start, end)) is not None:
            continue
        line, what = found
        line += rewrite.new_index(start)
        reason = f"The text parsed before and does not now: {what} at line {line + 1}."
        return [Doubt(reason, (rewrite.hunk_at(line).id,))]
    return []


def _parts(rewrite: Rewrite, most: int) -> Iterator[tuple[int, int]]:
    """Ranges of the buffer's lines that can be parsed by themselves and hold all hunks."""
    total = len(rewrite.old_lines)
    if rewrite.size(0, total) <= most or rewrite.language in ("json", "toml"):
        yield 0, total
        return
    first, last = rewrite.hunks[0], rewrite.hunks[-1]
    # All in one part, if it is small enough: what one hunk opens another may close.
    start = _border_before(rewrite.old_lines, first.start)
    end = _border_after(rewrite.old_lines, last.start + last.old_count)
    if rewrite.size(start, end) <= most:
        yield start, end
        return
    yield from _around(rewrite)


def _around(rewrite: Rewrite) -> Iterator[tuple[int, int]]:
    """The statements around each hunk."""
    done = 0
    for hunk in rewrite.hunks:
        if hunk.start >= done:
            start = max(done, _border_before(rewrite.old_lines, hunk.start))
            done = _border_after(rewrite.old_lines, hunk.start + hunk.old_count)
            yield start, done


def _border_before(lines: Sequence[str], at: int) -> int:
    low = max(0, at - _FARTHEST)
    return next((n for n in range(at - 1, low, -1) if _begins(lines, n)), low)


def _border_after(lines: Sequence[str], at: int) -> int:
    high = min(len(lines), at + _FARTHEST)
    return next((n for n in range(at, high) if _begins(lines, n)), high)


def _begins(lines: Sequence[str], number: int) -> bool:
    """Whether a line seems to begin a statement of the file's own, nothing open before it."""
    before = lines[number - 1][:1] if number else ""
    return bool(_STATEMENT.match(lines[number])) and before != "@"


_STATEMENT = re.compile(r"(?!(?:else|elif|except|finally|case|default|catch)\b)[^\W\d]|@")


_Error = tuple[int, str]  # 0-based line, what is wrong


def _python(text: str) -> _Error | None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of escapes and comparisons: not our business
            ast.parse(text)
    except SyntaxError as error:
        # "too many nested parentheses" is the parser's limit, not the text's fault.
        # Lines that the message itself names are those of a part of the text.
        what = re.sub(r" \(detected at line \d+\)| on line \d+", "", error.msg)
        return None if "too many" in error.msg else ((error.lineno or 1) - 1, what)
    except (ValueError, RecursionError, MemoryError):
        return None  # null bytes, or nested deeper than the parser can follow: no verdict
    return None


def _json(text: str) -> _Error | None:
    try:
        json.loads(text)
    except json.JSONDecodeError as error:
        return error.lineno - 1, error.msg
    except RecursionError:
        return None
    return None


def _toml(text: str) -> _Error | None:
    try:
        tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        line = re.search(r"at line (\d+)", str(error))
        at = int(line[1]) - 1 if line else text.count("\n")
        return at, str(error).split(" (at ")[0]
    except RecursionError:
        return None
    return None


def _tree_sitter(language: str) -> Callable[[str], _Error | None]:
    def find_error(text: str) -> _Error | None:
        parser = parser_of(language)
        if parser is None:
            return None
        tree = parser.parse(text.encode("utf-8", "replace"))
        return _first_error(tree) if tree.root_node.has_error else None

    return find_error


def _first_error(tree: Tree) -> _Error:
    """The first node that is an error or that the parser had to invent, in the text's order."""
    pending: list[Node] = [tree.root_node]
    while pending:
        node = pending.pop()
        if node.is_missing:
            return node.start_point.row, f"missing “{node.type}”"
        if node.is_error:
            return node.start_point.row, "syntax error"
        pending.extend(child for child in reversed(node.children) if child.has_error)
    return tree.root_node.end_point.row, "syntax error"


_PARSERS: dict[str, Callable[[str], _Error | None]] = {
    "python": _python,
    "json": _json,
    "toml": _toml,
}
