"""Reads a sketch by the keys of its containers, such as objects, rules, elements, enums and mappings.

What it shows of a container takes the place of the file's members of these keys, and new members are added; the
others stay. What a container and its members are is known to ``syntax``, and whether this is likelier than
the lines as they are shown to ``stepwise``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from editd.apply.imports import read_imports
from editd.apply.indent import in_units, reindented
from editd.apply.lines import IMPORT, Lines, indent_of, num_strong
from editd.apply.outcome import LIKELY, SURE, Aligned, Change
from editd.apply.sketch import Markers
from editd.diff.matching import changes
from editd.syntax.containers import Container, Member
from editd.syntax.members import counted, gone, is_same, matched, members_of

STAY = "What the paste does not show of this stays."
_GOES = "“{}” (line {}) would go; look whether it should."
_MORE = "“{}” (line {}) and {} more would go; look whether they should."
_ATTRIBUTE = re.compile(r"([\w.:@#-]+)(?:\s*=\s*(\"[^\"]*\"|'[^']*'|\{[^{}]*\}))?")
_COMMENT = re.compile(r"\s*(?:#|//|/\*|--|<!--|;)")


@dataclass(frozen=True, slots=True)
class Keyed:
    """A reading by keys. is_fragment: the sketch shows members of a class or an object without what is around them."""

    changes: tuple[Change, ...]
    is_fragment: bool


class _Unread(Exception):
    """The sketch shows something else than members of containers."""


def read_keyed(block: Sequence[str], lines: Lines, *, by_share: bool) -> Keyed | None:
    """The reading; ``None`` if the sketch holds no container of the file's, or nothing changes.

    by_share: members go that the sketch leaves out of a container of which it shows more than half; else all stay.
    """
    text = "\n".join(lines.keys)
    shown = "\n".join(in_units([[x.rstrip() for x in block]], lines)[0])
    theirs, ours = members_of(text, lines.language), members_of(shown, lines.language)
    if theirs is None or ours is None or not any(x.key for x in ours.members):
        return None
    target = _target(theirs, ours, (text, shown))
    if target is None:
        return None
    is_fragment = ours.is_scope and not target.is_scope
    if is_fragment and any(one.key.endswith("()") for one in ours.members):
        return None  # methods
    merge = _Merge(lines, text, shown, Markers(lines), by_share=by_share)
    try:
        merge.take(target, ours, is_fragment=is_fragment)
    except _Unread:
        return None
    merged = merge.text()
    new = [x.rstrip() for x in merged.split("\n")]
    found = tuple(
        Change(one.old_start, one.old_end, tuple(new[one.new_start : one.new_end]), SURE, why=STAY)
        for one in changes(lines.keys, new)
    )
    return Keyed(found, is_fragment) if found else None


def _target(theirs: Container, ours: Container, texts: tuple[str, str]) -> Container | None:
    """The file's container of which the sketch shows members: that which shares most, and all of it if several do."""
    best: tuple[int, Container] | None = None
    for one in _within(theirs):
        pairs = matched(one.members, ours.members, texts)
        score = sum(n is not None for n in pairs)
        inner = any(
            n is not None and one.members[n].inner is not None and ours.members[m].inner is not None
            for m, n in enumerate(pairs)
        )
        score = 2 * score + inner
        if score and best is not None and score == best[0] and best[1] is not theirs:
            return None
        if score and (best is None or score > best[0]):
            best = score, one
    if best is not None:
        return best[1]
    return theirs if not theirs.is_scope and not ours.is_scope else None


def _within(container: Container) -> Iterator[Container]:
    """A container and those in it, outer ones first."""
    pending = [container]
    while pending:
        one = pending.pop(0)
        yield one
        pending += [x.inner for x in one.members if x.inner is not None]


