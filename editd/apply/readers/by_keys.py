"""Reads a sketch (pasted code) by the keys of its containers, such as objects, rules, elements, enums and mappings: which of their members it changes, adds or takes away.

What it shows of a container takes the place of the file's members of these keys, and new members are added; the others
stay. Also says which members a reading by lines would take away, so that no such change is certain. What a container
and its members are is known to ``syntax``; whether this reading is the likelier one is decided in ``answer``.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from editd.apply.doubts.table import BEST_GUESS, CONFIDENT, NEW_VERSION
from editd.apply.readers.containers import chosen_container
from editd.apply.readers.member_edits import MemberEdits, NoMembersError
from editd.apply.readers.member_texts import MemberTexts
from editd.apply.reading import ChangedLines, Reading
from editd.apply.text.file_lines import FileLines
from editd.apply.text.indent import in_units
from editd.diff.matching import changes as differences
from editd.diff.matching import is_weak
from editd.syntax.containers import Container, Member
from editd.syntax.members import MOST_READ, lost_members, match_members, members_of

OTHERS_STAY = "What the paste does not show of this stays."
_GOES = "“{}” (line {}) would go; look whether it should."
_MORE = "“{}” (line {}) and {} more would go; look whether they should."
_UNKNOWN = (
    "Lines {} to {} get fewer, and what they hold is not known; look whether all of it should go."
)
_CALL = re.compile(r"[\w\s:.<>&*]*(?:\(|=>)")
_GOING = re.compile(
    r"\b(?:remov|delet|drop|replac|no longer|unused|get rid|without|instead of|take out|leave out|left out|renam|omit)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class KeyReading:
    """A reading by keys.

    staying: offsets of the file's members that stay though the sketch shows others beside them. fits: whether each
    member that the sketch shows is the file's one of its key, or new in a container that the prose names.
    """

    changes: tuple[ChangedLines, ...]
    staying: frozenset[int]
    fits: bool

    @property
    def confidence(self) -> float:
        """The confidence of the least confident change."""
        return min(change.confidence for change in self.changes)


def read_by_keys(
    block: Sequence[str], lines: FileLines, prose: Sequence[str] = (), *, by_share: bool
) -> KeyReading | None:
    """The reading by keys; ``None`` if the sketch shows no members of one of the file's containers, or changes nothing.

    Each change is ``CONFIDENT``, or a best guess if a member was matched under another key. block: the sketch's lines.
    prose: the lines above it. by_share: whether members go that the sketch leaves out of a container of which it shows
    more than half; else all stay. ``None`` as well for statements, methods without their class, a marker between
    members whose container may be another one, and if the new text no longer parses as containers.
    """
    shown = _Shown.of(block, lines, prose)
    if shown is None:
        return None
    edits = MemberEdits(MemberTexts(lines, *shown.texts), by_share=by_share)
    if edits.has_markers(shown.ours) and not shown.holds_members:
        return None  # what stands beside a marker may belong to another container
    try:
        edits.edit_container(shown.container, shown.ours, is_fragment=shown.is_fragment)
    except NoMembersError:
        return None
    text = edits.text()
    if members_of(text, lines.language) is None:
        return None
    new = [row.rstrip() for row in text.split("\n")]
    confidence, sentence = CONFIDENT, OTHERS_STAY
    if edits.renamed:
        line = shown.texts[0].count("\n", 0, min(edits.renamed)) + 1
        confidence, sentence = BEST_GUESS, NEW_VERSION.format(line)
    changes = tuple(
        ChangedLines(
            x.old_start,
            x.old_end,
            tuple(new[x.new_start : x.new_end]),
            confidence,
            sentence=sentence,
        )
        for x in differences(lines.keys, new)
    )
    return KeyReading(changes, frozenset(edits.staying), shown.fits) if changes else None


@dataclass(frozen=True)
class _Shown:
    """The members that a sketch shows, and the file's container that they are of.

    ours: those of the sketch. texts: the file's and the sketch's. numbers: for each member of the sketch that of the
    container's, ``None`` for a new one. is_clear: whether the container shares members with the sketch, or prose names it.
    """

    container: Container
    ours: Container
    texts: tuple[str, str]
    numbers: Sequence[int | None]
    is_clear: bool

    @classmethod
    def of(cls, block: Sequence[str], lines: FileLines, prose: Sequence[str]) -> _Shown | None:
        """The members of a code block; ``None`` if the members of the file or of the block cannot be read, if the block
        has none with a key or kind, if no container of the file is likelier than others, or if they are functions or
        calls without the brackets of their container. prose: the lines above the code block.
        """
        file = "\n".join(lines.keys)
        shown = "\n".join(in_units([[row.rstrip() for row in block]], lines)[0])
        theirs, ours = members_of(file, lines.language), members_of(shown, lines.language)
        if theirs is None or ours is None or not any(x.key or x.kind for x in ours.members):
            return None
        choice = chosen_container(theirs, ours, (file, shown), prose)
        if choice is None:
            return None
        numbers = match_members(choice.container.members, ours.members, (file, shown))
        found = cls(choice.container, ours, (file, shown), numbers, choice.is_clear)
        if found.is_fragment and any(_CALL.match(shown, x.start) for x in ours.members):
            return None
        return found

    @property
    def is_fragment(self) -> bool:
        """Whether the sketch shows members without the brackets of their container around them."""
        return self.ours.is_scope and not self.container.is_scope

    @property
    def holds_members(self) -> bool:
        """Whether each member of the sketch is the container's and holds members on both sides."""
        return all(
            n is not None and self.container.members[n].inner and member.inner
            for n, member in zip(self.numbers, self.ours.members, strict=True)
        )

    @property
    def fits(self) -> bool:
        """Whether each member with a key is the container's, or all members are new and the container is clear; false
        if some is a function, in a scope (a module, for example) or where the sketch shows members without the brackets
        of their container.
        """
        pairs = zip(self.numbers, self.ours.members, strict=True)
        is_known = all(n is not None or not member.key for n, member in pairs)
        if (self.container.is_scope or self.is_fragment) and any(_functions(self.ours)):
            return False
        return is_known or (self.is_clear and all(n is None for n in self.numbers))


