"""``editd daemon``, ``stop`` and ``logs``: the process that keeps the model warm."""

from __future__ import annotations

import contextlib
from collections.abc import Awaitable, Callable
from contextlib import aclosing
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from editd import interrupts
from editd.doors.cli.options import flag
from editd.errors import DaemonUnreachable, ProtocolError, UsageError

if TYPE_CHECKING:
    from pathlib import Path

    from editd.daemon.client import EngineClient

T = TypeVar("T")

_FOLLOW_SECONDS = 0.2  # between two reads of a log


def daemon(
    *,
    foreground: Annotated[
        bool, flag("--foreground", about="Run in the foreground until stopped.")
    ] = False,
) -> None:
    """Start the daemon, unless it is running. Edits start it on demand."""
    from editd.doors.cli.console import say

    if foreground:
        from editd.daemon.server import run
        from editd.doors.cli.checked_options import resolved_settings

        run(resolved_settings().config)
        return

    report = interrupts.run(ask(lambda client: client.status(), start=True))
    say(f"The daemon is running (process {report.pid}).")


def stop(
    *,
    force: Annotated[bool, flag("--force", about="Stop at once and cancel running edits.")] = False,
) -> None:
    """Stop the daemon when the running edits have finished."""
    from editd.daemon.client import stop_daemon
    from editd.doors.cli.console import say

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
    follow: Annotated[
        bool,
        flag("--follow", "-f", about="Print new lines as they are written, until interrupted."),
    ] = False,
    number: Annotated[
        int,
        typer.Option(
            "--lines",
            "-n",
            min=0,
            metavar="N",
            help="Number of lines to print, from the end of the log.",
        ),
    ] = 50,
) -> None:
    """Print the daemon's log. It never contains the text of a buffer."""
    from editd.daemon.logs import log_path
    from editd.doors.cli.console import write_text

    file = log_path()
    try:
        data = file.read_bytes()
    except FileNotFoundError:
        raise UsageError(f"There is no log yet. It will be {file}.") from None
    except OSError as error:
        raise UsageError(f"{file} cannot be read: {error.strerror}.") from error
    lines = data.splitlines(keepends=True)
    write_text(b"".join(lines[len(lines) - min(number, len(lines)) :]).decode("utf-8", "replace"))
    if follow:
        _follow(file, len(data))


async def ask(
    question: Callable[[EngineClient], Awaitable[T]], client: str = "cli", *, start: bool = False
) -> T:
    """The daemon's answer to one request; ``start``: start one if there is none."""
    from editd.daemon.client import SocketEngineClient

    async with aclosing(await SocketEngineClient.connect(start=start, client=client)) as daemon:
        return await question(daemon)


def is_running() -> bool:
    """Whether a daemon of this version is running, even if it does not answer."""
    from editd.daemon import lifecycle, transport

    return lifecycle.is_running(transport.socket_path())


def _follow(file: Path, position: int) -> None:
    """Print what is appended to ``file`` after ``position``; the log is rotated now and then."""
    import time

    from editd.doors.cli.console import write_text

    inode = file.stat().st_ino
    while True:
        with contextlib.suppress(FileNotFoundError), file.open("rb") as stream:
            if (now := file.stat().st_ino) != inode:
                inode, position = now, 0
            stream.seek(position)
            data = stream.read()
            position += len(data)
            write_text(data.decode("utf-8", "replace"))
        time.sleep(_FOLLOW_SECONDS)
