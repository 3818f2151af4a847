"""Edits a file's text member by member (keys of a mapping, fields of a class), as a sketch shows a container: ``theirs`` is the file's, ``ours`` the sketch's.

A member takes the place of the file's one of its key; a new one goes beside the member that it stands beside in the
sketch, else after its like. Knows separators, indentation and blank lines; which container it is, and whether this is
what the sketch means, is decided elsewhere.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from editd.apply.readers.member_texts import ContainerPair, MemberTexts, as_deep
from editd.apply.readers.new_imports import read_imports
from editd.apply.readers.new_members import MemberEdit, MemberInsertion, last_like
from editd.diff.matching import is_weak
from editd.syntax.containers import Container, Member
from editd.syntax.imports import IMPORT_LINE
from editd.syntax.members import is_same, match_members, with_keys

# Members that say which container it is; that they stay as they are says nothing of the others.
_NAMING = ("id", "name", "key", "kind", "apiVersion", "groupId", "artifactId", "server_name")
_ATTRIBUTE = re.compile(r"([\w.:@#-]+)(?:\s*=\s*(\"[^\"]*\"|'[^']*'|\{[^{}]*\}))?")
_COMMENT = re.compile(r"\s*(?:#|//|/\*|--|<!--|;)")
_SIGN = re.compile(r"=>|[:=({]")


class NoMembersError(Exception):
    """Raised if the sketch shows something else than members of containers; ``read_by_keys`` returns ``None`` then."""


class MemberEdits:
    """Collects edits of a file's text.

    staying: offsets of its members that stay though the sketch shows others beside them. renamed: of those that the
    sketch shows under another key. by_share: whether members go that the sketch leaves out of a container of which it
    shows more than half; else all stay.
    """

    def __init__(self, texts: MemberTexts, *, by_share: bool) -> None:
        self.texts, self.by_share = texts, by_share
        self.file, self.shown = texts.file, texts.shown
        self.staying: set[int] = set()
        self.renamed: set[int] = set()
        self._edits: list[MemberEdit] = []

    def text(self) -> str:
        """The file's text after all edits collected so far, in the file's order; an edit that begins within an earlier
        one is left out.
        """
        parts = []
        position = 0
        for start, end, new in sorted(self._edits, key=lambda edit: edit[:2]):
            if start >= position:
                parts += [self.file[position:start], new]
                position = end
        return "".join([*parts, self.file[position:]])

    def edit_container(
        self, theirs: Container, ours: Container, *, is_fragment: bool = False
    ) -> None:
        """Collect the edits of one container, and of those in it: members replaced, removed and added (to a scope imports
        alone); adds to ``staying`` and ``renamed``.

        Members that the sketch omits stay in a scope (a module, for example) and in a fragment; so do those of a
        container shown in part, which go into ``staying``; others are removed. is_fragment: the sketch shows some
        members without the brackets around them. Raises ``NoMembersError``, edits collected so far kept, if the sketch
        shows anything but members: a statement that the file does not have, something without a key, prose, or a marker
        within a list or a function.
        """
        numbers = match_members(theirs.members, ours.members, (self.file, self.shown))
        both = ContainerPair(theirs, ours, numbers)
        self._refuse_statements(both, is_fragment=is_fragment)
        for member, shown in both.pairs:
            self._replace(member, shown)
        if both.missing and not theirs.is_scope and not is_fragment:
            if self._is_shown_in_part(both):
                self.staying |= {theirs.members[n].start for n in both.missing}
            else:
                for number in both.missing:
                    self._remove(theirs, number)
        new = [n for n, number in enumerate(numbers) if number is None and self._is_new(both, n)]
        if theirs.is_scope:
            self._add_imports([ours.members[n] for n in new])
        else:
            self._add(both, new)

    def has_markers(self, ours: Container) -> bool:
        """Whether the sketch has a marker before, between or after the members of its outermost container; false if
        that has brackets of its own.
        """
        ends = [0, *(member.end for member in ours.members)]
        starts = [*(member.start for member in ours.members), len(self.shown)]
        between = zip(ends, starts, strict=True)
        return ours.start == 0 and any(self.texts.has_marker(low, high) for low, high in between)

    # --- what the sketch shows ---

    def _is_new(self, both: ContainerPair, number: int) -> bool:
        """Whether member ``number`` of the sketch is neither a marker nor dots alone."""
        member = both.ours.members[number]
        text = self.shown[member.start : member.end].strip()
        return not self.texts.is_marker(text) and text not in ("...", "…")

    def _refuse_statements(self, both: ContainerPair, *, is_fragment: bool) -> None:
        """Raise ``NoMembersError`` if the sketch shows something new without a key outside of a list; in a scope (a
        module, for example), if a member is neither an import nor a member of the file that is a function, holds
        members or is unchanged; and in a fragment (``is_fragment``: members without the brackets around them), if a
        member has a sign between key and value that none of the file's members there has. both: the file's container
        and what the sketch shows of it.
        """
        theirs, ours = both.theirs, both.ours
        for index, (member, number) in enumerate(zip(ours.members, both.numbers, strict=True)):
            if (
                number is None
                and not member.key
                and not theirs.is_list
                and self._is_new(both, index)
            ):
                raise NoMembersError
            if not theirs.is_scope or IMPORT_LINE.match(self.shown, member.start):
                continue
            other = theirs.members[number] if number is not None else None
            if other is None or not (
                _hold_members(other, member)
                or member.key.endswith("()")
                or self.texts.is_equal(other, member)
            ):
                raise NoMembersError
        if is_fragment:
            signs = {_sign(self.file[x.start : x.end]) for x in theirs.members}
            if any(_sign(self.shown[x.start : x.end]) not in signs for x in ours.members):
                raise NoMembersError  # branches of a match, for example

    def _is_shown_in_part(self, both: ContainerPair) -> bool:
        """Whether the members stay that the sketch does not show.

        They do if not ``by_share``, or if a marker stands for them; else if something changes and the sketch shows half
        of the members with keys or fewer, or none that stays as it is. Members that only identify the container, such
        as ``id``, do not count if they stay as they are.
        """
        if not self.by_share or self.texts.has_marker(both.ours.start, both.ours.end):
            return True
        known = [(theirs, ours) for theirs, ours in both.pairs if theirs.key]
        same = [theirs for theirs, ours in known if self.texts.is_equal(theirs, ours)]
        naming = sum(member.key.strip("<>") in _NAMING for member in same)
        is_few = 2 * (len(known) - naming) <= len(with_keys(both.theirs)) - naming
        return (is_few or len(same) == naming) and self._changes(both)

    def _changes(self, both: ContainerPair) -> bool:
        """Whether the sketch has, at any depth, other members than the file there, other values, or comments above them
        that the file has not. Members that it omits are no change.
        """
        for index, number in enumerate(both.numbers):
            ours = both.ours.members[index]
            if number is None:
                if self._is_new(both, index):
                    return True
                continue
            theirs = both.theirs.members[number]
            if self._new_comment(theirs, ours):
                return True
            if _hold_members(theirs, ours) and theirs.inner and ours.inner:
                members = theirs.inner.members, ours.inner.members
                numbers = match_members(*members, (self.file, self.shown))
                if self._changes(ContainerPair(theirs.inner, ours.inner, numbers)):
                    return True
            elif not self.texts.is_equal(theirs, ours):
                return True
        return False

    # --- one member ---

    def _replace(self, theirs: Member, ours: Member) -> None:
        """Collect the edits of a member's value or of what it holds, of the words before its container, and of the
        comment above it; add it to ``renamed`` if the keys differ.

        A value of which the sketch shows only markers stays, with its comment. Raises ``NoMembersError`` for prose
        before a container, and for a marker within a list or a function.
        """
        if theirs.key != ours.key:
            self.renamed.add(theirs.start)
        if _hold_members(theirs, ours) and theirs.inner and ours.inner:
            old = self.file[theirs.start : theirs.inner.start]
            new = self.shown[ours.start : ours.inner.start]
            if "\n\n" in new:
                raise NoMembersError  # prose, for example
            new = new if theirs.key != ours.key else _words_before(old, new)
            if new != old:
                self._edits.append((theirs.start, theirs.inner.start, new))
            self.edit_container(theirs.inner, ours.inner)
        elif not self.texts.is_equal(theirs, ours):
            rest = self.shown[ours.start : ours.end].split("\n")[1:]
            if any(map(self.texts.is_marker, rest)):
                if all(self.texts.is_marker(line) or is_weak(line) for line in rest):
                    return  # all of it stays
                raise NoMembersError  # a marker within a list or a function
            new = self.texts.shown_text(ours, self.texts.indent_at(theirs.start))
            if self.texts.lines.language == "yaml":
                new = as_deep(new, self.file[theirs.start : theirs.end])
            self._edits.append((theirs.start, theirs.end, new))
        self._replace_comment(theirs, ours)

    def _replace_comment(self, theirs: Member, ours: Member) -> None:
        """Collect an edit that puts the sketch's comments above a member in the place of the file's, if some are not
        the file's; decorators that the sketch does not show stay.
        """
        above = self._new_comment(theirs, ours)
        if not above:
            return
        indent = self.texts.indent_at(theirs.start)
        fresh = [line.strip() for line in above.split("\n")]
        old = [line.strip() for line in self.file[theirs.top : theirs.start].split("\n")]
        stay = [x for x in old if x and not _COMMENT.match(x) and x not in fresh]
        new = above.rstrip(" \t") + "".join(f"{indent}{line}\n" for line in stay)
        self._edits.append((theirs.top, theirs.start, new + indent * new.endswith("\n")))

    def _new_comment(self, theirs: Member, ours: Member) -> str:
        """The comments and decorators above a member in the sketch, indented as in the file, if some of their lines are
        not above the file's; else an empty string.
        """
        indent = self.texts.indent_at(theirs.start)
        whole = self.texts.shown_text(ours, indent, with_comment=True)
        above = whole[: len(whole) - len(self.texts.shown_text(ours, indent))]
        old = [line.strip() for line in self.file[theirs.top : theirs.start].split("\n")]
        is_known = all(line.strip() in old for line in above.split("\n") if line.strip())
        return "" if is_known else above

    def _remove(self, container: Container, number: int) -> None:
        """Collect an edit that takes member ``number`` away with its comment, its separator and, if nothing else stands
        there, its lines; with the comma of the member before if it is the last one and has none.
        """
        members = container.members
        member = members[number]
        start, end = member.top, member.after
        line = self.file.rfind("\n", 0, start) + 1
        if not self.file[line:start].strip() and self.file[end : end + 1] in ("\n", ""):
            start, end = line, min(end + 1, len(self.file))
        elif number + 1 < len(members):
            end = members[number + 1].top
        is_last = number > 0 and number + 1 == len(members)
        if container.parting == "," and is_last and "," not in self.file[member.end : member.after]:
            above = members[number - 1]  # its comma goes
            if not self.file[above.end + 1 : start].strip():
                start = above.end
            end = member.end
        self._edits.append((start, end, ""))

    # --- new members ---

    def _add_imports(self, new: Sequence[Member]) -> None:
        """Collect edits that put imports among the file's; none for no members. Raises ``NoMembersError`` if some
        member is no import, or differs from one of the file's only in blanks, and if nothing is left to add.
        """
        rows = [row for x in new for row in self.shown[x.start : x.after].split("\n")]
        found = read_imports(rows, self.texts.lines) if rows else None
        if rows and found is None:
            raise NoMembersError
        starts = [0]
        for line in self.texts.lines.keys:
            starts.append(starts[-1] + len(line) + 1)
        for change in found.changes if found is not None else ():
            text = "".join(f"{row}\n" for row in change.new)
            self._edits.append((starts[change.start], starts[change.end], text))

    def _add(self, both: ContainerPair, new: Sequence[int]) -> None:
        """Collect edits that put new members below those that they stand below in the sketch, or above those that they
        stand above (if there is none above, or a marker parts them from it); others after the last one like them. new:
        their numbers in the sketch.
        """
        groups: dict[tuple[int, bool], list[Member]] = {}
        for number in new:
            above = next((n for n in reversed(both.numbers[:number]) if n is not None), None)
            below = next((n for n in both.numbers[number + 1 :] if n is not None), None)
            if below is not None and (above is None or self._is_apart(both.ours, number)):
                index = below, False
            elif above is not None:
                index = above, True
            else:
                index = last_like(both.theirs, both.ours.members[number], self.texts), True
            groups.setdefault(index, []).append(both.ours.members[number])
        for (at, is_below), members in groups.items():
            self._edits += MemberInsertion(self.texts, both, at, members, is_below=is_below).edits()

    def _is_apart(self, ours: Container, number: int) -> bool:
        """Whether a marker stands between a member of the sketch and the one before, and none between it and the one
        after.
        """
        members = ours.members
        start = members[number - 1].end if number else ours.start
        end = members[number + 1].start if number + 1 < len(members) else ours.end
        above = self.texts.has_marker(start, members[number].start)
        return above and not self.texts.has_marker(members[number].end, end)


def _hold_members(theirs: Member, ours: Member) -> bool:
    """Whether both members hold members with keys, not elements of a list."""
    return (
        theirs.inner is not None
        and ours.inner is not None
        and not (theirs.inner.is_list or ours.inner.is_list)
    )


def _sign(text: str) -> str:
    """The sign between a member's key and its value; empty if there is none."""
    found = _SIGN.search(text)
    return found[0] if found else ""


def _words_before(old: str, new: str) -> str:
    """The words before a container: the sketch's if they are more and have all of the file's; a tag with the attributes
    of both; otherwise, and if both differ in blanks alone, the file's.
    """
    if is_same(old, new):
        return old
    if old.startswith("<") and new.startswith("<"):
        return _tag(old, new)
    words, others = (re.findall(r"\w+|[^\s\w]", text) for text in (old, new))
    says_more = len(others) > len(words)
    return new if says_more and all(others.count(x) >= words.count(x) for x in words) else old


def _tag(old: str, new: str) -> str:
    """The file's tag with the sketch's values of its attributes; new attributes at its end; attributes that the sketch
    omits, or shows without a value, stay.
    """
    known = {found[1]: found for found in _ATTRIBUTE.finditer(old) if found[2]}
    edits = []
    for found in _ATTRIBUTE.finditer(new):
        if found[2] is None:
            continue
        other = known.get(found[1])
        if other is None:
            end = old.rindex(">")
            edits.append((end, end, f" {found[0]}"))
        elif other[2] != found[2]:
            edits.append((*other.span(), found[0]))
    for start, end, text in sorted(edits, reverse=True):
        old = old[:start] + text + old[end:]
    return old
