"""``editd apply``: a sketch, a diff or search/replace blocks into files; by text where that is certain.

What an option means and what becomes of an answer is ``editd edit``'s; only who answers is chosen
here.
"""

from __future__ import annotations

import uuid
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing
from typing import TYPE_CHECKING, Annotated

import typer

from editd import interrupts
from editd.cli import shared_options as shared
from editd.cli.options import option
from editd.errors import EditRefused, UsageError
from editd.messages import Delta, EditRequest, EditResult, Merge, Progress

if TYPE_CHECKING:
    from editd.cli.sources import Source
    from editd.daemon.client import EngineClient

_MERGES = ("auto", "text", "model")


def apply(
    files: Annotated[list[str], typer.Argument(metavar="FILE…", help="What to change.")],
    *,
    sketch: Annotated[
        str,
        option(
            "--sketch",
            metavar="FILE",
            about="What was pasted: changed lines with markers such as “... existing code ...” for "
            "what stays, a unified diff, or search/replace blocks. - is standard input, the default.",
            panel=shared.INPUT,
        ),
    ] = "-",
    instruction: Annotated[
        str,
        option(
            "--instruction",
            "-i",
            metavar="TEXT",
            about="What the sketch is for.",
            panel=shared.INPUT,
        ),
    ] = "",
    lines: shared.Range = None,
    merge: Annotated[
        str,
        option(
            "--merge",
            metavar="WAY",
            about="text never asks a model, model always does, auto where the text leaves a choice.",
            panel=shared.MODEL,
        ),
    ] = "auto",
    diff: shared.Diff = False,
    in_place: shared.InPlace = False,
    json: shared.Json = False,
    stream: shared.Stream = False,
    check: shared.Check = False,
    model: shared.Model = None,
    drafter: Annotated[
        str | None,
        option(
            "--drafter",
            metavar="NAME",
            about="Who drafts for the model, by default sketch+suffix; changes the speed, not the "
            "greedy text.",
            panel=shared.MODEL,
        ),
    ] = None,
    no_daemon: shared.NoDaemon = False,
    timeout: shared.Timeout = None,
    allow_suspect: shared.AllowSuspect = False,
) -> int:
    """Put what an assistant or a colleague wrote into files.

    No model is asked where the sketch can mean one text only. On a terminal the change is shown as a
    coloured diff; in a pipe the new text is written.
    """
    from editd import settings
    from editd.cli import asking
    from editd.cli.console import say
    from editd.cli.conversation import edit_all
    from editd.cli.edit import connect
    from editd.cli.outputs import make_output
    from editd.cli.sources import (
        STANDARD_INPUT,
        check_writable,
        read_source,
        read_standard_input,
        read_text,
        unique,
    )

    # 1. What was asked.
    if merge not in _MERGES:
        raise UsageError(f"--merge is {merge!r}, but must be auto, text or model.")
    if instruction:
        asking.check_instruction(instruction)
    region = None if lines is None else asking.parse_range(lines)
    names = unique(files)
    if STANDARD_INPUT in names:
        raise UsageError("apply needs files; standard input is for the sketch.")
    mode = asking.choose_mode(
        names,
        {"diff": diff, "in-place": in_place, "json": json, "stream": stream, "check": check},
    )
    if len(names) > 1:
        asking.refuse_for_several({"--range": lines})
    resolved = settings.resolve()
    for warning in resolved.warnings:
        say(f"warning: {warning}")
    given = {name: value for name, value in locals().items() if name in asking.REQUEST_SETTINGS}
    options = asking.edit_options(resolved, given, (), allow_remote_code=False)

    # 2. What was pasted.
    if sketch == STANDARD_INPUT:
        from editd.files.encoding import decode

        pasted = decode(read_standard_input(), "The sketch")[0]
    else:
        pasted = read_text(sketch)

    # 3. Text by text, as an edit.
    def read(name: str) -> Source:
        if mode == "in-place":
            check_writable(name)
        return read_source(name, None, b"")

    def request_for(source: Source) -> EditRequest:
        start_line, end_line = asking.lines_of(region, source)
        chosen: Merge = merge  # type: ignore[assignment] # one of them, as was looked at
        return EditRequest(
            request_id=uuid.uuid4().hex,
            text=source.text,
            instruction=instruction,
            path=source.name,
            start_line=start_line,
            end_line=end_line,
            options=options,
            priority="interactive" if len(names) == 1 else "batch",
            sketch=pasted,
            merge=chosen,
        )

    async def connect_applier() -> EngineClient:
        return _Applier(lambda: connect(resolved.config, in_process=no_daemon))  # type: ignore[return-value]

    output = make_output(mode, allow_suspect=allow_suspect)
    return interrupts.run(edit_all(names, read, request_for, connect_applier, output))


class _Applier:
    """Answers by text here, and asks a client of the engine only where that is in doubt."""

    def __init__(self, connect: Callable[[], Awaitable[EngineClient]]) -> None:
        self._connect = connect
        self._client: EngineClient | None = None

    async def edit(
        self, request: EditRequest
    ) -> AsyncGenerator[Progress | Delta | EditResult, None]:
        """The edit's messages; its result is the last."""
        if request.merge != "model":
            from editd.apply import InDoubt
            from editd.apply.answering import by_text, walk

            answer = by_text(request)
            if not isinstance(answer, InDoubt):
                yield Delta(request.request_id, 0, walk(answer.hunks, request.text))
                yield answer
                return
            if request.merge == "text" or answer.final:
                raise EditRefused(answer.reason)
        if self._client is None:
            self._client = await self._connect()
        async with aclosing(self._client.edit(request)) as messages:
            async for message in messages:
                yield message

    async def aclose(self) -> None:
        """Leave the engine, if it was asked."""
        if self._client is not None:
            await self._client.aclose()
