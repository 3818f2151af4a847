"""Give files new text in one step each, unless they have changed since they were read.

A reader sees the old content or the new, never a part. Several at once are replaced together: all or none,
unless the process is killed between two of them.
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
    """New content for a file. ``may`` is called last, and stops it all by raising."""

    file: Path
    data: bytes
    may: Callable[[], None]


class PartlyReplaced(Exception):
    """One of several files could not be replaced, and some replaced before could not be put back."""

    def __init__(self, replaced: Sequence[Path]) -> None:
        super().__init__(*replaced)
        self.replaced = replaced


def replace_files(changes: Sequence[FileChange]) -> None:
    """Give files new content; mode, owner and extended attributes stay as far as they can.

    The new content of all is on the disk before the first name points to it, so that a crash leaves
    old files or new ones, and no part of one. A file is no symbolic link (``os.replace`` would replace
    the link); other hard links to it keep the old content. ``may`` is called when only the name has to
    change; what another program saves right after that is lost. Raises ``OSError`` too, and then
    nothing has changed, or ``PartlyReplaced`` says what has.
    """
    temporaries: list[str] = []
    try:
        for change in changes:
            temporaries.append(_new_beside(change.file))
            _fill(temporaries[-1], change)
        interrupts.check()
        for change in changes:
            change.may()
        _rename(changes, temporaries)
    finally:
        for temporary in temporaries:
            _remove(temporary)
    for folder in {change.file.parent for change in changes}:
        _sync_folder(folder)


def _rename(changes: Sequence[FileChange], temporaries: Sequence[str]) -> None:
    """Let each name point to its new content; when one cannot, put the names before it back."""
    kept: list[str] = []  # other names of the old content
    try:
        for number, (change, temporary) in enumerate(zip(changes, temporaries, strict=True)):
            if number:  # the check was a while ago
                interrupts.check()
                change.may()
            if number + 1 < len(changes):  # after the last one nothing can fail
                kept.append(_link_beside(change.file))
            os.replace(temporary, change.file)  # noqa: PTH105  # next to the other calls on descriptors
    except BaseException as error:
        stuck = [
            change.file
            for change, temporary, old in zip(changes, temporaries, kept, strict=False)
            if not os.path.lexists(temporary) and not _put_back(change.file, old)
        ]
        if stuck:
            raise PartlyReplaced(stuck) from error
        raise
    finally:
        for old in kept:
            _remove(old)


def _fill(temporary: str, change: FileChange) -> None:
    with open(temporary, "wb") as stream:  # noqa: PTH123
        stream.write(change.data)
        stream.flush()
        if change.file.exists():
            _copy_attributes(change.file, temporary)
        os.fsync(stream.fileno())


def _new_beside(file: Path) -> str:
    descriptor, temporary = tempfile.mkstemp(prefix=_prefix(file), dir=file.parent)
    os.close(descriptor)
    return temporary


def _link_beside(file: Path) -> str:
    """Another name of ``file``; empty where the file system has no links, or there is no file."""
    name = f"{file.parent}/{_prefix(file)}{secrets.token_hex(4)}"
    try:
        os.link(file, name)
    except OSError:
        return ""
    return name


def _put_back(file: Path, old: str) -> bool:
    try:
        os.replace(old, file)  # noqa: PTH105
    except OSError:
        return False
    return True


def _remove(name: str) -> None:
    with contextlib.suppress(OSError):
        os.unlink(name)  # noqa: PTH108


def _prefix(file: Path) -> str:
    return f".{os.fsencode(file.name)[:_NAME_BYTES].decode(errors='ignore')}."


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


@dataclass(frozen=True, slots=True)
class Source:
    """A text, as it was when it was read.

    given: as the user named it, ``-`` for standard input. name: for the prompt, the language and the declared
    encoding. file: the file itself; ``None`` for standard input. mtime_ns: when it was last written before it
    was read; ``None`` where that is unknown. resolved: no folder on the way to ``file`` was a link, and none
    may have become one.
    """

    given: str
    name: str
    file: Path | None
    data: bytes
    text: str
    encoding: str
    mtime_ns: int | None = None
    resolved: bool = False

    @property
    def target(self) -> Path:
        """The file to be written: that there is one is seen to before an edit is asked for."""
        assert self.file is not None  # noqa: S101
        return self.file

    def check_unchanged(self) -> None:
        """Raise ``EditRefused`` if the file is no longer what was read."""
        file = self.target
        other = file.is_symlink() or (self.resolved and file.resolve() != file)
        other = other or not file.is_file()  # reading a pipe would wait for ever
        touched = (
            not other and self.mtime_ns is not None and file.stat().st_mtime_ns != self.mtime_ns
        )
        if other or touched or file.read_bytes() != self.data:
            raise EditRefused(
                f"{self.given} was not written, because it changed on disk meanwhile; try again."
            )


def replace_texts(edited: Sequence[tuple[Source, str]]) -> None:
    """Give the file of each source its new text, or none of them.

    Raises ``EditRefused`` or ``EditFailed``, and then all files are as they were; or its sentence
    names those that could not be put back.
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
        stuck = ", ".join(old.given for old, _ in edited if old.file in error.replaced)
        raise EditFailed(
            f"Only a part was written: {stuck} has its new text and could not be put back after "
            f"another file failed ({error.__cause__})."
        ) from error
    except OSError as error:
        which = ", ".join(old.given for old, _ in edited)
        raise EditFailed(f"{which} could not be written: {error.strerror or error}.") from error
