"""The colours of the sources in a terminal, and their letters where there are none."""

from __future__ import annotations

from collections.abc import Sequence

from rich.text import Text

from editd.cli.explained.facts import SOURCES, known
from editd.cli.visible import visible
from editd.diff.hunk import Origin

STYLES = {
    "buffer": "bright_black",
    "substitution": "green",
    "output": "cyan",
    "sketch": "hot_pink",
    "project": "magenta",
    "draft-model": "dark_orange",
    "new": "bright_yellow",
}
REJECTED = "red"


def legend(*, colours: bool, with_rejected: bool = True) -> Text:
    """The sources in their colours, or by their letters."""
    text = Text()
    for source in SOURCES:
        text.append("█ " if colours else f"{SOURCES[source].letter} ", STYLES[source])
        text.append(f"{source}  ")
    if with_rejected:
        text.append("░ " if colours else "× ", REJECTED)
        text.append("rejected")
    return text


def coloured(line: str, origins: Sequence[Origin]) -> Text:
    """One new line, each span in the colour of its origin."""
    if not origins:
        return Text(visible(line))
    text = Text()
    for origin in origins:
        text.append(visible(line[origin.start : origin.end]), STYLES[known(origin.source)])
    return text
