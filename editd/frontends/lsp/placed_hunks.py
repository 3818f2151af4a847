"""The hunks of an edit in a document that goes on changing: they move along, become stale, or settle.

Pure logic on lines; knows no LSP. A change of the document is a ``DocumentChange``; a hunk that does not overlap it moves
along, one that does is stale. A hunk settles when it is accepted or rejected (``PlacedEdit.settle``). Two facts keep
hunks out of the wrong place: the change is exact where the client was exact, and a hunk counts as in place only if the
document has the lines that it replaces at that place, word for word.

::

    hunk replaces lines 4..6        change             hunk then
                                    lines 0..2 → 3     replaces lines 5..7
                                    lines 6..7 → 0     replaces lines 4..6
                                    lines 5..6 → 1     stale
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from editd.diff.document import BOM, line_end
from editd.diff.hunk import Hunk

Lines = Sequence[str]
State = Literal["ok", "stale", "accepted", "rejected"]


@dataclass(frozen=True, slots=True)
class DocumentChange:
    """``old_count`` lines at ``start`` became ``new_count`` lines; the lines around are unchanged."""

    start: int
    old_count: int
    new_count: int


def trimmed_change(
    start: int,
    old: Lines,
    new: Lines,
    most_before: int = sys.maxsize,
    most_after: int = sys.maxsize,
) -> DocumentChange:
    """The change from the lines ``old`` at ``start`` to ``new``, without equal lines at its beginning, then at its
    end; of zero lines if all are equal, placed behind them.

    most_before, most_after: how many equal lines are left out at most at either side.
    """
    limit = min(len(old), len(new))
    before = 0
    while before < min(limit, most_before) and old[before] == new[before]:
        before += 1
    after = 0
    while after < min(limit - before, most_after) and old[-1 - after] == new[-1 - after]:
        after += 1
    return DocumentChange(start + before, len(old) - before - after, len(new) - before - after)


def moved(start: int, old_count: int, change: DocumentChange) -> int | None:
    """The new start of ``old_count`` lines at ``start`` after ``change``; ``None`` if it touches one of them.

    Lines inserted right before or after them do not touch them. If ``old_count`` is 0 (a hunk that only inserts),
    lines inserted at the same point do: their order would be ambiguous.
    """
    same_point = old_count == change.old_count == 0 and change.start == start
    if same_point and change.new_count:
        return None
    if change.start >= start + old_count:
        return start
    if change.start + change.old_count <= start:
        return start + change.new_count - change.old_count
    return None


def grown(start: int, end: int, change: DocumentChange) -> tuple[int, int]:
    """Where the lines from ``start`` to ``end`` (exclusive) are after ``change``: moved, or, if it touches them or
    inserts lines right beside them, grown around all that it changed.
    """
    by = change.new_count - change.old_count
    if change.start > end:
        return start, end
    if change.start + change.old_count < start:
        return start + by, end + by
    return min(start, change.start), max(end, change.start + change.old_count) + by


@dataclass(frozen=True, slots=True)
class PlacedHunk:
    """A hunk at its place in the document.

    hunk: as the engine sent it, in lines of the text that the edit began with. start: in lines of the document as it
    is now; of a stale hunk where it last fitted. old_lines: the lines that it replaces, without a BOM.
    """

    hunk: Hunk
    start: int
    old_lines: tuple[str, ...]
    state: State

    @property
    def is_open_to_accept(self) -> bool:
        """Whether the hunk is finished, in place and not decided."""
        return self.state == "ok" and self.hunk.done


class PlacedEdit:
    """The hunks of one edit, by id, in a document that may have moved on since the edit began."""

    def __init__(self, base: Lines) -> None:
        """base: the lines of the text that the engine edits."""
        self.hunks: dict[int, PlacedHunk] = {}
        self.base = base
        self._changes: list[DocumentChange] = []

    def take(self, hunk: Hunk, lines: Lines) -> PlacedHunk:
        """Add a hunk, or its grown form under the same id, at its place after all changes of the document since the
        edit began, and return it, stale if a change touched its old lines or it does not fit ``lines``; a decided or
        equal one stays as it is.

        lines: of the document as it is now.
        """
        known = self.hunks.get(hunk.id)
        if known is not None and (known.state in ("accepted", "rejected") or known.hunk == hunk):
            return known
        old = tuple(self.base[hunk.start : hunk.start + hunk.old_count])
        placed = PlacedHunk(hunk, hunk.start, _without_bom(old, hunk.start), "ok")
        for change in self._changes:
            placed = _after(placed, change)
        placed = self.hunks[hunk.id] = _checked(placed, lines)
        return placed

    def take_all(self, hunks: Iterable[Hunk], lines: Lines) -> None:
        """Take the final hunks of an edit (``take``), and drop those with other ids, decided ones too; ``lines``: of
        the document as it is now.
        """
        final = list(hunks)
        ids = {hunk.id for hunk in final}
        self.hunks = {key: placed for key, placed in self.hunks.items() if key in ids}
        for hunk in final:
            self.take(hunk, lines)

    def drop_unfinished(self) -> None:
        """Drop the hunks that are still growing, because the edit was cancelled; finished ones stay."""
        self.hunks = {key: placed for key, placed in self.hunks.items() if placed.hunk.done}

    def follow(self, change: DocumentChange, lines: Lines) -> None:
        """Move open hunks along with a change of the document, or make them stale; ``lines``: after the change.
        Remembers the change for hunks that come later. No effect for a change of no lines.
        """
        if not (change.old_count or change.new_count):
            return
        # Typing changes one line again and again; to hunks that is one change.
        in_one_line = change.old_count == change.new_count
        if not (in_one_line and self._changes and self._changes[-1] == change):
            self._changes.append(change)
        for key, placed in self.hunks.items():
            if placed.state == "ok":
                self.hunks[key] = _checked(_after(placed, change), lines)

    def moved_lines(self, start: int, end: int) -> tuple[int, int]:
        """Where lines of the edited text are in the document as it is now (``grown``)."""
        for change in self._changes:
            start, end = grown(start, end, change)
        return start, end

    def settle(self, ids: Iterable[int], state: Literal["accepted", "rejected"]) -> None:
        """Mark hunks, whatever their state, as accepted or rejected, so that they no longer move; unknown ids are
        ignored.
        """
        for key in ids:
            if key in self.hunks:
                self.hunks[key] = replace(self.hunks[key], state=state)

    def reopen(self, ids: Iterable[int], lines: Lines) -> None:
        """Make hunks open again where they were, after an undo, or stale if they do not fit there; ``lines``: of the
        document as it is now. Unknown ids are ignored.
        """
        for key in ids:
            if key in self.hunks:
                self.hunks[key] = _checked(replace(self.hunks[key], state="ok"), lines)

    def pending(self) -> list[PlacedHunk]:
        """The finished hunks in place that are not decided, in the order of the document."""
        return sorted(
            (placed for placed in self.hunks.values() if placed.is_open_to_accept),
            key=lambda placed: (placed.start, placed.hunk.id),
        )


def applied(lines: Lines, hunks: Iterable[PlacedHunk]) -> list[str]:
    """The document's lines after all ``hunks`` at their places, which have to be in its order, apart, and not stale;
    a byte order mark before the first line stays there.
    """
    bom = BOM if lines and lines[0].startswith(BOM) else ""
    result: list[str] = []
    at = 0
    bare = [lines[0].removeprefix(BOM), *lines[1:]] if bom else lines
    for placed in hunks:
        result += bare[at : placed.start]
        result += placed.hunk.new_lines
        at = placed.start + len(placed.old_lines)
    result += bare[at:]
    if bom:
        result[:1] = [bom + (result[0] if result else "")]
    return result


def _after(placed: PlacedHunk, change: DocumentChange) -> PlacedHunk:
    """The hunk after one change: moved, or stale if that touches its lines (``moved``), by line numbers alone;
    unchanged if it is not open.
    """
    if placed.state != "ok":
        return placed
    start = moved(placed.start, len(placed.old_lines), change)
    return replace(placed, state="stale") if start is None else replace(placed, start=start)


def _checked(placed: PlacedHunk, lines: Lines) -> PlacedHunk:
    """The hunk, made stale if it is open and does not fit ``lines`` at its place."""
    if placed.state == "ok" and not _fits(placed, lines):
        return replace(placed, state="stale")
    return placed


def _fits(placed: PlacedHunk, lines: Lines) -> bool:
    """Whether ``lines`` have the hunk's old lines at its place, and its new ones would be whole lines in theirs.

    They would not after a line without a line end, before a line if the last of them has none (not asked of a hunk
    that still grows), or where a CR would meet a LF and become one line end with it. A byte order mark before the
    first line is passed over.
    """
    start, count, new = placed.start, len(placed.old_lines), placed.hunk.new_lines
    if _without_bom(tuple(lines[start : start + count]), start) != placed.old_lines:
        return False
    before = lines[start - 1 : start] if start else ()
    after = lines[start + count : start + count + 1]
    if not placed.hunk.done:
        after = ()  # more is to come before what follows
    seams = ((*before, *new[:1]), (*new[-1:], *after)) if new else ((*before, *after),)
    return start <= len(lines) and all(
        line_end(seam[0]) and not (seam[0].endswith("\r") and seam[1].startswith("\n"))
        for seam in seams
        if len(seam) == 2
    )


def _without_bom(lines: tuple[str, ...], start: int) -> tuple[str, ...]:
    """The lines, without a byte order mark before the first one if ``start`` is 0."""
    if start == 0 and lines and lines[0].startswith(BOM):
        return (lines[0].removeprefix(BOM), *lines[1:])
    return lines
