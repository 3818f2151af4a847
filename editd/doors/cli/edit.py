"""``editd edit``: turns a command line into requests, and carries them out one after the other.

Knows requests, answers, errors and exit codes; how an answer looks is an ``Output``'s matter, where the engine
runs is the client's.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Sequence
from contextlib import aclosing
from typing import TYPE_CHECKING, Annotated, Any

import typer

from editd import interrupts
from editd.daemon.engine_client import problem_of
from editd.doors.cli.console import complain, say
from editd.doors.cli.inputs import (
    STANDARD_INPUT,
    Source,
    list_files,
    read_standard_input,
    read_text,
    workspace_root,
)
from editd.doors.cli.options import (
    DRAFTING,
    INPUT,
    REQUEST_OPTIONS,
    AllowSuspect,
    NoDaemon,
    OtherWay,
    Range,
    flag,
    option,
    takes_edits,
)
from editd.doors.cli.outputs import (
    Check,
    InPlace,
    JsonObject,
    Mode,
    Output,
    Patch,
    Stream,
    Text,
    WithWaiting,
)
from editd.errors import DaemonUnreachable, EditCancelled, EditdError, UsageError
from editd.messages import Delta, EditRequest, EditResult, Progress

if TYPE_CHECKING:
    from editd.config import Config
    from editd.daemon.engine_client import EngineClient


_OUTPUT_MORE = "Output on a terminal"


@takes_edits(*REQUEST_OPTIONS)
def edit(
    files: Annotated[
        list[str] | None,
        typer.Argument(metavar="FILE", help="File to rewrite; - is standard input."),
    ] = None,
    *,
    instruction: Annotated[
        str, option("--instruction", "-i", metavar="TEXT", about="What to change, in plain words.")
    ],
    files_from: Annotated[
        str | None,
        option(
            "--files-from",
            metavar="LIST",
            about="Read more file names from LIST (- is standard input), separated by line ends "
            "or NUL.",
            panel=INPUT,
        ),
    ] = None,
    lines: Range = None,
    path: Annotated[
        str | None,
        option(
            "--path",
            metavar="NAME",
            about="File name to show to the model instead of the real one; its extension sets the "
            "language.",
            panel=INPUT,
        ),
    ] = None,
    outputs: dict[str, bool],
    origins: Annotated[
        bool,
        flag(
            "--origins",
            about="Colour new text by its origin: the file, the project or the model.",
            panel=_OUTPUT_MORE,
        ),
    ] = False,
    given: dict[str, Any],
    way: OtherWay = None,
    no_daemon: NoDaemon = False,
    prediction: Annotated[
        str | None,
        option(
            "--prediction",
            metavar="FILE",
            about="Use the text in FILE as the draft, instead of the text being edited.",
            panel=DRAFTING,
        ),
    ] = None,
    workspace: Annotated[
        str | None,
        option(
            "--workspace",
            metavar="[DIR]",
            about="Also draft new code from other files in DIR (default: the file's git "
            "repository, or else its folder). Use it only for projects that you trust.",
            panel=DRAFTING,
        ),
    ] = None,
    allow_suspect: AllowSuspect = False,
) -> int:
    """Rewrite files or standard input according to an instruction.

    On a terminal, the diff is shown while the model writes; the file is not changed.
    In a pipe, and for standard input, the new text is printed.
    To write the file, use --in-place.

    Defaults come from your settings: `editd config list`.
    """
    with interrupts.nothing_begun():
        from editd.doors import by_words  # noqa: F401  # needed later, loaded now
        from editd.doors.cli.checked_options import CheckedOptions, check_instruction

    # 1. Check the options, before a file or the daemon is touched.
    check_instruction(instruction)
    named = [*(files or []), *(list_files(files_from) if files_from else [])]
    asked = CheckedOptions.of(
        named,
        outputs,
        given,
        lines=lines,
        only_one={"--path": path, "--prediction": prediction},
        way=way,
    )
    if not named:
        raise UsageError("Name a file to edit, or - for standard input.")
    if STANDARD_INPUT in named and files_from == STANDARD_INPUT:
        raise UsageError("Standard input cannot be both the text and the list of files.")
    if STANDARD_INPUT in named and asked.mode == "in-place":
        raise UsageError("--in-place needs files; it cannot write to standard input.")
    if workspace is not None and not asked.config.edit.workspace:
        say("note: --workspace has no effect, because the setting edit.workspace is off.")
        workspace = None
    expected = None if prediction is None else read_text(prediction)
    standard_input = read_standard_input() if STANDARD_INPUT in named else b""

    # 2. For each text: read, ask, write.
    def request_for(source: Source) -> EditRequest:
        root = workspace_root(workspace, source)
        return asked.request(source, instruction, prediction=expected, workspace_root=root)

    output = make_output(asked.mode, allow_suspect=allow_suspect, origins=origins)
    return interrupts.run(
        edit_all(
            asked.names,
            lambda name: asked.read(name, path, standard_input),
            request_for,
            lambda: connect(asked.config, in_process=no_daemon),
            output,
        )
    )


def make_output(
    mode: Mode, *, allow_suspect: bool, origins: bool = False, together: bool = False
) -> Output:
    """The output named ``mode``.

    origins: colour new text by where it came from, on a terminal. together: write all files or none.
    """
    if mode == "terminal":  # it loads rich
        from editd.doors.cli.terminal_diff import Terminal

        return Terminal(origins=origins)
    makers: dict[Mode, Callable[[], Output]] = {
        "text": Text,
        "diff": Patch,
        "in-place": lambda: InPlace(allow_suspect=allow_suspect, together=together),
        "json": JsonObject,
        "stream": Stream,
        "check": Check,
    }
    output = makers[mode]()
    return output if mode == "stream" else WithWaiting(output)  # events say enough


async def connect(config: Config, *, in_process: bool) -> EngineClient:
    """The daemon's client, or an engine in this process; started where the words do not decide."""
    from editd.doors.by_words import ByWords

    return ByWords(lambda: _engine(config, in_process=in_process), first=config.edit.words)


