"""Serves the tools to an agent by the official SDK of the Model Context Protocol, in both of its versions."""

from __future__ import annotations

import json
import logging
import os
import re
import sys
from collections.abc import Awaitable, Callable
from contextlib import aclosing
from time import monotonic
from typing import Any, BinaryIO, cast

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
from editd.daemon.client import SocketEngineClient
from editd.daemon.engine_client import EngineClient
from editd.errors import UsageError
from editd.frontends.mcp.editing import FileEditor, Folders, ToolResult
from editd.frontends.mcp.tools import read_call, tools
from editd.frontends.planning_client import PlanningClient
from editd.frontends.worded_client import WordedClient
from editd.messages import Progress
from editd.messages.options import EditOptions
from editd.offload import Threads
from editd.outcome import outcome_of

MOST_BYTES = 16 << 20  # of a line: a sketch of two million characters, spelt in escapes
_ENDS = 300  # bytes of a refused line in which its id is looked for, at either end

# Only where it can be no part of a text: directly within the outermost braces.
_ID = rb'"id"\s*:\s*(\d{1,15}|"[^"\\]{1,100}")'
_FIRST = re.compile(rb'\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?' + _ID + rb"\s*,")
_LAST = re.compile(rb"[,{]\s*" + _ID + rb'\s*(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?\}\s*\Z')

_INSTRUCTIONS = (
    "editd edits files on this machine: edit_file merges a sketch of your change into a file, replace puts "
    "new text in the place of old, rewrite has the local model change a file as you say. All answer with a "
    "diff and write nothing where they are in doubt."
)
_TOO_LONG = f"The message is larger than {MOST_BYTES >> 20} MiB: edit the file in parts."
_PROGRESS_SECONDS = 0.2  # least time between two reports

Context = ServerRequestContext[Any, Any]


class InputLines:
    """The lines of standard input. refuse: called with the JSON of a refused line's id, or ``b"null"``."""

    def __init__(self, stream: BinaryIO, refuse: Callable[[bytes], Awaitable[None]]) -> None:
        self._stream = stream
        self._refuse = refuse
        self._thread = Threads(1, "stdin")

    def __aiter__(self) -> InputLines:
        return self

    async def __anext__(self) -> str:
        while True:
            line, too_long = await self._thread.run(_read_line, self._stream)
            if too_long:
                await self._refuse(_id_of(line))
            elif line:
                return line.decode(errors="replace")
            else:
                raise StopAsyncIteration


class OutputStream:
    """Standard output on a descriptor of its own; from then on the process prints to standard error."""

    def __init__(self) -> None:
        self._descriptor = os.dup(1)
        os.dup2(2, 1)
        self._thread = Threads(1, "stdout")

    async def write(self, text: str) -> None:
        """Write all of ``text``."""
        await self._thread.run(_write, self._descriptor, text.encode())

    async def flush(self) -> None:
        """No effect: ``write`` does not buffer."""


def _read_line(stream: BinaryIO) -> tuple[bytes, bool]:
    """Read a line, with its end. Returns ``(line, False)``, or ``(its first and last 300 bytes with a NUL between
    them, True)`` if it exceeds 16 MiB; the rest of such a line is read and dropped. Blocks until a line is there.

    The line is ``b""`` at the end of the file.
    """
    line = stream.readline(MOST_BYTES)
    if len(line) < MOST_BYTES or line.endswith(b"\n"):
        return line, False
    head, tail = line[:_ENDS], line[-_ENDS:]
    while more := stream.readline(1 << 20):
        tail = (tail + more)[-_ENDS:]
        if more.endswith(b"\n"):
            break
    return head + b"\0" + tail, True


def _id_of(ends: bytes) -> bytes:
    """The JSON of a message's id, found in its first and last bytes; ``b"null"`` if it is not there."""
    found = _FIRST.match(ends) or _LAST.search(ends)
    return found[1] if found else b"null"


def _write(descriptor: int, data: bytes) -> None:
    """Write all of ``data``, in as many calls as the system needs; blocks. Raises ``OSError``."""
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]


def make_server(editor: FileEditor) -> Server[Any]:
    """Make the SDK's server of the tools, without a transport; ``editor`` carries their calls out. Wrong arguments
    become a result with an error, not an exception.
    """

    async def list_tools(_: Context, __: PaginatedRequestParams | None) -> ListToolsResult:
        return ListToolsResult(tools=tools())

    async def call_tool(context: Context, params: CallToolRequestParams) -> CallToolResult:
        try:
            call = read_call(params.name, params.arguments)
        except UsageError as error:
            given = (params.arguments or {}).get("path")
            path = given if isinstance(given, str) else ""
            return _call_result(
                ToolResult(outcome_of(error), path, message=f"{error} Nothing was written.")
            )
        return _call_result(await editor.carry_out(call, _reporter(context)))

    return Server(
        "editd",
        version=__version__,
        title="editd",
        instructions=_INSTRUCTIONS,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )


def main(folders: Folders, options: EditOptions, *, words: bool) -> None:
    """Serve one agent over standard input and output until it hangs up. words: the setting ``edit.words``. Silences the
    log below critical, and lets standard output print to standard error.
    """
    # What the SDK logs may quote a message, and a message holds code.
    logging.basicConfig(stream=sys.stderr, level=logging.CRITICAL)
    interrupts.run(_serve(folders, options, words=words))


async def _serve(folders: Folders, options: EditOptions, *, words: bool) -> None:
    """Connect standard input and output, the tools and the engine's client, and serve until the input ends; lines
    that are too long are answered with an error. words: whether edits are computed from their words where these
    suffice.
    """
    output = OutputStream()

    async def refuse(msg_id: bytes) -> None:
        error = {"code": INVALID_REQUEST, "message": _TOO_LONG}
        answer = {"jsonrpc": "2.0", "id": json.loads(msg_id), "error": error}
        await output.write(json.dumps(answer) + "\n")

    lines = InputLines(os.fdopen(0, "rb", closefd=False), refuse)
    # The files that an agent may not edit are not read for it either, whoever put their names into the instruction.
    planning = PlanningClient(_connect, words_first=words, secrets=False)
    async with (
        aclosing(WordedClient(planning, "mcp")) as engine,
        stdio_server(cast(Any, lines), cast(Any, output)) as (reading, writing),
    ):
        server = make_server(FileEditor(folders, engine, options))
        await server.run(reading, writing, server.create_initialization_options())


async def _connect() -> EngineClient:
    """Make the client of this user's daemon."""
    return SocketEngineClient(client="mcp")


def _call_result(result: ToolResult) -> CallToolResult:
    """``result`` in the SDK's form: as text for the model and as values."""
    return CallToolResult(
        content=[TextContent(type="text", text=result.text())],
        structured_content=result.structured(),
        is_error=result.outcome.is_tool_error,
    )


def _reporter(context: Context) -> Callable[[Progress], Awaitable[None]]:
    """Make a function that reports a message of progress to a waiting agent, if the agent asked for it; those within
    0.2 seconds of the last, and all while text is decoded, are dropped.
    """
    count, last = 0, 0.0

    async def report(progress: Progress) -> None:
        nonlocal count, last
        if progress.stage == "decoding" or monotonic() - last < _PROGRESS_SECONDS:
            return
        count, last = count + 1, monotonic()
        await context.session.report_progress(count, message=progress.message)

    return report
