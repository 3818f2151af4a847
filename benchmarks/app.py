"""The commands of ``python -m benchmarks``."""

from __future__ import annotations

import typer

from benchmarks.compare.command import compare
from benchmarks.drafters import drafters
from benchmarks.edits.command import edit
from benchmarks.replay.command import replay
from benchmarks.steps.command import step

app = typer.Typer(
    name="benchmarks",
    help="Commands that produce editd's figures.",
    no_args_is_help=True,
    add_completion=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


@app.callback()
def benchmarks() -> None:
    """Commands that produce editd's figures."""


app.command()(replay)
app.command()(compare)
app.command()(step)
app.command()(edit)
app.command()(drafters)
