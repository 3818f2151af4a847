"""``editd lsp``, ``mcp`` and ``serve``: the front ends that another program starts, with their options."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from editd import interrupts
from editd.config import EMBEDDED
from editd.errors import UsageError
from editd.files.local_cache import json_object
from editd.frontends.cli.console import say
from editd.frontends.cli.inputs import resolved_settings
from editd.frontends.cli.options import option
from editd.installed import with_extra

if TYPE_CHECKING:
    from editd.config import ModelConfig


def lsp(
    *,
    stdio: Annotated[  # noqa: ARG001
        bool, option("--stdio", about="Accepted for compatibility; stdio is always used.")
    ] = False,
) -> None:
    """Run the language server on standard input and output. Editors start it."""
    with interrupts.ending_at_once():  # there is nothing to clean up
        from editd.frontends.lsp.server import main

        main()


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
    try:
        from editd.frontends.mcp.server import main
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in ("mcp", "mcp_types"):
            raise
        raise UsageError(
            f"editd mcp needs the MCP SDK. Install it with: {with_extra('mcp')}"
        ) from error
    from editd.frontends.mcp.editing import Folders

    resolved = resolved_settings()
    main(
        Folders(folders or ()),
        resolved.edit_options(file_is_fresh=False),
        words=resolved.config.edit.words,
    )


def serve(
    *,
    host: Annotated[
        str,
        option(
            "--host",
            metavar="H",
            about="Address to listen on; any but a loopback address requires an API key.",
        ),
    ] = "127.0.0.1",
    port: Annotated[
        int,
        option("--port", min=0, max=65535, metavar="N", about="Port; 0 chooses a free one."),
    ] = 8431,
    socket: Annotated[
        str | None,
        option("--socket", metavar="PATH", about="Listen on a Unix socket instead of a port."),
    ] = None,
    api_key_file: Annotated[
        str | None,
        option(
            "--api-key-file",
            metavar="FILE",
            about="Require the API key in the first line of FILE; default: the one in "
            "EDITD_API_KEY, if set.",
        ),
    ] = None,
    allow_origin: Annotated[
        list[str] | None,
        option(
            "--allow-origin",
            metavar="ORIGIN",
            about="Allow requests from web pages of this origin, such as http://localhost:3000; "
            "repeatable.",
        ),
    ] = None,
    allow_host: Annotated[
        list[str] | None,
        option(
            "--allow-host",
            metavar="NAME",
            about="Allow requests that call this machine NAME, such as host.docker.internal; repeatable.",
        ),
    ] = None,
    timeout: Annotated[
        float,
        option("--timeout", min=0.001, metavar="S", about="Time limit of a request, in seconds."),
    ] = 600.0,
) -> None:
    """Serve an OpenAI-compatible API: chat and text completions, predicted outputs, apply."""
    try:
        from editd.frontends.http.serving import ListenAddress, read_key, serve
    except ModuleNotFoundError as error:
        if error.name not in ("starlette", "uvicorn"):
            raise
        raise UsageError(
            f"editd serve needs Starlette and uvicorn. Install them with: {with_extra('http')}"
        ) from error

    resolved = resolved_settings()
    serve(
        resolved,
        ListenAddress(
            host,
            port,
            None if socket is None else Path(socket).absolute(),
            tuple(allow_host or ()),
        ),
        key=read_key(api_key_file),
        origins=allow_origin or (),
        seconds=timeout,
        say=say,
        edit_format=_own_format(resolved.config.model),
    )


def _own_format(model: ModelConfig) -> str:
    """The prompt format for a model of this machine: ``embedded`` for the embedded one, else what ``editd.json`` in
    the folder of its name declares; empty if there is none, or another engine than ``local`` runs it.
    """
    if model.engine != "local":
        return ""
    if model.name == EMBEDDED:
        return EMBEDDED
    return str(json_object(Path(model.name) / "editd.json").get("format", ""))