@dataclass
class _Merge:
    """Edits of a file's text that bring what a sketch shows."""

    lines: Lines
    file: str
    shown: str
    is_marker: Callable[[str], bool]
    by_share: bool
    edits: list[tuple[int, int, str]] = field(default_factory=list)

    def text(self) -> str:
        """The file with all edits."""
        parts = []
        position = 0
        for start, end, new in sorted(self.edits, key=lambda one: (one[0], one[1])):
            if start >= position:
                parts += [self.file[position:start], new]
                position = end
        return "".join([*parts, self.file[position:]])

    def take(self, theirs: Container, ours: Container, *, is_fragment: bool = False) -> None:
        """Bring the members of one container. is_fragment: the sketch shows some of them without what is around them."""
        pairs = matched(theirs.members, ours.members, (self.file, self.shown))
        self._refuse_statements(theirs, ours, pairs)
        for number, m in enumerate(pairs):
            if m is not None:
                self._replace(theirs.members[m], ours.members[number])
        there = {n for n in pairs if n is not None}
        missing = [n for n in counted(theirs) if n not in there]
        if missing and not theirs.is_scope and not is_fragment:
            if not self._is_shown_in_part(theirs, ours, pairs):
                for n in missing:
                    self._remove(theirs, n)
        new = [n for n, m in enumerate(pairs) if m is None and self._is_new(ours.members[n])]
        if theirs.is_scope:
            self._add_imports([ours.members[n] for n in new])
            return
        self._add(theirs, ours, pairs, new)

    def _refuse_statements(
        self, theirs: Container, ours: Container, pairs: Sequence[int | None]
    ) -> None:
        """Raise ``_Unread`` if what the sketch shows there has no key, or is a statement that the file does not have."""
        for one, number in zip(ours.members, pairs, strict=True):
            told = self.shown[one.start : one.end]
            if number is None and not one.key and self._is_new(one) and told[:1] not in "\"'<":
                raise _Unread
            if not theirs.is_scope or IMPORT.match(told):
                continue
            other = theirs.members[number] if number is not None else None
            is_known = other is not None and is_same(self.file[other.start : other.end], told)
            holds = other is not None and other.inner is not None and one.inner is not None
            if not is_known and not holds and not (other is not None and one.key.endswith("()")):
                raise _Unread

    def _is_new(self, one: Member) -> bool:
        told = self.shown[one.start : one.end]
        return not self.is_marker(told) and told.strip() not in ("...", "…")

    def _is_shown_in_part(self, theirs: Container, ours: Container, pairs: Sequence[int | None]) -> bool:
        """Whether members stay that are not shown: if half of them are or fewer, or a marker is."""
        inside = self.shown[ours.start : ours.end].split("\n")
        if not self.by_share or any(map(self.is_marker, inside)):
            return True
        known = sum(n is not None and bool(theirs.members[n].key) for n in pairs)
        return 2 * known <= len(counted(theirs)) and self._changes(theirs, ours)

    def _changes(self, theirs: Container, ours: Container) -> bool:
        """Whether the sketch has other members than the file there, or other values."""
        for m, n in enumerate(matched(theirs.members, ours.members, (self.file, self.shown))):
            one = ours.members[m]
            if n is None:
                if self._is_new(one):
                    return True
                continue
            other = theirs.members[n]
            if other.inner is not None and one.inner is not None:
                if self._changes(other.inner, one.inner):
                    return True
            elif not is_same(self.file[other.start : other.end], self.shown[one.start : one.end]):
                return True
        return False

    # --- one member ---

    def _replace(self, theirs: Member, ours: Member) -> None:
        """Bring a member's value, or what it holds; its first line and the comment above it, if they are other ones."""
        if theirs.inner is not None and ours.inner is not None:
            head = self.file[theirs.start : theirs.inner.start]
            told = self.shown[ours.start : ours.inner.start]
            if "\n\n" in told:
                raise _Unread  # prose, for example
            if (new := _head(head, told)) != head:
                self.edits.append((theirs.start, theirs.inner.start, new))
            self.take(theirs.inner, ours.inner)
        elif not is_same(self.file[theirs.start : theirs.end], self.shown[ours.start : ours.end]):
            new = self._told(ours, self._indent(theirs.start))
            self.edits.append((theirs.start, theirs.end, new))
        above = self.shown[ours.top : ours.start].strip().split("\n")
        fresh = [x.strip() for x in above if x.strip() and x.strip() not in self.lines.where_bare and not self.is_marker(x)]
        if fresh:
            indent = self._indent(theirs.start)
            start = theirs.top if _COMMENT.match(fresh[0]) and theirs.top < theirs.start else theirs.start
            told = "".join(f"{x}\n{indent}" for x in fresh)
            self.edits.append((start, theirs.start if start < theirs.start else start, told))

    def _told(self, one: Member, indent: str) -> str:
        """A member's text as deep as the file has it, without the blanks of its first line."""
        start = self.shown.rfind("\n", 0, one.start) + 1
        given = indent_of(self.shown[start : one.start] + "x")
        told = self.shown[one.start : one.end].split("\n")
        moved = reindented([given + told[0], *told[1:]], given, indent, self.lines)
        return "\n".join(moved).lstrip()

    def _indent(self, at: int) -> str:
        """The blanks of the line of an offset."""
        start = self.file.rfind("\n", 0, at) + 1
        return indent_of(self.file[start:at] + "x")

    def _remove(self, container: Container, number: int) -> None:
        """Take a member away, with its comment, its separator and its lines."""
        members = container.members
        one = members[number]
        start, end = one.top, one.after
        line = self.file.rfind("\n", 0, start) + 1
        if not self.file[line:start].strip() and self.file[end : end + 1] in ("\n", ""):
            start, end = line, min(end + 1, len(self.file))
        elif number + 1 < len(members):
            end = members[number + 1].top
        if container.parting == "," and number + 1 == len(members) and number:
            above = members[number - 1]
            if "," not in self.file[one.end : one.after]:
                start = above.end if not self.file[above.end + 1 : start].strip() else start
                end = one.end
        self.edits.append((start, end, ""))

    # --- new members ---

    def _add_imports(self, new: Sequence[Member]) -> None:
        """Put imports among the file's."""
        told = [x for one in new for x in self.shown[one.start : one.after].split("\n")]
        found = read_imports(told, self.lines) if told else None
        if told and found is None:
            raise _Unread
        starts = [0]
        for line in self.lines.keys:
            starts.append(starts[-1] + len(line) + 1)
        for one in found.changes if found is not None else ():
            text = "".join(f"{x}\n" for x in one.new)
            self.edits.append((starts[one.start], starts[one.end], text))

    def _add(
        self, theirs: Container, ours: Container, pairs: Sequence[int | None], new: Sequence[int]
    ) -> None:
        """Put new members beside those that they stand beside in the sketch, else behind their like."""
        groups: dict[tuple[int, bool], list[int]] = {}
        for number in new:
            above = next((m for m in reversed(pairs[:number]) if m is not None), None)
            below = next((m for m in pairs[number + 1 :] if m is not None), None)
            if above is not None:
                place = above, True
            elif below is not None:
                place = below, False
            else:
                place = self._last_like(theirs, ours.members[number]), True
            groups.setdefault(place, []).append(number)
        for (at, is_below), numbers in groups.items():
            self._insert(theirs, ours, at, [ours.members[n] for n in numbers], is_below=is_below)

    def _last_like(self, theirs: Container, one: Member) -> int:
        """The number of the last member that a new one belongs behind; -1 if there is none."""
        numbers = range(len(theirs.members))
        if one.key.startswith("<"):
            same = [n for n in numbers if theirs.members[n].key == one.key]
            return same[-1] if same else len(theirs.members) - 1
        if one.words:
            same = [n for n in numbers if theirs.members[n].words[:1] == one.words[:1]]
            if same:
                return same[-1]
        if theirs.parting != ",":
            deep = self._is_block(one, self.shown)
            like = [n for n in numbers if self._is_block(theirs.members[n], self.file) == deep]
            if like and not deep:
                return like[-1]
            if not like and not deep and theirs.members:
                return -1
        return len(theirs.members) - 1

    def _is_block(self, one: Member, text: str) -> bool:
        told = text[one.start : one.end]
        return one.inner is not None or one.key.endswith("()") or told.endswith("}")

    def _insert(
        self, theirs: Container, ours: Container, at: int, new: Sequence[Member], *, is_below: bool
    ) -> None:
        members = theirs.members
        inside = self.file[theirs.start : theirs.end]
        is_long = "\n" in inside or (not members and "\n" in self.shown[ours.start : ours.end])
        if members:
            indent = self._indent(members[0].start) if is_long else ""
        else:
            indent = self._indent(theirs.start) + (self.lines.unit or "  ")
        told = []
        for one in new:
            text = self._told(one, indent)
            above = [x.strip() for x in self.shown[one.top : one.start].split("\n") if x.strip()]
            above = [x for x in above if not self.is_marker(x)]
            told.append("".join(f"{x}\n{indent}" for x in above) + text)
        sign = theirs.parting
        if sign != ",":
            ends = [";" if ";" in self.shown[x.end : x.after] or (sign == ";" and ours.parting != "," and not self._is_block(x, self.shown)) else "" for x in new]
            told = [x + y for x, y in zip(told, ends, strict=True)]
        comma = "," if sign == "," else ""
        gap = "\n" + indent if is_long else " "
        blank = "\n" * (is_long and self._has_gaps(theirs, new[0], ours))
        joined = (comma + blank + gap).join(told)
        if not members:
            last = ("\n" + self._indent(theirs.start)) if is_long else " "
            trailing = comma if is_long and self._ends_in_comma(ours) else ""
            self.edits.append((theirs.start, theirs.end, f"{gap}{joined}{trailing}{last}"))
            return
        if not is_below or at < 0:
            one = members[max(at, 0)]
            self.edits.append((one.top, one.top, f"{joined}{comma}{blank}{gap}"))
            return
        one = members[at]
        if sign != ",":
            end = one.after
            if sign == ";" and not self._is_block(one, self.file) and ";" not in self.file[one.end : one.after]:
                self.edits.append((one.end, one.end, ";"))
                end = max(end, one.end)
            self.edits.append((end, end, f"{blank}{gap}{joined}"))
        elif "," in self.file[one.end : one.after]:
            is_last = at + 1 == len(members)
            trailing = comma if not is_last or is_long else ""
            self.edits.append((one.after, one.after, f"{blank}{gap}{joined}{trailing}"))
        else:
            rest = self.file[one.end : one.after]
            ending = ";" if rest.lstrip().startswith(";") else ""
            self.edits.append((one.end, one.end + len(ending), comma))
            self.edits.append((one.after, one.after, f"{gap}{joined}{ending}"))

    def _ends_in_comma(self, container: Container) -> bool:
        return bool(container.members) and "," in self.shown[container.members[-1].end : container.members[-1].after]

    def _has_gaps(self, container: Container, new: Member, ours: Container) -> bool:
        """Whether a blank line parts members of its kind; as the sketch shows it where the file has none."""
        deep = self._is_block(new, self.shown)
        pairs = [
            (one, two)
            for one, two in zip(container.members, container.members[1:], strict=False)
            if (self._is_block(one, self.file) or self._is_block(two, self.file)) == deep
        ]
        if not pairs:
            start = max((x.end for x in ours.members if x.end <= new.top), default=new.top)
            return "\n\n" in self.shown[start : new.top]
        blank = sum("\n\n" in self.file[one.end : two.top] for one, two in pairs)
        return 2 * blank > len(pairs)


