"""Replace a file in one step: a reader sees the old content or the new, never a part."""

from __future__ import annotations

import contextlib
import os
import shutil
import stat
import tempfile
from collections.abc import Callable
from pathlib import Path

from editd import interrupts


def replace_file(file: Path, data: bytes, may: Callable[[], None]) -> None:
    """Give ``file`` new content; mode, owner and extended attributes stay as far as they can.

    The new content is on the disk before the name points to it, so that a crash leaves the old
    file. ``file`` is no symbolic link (``os.replace`` would replace the link); other hard links
    to it keep the old content. ``may`` is called last, when only the name has to change, and stops
    it all by raising; what another program saves right after that is lost. Raises ``OSError``
    too, and then nothing has changed.
    """
    descriptor, temporary = tempfile.mkstemp(prefix=f".{file.name[:100]}.", dir=file.parent)
    try:
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(data)
            stream.flush()
            if file.exists():
                _copy_attributes(file, temporary)
            os.fsync(stream.fileno())
        interrupts.check()
        may()
        os.replace(temporary, file)  # noqa: PTH105  # next to the other calls on descriptors
    except BaseException:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(temporary)  # noqa: PTH108
        raise
    _sync_folder(file.parent)


def _copy_attributes(file: Path, temporary: str) -> None:
    status = file.stat()
    if hasattr(os, "listxattr"):  # Linux: access control lists and security labels are among them
        with contextlib.suppress(OSError):
            for name in os.listxattr(file):
                with contextlib.suppress(OSError):
                    os.setxattr(temporary, name, os.getxattr(file, name))
    mode = stat.S_IMODE(status.st_mode)
    try:
        shutil.chown(temporary, status.st_uid, status.st_gid)
    except OSError:  # another user's file in our folder: the new one is ours
        with contextlib.suppress(OSError):
            shutil.chown(temporary, group=status.st_gid)
        mode &= ~(stat.S_ISUID | stat.S_ISGID)
    os.chmod(temporary, mode)  # noqa: PTH101


def _sync_folder(folder: Path) -> None:
    """Make the new name durable too, where folders can be synced."""
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
