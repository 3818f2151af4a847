"""Diffs growing new text against a buffer: each hunk settles as soon as it is certain.

Knows two sequences of lines, one complete and one that grows; knows nothing of tokens, prompts or editors. The hard
part, to decide which old line a new line belongs to, is ``rejoining``'s; small changes inside a closed hunk are found
by ``matching``; line ends come back through ``document``.

A walk through the old lines, reported as it happens::

    old   a b c d e f          push "a\\nB\\n"      Keep(1)  Hunk(1, start=1, 0, [B], done=False)
    new   a B c d X e f        push "c\\nd\\n"      Hunk(1, start=1, 1, [B])  Keep(2)
                               push "X\\ne\\nf\\n"  Hunk(2, start=4, 0, [X])  Keep(2)

``Spacing`` and ``LostIndent`` know the white space that a model changes in passing: at the ends of lines, blank
lines, indentation. Chat models drop it because most of their training text had lost it. Unless an instruction
mentions it, lines are compared without white space at their ends, and changes of blank lines are ignored.
``num_restored`` counts the lines that stayed as they were.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from editd.diff.document import BOM, Document, without_joining
from editd.diff.hunk import Hunk, Keep, Op
from editd.diff.indentation import LostIndent
from editd.diff.matching import DiffChange, changes, is_weak
from editd.diff.rejoining import Rejoining

_SPACE = " \t\n"  # a form feed says something


class StreamingDiff:
    """Turns an answer, pushed piece by piece, into ``Keep`` and ``Hunk`` operations.

    document: the buffer.
    start, end: the lines that the answer rewrites, end exclusive; others are untouched and appear in no
        operation. Raises ``ValueError`` for lines that the document does not have.
    first_id: of the first hunk.
    final_newline: whether the new text ends with a newline; ``None``: as the buffer does. It matters only where the
        region reaches the buffer's end; elsewhere the last line of an answer is always ended.
    keeps_spacing: whether white space at the ends of lines and blank lines are not the answer's to change
        (``Spacing``).
    may_move: the whole answer may be meant to stand farther to the left.

    Keeps and done hunks cover the region's old lines once, in order, and are never taken back. Where an answer has
    left the old text, an open hunk (``done=False``) shows the lines that it wrote so far; it is emitted again as it
    grows and ends as a done hunk of the same id, start and at least the same ``old_count``. Its lines may then be
    fewer: those that turned out to be old are kept.
    """

    def __init__(
        self,
        document: Document,
        start: int = 0,
        end: int | None = None,
        first_id: int = 1,
        final_newline: bool | None = None,  # noqa: FBT001
        *,
        keeps_spacing: bool = False,
        may_move: bool = False,
    ) -> None:
        num_lines = len(document.lines)
        end = num_lines if end is None else end
        if not 0 <= start <= end <= num_lines:
            raise ValueError(f"lines {start} to {end} are not in a document of {num_lines} lines")
        self._document = document
        self._spacing = Spacing(document.model_lines, is_kept=keeps_spacing)
        wants_newline = document.ends_with_newline if final_newline is None else final_newline
        self._last_line_ended = wants_newline or end < num_lines
        after_unended_line = start == end == num_lines and not document.ends_with_newline
        self.start = start - after_unended_line
        self.end = end
        region = document.model_lines[self.start : end]
        self._old = dict(enumerate(map(self._spacing.comparable, region), self.start))  # by number

        self._partial: list[str] = []  # pieces of the line that is being written
        self._open_cr = False  # the last piece ended with CR: half of a CR LF, or a line end
        self._at_start = True
        self._waiting: list[str] = []  # lines that may turn out to be the unended end of the text
        self._indent = LostIndent(region, may_move=may_move) if keeps_spacing else None

        self._walk = self.start  # old lines before this one are settled
        self._new: list[str] = []  # new lines since the answer left the old text
        self._num_lines = 0  # of the answer, so far
        self._rejoining = Rejoining(self._old, self.start, end)
        self._num_shown = 0  # lines of the open hunk when it was last emitted
        self._next_id = first_id
        self._ops: list[Op] = []
        self._hunks: list[Hunk] = []
        self._first_lines: dict[int, int] = {}
        self._finished = False
        if after_unended_line:
            # New lines can only stand after it if it gets an end, so it is part of the region.
            self._add_line(document.model_lines[-1] + "\n")

    @property
    def hunks(self) -> tuple[Hunk, ...]:
        """The hunks that are done."""
        return tuple(self._hunks)

    @property
    def num_restored(self) -> int:
        """The number of lines whose white space the answer changed and that stay as they were, or got their
        indentation back.
        """
        indented = 0 if self._indent is None else self._indent.num_restored
        return self._spacing.num_restored + indented

    def first_line(self, hunk_id: int) -> int:
        """The line of the answer, from 0, that became the first new line of a done hunk."""
        return self._first_lines[hunk_id]

    def push(self, text: str) -> list[Op]:
        """Take the next piece of the answer, of any length; returns the operations that are new or, for a hunk that
        grew, newer. Raises ``ValueError`` after ``finish`` or ``abandon``.
        """
        if self._finished:
            raise ValueError("the answer is finished: nothing can be pushed any more")
        self._read_text(text)
        self._show_open_hunk()
        return self._flush_ops()

    def finish(self) -> list[Op]:
        """End the answer: whatever old lines it does not have are deleted. Returns the remaining operations; nothing
        after ``finish`` or ``abandon``.
        """
        if self._finished:
            return []
        self._finished = True
        if self._open_cr:
            self._open_cr = False
            self._read_text("\n")
        rest = [*self._waiting]
        if partial := "".join(self._partial):
            rest.append(partial + "\n")
        if not self._last_line_ended:
            while rest and rest[-1] == "\n":
                rest.pop()
            if rest:
                rest[-1] = rest[-1][:-1]
        for line in rest:
            self._restore_indent(line)
        for line in self._indent.rest() if self._indent else ():
            self._walk_on(line)
        self._settle(self.end, len(self._new))
        return self._flush_ops()

    def abandon(self) -> list[Op]:
        """Discard the rest of the answer, an open hunk included: lines that are not settled stay unchanged. Returns the
        remaining operations; ``push`` raises afterwards.
        """
        self._finished = True
        self._keep(self.end - self._walk)
        return self._flush_ops()

    # --- from pieces to lines --------------------------------------------------------------------

    def _read_text(self, text: str) -> None:
        """Cut a piece into lines, and align each one that has ended; drops a BOM at the buffer's start, and evens line
        ends out to LF. A CR at the end waits for the next piece.
        """
        if self._at_start and text:
            self._at_start = False
            if self.start == 0:
                text = text.removeprefix(BOM)
        if self._open_cr:
            text = "\r" + text
        self._open_cr = text.endswith("\r")
        text = text.removesuffix("\r").replace("\r\n", "\n").replace("\r", "\n")
        head, *tail = text.split("\n")
        self._partial.append(head)
        for piece in tail:
            self._add_line("".join(self._partial) + "\n")
            self._partial = [piece]

    def _add_line(self, line: str) -> None:
        """Align a whole line, ended by LF.

        If the text is to end without newline, the last line that is not empty will lose its end, and with it the empty
        ones after it: lines wait until another one that is not empty follows.
        """
        if self._last_line_ended:
            self._restore_indent(line)
            return
        if line != "\n":
            for known in self._waiting:
                self._restore_indent(known)
            self._waiting = []
        self._waiting.append(line)

    # --- from lines to operations ----------------------------------------------------------------

    def _restore_indent(self, line: str) -> None:
        """Pass the line on to ``_walk_on``, with its indentation restored, once that is certain; until then it waits."""
        for known in self._indent.add(line) if self._indent else (line,):
            self._walk_on(known)

    def _walk_on(self, line: str) -> None:
        """Keep the old line if the new line is the next old one; else note it as new, and, if it proves that the answer
        has come back to the old text, emit what lies between.
        """
        self._num_lines += 1
        line_key = self._spacing.comparable(line)
        if not self._new and self._walk < self.end and self._old[self._walk] == line_key:
            self._spacing.count_restored(self._walk, (line,))
            self._keep(1)
            return
        self._new.append(line)
        run = self._rejoining.add(line_key, self._walk)
        if run is not None:
            self._settle(run.old_start, run.new_start)
            self._spacing.count_restored(run.old_start, self._new[run.new_start :])
            self._keep(run.old_end - self._walk)
            self._new = []
            self._rejoining.clear()

    def _settle(self, old_end: int, new_end: int) -> None:
        """Emit hunks and keeps for old lines up to ``old_end``, which have become the first ``new_end`` new lines;
        changes of blank lines alone are undone where the buffer's white space is kept.
        """
        base, first = self._walk, self._num_lines - len(self._new)
        old, new = list(map(self._old.__getitem__, range(base, old_end))), self._new[:new_end]
        found = changes(old, list(map(self._spacing.comparable, new)))
        self._spacing.count_restored_between(found, base, new)
        for group in _readable(found, old):
            if self._spacing.is_undone(group, old, new):
                continue
            self._keep(base + group[0].old_start - self._walk)
            end, lines = self._hunk_lines(group, base, new)
            self._first_lines[self._next_id] = first + group[0].new_start
            self._emit(Hunk(self._next_id, self._walk, end - self._walk, tuple(lines)))
        self._keep(old_end - self._walk)
        self._num_shown = 0

    def _hunk_lines(
        self, group: Sequence[DiffChange], base: int, new: Sequence[str]
    ) -> tuple[int, list[str]]:
        """The hunk of a group of changes: the old line after its last one, and its new lines with
        the document's line ends, unchanged lines between the changes included.

        base: the old line from which the changes count. new: the new lines. If the line after the
        hunk would join its last one (LF after CR), that line becomes part of the hunk, or, beyond
        the region, an empty line is added to the hunk's end.
        """
        lines: list[str] = []
        end = start = base + group[0].old_start
        before = self._document.lines[start - 1] if start else ""
        for change in group:
            between = self._document.lines[end : base + change.old_start]
            end = base + change.old_end
            replaced = change.old_end - change.old_start
            lines += between
            lines += self._document.restore_ends(
                new[change.new_start : change.new_end], end - replaced, replaced
            )
        following = self._document.lines[end : end + 1]
        for index, line in enumerate([*lines, *following]):
            apart = without_joining(before, line)
            if index < len(lines):
                lines[index] = apart
            elif apart != line and end < self.end:
                lines.append(apart)
                end += 1
            elif apart != line and lines:
                lines[-1] += "\n"  # the line after the region is not ours to change
            before = apart
        return end, lines

    def _keep(self, count: int) -> None:
        """Record ``count`` old lines as kept, joined to a ``Keep`` that was recorded just before, and walk over them;
        nothing for a count below 1.
        """
        if count <= 0:
            return
        self._walk += count
        if self._ops and isinstance(self._ops[-1], Keep):
            self._ops[-1] = Keep(self._ops[-1].count + count)
        else:
            self._ops.append(Keep(count))

    def _emit(self, hunk: Hunk) -> None:
        """Record a done hunk, count its id up, and walk over its old lines."""
        self._next_id += 1
        self._walk += hunk.old_count
        self._hunks.append(hunk)
        self._ops.append(hunk)

    def _show_open_hunk(self) -> None:
        """Emit the lines written since the answer left the old text, as an open hunk, as far as they seem to be new.

        Lines that begin to look old again are not shown yet, and blank lines alone are not where white space is kept.
        Each time costs as much as the hunk is long, so it is emitted again only when it has grown by more than a
        thirty-second.
        """
        count = max(self._num_shown, self._rejoining.num_certainly_new())
        if self._spacing.may_be_undone(self._new[:count]):
            return
        if count and count > self._num_shown + self._num_shown // 32:
            self._num_shown = count
            lines = self._document.restore_ends(self._new[:count], self._walk, 0)
            self._ops.append(Hunk(self._next_id, self._walk, 0, lines, done=False))

    def _flush_ops(self) -> list[Op]:
        """The operations since the last call; forgets them."""
        ops, self._ops = self._ops, []
        return ops


def _readable(found: Sequence[DiffChange], old: Sequence[str]) -> list[list[DiffChange]]:
    """Changes in groups, each of which becomes one hunk; no group is empty.

    Two changes with only lines without a letter or digit between them are one change to a reader, and accepting one
    without the other makes no sense; unless one of them is less than twice as large as that gap.
    """
    groups: list[list[DiffChange]] = []
    for change in found:
        if groups:
            last = groups[-1][-1]
            gap = old[last.old_end : change.old_start]
            if all(map(is_weak, gap)) and 2 * len(gap) <= min(last.size, change.size):
                groups[-1].append(change)
                continue
        groups.append([change])
    return groups


class Spacing:
    """White space that stays as in the buffer.

    old: the buffer's lines, as a model sees them. is_kept: false changes nothing.
    """

    def __init__(self, old: Sequence[str], *, is_kept: bool) -> None:
        self._old = old
        self._is_kept = is_kept
        self.num_restored = 0

    def comparable(self, line: str) -> str:
        """``line`` as it is compared: as it is, or, if the buffer's white space is kept, without blanks before its line end."""
        if not self._is_kept:
            return line
        return line.rstrip(_SPACE) + line[-1:] if line.endswith("\n") else line.rstrip(_SPACE)

    def is_undone(
        self, group: Sequence[DiffChange], old: Sequence[str], new: Sequence[str]
    ) -> bool:
        """Whether these changes of ``old`` to ``new`` affect only blank lines, and so are undone; adds their lines to
        ``num_restored`` then. False if the buffer's white space is not kept.
        """
        if not self._is_kept or not all(_is_blank_change(change, old, new) for change in group):
            return False
        self.num_restored += sum(change.size for change in group)
        return True

    def may_be_undone(self, new: Iterable[str]) -> bool:
        """Whether all ``new`` lines are blank, so that they need not be shown yet."""
        return self._is_kept and all(map(_is_blank, new))

    def count_restored(self, start: int, written: Sequence[str]) -> None:
        """Add to ``num_restored`` the number of old lines from ``start`` on that differ from the lines that the answer
        has written in their place (``written``); nothing if the buffer's white space is not kept.
        """
        if self._is_kept:
            pairs = zip(self._old[start : start + len(written)], written, strict=True)
            self.num_restored += sum(old != new for old, new in pairs)

    def count_restored_between(
        self, changes: Sequence[DiffChange], base: int, new: Sequence[str]
    ) -> None:
        """As ``count_restored``, for all lines around and between ``changes``, which count from old line ``base`` and
        from the start of ``new``.
        """
        if not self._is_kept:
            return
        old_at = new_at = 0
        for change in changes:
            self.count_restored(base + old_at, new[new_at : change.new_start])
            old_at, new_at = change.old_end, change.new_end
        self.count_restored(base + old_at, new[new_at:])


def _is_blank_change(change: DiffChange, old: Sequence[str], new: Sequence[str]) -> bool:
    """Whether only blank lines are replaced by only blank lines."""
    lines = [*old[change.old_start : change.old_end], *new[change.new_start : change.new_end]]
    return all(map(_is_blank, lines))


def _is_blank(line: str) -> bool:
    """Whether a line is empty but for blanks and tabs."""
    return not line.strip(_SPACE)
