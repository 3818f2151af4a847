"""How options are declared: shorter than typer's own way, and without a type where none is read."""

from __future__ import annotations

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


_PAIRS = ("TARGET DRAFT",)


def _pair(values: Any) -> tuple[str, str]:
    first, second = values
    return str(first), str(second)
