"""The daemon's log: where it is, and what it may contain, which is never the text of an edit.

Log calls name requests, clients, sizes, times and models. An exception's message may quote the text, so
the log keeps only its type and place.
"""

from __future__ import annotations

import contextlib
import logging
import os
import traceback
from logging.handlers import RotatingFileHandler
from pathlib import Path
from types import TracebackType

import platformdirs

from editd.daemon import transport
from editd.errors import DaemonUnreachable, ModelError

ENV_STATE_DIR = "EDITD_STATE_DIR"

_MAX_LOG_BYTES = 1 << 20
_OLD_LOGS = 2


def log_path() -> Path:
    """The log of the daemon; older parts have ``.1`` and ``.2`` added to their names."""
    return _log_directory() / "daemon.log"


def stderr_path() -> Path:
    """What a daemon that was started on demand, or a library in it, writes to standard error."""
    return _log_directory() / "daemon.stderr"


def log_to_file(level: str) -> None:
    """Send what editd logs in this process to ``log_path()``, and nowhere else."""
    handler = RotatingFileHandler(
        log_path(),
        maxBytes=_MAX_LOG_BYTES,
        backupCount=_OLD_LOGS,
        encoding="utf-8",
        errors="backslashreplace",
    )
    handler.setFormatter(DiscreetFormatter("%(asctime)s %(process)d %(levelname)s %(message)s"))
    log_to(handler, level)


def log_to(handler: logging.Handler, level: str) -> None:
    """Send what editd logs in this process to ``handler``, and nowhere else."""
    for name in ("editd", "asyncio"):
        logger = logging.getLogger(name)
        logger.propagate = False
        logger.addHandler(handler)
    logging.getLogger("editd").setLevel(level.upper())


def bound_stderr() -> None:
    """Empty this process' standard error if it is the file of ``stderr_path`` and has grown."""
    try:
        ours, file = os.fstat(2), stderr_path().stat()
        if (ours.st_dev, ours.st_ino) == (
            file.st_dev,
            file.st_ino,
        ) and file.st_size > _MAX_LOG_BYTES:
            os.truncate(2, 0)
    except OSError:
        return


class DiscreetFormatter(logging.Formatter):
    """Formats exceptions without their messages, except those about models: they name files."""

    def formatException(  # noqa: N802 - logging's name
        self,
        ei: tuple[type[BaseException], BaseException, TracebackType | None]
        | tuple[None, None, None],
    ) -> str:
        """As ``discreet``."""
        return discreet(ei[1])


def discreet(error: BaseException | None) -> str:
    """Kind and place of an exception and of those that caused it, the innermost first."""
    chain: list[str] = []
    while error is not None:
        frames = traceback.extract_tb(error.__traceback__)
        places = "".join(f"\n  {frame.filename}:{frame.lineno} {frame.name}" for frame in frames)
        said = f": {error}" if isinstance(error, ModelError) else ""
        chain.append(f"{type(error).__name__}{said}{places}")
        error = error.__cause__ or error.__context__
    return "\nwhich led to ".join(reversed(chain))


def _log_directory() -> Path:
    if chosen := os.environ.get(ENV_STATE_DIR):
        directory = Path(chosen)
        try:
            directory.mkdir(parents=True, exist_ok=True, mode=0o700)
            owner = directory.stat().st_uid
        except OSError as error:
            raise DaemonUnreachable(
                f"{directory} cannot be made ({error.strerror}): set {ENV_STATE_DIR} to a directory "
                f"of your own."
            ) from error
        if owner != os.getuid():
            raise DaemonUnreachable(
                f"{directory} belongs to another user: set {ENV_STATE_DIR} to a directory of your own."
            )
        return directory
    directory = platformdirs.user_log_path("editd", appauthor=False)
    with contextlib.suppress(OSError):
        directory.mkdir(parents=True, exist_ok=True, mode=0o700)
        if directory.stat().st_uid == os.getuid():
            return directory
    # A container without a home that can be written to, or sudo with another user's home.
    directory = transport.runtime_directory()
    transport.make_private(directory)
    return directory
