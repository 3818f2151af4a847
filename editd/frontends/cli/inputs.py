"""The inputs of a command line, before anything is sent: its options, checked, and its texts, read.

The texts are files, lists of files and standard input.
"""

from __future__ import annotations

import contextlib
import dataclasses
import os
import re
import stat
import sys
import uuid
from collections.abc import Callable, Sequence
from concurrent.futures import Future, wait
from dataclasses import dataclass
from pathlib import Path
from threading import Thread
from typing import Any, Literal, cast

from editd import config_sources, interrupts
from editd.config import Config
from editd.config_sources import Resolved, check_option, model_reference
from editd.diff.document import Document
from editd.errors import UsageError
from editd.files.encoding import decode
from editd.files.replacing import Source
from editd.frontends.cli.console import on_terminal, printable, say
from editd.messages import EditRequest
from editd.messages.options import WAYS, EditOptions

Mode = Literal["terminal", "text", "diff", "in-place", "json", "stream", "check"]
STANDARD_INPUT = "-"
_LISTEN_SECONDS = 0.05  # between two checks for an interrupt
_MOST_BYTES = 256 << 20  # of one file; some devices never end


@dataclass(frozen=True, slots=True)
class CheckedOptions:
    """The checked options of ``edit`` or ``apply``.

    names: of the texts, each once. mode: of the output. region: lines counted from 1, both included; ``None``: all.
    """

    names: Sequence[str]
    mode: Mode
    region: tuple[int, int] | None  # lines counted from 1, both included
    options: EditOptions
    config: Config

    @classmethod
    def of(
        cls,
        names: Sequence[str],
        outputs: dict[str, bool],
        given: dict[str, Any],
        *,
        lines: str | None,
        way: str | None,
        only_one: dict[str, str | None] | None = None,
    ) -> CheckedOptions:
        """Check the options of a command; raises ``UsageError`` if they are wrong alone or together. Reads the
        configuration, and writes its warnings to standard error. Files are not read; names that are given twice count
        once.

        outputs: by mode, whether its flag was given. given: values of ``REQUEST_OPTIONS``, ``None`` if absent. lines:
        ``START:END``. only_one: by flag, values that are allowed for a single text only, ``None`` if absent.
        """
        region = None if lines is None else _parse_range(lines)
        names = list(dict.fromkeys(names))  # so that no file is edited twice
        mode = _choose_mode(names, outputs)
        if len(names) > 1:
            for flag, value in {"--range": lines, **(only_one or {})}.items():
                if value is not None:
                    raise UsageError(f"{flag} takes one file, and several are named.")
        resolved = resolved_settings()
        return cls(names, mode, region, _edit_options(resolved, given, way), resolved.config)

    def read(self, name: str, shown: str | None = None, standard_input: bytes = b"") -> Source:
        """Read the text that ``name`` stands for; raises ``UsageError`` if it cannot be read or decoded, has no
        character, or, for ``--in-place``, could not be written (``check_writable``).

        shown: shown to the model in place of the file's own name. standard_input: the bytes for ``-``.
        """
        if self.mode == "in-place":
            check_writable(name)
        return read_source(name, shown, standard_input)

    def request(self, source: Source, instruction: str, **more: Any) -> EditRequest:
        """Make the request to the engine for a text, with a new id; raises ``UsageError`` if the chosen lines are
        beyond its end. more: further fields of the request.
        """
        start_line, end_line = _lines_of(self.region, source)
        return EditRequest(
            request_id=uuid.uuid4().hex,
            text=source.text,
            instruction=instruction,
            path=source.name,
            start_line=start_line,
            end_line=end_line,
            options=self.options,
            priority="interactive" if len(self.names) == 1 else "batch",
            **more,
        )


def resolved_settings() -> Resolved:
    """The configuration of this process, from file and environment; writes its warnings to standard error."""
    resolved = config_sources.resolve()
    for warning in resolved.warnings:
        say(f"warning: {warning}")
    return resolved


def check_instruction(instruction: str) -> None:
    """Raise ``UsageError`` for an instruction that is blank or has bytes that are no UTF-8 (as lone surrogates); else
    do nothing.
    """
    if not instruction.strip():
        raise UsageError("The instruction is empty: say what to do with -i.")
    try:
        instruction.encode()
    except UnicodeEncodeError as error:
        raise UsageError("The instruction is not valid UTF-8.") from error


