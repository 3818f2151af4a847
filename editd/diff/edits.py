"""Applies hunks, and turns them into offsets and into a unified diff that ``git apply`` and ``patch`` accept.

Knows texts, hunks and code-point offsets; knows nothing of how the hunks were found, nor of the positions that
editors count in. Every function takes the text that the hunks are about, exactly as it was, and raises ``ValueError``
where hunks and text cannot belong together.

Of unified diffs: the format (GNU diffutils manual, "Detailed Description of Unified Format") and git's quoting of
names. Those tools end lines at LF alone, so a text with lone CRs is cut differently there than in an editor; a BOM is
part of the first line. Split the result at LF, never with ``splitlines``.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence

from editd.diff.document import Document
from editd.diff.hunk import Hunk, Keep, Op, TextReplacement
from editd.diff.matching import DiffChange, changes

_ZWJ = "\u200d"


def apply(hunks: Iterable[Hunk], text: str, document: Document | None = None) -> str:
    """``text`` with the hunks' old lines replaced by their new ones; everything else byte for byte.

    document: that of ``text``, if it exists already. Raises ``ValueError`` for hunks that do not fit the text.
    """
    document = document or Document.of(text)
    pieces: list[str] = []
    done = 0
    for hunk in _checked(hunks, document):
        pieces += (text[done : document.line_offset(hunk.start)], *hunk.new_lines)
        done = document.line_offset(hunk.start + hunk.old_count)
    pieces.append(text[done:])
    return "".join(pieces)


def with_keeps(hunks: tuple[Hunk, ...], text: str) -> tuple[Op, ...]:
    """The hunks, which have to be done and in order, with a ``Keep`` for each run of unchanged lines before, between
    and after them.
    """
    ops: list[Op] = []
    position = 0
    for hunk in hunks:
        if hunk.start > position:
            ops.append(Keep(hunk.start - position))
        ops.append(hunk)
        position = hunk.start + hunk.old_count
    rest = len(Document.of(text).lines) - position
    return (*ops, Keep(rest)) if rest else tuple(ops)


def to_replacements(hunks: Iterable[Hunk], text: str) -> tuple[TextReplacement, ...]:
    """A replacement for each hunk, in code points of ``text``, without unchanged characters at its beginning and end;
    none for a hunk without a change.

    A border never falls inside ``\\r\\n``, a surrogate pair, or a sequence that a reader sees as one character (a letter
    and its accents, an emoji sequence): editors would show half of it. Raises ``ValueError`` for hunks that do not fit
    the text.
    """
    document = Document.of(text)
    replacements: list[TextReplacement] = []
    for hunk in _checked(hunks, document):
        start = document.line_offset(hunk.start)
        end = document.line_offset(hunk.start + hunk.old_count)
        replacement = trimmed(start, text[start:end], "".join(hunk.new_lines))
        if replacement is not None:
            replacements.append(replacement)
    return tuple(replacements)


def _checked(hunks: Iterable[Hunk], document: Document) -> Iterator[Hunk]:
    """The hunks, one by one.

    Raises ``ValueError`` for one that is not done, out of order, beyond the text, after a last line without an end, or
    with a line without an end before another line.
    """
    position = 0
    total = len(document.lines)
    for hunk in hunks:
        end = hunk.start + hunk.old_count
        name = f"hunk {hunk.id} (lines {hunk.start} to {end})"
        if not hunk.done:
            raise ValueError(f"{name} is not done")
        if hunk.start < position or hunk.old_count < 0:
            raise ValueError(f"{name} begins before line {position}, where the last one ended")
        if end > total:
            raise ValueError(f"{name} is not in a text of {total} lines")
        whole = hunk.new_lines if end < total else hunk.new_lines[:-1]
        if any(not line.endswith(("\n", "\r")) for line in whole):
            raise ValueError(f"{name} has a line without an end before another line")
        if hunk.new_lines and total and hunk.start == total and not document.ends_with_newline:
            raise ValueError(f"{name} stands after a line without an end")
        yield hunk
        position = end


def trimmed(start: int, old: str, new: str) -> TextReplacement | None:
    """The smallest replacement that turns ``old`` at offset ``start`` into ``new``; ``None`` if they are equal.

    The common beginning is cut off first, then the common end, but no border falls inside ``\\r\\n`` or a sequence that a
    reader sees as one character.
    """
    shortest = min(len(old), len(new))
    head = _num_alike(old[:shortest], new[:shortest])
    while head and not (_may_cut(old, head) and _may_cut(new, head)):
        head -= 1
    rest = shortest - head
    tail = _num_alike(old[len(old) - rest :][::-1], new[len(new) - rest :][::-1])
    while tail and not (_may_cut(old, len(old) - tail) and _may_cut(new, len(new) - tail)):
        tail -= 1
    if head == len(old) == len(new):
        return None
    return TextReplacement(start + head, start + len(old) - tail, new[head : len(new) - tail])


def _num_alike(first: str, second: str) -> int:
    """The length of the common prefix of two texts, which have to be equally long; by bisection."""
    low, high = 0, len(first)
    while low < high:
        middle = (low + high + 1) // 2
        if first[low:middle] == second[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _may_cut(text: str, index: int) -> bool:
    """Whether a cut before ``text[index]`` leaves whole characters on both sides, as a reader sees them; true at both
    ends of the text.
    """
    if index in (0, len(text)):
        return True
    before, after = text[index - 1], text[index]
    if (before, after) == ("\r", "\n"):
        return False
    return not (_joins_previous(after) or before == _ZWJ or (_is_flag(before) and _is_flag(after)))


def _joins_previous(character: str) -> bool:
    """Whether a character belongs to the one before as a reader sees it: accents, variation selectors, emoji skin
    tones, zero-width joiners, low surrogates, Hangul vowels and finals.
    """
    if character < "\u0300":
        return False
    return (
        character == _ZWJ
        or unicodedata.category(character) in ("Mn", "Mc", "Me")
        or "\U0001f3fb" <= character <= "\U0001f3ff"
        or "\udc00" <= character <= "\udfff"
        or "\u1160" <= character <= "\u11ff"  # Hangul vowels and finals, written one by one
    )


def _is_flag(character: str) -> bool:
    """Whether a character is a regional indicator: two make a flag, and a row of them cannot be cut by looking at
    two.
    """
    return "\U0001f1e6" <= character <= "\U0001f1ff"


def unified(hunks: Iterable[Hunk], text: str, path: str, *, context: int = 3) -> str:
    """The change as a unified diff, empty if there is none, for ``git apply`` and ``patch -p1``.

    path: the file's name in the head, a leading slash aside. context: unchanged lines shown around a change; changes
    closer than twice as many lines share a section. Raises ``ValueError`` for hunks that do not fit the text.
    """
    old, new = _lf_lines(text), _lf_lines(apply(hunks, text))
    found = changes(old, new)
    if not found:
        return ""
    name = path.lstrip("/")
    pieces = [f"--- {_quoted('a/' + name)}\n", f"+++ {_quoted('b/' + name)}\n"]
    group: list[DiffChange] = []
    for change in found:
        if group and change.old_start - group[-1].old_end > 2 * context:
            pieces += _section(group, old, new, context)
            group = []
        group.append(change)
    pieces += _section(group, old, new, context)
    return "".join(pieces)


def _lf_lines(text: str) -> list[str]:
    """The lines of a text as ``patch`` cuts them, at LF alone."""
    return re.findall(r"[^\n]*\n|[^\n]+", text)


def _section(
    group: Sequence[DiffChange], old: Sequence[str], new: Sequence[str], context: int
) -> list[str]:
    """The lines of an ``@@`` section: its header, the changes of a group (not empty), and the lines around and between
    them.
    """
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
    """A range of lines in a header, counted from 1; an empty range is named by the line before it."""
    return str(start + 1) if end - start == 1 else f"{start + (end > start)},{end - start}"


def _marked(mark: str, line: str) -> str:
    """A line of a diff, with git's note if the line has no LF."""
    return mark + line if line.endswith("\n") else f"{mark}{line}\n\\ No newline at end of file\n"


def _quoted(name: str) -> str:
    """A name as git writes it in a diff: in C quotes if it holds a quote, backslash or control character; else with a
    tab after a name that holds a space.
    """
    if re.search(r'["\\\x00-\x1f\x7f]', name):
        escaped = re.sub(r'["\\\x00-\x1f\x7f]', _escape, name)
        return f'"{escaped}"'
    return name + "\t" if " " in name else name


def _escape(match: re.Match[str]) -> str:
    """A character's escape in C."""
    character = match.group()
    return f"\\{character}" if character in '"\\' else f"\\{ord(character):03o}"
