"""The two streams of a terminal program: results on standard output, words on standard error.

All that a command tells a person goes through here and is safe to show: characters that move the cursor
or change the direction are spelled out. Results are bytes as they are.
"""

from __future__ import annotations

import io
import json
import os
import sys
import textwrap
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderableType
    from rich.segment import Segment

DEBUG_VARIABLE = "EDITD_DEBUG"


class OutputLost(Exception):
    """Standard output takes no more; says why."""


def prepare_streams() -> None:
    """Make standard streams that can be used whatever the caller's are."""
    _open_missing_streams()
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace" if stream is sys.stderr else "replace")


def _open_missing_streams() -> None:
    """Put something in the place of standard streams that were closed before this program began.

    The next file to be opened would get their number, and words would be written into it. Nothing
    can be read from what is put there, and of what is written only words may be lost: results fail.
    """
    streams = (
        ("stdin", os.O_RDONLY, "r"),
        ("stdout", os.O_RDONLY, "w"),
        ("stderr", os.O_WRONLY, "w"),
    )
    for name, may, mode in streams:
        if getattr(sys, name) is None:
            # The lowest number that is free, which is this one.
            setattr(sys, name, os.fdopen(os.open(os.devnull, may), mode, closefd=False))


def say(sentence: str) -> None:
    """Tell the person, on one line, which a terminal gets wrapped between words; never mixed into results."""
    told = f"editd: {visible(sentence)}"
    if sys.stderr.isatty() and (columns := _columns()):
        told = textwrap.fill(
            told, columns, break_long_words=False, break_on_hyphens=False, expand_tabs=False
        )
    prompt(f"{told}\n")


def _columns() -> int:
    """Of the terminal that standard error is; 0 where it does not say."""
    try:
        return os.get_terminal_size(sys.stderr.fileno()).columns
    except (OSError, ValueError):
        return 0


def prompt(text: str) -> None:
    """As ``say``, without a name before it or a line end after it."""
    # A file's name need not be text.
    told = visible_text(text).encode("utf-8", "backslashreplace").decode()
    print(told, end="", file=sys.stderr, flush=True)


def complain(sentence: str) -> None:
    """As ``say``, about the error that is being handled; with its traceback if that is wanted."""
    if os.environ.get(DEBUG_VARIABLE):
        prompt(traceback.format_exc())
    say(sentence)


def write_bytes(data: bytes) -> None:
    """Results exactly as they are, in any locale. Raises ``OutputLost``."""
    try:
        sys.stdout.flush()
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
    except BrokenPipeError:  # the reader has left, which is no error
        raise
    except OSError as error:
        raise OutputLost(error.strerror) from error


def write_json(value: Any) -> None:
    """One line of JSON in UTF-8, at once."""
    write_bytes(json.dumps(value, ensure_ascii=False).encode() + b"\n")


def write_text(text: str) -> None:
    """Lines for a person or a script, in UTF-8."""
    write_bytes(visible_text(text).encode("utf-8", "replace"))


def on_terminal() -> bool:
    """Whether results go to a person."""
    return sys.stdout.isatty()


def visible(line: str) -> str:
    """``line`` without its line end, and without control of the terminal or the text direction."""
    return line.rstrip("\r\n").translate(_SPELLED_OUT)


def visible_text(text: str) -> str:
    """As ``visible``, line by line: with its line ends, which are LF."""
    return "\n".join(map(visible, text.split("\n")))


def printable(name: str) -> str:
    """A file's name as UTF-8, which it need not be."""
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


_CONTROLS = range(0x20)
# Further controls; and embeddings, overrides and isolates: with them a line can look different from what it is.
_UNPICTURED = (*range(0x7F, 0xA0), *range(0x202A, 0x202F), *range(0x2066, 0x206A))
_SPELLED_OUT = {code: chr(0x2400 + code) for code in _CONTROLS if chr(code) != "\t"} | {
    code: f"<U+{code:04X}>" for code in _UNPICTURED
}


@contextmanager
def progress_bar() -> Iterator[Callable[[str, float], None]]:
    """A bar on a terminal's standard error, elsewhere one sentence for each message.

    It is told what is being done and how much of it, 0 to 1, and shows nothing before that.
    """
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    if not sys.stderr.isatty():
        told: set[str] = set()

        def report(message: str, _done: float) -> None:
            if message not in told:
                told.add(message)
                say(f"{message}.")

        yield report
        return
    columns = TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn()
    console = make_console(stderr=True)
    with Progress(*columns, console=console, transient=True) as progress:
        task = progress.add_task("", total=1.0, visible=False)
        yield lambda message, done: progress.update(
            task, description=message, completed=done, visible=True
        )


def make_console(**options: Any) -> Console:
    """A rich console, which knows NO_COLOR, dumb terminals and widths; no text has power over the terminal.

    rich itself lets escape sequences through. It is loaded here, because few commands draw. options: as of
    rich's ``Console``.
    """
    from rich.console import Console
    from rich.segment import Segment

    class SafeConsole(Console):
        def render(
            self, renderable: RenderableType, options: ConsoleOptions | None = None
        ) -> Iterator[Segment]:
            # rich's own control sequences are segments of another kind.
            for text, style, control in super().render(renderable, options):
                yield Segment(text if control else visible_text(text), style, control)

    return SafeConsole(**{"highlight": False, "soft_wrap": True, **options})
