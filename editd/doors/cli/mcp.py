"""``editd mcp``: runs the tools for agents on standard input and output."""

from __future__ import annotations

from typing import Annotated

import typer

from editd.errors import UsageError


def mcp(
    folders: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="FOLDER",
            help="Folder in which files may be edited; default: the current one.",
        ),
    ] = None,
) -> None:
    """Run a Model Context Protocol server on standard input and output. Agents start it."""
    from editd.doors.cli.checked_options import resolved_settings
    from editd.installed import with_extra

    try:
        from editd.doors.mcp.server import main
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in ("mcp", "mcp_types"):
            raise
        raise UsageError(
            f"editd mcp needs the MCP SDK. Install it with: {with_extra('mcp')}"
        ) from error
    from editd.doors.mcp.paths import Folders

    resolved = resolved_settings()
    main(
        Folders(folders or ()),
        resolved.edit_options(file_is_fresh=False),
        words=resolved.config.edit.words,
    )
