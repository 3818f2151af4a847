"""New members of a file's container, written with the separators, indentation and blank lines of those beside them; ``theirs`` is the file's, ``ours`` the sketch's."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from editd.apply.readers.member_texts import ContainerPair, MemberTexts, is_block
from editd.syntax.containers import Container, Member

MemberEdit = tuple[int, int, str]
"""Text ``start .. end`` of the file, and what takes its place."""


class MemberInsertion:
    """New members of one container, below or above the file's member ``at``; -1 is above the first one."""

    def __init__(
        self,
        texts: MemberTexts,
        both: ContainerPair,
        at: int,
        new: Sequence[Member],
        *,
        is_below: bool,
    ) -> None:
        self.texts, self.both, self.at, self.new = texts, both, at, new
        self.is_below = is_below and at >= 0
        theirs, ours = both.theirs, both.ours
        file, shown = texts.file, texts.shown
        starts_line = file[max(0, theirs.start - 1) : theirs.start] in ("", "\n")
        self.is_long = "\n" in file[theirs.start : theirs.end] or starts_line
        if not theirs.members:
            self.is_long |= "\n" in shown[ours.start : ours.end]
        constants = texts.num_constants(theirs)
        self.parting = ";" if constants and at + 1 > constants else theirs.parting

    def edits(self) -> Iterator[MemberEdit]:
        """The edits of the file's text that put the members in, in one line or in several as the container is written,
        with the separators that they and the member beside them need.
        """
        theirs, file = self.both.theirs, self.texts.file
        comma = "," if self.parting == "," else ""
        gap = "\n" + self._indent() if self.is_long else " "
        blank = "\n" * (self.is_long and self._has_gaps())
        text = (comma + blank + gap).join(map(self._text, self.new))
        if not theirs.members:
            closing = "\n" + self.texts.indent_at(theirs.start) if self.is_long else " "
            trailing = comma if self.is_long and self._shows_last_comma() else ""
            yield theirs.start, theirs.end, f"{gap}{text}{trailing}{closing}"
            return
        beside = theirs.members[max(self.at, 0)]
        if not self.is_below:
            yield beside.top, beside.top, f"{text}{comma}{blank}{gap}"
            return
        separator = file[beside.end : beside.after]
        if self.parting != ",":
            if self.parting == ";" and file[beside.end - 1] != "}" and ";" not in separator:
                yield beside.end, beside.end, ";"
            yield beside.after, beside.after, f"{blank}{gap}{text}"
        elif "," in separator:
            is_last = self.at + 1 == len(theirs.members)
            trailing = comma if not is_last or self.is_long else ""
            yield beside.after, beside.after, f"{blank}{gap}{text}{trailing}"
        else:
            ending = ";" if separator.lstrip().startswith(";") else ""  # of an enum's constants
            yield beside.end, beside.end + len(ending), comma
            yield beside.after, beside.after, f"{gap}{text}{ending}"

    def _indent(self) -> str:
        """The blanks before a new member: those of the container's first member; one unit of the file (two spaces if it
        has none) more than the container's own if it is empty; none in a container of one line that has members.
        """
        theirs = self.both.theirs
        if theirs.members:
            return self.texts.indent_at(theirs.members[0].start) if self.is_long else ""
        return self.texts.indent_at(theirs.start) + (self.texts.lines.unit or "  ")

    def _text(self, member: Member) -> str:
        """A new member with the comments above it, indented, with the semicolon that it ends in or needs, and without a
        comma at its end.
        """
        shown = self.texts.shown
        text = self.texts.shown_text(member, self._indent(), with_comment=True).rstrip(",")
        if self.parting == ",":
            return text
        has_sign = ";" in shown[member.end : member.after]
        needs_sign = self.parting == ";" and self.both.ours.parting != "," and text[-1:] != "}"
        return text + ";" * (has_sign or (needs_sign and not is_block(member, shown)))

    def _shows_last_comma(self) -> bool:
        """Whether the sketch has a comma after its last member."""
        last = self.both.ours.members[-1]
        return "," in self.texts.shown[last.end : last.after]

    def _has_gaps(self) -> bool:
        """Whether a blank line parts most neighbouring members of this kind (blocks, or none) in the file; where it has
        no such pair, whether the sketch shows one above the first new member.
        """
        file, shown, first = self.texts.file, self.texts.shown, self.new[0]
        pairs = [
            (above, below)
            for above, below in pairwise(self.both.theirs.members)
            if (is_block(above, file) or is_block(below, file)) == is_block(first, shown)
        ]
        if not pairs:
            ends = (x.end for x in self.both.ours.members if x.end <= first.top)
            return "\n\n" in shown[max(ends, default=first.top) : first.top]
        return 2 * sum("\n\n" in file[x.end : y.top] for x, y in pairs) > len(pairs)


def last_like(theirs: Container, new: Member, texts: MemberTexts) -> int:
    """The number of the file's member after which a new one goes; -1 if it goes to the beginning.

    In this order: after the last one of its tag or directive (a tag of which there is none: after the last member);
    after the constants of an enum, if it is no block; where its key stands in order, if three members or more are
    sorted; after the last member, in lists with commas and for blocks; else after the last one that is no block.
    """
    members = theirs.members
    last = len(members) - 1
    if new.kind:
        same = [n for n, x in enumerate(members) if x.kind == new.kind]
        if same or new.kind.startswith("<"):
            return same[-1] if same else last
    is_long = is_block(new, texts.shown)
    if (constants := texts.num_constants(theirs)) and not is_long:
        return constants - 1
    keys = [member.key for member in members]
    if last > 1 and all(keys) and all(x < y for x, y in pairwise(keys)):
        return sum(key < new.key for key in keys) - 1
    if theirs.parting == "," or is_long:
        return last
    same = [n for n, x in enumerate(members) if not is_block(x, texts.file)]
    return same[-1] if same else -1
