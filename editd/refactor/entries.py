"""Entries of a text: settings, keys, fields, rules and constants, each with its path and lines.

Data is read by its members, code by how its statements begin. The values that an entry can be given are for
``values``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from editd.syntax.code import Code
from editd.syntax.containers import Container, Member
from editd.syntax.members import members_of
from editd.syntax.places import place_of
from editd.syntax.units import units_of

DATA = frozenset(
    "json jsonc yaml toml ini css scss less properties dotenv env xml".split()  # noqa: SIM905
)
"""Languages that are read by their members."""
_MODIFIERS = r"(?:(?:export|default|pub(?:\(\w+\))?|public|private|protected|internal|static|final|readonly|const|let|var|mut|val|volatile|declare|local|ENV|ARG|set|abstract|override|lateinit) )*"
# By its name alone, behind its type, as an item of something, or as a key.
_ASSIGNED = re.compile(
    rf"{_MODIFIERS}(?:[\w.$]+\.)?(?P<name>[\w$-]+)\s*(?:\??:[^=\n]+?)?\s*(?:=(?![=>])|:=|\+=)"
    rf"|{_MODIFIERS}(?:[\w.<>\[\],?&* ]+?[\s*&])(?P<typed>[\w$]+)\s*(?:=(?![=>])|;)"
    r"|[\w.$]+\[[\"'](?P<item>[^\"']+)[\"']\]\s*=(?!=)"
    r"|[\"']?(?P<key>[\w$.@/-]+)[\"']?\s*\??:(?![:=])"
)
_GO_FIELD = re.compile(r"(?P<name>[^\W\d]\w*)\s+[\w.\[\]*{}]+(?:\s+`[^`]*`)?\s*")
_RUST_FIELD = re.compile(r"(?:pub(?:\(\w+\))? )?(?P<name>[a-z_]\w*): ")


@dataclass(frozen=True, slots=True)
class Entry:
    """Lines ``start .. end`` of what is called ``name``. path: the names around it, and its own at last."""

    name: str
    path: tuple[str, ...]
    start: int
    end: int


def entries_of(code: Code) -> list[Entry]:
    """The named entries that stand alone on their lines: of data, and of text in no known language, the keys with their
    values at any depth; of code the assignments and fields. In the text's order, outer ones first.
    """
    members = members_of(code.text, code.language)
    if members is not None and (code.language in DATA or not code.language):
        return list(_of_members(members, code, ()))
    return list(_of_statements(code))


def is_program(code: Code) -> bool:
    """Whether a text is code, not data."""
    return bool(code.language) and code.language not in DATA


def lines_called(name: str, code: Code) -> tuple[int, int] | None:
    """The lines (0-based, end exclusive) of the one definition that is called ``name``, else of the entry: of several
    entries those with more than one line count, and of these the outermost.

    ``None`` if there is none, or several are left.
    """
    if place := place_of(name, code.text, code.language):
        return place.start, place.end
    found = [entry for entry in entries_of(code) if is_called(entry, name)]
    if len(found) > 1:
        found = [entry for entry in found if entry.end - entry.start > 1] or found
        least = min(len(entry.path) for entry in found)
        found = [entry for entry in found if len(entry.path) == least]
    return (found[0].start, found[0].end) if len(found) == 1 else None


def is_called(entry: Entry, name: str) -> bool:
    """Whether an entry has this name, or a path that ends in it, without regard to case: ``mypy`` or ``tool.mypy`` of
    ``[tool.mypy]``.
    """
    path = ".".join(entry.path).lower()
    name = name.strip("[]").lower()
    return name in (entry.name.lower(), path) or path.endswith(f".{name}")


def names_of(member: Member) -> tuple[str, ...]:
    """The name of a member without quotes and brackets; of a header (``[tool.mypy]``) each part; empty for a member
    without a name.
    """
    name = member.key.strip("[]\"'") or member.name
    if not name:
        return ()
    return tuple(name.split(".")) if member.key.startswith("[") else (name,)


def _of_members(container: Container, code: Code, path: tuple[str, ...]) -> Iterator[Entry]:
    """Yield the entries of a container that stand alone on their lines, and of what it holds, outer
    ones first. path: the names around it.
    """
    starts = code.line_starts
    for member in container.members:
        first = code.text.count("\n", 0, member.start)
        last = code.text.count("\n", 0, member.end)
        names = names_of(member)
        before = code.text[starts[first] : member.start].strip()
        after = code.text[member.after : starts[last + 1]].strip()
        if names and before in ("", "-") and not after:
            yield Entry(names[-1], (*path, *names), first, last + 1)
        if member.inner is not None:
            yield from _of_members(member.inner, code, (*path, *names))


def _of_statements(code: Code) -> Iterator[Entry]:
    """Yield the entries that statements without a block are: assignments, declarations with a type, keys with a value,
    and fields of Go and Rust, by the name before the sign. Their paths are the name alone.
    """
    for unit in units_of(code):
        if unit.has_block:
            continue
        head = unit.text.split("\n", 1)[0]
        field = {"go": _GO_FIELD.fullmatch, "rust": _RUST_FIELD.match}.get(code.language)
        found = _ASSIGNED.match(head) or (field and field(head))
        if not found:
            continue
        name = next(text for text in found.groups() if text)
        yield Entry(name, (name,), unit.start, unit.end)
