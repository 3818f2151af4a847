"""``editd daemon``, ``status``, ``stop`` and ``logs``: the process that keeps the model warm."""

from __future__ import annotations

import dataclasses
from collections.abc import Awaitable, Callable
from contextlib import aclosing
from typing import TYPE_CHECKING, Annotated, TypeVar

from editd import interrupts
from editd.errors import DaemonUnreachable, ProtocolError, UsageError
from editd.frontends.cli.console import say, visible, write_json, write_text
from editd.frontends.cli.inputs import resolved_settings
from editd.frontends.cli.options import option
from editd.frontends.cli.outputs import figures
from editd.outcome import outcome_of
from editd.stores.hub import gigabytes

if TYPE_CHECKING:
    from editd.daemon.client import SocketEngineClient
    from editd.messages import StatusReport
    from editd.messages.reports import ModelStatus, WorkspaceStatus


T = TypeVar("T")


def daemon(
    *,
    foreground: Annotated[
        bool, option("--foreground", about="Run in the foreground until stopped.")
    ] = False,
) -> None:
    """Start the daemon, unless it is running. Edits start it on demand."""
    if foreground:
        from editd.daemon.server import run

        run(resolved_settings().config)
        return

    report = interrupts.run(ask(lambda client: client.status(), start=True))
    say(f"The daemon is running (process {report.pid}).")


def stop(
    *,
    force: Annotated[
        bool, option("--force", about="Stop at once and cancel running edits.")
    ] = False,
) -> None:
    """Stop the daemon when the running edits have finished."""
    from editd.daemon.client import stop_daemon

    try:
        say(interrupts.run(stop_daemon(force=force)))
    except ProtocolError:  # another program answers
        raise
    except DaemonUnreachable:
        if is_running():
            raise
        say("No daemon is running.")


def logs(
    *,
    number: Annotated[
        int,
        option(
            "--lines",
            "-n",
            min=0,
            metavar="N",
            about="Number of lines to print, from the end of the log.",
        ),
    ] = 50,
) -> None:
    """Print the daemon's log. It never contains the text of a buffer."""
    from editd.daemon.logs import log_path

    file = log_path()
    try:
        data = file.read_bytes()
    except FileNotFoundError:
        raise UsageError(f"There is no log yet. It will be {file}.") from None
    except OSError as error:
        raise UsageError(f"{file} cannot be read: {error.strerror}.") from error
    lines = data.splitlines(keepends=True)
    write_text(b"".join(lines[len(lines) - min(number, len(lines)) :]).decode("utf-8", "replace"))


async def ask(
    question: Callable[[SocketEngineClient], Awaitable[T]],
    client: str = "cli",
    *,
    start: bool = False,
) -> T:
    """Connect to the daemon, put ``question`` to it, disconnect, also on failure, and return its answer.

    start: start a daemon if none runs. client: this client's name in the daemon's log. Raises ``DaemonUnreachable``
    if none runs (or starts), or it does not answer, ``ProtocolError`` if another version or program answers, and what
    ``question`` raises.
    """
    from editd.daemon.client import SocketEngineClient

    async with aclosing(await SocketEngineClient.connect(start=start, client=client)) as daemon:
        return await question(daemon)


def is_running() -> bool:
    """Whether a daemon of this version is running, even if it does not answer."""
    from editd.daemon import lifecycle, transport

    return lifecycle.is_running(transport.socket_path())


def status(
    *, json: Annotated[bool, option("--json", about="Print one JSON object.")] = False
) -> int:
    """Show the state of the daemon, its models and their memory.

    Exits with 3 if no daemon is running; with --json, the object then says so.
    """
    try:
        report = interrupts.run(ask(lambda client: client.status()))
    except DaemonUnreachable as error:
        if not json:
            raise
        write_json({"running": False, "error": {"code": error.code, "message": str(error)}})
        return outcome_of(error).exit_code
    if json:
        fields = dataclasses.asdict(report)
        del fields["request_id"]
        write_json({"running": True, **fields})
    else:
        write_text(_describe(report))
    return 0


def _describe(report: StatusReport) -> str:
    """The lines of ``editd status``, each ended by a newline: daemon, process, memory, clients and queue, models,
    idle GPUs, projects, and the figures of the last edit, if any. Looks for idle GPUs only if a model runs by
    llama.cpp on the CPU.
    """
    lines = [
        f"editd {report.editd_version}: {report.state}"
        + (f" ({report.message})" if report.message else ""),
        f"  process  {report.pid}, up {_duration(report.uptime_seconds)}",
        f"  memory   {gigabytes(report.rss_bytes)}",
        f"  clients  {report.clients}, {report.queue} edits waiting",
    ]
    lines += [f"  model    {_model(model)}" for model in report.models] or [
        "  model    none in memory; the next edit loads one"
    ]
    if any(model.device == "cpu" and model.runs.startswith("llama.cpp") for model in report.models):
        from editd.frontends.cli.machine import idle_gpus

        lines += [f"  idle     {name}; `editd doctor` says how to use it" for name in idle_gpus()]
    lines += [f"  project  {_workspace(workspace)}" for workspace in report.workspaces]
    if report.last_stats is not None:
        lines.append(f"  last     {figures(report.last_stats)}")
    return "\n".join(lines) + "\n"


def _model(model: ModelStatus) -> str:
    """A line about a model: while loading its name and per cent done, if known; on a server where the text of edits
    goes; else device, number type, parameters and memory.
    """
    if model.state == "loading":
        done = "" if model.fraction is None else f", {model.fraction:.0%}"
        return f"{model.name}: loading{done}"
    if model.exactness == "remote":
        can = f" ({visible(model.runs)})" if model.runs else ""
        return f"{visible(model.name)}: the text of your edits goes to {model.device}{can}"
    text = (
        f"{model.name} on {model.device} as {model.dtype}, {model.parameters / 1e6:,.0f} M "
        f"parameters, {gigabytes(model.memory_bytes)}"
    )
    if model.kv_bytes:
        most = f" of {gigabytes(model.kv_limit_bytes)}" if model.kv_limit_bytes else ""
        text += f", keys and values {gigabytes(model.kv_bytes)}{most}"
    return f"{text}, {model.runs}" if model.runs else text


def _workspace(workspace: WorkspaceStatus) -> str:
    """A line about an open project: its folder and state; if its index has tokens, the numbers of files and tokens
    and the memory; then its message, if any.
    """
    text = f"{visible(workspace.root)}: {workspace.state}"
    if workspace.tokens:
        text += (
            f", {workspace.files:,} files, {workspace.tokens:,} tokens, "
            f"{gigabytes(workspace.memory_bytes)}"
        )
    return f"{text} ({visible(workspace.message)})" if workspace.message else text


def _duration(seconds: float) -> str:
    """Seconds, rounded, as ``2 h 3 min``, ``3 min 4 s`` or ``4 s``."""
    minutes, seconds = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours} h {minutes} min"
    return f"{minutes} min {seconds} s" if minutes else f"{seconds} s"
