"""What git ignores, path by path, as a walk from the root comes by.

Knows ``.gitignore`` files and their order: the deepest folder's rules first, then those above it,
then ``.git/info/exclude``, then the user's own ignore file; in each file the last rule that matches
decides. What a pattern matches is left to ``wildmatch``. Ignored folders are not entered, so nothing asks about
paths inside them.
"""

from __future__ import annotations

import os
import re
from codecs import BOM_UTF8
from dataclasses import dataclass
from pathlib import Path

from editd.workspace.wildmatch import compiled

_TRAILING_SPACES = re.compile(rb"(\\ )? *\Z")  # but for one that is escaped
_LARGEST = 1 << 20  # bytes of an ignore file; git itself has no limit


@dataclass(frozen=True, slots=True)
class _Rule:
    """One line. ``by_name``: it has no slash inside, so it matches names, not paths."""

    pattern: re.Pattern[bytes]
    ignores: bool
    folders_only: bool
    by_name: bool

    def decides(self, path: bytes, *, is_folder: bool) -> bool:
        """Whether the rule matches this very path."""
        if self.folders_only and not is_folder:
            return False
        return self.pattern.match(path.rpartition(b"/")[2] if self.by_name else path) is not None


class IgnoreFile:
    """The rules of one file, for paths below its folder."""

    def __init__(self, content: bytes) -> None:
        lines = content.removeprefix(BOM_UTF8).split(b"\n")
        self._rules = [rule for line in lines if (rule := _rule(line)) is not None]
        self._rules.reverse()

    def __len__(self) -> int:
        return len(self._rules)

    def ignores(self, path: str, *, is_folder: bool) -> bool | None:
        """Whether ``path``, relative to the file's folder, is ignored; ``None``: nothing said."""
        as_bytes = os.fsencode(path)
        for rule in self._rules:
            if rule.decides(as_bytes, is_folder=is_folder):
                return rule.ignores
        return None


@dataclass(frozen=True, slots=True)
class Ignored:
    """What is ignored in one folder. ``levels``: the files that have a say, most important first,
    each with the path of this folder relative to its own (``""`` or ending in a slash).
    """

    levels: tuple[tuple[IgnoreFile, str], ...] = ()

    @property
    def num_rules(self) -> int:
        """How much there is to compare each entry with."""
        return sum(len(file) for file, _ in self.levels)

    def ignores(self, name: str, *, is_folder: bool) -> bool:
        """Whether the entry ``name`` of this folder is ignored."""
        for file, prefix in self.levels:
            verdict = file.ignores(prefix + name, is_folder=is_folder)
            if verdict is not None:
                return verdict
        return False

    def below(self, name: str) -> Ignored:
        """The same in the folder ``name`` of this folder."""
        return Ignored(tuple((file, f"{prefix}{name}/") for file, prefix in self.levels))

    def with_file(self, content: bytes) -> Ignored:
        """With this folder's own ``.gitignore``."""
        file = IgnoreFile(content)
        return Ignored(((file, ""), *self.levels)) if file else self


def ignored_from_outside(root: Path) -> Ignored:
    """What is ignored in ``root`` by files that are not in it: its repository's and the user's.

    A repository that ignores ``root`` itself has nothing to say: its user opened it all the same.
    """
    top = _repository_of(root)
    files = [_user_file()]
    if top is not None:
        files.append(top / ".git" / "info" / "exclude")
    ignored = Ignored()
    for file in files:
        ignored = ignored.with_file(read_ignore_file(file))
    if top is None or top == root:
        return ignored
    ours = ignored
    folder = top
    for name in root.relative_to(top).parts:
        ours = ours.with_file(read_ignore_file(folder / ".gitignore"))
        if ours.ignores(name, is_folder=True):
            return ignored
        ours = ours.below(name)
        folder /= name
    return ours


def read_ignore_file(path: Path | str, folder: int | None = None) -> bytes:
    """The file's content; empty if it cannot be read or is a link (as git has it).

    One that is too large ignores everything: what it would keep private is not known.

    folder: an open folder that ``path`` is relative to.
    """
    try:
        # Not blocking: there may be a pipe.
        flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
        handle = os.open(path, flags, dir_fd=folder)
    except OSError:
        return b""
    with open(handle, "rb") as file:  # noqa: PTH123 - it is open already
        try:
            content = file.read(_LARGEST + 1)
        except OSError:  # a folder
            return b""
    return content if len(content) <= _LARGEST else b"*"


def _rule(line: bytes) -> _Rule | None:
    line = line.removesuffix(b"\r")
    if not line or line.startswith(b"#"):
        return None
    line = _TRAILING_SPACES.sub(rb"\1", line)
    ignores = not line.startswith(b"!")
    line = line if ignores else line[1:]
    folders_only = line.endswith(b"/")
    line = line.removesuffix(b"/")
    by_name = b"/" not in line
    pattern = compiled(line.removeprefix(b"/")) if line else None
    return pattern and _Rule(pattern, ignores, folders_only, by_name)


def _repository_of(root: Path) -> Path | None:
    return next((f for f in (root, *root.parents) if (f / ".git").exists()), None)


def _user_file() -> Path:
    """Where git looks for the user's own patterns unless configured otherwise."""
    base = os.environ.get("XDG_CONFIG_HOME") or os.path.expanduser("~/.config")  # noqa: PTH111
    return Path(base) / "git" / "ignore"
