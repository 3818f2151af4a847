"""The tools behind the official SDK, which speaks both versions of the protocol.

Progress, cancellation and transport are the SDK's; what a call does is left to ``editing``.
"""

from __future__ import annotations

import json
import logging
import os
import sys
from collections.abc import Awaitable, Callable
from contextlib import aclosing
from time import monotonic
from typing import Any, cast

from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp_types import (
    INVALID_REQUEST,
    CallToolRequestParams,
    CallToolResult,
    ListToolsResult,
    PaginatedRequestParams,
    TextContent,
)

from editd import __version__, interrupts
from editd.daemon.client import EngineClient, SocketEngineClient
from editd.doors.by_words import ByWords
from editd.doors.mcp.editing import Editor, Outcome
from editd.doors.mcp.paths import Folders
from editd.doors.mcp.standard_streams import MOST_BYTES, Lines, Output
from editd.doors.mcp.tools import read_call, tools
from editd.errors import UsageError
from editd.messages import EditOptions, Progress

_INSTRUCTIONS = (
    "editd edits files on this machine: edit_file merges a sketch of your change into a file, rewrite "
    "has the local model change a file as you say. Both answer with a diff and write nothing where "
    "they are in doubt."
)
_TOO_LONG = f"The message is larger than {MOST_BYTES >> 20} MiB: edit the file in parts."
_PROGRESS_SECONDS = 0.2  # least time between two reports

Context = ServerRequestContext[Any, Any]


def make_server(editor: Editor) -> Server[Any]:
    """The server, without a transport."""

    async def list_tools(_: Context, __: PaginatedRequestParams | None) -> ListToolsResult:
        return ListToolsResult(tools=tools())

    async def call_tool(context: Context, params: CallToolRequestParams) -> CallToolResult:
        try:
            call = read_call(params.name, params.arguments)
        except UsageError as error:
            given = (params.arguments or {}).get("path")
            path = given if isinstance(given, str) else ""
            return _told(Outcome("refused", path, message=f"{error} Nothing was written."))
        return _told(await editor.carry_out(call, _reporter(context)))

    return Server(
        "editd",
        version=__version__,
        title="editd",
        instructions=_INSTRUCTIONS,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )


def main(folders: Folders, options: EditOptions, *, words: bool) -> None:
    """Serve one agent over standard input and output until it hangs up; ``words``: ``edit.words``."""
    # What the SDK logs may quote a message, and a message holds code.
    logging.basicConfig(stream=sys.stderr, level=logging.CRITICAL)
    interrupts.run(_serve(folders, options, words=words))


async def _serve(folders: Folders, options: EditOptions, *, words: bool) -> None:
    output = Output()

    async def refuse(msg_id: bytes) -> None:
        error = {"code": INVALID_REQUEST, "message": _TOO_LONG}
        told = {"jsonrpc": "2.0", "id": json.loads(msg_id), "error": error}
        await output.write(json.dumps(told) + "\n")

    lines = Lines(os.fdopen(0, "rb", closefd=False), refuse)
    async with (
        aclosing(ByWords(_connect, first=words)) as engine,
        stdio_server(cast(Any, lines), cast(Any, output)) as (reading, writing),
    ):
        server = make_server(Editor(folders, engine, options))
        await server.run(reading, writing, server.create_initialization_options())


async def _connect() -> EngineClient:
    return SocketEngineClient(client="mcp")


def _told(outcome: Outcome) -> CallToolResult:
    return CallToolResult(
        content=[TextContent(type="text", text=outcome.text())],
        structured_content=outcome.structured(),
        is_error=outcome.is_error,
    )


def _reporter(context: Context) -> Callable[[Progress], Awaitable[None]]:
    """Passes progress on to a waiting agent, at intervals; the SDK knows whether it asked for it."""
    count, last = 0, 0.0

    async def report(progress: Progress) -> None:
        nonlocal count, last
        if progress.stage == "decoding" or monotonic() - last < _PROGRESS_SECONDS:
            return
        count, last = count + 1, monotonic()
        await context.session.report_progress(count, message=progress.message)

    return report
