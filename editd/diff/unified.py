"""Hunks as a unified diff that ``git apply`` and ``patch`` accept.

Knows the format (GNU diffutils manual, "Detailed Description of Unified Format") and git's quoting
of names. Those tools end lines at LF alone, so a text with lone CRs is cut differently here than
in an editor; a BOM is part of the first line. Split the result at LF, never with ``splitlines``.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate

from editd.diff.document import Document
from editd.diff.edits import apply
from editd.diff.hunk import Hunk


def unified(
    hunks: Iterable[Hunk],
    text: str,
    path: str,
    *,
    context: int = 3,
    prefixes: tuple[str, str] = ("a/", "b/"),
) -> str:
    """The change as a unified diff, empty if there is none.

    context: unchanged lines shown around a change. prefixes: before the two names; the default
    is git's (``git apply``, ``patch -p1``), ``("", "")`` is for ``patch -p0``.
    """
    hunks = tuple(hunks)
    if not hunks:
        return ""
    new_text = apply(hunks, text)
    old, new = _lf_lines(text), _lf_lines(new_text)
    name = path.lstrip("/")
    pieces = [f"--- {_quoted(prefixes[0] + name)}\n", f"+++ {_quoted(prefixes[1] + name)}\n"]
    group: list[_Change] = []
    for change in _lf_changes(hunks, text, new_text):
        if group and change.old_start - group[-1].old_end > 2 * context:
            pieces += _told(group, old, new, context)
            group = []
        group.append(change)
    pieces += _told(group, old, new, context)
    return "".join(pieces)


@dataclass(slots=True)
class _Change:
    """Old units ``old_start .. old_end`` became new ones: characters first, LF lines in the end."""

    old_start: int
    old_end: int
    new_start: int
    new_end: int


def _lf_changes(hunks: Sequence[Hunk], old: str, new: str) -> list[_Change]:
    """The hunks in LF lines, widened where a hunk begins or ends inside one."""

    def at_lines(old_offset: int, new_offset: int) -> bool:
        return (not old_offset or old[old_offset - 1] == "\n") and (
            not new_offset or new[new_offset - 1] == "\n"
        )

    found: list[_Change] = []
    changes = _character_changes(hunks, old)
    limits = [change.old_start for change in changes[1:]] + [len(old)]
    for change, limit in zip(changes, limits, strict=True):
        floor = found[-1].old_end if found else 0
        while change.old_start > floor and not at_lines(change.old_start, change.new_start):
            change.old_start -= 1
            change.new_start -= 1
        if at_lines(change.old_start, change.new_start):
            found.append(change)
        else:
            found[-1].old_end, found[-1].new_end = change.old_end, change.new_end
        last = found[-1]
        while last.old_end < limit and not at_lines(last.old_end, last.new_end):
            last.old_end += 1
            last.new_end += 1
    old_offsets, new_offsets = _offsets(old), _offsets(new)
    return [
        _Change(
            bisect_left(old_offsets, change.old_start),
            bisect_left(old_offsets, change.old_end),
            bisect_left(new_offsets, change.new_start),
            bisect_left(new_offsets, change.new_end),
        )
        for change in found
    ]


def _character_changes(hunks: Sequence[Hunk], text: str) -> list[_Change]:
    document = Document.of(text)
    found: list[_Change] = []
    shift = 0  # of new offsets against old ones
    for hunk in hunks:
        start = document.line_offset(hunk.start)
        end = document.line_offset(hunk.start + hunk.old_count)
        new_end = start + shift + sum(map(len, hunk.new_lines))
        found.append(_Change(start, end, start + shift, new_end))
        shift = new_end - end
    return found


def _offsets(text: str) -> list[int]:
    return list(accumulate(map(len, _lf_lines(text)), initial=0))


def _lf_lines(text: str) -> list[str]:
    return re.findall(r"[^\n]*\n|[^\n]+", text)


def _told(
    group: Sequence[_Change], old: Sequence[str], new: Sequence[str], context: int
) -> list[str]:
    """One ``@@`` section: the changes of a group and the lines around and between them."""
    start = max(group[0].old_start - context, 0)
    end = min(group[-1].old_end + context, len(old))
    new_start = group[0].new_start - (group[0].old_start - start)
    new_end = group[-1].new_end + (end - group[-1].old_end)
    lines = [f"@@ -{_range(start, end)} +{_range(new_start, new_end)} @@\n"]
    position = start
    for change in group:
        lines += [_marked(" ", line) for line in old[position : change.old_start]]
        lines += [_marked("-", line) for line in old[change.old_start : change.old_end]]
        lines += [_marked("+", line) for line in new[change.new_start : change.new_end]]
        position = change.old_end
    lines += [_marked(" ", line) for line in old[position:end]]
    return lines


def _range(start: int, end: int) -> str:
    """Counted from 1; an empty range is named by the line before it."""
    return str(start + 1) if end - start == 1 else f"{start + (end > start)},{end - start}"


def _marked(mark: str, line: str) -> str:
    return mark + line if line.endswith("\n") else f"{mark}{line}\n\\ No newline at end of file\n"


def _quoted(name: str) -> str:
    """As git writes names: in C quotes if need be; with a tab after a name that holds a space."""
    if re.search(r'["\\\x00-\x1f\x7f]', name):
        escaped = re.sub(r'["\\\x00-\x1f\x7f]', _escape, name)
        return f'"{escaped}"'
    return name + "\t" if " " in name else name


def _escape(match: re.Match[str]) -> str:
    character = match.group()
    return f"\\{character}" if character in '"\\' else f"\\{ord(character):03o}"