def _choose_mode(names: Sequence[str], outputs: dict[str, bool]) -> Mode:
    """The output mode: the one whose flag was given; else ``text`` if standard input is the only input, ``terminal``
    on a terminal, ``text`` otherwise.

    names: of the inputs. outputs: by mode, whether its flag was given. Raises ``UsageError`` for two flags, and
    without a flag or terminal for several inputs, naming the first that does not exist, if one does not.
    """
    chosen = [mode for mode, is_chosen in outputs.items() if is_chosen]
    if len(chosen) > 1:
        flags = " and ".join(f"--{mode}" for mode in chosen)
        raise UsageError(f"{flags} cannot be combined; choose one.")
    if chosen:
        return cast(Mode, chosen[0])
    if list(names) == [STANDARD_INPUT]:
        return "text"
    if on_terminal():
        return "terminal"
    if len(names) > 1:
        for name in names:  # such as a folder after --workspace that is not there
            # Not pathlib's, which raises for what no file can be called.
            if name != STANDARD_INPUT and not os.path.exists(name):  # noqa: PTH110
                raise UsageError(f"{name}: no such file.")
        raise UsageError(f"Several files need one of {', '.join(f'--{mode}' for mode in outputs)}.")
    return "text"


def _parse_range(text: str) -> tuple[int, int]:
    """Read ``START:END``, counted from 1, both included. Raises ``UsageError`` for anything else, and for an end below
    the start.
    """
    match = re.fullmatch(r"\s*(\d+)\s*:\s*(\d+)\s*", text)
    if match is None:
        raise UsageError(f"--range is {text!r}, but must be START:END, for example 10:25.")
    start, end = int(match[1]), int(match[2])
    if not 1 <= start <= end:
        raise UsageError(
            f"--range is {text!r}, but lines start at 1 and END must not be below START."
        )
    return start, end


def _lines_of(region: tuple[int, int] | None, source: Source) -> tuple[int | None, int | None]:
    """The region (lines from 1, both included) as a request has it: 0-based, end exclusive; ``(None, None)`` for
    ``None``. Raises ``UsageError`` if it goes beyond the text's end.
    """
    if region is None:
        return None, None
    num_lines = len(Document.of(source.text).lines)
    start, end = region
    if end > num_lines:
        raise UsageError(
            f"--range is {start}:{end}, but {source.shown_name} has only {num_lines} lines."
        )
    return start - 1, end


def _edit_options(resolved: Resolved, given: dict[str, Any], way: str | None) -> EditOptions:
    """The configuration's options, with the flags that were given in their places. Raises ``UsageError`` for an
    unknown ``way``, and ``ConfigError`` that names a flag with a wrong value. given: by option, ``None`` if absent;
    models' paths become absolute. way: of ``--way``; ``None`` for none.
    """
    *others, last = known = [str(known_way.name) for known_way in WAYS]
    if way is not None and way not in known:
        raise UsageError(f"--way is {way!r}, but must be {', '.join(others)} or {last}.")
    flags: dict[str, Any] = {"way": way}
    for name, value in given.items():
        if value is not None:
            flags[name] = check_option(name, value, "--" + name.replace("_", "-"))
    for name in ("model", "draft_model"):
        if flags.get(name):
            flags[name] = _model(flags[name])
    return dataclasses.replace(resolved.edit_options(), **flags)


def _model(name: str) -> str:
    """A model's name as an option: an existing folder, and a name written as a path, becomes an absolute path; other
    names stay.
    """
    with contextlib.suppress(OSError, ValueError):  # what no folder can be called, is none
        if Path(name).is_dir():
            return str(Path(name).absolute())
    return model_reference(name, Path())


def read_source(given: str, name: str | None, standard_input: bytes) -> Source:
    """Read a file, or take the bytes of standard input if ``given`` is ``-``. Raises ``UsageError`` if it cannot be
    read or decoded, or has no character but a byte order mark.

    name: shown to the model in place of the file's own; an empty or missing one for the file's.
    """
    if given == STANDARD_INPUT:
        data = standard_input
        shown, file = name or "standard input", None
    else:
        file = _resolve(given)
        data = _read(file, given)
        shown = name or name_in_prompt(given)
    shown = printable(shown)
    text, encoding = decode(data, shown)
    if not text.strip("\ufeff"):
        raise UsageError(
            f"{given if file else 'Standard input'} is empty: name a file with text in it."
        )
    return Source(
        given, printable(name or ("" if file is None else shown)), file, data, text, encoding
    )


