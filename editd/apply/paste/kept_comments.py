"""Comments that an answer leaves out and that stay: the licence at a file's head, and those that tools read.

A chat that writes a file anew drops what it takes for ornament. So they are written into the answer where the lines
around them show their location, before it is merged. A diff names what it deletes, so nothing is put back there; nor
where the instruction speaks of comments. A comment about a line that goes, goes with it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

_MOST_HEAD = 200  # lines at the beginning of a file in which its licence ends
_MOST = 20_000  # lines of a file that are looked at
_SHARE = 0.7  # of a file's lines, in an answer that is the whole file
_COMMENT = re.compile(r"\s*(?:#|//|/\*|\*|--|;|%|<!--|@rem\b|\(\*)")
_LICENCE = re.compile(
    r"copyright|\blicen[sc]e|SPDX-|all rights reserved|©|\(c\) \d{4}", re.IGNORECASE
)
_TOOLS = (
    r"(?:noqa\b|nosec\b|type: ?ignore|pylint:|flake8:|mypy:|pyright:|ruff:|fmt: ?(?:on|off|skip)|yapf:|isort:|pragma: ?no"
    r"|eslint-|eslint\b(?=[:/ ])|prettier-ignore|@ts-|istanbul |c8 ignore|jshint |tslint:|biome-ignore|deno-lint|@jsx|@flow"
    r"|nolint\b|NOLINT|clang-format|rustfmt|NOSONAR|CHECKSTYLE|@formatter|shellcheck |rubocop:|frozen_string_literal|phpcs:|stylelint-"
    r"|cspell|codespell|go:\w+|\+build\b|-\*-|vim?:|coding[:=]|syntax=|sourceMappingURL|SPDX-)"
)
_FOR_TOOLS = re.compile(rf"^#!.*|(?:#|//|/\*|--|;|<!--) ?{_TOOLS}[^\n]*")
_TRAILING = re.compile(rf"\s+(?:#|//|/\*) ?{_TOOLS}[^\n]*$")
_BY_NAME = re.compile(r"^(?:<{5,}|@@ |--- \S|\*\*\* )|^\s*<{5,} ", re.MULTILINE)
_ASKED = re.compile(
    r"\b(?:comments?|licen[sc]e|copyright|header|shebang|noqa|eslint|pragma|lint\w*)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class KeptComments:
    """answer: the paste with these comments in it. notice: one sentence that they stay; empty if none was put in."""

    answer: str
    notice: str = ""


def with_kept_comments(answer: str, buffer: str, instruction: str) -> KeptComments:
    """The paste with the comments of ``buffer`` that it may not lose put back, and a sentence that names the first of
    them and counts the others. Line ends become LF if some are put back.

    These are comments that tools read, where the lines around show their place, and the licence, if the paste shows 70
    % of the file's code and has no licence itself; without a fence the licence is named but not put in. The paste stays
    as it is, without a notice, for diffs and search/replace blocks, for a buffer of more than 20,000 lines, and if the
    instruction speaks of comments.
    """
    old = buffer.splitlines()
    if len(old) > _MOST or _ASKED.search(instruction) or _BY_NAME.search(answer):
        return KeptComments(answer)
    lines = answer.splitlines()
    known = Counter(line.strip() for line in lines)
    solid = [line.strip() for line in old if _is_code(line)]
    is_whole = sum(line in known for line in solid) >= _SHARE * max(1, len(solid))
    named: list[str] = []
    head = _licence(old)
    if is_whole and head and not any(map(_LICENCE.search, lines)):
        named.append("the licence at the head")
        lines = _with_head(lines, old, head)
    for number in range(len(head), len(old)):
        line = old[number]
        comment = _FOR_TOOLS.search(line)
        if comment is None or line.strip() in known:
            continue
        made = (_above if _COMMENT.match(line) else _beside)(lines, old, number)
        if made is not None:
            lines = made
            named.append(f"“{comment[0].strip()}”")
    if not named:
        return KeptComments(answer)
    first, *others = named
    more = f" and {len(others)} more" if others else ""
    notice = (
        f"The answer leaves out {first}{more}, which stays."
        if not others
        else (f"The answer leaves out {first}{more}, which stay.")
    )
    return KeptComments("\n".join(lines) + "\n" * answer.endswith("\n"), notice)


def _licence(lines: Sequence[str]) -> range:
    """The lines from the file's first one to the end of the comment at its head that names a copyright or licence;
    empty if code or the end of the first 200 lines comes before such a comment.
    """
    end, found = 0, False
    for number, line in enumerate(lines[:_MOST_HEAD]):
        if line.strip() and not _COMMENT.match(line):
            break
        if line.strip():
            found = found or bool(_LICENCE.search(line))
            end = number + 1
        elif found:
            break
    return range(end if found else 0)


def _with_head(lines: list[str], old: Sequence[str], head: range) -> list[str]:
    """The answer with the licence (lines ``head`` of ``old``, the buffer) below the first fence, in place of blank
    lines there, and a blank line below it if the buffer has one; as it is if it has no fence. Lines of the licence that
    are among the three below the fence are not written twice.
    """
    fence = next((n for n, line in enumerate(lines) if re.match(r"\s*(?:`{3,}|~{3,})", line)), None)
    if fence is None:
        return lines
    blank = [""] if len(old) > len(head) and not old[len(head)].strip() else []
    following = lines[fence + 1 :]
    while following and not following[0].strip():
        following.pop(0)
    # What a tool reads in the first lines may be there without the licence.
    given = {line.strip() for line in following[:3]}
    missing = [old[n] for n in head if old[n].strip() not in given or not old[n].strip()]
    return [*lines[: fence + 1], *missing, *blank, *following]


def _beside(lines: list[str], old: Sequence[str], number: int) -> list[str] | None:
    """A copy of the answer in which the comment at the end of the buffer's line ``number`` stands at the end of the
    answer's line that equals that line without the comment, blanks around aside.

    ``None`` if the answer does not have exactly one such line, the buffer has a line without the comment, too, or its
    line ``number`` is a comment alone or has none that tools read. lines: the answer's. old: the buffer's.
    """
    end = _TRAILING.search(old[number])
    code = "" if end is None else old[number][: end.start()].rstrip()
    numbers = [n for n, line in enumerate(lines) if line.strip() == code.strip()]
    others = sum(line.strip() == code.strip() for line in old)
    if end is None or not code.strip() or len(numbers) != 1 or others:
        return None
    made = lines.copy()
    made[numbers[0]] = lines[numbers[0]].rstrip() + old[number][end.start() :]
    return made


def _above(lines: list[str], old: Sequence[str], number: int) -> list[str] | None:
    """A copy of the answer in which the comment line ``number`` of the buffer stands above the same code line as in the
    buffer; if that has no single location, below the same line as in the buffer. Indented like the line that it is put
    above.

    ``None`` if neither line is in both texts exactly once, or if, for the line above it, the answer shows that the code
    line is gone: the line after that one follows at once, or a fence, or the buffer has none. lines: the answer's. old:
    the buffer's.
    """
    before = next((n for n in range(number - 1, -1, -1) if old[n].strip()), None)
    after = next((n for n in range(number + 1, len(old)) if _is_code(old[n])), None)
    at = None if after is None else _only(lines, old, after)
    if at is None and before is not None and after is not None:
        at_before = _only(lines, old, before)
        later = next((n for n in range(after + 1, len(old)) if old[n].strip()), None)
        if at_before is not None:
            following = next((line.strip() for line in lines[at_before + 1 :] if line.strip()), "")
            is_gone = (
                later is None or following == old[later].strip() or following.startswith("```")
            )
            at = None if is_gone else at_before + 1
    if at is None:
        return None
    indent = lines[at][: len(lines[at]) - len(lines[at].lstrip())] if at < len(lines) else ""
    return [*lines[:at], indent + old[number].strip(), *lines[at:]]


def _is_code(line: str) -> bool:
    """Whether a line is neither blank nor a comment."""
    return bool(line.strip()) and not _COMMENT.match(line)


def _only(lines: Sequence[str], old: Sequence[str], number: int) -> int | None:
    """The number in the answer of the buffer's line ``number``, the blanks around it aside; ``None`` unless it stands
    exactly once in both texts. lines: the answer's. old: the buffer's.
    """
    bare = old[number].strip()
    if sum(line.strip() == bare for line in old) != 1:
        return None
    numbers = [n for n, line in enumerate(lines) if line.strip() == bare]
    return numbers[0] if len(numbers) == 1 else None
