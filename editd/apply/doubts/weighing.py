"""Lowers the confidence of a reading's changes by the doubts (reasons against it) that are raised against them.

The alignment says which reading is likelier than another. It does not know what assistants leave out and get wrong, so
its own probability is no confidence: a reading without any doubt is certain, another one as likely as its worst doubt
allows (``table``). Which doubts there are against one aligned change is decided in ``checks``.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace

from editd.apply.doubts.checks import doubts_against, still_doubts, vanished_comment
from editd.apply.doubts.support import Support, lost_block
from editd.apply.doubts.table import (
    BEST_GUESS,
    CERTAIN,
    CONFIDENT,
    DOUBTS,
    WEAK_GUESS,
    raised,
    sentence_for,
)
from editd.apply.paste.segments import Segment, Sketch
from editd.apply.reading import ChangedLines, Reading
from editd.apply.text.file_lines import FileLines
from editd.apply.text.line import given_name, num_strong
from editd.diff.matching import changes as differences

CLEAR = 0.9  # least that the alignment gives a reading that is right in spite of some doubts
_PROSE = ("markdown", "rst", "text", "latex")
_FEW_BLANK = 2  # blank lines that a sketch without any may mean to go
_OF_LOCATION = ("rival", "context", "version", "beside", "thin", "edge", "open")
_AGREED = 0.96  # two readings with the same text
_LIKELY = 0.9  # least of the alignment's probability for a reading that may be confident
_DECLARES = re.compile(r"(?:export\s+)?(?:const|let|static|var)\s")
_GROUPS = re.compile(r"(?:const|var) \($")
_MOST_NAMES = 200


def weighed(
    reading: Reading, segments: Sequence[Segment], sketch: Sketch, lines: FileLines
) -> Reading:
    """The reading with each change's doubts, their sentence, and a confidence capped by them. The reading is certain if
    each change is; else at most as confident as its worst change, and as its alignment was (0.95 if that was 0.9 or
    more).

    segments: the segment of each change; empty for a reading by names, against which only ``block``, ``remark`` and
    ``twice`` are raised. An aligned change without doubts becomes certain; a change of a reading by names keeps the
    confidence that it has. If a name is declared twice, ``twice`` is raised against all changes above its cap, and
    replaces their sentence. If the sketch shows no blank line and the reading drops more than two, the file's blank
    lines are put back into the changes.
    """
    shown = {line.strip() for block in sketch.code_blocks for line in block}
    spaced = "" in shown
    weighed_changes: list[ChangedLines] = []
    for number, change in enumerate(reading.changes):
        support = Support(lines, change.start, change.end, change.new)
        doubts: list[tuple[str, str]] = []
        if segments and support.old == change.new:
            doubts += still_doubts(number, reading.changes)
        elif segments:
            doubts += doubts_against(number, change, support, segments, spaced=spaced)
        doubts += _doubts_of_losses(change, support, shown, by_name=not segments)
        own = change.confidence
        if segments:
            own = _own_confidence(own) if doubts else CERTAIN
        may_stay = sketch.marked and reading.confidence >= CLEAR
        weighed_changes.append(_lowered(change, own, doubts, support, may_stay=may_stay))
    if not spaced:
        with_blanks = _with_blanks(weighed_changes, lines)
        dropped = sum(len(x.new) for x in with_blanks) - sum(len(x.new) for x in weighed_changes)
        if dropped > _FEW_BLANK:
            weighed_changes = with_blanks  # such a sketch drops them all
    if name := _declared_twice(weighed_changes, lines):
        weighed_changes = [
            replace(
                x,
                confidence=DOUBTS["twice"].cap,
                sentence=sentence_for("twice", name),
                doubts=(*x.doubts, "twice"),
            )
            if x.confidence > DOUBTS["twice"].cap
            else x
            for x in weighed_changes
        ]
    most = _own_confidence(reading.confidence) if segments else reading.confidence
    return _reading_of(weighed_changes, most, reading.other)


def _doubts_of_losses(
    change: ChangedLines, support: Support, shown: Collection[str], *, by_name: bool
) -> Iterator[tuple[str, str]]:
    """Name and sentence of the doubts ``block`` and ``remark``, each once at most: a block goes that the sketch does
    not show (named by 60 characters of its first line), or a comment of several lines with nothing in its place.

    shown: the sketch's lines, stripped. by_name: whether the location comes from a name; then no block is looked for if
    a definition or block named in the change's first line holds all of it. No comment is looked for in files of prose.
    """
    lines = support.lines
    heads = lines.heads_in(change.start, change.start + 1) if by_name else ()
    is_whole = any(x.end >= change.end for x in heads)
    if not is_whole and (name := lost_block(support, shown)) is not None:
        yield raised("block", name[:60])
    if lines.language not in _PROSE and (at := vanished_comment(support)) is not None:
        yield raised("remark", at + 1)


def _lowered(
    change: ChangedLines,
    own: float,
    doubts: Sequence[tuple[str, str]],
    support: Support,
    *,
    may_stay: bool,
) -> ChangedLines:
    """The change with confidence ``own``, capped by the doubts, the first one's sentence, and the doubts' names added;
    without doubts only the confidence is set.

    may_stay: whether ``block`` caps at ``WEAK_GUESS`` only: markers and a clear alignment speak for the change.
    ``moved`` and ``shape`` cap at ``BEST_GUESS`` if more than one different line goes.
    """
    if not doubts:
        return replace(change, confidence=own)
    names = tuple(name for name, _ in doubts)
    caps = {name: DOUBTS[name].cap for name in names}
    if "block" in caps and may_stay:
        caps["block"] = WEAK_GUESS
    if num_strong(support.removed) > 1 and {"moved", "shape"} & {*names}:
        own = min(own, BEST_GUESS)  # lines that are shown at another depth say what goes
    return replace(
        change,
        confidence=min(own, *caps.values()),
        sentence=doubts[0][1],
        doubts=(*change.doubts, *names),
    )


def agreed(reading: Reading) -> Reading:
    """An aligned reading without its doubts about locations, to be called if a reading by names gives the same text.
    Sentences stay.

    The confidence of each change rises to 0.96, or to 0.9 if other doubts are left, but not above their caps, nor above
    the alignment's probability where that is below 0.9. No change becomes less confident. The reading is certain if all
    changes are, else 0.96 confident at most.
    """
    changes = []
    for change in reading.changes:
        left = tuple(name for name in change.doubts if name not in _OF_LOCATION)
        most = BEST_GUESS if left else _AGREED
        most = min(
            most if change.before_doubts >= _LIKELY else change.before_doubts,
            *(DOUBTS[name].cap for name in left),
            1.0,
        )
        changes.append(replace(change, confidence=max(change.confidence, most), doubts=left))
    return _reading_of(changes, _AGREED, reading.other)


def _own_confidence(probability: float) -> float:
    """The alignment's probability, raised to ``CONFIDENT`` from 0.9 on: both were right equally often."""
    return max(probability, CONFIDENT) if probability >= _LIKELY else probability


