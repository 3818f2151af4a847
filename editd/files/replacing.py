"""Give files new text in one step each, unless they have changed since they were read.

A reader sees the old content or the new, never a part. Several at once are replaced together: all or none, unless the
process is killed between two of them.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
import stat
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from editd import interrupts
from editd.errors import EditFailed, EditRefused
from editd.files.encoding import encode

_NAME_BYTES = 100  # of a file's own name in that of a temporary one; most systems take 255 in all


@dataclass(frozen=True, slots=True)
class FileChange:
    """New content for a file. check: called just before the file is replaced; raises to stop all changes."""

    file: Path
    data: bytes
    check: Callable[[], None]


class PartlyReplaced(Exception):
    """A file could not be replaced, and some that were replaced before it (``replaced``) could not be put back."""

    def __init__(self, replaced: Sequence[Path]) -> None:
        super().__init__(*replaced)
        self.replaced = replaced


def replace_files(changes: Sequence[FileChange]) -> None:
    """Give files new content; mode, owner and extended attributes stay as far as they can.

    The new content of all is synced to the disk before the first name points to it, so that a crash leaves old files or
    new ones, and no part of one. A file is no symbolic link (``os.replace`` would replace the link); other hard links
    to it keep the old content. ``check`` is called when only the name has to change; content that another program saves
    right after that is lost. Raises ``OSError``, ``KeyboardInterrupt`` after a signal, or whatever ``check`` raises,
    with nothing changed; ``PartlyReplaced`` if some files could not be put back.
    """
    temporaries: list[str] = []
    try:
        for change in changes:
            temporaries.append(_create_temporary(change.file))
            _write_temporary(temporaries[-1], change)
        interrupts.check()
        for change in changes:
            change.check()
        _rename(changes, temporaries)
    finally:
        for temporary in temporaries:
            _remove(temporary)
    for folder in {change.file.parent for change in changes}:
        _sync_folder(folder)


def _rename(changes: Sequence[FileChange], temporaries: Sequence[str]) -> None:
    """Let each name point to its new content (``temporaries``, in the same order); if one cannot, put the old content
    of those before it back.

    Calls ``check`` of all but the first again. Raises as ``replace_files``. Removes the names that it added.
    """
    old_names: list[str] = []  # other names of the old content
    try:
        for number, (change, temporary) in enumerate(zip(changes, temporaries, strict=True)):
            if number:  # the check was a while ago
                interrupts.check()
                change.check()
            if number + 1 < len(changes):  # after the last one nothing can fail
                old_names.append(_add_link(change.file))
            os.replace(temporary, change.file)  # noqa: PTH105  # next to the other calls on descriptors
    except BaseException as error:
        stuck = [
            change.file
            for change, temporary, old in zip(changes, temporaries, old_names, strict=False)
            if not os.path.lexists(temporary) and not _put_back(change.file, old)
        ]
        if stuck:
            raise PartlyReplaced(stuck) from error
        raise
    finally:
        for old in old_names:
            _remove(old)


def _write_temporary(temporary: str, change: FileChange) -> None:
    """Write a file's new content to ``temporary``, give it the attributes of the old file if there is one, and sync it
    to the disk. Raises ``OSError``.
    """
    with open(temporary, "wb") as stream:  # noqa: PTH123
        stream.write(change.data)
        stream.flush()
        if change.file.exists():
            _copy_attributes(change.file, temporary)
        os.fsync(stream.fileno())


def _create_temporary(file: Path) -> str:
    """Create an empty file, readable by this user only, in the folder of ``file`` and return its
    path. Raises ``OSError``.
    """
    descriptor, temporary = tempfile.mkstemp(prefix=_prefix(file), dir=file.parent)
    os.close(descriptor)
    return temporary


def _add_link(file: Path) -> str:
    """Add another name (a hard link), in the same folder, to ``file`` and return it; an empty
    string if that fails, as where the file system has no links or there is no file.
    """
    name = f"{file.parent}/{_prefix(file)}{secrets.token_hex(4)}"
    try:
        os.link(file, name)
    except OSError:
        return ""
    return name


def _put_back(file: Path, old: str) -> bool:
    """Replace ``file`` by the file named ``old``; returns whether that succeeded (not for an empty name)."""
    try:
        os.replace(old, file)  # noqa: PTH105
    except OSError:
        return False
    return True


def _remove(name: str) -> None:
    """Delete a file, if it exists."""
    with contextlib.suppress(OSError):
        os.unlink(name)  # noqa: PTH108


def _prefix(file: Path) -> str:
    """The beginning of a temporary file's name."""
    return f".{os.fsencode(file.name)[:_NAME_BYTES].decode(errors='ignore')}."


def _copy_attributes(file: Path, temporary: str) -> None:
    """Give ``temporary`` the extended attributes, owner and mode of ``file``, as far as permitted; without set-user-id
    bits if the owner cannot be kept. Raises ``OSError`` if the mode cannot be set.
    """
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
    """Make new names in a folder durable, if the system can sync folders; otherwise does nothing."""
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


@dataclass(frozen=True, slots=True)
class Source:
    """A text, as it was when it was read.

    shown_name: as the user wrote it, ``-`` for standard input.
    name: for the prompt, the language and the declared encoding.
    file: ``None`` for standard input.
    mtime_ns: time of the last change before it was read; ``None`` if that is unknown.
    resolved: no folder on the way to ``file`` was a link, and none may have become one.
    """

    shown_name: str
    name: str
    file: Path | None
    data: bytes
    text: str
    encoding: str
    mtime_ns: int | None = None
    resolved: bool = False

    @property
    def target(self) -> Path:
        """The file to write. Callers refuse standard input before."""
        assert self.file is not None  # noqa: S101
        return self.file

    def check_unchanged(self) -> None:
        """Raise ``EditRefused`` unless the file is a regular file that still has the bytes, and the time of change if
        known, with which it was read, and no link has come in its place. Raises ``OSError`` if it cannot be read.
        """
        file = self.target
        is_replaced = file.is_symlink() or (self.resolved and file.resolve() != file)
        is_replaced = is_replaced or not file.is_file()  # reading a pipe would wait for ever
        is_touched = (
            not is_replaced
            and self.mtime_ns is not None
            and file.stat().st_mtime_ns != self.mtime_ns
        )
        if is_replaced or is_touched or file.read_bytes() != self.data:
            raise EditRefused(
                f"{self.shown_name} was not written, because it changed on disk meanwhile; try again."
            )


def replace_texts(edited: Sequence[tuple[Source, str]]) -> None:
    """Give the file of each source its new text, all or none of them; nothing for no sources.

    Raises ``EditRefused`` if a file has changed since it was read, ``EditFailed`` if one cannot be
    encoded or written, and ``KeyboardInterrupt`` after a signal, with all files as they were;
    ``EditFailed`` also if some could not be put back, which it names.
    """
    if not edited:
        return
    changes = [
        FileChange(old.target, encode(text, old.encoding, old.name), old.check_unchanged)
        for old, text in edited
    ]
    try:
        replace_files(changes)
    except PartlyReplaced as error:
        stuck = ", ".join(old.shown_name for old, _ in edited if old.file in error.replaced)
        raise EditFailed(
            f"Only a part was written: {stuck} has its new text and could not be put back after "
            f"another file failed ({error.__cause__})."
        ) from error
    except OSError as error:
        which = ", ".join(old.shown_name for old, _ in edited)
        raise EditFailed(f"{which} could not be written: {error.strerror or error}.") from error
