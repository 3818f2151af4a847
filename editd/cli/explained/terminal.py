"""A trace drawn in a terminal: a bar a round, the shares of the time, the hunks in their colours.

Where there are no colours a bar is made of letters, one for each source.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import Console
from rich.text import Text

from editd.cli.explained.colours import REJECTED, STYLES, coloured, legend
from editd.cli.explained.facts import (
    SOURCES,
    Row,
    duration,
    headline,
    known,
    model_name,
    places,
    rows,
    time_split,
    tokens_by_source,
)
from editd.cli.visible import visible
from editd.diff.hunk import Hunk, Origin
from editd.messages import Trace

_TIMES = {
    "loading": "yellow",
    "reading": "cyan",
    "drafting": "magenta",
    "verifying": "blue",
    "other": "bright_black",
}
_MOST_PLACES = 4
_LABEL, _FIGURES = 9, 30  # columns before and behind a bar
_WIDEST = 100


def draw(trace: Trace, console: Console) -> None:
    """Print the picture."""
    colours = console.is_terminal and not console.no_color
    width = max(min(console.width, _WIDEST) - _LABEL - _FIGURES, 10)
    for line in _lines(trace, width, colours=colours):
        console.print(line)


def _lines(trace: Trace, width: int, *, colours: bool) -> Iterator[Text]:
    title = Text.assemble((f"edit {trace.id}", "bold"), f"  {visible(trace.path) or 'a text'}  ")
    yield title.append(f"“{visible(trace.instruction)}”", "italic")
    yield Text(f"{visible(model_name(trace))}, {trace.stats.drafter}, {trace.finish_reason}", "dim")
    yield Text(headline(trace), "bold")
    yield Text()
    yield from _times(trace, width, colours=colours)
    yield from _shares(trace, width, colours=colours)
    yield Text()
    if trace.rounds:
        yield Text(f"{'round':>{_LABEL - 2}}  {'tokens':{width}}  brought  in vain     time", "dim")
        drawn = rows(trace)
        most = max(row.brought + row.rejected for row in drawn)
        for row in drawn:
            yield _bar(row, width, most, colours=colours)
        yield Text(" " * _LABEL).append_text(legend(colours=colours))
    for hunk in trace.hunks:
        yield Text()
        yield from _hunk(hunk, colours=colours)


def _times(trace: Trace, width: int, *, colours: bool) -> Iterator[Text]:
    parts = time_split(trace)
    total = sum(seconds for _, seconds in parts) or 1.0
    cells = _cells([seconds / total for _, seconds in parts], width)
    bar = Text(f"{'time':>{_LABEL - 2}}  ")
    for (name, _), count in zip(parts, cells, strict=True):
        bar.append(("█" if colours else name[0]) * count, _TIMES[name])
    yield bar.append(f"  {duration(trace.stats.total_seconds)}")
    words = Text(" " * _LABEL)
    for name, seconds in parts:
        words.append(f"{name} ", _TIMES[name])
        words.append(f"{duration(seconds)}  ")
    yield words


def _shares(trace: Trace, width: int, *, colours: bool) -> Iterator[Text]:
    parts = tokens_by_source(trace)
    total = sum(count for _, count in parts)
    if not total:
        return
    cells = _cells([count / total for _, count in parts], width)
    bar = Text(f"{'text':>{_LABEL - 2}}  ")
    words = Text(" " * _LABEL)
    for (source, tokens), count in zip(parts, cells, strict=True):
        bar.append(("█" if colours else SOURCES[source].letter) * count, STYLES[source])
        words.append(f"{source} ", STYLES[source])
        words.append(f"{tokens / total:.0%}  ")
    yield bar.append(f"  {total:,} tokens")
    yield words


def _bar(row: Row, width: int, most: int, *, colours: bool) -> Text:
    """One row: what was accepted, the model's own token, what was drafted in vain."""
    label = str(row.first) if row.first == row.last else f"{row.first}-{row.last}"
    text = Text(f"{label:>{_LABEL - 2}}  ", "dim")
    parts = [*row.tokens, *([("", row.rejected)] if row.rejected else [])]
    cells = _cells([count / most for _, count in parts], width)
    for (source, _), count in zip(parts, cells, strict=True):
        if source:
            text.append(("█" if colours else SOURCES[source].letter) * count, STYLES[source])
        else:
            text.append(("░" if colours else "×") * count, REJECTED)
    text.append(" " * (width - sum(cells)))
    text.append(f"  {row.brought:7,}")
    text.append(f"  {row.rejected or '':>7}", REJECTED)
    return text.append(f"  {duration(row.seconds):>8}", "dim")


def _hunk(hunk: Hunk, *, colours: bool) -> Iterator[Text]:
    did = f"replaces {hunk.old_count}" if hunk.old_count else "inserted"
    yield Text(f"@@ line {hunk.start + 1}, {did} @@", "cyan")
    for index in range(len(hunk.new_lines)):
        spans = [origin for origin in hunk.origins if origin.line == index]
        yield Text("+ ", "green").append_text(coloured(hunk.new_lines[index], spans))
        letters = "" if colours else _letters(hunk.new_lines[index], spans)
        if letters.strip():
            yield Text(f"  {letters}", "dim")
    if found := places(hunk):
        shown = ", ".join(map(visible, found[:_MOST_PLACES]))
        left = len(found) - _MOST_PLACES
        more = f" and {left} more" if left > 0 else ""
        yield Text(f"  from {shown}{more}", STYLES["project"])


def _letters(line: str, spans: Sequence[Origin]) -> str:
    """A letter for the source of each character that can be seen, to stand under the line."""
    letters = "".join(SOURCES[known(s.source)].letter * (s.end - s.start) for s in spans)
    pairs = zip(line.rstrip("\r\n"), letters, strict=False)
    return "".join(char if char.isspace() else letter for char, letter in pairs)


def _cells(shares: Sequence[float], width: int) -> list[int]:
    """Whole cells for shares of ``width``: none for nothing, one at least for anything.

    What the small ones take beyond their share the largest gives.
    """
    cells = [max(round(share * width), int(share > 0)) for share in shares]
    while sum(cells) > width and max(cells) > 1:
        cells[cells.index(max(cells))] -= 1
    return cells
