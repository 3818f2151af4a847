"""The names that may stand after ``@`` in an instruction, for completing one while it is typed.

Knows which files and definitions begin so, in what order they are offered, and when to stop looking. The rules about
which files count are left to ``walk``, the reading of a mention that is written to ``mentions``.
"""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from editd.syntax.code import read_code
from editd.syntax.language import language_of
from editd.workspace.mentions import is_bare_mention
from editd.workspace.walk import (
    DEFAULT_LIMITS,
    FoundFile,
    find_files,
    read_files,
    readable_text,
    refuse_root,
)

MOST_NAMES = 20
_LIMITS = replace(DEFAULT_LIMITS, entries=30_000)  # a tenth of the usual: somebody waits
_SECONDS = 0.3  # for the definitions of other files
_LEAST_LETTERS = 2  # of a definition in another file: fewer letters would fit too many


@dataclass(frozen=True, slots=True)
class MentionName:
    """A name to write after ``@``, in quotes where it needs them. path: of the other file that has the definition, from
    the project's folder; empty for a definition of the edited text, and for a file.
    """

    name: str
    kind: Literal["file", "definition"]
    path: str = ""


def find_mention_names(prefix: str, root: str, text: str, file: str) -> list[MentionName]:
    """At most 20 names for ``prefix``, what is typed after ``@`` so far: files of the project and definitions, the
    better fit first. Upper and lower case are alike.

    A file fits if its path, or a part of it after a slash, begins so; the one changed last comes first. A
    definition fits if its name does: those of the edited ``text`` and, with two letters, those of other files, read
    for 0.3 seconds at most; not if two places define it, because such a mention is refused. root: the trusted folder
    of the project, an absolute path; empty, or one that may not be read: only the definitions of ``text``. file: the
    edited file, which is not offered. Looks at the disk; never raises ``OSError``.
    """
    typed = prefix.lstrip('"').replace("\\", "/").casefold()
    own = list(dict.fromkeys(_definition_names(text, file, typed)))
    definitions = [MentionName(name, "definition") for name in own]
    if not root or refuse_root(Path(root)):
        return definitions[:MOST_NAMES]
    folder = os.path.realpath(root)
    edited = os.path.relpath(os.path.realpath(file), folder)
    try:
        found = find_files(Path(folder), _LIMITS).files[::-1]
        others = [x for x in found if x.path != edited]
        definitions += _defined_once(_definitions(Path(folder), others, typed), own)
    except OSError:  # the folder has gone
        return definitions[:MOST_NAMES]
    files = list(_file_names((x.path for x in others), typed))
    half = MOST_NAMES // 2
    return [*files[:half], *definitions[:half], *files[half:], *definitions[half:]][:MOST_NAMES]


def _file_names(paths: Iterable[str], typed: str) -> Iterator[MentionName]:
    """Yield the names of the paths that fit, in their order; first those whose last part begins so. A path that no
    mention can spell is left out.
    """
    whole, within = [], []
    for path in paths:
        folded = path.casefold()
        if folded.rpartition("/")[2].startswith(typed):
            whole.append(path)
        elif folded.startswith(typed) or f"/{typed}" in folded:
            within.append(path)
    for path in (*whole, *within):
        if is_bare_mention(path):
            yield MentionName(path, "file")
        elif '"' not in path:
            yield MentionName(f'"{path}"', "file")


def _definitions(root: Path, files: Iterable[FoundFile], typed: str) -> Iterator[MentionName]:
    """Yield the definitions in ``files`` that begin with ``typed``, until 0.3 seconds are over; none for less than two
    letters. Reads files; raises ``OSError`` if ``root`` cannot be opened.
    """
    if len(typed) < _LEAST_LETTERS or not typed.isidentifier():
        return
    deadline = time.monotonic() + _SECONDS
    for file, content in read_files(root, iter(files), _LIMITS):
        if time.monotonic() > deadline:
            return
        may_define = not typed.isascii() or typed.encode() in content.lower()
        if may_define and (text := readable_text(content)):
            for name in _definition_names(text, file.path, typed):
                yield MentionName(name, "definition", file.path)


def _definition_names(text: str, path: str, typed: str) -> Iterator[str]:
    """Yield the names of the definitions in ``text`` that begin with ``typed``, in their order, also twice; none if
    ``typed`` cannot begin a name.
    """
    if not typed or typed.isidentifier():
        for found in read_code(text, language_of(path)).definitions:
            if found.name.casefold().startswith(typed):
                yield found.name


def _defined_once(names: Iterable[MentionName], own: list[str]) -> list[MentionName]:
    """The ``names`` that stand in their list once, and not in ``own``."""
    names = list(names)
    count = Counter([*own, *(x.name for x in names)])
    return [x for x in names if count[x.name] == 1]
