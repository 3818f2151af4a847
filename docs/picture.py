# a script to run, not a package
"""Record `make demo` in a terminal as it happens, and draw the recording as a moving SVG.

``python docs/picture.py record --title T`` runs ``examples/demo.py`` in tmux, writes what was on the screen at which
second to docs/images/terminal.json, and draws it. ``python docs/picture.py draw`` draws docs/images/terminal.svg from
the recording alone. One second of the picture is one second of the run.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from html import escape
from itertools import pairwise
from pathlib import Path
from typing import Any

from rich.style import Style
from rich.terminal_theme import SVG_EXPORT_THEME
from rich.text import Text

IMAGES = Path(__file__).resolve().parent / "images"
DEMO = IMAGES.parents[1] / "examples" / "demo.py"
RECORDING, PICTURE = IMAGES / "terminal.json", IMAGES / "terminal.svg"

COLUMNS, TALLEST, SHOWN = (
    98,
    400,
    26,
)  # of the terminal: width, lines recorded, lines in the picture
HOLD = 5.0  # seconds that the end is shown before it all begins again
CHAR, LINE, TOP, LEFT = 8.43, 19, 46, 16  # pixels


def main() -> None:
    """Record or draw."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    commands = parser.add_subparsers(required=True, dest="command")
    recording = commands.add_parser("record")
    recording.add_argument("--title", required=True, help="model, machine: what the picture says")
    commands.add_parser("draw")
    arguments = parser.parse_args()
    if arguments.command == "record":
        recorded = record(arguments)
        RECORDING.write_text(json.dumps(recorded, indent=1, ensure_ascii=False) + "\n")
    PICTURE.write_text(draw(json.loads(RECORDING.read_text())))
    print(PICTURE)


def record(arguments: argparse.Namespace) -> dict[str, Any]:
    """Run the demo with a daemon that has loaded nothing; each line's states, in seconds since the demo began."""
    python = shlex.quote(sys.executable)
    subprocess.run([sys.executable, "-m", "editd", "stop"], check=True)
    with tempfile.TemporaryDirectory() as folder:
        lines, seconds = _watch(f"{python} {shlex.quote(str(DEMO))}", folder)
    return {
        "title": arguments.title,
        "command": "make demo",
        "seconds": round(seconds, 2),
        "lines": lines,
    }


def _watch(command: str, folder: str) -> tuple[list[list[Any]], float]:
    """Run it in tmux; the states of each line as (from when, its cells as ANSI), and how long it took."""
    session = f"editd-picture-{os.getpid()}"
    shell = f"date +%s.%N > began; {command}; date +%s.%N > ended; sleep 60"
    size = ["-x", str(COLUMNS), "-y", str(TALLEST)]
    tmux = ["tmux", "-L", session, "-f", "/dev/null"]
    begin = [*tmux, "new-session", "-d", *size, "bash", "-c", shell]
    subprocess.run(begin, cwd=folder, check=True)
    capture = [*tmux, "capture-pane", "-p", "-e"]
    began, ended = Path(folder, "began"), Path(folder, "ended")
    frames: list[tuple[float, list[str]]] = []
    while not ended.exists():
        screen = subprocess.run(capture, check=True, capture_output=True, text=True).stdout
        frames.append((time.time(), _styled(screen)))
        time.sleep(0.03)
    time.sleep(0.2)  # the last cells may still be on their way to the screen
    screen = subprocess.run(capture, check=True, capture_output=True, text=True).stdout
    frames.append((float(ended.read_text()), _styled(screen)))
    subprocess.run([*tmux, "kill-server"], check=True)
    start = float(began.read_text())
    lines: list[list[Any]] = [[] for _ in range(max(len(screen) for _, screen in frames))]
    for at, screen in frames:
        for number, states in enumerate(lines):
            cells = screen[number] if number < len(screen) else ""
            if _still(states[-1][1] if states else "") != _still(cells):
                states.append([round(max(at - start, 0.0), 2), cells])
    return lines, frames[-1][0] - start


def _styled(screen: str) -> list[str]:
    """The lines of a screen, each with the style that the one above it ended in."""
    lines, style = [], ""
    for line in screen.rstrip("\n").split("\n"):
        lines.append(style + line)
        for code in re.findall(r"\x1b\[[\d;]*m", line):
            style = code if re.match(r"\x1b\[0?[;m]", code) else style + code
    return lines


def _still(cells: str) -> str:
    """Without the spinner, which turns ten times a second."""
    return re.sub("[\u2800-\u28ff]", "", cells)


