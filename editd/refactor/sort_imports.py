"""Sorts imports in each language's common order: isort's, TypeScript's, gofmt's, rustfmt's, Java's and C's own.

Imports that stand together without a blank line are a group and stay one. A comment stays with the import
below it. Another statement, or an import that is there for its effect, is never passed. In Python the language's own
modules come first, then packages, the project's own modules, relative imports, with a blank line between.

a.py, "sort the imports"::

    import sys
    from b import d, C
    import os  # paths

becomes::

    import os  # paths
    import sys

    from b import C, d

a.go, "sort the imports"::

    package a

    import (
        "os"
        "fmt"
    )

becomes::

    package a

    import (
        "fmt"
        "os"
    )

a.js, "sort the requires"::

    const path = require("path");
    const { format } = require("./format");
    const cors = require("cors");

becomes::

    const cors = require("cors");
    const path = require("path");
    const { format } = require("./format");

a.cs, "sort the usings"::

    using Acme.Mail;
    using System.Linq;
    using System;

becomes::

    using System;
    using System.Linq;
    using Acme.Mail;
"""

from __future__ import annotations

import re
import sys
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from typing import Any

from editd.intent.intents import SortImports
from editd.refactor.candidates import Candidates
from editd.syntax.code import Code
from editd.syntax.imports import IMPORT_LINE, Import
from editd.syntax.language import SCRIPTS
from editd.syntax.trees import Node, Tree

Key = tuple[Any, ...]
_ONE_LINE = {
    "rust": r"(.*\buse [\w:]+::\{ ?)([^{}/]*?)( ?\};.*)",
    "python": r"(\s*from [.\w]+ import )([^()#\\;]*\w)(.*)|(\s*from [.\w]+ import \( ?)([^()#]*?)( ?\).*)",
    "javascript": r"(import (?:type )?(?:\w+, )?\{ ?)([^{}/]*?)( ?\} from .*)",
}
_ONE_A_LINE = re.compile(r"\s*\w+(?: as \w+)?,\s*(?:(?:#|//).*)?")
_REQUIRE = re.compile(
    r"(?:const|let|var) (?:[\w$]+|\{[^{}]*\}) = require\([\"'](?P<module>[^\"']+)[\"']\);?\s*(?://.*)?"
)
_USING = re.compile(r"\ufeff?(?:global )?using (?P<static>static )?(?P<module>[\w.]+);\s*(?://.*)?")
_OF_IMPORTS = re.compile(
    r"\b(?:imports?|ours?|own|local|third|party|stdlib|std|standard|librar\w+|libs?|modules?|packages?|dependenc\w+|deps|built-?ins?|internal|external|includes?|headers?)\b",
    re.IGNORECASE,
)
_RUST_FIRST = {"self": 0, "super": 1, "crate": 2}


@dataclass(frozen=True, slots=True)
class KeyedImport:
    """An import in the lines ``start .. end``, with the key by which it sorts; ``None`` for one that stays where it is. text: as written."""

    start: int
    end: int
    key: Key | None
    text: str = ""


def sort_imports(intent: SortImports, code: Code, path: str = "") -> Candidates | None:
    """The text with its imports, or the part of them that ``intent`` names, in order, as a certain candidate; unchanged if they are. Only imports without a blank
    line between them change places, each with the comments above it; names inside an import are sorted, too, and
    Python's sections get a blank line between them, in scripts packages and the project's own files if the intent asks for groups. In JavaScript and TypeScript a line that only binds a ``require``
    is an import, too, and in C# each ``using`` of a namespace.

    ``None`` if the text has no imports that can be read, an import shares its lines, a comment tells a tool not to
    sort, or a comment above the first import of a group, which may be its heading, would have to move; if the part that is named, or what
    is said to stay, is not there, and if another import than the intent says is first or last then. path: names the
    file whose own header stays first in C, and the folders that are packages of the project.
    """
    text, language = code.text, code.language
    if re.search(r"\bisort:|clang-format off|rustfmt::skip|eslint-disable.*(?:sort|order)", text):
        return None
    own = (*intent.own, *PurePosixPath(path.replace("\\", "/")).parts[:-1])
    runs = [
        [
            KeyedImport(x.line, x.end_line, _key(x, code.tree, language, path, own), x.text)
            for x in run
        ]
        for run in code.import_runs
    ]
    runs += _requires(code) + _usings(code)
    if not runs or not all(x.is_alone for x in code.imports):
        return None
    if intent.is_grouped and language not in ("python", *SCRIPTS):
        return None
    if intent.part or intent.top or intent.spared:
        runs = _part_of(intent, runs, language)
        if not runs:
            return None
    lines = text.split("\n")
    old = list(lines)
    for group in [group for run in reversed(runs) for group in reversed(list(_groups(run, old)))]:
        found = _in_order(group, old, language, intent)
        if found is None:
            return None
        lines[group[0].start : group[-1].end] = found
    if not _are_at_the_ends(intent, [line for line in lines if IMPORT_LINE.match(line)]):
        return None
    return Candidates(("\n".join(lines),), is_certain=True)


