"""Why a benchmark does not run, as one sentence."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import typer
from rich.text import Text

from editd.doors.cli.safe_console import SafeConsole
from editd.errors import EditdError


@contextmanager
def refusing() -> Iterator[None]:
    """An ``EditdError`` becomes its sentence on standard error and its exit code."""
    try:
        yield
    except EditdError as error:
        SafeConsole(stderr=True).print(Text(str(error), "red"), soft_wrap=True)
        raise typer.Exit(error.exit_code) from error
