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
_CONTROLS = range(0x20)
# Further controls; and embeddings, overrides and isolates: with them a line can look different from what it is.
_UNPICTURED = (*range(0x7F, 0xA0), *range(0x202A, 0x202F), *range(0x2066, 0x206A))
_SPELLED_OUT = {code: chr(0x2400 + code) for code in _CONTROLS if chr(code) != "\t"} | {
    code: f"<U+{code:04X}>" for code in _UNPICTURED
}


class OutputLost(Exception):
    """Raised if standard output takes no more; its text is the system's reason."""


def prepare_streams() -> None:
    """Open the null device for standard streams that were closed, and let standard output replace characters that
    cannot be encoded by ``?``, and standard error by backslash escapes, in place of raising.
    """
    _open_missing_streams()
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace" if stream is sys.stderr else "replace")


def _open_missing_streams() -> None:
    """Open the null device in place of standard streams that were closed before this program began (``None`` in
    ``sys``).

    Otherwise the next file to be opened would get their number, and sentences would be written into it. Reading from
    them finds nothing; sentences are lost, and writing results fails.
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
    """Write ``editd: `` and a sentence to standard error, control characters spelled out; a terminal gets it wrapped
    between words.
    """
    line = f"editd: {visible(sentence)}"
    if sys.stderr.isatty() and (columns := _columns()):
        line = textwrap.fill(
            line, columns, break_long_words=False, break_on_hyphens=False, expand_tabs=False
        )
    prompt(f"{line}\n")


def _columns() -> int:
    """The width of standard error's terminal in characters; 0 if it is none, or unknown."""
    try:
        return os.get_terminal_size(sys.stderr.fileno()).columns
    except (OSError, ValueError):
        return 0


def prompt(text: str) -> None:
    """Write a text to standard error, without ``editd:`` before it or a line end after it."""
    # A file's name need not be text.
    encodable = visible_text(text).encode("utf-8", "backslashreplace").decode()
    print(encodable, end="", file=sys.stderr, flush=True)


def complain(sentence: str) -> None:
    """Say a sentence (``say``), after the traceback of the exception that is being handled if the environment
    variable ``EDITD_DEBUG`` is not empty; both go to standard error.
    """
    if os.environ.get(DEBUG_VARIABLE):
        prompt(traceback.format_exc())
    say(sentence)


def write_bytes(data: bytes) -> None:
    """Write bytes to standard output unchanged and flush, after the text that was written before. Raises
    ``OutputLost`` if the system refuses them, and ``BrokenPipeError`` if the reader has left.
    """
    try:
        sys.stdout.flush()
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
    except BrokenPipeError:  # the reader has left, which is no error
        raise
    except OSError as error:
        raise OutputLost(error.strerror) from error


def write_json(value: Any) -> None:
    """Write a line of JSON in UTF-8 to standard output, and flush."""
    write_bytes(json.dumps(value, ensure_ascii=False).encode() + b"\n")


def write_text(text: str) -> None:
    """Write lines in UTF-8 to standard output, without control characters, and flush."""
    write_bytes(visible_text(text).encode("utf-8", "replace"))


def on_terminal() -> bool:
    """Whether standard output is a terminal."""
    return sys.stdout.isatty()


def can_ask() -> bool:
    """Whether questions reach a person: standard input and output are terminals."""
    return sys.stdin.isatty() and on_terminal()


def visible(line: str) -> str:
    """The line without its line end, and without control of the terminal or the text direction."""
    return line.rstrip("\r\n").translate(_SPELLED_OUT)


def visible_text(text: str) -> str:
    """The text with LF line ends, each line as by ``visible``."""
    return "\n".join(map(visible, text.split("\n")))


def printable(name: str) -> str:
    """A file's name as valid UTF-8; bytes that are none are replaced."""
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


@contextmanager
def progress_bar() -> Iterator[Callable[[str, float], None]]:
    """A context with a function ``(message, done)`` that shows progress on standard error; done: 0 to 1.

    A terminal gets a bar, invisible until the first call, which disappears at the end; any other output gets one
    sentence for each message that was not shown before, and no figure. Loads rich.
    """
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    if not sys.stderr.isatty():
        said_before: set[str] = set()

        def report(message: str, _done: float) -> None:
            if message not in said_before:
                said_before.add(message)
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
    """Make a rich console, for standard output by default, that knows NO_COLOR, dumb terminals and widths, and that
    shows control characters of texts as visible escapes, which rich itself lets through.

    options: as of rich's ``Console``; by default without highlighting, and lines are not wrapped. Loads rich, which
    few commands need.
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