def _part_of(
    intent: SortImports, runs: list[list[KeyedImport]], language: str
) -> list[list[KeyedImport]]:
    """The runs in which only the imports that the intent sorts may change places; empty if it names a part that is not there, or another
    number of imports than the part has.
    """
    each = sorted((x for run in runs for x in run), key=lambda x: x.start)
    part = [x for x in each if not intent.part or _is_of(intent.part, x, language)]
    of_top = part[: intent.top] if intent.top else part
    stays = [x for x in each if _mentions(intent.spared, x.text)]
    sorts = [x for x in of_top if x not in stays]
    are_there = all(any(_mentions([word], x.text) for x in each) for word in intent.spared)
    is_other = intent.top and (len(of_top) != intent.top or of_top != each[: intent.top])
    if not sorts or is_other or not are_there:
        return []
    return [[x if x in sorts else replace(x, key=None) for x in run] for run in runs]


def _is_of(part: str, found: KeyedImport, language: str) -> bool:
    """Whether an import is of a part: ``from`` and ``import`` are Python's statements, ``stdlib`` is known of Python alone, ``own`` and
    ``packages`` of Python and scripts.
    """
    section = _section(found)
    if language == "python":
        by_section = {"stdlib": (1,), "packages": (2,), "own": (3, 4)}
        return (
            found.text.startswith(part)
            if part in ("from", "import")
            else section in by_section[part]
        )
    return language in SCRIPTS and part in ("packages", "own") and section == (part == "own")


def _mentions(words: Iterable[str], text: str) -> bool:
    """Whether a text has one of the words, as a part of a path or of its own."""
    parts = {part.lower() for part in re.findall(r"[^\W_][\w-]*", text)}
    return any(word.lower() in parts for word in words)


def _are_at_the_ends(intent: SortImports, lines: list[str]) -> bool:
    """Whether the first and the last of the lines that import are those that the intent names."""
    is_first = not intent.first or _mentions([intent.first], lines[0])
    return is_first and (not intent.last or _mentions([intent.last], lines[-1]))


def _requires(code: Code) -> list[list[KeyedImport]]:
    """The lines of a script that bind a ``require`` at the margin, in runs with nothing but comments and blank lines
    between; empty in other languages.
    """
    if code.language not in SCRIPTS:
        return []
    runs: list[list[KeyedImport]] = [[]]
    for number, line in enumerate(code.lines):
        found = _REQUIRE.fullmatch(line) if number not in code.quoted_lines else None
        if found is not None:
            module = found["module"]
            key = (module.startswith("."), module.casefold(), module)
            runs[-1].append(KeyedImport(number, number + 1, key, line))
        elif line.strip() and not _is_comment(line):
            runs.append([])
    return [run for run in runs if run]


def _usings(code: Code) -> list[list[KeyedImport]]:
    """The ``using`` lines of C# at the margin, in runs with nothing but comments and blank lines between, those of
    ``System`` before others and static ones last; an alias keeps its place. Empty in other languages.
    """
    if code.language != "csharp":
        return []
    runs: list[list[KeyedImport]] = [[]]
    for number, line in enumerate(code.lines):
        if number in code.quoted_lines:
            runs.append([])
        elif found := _USING.fullmatch(line):
            module = found["module"]
            is_other = module.partition(".")[0] != "System"
            key = (bool(found["static"]), is_other, module.casefold(), module)
            runs[-1].append(KeyedImport(number, number + 1, key))
        elif line.strip() and not _is_comment(line):
            runs.append([])
    return [run for run in runs if run]


