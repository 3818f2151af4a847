"""Reads a sketch by the keys of its containers, such as objects, rules, elements, enums and mappings.

What it shows of a container takes the place of the file's members of these keys, and new members are added; the
others stay. What a container and its members are is known to ``syntax``, and whether this is likelier than
the lines as they are shown to ``stepwise``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from editd.apply.imports import read_imports
from editd.apply.indent import in_units, reindented
from editd.apply.lines import IMPORT, Lines, indent_of, num_strong
from editd.apply.outcome import LIKELY, SURE, Aligned, Change
from editd.apply.sketch import Markers
from editd.diff.matching import changes, is_weak
from editd.syntax.containers import Container, Member
from editd.syntax.members import is_same, lost_members, match_members, members_of, with_keys

STAY = "What the paste does not show of this stays."
_GOES = "“{}” (line {}) would go; look whether it should."
_MORE = "“{}” (line {}) and {} more would go; look whether they should."
_NAMED, _EVIDENCE = 4.0, 2.0  # of a container that prose has in ticks; least of one that is taken
_NAMES = ("id", "name", "key", "kind", "apiVersion", "groupId", "artifactId", "server_name")
_ATTRIBUTE = re.compile(r"([\w.:@#-]+)(?:\s*=\s*(\"[^\"]*\"|'[^']*'|\{[^{}]*\}))?")
_CALL = re.compile(r"[\w\s:.<>&*]*\(|[\w\s:.<>&*]*=>")
_SIDES = r"(?:above|after|before|behind|below|beneath|beside|following|next to|underneath)"
_BESIDE = re.compile(rf"\b{_SIDES}(?: the| your| its)?(?: existing)?\s*[`“\"*]+[^`”\"*]+[`”\"*]+", re.IGNORECASE)
_INTO = re.compile(r"\b(?:to|in|into|inside|under|within|of) (?:the |your |its |this )?(?:existing )?[`“\"*]*([A-Za-z]{3,})")
_GOING = re.compile(
    r"\b(?:remov|delet|drop|replac|no longer|unused|get rid|without|instead of|take out|leave out|left out|renam|omit)",
    re.IGNORECASE,
)
_COMMENT = re.compile(r"\s*(?:#|//|/\*|--|<!--|;)")


@dataclass(frozen=True, slots=True)
class Keyed:
    """A reading by keys.

    kept: offsets of members of the file that stay although the sketch shows others of their container. fits: each
    member that it shows is the file's one of its key, or new where the prose says.
    """

    changes: tuple[Change, ...]
    kept: frozenset[int]
    fits: bool


class _Unread(Exception):
    """The sketch shows something else than members of containers."""


def read_keyed(
    block: Sequence[str], lines: Lines, prose: Sequence[str] = (), *, by_share: bool
) -> Keyed | None:
    """The reading; ``None`` if the sketch holds no container of the file's, or nothing changes.

    prose: the lines above the sketch. by_share: members go that the sketch leaves out of a container of which it
    shows more than half; else all stay.
    """
    text = "\n".join(lines.keys)
    shown = "\n".join(in_units([[x.rstrip() for x in block]], lines)[0])
    theirs, ours = members_of(text, lines.language), members_of(shown, lines.language)
    if theirs is None or ours is None or not (ours.members and _is_readable(ours)):
        return None
    target = _Targets(theirs, ours, (text, shown), prose).best()
    if target is None:
        return None
    container, is_named = target
    is_fragment = ours.is_scope and not container.is_scope
    if is_fragment and any(_CALL.match(shown, one.start) for one in ours.members):
        return None  # methods, or statements
    merge = _Merge(lines, text, shown, Markers(lines), by_share=by_share)
    pairs = match_members(container.members, ours.members, (text, shown))
    parts = [(container.members[n] if n is not None else None, x) for n, x in zip(pairs, ours.members, strict=True)]
    if merge.marks_between(ours) and not all(x and x.inner and y.inner for x, y in parts):
        return None  # what stands beside a marker may belong to another container
    try:
        merge.take(container, ours, is_fragment=is_fragment)
    except _Unread:
        return None
    new = [x.rstrip() for x in merge.text().split("\n")]
    found = tuple(
        Change(one.old_start, one.old_end, tuple(new[one.new_start : one.new_end]), SURE, why=STAY)
        for one in changes(lines.keys, new)
    )
    fits = is_named or not any(n is None and x.key for n, x in zip(pairs, ours.members, strict=True))
    fits &= not (container.is_scope or is_fragment) or not any(_functions(ours))
    return Keyed(found, frozenset(merge.kept), fits) if found else None


def _functions(container: Container) -> Iterator[Member]:
    """All functions in a container."""
    for one in container.members:
        if one.key.endswith("()"):
            yield one
        if one.inner is not None:
            yield from _functions(one.inner)


def _is_readable(container: Container) -> bool:
    return any(one.key or one.kind for one in container.members)


@dataclass(frozen=True)
class _Targets:
    """The file's containers, and which of them the sketch shows members of."""

    theirs: Container
    ours: Container
    texts: tuple[str, str]
    prose: Sequence[str]

    def best(self) -> tuple[Container, bool] | None:
        """That container, and whether the prose names it; ``None`` if none is likelier than the others.

        It has most of the members that are shown. Where it has none, the prose names it, or has members like them.
        """
        found = [(self._shared(one), one, path) for one, path in self._every()]
        most = max(score for score, _, _ in found)
        if most:
            found = [x for x in found if x[0] == most]
            if len(found) == 1 or found[0][1] is self.theirs:
                return found[0][1], False
        elif self.ours.start:
            return self.theirs, False  # its brackets are shown
        told = sorted(
            ((self._named(path), self._alike(one), n) for n, (_, one, path) in enumerate(found)),
            key=lambda x: (x[0] + x[1], -x[2]),
            reverse=True,
        )
        (named, alike, number), *others = told
        if named + alike < _EVIDENCE or (others and sum(others[0][:2]) == named + alike):
            return None
        return found[number][1], bool(most) or named + alike >= _NAMED

    def _every(self) -> Iterator[tuple[Container, tuple[str, ...]]]:
        """Each container of the file with the first lines of those that it lies in, outer ones first."""
        pending: list[tuple[Container, tuple[str, ...]]] = [(self.theirs, ())]
        while pending:
            one, path = pending.pop(0)
            yield one, path
            for member in one.members:
                if member.inner is not None:
                    head = self.texts[0][member.start : member.inner.start]
                    pending.append((member.inner, (*path, head or member.key)))

    def _shared(self, container: Container) -> int:
        """How many members it shares with the sketch; those that hold members count more."""
        if container.is_list:
            return 0
        pairs = match_members(container.members, self.ours.members, self.texts)
        known = [(container.members[n], self.ours.members[m]) for m, n in enumerate(pairs) if n is not None]
        return sum(2 + (one.inner is not None and two.inner is not None) for one, two in known)

    def _named(self, path: tuple[str, ...]) -> float:
        """How clearly the prose names a container."""
        total = 0.0
        for depth, head in enumerate(reversed(path)):
            words = {x.lower() for x in re.findall(r"[\w.-]+", head)}
            quoted = any({x.lower() for x in re.findall(r"[\w.-]+", y)} & words for y in self._quoted)
            plain = any(_stem(x) in self._plain for x in words)
            holds = any(_stem(x) in self._holders for x in words)
            own = _NAMED if quoted else 3.0 if holds else 2.0 if plain else 0.0
            total += own if depth == 0 else min(own, 1.0)
            if depth == 0 and not own:
                return 0.0
        return total

    @cached_property
    def _quoted(self) -> list[str]:
        bare = (_BESIDE.sub(" ", line) for line in self.prose)
        return [x for line in bare for x in re.findall(r"[`“\"*]+([^`”\"*]+)[`”\"*]+", line)]

    @cached_property
    def _plain(self) -> set[str]:
        bare = (re.sub(r"`[^`]*`", " ", line) for line in self.prose)
        return {_stem(x.lower()) for line in bare for x in re.findall(r"[A-Za-z]{4,}", line)}

    @cached_property
    def _holders(self) -> set[str]:
        """Words that stand where prose says what something is put into."""
        return {_stem(x.lower()) for line in self.prose for x in _INTO.findall(line)}

    def _alike(self, container: Container) -> float:
        """Whether it holds members of the kind that the sketch shows."""
        kinds = {one.kind for one in container.members} - {""}
        if any(one.kind in kinds for one in self.ours.members):
            return 3.0
        inside = [{x.key for x in one.inner.members} for one in container.members if one.inner]
        shown = [{x.key for x in one.inner.members} for one in self.ours.members if one.inner]
        if any(2 * len(x & y) >= len(x) > 0 for x in shown for y in inside):
            return 2.0
        return 0.0


