"""Text that parsed before and does not now.

Python, JSON and TOML are judged by the standard library, other languages by tree-sitter where a
grammar is installed. A text that did not parse before is not judged: it may be a fragment, or
written in a dialect that the parser does not know.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from editd.checks.rewrite import Rewrite, Suspicion
from editd.syntax.code import Code, read_code
from editd.turns import yield_point

# Characters that a parser is given: it cannot be stopped, and this takes some 30 ms.
_MOST = {"python": 100_000, "json": 500_000, "toml": 20_000}
_MOST_OF_OTHERS = 40_000
_MUCH = 10_000  # characters; parsing more is what a merge would wait for
_FARTHEST = 3000  # lines around a hunk in which its part of a larger text may begin and end
_STATEMENT = re.compile(r"(?!(?:else|elif|except|finally|case|default|catch)\b)[^\W\d]|@")


def suspicions(rewrite: Rewrite) -> list[Suspicion]:
    """A suspicion about the hunk at or before the first syntax error of the new text, if the old text had none; one at
    most.

    Of a text that is too large to be parsed at once, the statements around the hunks are judged; a part that is still
    too large, or blank before, is not. For Python above 10,000 characters there is no suspicion if the statements
    around the hunks parse by themselves. Calls ``yield_point`` for each part.
    """
    if rewrite.language == "python" and rewrite.size(0, len(rewrite.old_lines)) > _MUCH:
        around = [rewrite.new_text(*part) for part in _around(rewrite)]
        if sum(map(len, around)) < _MUCH and not any(
            Code(part, rewrite.language).error for part in around
        ):
            return []  # whole statements that parse, between unchanged ones
    most = _MOST.get(rewrite.language, _MOST_OF_OTHERS)
    for start, end in _parts(rewrite, most):
        if rewrite.size(start, end) > most:
            continue
        new_text = rewrite.new_text(start, end)
        if len(new_text) > most or not rewrite.model_text(start, end).strip():
            continue
        error = read_code(new_text, rewrite.language).error
        yield_point()
        if error is None or read_code(rewrite.model_text(start, end), rewrite.language).error:
            continue
        line, message = error
        line += rewrite.new_index(start)
        reason = f"The text parsed before and does not now: {message} at line {line + 1}."
        return [Suspicion(reason, (rewrite.hunk_at(line).id,))]
    return []


def _parts(rewrite: Rewrite, most: int) -> Iterator[tuple[int, int]]:
    """Yield ranges (start, end exclusive) of the buffer's lines that can be parsed by themselves and that hold all
    hunks: all of it if it has ``most`` characters or fewer, or is JSON or TOML; else one around all hunks; else one
    around each.
    """
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
    """Yield the lines of the statements around each hunk (start, end exclusive), in order and without overlap; hunks
    within the range before are covered by that.
    """
    done = 0
    for hunk in rewrite.hunks:
        if hunk.start >= done:
            start = max(done, _border_before(rewrite.old_lines, hunk.start))
            done = _border_after(rewrite.old_lines, hunk.start + hunk.old_count)
            yield start, done


def _border_before(lines: Sequence[str], at: int) -> int:
    """The last line before ``at`` that begins a statement of the file; if 3,000 lines before have none, the first of these."""
    low = max(0, at - _FARTHEST)
    return next((n for n in range(at - 1, low, -1) if _begins(lines, n)), low)


def _border_after(lines: Sequence[str], at: int) -> int:
    """The first line from ``at`` on that begins a statement of the file; if 3,000 lines have none, the line after these."""
    high = min(len(lines), at + _FARTHEST)
    return next((n for n in range(at, high) if _begins(lines, n)), high)


def _begins(lines: Sequence[str], number: int) -> bool:
    """Whether a line seems to begin a statement of the file's own, nothing open before it."""
    before = lines[number - 1][:1] if number else ""
    return bool(_STATEMENT.match(lines[number])) and before != "@"