def _groups(run: list[KeyedImport], lines: list[str]) -> Iterator[list[KeyedImport]]:
    """Yield the imports of a run in groups that stand together without a blank line and may change
    places; an import without a key is in none and parts two. lines: of the text.
    """
    group: list[KeyedImport] = []
    for x in run:
        start = group[-1].end if group else x.start
        is_apart = any(not line.strip() for line in lines[start : x.start])
        if group and (is_apart or x.key is None):
            yield group
            group = []
        if x.key is not None:
            group.append(x)
    if group:
        yield group


def _in_order(
    group: list[KeyedImport], lines: list[str], language: str, intent: SortImports
) -> list[str] | None:
    """The lines of a group in order, from its first import on, each import with the comments above it, and with its names in order unless only lines
    are to be sorted; in Python, and if groups are asked for, a blank line between two sections. ``None`` if a comment above the first, which is not the head of the file, would have
    to move.
    """
    ends = [group[0].start, *(x.end for x in group)]
    blocks = [
        [
            *lines[above : x.start],
            *_with_sorted_names(lines[x.start : x.end], language, is_of_lines=intent.is_of_lines),
        ]
        for above, x in zip(ends, group, strict=False)
    ]
    order = sorted(range(len(group)), key=lambda at: group[at].key or ())
    above = lines[: group[0].start]
    has_heading = bool(above) and _is_comment(above[-1]) and not _is_head(above)
    if order[0] and has_heading:
        return None  # is the comment the import's, or the group's?
    sorted_lines: list[str] = []
    for before, at in zip([order[0], *order], order, strict=False):
        has_sections = intent.is_grouped or language == "python"
        is_apart = has_sections and _section(group[before]) != _section(group[at])
        sorted_lines += [*([""] if is_apart else []), *blocks[at]]
    return sorted_lines


def _is_head(lines: list[str]) -> bool:
    """Whether lines are all comments, and say nothing of imports: the head of a file."""
    return all(map(_is_comment, lines)) and not _OF_IMPORTS.search("".join(lines))


def _section(found: KeyedImport) -> Any:
    """The number of the section in which a Python import stands; ``None`` for an import that stays where it is."""
    return found.key[0] if found.key else None


def _is_comment(line: str) -> bool:
    """Whether a line is a comment, as far as its beginning shows."""
    return line.lstrip().startswith(("#!", "# ", "#\t", "//", "/*", "*")) or line.strip() == "#"


def _natural(name: str) -> Key:
    """A key that compares by characters, and numbers by their value."""
    return tuple(
        (48, int(part)) if part.isdigit() and part.isascii() else (ord(part), 0)
        for part in re.findall(r"[0-9]+|.", name, re.DOTALL)
    )


def _key(
    found: Import, tree: Tree | None, language: str, path: str, own: Collection[str]
) -> Key | None:
    """The sort key of an import in its language. ``None`` for an import that keeps its place, and that no other may
    pass: with an attribute (Rust), for its effect alone (JavaScript), of cgo (Go), the headers that ``_include_key``
    names (C). own: Python's modules that are the project's.
    """
    if language == "python":
        return _python_key(found, own)
    if language == "go":
        return None if found.module == "C" else (found.module, found.text)
    if language == "rust":
        argument = found.node.child_by_field_name("argument")
        if found.has_attribute or argument is None or tree is None:
            return None
        return _rust_key(argument, tree)
    if language == "java":
        return "static" in found.text.split()[:2], found.module
    if language == "c":
        return _include_key(found.text, path)
    if not any(child.type == "import_clause" for child in found.node.children):
        return None  # imported for what it does
    return found.module.startswith("."), found.module.casefold(), found.module


def _python_key(found: Import, own: Collection[str]) -> Key:
    """The key of ruff's rule I001: by section, then ``import`` before ``from``, relative imports with more dots first,
    then by natural order without regard to case.

    The sections are ``__future__``, Python's own modules, other packages, the project's ``own`` modules, relative imports.
    """
    name = found.module.lstrip(".")
    level = len(found.module) - len(name)
    is_from = not found.text.startswith("import")
    is_of_python = name.partition(".")[0] in sys.stdlib_module_names
    top = name.partition(".")[0]
    section = 0 if name == "__future__" else 4 if level else 1 if is_of_python else 2
    section = 3 if section == 2 and top in own else section
    return section, is_from, -level, _natural(name.lower()), _natural(name)


