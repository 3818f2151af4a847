"""What git ignores, path by path, as a walk from the root comes by.

Knows ``.gitignore`` files and their order: the deepest folder's rules first, then those above it,
then ``.git/info/exclude``, then the user's own ignore file; in each file the last rule that matches
decides. Pattern matching is left to pathspec. Ignored folders are not entered, so nothing asks about
paths inside them.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from pathspec import GitIgnoreSpec

_PARENT_MARK = "ps_d"  # pathspec's group for the slash behind a folder that a pattern matched
_LARGEST = 1 << 20  # bytes of an ignore file; git itself has no limit


class _Pattern(Protocol):
    @property
    def include(self) -> bool | None: ...

    def match_file(self, file: str) -> object | None: ...


@dataclass(frozen=True, slots=True)
class _Rule:
    """One line. ``by_name``: it has no slash inside, so it matches names, not paths."""

    pattern: _Pattern
    folders_only: bool
    by_name: bool

    def decides(self, path: str, *, is_folder: bool) -> bool:
        """Whether the rule matches this very path, not only a folder above it."""
        if self.folders_only and not is_folder:
            return False
        subject = path.rpartition("/")[2] if self.by_name else path
        if self.folders_only:
            subject += "/"
        found = getattr(self.pattern.match_file(subject), "match", None)
        if found is None:
            return False
        parent_end = found.end(_PARENT_MARK) if found.re.groupindex.get(_PARENT_MARK) else -1
        return parent_end in (-1, len(subject))


class IgnoreFile:
    """The rules of one file, for paths below its folder."""

    def __init__(self, content: bytes) -> None:
        self._rules = [rule for line in content.splitlines() if (rule := _rule(line)) is not None]
        self._rules.reverse()

    def __bool__(self) -> bool:
        return bool(self._rules)

    def ignores(self, path: str, *, is_folder: bool) -> bool | None:
        """Whether ``path``, relative to the file's folder, is ignored; ``None``: nothing said."""
        for rule in self._rules:
            if rule.decides(path, is_folder=is_folder):
                return rule.pattern.include
        return None


@dataclass(frozen=True, slots=True)
class Ignored:
    """What is ignored in one folder. ``levels``: the files that have a say, most important first,
    each with the path of this folder relative to its own (``""`` or ending in a slash).
    """

    levels: tuple[tuple[IgnoreFile, str], ...] = ()

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
    """The file's content; empty if it cannot be read, is a link (as git has it) or is too large.

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
    return content if content and len(content) <= _LARGEST else b""


def _rule(line: bytes) -> _Rule | None:
    text = line.decode("utf-8", errors="surrogateescape")
    try:
        patterns: Iterable[_Pattern] = GitIgnoreSpec.from_lines([text]).patterns
    except ValueError:  # git passes over what is no pattern
        return None
    pattern = next((p for p in patterns if p.include is not None), None)
    if pattern is None:
        return None
    plain = text.rstrip().removeprefix("!")
    folders_only = plain.endswith("/")
    return _Rule(pattern, folders_only, by_name="/" not in plain.rstrip("/"))


def _repository_of(root: Path) -> Path | None:
    return next((f for f in (root, *root.parents) if (f / ".git").exists()), None)


def _user_file() -> Path:
    """Where git looks for the user's own patterns unless configured otherwise."""
    base = os.environ.get("XDG_CONFIG_HOME") or os.path.expanduser("~/.config")  # noqa: PTH111
    return Path(base) / "git" / "ignore"
