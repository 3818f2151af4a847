"""The daemon's log: its path, and formatting that keeps the text of edits out of it.

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
    """The path of the daemon's log; older parts end in ``.1`` and ``.2``.

    Makes the folder; raises ``DaemonUnreachable`` if the configured folder cannot be used.
    """
    return _log_directory() / "daemon.log"


def stderr_path() -> Path:
    """The path of the file that is the standard error of a daemon started on demand, and of libraries in it."""
    return _log_directory() / "daemon.stderr"


def log_to_file(level: str) -> None:
    """Write this process's log records of editd and asyncio to ``log_path()`` alone, which rotates;
    ``level``: of editd's. Makes the log's folder; raises ``DaemonUnreachable`` if that is not
    possible.
    """
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
    """Add ``handler`` to the loggers of editd and asyncio in this process, and pass their records
    to no logger above them. level: from which on editd's records count.
    """
    for name in ("editd", "asyncio"):
        logger = logging.getLogger(name)
        logger.propagate = False
        logger.addHandler(handler)
    logging.getLogger("editd").setLevel(level.upper())


def truncate_stderr() -> None:
    """Empty the file of ``stderr_path`` if it is this process's standard error and exceeds the
    log's limit. Does nothing on I/O errors.
    """
    try:
        own_status, file_status = os.fstat(2), stderr_path().stat()
        if (own_status.st_dev, own_status.st_ino) == (
            file_status.st_dev,
            file_status.st_ino,
        ) and file_status.st_size > _MAX_LOG_BYTES:
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
        """Format an exception as ``discreet``."""
        return discreet(ei[1])


def discreet(error: BaseException | None) -> str:
    """Types and traceback lines of an exception and of its causes (or of the exceptions that were
    being handled when it was raised), the first cause first, without messages, which may quote the
    user's text.

    Only a ``ModelError``'s message is included. Empty for ``None``.
    """
    chain: list[str] = []
    while error is not None:
        frames = traceback.extract_tb(error.__traceback__)
        places = "".join(f"\n  {frame.filename}:{frame.lineno} {frame.name}" for frame in frames)
        message = f": {error}" if isinstance(error, ModelError) else ""
        chain.append(f"{type(error).__name__}{message}{places}")
        error = error.__cause__ or error.__context__
    return "\nwhich led to ".join(reversed(chain))


def _log_directory() -> Path:
    """Make and return the folder of the log: ``$EDITD_STATE_DIR``, else the platform's or, where
    that cannot be used, the socket's.

    Raises ``DaemonUnreachable`` if the first cannot be made or belongs to another user, or the last
    cannot be trusted.
    """
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
