"""The files of a project that count, found and read without ever leaving its folder.

Every folder is opened by name relative to its open parent, and no link is followed. So even a folder
that is replaced by a link during the walk cannot lead out of the root.
"""

from __future__ import annotations

import heapq
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from editd.workspace.ignore import Ignored, ignored_from_outside, read_ignore_file
from editd.workspace.rules import REBUILDABLE_MARKS, Limits, file_counts, folder_counts

_RULES_PER_ENTRY = 500  # that are compared in the time that looking at a name takes otherwise
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


@dataclass(frozen=True, slots=True)
class Stamp:
    """What tells an unchanged file from a changed one without reading it."""

    size: int
    mtime_ns: int
    ctime_ns: int
    inode: int

    @classmethod
    def of(cls, found: os.stat_result) -> Stamp:
        return cls(found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_ino)


@dataclass(frozen=True, slots=True)
class FoundFile:
    """A file that may be indexed. ``path``: relative to the root, with slashes."""

    path: str
    stamp: Stamp


@dataclass(frozen=True, slots=True)
class Found:
    """What a walk brought.

    left_out: files that count but exceed the limits in total. whole: it came to its end.
    """

    files: tuple[FoundFile, ...]  # changed last, last
    left_out: int
    whole: bool = True


def find_files(root: Path, limits: Limits) -> Found:
    """The files under ``root`` that count by name, size and git's rules."""
    with _open_folder(root) as handle:
        entries_left = [limits.entries]
        files = list(_walk(handle, "", ignored_from_outside(root), limits, entries_left))
    chosen = heapq.nlargest(limits.files, files, key=_recency)
    total, kept = 0, []
    for file in chosen:
        total += file.stamp.size
        if total > limits.total_bytes:
            break
        kept.append(file)
    return Found(tuple(reversed(kept)), len(files) - len(kept), whole=entries_left[0] >= 0)


def read_files(
    root: Path, files: Iterator[FoundFile], limits: Limits
) -> Iterator[tuple[FoundFile, bytes]]:
    """The content of each file as it is now, with its stamp of now; what is gone is passed over."""
    with _open_folder(root) as handle:
        for file in files:
            read = _read(handle, file.path, limits)
            if read is not None:
                yield FoundFile(file.path, read[0]), read[1]


def _recency(file: FoundFile) -> tuple[int, str]:
    return file.stamp.mtime_ns, file.path


@contextmanager
def _open_folder(path: str | Path, parent: int | None = None) -> Iterator[int]:
    handle = os.open(path, _FOLDER, dir_fd=parent)
    try:
        yield handle
    finally:
        os.close(handle)


def _walk(
    folder: int, prefix: str, ignored: Ignored, limits: Limits, entries_left: list[int]
) -> Iterator[FoundFile]:
    with os.scandir(folder) as listing:
        entries = sorted(listing, key=lambda entry: entry.name)
    names = {entry.name for entry in entries}
    if prefix and names & REBUILDABLE_MARKS:
        return
    if ".gitignore" in names:
        ignored = ignored.with_file(read_ignore_file(".gitignore", folder))
    for entry in entries:
        entries_left[0] -= 1 + ignored.num_rules // _RULES_PER_ENTRY
        if entries_left[0] < 0 or not entry.name.isprintable():
            continue  # a name that is not text, or would not stay on its line in a report
        is_folder = entry.is_dir(follow_symlinks=False)
        if is_folder and folder_counts(entry.name) and prefix.count("/") < limits.depth:
            if ignored.ignores(entry.name, is_folder=True):
                continue
            try:
                with _open_folder(entry.name, folder) as inner:
                    yield from _walk(
                        inner,
                        f"{prefix}{entry.name}/",
                        ignored.below(entry.name),
                        limits,
                        entries_left,
                    )
            except OSError:  # not ours to read, or gone
                continue
        elif entry.is_file(follow_symlinks=False) and file_counts(entry.name):
            try:
                stamp = Stamp.of(entry.stat(follow_symlinks=False))
            except OSError:
                continue
            if 0 < stamp.size <= limits.file_bytes and not ignored.ignores(
                entry.name, is_folder=False
            ):
                yield FoundFile(prefix + entry.name, stamp)


def _read(root: int, path: str, limits: Limits) -> tuple[Stamp, bytes] | None:
    """The file's stamp and content, unless it is no longer what the walk saw."""
    *folders, name = path.split("/")
    opened = []
    try:
        folder = root
        for part in folders:
            folder = os.open(part, _FOLDER, dir_fd=folder)
            opened.append(folder)
        handle = os.open(name, _FILE, dir_fd=folder)
        opened.append(handle)
        before = os.fstat(handle)
        if not stat.S_ISREG(before.st_mode) or before.st_size > limits.file_bytes:
            return None
        with open(handle, "rb", closefd=False) as file:
            content = file.read(limits.file_bytes + 1)
        return (Stamp.of(before), content) if len(content) <= limits.file_bytes else None
    except OSError:
        return None
    finally:
        for handle in opened:
            os.close(handle)
