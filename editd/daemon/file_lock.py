"""A lock on a file (``flock``) between processes; the kernel releases it when its holder dies."""

from __future__ import annotations

import contextlib
import os
import sys
from pathlib import Path

from editd.errors import DaemonUnreachable

if sys.platform != "win32":
    import fcntl


class FileLock:
    """A lock that this process holds from ``try_acquire`` to ``release``, or until it exits."""

    def __init__(self, path: Path, descriptor: int) -> None:
        self._path = path
        self._descriptor = descriptor

    @classmethod
    def try_acquire(cls, path: Path) -> FileLock | None:
        """Lock ``path``, creating the file, and write the process id into it.

        Returns ``None`` at once if another process holds the lock. Raises ``DaemonUnreachable`` if the file
        cannot be locked or written.
        """
        try:
            while (lock := cls._open_and_lock(path)) is None:
                pass  # its last holder removed the file meanwhile: lock the next file of that name
        except BlockingIOError:
            return None
        except OSError as error:
            raise DaemonUnreachable(
                f"{path} cannot be locked ({error.strerror}): set EDITD_RUNTIME_DIR to a directory "
                f"on a local disk."
            ) from error
        try:
            lock.write_note(str(os.getpid()))
        except DaemonUnreachable:
            lock.release()
            raise
        return lock

    @classmethod
    def _open_and_lock(cls, path: Path) -> FileLock | None:
        """Open ``path``, creating the file, and lock it; ``None`` if the file was removed, or
        replaced, before it was locked.

        Raises ``BlockingIOError`` if another process holds the lock, else ``OSError``.
        """
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
    def read_note(path: Path) -> str:
        """The text that the holder of ``path``'s lock wrote last; empty if the file is missing or
        cannot be read. A free lock's text may be stale.
        """
        try:
            return path.read_text()
        except OSError:
            return ""

    def write_note(self, text: str) -> None:
        """Replace the file's content by ``text``, for other processes to read. Raises
        ``DaemonUnreachable`` if the file cannot be written.
        """
        try:
            os.pwrite(self._descriptor, text.encode(), 0)
            os.truncate(self._descriptor, len(text.encode()))
        except OSError as error:
            raise DaemonUnreachable(
                f"{self._path} cannot be written ({error.strerror})."
            ) from error

    def release(self) -> None:
        """Remove the file while no other process can hold its lock, then release the lock."""
        with contextlib.suppress(FileNotFoundError):
            self._path.unlink()
        os.close(self._descriptor)
