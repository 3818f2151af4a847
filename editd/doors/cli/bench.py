"""``editd bench …``: a separate program, looked up only when it is called."""

from __future__ import annotations

from typing import Any

import typer

# Everything after ``bench``, ``--help`` too, is for the benchmarks to read.
CONTEXT_SETTINGS = {"allow_extra_args": True, "ignore_unknown_options": True}


def bench(context: typer.Context) -> Any:
    """Measure forward passes and edits on this machine; `editd bench --help` lists the benchmarks."""
    from editd.bench.app import app

    command = typer.main.get_command(app)
    return command.main(args=context.args, prog_name="editd bench", standalone_mode=False)
