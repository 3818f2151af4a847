"""``editd bench``: benchmarks that a user can run, one command each."""

from __future__ import annotations

import typer

from editd.bench.edit import edit
from editd.bench.step import step

app = typer.Typer(
    name="bench",
    help="Measure forward passes and edits on this machine.",
    no_args_is_help=True,
    add_completion=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


@app.callback()
def bench() -> None:
    """Measure forward passes and edits on this machine."""


app.command()(step)
app.command()(edit)
