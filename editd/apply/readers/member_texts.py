"""Members (keys of a mapping, fields of a class) as the file (``theirs``) and the pasted sketch (``ours``) write them: indentation, comments, separators. Reads both texts and changes none."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from editd.apply.paste.markers import Markers
from editd.apply.text.file_lines import FileLines
from editd.apply.text.indent import reindented
from editd.apply.text.line import indent_of
from editd.syntax.containers import Container, Member
from editd.syntax.members import is_same, with_keys


@dataclass(frozen=True, slots=True)
class ContainerPair:
    """A container of the file and what the sketch shows of it.

    numbers: for each member of ``ours`` that of the same one in ``theirs``, or ``None`` for a new one.
    """

    theirs: Container
    ours: Container
    numbers: Sequence[int | None]

    @property
    def pairs(self) -> list[tuple[Member, Member]]:
        """The members that both have, the file's first."""
        found = zip(self.ours.members, self.numbers, strict=True)
        return [(self.theirs.members[n], member) for member, n in found if n is not None]

    @property
    def missing(self) -> list[int]:
        """The numbers of the file's members with keys that the sketch does not show."""
        known = {n for n in self.numbers if n is not None}
        return [n for n in with_keys(self.theirs) if n not in known]


class MemberTexts:
    """The file's text and the sketch's, read as members."""

    def __init__(self, lines: FileLines, file: str, shown: str) -> None:
        self.lines, self.file, self.shown = lines, file, shown
        self.is_marker = Markers(lines)

    def has_marker(self, low: int, high: int) -> bool:
        """Whether some line of the sketch's text from offset ``low`` to ``high`` (exclusive) is a marker."""
        return any(map(self.is_marker, self.shown[low:high].split("\n")))

    def is_equal(self, theirs: Member, ours: Member) -> bool:
        """Whether a member of the file and of the sketch differ in blanks at most."""
        return is_same(self.file[theirs.start : theirs.end], self.shown[ours.start : ours.end])

    def shown_text(self, ours: Member, indent: str, *, with_comment: bool = False) -> str:
        """The text of a member of the sketch at the file's depth ``indent``, without the blanks of its first line.

        with_comment: also the comments and decorators above it, without markers.
        """
        line = self.shown.rfind("\n", 0, ours.start) + 1
        given = indent_of(self.shown[line : ours.start] + "x")
        begin = ours.top if with_comment and ours.top >= line else ours.start
        rows = [given + self.shown[begin : ours.end]]
        if with_comment and ours.top < line:
            first = self.shown.rfind("\n", 0, ours.top) + 1
            above = self.shown[first:line].split("\n")[:-1]
            rows = [*(row for row in above if not self.is_marker(row)), *rows]
        moved = reindented("\n".join(rows).split("\n"), given, indent, self.lines)
        return "\n".join(moved).lstrip()

    def indent_at(self, at: int) -> str:
        """The blanks at the beginning of the line of the file in which offset ``at`` lies, up to ``at``; signs of a
        list (``- ``) alone before it count as blanks.
        """
        before = self.file[self.file.rfind("\n", 0, at) + 1 : at]
        if re.fullmatch(r"\s*(?:- +)+", before):
            before = before.replace("-", " ")
        return indent_of(before + "x")

    def num_constants(self, container: Container) -> int:
        """How many members an enum of the file has up to the first one that a semicolon follows; 0 for a container
        without such a semicolon, or whose separator is no comma.
        """
        if container.parting != ",":
            return 0
        ends = (n for n, x in enumerate(container.members) if ";" in self.file[x.end : x.after])
        return next(ends, -1) + 1


def is_block(member: Member, text: str) -> bool:
    """Whether a member of the text is a function, or takes several lines and holds members or ends in ``}``."""
    own = text[member.start : member.end]
    is_long = "\n" in own and (member.inner is not None or own.endswith("}"))
    return is_long or member.key.endswith("()")


def as_deep(new: str, old: str) -> str:
    """A value of YAML whose list, below its first line, is indented as that of ``old``; as it is if one of them has no
    list there.
    """
    first, *rest = new.split("\n")
    given, target = (
        next((row for row in rows if row.strip()), "") for rows in (rest, old.split("\n")[1:])
    )
    if not (given.strip()[:2] == target.strip()[:2] == "- "):
        return new
    more = len(indent_of(target)) - len(indent_of(given))
    if more > 0:
        return "\n".join([first, *(" " * more + row if row else row for row in rest)])
    return "\n".join([first, *(row[min(-more, len(indent_of(row))) :] for row in rest)])
