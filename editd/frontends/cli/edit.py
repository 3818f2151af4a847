"""``editd edit`` and ``apply``: turn a command line into requests, and carry them out one after the other.

Knows requests, answers, errors and exit codes; the form of an answer is left to an ``EditOutput``, computing it to the
client.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Sequence
from contextlib import aclosing
from typing import TYPE_CHECKING, Annotated, Any

import typer

from editd import interrupts
from editd.errors import DaemonUnreachable, EditCancelled, EditdError, UsageError
from editd.files.replacing import Source
from editd.frontends.cli.console import can_ask, complain, say
from editd.frontends.cli.inputs import (
    STANDARD_INPUT,
    CheckedOptions,
    Mode,
    absolute,
    check_instruction,
    list_files,
    name_in_prompt,
    read_standard_input,
    read_text,
    workspace_root,
)
from editd.frontends.cli.options import (
    DRAFTING,
    INPUT,
    MODEL,
    REQUEST_OPTIONS,
    AllowSuspect,
    NoDaemon,
    OtherWay,
    Range,
    Workspace,
    option,
    takes_edits,
)
from editd.frontends.cli.outputs import (
    Check,
    EditOutput,
    InPlace,
    JsonObject,
    PatchOutput,
    Stream,
    WholeText,
    describe,
    waiting,
)
from editd.frontends.follow_up import follow_up
from editd.frontends.planning_client import PlanningClient
from editd.messages import Delta, EditRequest, EditResult, Progress
from editd.messages.options import BY_MODEL
from editd.outcome import error_of, outcome_of
from editd.workspace.mentions import has_mentions

if TYPE_CHECKING:
    from editd.config import Config
    from editd.daemon.engine_client import EngineClient

_MERGES = ("auto", "text", "certain", "model")
Prepare = Callable[[str], tuple[Source, EditRequest]]
"""Reads the text of that name, and says what to ask about it."""


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
    workspace: Workspace = None,
    allow_suspect: AllowSuspect = False,
) -> int:
    """Rewrite files or standard input according to an instruction.

    On a terminal, the diff is shown while the model writes; then you are asked what of it to write.
    In a pipe, and for standard input, the new text is printed.
    To write the file without being asked, use --in-place.

    Defaults come from your settings: `editd config list`.
    """
    # 1. Check the options, before a file or the daemon is touched.
    check_instruction(instruction)
    named = [*(files or []), *(list_files(files_from) if files_from else [])]
    checked = CheckedOptions.of(
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
    if STANDARD_INPUT in named and checked.mode == "in-place":
        raise UsageError("--in-place needs files; it cannot write to standard input.")
    workspace = _usable_workspace(workspace, checked.config)
    expected = None if prediction is None else read_text(prediction)
    standard_input = read_standard_input() if STANDARD_INPUT in named else b""

    # 2. For each text: read, ask, write.
    def prepare(name: str) -> tuple[Source, EditRequest]:
        source = checked.read(name, path, standard_input)
        root = workspace_root(workspace, source)
        file = "" if source.file is None else str(source.file)
        # Who names a file in a terminal lets it be read, and trusts the project in nothing else.
        mentioned = (
            workspace_root("", source) if workspace is None and has_mentions(instruction) else ""
        )
        more = {
            "prediction": expected,
            "workspace_root": root,
            "mention_root": mentioned,
            "file": file,
        }
        return source, checked.request(source, instruction, **more)

    asks = STANDARD_INPUT not in (*named, files_from) and can_ask()
    output = make_output(checked.mode, allow_suspect=allow_suspect, asks=asks)
    client = make_client(checked.config, in_process=no_daemon)
    return interrupts.run(edit_all(checked.names, prepare, client, output))


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
    workspace: Workspace = None,
    allow_suspect: AllowSuspect = False,
) -> int:
    """Merge an assistant's answer, a diff or search/replace blocks into files.

    Without a model its best reading is shown; what could be read otherwise is marked.
    On a terminal, the diff is shown; in a pipe, the new text is printed.
    To write the files, all or none of them, use --in-place.
    """
    # 1. Check the options.
    if merge not in _MERGES:
        raise UsageError(f"--merge is {merge!r}, but must be auto, text, certain or model.")
    if merge == "text" and way in BY_MODEL:
        raise UsageError(
            f"--merge text asks no model, and --way {way} does: leave one of them out."
        )
    if instruction:
        check_instruction(instruction)
    if STANDARD_INPUT in files:
        raise UsageError("apply needs files; standard input is for the sketch.")
    checked = CheckedOptions.of(files, outputs, given, lines=lines, way=way)
    workspace = _usable_workspace(workspace, checked.config)

    # 2. Read the sketch.
    if sketch == STANDARD_INPUT:
        from editd.files.encoding import decode

        pasted = decode(read_standard_input(), "The sketch")[0]
    else:
        pasted = read_text(sketch)

    # 3. Edit each text.
    def prepare(name: str) -> tuple[Source, EditRequest]:
        source = checked.read(name)
        beside = tuple(name_in_prompt(x) for x in checked.names if x != name)
        root = workspace_root(workspace, source)
        more = {"file": absolute(name), "beside": beside, "workspace_root": root}
        return source, checked.request(source, instruction, sketch=pasted, merge=merge, **more)

    output = make_output(checked.mode, allow_suspect=allow_suspect, together=True)
    client = make_client(checked.config, in_process=no_daemon)
    return interrupts.run(edit_all(checked.names, prepare, client, output))


def _usable_workspace(given: str | None, config: Config) -> str | None:
    """The value of ``--workspace``; ``None``, with a note on standard error, if the setting ``edit.workspace`` is off."""
    if given is not None and not config.edit.workspace:
        say("note: --workspace has no effect, because the setting edit.workspace is off.")
        return None
    return given


def make_output(
    mode: Mode, *, allow_suspect: bool, together: bool = False, asks: bool = False
) -> EditOutput:
    """Make the output of a mode. together: with ``in-place``, all files are written or none. allow_suspect:
    ``in-place``, and a terminal that asks, write answers that look wrong, too. asks: in mode ``terminal``, ask after
    each diff whether to write it.

    Every mode but ``stream`` shows while an answer is awaited.
    """
    if mode == "terminal" and asks:
        from editd.frontends.cli.review import ReviewingTerminal

        return ReviewingTerminal(allow_suspect=allow_suspect)
    if mode == "terminal":  # it loads rich
        from editd.frontends.cli.terminal_diff import Terminal

        return Terminal()
    makers: dict[Mode, Callable[[], EditOutput]] = {
        "text": WholeText,
        "diff": PatchOutput,
        "in-place": lambda: InPlace(allow_suspect=allow_suspect, together=together),
        "json": JsonObject,
        "stream": Stream,
        "check": Check,
    }
    output = makers[mode]()
    if mode != "stream":  # whose events say enough
        output.waiting = waiting()
    return output


def make_client(config: Config, *, in_process: bool) -> EngineClient:
    """Make the client of the daemon (started if necessary) or, if ``in_process``, of an engine process of its own;
    both are connected or started only when first needed. It plans edits in this process first (``PlanningClient``) by
    the settings of ``config``.
    """

    async def connect() -> EngineClient:
        if in_process:
            from editd.daemon.hosting_client import HostingEngineClient

            return HostingEngineClient(config)
        from editd.daemon.client import SocketEngineClient

        return await SocketEngineClient.connect(start=True, client="cli")

    return PlanningClient(connect, words_first=config.edit.words, checks=config.checks)


async def edit_all(
    names: Sequence[str], prepare: Prepare, client: EngineClient, output: EditOutput
) -> int:
    """Edit every text in turn over one connection, going on past failures, then let ``output`` conclude; closes
    ``client`` in any case. Returns the first exit code that is not 0, else 0.

    prepare: reads a text and makes its request. Sentences about failures are written to standard error. Raises
    ``EditCancelled`` when the user interrupts, with the number of texts that were done; ``output`` is told first.
    """
    codes: list[int] = []
    try:
        for given in names:
            try:
                prefix = "" if len(names) == 1 else given
                codes.append(await _edit_one(given, prefix, prepare, client, output))
            except (asyncio.CancelledError, KeyboardInterrupt):
                cancelled = EditCancelled(_cancelled([] if output.together else codes))
                output.failed(given, cancelled, None)
                raise cancelled from None
        try:
            codes.append(output.concluded(failed=any(codes)))
        except KeyboardInterrupt:
            raise EditCancelled(_cancelled([])) from None
    finally:
        with contextlib.suppress(Exception):  # what is said has been said
            await client.aclose()
    return next((code for code in codes if code != 0), 0)


async def _edit_one(
    given: str, prefix: str, prepare: Prepare, client: EngineClient, output: EditOutput
) -> int:
    """Edit one text, hand the answer to ``output``, and let the user decide about it; returns the exit code. An
    ``EditdError`` of any of these steps is handed to ``output`` and written to standard error, not raised, and its
    exit code is returned.

    prefix: put before its sentence, unless that begins with it; may be empty. Ctrl-C and other exceptions are raised.
    """
    result = None
    try:
        await asyncio.sleep(0)  # Ctrl-C until here is heard here, and not after a wait
        source, request = prepare(given)
        result = await _edit(client, request, source, output)
        if (problem := error_of(result)) is not None:
            raise problem
        assert result.text is not None  # noqa: S101  or else there was a problem
        interrupts.check()  # nothing is written after one
        code = output.finished(source, result, result.text)
        await _decide(client, request, result, source, output)
        return code
    except EditdError as error:
        output.failed(given, error, result)
        named = str(error).startswith(prefix)
        complain(str(error) if named else f"{prefix}: {error}")
        return outcome_of(error).exit_code


async def _decide(
    client: EngineClient,
    request: EditRequest,
    result: EditResult,
    source: Source,
    output: EditOutput,
) -> None:
    """Ask, by ``output``, what to do with a finished edit; as long as the answer is a sentence, have the edit refined
    by it and ask again.

    A refinement that fails or has no hunk is reported on standard error, and the edit before it stays. Raises as
    ``output.decide``, which carries out what the user decides.
    """
    while sentence := await output.decide(source, result):
        problem: EditdError | None
        try:
            refined = await _edit(client, follow_up(request, result, sentence), source, output)
            problem = error_of(refined)
        except EditdError as error:
            problem = error
        if problem is None:
            output.finished(source, refined, refined.text or "")
            if refined.hunks:
                result = refined
                continue
        say(f"{'' if problem is None else f'{problem} '}The change before it is still there.")


async def _edit(
    client: EngineClient, request: EditRequest, source: Source, output: EditOutput
) -> EditResult:
    """Ask for one edit, pass its progress and deltas to ``output``, and return the result, which may be an error.
    Leaving early cancels it. Raises ``DaemonUnreachable`` if the messages end without a result, and other
    ``EditdError`` of the client.
    """
    output.started(source)
    output.wait(source, "getting ready")
    try:
        async with aclosing(client.ask(request)) as messages:
            async for message in messages:
                match message:
                    case Progress():
                        output.progress(message)
                        output.wait(source, describe(message))
                    case Delta():
                        output.delta(message)
                    case EditResult():
                        return message
    finally:
        output.waiting.stop()
    raise DaemonUnreachable("The daemon ended during the edit; see `editd logs`.")


def _cancelled(codes: Sequence[int]) -> str:
    """A sentence about an interrupted command. codes: exit codes of the texts that were finished; only those with 0
    count as done.
    """
    done = sum(code == 0 for code in codes)
    if not done:
        return "Cancelled; nothing was written."
    return f"Cancelled; {done} {'text was' if done == 1 else 'texts were'} done before."
