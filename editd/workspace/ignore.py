"""The paths that git ignores, decided one by one during a walk from the root.

Knows ``.gitignore`` files and their order: the deepest folder's rules first, then those above it, then
``.git/info/exclude``, then the user's own ignore file; in each file the last rule that matches decides. Ignored
folders are not entered, so nothing asks about paths inside them.

Patterns become regular expressions that never backtrack far, however hostile a file is. They follow git's
``wildmatch.c``, with ``WM_PATHNAME``: ``*`` and ``?`` stop at a slash, ``**`` between slashes does not. Bytes, as in
git. The text between two stars is matched where it comes first (an atomic group), because the later star takes
whatever is left; so time is polynomial, where pathspec's expressions take exponential time for ``*a*a*a*a*a*b``.
"""

from __future__ import annotations

import os
import re
from codecs import BOM_UTF8
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_TRAILING_SPACES = re.compile(rb"(\\ )? *\Z")  # but for one that is escaped
_LARGEST = 1 << 20  # bytes of an ignore file; git itself has no limit

_LONGEST = 4096  # bytes of a pattern, as of a path
_STAR, _FOLDERS, _ANYTHING = "*", "**/", "**"
_SPECIAL = re.compile(rb"[*?[\\]").search

_CLASS = re.compile(
    rb"\[(?P<negated>[!^]?)(?P<first>\]?)(?P<rest>(?:\[:[a-z]*:\]|\\.|[^\]\\])*)\]", re.DOTALL
)

_ITEM = re.compile(
    rb"\[:(?P<name>[a-z]*):\]|(?P<low>\\.|.)(?:-(?!\[:[a-z]*:\])(?P<high>\\.|.))?", re.DOTALL
)