def _head(old: str, new: str) -> str:
    """The first line of a container: the sketch's if it says all that the file's does, and more."""
    if is_same(old, new):
        return old
    if old.startswith("<") and new.startswith("<"):
        return _tag(old, new)
    one, two = re.findall(r"\w+|[^\s\w]", old), re.findall(r"\w+|[^\s\w]", new)
    if len(two) > len(one) and all(two.count(x) >= one.count(x) for x in set(one)):
        return new
    return old


def _tag(old: str, new: str) -> str:
    """The file's tag with the attributes of the sketch's."""
    known = {x[1]: x for x in _ATTRIBUTE.finditer(old) if x[2]}
    edits = []
    for one in _ATTRIBUTE.finditer(new):
        if one[2] is None:
            continue
        there = known.get(one[1])
        if there is None:
            end = old.rindex(">")
            edits.append((end, end, f" {one[0]}"))
        elif there[2] != one[2]:
            edits.append((there.start(), there.end(), one[0]))
    for start, end, told in sorted(edits, reverse=True):
        old = old[:start] + told + old[end:]
    return old


# --- what goes ---


def members_lost(found: Sequence[Change], lines: Lines) -> list[tuple[int, int, str]]:
    """Members of the file that are not in its text after the changes: first line, line after the last one, key."""
    if not any(num_strong(lines.keys[one.start : one.end]) for one in found):
        return []
    before = "\n".join(lines.keys)
    after: list[str] = []
    position = 0
    for one in sorted(found, key=lambda one: (one.start, one.end)):
        after += [*lines.keys[position : one.start], *(x.rstrip() for x in one.new)]
        position = one.end
    after += lines.keys[position:]
    lost = gone(before, "\n".join(after), lines.language)
    told = []
    for one in lost:
        start = before.count("\n", 0, one.start)
        told.append((start, start + before.count("\n", one.start, one.end) + 1, _named(one)))
    return told


def doubted(found: Aligned, lines: Lines) -> Aligned:
    """The reading, no change likely to be taken unseen that takes members away."""
    lost = members_lost(found.changes, lines)
    if not lost:
        return found
    told = []
    for one in found.changes:
        own = [x for x in lost if one.start < x[1] and x[0] < one.end]
        if own and one.sure > LIKELY:
            start, _, name = own[0]
            why = _GOES.format(name[:60], start + 1)
            if len(own) > 1:
                why = _MORE.format(name[:60], start + 1, len(own) - 1)
            told.append(replace(one, sure=LIKELY, why=why, doubts=(*one.doubts, "members")))
        else:
            told.append(one)
    return Aligned(tuple(told), min(found.sure, LIKELY), found.other)


def _named(one: Member) -> str:
    return (one.name and f"{one.key[:-1]} {one.name}>") or " ".join(one.words[:3]) or one.key