def read_standard_input() -> bytes:
    """Read all of standard input."""
    return _patiently(sys.stdin.buffer.read)


def read_text(given: str) -> str:
    """Read the text of a file that is an option's value; raises ``UsageError``."""
    return decode(_read(_resolve(given), given), given)[0]


def list_files(list_name: str) -> list[str]:
    """Read a list of file names, from a file or, for ``-``, standard input: separated by NUL if it has one, else by
    line ends; blank names are left out, others are not stripped. Raises ``UsageError`` if the list cannot be read.
    """
    if list_name == STANDARD_INPUT:
        data = read_standard_input()
    else:
        data = _read(_resolve(list_name), list_name)
    names = data.split(b"\0") if b"\0" in data else data.splitlines()
    return [os.fsdecode(name) for name in names if name.strip()]


def check_writable(given: str) -> None:
    """Raise ``UsageError`` for a file that ``--in-place`` could not write: missing, not regular, read-only, on a
    read-only file system, or in a folder that cannot be written. Links are followed. Does nothing for a folder:
    ``_read`` refuses those.
    """
    file = _resolve(given)
    if file.is_dir():
        return  # said when it is read
    if not file.is_file():
        raise UsageError(f"{given} is not a regular file, so --in-place cannot replace it.")
    if os.statvfs(file).f_flag & os.ST_RDONLY:
        raise UsageError(f"{given} is on a read-only file system; copy it to another place first.")
    if not os.access(file, os.W_OK):
        raise UsageError(f"{given} is read-only for you; change its mode or owner first.")
    if not os.access(file.parent, os.W_OK):
        raise UsageError(
            f"{file.parent} is not writable, and --in-place needs "
            f"that to replace {given} atomically."
        )


def name_in_prompt(given: str) -> str:
    """The file's name for the model: its path below the current directory, else its last part."""
    place = place_of(given)
    return printable(place.name if place.is_absolute() else place.as_posix())


def absolute(given: str) -> str:
    """A file's path from the root, links not resolved."""
    return printable(os.path.normpath(Path(given).absolute()))


def place_of(given: str) -> Path:
    """A file's path, ``..`` taken out and links not resolved: relative to the current directory if it is below that,
    else absolute.
    """
    path = Path(os.path.normpath(Path(given).absolute()))
    with contextlib.suppress(ValueError, FileNotFoundError):  # the directory may be gone
        return path.relative_to(Path.cwd())
    return path


def workspace_root(given: str | None, source: Source) -> str:
    """The folder whose files may be drafted from; empty for none. If it must not be indexed (``refuse_root``), writes
    the reason to standard error and returns an empty string.

    given: a folder; empty for the file's repository or else its folder (of standard input: the current one); ``None``
    for none. Raises ``UsageError`` for a folder that is missing or none.
    """
    if given is None:
        return ""
    from editd.workspace.ignore import repository_of
    from editd.workspace.walk import refuse_root

    if given:
        root = _resolve(given)
    else:
        folder = Path.cwd() if source.file is None else source.file.parent
        root = repository_of(folder) or folder
    if not root.is_dir():
        raise UsageError(f"--workspace is {given}, which is not a folder.")
    if refusal := refuse_root(root):
        say(f"note: {refusal}")
        return ""
    return printable(str(root))


def _resolve(given: str) -> Path:
    """The path of that name, links resolved; a pipe keeps its name. Raises ``UsageError`` for an empty name, and if
    nothing is there or it cannot be looked at.
    """
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
    """Read a file's bytes; of a pipe or device, wait as long as it takes. Raises ``UsageError`` for a folder, an
    error, or more than 256 MiB, and ``KeyboardInterrupt`` after Ctrl-C while waiting.
    """

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
    """Call ``read`` in a thread and wait for it, however long; returns or raises what it does.

    Raises ``KeyboardInterrupt`` after Ctrl-C, or if the running task was cancelled; the thread is left behind then.
    Without it, a Ctrl-C just before a call that blocks would go unheard.
    """
    reading: Future[bytes] = Future()

    def run() -> None:
        try:
            reading.set_result(read())
        except BaseException as error:  # noqa: BLE001  # raised where it is awaited
            reading.set_exception(error)

    Thread(target=run, daemon=True).start()
    while True:
        interrupts.check()
        if interrupts.is_cancelled():
            raise KeyboardInterrupt
        if wait([reading], _LISTEN_SECONDS).done:
            return reading.result()