_NAMED = {
    b"alnum": rb"0-9A-Za-z", b"alpha": rb"A-Za-z", b"blank": rb" \t", b"cntrl": rb"\x00-\x1f\x7f",
    b"digit": rb"0-9", b"graph": rb"!-~", b"lower": rb"a-z", b"print": rb" -~",
    b"punct": rb"!-\x2f:-@\[-`{-~", b"space": rb" \t-\r", b"upper": rb"A-Z", b"xdigit": rb"0-9A-Fa-f",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Rule:
    """A line of an ignore file. by_name: the pattern has no slash inside, so it matches names, not paths."""

    pattern: re.Pattern[bytes]
    ignores: bool
    folders_only: bool
    by_name: bool

    def decides(self, path: bytes, *, is_folder: bool) -> bool:
        """Whether the rule's pattern matches this very path, relative to the file's folder; false for a file if it is
        for folders only.
        """
        if self.folders_only and not is_folder:
            return False
        return self.pattern.match(path.rpartition(b"/")[2] if self.by_name else path) is not None


class IgnoreFile:
    """The rules of one file, for paths in its folder."""

    def __init__(self, content: bytes) -> None:
        lines = content.removeprefix(BOM_UTF8).split(b"\n")
        self._rules = [rule for line in lines if (rule := _parse_rule(line)) is not None]
        self._rules.reverse()

    def __len__(self) -> int:
        return len(self._rules)

    def ignores(self, path: str, *, is_folder: bool) -> bool | None:
        """Whether ``path``, relative to the file's folder, is ignored, by the last rule that matches; ``None`` if no
        rule matches.
        """
        as_bytes = os.fsencode(path)
        for rule in self._rules:
            if rule.decides(as_bytes, is_folder=is_folder):
                return rule.ignores
        return None


@dataclass(frozen=True, slots=True)
class Ignored:
    """The rules that apply to the entries of one folder.

    levels: ignore files, most important first, each with the path of this folder relative to its own (``""`` or
    ending in a slash).
    """

    levels: tuple[tuple[IgnoreFile, str], ...] = ()

    @property
    def num_rules(self) -> int:
        """The number of rules that each entry is compared with."""
        return sum(len(file) for file, _ in self.levels)

    def ignores(self, name: str, *, is_folder: bool) -> bool:
        """Whether the entry ``name`` of this folder is ignored, by the first of ``levels`` that has a matching rule;
        false if none has.
        """
        for file, prefix in self.levels:
            verdict = file.ignores(prefix + name, is_folder=is_folder)
            if verdict is not None:
                return verdict
        return False

    def below(self, name: str) -> Ignored:
        """The rules for the folder ``name`` in this folder."""
        return Ignored(tuple((file, f"{prefix}{name}/") for file, prefix in self.levels))

    def with_file(self, content: bytes) -> Ignored:
        """The rules with those of this folder's own ``.gitignore`` added."""
        file = IgnoreFile(content)
        return Ignored(((file, ""), *self.levels)) if file else self


def ignored_from_outside(root: Path) -> Ignored:
    """The rules for ``root`` from files outside it: the user's, and those of its repository above ``root``. Reads these
    files; what cannot be read has no rules.

    The rules of a repository that ignores ``root`` itself are left out, those of the user and of ``.git/info/exclude``
    stay: its user opened it all the same.
    """
    top = repository_of(root)
    files = [_user_file()]
    if top is not None:
        files.append(top / ".git" / "info" / "exclude")
    ignored = Ignored()
    for file in files:
        ignored = ignored.with_file(read_ignore_file(file))
    if top is None or top == root:
        return ignored
    combined = ignored
    folder = top
    for name in root.relative_to(top).parts:
        combined = combined.with_file(read_ignore_file(folder / ".gitignore"))
        if combined.ignores(name, is_folder=True):
            return ignored
        combined = combined.below(name)
        folder /= name
    return combined


def read_ignore_file(path: Path | str, folder: int | None = None) -> bytes:
    """The file's content; empty if it cannot be read or is a link (as git has it). ``*``, which ignores everything, for
    a file above 1 MiB: its patterns might keep something private. Never raises ``OSError``.

    folder: the descriptor of an open folder that ``path`` is relative to.
    """
    try:
        # Not blocking: there may be a pipe.
        flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
        handle = os.open(path, flags, dir_fd=folder)
    except OSError:
        return b""
    try:
        content = _read_at_most(handle, _LARGEST + 1)
    except OSError:  # a folder
        return b""
    finally:
        os.close(handle)
    return content if len(content) <= _LARGEST else b"*"


def _read_at_most(handle: int, most: int) -> bytes:
    """The first ``most`` bytes of an open file, or all if it has fewer. Raises ``OSError``."""
    parts = []
    while most > 0 and (part := os.read(handle, most)):
        parts.append(part)
        most -= len(part)
    return b"".join(parts)


def _parse_rule(line: bytes) -> _Rule | None:
    """The rule of a line of an ignore file; ``None`` for an empty line, a comment, and a pattern that matches nothing
    (broken, or above 4,096 bytes).
    """
    line = line.removesuffix(b"\r")
    if not line or line.startswith(b"#"):
        return None
    line = _TRAILING_SPACES.sub(rb"\1", line)
    ignores = not line.startswith(b"!")
    line = line if ignores else line[1:]
    folders_only = line.endswith(b"/")
    line = line.removesuffix(b"/")
    by_name = b"/" not in line
    pattern = compile_pattern(line.removeprefix(b"/")) if line else None
    return pattern and _Rule(pattern, ignores, folders_only, by_name)


def repository_of(root: Path) -> Path | None:
    """The top folder of the repository that ``root`` is in; ``None`` if it is in none."""
    return next((f for f in (root, *root.parents) if (f / ".git").exists()), None)


def _user_file() -> Path:
    """The file of the user's own patterns, where git looks by default."""
    base = os.environ.get("XDG_CONFIG_HOME") or os.path.expanduser("~/.config")  # noqa: PTH111
    return Path(base) / "git" / "ignore"


def compile_pattern(pattern: bytes) -> re.Pattern[bytes] | None:
    """An expression for the whole paths that ``pattern`` of git matches; ``None`` if it matches nothing, as broken
    patterns and those above 4,096 bytes do.
    """
    pattern = re.sub(rb"\*{3,}", b"**", pattern)
    if len(pattern) > _LONGEST:
        return None
    try:
        parts = list(_parts(pattern))
    except ValueError:
        return None
    first, *runs = _split_at(parts, _FOLDERS)
    expression = _names_expression(first)
    for number, run in enumerate(runs, 1):
        rest = rb"(?:[^/]*/)*?" + _names_expression(run)
        expression += rb"(?>%b)" % rest if number < len(runs) else rest
    return re.compile(expression + rb"\Z", re.DOTALL)


def _names_expression(parts: list[bytes | str]) -> bytes:
    """The expression for the parts between two ``**/``, in which ``*`` stops at a slash."""
    first, *pieces = _split_at(parts, _STAR)
    expression = b"".join(map(_expression, first))
    for number, piece in enumerate(pieces, 1):
        rest = rb"[^/]*?" + b"".join(map(_expression, piece))
        expression += rb"(?>%b)" % rest if number < len(pieces) else rest
    return expression


def _expression(part: bytes | str) -> bytes:
    """The expression of a part."""
    return part if isinstance(part, bytes) else rb".*"


def _split_at(parts: list[bytes | str], at: str) -> list[list[bytes | str]]:
    """The parts in groups, between occurrences of ``at``, which is left out; groups may be empty, and one more than the
    occurrences.
    """
    pieces: list[list[bytes | str]] = [[]]
    for part in parts:
        if part == at:
            pieces.append([])
        else:
            pieces[-1].append(part)
    return pieces


def _parts(pattern: bytes) -> Iterator[bytes | str]:
    """Expressions of one character each, and the stars ``*``, ``**/`` and ``**``, in order. Raises ``ValueError`` for a
    pattern that matches nothing: a class without an end, a class with an unknown name, or a backslash at its end.
    """
    at = 0
    while at < len(pattern):
        before, byte, rest = pattern[at - 1 : at], pattern[at : at + 1], pattern[at + 1 :]
        begins = before in (b"", b"/") or not _SPECIAL(
            pattern[:at]
        )  # git's, of which it cuts off plain text
        if byte == b"*" and rest[:1] == b"*" and begins and rest[1:2] in (b"", b"/"):
            yield _FOLDERS if rest[1:2] else _ANYTHING
            at += 3 if rest[1:2] else 2
        elif byte == b"*":
            yield _STAR
            at += 2 if rest[:1] == b"*" else 1
        elif byte == b"?":
            yield rb"[^/]"
            at += 1
        elif byte == b"[":
            if (found := _CLASS.match(pattern, at)) is None:
                raise ValueError("a class without an end")
            yield _class_expression(found)
            at = found.end()
        elif byte == b"\\":
            if not rest:
                raise ValueError("nothing is escaped")
            yield re.escape(rest[:1])
            at += 2
        else:
            yield re.escape(byte)
            at += 1


def _class_expression(found: re.Match[bytes]) -> bytes:
    """The expression for one character of a class (``[a-z]``), which is never a slash; a range that ends before its
    start is its start alone. Raises ``ValueError`` for an unknown class name (``[:x:]``).
    """
    members = b""
    for item in _ITEM.finditer(found["first"] + found["rest"]):
        if (name := item["name"]) is not None:
            if name not in _NAMED:
                raise ValueError("an unknown class")
            members += _NAMED[name]
            continue
        first, last = _last_byte(item["low"]), _last_byte(item["high"] or item["low"])
        # The first is one of them even where the range is empty.
        members += rb"\x%02x-\x%02x" % (first, max(first, last))
    if found["negated"]:
        return rb"[^/%b]" % members
    return rb"(?!/)[%b]" % members


def _last_byte(spelled: bytes) -> int:
    """The last byte of ``spelled``, which may begin with a backslash."""
    return spelled[-1]  # behind a backslash, perhaps
