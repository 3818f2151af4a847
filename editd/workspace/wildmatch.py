"""Git's patterns as regular expressions that never backtrack far, whatever a hostile file says.

Follows git's ``wildmatch.c``, with ``WM_PATHNAME``: ``*`` and ``?`` stop at a slash, ``**`` between
slashes does not. Bytes, as in git. What stands between two stars is matched where it comes first
(an atomic group), because the later star takes whatever is left; so time is polynomial, where
pathspec's expressions take exponential time for ``*a*a*a*a*a*b``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

_LONGEST = 4096  # bytes of a pattern, as of a path
_STAR, _FOLDERS, _ANYTHING = "*", "**/", "**"
_SPECIAL = re.compile(rb"[*?[\\]").search
_CLASS = re.compile(
    rb"\[(?P<negated>[!^]?)(?P<first>\]?)(?P<rest>(?:\[:[a-z]*:\]|\\.|[^\]\\])*)\]", re.DOTALL
)
_ITEM = re.compile(
    rb"\[:(?P<name>[a-z]*):\]|(?P<low>\\.|.)(?:-(?!\[:[a-z]*:\])(?P<high>\\.|.))?", re.DOTALL
)
_NAMED = {
    b"alnum": rb"0-9A-Za-z", b"alpha": rb"A-Za-z", b"blank": rb" \t", b"cntrl": rb"\x00-\x1f\x7f",
    b"digit": rb"0-9", b"graph": rb"!-~", b"lower": rb"a-z", b"print": rb" -~",
    b"punct": rb"!-\x2f:-@\[-`{-~", b"space": rb" \t-\r", b"upper": rb"A-Z", b"xdigit": rb"0-9A-Fa-f",
}  # fmt: skip


def compiled(pattern: bytes) -> re.Pattern[bytes] | None:
    """What matches whole paths as ``pattern`` does; ``None`` for one that matches nothing."""
    pattern = re.sub(rb"\*{3,}", b"**", pattern)
    if len(pattern) > _LONGEST:
        return None
    try:
        parts = list(_parts(pattern))
    except ValueError:
        return None
    first, *runs = _cut(parts, _FOLDERS)
    expression = _run(first)
    for number, run in enumerate(runs, 1):
        rest = rb"(?:[^/]*/)*?" + _run(run)
        expression += rb"(?>%b)" % rest if number < len(runs) else rest
    return re.compile(expression + rb"\Z", re.DOTALL)


def _run(parts: list[bytes | str]) -> bytes:
    """What stands between two ``**/``: as many whole names as it has."""
    first, *pieces = _cut(parts, _STAR)
    expression = b"".join(map(_expression, first))
    for number, piece in enumerate(pieces, 1):
        rest = rb"[^/]*?" + b"".join(map(_expression, piece))
        expression += rb"(?>%b)" % rest if number < len(pieces) else rest
    return expression


def _expression(part: bytes | str) -> bytes:
    return part if isinstance(part, bytes) else rb".*"


def _cut(parts: list[bytes | str], at: str) -> list[list[bytes | str]]:
    pieces: list[list[bytes | str]] = [[]]
    for part in parts:
        if part == at:
            pieces.append([])
        else:
            pieces[-1].append(part)
    return pieces


def _parts(pattern: bytes) -> Iterator[bytes | str]:
    """Expressions of one character each, and stars; raises ``ValueError`` for what matches nothing."""
    at = 0
    while at < len(pattern):
        before, byte, rest = pattern[at - 1 : at], pattern[at : at + 1], pattern[at + 1 :]
        begins = before in (b"", b"/") or not _SPECIAL(
            pattern[:at]
        )  # git's, of which it cuts off plain text
        if byte == b"*" and rest[:1] == b"*" and begins and rest[1:2] in (b"", b"/"):
            yield _FOLDERS if rest[1:2] else _ANYTHING
            at += 3 if rest[1:2] else 2
        elif byte == b"*":
            yield _STAR
            at += 2 if rest[:1] == b"*" else 1
        elif byte == b"?":
            yield rb"[^/]"
            at += 1
        elif byte == b"[":
            if (found := _CLASS.match(pattern, at)) is None:
                raise ValueError("a class without an end")
            yield _class(found)
            at = found.end()
        elif byte == b"\\":
            if not rest:
                raise ValueError("nothing is escaped")
            yield re.escape(rest[:1])
            at += 2
        else:
            yield re.escape(byte)
            at += 1


def _class(found: re.Match[bytes]) -> bytes:
    """One character of a class, which is never a slash."""
    said = b""
    for item in _ITEM.finditer(found["first"] + found["rest"]):
        if (name := item["name"]) is not None:
            if name not in _NAMED:
                raise ValueError("an unknown class")
            said += _NAMED[name]
            continue
        first, last = _byte(item["low"]), _byte(item["high"] or item["low"])
        # The first is one of them even where the range is empty.
        said += rb"\x%02x-\x%02x" % (first, max(first, last))
    if found["negated"]:
        return rb"[^/%b]" % said
    return rb"(?!/)[%b]" % said


def _byte(spelled: bytes) -> int:
    return spelled[-1]  # behind a backslash, perhaps