def _stem(word: str) -> str:
    """A word without what makes it a plural."""
    return word[:-3] + "y" if word.endswith("ies") else word.removesuffix("s")


@dataclass
class _Merge:
    """Edits of a file's text that bring what a sketch shows."""

    lines: Lines
    file: str
    shown: str
    is_marker: Callable[[str], bool]
    by_share: bool
    kept: set[int] = field(default_factory=set)
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

    def marks_between(self, ours: Container) -> bool:
        """Whether the sketch has a marker outside of the members that it shows."""
        ends = [0, *(x.end for x in ours.members)]
        starts = [*(x.top for x in ours.members), len(self.shown)]
        between = [self.shown[x:y] for x, y in zip(ends, starts, strict=True) if x < y]
        above = [self.shown[x.top : x.start] for x in ours.members]
        return ours.start == 0 and any(map(self.is_marker, "\n".join([*between, *above]).split("\n")))

    def take(self, theirs: Container, ours: Container, *, is_fragment: bool = False) -> None:
        """Bring the members of one container. is_fragment: the sketch shows some of them without what is around them."""
        pairs = match_members(theirs.members, ours.members, (self.file, self.shown))
        self._refuse_statements(theirs, ours, pairs)
        if is_fragment:
            shown = {_sign(self.shown[x.start : x.end]) for x in ours.members}
            if not shown <= {_sign(self.file[x.start : x.end]) for x in theirs.members}:
                raise _Unread  # branches of a match, for example
        for number, m in enumerate(pairs):
            if m is not None:
                self._replace(theirs.members[m], ours.members[number])
        there = {n for n in pairs if n is not None}
        missing = [n for n in with_keys(theirs) if n not in there]
        if missing and not theirs.is_scope and not is_fragment:
            if self._is_shown_in_part(theirs, ours, pairs):
                self.kept |= {theirs.members[n].start for n in missing}
            else:
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
            if number is None and not one.key and self._is_new(one) and not theirs.is_list:
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
        """Whether members stay that are not shown.

        So it is if a marker is shown, and if something changes, and half of the members are shown or fewer, or
        none that stays as it is.
        """
        inside = self.shown[ours.start : ours.end].split("\n")
        if not self.by_share or any(map(self.is_marker, inside)):
            return True
        known = [
            (theirs.members[n], ours.members[m])
            for m, n in enumerate(pairs)
            if n is not None and theirs.members[n].key
        ]
        same = [
            x for x, y in known if is_same(self.file[x.start : x.end], self.shown[y.start : y.end])
        ]
        naming = sum(x.key.strip("<>") in _NAMES for x in same)  # say which container it is
        few = 2 * (len(known) - naming) <= len(with_keys(theirs)) - naming
        return (few or len(same) == naming) and self._changes(theirs, ours)

    def _changes(self, theirs: Container, ours: Container) -> bool:
        """Whether the sketch has other members than the file there, or other values."""
        for m, n in enumerate(match_members(theirs.members, ours.members, (self.file, self.shown))):
            one = ours.members[m]
            if n is None:
                if self._is_new(one):
                    return True
                continue
            other = theirs.members[n]
            if (
                other.inner is not None
                and one.inner is not None
                and not (other.inner.is_list or one.inner.is_list)
            ):
                if self._changes(other.inner, one.inner):
                    return True
            elif not is_same(self.file[other.start : other.end], self.shown[one.start : one.end]):
                return True
        return False

    # --- one member ---

    def _replace(self, theirs: Member, ours: Member) -> None:
        """Bring a member's value, or what it holds; its first line and the comment above it, if they are other ones."""
        if (
            theirs.inner is not None
            and ours.inner is not None
            and not (theirs.inner.is_list or ours.inner.is_list)
        ):
            head = self.file[theirs.start : theirs.inner.start]
            told = self.shown[ours.start : ours.inner.start]
            if "\n\n" in told:
                raise _Unread  # prose, for example
            renamed = theirs.key != ours.key
            if (new := told if renamed else _head(head, told)) != head:
                self.edits.append((theirs.start, theirs.inner.start, new))
            self.take(theirs.inner, ours.inner)
        elif not is_same(self.file[theirs.start : theirs.end], self.shown[ours.start : ours.end]):
            first, *rest = self.shown[ours.start : ours.end].split("\n")
            if any(map(self.is_marker, rest)):
                if all(self.is_marker(x) or is_weak(x) for x in rest):
                    return  # all of it stays
                raise _Unread  # a marker within a list or a function
            new = self._told(ours, self._indent(theirs.start))
            if self.lines.language == "yaml":
                new = _as_deep(new, self.file[theirs.start : theirs.end])
            self.edits.append((theirs.start, theirs.end, new))
        self._bring_comment(theirs, ours)

    def _bring_comment(self, theirs: Member, ours: Member) -> None:
        """Put the comment above a member in the place of the file's; decorators that the sketch does not show stay."""
        indent = self._indent(theirs.start)
        above = self._told(ours, indent, with_comment=True)[: -len(self._told(ours, indent)) or None]
        told = [x.strip() for x in above.split("\n") if x.strip()]
        there = self.file[theirs.top : theirs.start].split("\n")
        bare = {x.strip() for x in there}
        if all(x in bare for x in told):
            return
        stay = [x for x in there if x.strip() and not _COMMENT.match(x) and x.strip() not in told]
        new = above.rstrip(" \t") + "".join(f"{indent}{x.strip()}\n" for x in stay)
        self.edits.append((theirs.top, theirs.start, f"{new}{indent}" if new.endswith("\n") else new))

    def _told(self, one: Member, indent: str, *, with_comment: bool = False) -> str:
        """A member's text as deep as the file has it, without the blanks of its first line.

        with_comment: and the comments and decorators above it, but for markers.
        """
        line = self.shown.rfind("\n", 0, one.start) + 1
        given = indent_of(self.shown[line : one.start] + "x")
        begin = one.top if with_comment and one.top >= line else one.start
        told = [given + self.shown[begin : one.end]]
        if with_comment and one.top < line:
            above = self.shown[self.shown.rfind("\n", 0, one.top) + 1 : line].split("\n")[:-1]
            told = [*(x for x in above if not self.is_marker(x)), *told]
        moved = reindented("\n".join(told).split("\n"), given, indent, self.lines)
        return "\n".join(moved).lstrip()

    def _indent(self, at: int) -> str:
        """The blanks of the line of an offset."""
        start = self.file.rfind("\n", 0, at) + 1
        above = self.file[start:at]
        if re.fullmatch(r"\s*(?:- +)+", above):  # the first key of an element of a list
            above = above.replace("-", " ")
        return indent_of(above + "x")

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
            if below is not None and self._is_apart(ours, number):
                place = below, False
            elif above is not None:
                place = above, True
            elif below is not None:
                place = below, False
            else:
                place = self._last_like(theirs, ours.members[number]), True
            groups.setdefault(place, []).append(number)
        for (at, is_below), numbers in groups.items():
            self._insert(theirs, ours, at, [ours.members[n] for n in numbers], is_below=is_below)

    def _is_apart(self, ours: Container, number: int) -> bool:
        """Whether a marker stands above a member and none below it."""

        def marked(low: int, high: int) -> bool:
            return any(map(self.is_marker, self.shown[low:high].split("\n")))

        members = ours.members
        start = members[number - 1].end if number else ours.start
        end = members[number + 1].start if number + 1 < len(members) else ours.end
        return marked(start, members[number].start) and not marked(members[number].end, end)

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
        constants = self._num_constants(theirs)
        if constants and not self._is_block(one, self.shown):
            return constants - 1
        keys = [x.key for x in theirs.members]
        if len(keys) > 2 and all(keys) and keys == sorted(keys) and len(set(keys)) == len(keys):
            return sum(x < one.key for x in keys) - 1
        if theirs.parting != ",":
            deep = self._is_block(one, self.shown)
            like = [n for n in numbers if self._is_block(theirs.members[n], self.file) == deep]
            if like and not deep:
                return like[-1]
            if not like and not deep and theirs.members:
                return -1
        return len(theirs.members) - 1

    def _num_constants(self, container: Container) -> int:
        """How many members an enum has before the others, which follow a semicolon; 0 in other containers."""
        if container.parting != ",":
            return 0
        ends = (n for n, x in enumerate(container.members) if ";" in self.file[x.end : x.after])
        return next(ends, -1) + 1

    def _is_block(self, one: Member, text: str) -> bool:
        told = text[one.start : one.end]
        is_long = "\n" in told and (one.inner is not None or told.endswith("}"))
        return is_long or one.key.endswith("()")

    def _insert(
        self, theirs: Container, ours: Container, at: int, new: Sequence[Member], *, is_below: bool
    ) -> None:
        members = theirs.members
        inside = self.file[theirs.start : theirs.end]
        is_long = "\n" in inside or self.file[max(0, theirs.start - 1) : theirs.start] in ("", "\n")
        is_long = is_long or (not members and "\n" in self.shown[ours.start : ours.end])
        if members:
            indent = self._indent(members[0].start) if is_long else ""
        else:
            indent = self._indent(theirs.start) + (self.lines.unit or "  ")
        told = [self._told(one, indent, with_comment=True).rstrip(",") for one in new]
        sign = theirs.parting
        if self._num_constants(theirs) and at + 1 > self._num_constants(theirs):
            sign = ";"
        if sign != ",":
            ends = [";" if ";" in self.shown[x.end : x.after] or (sign == ";" and ours.parting != "," and self.shown[x.end - 1] != "}" and not self._is_block(x, self.shown)) else "" for x in new]
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
            if sign == ";" and self.file[one.end - 1] != "}" and ";" not in self.file[one.end : one.after]:
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