def _functions(container: Container) -> Iterator[Member]:
    """Yield the members of a container that are functions (their key ends in ``()``), and those of the containers
    within it, at any depth.
    """
    for member in container.members:
        if member.key.endswith("()"):
            yield member
        if member.inner is not None:
            yield from _functions(member.inner)


# --- members that would go ---


def members_lost_by(changes: Sequence[ChangedLines], lines: FileLines) -> list[Member]:
    """The file's members that its text does not have after the changes; empty as well if members of one of the texts are not known."""
    return _lost_or_unknown(changes, lines) or []


def _lost_or_unknown(changes: Sequence[ChangedLines], lines: FileLines) -> list[Member] | None:
    """The file's members that its text does not have after the changes; empty if no line with a letter or digit goes;
    ``None`` if the members of either text are not known, or the file is too long to be read.
    """
    if not any(_takes_away(change, lines) for change in changes):
        return []
    after: list[str] = []
    position = 0
    for change in sorted(changes, key=lambda x: (x.start, x.end)):
        after += [*lines.keys[position : change.start], *(row.rstrip() for row in change.new)]
        position = change.end
    after += lines.keys[position:]
    before = "\n".join(lines.keys)
    if len(before) > MOST_READ:
        return None
    return lost_members(before, "\n".join(after), lines.language)


def _takes_away(change: ChangedLines, lines: FileLines) -> bool:
    """Whether a line of the range with a letter or digit is not, or not as often, among the change's new lines."""
    lost = Counter(lines.keys[change.start : change.end])
    lost.subtract(row.rstrip() for row in change.new)
    return any(number > 0 and not is_weak(line) for line, number in lost.items())


def is_to_go(member: Member, prose: Sequence[str]) -> bool:
    """Whether the prose says that a member goes: a line has the member's name, or its key, as a whole word and a word
    such as “remove” or “rename”.
    """
    name = re.escape((member.name.partition("=")[2] or member.key).strip("<>()\"'"))
    word = re.compile(rf"(?<![\w-]){name}(?![\w-])")
    return any(_GOING.search(line) and word.search(line) for line in prose)


def cap_losses(found: Reading, lines: FileLines) -> Reading:
    """The reading with the doubt ``members`` against each change that takes members of a container away: these changes,
    and the whole reading, capped at ``BEST_GUESS`` (0.9), with a sentence that names the members. The reading itself if
    no change does.
    """
    reasons = loss_sentences(found.changes, lines)
    if not any(reasons):
        return found
    changes = tuple(
        replace(
            change,
            confidence=min(change.confidence, BEST_GUESS),
            sentence=reason,
            doubts=(*change.doubts, "members"),
        )
        if reason
        else change
        for change, reason in zip(found.changes, reasons, strict=True)
    )
    return Reading(changes, min(found.confidence, BEST_GUESS), found.other)


def loss_sentences(changes: Sequence[ChangedLines], lines: FileLines) -> list[str]:
    """For each change a sentence about the members that it takes away, the first one by name; an empty string if it
    takes none.

    Where members are not known, each change has a sentence by which lines with a letter or digit go and fewer lines take
    their place.
    """
    lost = _lost_or_unknown(changes, lines)
    if lost is None:
        return [
            _UNKNOWN.format(change.start + 1, change.end)
            if len(change.new) < change.end - change.start and _takes_away(change, lines)
            else ""
            for change in changes
        ]
    file = "\n".join(lines.keys)
    ranges: list[tuple[int, int, str]] = []
    for member in lost:
        start = file.count("\n", 0, member.start)
        end = start + file.count("\n", member.start, member.end) + 1
        ranges.append((start, end, _shown_name(member)[:60]))
    reasons = []
    for change in changes:
        own = [
            (start, name)
            for start, end, name in ranges
            if start < change.end and change.start < end
        ]
        start, name = own[0] if own else (0, "")
        sentence = _MORE if len(own) > 1 else _GOES if own else ""
        reasons.append(sentence.format(name, start + 1, len(own) - 1))
    return reasons


def _shown_name(member: Member) -> str:
    """A member's name for a sentence: of an element with a name its tag and that (``<a id=x>``), else the first three
    words of the member, else its key.
    """
    if member.name:
        return f"{member.kind[:-1]} {member.name}>"
    return " ".join(member.words[:3]) or member.key
