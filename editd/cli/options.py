"""How options are declared: shorter than typer's own way, and without a type where none is read."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import typer


def flag(*names: str, about: str, panel: str | None = None) -> Any:
    """An option that is given or not."""
    return typer.Option(*names, metavar="", help=about, rich_help_panel=panel)


def option(*names: str, metavar: str, about: str, panel: str | None = None) -> Any:
    """An option with a value."""
    return typer.Option(*names, metavar=metavar, help=about, rich_help_panel=panel)


def pairs(*names: str, metavar: str, about: str, panel: str | None = None) -> Any:
    """An option with two values that may be given several times; ``give_pairs`` makes it so."""
    return typer.Option(*names, metavar=metavar, help=about, rich_help_panel=panel, parser=_pair)


def give_pairs(command: Any) -> Any:
    """``command`` with its pairs taking two values, which typer cannot be told for lists."""
    for inner in getattr(command, "commands", {}).values():
        give_pairs(inner)
    for parameter in command.params:
        if getattr(parameter, "multiple", False) and parameter.metavar in _PAIRS:
            parameter.nargs = 2
    return command


def settle_optional(arguments: Sequence[str]) -> list[str]:
    """Command-line arguments in which ``--workspace`` has a value: the folder behind it, or none.

    Typer knows no options whose value may be left out.
    """
    settled: list[str] = []
    for index, argument in enumerate(arguments):
        if argument == "--":
            return settled + list(arguments[index:])
        behind = arguments[index + 1 : index + 2]
        is_bare = argument in _MAY_BE_BARE and not (behind and Path(behind[0]).is_dir())
        settled.append(f"{argument}=" if is_bare else argument)
    return settled


_PAIRS = ("TARGET DRAFT",)
_MAY_BE_BARE = ("--workspace",)


def _pair(values: Any) -> tuple[str, str]:
    first, second = values
    return str(first), str(second)
