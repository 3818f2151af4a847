"""A benchmark in a terminal: how far it is, its tables, and why it does not run, as one sentence."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import typer
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn
from rich.text import Text

from editd.errors import EditdError
from editd.frontends.cli.console import make_console
from editd.outcome import outcome_of

_WIDTH = 130  # of a table where there is no terminal


@contextmanager
def refusing() -> Iterator[None]:
    """An ``EditdError`` becomes its sentence on standard error and its exit code."""
    try:
        yield
    except EditdError as error:
        make_console(stderr=True, soft_wrap=False).print(Text(str(error), "red"), soft_wrap=True)
        raise typer.Exit(outcome_of(error).exit_code) from error


@contextmanager
def progress_bar() -> Iterator[Callable[[str, float], None]]:
    """A bar on standard error, gone at the end; it takes a label and a fraction (0 to 1)."""
    bar = Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        console=make_console(stderr=True, soft_wrap=False),
        transient=True,
    )
    with bar:
        task = bar.add_task("loading", total=1.0)
        yield lambda what, done: bar.update(task, description=what, completed=done)


def wide_console() -> Console:
    """Standard output; in a file or a pipe a table may be as wide as it is."""
    console = make_console(soft_wrap=False)
    return console if console.is_terminal else make_console(width=_WIDTH, soft_wrap=False)
