"""Where the definitions of a Python file are, read line by line.

``ast`` would say the same, but in one call that takes forty microseconds a line and cannot be
stopped. All that is needed here is where logical lines begin, how deep they stand and what their
first words are. Text whose brackets or strings do not close is left to ``outline``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import cast

from editd.breathing import breathe

_CHARACTERS_A_PIECE = 1 << 15
_LONGEST_LINE = 100_000  # characters; a file with a longer one is data

Found = tuple[str, int, int, str, bool]
"""name, first line, line after the last, owner, whether it is a block: as in ``Definition``."""


def python_definitions(lines: Sequence[str], most: int) -> list[Found] | None:
    """All definitions that are no function's own; ``None`` for a text that is not whole.

    Of more than ``most`` just more than that.
    """
    reader = _Reader()
    read = 0
    for number, line in enumerate(lines):
        if len(line) > _LONGEST_LINE:
            return []
        if not reader.read(number, line):
            return None
        read += len(line) + 8
        if read > _CHARACTERS_A_PIECE:
            read = 0
            if len(reader.found) > most:
                return reader.all()[: most + 1]
            breathe()
    return reader.finish()


@dataclass(slots=True)
class _Block:
    """What is indented below one line. ``owner``: of definitions in it; ``None``: they do not count."""

    indent: int
    owner: str | None
    found: int = -1  # its own number among what was found


@dataclass(slots=True)
class _Reader:
    found: list[list[str | int | bool]] = field(default_factory=list)
    blocks: list[_Block] = field(default_factory=list)
    last: int = -1  # the last line that holds code
    depth: int = 0  # of brackets
    quote: str = ""  # of the string that the line ended in
    continued: bool = False  # by a backslash
    decorated: int | None = None  # line of the first decorator
    pending: list[int] = field(default_factory=list)  # constants whose logical line goes on

    def read(self, number: int, line: str) -> bool:
        """Take the next line; false if the text is not whole."""
        if not (self.quote or self.depth or self.continued):
            bare = line.lstrip(" \t\f")
            if not bare.strip() or bare[0] == "#":
                return True
            self._begin(number, bare, line[: len(line) - len(bare)])
        elif self.depth and not self.quote and _TOP.match(line):
            return False  # a bracket was never closed
        self.last = number
        self._scan(line)
        if not (self.quote or self.depth or self.continued):
            for one in self.pending:
                self.found[one][2] = number + 1
            self.pending = []
        return True

    def finish(self) -> list[Found] | None:
        """Everything, once the last line was read."""
        if self.quote or self.depth:
            return None
        self._close(0)
        return self.all()

    def all(self) -> list[Found]:
        """What was found so far."""
        return [cast(Found, tuple(one)) for one in self.found]

    def _begin(self, number: int, bare: str, blanks: str) -> None:
        """A logical line begins."""
        indent = len(blanks.expandtabs())
        self._close(indent)
        owner = self.blocks[-1].owner if self.blocks else ""
        if bare[0] == "@":
            self.decorated = number if self.decorated is None else self.decorated
            return
        start, self.decorated = number if self.decorated is None else self.decorated, None
        if head := _DEFINITION.match(bare):
            inner = head["name"] if head["kind"] == "class" and owner is not None else None
            block = _Block(indent, inner)
            if owner is not None:
                block.found = len(self.found)
                self.found.append([head["name"], start, number + 1, owner, True])
            self.blocks.append(block)
        elif head := _COMPOUND.match(bare):
            self.blocks.append(_Block(indent, owner if head["kind"] in _OPEN else None))
        elif owner is not None:
            for name in _names_assigned(bare):
                self.pending.append(len(self.found))
                self.found.append([name, number, number + 1, owner, False])

    def _close(self, indent: int) -> None:
        """End the blocks that a line of this depth does not belong to."""
        while self.blocks and self.blocks[-1].indent >= indent:
            block = self.blocks.pop()
            if block.found >= 0:
                self.found[block.found][2] = self.last + 1

    def _scan(self, line: str) -> None:
        """Strings, brackets and comments of one line."""
        at, end = 0, len(line)
        self.continued = False
        while at < end:
            if self.quote:
                closed = _ENDS[self.quote].match(line, at)
                if closed is None:
                    if len(self.quote) == 1 and not _BACKSLASH.search(line):
                        self.quote = ""  # it was never closed: go on with the next line
                    return
                self.quote = ""
                at = closed.end()
            mark = _MARK.search(line, at)
            if mark is None:
                break
            at = mark.end()
            word = mark.group()
            if word == "#":
                return
            if word in "([{":
                self.depth += 1
            elif word in ")]}":
                self.depth = max(0, self.depth - 1)
            elif word[0] == "\\":
                self.continued = True
            else:
                self.quote = word


def _names_assigned(bare: str) -> Iterator[str]:
    """``a`` and ``b`` of ``a = b = 1``; ``a`` of ``a: int``."""
    found = _ASSIGNED.match(bare)
    while found:
        yield found["name"]
        found = _ASSIGNED.match(bare, found.end()) if found["sign"] == "=" else None


_TOP = re.compile(r"(?:async\s+def|def|class|import|from)\s")
_DEFINITION = re.compile(r"(?P<kind>async\s+def|def|class)\s+(?P<name>[^\W\d]\w*)")
_COMPOUND = re.compile(
    r"(?P<kind>(?:if|elif|else|try|except|with|finally|for|while|async\s+for|async\s+with)\b"
    r"|(?:match|case)\b(?=[ \t]*[^\s:=.,)][^\n]*:\s*(?:#.*)?$))"
)
_OPEN = frozenset(["if", "elif", "else", "try", "except", "with"])
_ASSIGNED = re.compile(r"\s*(?P<name>[^\W\d]\w*)[ \t]*(?P<sign>:(?!=)|=(?!=))")
_MARK = re.compile(r"#|\"\"\"|'''|[\"'()\[\]{}]|\\\r?\n?\Z")
_BACKSLASH = re.compile(r"\\\r?\n?\Z")
_ENDS = {
    "'": re.compile(r"(?:[^'\\\n]|\\.)*+'", re.DOTALL),
    '"': re.compile(r'(?:[^"\\\n]|\\.)*+"', re.DOTALL),
    "'''": re.compile(r"(?:[^'\\]|\\.|'(?!''))*+'''", re.DOTALL),
    '"""': re.compile(r'(?:[^"\\]|\\.|"(?!""))*+"""', re.DOTALL),
}
