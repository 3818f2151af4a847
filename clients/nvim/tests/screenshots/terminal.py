# ruff: noqa: INP001 - a script beside shell scripts, not a package
"""Draw what ``tmux capture-pane -e`` says as a page: the cells of a terminal, with their colours.

``terminal.py SCREEN.ansi PAGE.html [light]``. Only what Neovim sends is understood: colours of 4, 8 and 24
bits, bold, italic, underline, reverse and struck through.
"""

from __future__ import annotations

import html
import sys
from pathlib import Path

from rich.console import Console
from rich.style import Style
from rich.terminal_theme import MONOKAI
from rich.text import Text

DARK, LIGHT = "#14161b", "#e0e2ea"  # of Neovim's own colours
CELL_WIDTH, CELL_HEIGHT, MARGIN = 9, 19, 14  # pixels


def main(source: Path, target: Path, *, is_light: bool) -> None:
    """Write the page."""
    background, foreground = (LIGHT, DARK) if is_light else (DARK, LIGHT)
    lines = source.read_text(encoding="utf-8").removesuffix("\n").split("\n")
    screen = Text.from_ansi("\n".join(lines))
    console = Console(width=400, color_system="truecolor")
    rows = [
        "".join(
            f'<span style="{css(segment.style, background, foreground)}">{html.escape(segment.text)}</span>'
            for segment in line.render(console)
            if segment.text.strip("\n")
        )
        for line in screen.split("\n", allow_blank=True)
    ]
    columns = max(line.cell_len for line in screen.split("\n", allow_blank=True))
    width = columns * CELL_WIDTH + 2 * MARGIN
    height = len(rows) * CELL_HEIGHT + 2 * MARGIN
    body = "".join(f'<div class="row">{row}</div>' for row in rows)
    page = PAGE.format(
        size=f"{width},{height}", background=background, foreground=foreground, body=body
    )
    target.write_text(page, encoding="utf-8")


def css(style: Style | None, background: str, color: str) -> str:
    """The style of one run of cells; the colours are those of a cell that names none."""
    if style is None:
        return ""
    if style.color and not style.color.is_default:
        color = style.color.get_truecolor(MONOKAI).hex
    if style.bgcolor and not style.bgcolor.is_default:
        background = style.bgcolor.get_truecolor(MONOKAI).hex
    if style.reverse:
        color, background = background, color
    lines = [
        name
        for name, wanted in (("underline", style.underline), ("line-through", style.strike))
        if wanted
    ]
    return ";".join(
        [
            f"color:{color}",
            f"background:{background}",
            "font-weight:bold" if style.bold else "",
            "font-style:italic" if style.italic else "",
            f"text-decoration:{' '.join(lines)}" if lines else "",
        ]
    )


PAGE = f"""<!doctype html>
<meta charset="utf-8">
<style>
  html {{{{ background: {{background}}; }}}}
  body {{{{ margin: {MARGIN}px; font: 15px/{CELL_HEIGHT}px "DejaVu Sans Mono", monospace; }}}}
  .row {{{{ height: {CELL_HEIGHT}px; white-space: pre; color: {{foreground}}; }}}}
  span {{{{ display: inline-block; height: {CELL_HEIGHT}px; }}}}
</style>
<body data-size="{{size}}">{{body}}</body>
"""


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), is_light="light" in sys.argv[3:])
