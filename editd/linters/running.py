"""Runs a linter on a text, within limits of time and output; knows nothing of what it prints.

No shell is involved. The program is looked up on the PATH, never in the project. It gets the text on standard input and,
in the place of ``{path}``, as a file in a mirror of the project.
"""

from __future__ import annotations

import atexit
import os
import selectors
import shlex
import shutil
import signal
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from subprocess import PIPE, Popen, TimeoutExpired
from time import monotonic

from editd.linters.findings import LintFinding, one_line, read_findings
from editd.linters.mirror import mirrored

_MOST_OUTPUT = 4 << 20  # bytes of each stream
_STANDARD_INPUT = ("-", "stdin", "standard input", "anon", "")  # as linters call it
_running: set[Popen[bytes]] = set()


class LinterFailed(Exception):
    """Raised for a linter that is missing, hangs, floods, crashes or changes its file; the text continues "The check … ."."""


@dataclass(frozen=True, slots=True)
class Command:
    """A linter's command line from the settings, such as ``ruff check --output-format json -``."""

    line: str

    @property
    def name(self) -> str:
        """The program's name, for sentences; the whole line if it cannot be read."""
        with suppress(ValueError, IndexError):
            return Path(shlex.split(self.line)[0]).name
        return self.line

    def arguments(self, file: Path) -> list[str]:
        """The program's absolute path and its arguments, with ``file`` for ``{path}``.

        Raises ``LinterFailed`` if the line cannot be read or is empty, or the program is in no folder of the PATH;
        relative folders there do not count, and a program that is named by a relative path is refused, because a
        project could bring it.
        """
        try:
            program, *rest = shlex.split(self.line)
        except ValueError as error:
            raise LinterFailed(f"cannot be read: {error}") from None
        if os.sep in program and not os.path.isabs(program):  # noqa: PTH117  the text itself
            raise LinterFailed(
                "names its program by a relative path; use a name or an absolute path"
            )
        folders = os.environ.get("PATH", os.defpath).split(os.pathsep)
        absolute = os.pathsep.join(folder for folder in folders if Path(folder).is_absolute())
        found = shutil.which(program, path=absolute)
        if found is None:
            raise LinterFailed("is not installed")
        return [found, *(word.replace("{path}", str(file)) for word in rest)]


def lint(command: Command, root: Path, file: Path, text: str, seconds: float) -> list[LintFinding]:
    """Run ``command`` on ``text``, as if it were the content of ``file`` in the project ``root``, in a mirror of
    it; returns the findings in this text.

    Starts a program, ends it with its group after ``seconds``, and blocks until then. Raises ``LinterFailed`` if it
    cannot run, takes longer, prints too much, changes its copy of the file, is ended by a signal, or ends with
    another status than 0 and no finding.
    """
    ends = monotonic() + seconds
    try:
        with mirrored(root, file, text) as (mirror, copy):
            before = copy.stat()
            code, *outputs = _run(command.arguments(copy), mirror, copy, ends)
            after = copy.stat()
            if (before.st_mtime_ns, before.st_ino) != (after.st_mtime_ns, after.st_ino):
                raise LinterFailed("changed the file that it was to judge, which was a copy")
            output, errors = (data.decode(errors="replace").lstrip("\ufeff") for data in outputs)
            findings = read_findings(output) or read_findings(errors)
            if code < 0 or (code and not findings):
                raise LinterFailed(f"ended with status {code}{_last_line(errors or output)}")
            return [finding for finding in findings if _is_about(finding.path, mirror, copy)]
    except TimeoutExpired:
        raise LinterFailed(f"took longer than {seconds:g} s (checks.time_limit)") from None
    except (OSError, ValueError) as error:  # also a path or a text that the system does not take
        reason = getattr(error, "strerror", None) or error
        raise LinterFailed(f"could not run ({reason})") from None


def _run(
    arguments: Sequence[str], folder: Path, file: Path, ends: float
) -> tuple[int, bytes, bytes]:
    """Run a program in ``folder`` with ``file`` as its standard input; returns its status, output and errors.

    ends: by ``monotonic``. Raises ``TimeoutExpired``, ``LinterFailed`` for too much output, and ``OSError`` if the
    program cannot be started; the program and its group have then ended.
    """
    with (
        file.open("rb") as text,
        Popen(
            arguments, stdin=text, stdout=PIPE, stderr=PIPE, cwd=folder, start_new_session=True
        ) as child,
    ):
        _running.add(child)
        try:
            output, errors = _read_outputs(child, ends)
            return child.wait(max(0.0, ends - monotonic())), output, errors
        except BaseException:
            _end(child)
            raise
        finally:
            _running.discard(child)


def _read_outputs(child: Popen[bytes], ends: float) -> list[bytes]:
    """Read both outputs of ``child`` to their ends. Raises ``TimeoutExpired``, and ``LinterFailed`` for too much output."""
    outputs = {stream: bytearray() for stream in (child.stdout, child.stderr)}
    with selectors.DefaultSelector() as selector:
        for stream in outputs:
            assert stream is not None  # noqa: S101  both are pipes
            selector.register(stream, selectors.EVENT_READ)
        while selector.get_map():
            ready = selector.select(max(0.0, ends - monotonic()))
            if not ready and monotonic() >= ends:
                raise TimeoutExpired(child.args, 0)
            for key, _ in ready:
                data = os.read(key.fd, 1 << 16)
                outputs[key.fileobj] += data  # type: ignore[index]
                if len(outputs[key.fileobj]) > _MOST_OUTPUT:  # type: ignore[index]
                    raise LinterFailed(f"printed more than {_MOST_OUTPUT >> 20} MiB")
                if not data:
                    selector.unregister(key.fileobj)
    return [bytes(data) for data in outputs.values()]


@atexit.register
def _end_all() -> None:
    """End the linters that run; their threads end with this process, and could not."""
    for child in list(_running):
        _end(child)


def _end(child: Popen[bytes]) -> None:
    """Kill ``child`` and its process group; no effect if they have ended."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(child.pid, signal.SIGKILL)  # its number is its own until it is waited for


def _is_about(path: str, mirror: Path, copy: Path) -> bool:
    """Whether a path that a linter printed means the text: the file in the mirror, or standard input."""
    if path.strip("<>") in _STANDARD_INPUT:
        return True
    return os.path.realpath(mirror / path) == os.path.realpath(copy)


def _last_line(output: str) -> str:
    """The last line of ``output``, behind a colon and without its full stop, as the end of a sentence; empty if
    there is none.
    """
    lines = output.strip().splitlines()
    words = one_line(lines[-1]) if lines else ""
    return f": {words.rstrip('.')}" if words else ""
