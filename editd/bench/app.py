"""``editd bench``: benchmarks that a user can run, one command each."""

from __future__ import annotations

import typer

from editd.bench.edit import edit
from editd.bench.step import step

app = typer.Typer(
    name="bench",
    help="Benchmarks that you can run yourself.",
    no_args_is_help=True,
    add_completion=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


@app.callback()
def bench() -> None:
    """Benchmarks that you can run yourself."""


app.command()(step)
app.command()(edit)
