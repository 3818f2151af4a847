"""``editd apply``: merges a sketch, a diff or search/replace blocks into files.

Options and output are those of ``editd edit``; only who answers is decided here.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any

import typer

from editd import interrupts
from editd.doors.cli.options import (
    INPUT,
    MODEL,
    AllowSuspect,
    NoDaemon,
    OtherWay,
    Range,
    option,
    takes_edits,
)
from editd.errors import ModelError, UsageError, error_for_code
from editd.messages import BY_MODEL, Delta, EditRequest, EditResult, ErrorInfo, Progress

if TYPE_CHECKING:
    from editd.daemon.engine_client import EngineClient

_MERGES = ("auto", "text", "certain", "model")


@takes_edits("model", "drafter", "timeout")
def apply(
    files: Annotated[list[str], typer.Argument(metavar="FILE", help="File to change.")],
    *,
    sketch: Annotated[
        str,
        option(
            "--sketch",
            metavar="FILE",
            about="The answer to merge: changed lines with markers such as “... existing code "
            "...”, a unified diff, or search/replace blocks. - is standard input.",
            panel=INPUT,
        ),
    ] = "-",
    instruction: Annotated[
        str,
        option(
            "--instruction",
            "-i",
            metavar="TEXT",
            about="What the change should do, in case a model is asked.",
            panel=INPUT,
        ),
    ] = "",
    lines: Range = None,
    outputs: dict[str, bool],
    merge: Annotated[
        str,
        option(
            "--merge",
            metavar="WHEN",
            about="When to ask a model: auto (only if no reading is likely), text (never), certain (never, "
            "and refuse what could be read otherwise) or model (always).",
            panel=MODEL,
        ),
    ] = "auto",
    way: OtherWay = None,
    given: dict[str, Any],
    no_daemon: NoDaemon = False,
    allow_suspect: AllowSuspect = False,
) -> int:
    """Merge an assistant's answer, a diff or search/replace blocks into files.

    Without a model its best reading is shown; what could be read otherwise is marked.
    On a terminal, the diff is shown; in a pipe, the new text is printed.
    To write the files, all or none of them, use --in-place.
    """
    from editd.doors.cli.checked_options import CheckedOptions, check_instruction
    from editd.doors.cli.edit import connect, edit_all, make_output
    from editd.doors.cli.inputs import STANDARD_INPUT, read_standard_input, read_text

    # 1. Check the options.
    if merge not in _MERGES:
        raise UsageError(f"--merge is {merge!r}, but must be auto, text or model.")
    if merge == "text" and way in BY_MODEL:
        raise UsageError(
            f"--merge text asks no model, and --way {way} does: leave one of them out."
        )
    if instruction:
        check_instruction(instruction)
    if STANDARD_INPUT in files:
        raise UsageError("apply needs files; standard input is for the sketch.")
    asked = CheckedOptions.of(files, outputs, given, lines=lines, way=way)

    # 2. Read the sketch.
    if sketch == STANDARD_INPUT:
        from editd.files.encoding import decode

        pasted = decode(read_standard_input(), "The sketch")[0]
    else:
        pasted = read_text(sketch)

    # 3. Edit each text.
    async def connect_applier() -> EngineClient:
        return _Applier(lambda: connect(asked.config, in_process=no_daemon))  # type: ignore[return-value]

    output = make_output(asked.mode, allow_suspect=allow_suspect, together=True)
    return interrupts.run(
        edit_all(
            asked.names,
            asked.read,
            lambda source: asked.request(source, instruction, sketch=pasted, merge=merge),
            connect_applier,
            output,
        )
    )


class _Applier:
    """Merges as text here, and asks a client of the engine only if no reading is likely."""

    def __init__(self, connect: Callable[[], Awaitable[EngineClient]]) -> None:
        self._connect = connect
        self._client: EngineClient | None = None

    async def edit(
        self, request: EditRequest
    ) -> AsyncGenerator[Progress | Delta | EditResult, None]:
        """The edit's messages; its result is the last."""
        from editd.apply.answering import settle
        from editd.diff.edits import walk
        from editd.doors.sketches import undecided

        settled = settle(request)
        if isinstance(settled, EditResult):
            yield Delta(request.request_id, 0, walk(settled.hunks, request.text))
            yield settled
            return
        try:
            if self._client is None:
                self._client = await self._connect()
            async with aclosing(self._client.edit(settled)) as messages:
                async for message in messages:
                    yield _with_reason(message, settled)
        except ModelError as error:
            raise undecided(settled, error) from error

    async def aclose(self) -> None:
        """Close the connection to the engine, if there is one."""
        if self._client is not None:
            await self._client.aclose()


def _with_reason(
    message: Progress | Delta | EditResult, asked: EditRequest
) -> Progress | Delta | EditResult:
    """A result without a text says first why a model was asked at all."""
    if not isinstance(message, EditResult) or message.error is None:
        return message
    from editd.doors.sketches import undecided

    told = undecided(asked, error_for_code(message.error.code, message.error.message))
    return replace(message, error=ErrorInfo(told.code, str(told)))
