"""What `make demo` runs: rewrite a real source file with the demo model and watch the diff.

The model is real (a stock transformers checkpoint that decodes every token), but it knows only the
edits of examples/demo, by heart: see docs/explanation/demo-model.md. The first run solves its
weights on this machine, in some ten seconds.
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

from editd.demo.cache import demo_model_dir

FILE = Path(__file__).parent / "demo" / "inventory.py"
INSTRUCTION = "Rename qty to quantity everywhere."


def main() -> int:
    console = Console(highlight=False)
    columns = TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn()
    with Progress(*columns, console=console, transient=True) as progress:
        task = progress.add_task("demo model", total=1.0)
        demo_model_dir(
            lambda message, done: progress.update(task, description=message, completed=done)
        )
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(shutil.copy(FILE, folder))
        for flags in ([], ["--in-place"]):
            shown = ["editd", "edit", copy.name, "-i", INSTRUCTION, *flags]
            console.print(f"\n[bold]$ {shlex.join(shown)}[/bold]")
            code = run_on_a_terminal([sys.executable, "-m", *shown], folder)
            if code:
                return code
    console.print(
        "\nMore edits that this model knows: examples/demo/README.md. Others: `editd models`."
    )
    return 0


def run_on_a_terminal(command: list[str], folder: str) -> int:
    """Run it as on a terminal even in a pipe, where `editd edit` would write the bare text."""
    os.chdir(folder)
    if sys.stdout.isatty():
        return subprocess.run(command, check=False).returncode
    return os.waitstatus_to_exitcode(pty.spawn(command))


if __name__ == "__main__":
    sys.exit(main())