def _as_deep(new: str, old: str) -> str:
    """A value of YAML whose list is as deep below its key as the old one was."""
    first, *rest = new.split("\n")
    told, known = (next((y for y in x if y.strip()), "") for x in (rest, old.split("\n")[1:]))
    if not (told.strip()[:2] == known.strip()[:2] == "- "):
        return new
    more = len(indent_of(known)) - len(indent_of(told))
    if more > 0:
        return "\n".join([first, *(" " * more + x if x else x for x in rest)])
    return "\n".join([first, *(x[min(-more, len(indent_of(x))) :] for x in rest)])


def _sign(text: str) -> str:
    """What stands between a member's key and its value."""
    found = re.search(r"=>|[:=({]", text)
    return found[0] if found else ""


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


def members_lost(found: Sequence[Change], lines: Lines) -> list[Member]:
    """Members of the file that are not in its text after the changes."""
    if not any(num_strong(lines.keys[one.start : one.end]) for one in found):
        return []
    before = "\n".join(lines.keys)
    after: list[str] = []
    position = 0
    for one in sorted(found, key=lambda one: (one.start, one.end)):
        after += [*lines.keys[position : one.start], *(x.rstrip() for x in one.new)]
        position = one.end
    after += lines.keys[position:]
    return lost_members(before, "\n".join(after), lines.language)


def is_to_go(one: Member, prose: Sequence[str]) -> bool:
    """Whether the prose says that a member goes."""
    name = re.escape((one.name.partition("=")[2] or one.key).strip("<>()\"'"))
    word = re.compile(rf"(?<![\w-]){name}(?![\w-])")
    return any(_GOING.search(line) and word.search(line) for line in prose)


def doubted(found: Aligned, lines: Lines) -> Aligned:
    """The reading, no change likely to be taken unseen that takes members away."""
    text = "\n".join(lines.keys)
    lost = []
    for member in members_lost(found.changes, lines):
        start = text.count("\n", 0, member.start)
        lost.append((start, start + text.count("\n", member.start, member.end) + 1, _named(member)))
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
