"""``editd edit``: from a command line to requests. What becomes of the answers: ``outputs``."""

from __future__ import annotations

import sys
import uuid
from typing import TYPE_CHECKING, Annotated

import typer

from editd import interrupts
from editd.cli import shared_options as shared
from editd.cli.options import flag, option, pairs
from editd.errors import UsageError

if TYPE_CHECKING:
    from editd.cli.outputs import Mode, Output
    from editd.cli.sources import Source
    from editd.config import Config
    from editd.daemon.client import EngineClient

_OUTPUT_MORE = "Output on a terminal"
_DRAFTING, _SAMPLING = "Drafting", "Sampling"


def edit(
    files: Annotated[
        list[str] | None,
        typer.Argument(metavar="FILE…|-", help="What to rewrite; - is standard input."),
    ] = None,
    *,
    instruction: Annotated[
        str, option("--instruction", "-i", metavar="TEXT", about="What to do, in plain words.")
    ],
    files_from: Annotated[
        str | None,
        option(
            "--files-from",
            metavar="LIST",
            about="Also the files named in LIST (- is standard input), a line each or NUL-separated.",
            panel=shared.INPUT,
        ),
    ] = None,
    lines: shared.Range = None,
    whole: Annotated[
        bool,
        flag(
            "--whole",
            about="Show and rewrite all of a text, also where only a part of it is concerned and "
            "the rest takes long.",
            panel=shared.INPUT,
        ),
    ] = False,
    path: Annotated[
        str | None,
        option(
            "--path",
            metavar="NAME",
            about="The name that the model sees, which also tells the language.",
            panel=shared.INPUT,
        ),
    ] = None,
    diff: shared.Diff = False,
    in_place: shared.InPlace = False,
    json: shared.Json = False,
    stream: shared.Stream = False,
    check: shared.Check = False,
    origins: Annotated[
        bool,
        flag(
            "--origins",
            about="Colour new text by where it came from: the buffer, the project, the model.",
            panel=_OUTPUT_MORE,
        ),
    ] = False,
    model: shared.Model = None,
    draft_model: Annotated[
        str | None,
        option(
            "--draft-model", metavar="M", about="A smaller model that drafts.", panel=shared.MODEL
        ),
    ] = None,
    allow_remote_code: Annotated[
        bool,
        flag(
            "--allow-remote-code", about="Run code that comes with the model.", panel=shared.MODEL
        ),
    ] = False,
    no_daemon: shared.NoDaemon = False,
    prediction: Annotated[
        str | None,
        option(
            "--prediction",
            metavar="FILE",
            about="The text that is expected: the draft instead of the text itself.",
            panel=_DRAFTING,
        ),
    ] = None,
    drafter: Annotated[
        str | None,
        option(
            "--drafter",
            metavar="NAME",
            about="Who drafts, several joined by +; changes the speed, not the greedy text.",
            panel=_DRAFTING,
        ),
    ] = None,
    workspace: Annotated[
        str | None,
        option(
            "--workspace",
            metavar="[DIR]",
            about="Draft new code from the project's files too: from those in DIR, by default in "
            "the file's git repository or folder. Only for a project that you trust.",
            panel=_DRAFTING,
        ),
    ] = None,
    window: Annotated[
        int | None,
        option("--window", metavar="N", about="Most draft tokens a round.", panel=_DRAFTING),
    ] = None,
    acceptance: Annotated[
        str | None,
        option(
            "--acceptance",
            metavar="RULE",
            about="How a sampled draft model is judged: rejection accepts most, coupled makes the "
            "text depend on the seed alone.",
            panel=_DRAFTING,
        ),
    ] = None,
    draft_replace: Annotated[
        list[str] | None,
        pairs(
            "--draft-replace",
            metavar="TARGET DRAFT",
            about="In the draft model's prompt, say DRAFT where the model's says TARGET; repeatable.",
            panel=_DRAFTING,
        ),
    ] = None,
    temperature: Annotated[
        float | None,
        option("--temperature", metavar="T", about="0 is greedy, the default.", panel=_SAMPLING),
    ] = None,
    top_p: Annotated[
        float | None,
        option("--top-p", metavar="P", about="Sample from this much probability.", panel=_SAMPLING),
    ] = None,
    top_k: Annotated[
        int | None,
        option("--top-k", metavar="K", about="Sample from K tokens at most.", panel=_SAMPLING),
    ] = None,
    min_p: Annotated[
        float | None,
        option(
            "--min-p",
            metavar="P",
            about="Leave out what is less likely than this share of the likeliest.",
            panel=_SAMPLING,
        ),
    ] = None,
    seed: Annotated[
        int | None, option("--seed", metavar="N", about="Same seed, same text.", panel=_SAMPLING)
    ] = None,
    max_new_tokens: Annotated[
        int | None,
        option(
            "--max-new-tokens",
            metavar="N",
            about="Cut the answer off after N tokens.",
            panel=shared.LIMITS,
        ),
    ] = None,
    timeout: shared.Timeout = None,
    allow_suspect: shared.AllowSuspect = False,
) -> int:
    """Rewrite files, or standard input, as an instruction says.

    On a terminal the change is shown as a coloured diff while it is decoded.
    In a pipe, and for standard input, the new text is written.
    """
    with interrupts.nothing_begun():
        from editd import settings
        from editd.cli import asking
        from editd.cli.console import say
        from editd.cli.conversation import edit_all
        from editd.cli.outputs import make_output
        from editd.cli.sources import (
            STANDARD_INPUT,
            check_writable,
            list_files,
            read_source,
            read_standard_input,
            read_text,
            unique,
            workspace_root,
        )
        from editd.daemon import client  # noqa: F401  # what edits later on, loaded now
        from editd.messages import EditRequest

    # 1. What was asked: anything wrong with it is said before a file or the daemon is touched.
    asking.check_instruction(instruction)
    region = None if lines is None else asking.parse_range(lines)
    names = unique([*(files or []), *(list_files(files_from) if files_from else [])])
    mode = asking.choose_mode(
        names,
        {"diff": diff, "in-place": in_place, "json": json, "stream": stream, "check": check},
    )
    if not names:
        raise UsageError("Name a file to edit, or - for standard input.")
    if len(names) > 1:
        asking.refuse_for_several({"--range": lines, "--path": path, "--prediction": prediction})
    if STANDARD_INPUT in names and files_from == STANDARD_INPUT:
        raise UsageError("Standard input cannot be both the text and the list of files.")
    if STANDARD_INPUT in names and mode == "in-place":
        raise UsageError("--in-place needs files; standard input has no place.")

    # 2. What holds where nothing was asked.
    resolved = settings.resolve()
    for warning in resolved.warnings:
        say(f"warning: {warning}")
    given = {name: value for name, value in locals().items() if name in asking.REQUEST_SETTINGS}
    options = asking.edit_options(
        resolved,
        given,
        draft_replace or (),
        allow_remote_code=allow_remote_code,
        whole=whole,
    )
    if workspace is not None and not resolved.config.edit.workspace:
        say("note: --workspace has no effect, because the setting edit.workspace is off.")
        workspace = None
    expected = None if prediction is None else read_text(prediction)

    standard_input = read_standard_input() if STANDARD_INPUT in names else b""

    # 3. Text by text: read, ask, write.
    def read(name: str) -> Source:
        if mode == "in-place":
            check_writable(name)
        return read_source(name, path, standard_input)

    def request_for(source: Source) -> EditRequest:
        start_line, end_line = asking.lines_of(region, source)
        return EditRequest(
            request_id=uuid.uuid4().hex,
            text=source.text,
            instruction=instruction,
            path=source.name,
            start_line=start_line,
            end_line=end_line,
            prediction=expected,
            workspace_root=workspace_root(workspace, source),
            options=options,
            priority="interactive" if len(names) == 1 else "batch",
        )

    output = make_output(mode, allow_suspect=allow_suspect, origins=origins)
    return interrupts.run(
        edit_all(
            names,
            read,
            request_for,
            lambda: connect(resolved.config, in_process=no_daemon),
            _with_spinner(output, mode),
        )
    )


async def connect(config: Config, *, in_process: bool) -> EngineClient:
    """The daemon's client, after starting a daemon if there is none; or an engine of our own."""
    if in_process:
        from editd.daemon.hosting import HostingEngineClient

        return HostingEngineClient(config)
    from editd.daemon.client import SocketEngineClient

    return await SocketEngineClient.connect(start=True, client="cli")


def _with_spinner(output: Output, mode: Mode) -> Output:
    """Show what is being waited for; where results are drawn or events told that is done there."""
    if mode in ("terminal", "stream"):
        return output
    if not sys.stderr.isatty():
        from editd.cli.outputs.patience import WithPatience

        return WithPatience(output)
    from editd.cli.console import make_console
    from editd.cli.outputs.spinner import WithSpinner

    return WithSpinner(output, make_console(stderr=True))
