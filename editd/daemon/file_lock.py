"""A lock of a file (``flock``), which ends with the process that holds it."""

from __future__ import annotations

import contextlib
import os
import sys
from pathlib import Path

from editd.errors import DaemonUnreachable

if sys.platform != "win32":
    import fcntl


class FileLock:
    """A lock that is held from ``try_acquire`` to ``release``, or to the end of the process."""

    def __init__(self, path: Path, descriptor: int) -> None:
        self._path = path
        self._descriptor = descriptor

    @classmethod
    def try_acquire(cls, path: Path) -> FileLock | None:
        """The lock of ``path``, or ``None`` at once if another process has it."""
        try:
            while (lock := cls._open(path)) is None:
                pass  # its last holder removed the file meanwhile: that one is no one's
        except BlockingIOError:
            return None
        except OSError as error:
            raise DaemonUnreachable(
                f"{path} cannot be locked ({error.strerror}): set EDITD_RUNTIME_DIR to a directory "
                f"on a local disk."
            ) from error
        try:
            lock.note(str(os.getpid()))
        except DaemonUnreachable:
            lock.release()
            raise
        return lock

    @classmethod
    def _open(cls, path: Path) -> FileLock | None:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if os.path.samestat(os.fstat(descriptor), path.stat()):
                return cls(path, descriptor)
        except FileNotFoundError:
            pass
        except OSError:
            os.close(descriptor)
            raise
        os.close(descriptor)
        return None

    @staticmethod
    def note_in(path: Path) -> str:
        """The last note of the lock's holder; empty if there is none."""
        try:
            return path.read_text()
        except OSError:
            return ""

    def note(self, text: str) -> None:
        """Write ``text`` into the file for others to read; initially it is the process id."""
        try:
            os.pwrite(self._descriptor, text.encode(), 0)
            os.truncate(self._descriptor, len(text.encode()))
        except OSError as error:
            raise DaemonUnreachable(
                f"{self._path} cannot be written ({error.strerror})."
            ) from error

    def release(self) -> None:
        """Release it. The file is removed first, while no other process can hold it."""
        with contextlib.suppress(FileNotFoundError):
            self._path.unlink()
        os.close(self._descriptor)
