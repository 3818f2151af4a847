"""``editd bench …``: a program of its own, looked for only when it is asked for."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import typer

from editd.errors import UsageError

# Everything after ``bench``, ``--help`` too, is for the benchmarks to read.
CONTEXT_SETTINGS = {"allow_extra_args": True, "ignore_unknown_options": True}


def bench(context: typer.Context) -> Any:
    """Measure passes and whole edits; `editd bench --help` lists the benchmarks."""
    try:
        app = import_module("editd.bench.app").app
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("editd"):
            raise UsageError("This installation of editd has no benchmarks.") from error
        raise UsageError(
            f"The benchmarks need {error.name}, which is not installed; install editd[plot]."
        ) from error
    command = typer.main.get_command(app)
    return command.main(args=context.args, prog_name="editd bench", standalone_mode=False)
