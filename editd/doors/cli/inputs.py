"""The texts to edit: files, lists of files and standard input, read before anything is sent."""

from __future__ import annotations

import contextlib
import os
import stat
import sys
from collections.abc import Callable
from concurrent.futures import Future, wait
from dataclasses import dataclass
from pathlib import Path
from threading import Thread

from editd import interrupts
from editd.errors import UsageError
from editd.files.encoding import decode

STANDARD_INPUT = "-"
_LISTEN_SECONDS = 0.05  # between two checks for an interrupt
_MOST_BYTES = 256 << 20  # of one file; some devices never end


@dataclass(frozen=True, slots=True)
class Source:
    """One text, as it was when it was read.

    given: as the user named it, ``-`` for standard input. name: for the prompt and the language.
    file: the file itself, symbolic links followed; ``None`` for standard input.
    """

    given: str
    name: str
    file: Path | None
    data: bytes
    text: str
    encoding: str


def read_source(given: str, name: str | None, standard_input: bytes) -> Source:
    """Read a file, or take what was read; raises ``UsageError`` with one sentence."""
    if given == STANDARD_INPUT:
        data = standard_input
        shown, file = name or "standard input", None
    else:
        file = _resolve(given)
        data = _read(file, given)
        shown = name or name_in_prompt(given)
    shown = _as_text(shown)
    text, encoding = decode(data, shown)
    if not text.strip("\ufeff"):
        raise UsageError(
            f"{given if file else 'Standard input'} is empty: name a file with text in it."
        )
    return Source(
        given, _as_text(name or ("" if file is None else shown)), file, data, text, encoding
    )


def read_standard_input() -> bytes:
    """All of it."""
    return _patiently(sys.stdin.buffer.read)


def read_text(given: str) -> str:
    """The text of a file that is an option's value."""
    return decode(_read(_resolve(given), given), given)[0]


def list_files(list_name: str) -> list[str]:
    """The names in a list: NUL-separated if there is a NUL in it, else one per line."""
    if list_name == STANDARD_INPUT:
        data = read_standard_input()
    else:
        data = _read(_resolve(list_name), list_name)
    names = data.split(b"\0") if b"\0" in data else data.splitlines()
    return [os.fsdecode(name) for name in names if name.strip()]


def check_writable(given: str) -> None:
    """Refuse a file that ``--in-place`` could not write, before a model is run."""
    file = _resolve(given)
    if file.is_dir():
        return  # said when it is read
    if not file.is_file():
        raise UsageError(f"{given} is not a regular file, so --in-place cannot replace it.")
    if not os.access(file, os.W_OK):
        raise UsageError(f"{given} is read-only; change its mode first.")
    if not os.access(file.parent, os.W_OK):
        raise UsageError(
            f"{file.parent} is not writable, and --in-place needs "
            f"that to replace {given} atomically."
        )


def name_in_prompt(given: str) -> str:
    """The name that the model sees: below the current directory if the file is, else its own."""
    path = Path(given).absolute()
    with contextlib.suppress(ValueError, FileNotFoundError):  # the directory may be gone
        path = Path(os.path.normpath(path)).relative_to(Path.cwd())
    name = path.name if path.is_absolute() else path.as_posix()
    return _as_text(name)


def _as_text(name: str) -> str:
    """A file's name for a message, also if it is not UTF-8."""
    return os.fsencode(name).decode("utf-8", "replace")


def workspace_root(given: str | None, source: Source) -> str:
    """The folder whose files may be drafted from, as a request names it; empty for none.

    given: a folder; empty for the file's repository or its folder; ``None`` for none.
    Tells the user why a folder is not used.
    """
    if given is None:
        return ""
    from editd.doors.cli.console import say
    from editd.workspace.walk import refuse_root

    root = _resolve(given) if given else _project_of(source.file)
    if not root.is_dir():
        raise UsageError(f"--workspace is {given}, which is not a folder.")
    if refusal := refuse_root(root):
        say(f"note: {refusal}")
        return ""
    return os.fsencode(root).decode("utf-8", "replace")


def _project_of(file: Path | None) -> Path:
    """The repository that a file is in, else its folder; for standard input the current directory."""
    folder = Path.cwd() if file is None else file.parent
    return next((f for f in (folder, *folder.parents) if (f / ".git").exists()), folder)


def _resolve(given: str) -> Path:
    if not given:
        raise UsageError("A file's name is empty.")
    path = Path(given)
    try:
        if stat.S_ISFIFO(path.stat().st_mode):
            return path  # the shell's name for <(…), which has no other
        return path.resolve(strict=True)
    except FileNotFoundError:
        raise UsageError(f"{given}: no such file.") from None
    except OSError as error:
        raise UsageError(f"{given} cannot be read: {error.strerror}.") from error
    except (RuntimeError, ValueError) as error:  # a loop of links, a NUL in the name
        raise UsageError(f"{given} cannot be read: {error}.") from error


def _read(file: Path, given: str) -> bytes:
    def read() -> bytes:
        with file.open("rb") as stream:
            return stream.read(_MOST_BYTES + 1)

    try:
        data = read() if file.is_file() else _patiently(read)
    except IsADirectoryError:
        raise UsageError(f"{given} is a directory; name files, or use --files-from.") from None
    except OSError as error:
        raise UsageError(f"{given} cannot be read: {error.strerror}.") from error
    if len(data) > _MOST_BYTES:
        raise UsageError(f"{given} is larger than {_MOST_BYTES >> 20} MiB, the maximum.")
    return data


def _patiently(read: Callable[[], bytes]) -> bytes:
    """What ``read`` returns or raises, however long it waits for a pipe; Ctrl-C ends the wait.

    A thread waits. A signal that comes just before a call that blocks would go unheard in this one,
    and one that an event loop hears would be told after the call.
    """
    reading: Future[bytes] = Future()

    def run() -> None:
        try:
            reading.set_result(read())
        except BaseException as error:  # noqa: BLE001  # told where it was asked for
            reading.set_exception(error)

    Thread(target=run, daemon=True).start()
    while True:
        interrupts.check()
        if interrupts.is_cancelled():
            raise KeyboardInterrupt
        if wait([reading], _LISTEN_SECONDS).done:
            return reading.result()