async def _engine(config: Config, *, in_process: bool) -> EngineClient:
    if in_process:
        from editd.daemon.hosting_client import HostingEngineClient

        return HostingEngineClient(config)
    from editd.daemon.client import SocketEngineClient

    return await SocketEngineClient.connect(start=True, client="cli")


async def edit_all(
    names: Sequence[str],
    read: Callable[[str], Source],
    request_for: Callable[[Source], EditRequest],
    connect: Callable[[], Awaitable[EngineClient]],
    output: Output,
) -> int:
    """Edit every text over one connection, going on past failures; the exit code.

    That is 0 if all are done, else the code of the first that is not. Raises ``EditCancelled``
    when the user interrupts, with a sentence about what was done.
    """
    codes: list[int] = []
    client = _Client(connect)
    try:
        for given in names:
            try:
                prefix = "" if len(names) == 1 else given
                codes.append(await _edit_one(given, prefix, read, request_for, client, output))
            except (asyncio.CancelledError, KeyboardInterrupt):
                cancelled = EditCancelled(_cancelled([] if output.together else codes))
                output.failed(given, cancelled, None)
                raise cancelled from None
        try:
            codes.append(output.concluded(failed=any(codes)))
        except KeyboardInterrupt:
            raise EditCancelled(_cancelled([])) from None
    finally:
        output.close()
        await client.close()
    return next((code for code in codes if code != 0), 0)


class _Client:
    """The client, connected when the first text needs it. One failed attempt is enough: it takes time."""

    def __init__(self, connect: Callable[[], Awaitable[EngineClient]]) -> None:
        self._connect = connect
        self._connected: EngineClient | None = None
        self._unreachable: DaemonUnreachable | None = None

    def check(self) -> None:
        """Raise ``DaemonUnreachable`` if that was so before."""
        if self._unreachable is not None:
            raise self._unreachable

    async def connected(self) -> EngineClient:
        if self._connected is None:
            try:
                self._connected = await self._connect()
            except DaemonUnreachable as error:
                self._unreachable = error
                raise
        return self._connected

    async def close(self) -> None:
        client, self._connected = self._connected, None
        if client is not None:
            with contextlib.suppress(Exception):  # what is said has been said
                await client.aclose()


async def _edit_one(
    given: str,
    prefix: str,
    read: Callable[[str], Source],
    request_for: Callable[[Source], EditRequest],
    client: _Client,
    output: Output,
) -> int:
    """Edit one text; its exit code. prefix: put before its messages, unless they begin with it."""
    result = None
    try:
        await asyncio.sleep(0)  # Ctrl-C until here is heard here, and not after a wait
        source = read(given)
        request = request_for(source)
        client.check()
        output.started(source)
        result = await _edit(await client.connected(), request, output)
        if (trouble := problem_of(result)) is not None:
            raise trouble
        assert result.text is not None  # noqa: S101  # or else there was trouble
        interrupts.check()  # nothing is written after one
        return output.finished(source, result, result.text)
    except EditdError as error:
        output.failed(given, error, result)
        named = str(error).startswith(prefix)
        complain(str(error) if named else f"{prefix}: {error}")
        if isinstance(error, DaemonUnreachable):
            await client.close()  # the next text may find a new daemon
        return error.exit_code


async def _edit(client: EngineClient, request: EditRequest, output: Output) -> EditResult:
    """One edit; if we stop listening for any reason, the engine stops too."""
    async with aclosing(client.edit(request)) as messages:
        async for message in messages:
            match message:
                case Progress():
                    output.progress(message)
                case Delta():
                    output.delta(message)
                case EditResult():
                    return message
    raise DaemonUnreachable("The daemon ended during the edit; see `editd logs`.")


def _cancelled(codes: Sequence[int]) -> str:
    done = sum(code == 0 for code in codes)
    if not done:
        return "Cancelled; nothing was written."
    return f"Cancelled; {done} {'text was' if done == 1 else 'texts were'} done before."
