"""The colours of the sources in a terminal."""

from __future__ import annotations

from collections.abc import Sequence

from rich.text import Text

from editd.diff.hunk import Origin
from editd.doors.cli.explained.facts import known
from editd.doors.cli.safe_text import visible

STYLES = {
    "buffer": "bright_black",
    "substitution": "green",
    "output": "cyan",
    "sketch": "hot_pink",
    "project": "magenta",
    "draft-model": "dark_orange",
    "new": "bright_yellow",
}


def legend() -> Text:
    """The sources in their colours."""
    text = Text()
    for source, style in STYLES.items():
        text.append(f"█ {source}  ", style)
    return text


def coloured(line: str, origins: Sequence[Origin]) -> Text:
    """One new line, each span in the colour of its origin."""
    if not origins:
        return Text(visible(line))
    text = Text()
    for origin in origins:
        text.append(visible(line[origin.start : origin.end]), STYLES[known(origin.source)])
    return text
