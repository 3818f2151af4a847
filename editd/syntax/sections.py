"""Containers in sections, with their members: tables of TOML, sections of INI files, and lines ``key = value``."""

from __future__ import annotations

import re
from collections.abc import Sequence

from editd.syntax.brackets import BracketReader
from editd.syntax.containers import Container, Member
from editd.syntax.dialects import dialect_of
from editd.turns import yield_point

_HEAD = re.compile(
    r"[^\S\n]*(?P<head>\[\[?[^\[\]\n]+(?:\[[^\]\n]*\][^\[\]\n]*)?\]\]?)[^\S\n]*(?:[#;][^\n]*)?$"
)
_PAIR = re.compile(
    r"[^\S\n]*(?:export\s+)?(?P<key>\"[^\"\n]*\"(?:\.\S+)?|'[^'\n]*'|[\w.*@$/+-][^=:#\n]*?)\s*[=:]"
)
_REMARK = re.compile(r"\s*[#;!]")
_LONE = re.compile(r"[\w.*@/-]+\s*$")  # a key without a value, in INI files
_STRINGS = re.compile(r"\"(?:\\.|[^\"\\])*\"|'[^']*'|#.*")
_BEFORE_REMARK = re.compile(r"(?:\"(?:\\.|[^\"\\])*\"|'[^']*'|[^\"'#])*")


def read_sections(text: str, language: str) -> Container | None:
    """The text's tables and keys; ``None`` if some line is neither, or a value does not end."""
    return _Sections(text, language).read()


class _Sections:
    """The lines of a text, and the tables and keys that were read from them."""

    def __init__(self, text: str, language: str) -> None:
        self.text, self.lines, self.is_toml = text, text.split("\n"), language == "toml"
        self.root: list[Member] = []
        self.table: list[Member] | None = None
        self.head: tuple[str, int, int, int] = "", 0, 0, 0  # of a table: key, top, start, end
        self.remark = 0  # where the last comment ends that belongs to no key below it

    def read(self) -> Container | None:
        """Read the text line by line, once; a value may take several.

        ``None`` if a line is neither a head, a key, a comment nor blank (below a head of an INI file a lone word is
        allowed), a value does not end, or the text has neither a key nor a head. Lets other work run meanwhile.
        """
        number = offset = 0
        top: int | None = None  # where the comments above begin
        while number < len(self.lines):
            yield_point()
            line = self.lines[number]
            start, end = offset + len(line) - len(line.lstrip()), offset + len(line.rstrip())
            first = start if top is None else top
            last = number
            if not line.strip():
                top = None
            elif _REMARK.match(line):
                top, self.remark = first, end
            elif found := _HEAD.match(line):
                self._close(is_below=top is not None)
                self.head = found["head"].replace(" ", ""), first, start, end
                self.table, top = [], None
            elif found := _PAIR.match(line):
                last = self._last_line(number, found.end())
                if last < 0:
                    return None
                self._add(found, offset, first, number, last)
                top = None
            elif self.table is not None and not self.is_toml and _LONE.match(line.strip()):
                self.table.append(Member(line.strip(), first, start, end, end))
                top = None
            else:
                return None
            offset += sum(len(x) + 1 for x in self.lines[number : last + 1])
            number = last + 1
        self._close(is_below=False)
        return Container(0, len(self.text), tuple(self.root)) if self.root else None

    def _close(self, *, is_below: bool) -> None:
        """End the open table, if any, and append it to the root. is_below: the last comment belongs
        to what is below, so the table ends before it.
        """
        if self.table is not None:
            key, top, start, end = self.head
            last = self.table[-1].after if self.table else end
            inside = last if is_below else max(last, self.remark)
            inner = Container(min(end + 1, len(self.text)), inside, tuple(self.table))
            self.root.append(Member(key, top, start, max(last, end), max(last, end), inner))
        self.table = None

    def _add(self, found: re.Match[str], offset: int, top: int, number: int, last: int) -> None:
        """Append to the open table, or to the root, the key that ``found`` is.

        found: of line ``number``, which begins at ``offset``. last: the line in which its value
        ends. top: the offset of the comments above.
        """
        line = self.lines[number]
        start = offset + len(line) - len(line.lstrip())
        before = sum(len(x) + 1 for x in self.lines[number:last])
        after = offset + before + len(self.lines[last].rstrip())
        end = after if last > number else offset + len(self._without_remark(line))
        inner = self._inline(offset + found.end(), end) if self.is_toml else None
        key = found["key"].strip().strip("\"'")
        member = Member(key, top, start, end, after, inner)
        (self.root if self.table is None else self.table).append(member)

    def _inline(self, start: int, end: int) -> Container | None:
        """The inline table that the value ``start .. end`` is; ``None`` for any other value, or if
        its brackets do not match.
        """
        dialect = dialect_of("toml")
        if dialect is None or not self.text[start:end].lstrip().startswith("{"):
            return None
        reader = BracketReader(self.text, "toml", dialect, start, end)
        if not reader.is_whole:
            return None
        opened = next(n for n, token in enumerate(reader.tokens) if token[0] == "o")
        return reader.container(opened + 1, reader.closing[opened], is_object=True)

    def _last_line(self, number: int, value: int) -> int:
        """The line in which the value of line ``number`` ends: a string of several lines or
        brackets (TOML), lines ended with a backslash or indented below a key at the margin
        (others).

        value: the column at which it begins. -1 if it never ends.
        """
        lines = self.lines
        if self.is_toml:
            begin = lines[number][value:].strip()
            for quotes in ('"""', "'''"):
                if begin.startswith(quotes) and quotes not in begin[3:]:
                    ends = (n for n in range(number + 1, len(lines)) if quotes in lines[n])
                    return next(ends, -1)
            return _closed(lines, number, value)
        last = number
        while lines[last].endswith("\\") and last + 1 < len(lines):
            last += 1
        is_margin = bool(lines[number][:1].strip())
        while is_margin and last + 1 < len(lines) and re.match(r"[ \t]+\S", lines[last + 1]):
            last += 1
        return last

    def _without_remark(self, line: str) -> str:
        """A line without its comment (in TOML) and the blanks at its end."""
        found = _BEFORE_REMARK.match(line) if self.is_toml else None
        return (found[0] if found else line).rstrip()


def _closed(lines: Sequence[str], number: int, value: int) -> int:
    """The line in which all square and curly brackets of a value are closed; -1 if they never are. Strings and
    comments are passed over. value: its column in line ``number``.
    """
    depth = 0
    for last in range(number, len(lines)):
        bare = _STRINGS.sub("", lines[last][value if last == number else 0 :])
        depth += sum(map(bare.count, "[{")) - sum(map(bare.count, "]}"))
        if depth <= 0:
            return last
    return -1