def _member_key(name: str) -> Key:
    """The sort key of a Python name in an import: constants, classes, then the rest, by natural
    order without regard to case.
    """
    kind = 2
    if name[:1].isupper():
        kind = 0 if len(name) > 1 and name.isupper() else 1
    return kind, _natural(name.lower()), _natural(name)


def _include_key(code: str, path: str) -> Key | None:
    """The key of a C include, by characters, ``"…"`` before ``<…>``; ``None`` for the file's own
    header, configurations and Windows' headers, whose place matters.
    """
    name = re.sub(
        r"^#\s*include\s*", "", code.split("//", maxsplit=1)[0].split("/*", maxsplit=1)[0]
    ).strip()
    stem = PurePosixPath(name.strip('<>"')).stem
    is_own = stem and stem == PurePosixPath(path.replace("\\", "/")).stem
    return None if is_own or "config" in stem or "windows" in stem or "winsock" in stem else (name,)


def _rust_key(node: Node, tree: Tree) -> Key:
    """The key of rustfmt for a node of a ``use``, a tuple with each step of its path: self, super,
    crate, snake_case, CamelCase, CONSTANTS, ``*``, lists; an alias decides last.
    """
    kind = node.type
    if kind in ("scoped_identifier", "scoped_use_list", "use_wildcard"):
        parts = [child for child in node.named_children if "comment" not in child.type]
        key = tuple(step for part in parts for step in _rust_key(part, tree))
        return (*key, (4, 0, "", "")) if kind == "use_wildcard" else key
    if kind == "use_as_clause":
        path, alias = node.named_children[0], node.named_children[-1]
        *steps, last = _rust_key(path, tree)
        return (*steps, (*last[:3], tree.code(alias)))
    if kind == "use_list":
        members = sorted(
            _rust_key(child, tree) for child in node.named_children if "comment" not in child.type
        )
        return ((5, 0, tuple(members), ""),)
    return (_rust_step(tree.code(node)),)


def _with_sorted_names(lines: list[str], language: str, *, is_of_lines: bool) -> list[str]:
    """The lines of one import, its names in order if they stand in one line or (not in Rust) one in
    each; else, and where only lines are to be sorted, unchanged.
    """
    if is_of_lines:
        return lines
    inner = lines[1:-1]
    if inner and language != "rust" and all(map(_ONE_A_LINE.fullmatch, inner)):
        inner.sort(key=lambda line: _name_key(line.strip().split(",")[0], language))
        return [lines[0], *inner, lines[-1]]
    pattern = _ONE_LINE.get("javascript" if language in SCRIPTS else language)
    found = re.fullmatch(pattern, lines[0]) if pattern and len(lines) == 1 else None
    if found is None:
        return lines
    head, listed, tail = (part for part in found.groups() if part is not None)
    names = [name.strip() for name in listed.split(",")]
    ending = [] if names[-1] else [""]
    names = sorted(filter(None, names), key=lambda name: _name_key(name, language))
    return [head + ", ".join([*names, *ending]).rstrip() + tail]


def _name_key(name: str, language: str) -> Key:
    """The key of one name of an import list, an alias aside: in Python constants, classes, the
    rest; in Rust by steps; else by letters.
    """
    if language == "python":
        return _member_key(name.split(maxsplit=1)[0])
    if language == "rust":
        return tuple(_rust_step(step) for step in name.split(" as ", maxsplit=1)[0].split("::"))
    bare = re.sub(r"^type ", "", name)
    return bare.casefold(), bare


def _rust_step(name: str) -> Key:
    """The key of one step of a Rust path: self, super and crate first, then snake_case, CamelCase,
    CONSTANTS, by name; ``*`` last.
    """
    if name in _RUST_FIRST:
        return _RUST_FIRST[name], 0, "", ""
    style = 2 if re.fullmatch(r"[A-Z_0-9]+", name) else int(name[:1].isupper())
    return (4, 0, "", "") if name == "*" else (3, style, name, "")
