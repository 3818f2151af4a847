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
