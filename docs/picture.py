"""Draw docs/images/terminal.svg: what a terminal shows of an edit, from a terminal's own cells.

Runs an edit of the demo in tmux, with the model in memory but this file not yet read, waits for it to
end, and turns the screen into SVG. Usage: python docs/picture.py [OUT.svg]
"""

import io
import shlex
import subprocess
import sys
import time
from pathlib import Path

from rich.console import Console
from rich.text import Text

WIDTH, HEIGHT = 136, 60
ROOT = Path(__file__).resolve().parents[1]
WARM = "editd edit events.py -i 'Remove unused imports.' --check > /dev/null"  # loads the model
COMMAND = "editd edit ring.c -i 'Rename ring_push to ring_write and ring_pop to ring_read.'"


def main() -> None:
    """Run, capture, draw."""
    out = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "docs" / "images" / "terminal.svg"
    session = "editd-picture"
    shell = (
        f"cd {shlex.quote(str(ROOT / 'examples' / 'demo'))}; PS1='$ '; {WARM}; clear; "
        f"printf '$ %s\\n' {shlex.quote(COMMAND)}; {COMMAND}; tmux wait-for -S {session}; sleep 60"
    )
    size = ["-x", str(WIDTH), "-y", str(HEIGHT)]
    subprocess.run(
        ["tmux", "new-session", "-d", "-s", session, *size, "bash", "-c", shell], check=True
    )
    subprocess.run(["tmux", "wait-for", session], check=True, timeout=120)
    time.sleep(0.3)  # the last cells may still be on their way to the screen
    cells = subprocess.run(
        ["tmux", "capture-pane", "-p", "-e", "-t", session],
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    subprocess.run(["tmux", "kill-session", "-t", session], check=True)
    console = Console(record=True, width=WIDTH, file=io.StringIO(), color_system="truecolor")
    console.print(Text.from_ansi(cells.rstrip("\n")))
    console.save_svg(str(out), title="editd")
    print(out)


if __name__ == "__main__":
    main()
