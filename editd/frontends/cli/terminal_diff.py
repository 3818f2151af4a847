"""The coloured diff, drawn while it is being decoded: rows as soon as they are final, and the output that prints them.

A hunk is drawn with some unchanged lines before it at once; those after it follow as the walk
passes them, since the next change might begin right there. Nothing is written to the file.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from rich.text import Text

from editd.diff.document import Document
from editd.diff.hunk import Hunk, Keep, Op, Origin
from editd.files.replacing import Source
from editd.frontends.cli.console import make_console, visible
from editd.frontends.cli.outputs import (
    EditOutput,
    Spinner,
    change,
    figures,
    other_ways,
    remarks,
)
from editd.messages import Delta, EditResult

CONTEXT_LINES = 3
STYLES = {
    "buffer": "bright_black",
    "substitution": "green",
    "output": "cyan",
    "sketch": "hot_pink",
    "project": "magenta",
    "draft-model": "dark_orange",
    "new": "bright_yellow",
}
"""The colour of every source of ``diff.hunk.Origin``, in the order in which they are listed."""
_MARKS = {"context": " ", "removed": "-", "added": "+"}
_STYLES = {"context": "", "removed": "red", "added": "green"}


@dataclass(frozen=True, slots=True)
class Row:
    """A line of the drawn diff. number: 1-based, in the old text for removed lines, else in the new."""

    kind: Literal["gap", "context", "removed", "added"]
    number: int
    text: str = ""
    suspect: bool = False


class Painter:
    """Turns the operations of an edit of ``old_lines`` into rows. passed: how many of the lines the diff has passed.

    shift: lines that the new text has more than the old one before all that is drawn.
    """

    def __init__(self, old_lines: Sequence[str], shift: int = 0) -> None:
        self._old = old_lines
        self._first_shift = shift
        self._start_over()

    def _start_over(self) -> None:
        """Forget what is drawn, so that the diff begins again at the first line."""
        self.passed = 0
        self._shown = 0  # old lines before this one are drawn, or will never be
        self._context_end = 0  # lines before this one are drawn once they are passed
        self._shift = self._first_shift  # new line number - old line number, here
        self._painted: dict[int, Hunk] = {}

    def feed(self, ops: Iterable[Op]) -> Iterator[Row]:
        """Yield the rows that are final after ``ops``, the next operations in order (unchanged lines, or hunks):
        those of hunks that are done, and up to three unchanged lines after each as they are passed. Hunks that still
        grow give no rows. Moves the painter.
        """
        for op in ops:
            if isinstance(op, Keep):
                self.passed += op.count
                yield from self._context_until(min(self.passed, self._context_end))
            else:
                # A scope may lie anywhere in the text; the hunk itself says where we are.
                self.passed = op.start
                yield from self._context_until(min(self.passed, self._context_end))
                if op.done:
                    yield from self._hunk(op)

    def finish(self, hunks: Sequence[Hunk]) -> Iterator[Row]:
        """Yield the rows of the final hunks that are not drawn yet, and the unchanged lines after the last. If a
        drawn hunk is not among them with the same lines, or a missing one lies before what is drawn, all rows again,
        after a row that says so.
        """
        final = {hunk.id: hunk for hunk in hunks}
        missing = [hunk for hunk in hunks if hunk.id not in self._painted]
        right = all(
            hunk_id in final and _lines(final[hunk_id]) == _lines(painted)
            for hunk_id, painted in self._painted.items()
        )
        if not right or (missing and missing[0].start < self._shown):
            self._start_over()
            yield Row("gap", 0, "the whole diff, corrected:")
            missing = list(hunks)
        yield from self.feed(missing)
        yield from self._context_until(self._context_end)

    def _hunk(self, hunk: Hunk) -> Iterator[Row]:
        """Yield the rows of a finished hunk: a gap if lines were passed over, up to three unchanged lines before it,
        the removed (numbered as in the old text) and the added lines (as in the new). Moves the painter behind it.
        """
        lead = max(self._shown, hunk.start - CONTEXT_LINES)
        if lead > self._shown:
            yield Row("gap", lead + self._shift + 1)
        self._shown = lead
        yield from self._context_until(hunk.start)
        suspect = hunk.suspect is not None
        end = hunk.start + hunk.old_count
        for index in range(hunk.start, min(end, len(self._old))):
            yield Row("removed", index + 1, self._old[index], suspect)
        for index, line in enumerate(hunk.new_lines):
            yield Row("added", hunk.start + self._shift + index + 1, line, suspect)
        self._shift += len(hunk.new_lines) - hunk.old_count
        self.passed = self._shown = end
        self._context_end = min(end + CONTEXT_LINES, len(self._old))
        self._painted[hunk.id] = hunk

    def _context_until(self, end: int) -> Iterator[Row]:
        """Yield the rows of unchanged lines from the last one drawn up to ``end`` (exclusive, in the old text),
        numbered as in the new one, and count them as drawn; none if they are already.
        """
        for index in range(self._shown, end):
            yield Row("context", index + self._shift + 1, self._old[index])
        self._shown = max(self._shown, end)


def _lines(hunk: Hunk) -> tuple[int, int, tuple[str, ...]]:
    """The drawn part of a hunk; a later warning changes no line."""
    return hunk.start, hunk.old_count, hunk.new_lines


def known(source: str) -> str:
    """The source itself if it has a colour; a word of a later version counts as ``new``."""
    return source if source in STYLES else "new"


def coloured(line: str, origins: Sequence[Origin]) -> Text:
    """A new line, control characters spelled out, each span of ``origins`` in the colour of its source. Characters
    outside of the spans are left out; without origins the whole line, without colours.
    """
    if not origins:
        return Text(visible(line))
    text = Text()
    for origin in origins:
        text.append(visible(line[origin.start : origin.end]), STYLES[known(origin.source)])
    return text


class Terminal(EditOutput):
    """Draws hunks as they settle, with line numbers and a few unchanged lines around them.

    lines: of the text that is edited.
    """

    def __init__(self) -> None:
        super().__init__()
        self._console = make_console()
        self.waiting = Spinner(self._console)
        self.lines: Sequence[str] = ()
        self._painter = Painter(())

    def started(self, source: Source) -> None:
        """Print the text's name in bold, and begin a diff of its lines, forgetting the one before."""
        self.lines = Document.of(source.text).lines
        self._painter = Painter(self.lines)
        self._console.print(Text(visible(source.name or "standard input"), "bold"))

    def wait(self, source: Source, text: str) -> None:  # noqa: ARG002  it is named above
        """Show why nothing can be drawn yet."""
        self.waiting.show(text)

    def delta(self, delta: Delta) -> None:
        """Draw what is final, and show how far the edit is."""
        self.draw(self._painter.feed(delta.ops))
        self.waiting.show(f"rewriting, line {self._painter.passed} of {len(self.lines)}")

    def finished(self, source: Source, result: EditResult, new_text: str) -> int:  # noqa: ARG002
        """Draw the rest of the diff, then print remarks, figures, summary and other ways; then, if a file would
        change and ``can_decide`` is false, that nothing was written. Returns 0.
        """
        self.draw(self._painter.finish(result.hunks))
        for remark, style in remarks(result):
            self.tell(remark, style)
        self.tell(f"{change(result)}; {figures(result.stats)}", "bold")
        self.tell(result.summary)
        self.tell(other_ways(result), "dim")
        if result.hunks and source.file is not None and not self.can_decide(source, result):
            self.tell("Nothing was written; --in-place writes it.", "dim")
        return 0

    def can_decide(self, source: Source, result: EditResult) -> bool:  # noqa: ARG002
        """Whether ``decide`` asks about the answer, and may write it."""
        return False

    def tell(self, sentence: str, style: str = "") -> None:
        """Print a sentence, wrapped between its words."""
        if sentence:
            self._console.print(Text(visible(sentence), style), soft_wrap=False)

    def prompt(self, question: str) -> None:
        """Print a question, and leave the cursor after it."""
        self._console.print(Text(visible(question), "bold"), end="")

    def draw(self, rows: Iterable[Row]) -> None:
        """Print rows with their numbers, in colours; a gap as a line ``@@ line N @@``, or as its text."""
        for row in rows:
            if row.kind == "gap":
                self._console.print(Text(row.text or f"@@ line {row.number} @@", "cyan"))
                continue
            style = "yellow" if row.suspect and row.kind == "added" else _STYLES[row.kind]
            line = Text(visible(row.text), style)
            mark = (f"{_MARKS[row.kind]} ", style)
            self._console.print(Text.assemble((f"{row.number:>6} ", "dim"), mark, line))