def draw(recorded: dict[str, Any]) -> str:
    """The picture. With motion reduced, or where nothing moves, it shows the end."""
    seconds = recorded["seconds"]
    whole = seconds + HOLD
    moments = Moments(whole)
    lines = [[[0.0, f"\x1b[1m$ {recorded['command']}\x1b[0m"]], *recorded["lines"]]
    rows, depth = [], []
    for number, states in enumerate(lines):
        y = TOP + LINE * number
        for (since, cells), (until, _) in pairwise([*states, [whole, ""]]):
            if cells:
                depth.append((since, number))
                rows.append(f"<g{moments.shown(since, until)}>{''.join(_spans(cells, y))}</g>")
    width, screen = LEFT * 2 + round(COLUMNS * CHAR), SHOWN * LINE
    bottom = TOP + screen
    scrolled = f"<g{moments.scrolled(depth)}>\n{chr(10).join(rows)}\n</g>"
    bar = _bar(seconds, whole, bottom + 12, width - 2 * LEFT)
    captions = "".join(
        f'<text x="{LEFT}" y="{bottom + 38 + 18 * row}" fill="#9a9a9a" font-size="12">{escape(line)}</text>'
        for row, line in enumerate(recorded["title"].split(". "))
    )
    return f"""<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {bottom + 70}" font-family="ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="14">
<title>{escape(recorded["command"])}: {seconds:.1f} s</title>
<style>
.s{{white-space:pre}} .b{{font-weight:bold}}
{chr(10).join(moments.rules)}
@media (prefers-reduced-motion){{*{{animation:none!important}}}}
</style>
<rect width="{width}" height="{bottom + 70}" rx="8" fill="#292929"/>
<circle cx="20" cy="18" r="6" fill="#ff5f57"/><circle cx="40" cy="18" r="6" fill="#febc2e"/><circle cx="60" cy="18" r="6" fill="#28c840"/>
<clipPath id="screen"><rect x="0" y="{TOP - 15}" width="{width}" height="{screen}"/></clipPath>
<g clip-path="url(#screen)">{scrolled}</g>
{bar}
{captions}
</svg>
"""


class Moments:
    """CSS rules for what is shown from when to when, each period once."""

    def __init__(self, whole: float) -> None:
        self._whole = whole
        self._names: dict[str, str] = {}
        self.rules: list[str] = []

    def shown(self, since: float, until: float) -> str:
        """The class of what is visible from ``since`` to ``until``; at rest, what stays to the end is."""
        if since <= 0 and until >= self._whole:
            return ""
        hidden, shown = "{visibility:hidden}", "{visibility:visible}"
        frames = f"0%{hidden}{self._percent(since)}{shown}" if since > 0 else f"0%{shown}"
        if until < self._whole:
            frames += f"{self._percent(until)}{hidden}100%{hidden}"
        else:
            frames += f"100%{shown}"
        return self._rule(frames, "" if until >= self._whole else "visibility:hidden;")

    def scrolled(self, depth: list[tuple[float, int]]) -> str:
        """The class of what moves up so that the lowest line written so far can be seen."""
        frames, lowest = ["0%{transform:none}"], SHOWN - 1
        for since, number in sorted(depth):
            if number > lowest:
                lowest = number
                frames.append(f"{self._percent(since)}{{{self._up(lowest)}}}")
        last = self._up(lowest)
        return self._rule("".join([*frames, f"100%{{{last}}}"]), f"{last};")

    def _up(self, lowest: int) -> str:
        return f"transform:translateY(-{(lowest - SHOWN + 1) * LINE}px)"

    def _percent(self, at: float) -> str:
        return f"{100 * at / self._whole:.2f}%"

    def _rule(self, frames: str, at_rest: str) -> str:
        if frames not in self._names:
            name = self._names[frames] = f"m{len(self._names)}"
            self.rules.append(f"@keyframes {name}{{{frames}}}")
            timing = f"{self._whole:.2f}s step-end infinite"
            self.rules.append(f".{name}{{{at_rest}animation:{name} {timing}}}")
        return f' class="{self._names[frames]}"'


def _bar(seconds: float, whole: float, y: float, width: float) -> str:
    """A bar that is full when the edit is done."""
    ended = f"{100 * seconds / whole:.2f}%"
    rules = f"0%{{transform:scaleX(0)}}{ended}{{transform:scaleX(1)}}100%{{transform:scaleX(1)}}"
    style = f"transform-origin:{LEFT}px 0;animation:bar {whole:.2f}s linear infinite"
    shape = f'x="{LEFT}" y="{y}" width="{width}" height="4" rx="2"'
    return (
        f"<style>@keyframes bar{{{rules}}}.bar{{{style}}}</style>"
        f'<rect {shape} fill="#98c379" fill-opacity="0.2"/><rect class="bar" {shape} fill="#98c379"/>'
    )


def _spans(cells: str, y: int) -> Iterator[str]:
    """One line of a terminal as text elements, a run of one style each."""
    text = Text.from_ansi(cells)
    column = 0
    for span in _runs(text):
        content, style = span
        if content.strip():
            x = LEFT + column * CHAR
            length = f' textLength="{len(content) * CHAR:.1f}" lengthAdjust="spacingAndGlyphs"'
            bold = " b" if style.bold else ""
            shown = f'fill="{_colour(style)}"' + (' fill-opacity="0.55"' if style.dim else "")
            yield f'<text class="s{bold}" x="{x:.1f}" y="{y}"{length} {shown}>{escape(content)}</text>'
        column += len(content)


def _runs(text: Text) -> Iterator[tuple[str, Style]]:
    """The stretches of one style."""
    borders = sorted({0, len(text), *(at for span in text.spans for at in (span.start, span.end))})
    for start, end in pairwise(borders):
        styles = [
            span.style if isinstance(span.style, Style) else Style.parse(span.style)
            for span in text.spans
            if span.start <= start and span.end >= end
        ]
        yield text.plain[start:end], Style.combine(styles) if styles else Style()


def _colour(style: Style) -> str:
    colour = style.color.get_truecolor(SVG_EXPORT_THEME) if style.color else (0xC5, 0xC8, 0xC6)
    return "#" + "".join(f"{part:02x}" for part in colour)


if __name__ == "__main__":
    main()