def _reading_of(
    changes: Sequence[ChangedLines], most: float, other: tuple[ChangedLines, ...]
) -> Reading:
    """A reading of these changes: certain if all are, else as confident as its worst change, ``most`` at most; 0
    without changes.

    If two or more changes have the doubt ``rival``, all changes with any doubt are capped at ``BEST_GUESS``.
    """
    if sum("rival" in change.doubts for change in changes) > 1:  # they add up
        changes = [
            replace(x, confidence=min(x.confidence, BEST_GUESS)) if x.doubts else x for x in changes
        ]
    confidence = min((change.confidence for change in changes), default=0.0)
    most = confidence if confidence == CERTAIN else min(confidence, most)
    return Reading(tuple(changes), most, other)


def _with_blanks(changes: Iterable[ChangedLines], lines: FileLines) -> list[ChangedLines]:
    """The changes, as if the sketch kept the file's blank lines: those between lines that stay, and those with which
    the removed lines begin and end, stand around the new lines; other blank lines among removed ones go.

    If only blank lines go, all of them stay.
    """
    spaced = []
    for change in changes:
        old, new = lines.keys[change.start : change.end], change.new
        rows: list[str] = []
        position = 0
        for part in differences(old, new):
            rows += old[position : part.old_start]
            removed = old[part.old_start : part.old_end]
            top = next((n for n, line in enumerate(removed) if line), len(removed))
            bottom = next((n for n, line in enumerate(reversed(removed)) if line), 0)
            rows += [*[""] * top, *new[part.new_start : part.new_end], *[""] * bottom]
            position = part.old_end
        spaced.append(replace(change, new=(*rows, *old[position:])))
    return spaced


def _declared_twice(changes: Iterable[ChangedLines], lines: FileLines) -> str:
    """A name that new lines give a value to and that a line which stays declares at the margin; an empty string if
    there is none.

    New lines count if they begin with ``const``, ``let``, ``static`` or ``var`` at the margin (``export`` before it or
    not), or stand in a change with a line ``const (`` or ``var (``. Only the first 200 names are looked at.
    """
    names: list[str] = []
    removed: set[int] = set()
    for change in changes:
        grouped = any(map(_GROUPS.match, change.new))
        for part in differences(lines.keys[change.start : change.end], change.new):
            removed |= {*range(change.start + part.old_start, change.start + part.old_end)}
            new = change.new[part.new_start : part.new_end]
            names += (given_name(x) for x in new if grouped or _DECLARES.match(x))
    for name in names[:_MOST_NAMES]:
        declaring = lines.where_given.get(name, ()) if name else ()
        if any(n not in removed and _DECLARES.match(lines.keys[n]) for n in declaring):
            return name
    return ""
