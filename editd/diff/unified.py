"""Hunks as a unified diff that ``git apply`` and ``patch`` accept.

Knows the format (GNU diffutils manual, "Detailed Description of Unified Format") and git's quoting
of names. Those tools end lines at LF alone, so a text with lone CRs is cut differently here than
in an editor; a BOM is part of the first line. Split the result at LF, never with ``splitlines``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from editd.diff.edits import apply
from editd.diff.hunk import Hunk
from editd.diff.matching import Change, changes


def unified(hunks: Iterable[Hunk], text: str, path: str, *, context: int = 3) -> str:
    """The change as a unified diff, empty if there is none, for ``git apply`` and ``patch -p1``.

    context: unchanged lines shown around a change.
    """
    old, new = _lf_lines(text), _lf_lines(apply(hunks, text))
    found = changes(old, new)
    if not found:
        return ""
    name = path.lstrip("/")
    pieces = [f"--- {_quoted('a/' + name)}\n", f"+++ {_quoted('b/' + name)}\n"]
    group: list[Change] = []
    for change in found:
        if group and change.old_start - group[-1].old_end > 2 * context:
            pieces += _told(group, old, new, context)
            group = []
        group.append(change)
    pieces += _told(group, old, new, context)
    return "".join(pieces)


def _lf_lines(text: str) -> list[str]:
    return re.findall(r"[^\n]*\n|[^\n]+", text)


def _told(
    group: Sequence[Change], old: Sequence[str], new: Sequence[str], context: int
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
