"""Values that a text gives to names: of settings, constants, fields, keys, defaults of parameters, each with its place.

Only values written as literals: strings, numbers, truth values, nothing, and in data bare words. Which value the words mean
is for ``set_setting``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from editd.refactor.entries import is_program, names_of
from editd.syntax.code import Code
from editd.syntax.containers import Container
from editd.syntax.members import members_of

_STRING = r"\"[^\"\\\n]*\"|'[^'\\\n]*'"
_WORD = r"\b(?i:true|false|null|nil|none)\b"
_NUMBER = r"-?\b\d[\w.]*"
_ASSIGNED = re.compile(
    r"(?<![\w$-])(?P<quote>[\"'])?(?P<name>[A-Za-z_$][\w$-]*)(?(quote)(?P=quote))\]?"
    r"(?:[ \t]*\??:[ \t]*(?:[\w. |?&*]|<[\w\[\]. |<>,?&*]*>|\[[\w\[\]. |,?&*]*\])+?)?[ \t]*(?::=|=(?![=>])|:(?![:=]))[ \t]*"
    rf"(?P<value>{_STRING}|{_NUMBER}|{_WORD})"
)
_IN_SHELLS = re.compile(
    rf"(?m)^[ \t]*(?:export |local |readonly |declare |ENV |ARG )*(?P<name>[A-Za-z_]\w*)=(?P<value>{_STRING}|[^\s\"'`$();&|]+)"
)
_VERSIONS = re.compile(
    r"(?m)^[ \t]*(?:- )?[\"']?(?P<name>[A-Za-z][\w.-]*)(?:\[[\w,]+\])?[ \t]*(?P<value>(?:[<>~^!]=?|===?)[ \t]*\d[\w.*]*)[\"']?,?[ \t]*(?:#.*)?$"
)
_LISTING = ("toml", "text", "yaml", "ini", "python", "")
SHELLS = ("bash", "zsh", "dockerfile", "makefile")
ENDS = re.compile(r"\s*(?:[,;)}\]]|#|//|/\*|$)|[ \t]*\n")
"""The text after a value that is all that is assigned."""
_BARE = re.compile(r"[^\s#;'\"{}\[\]][^\n;{}]*?(?=\s*(?:\s#|;|$))")
_IN_STYLES = re.compile(r"[^\s;'\"{}][^\n;{}]*")


@dataclass(frozen=True, slots=True)
class Value:
    """The literal ``start .. end`` (offsets) of what is called ``name``. path: the names around it, and its own at last."""

    name: str
    path: tuple[str, ...]
    start: int
    end: int


def values_of(code: Code) -> list[Value]:
    """The values of a text in order; after them, in TOML, YAML, INI, Python, plain text and files of no known language,
    the versions on lines of requirements (``name>=1.2``), with their operator. None of code whose strings and comments
    are not known.
    """
    members = None if is_program(code) else members_of(code.text, code.language)
    found = _of_code(code) if members is None else _of_members(members, code.text, ())
    versions = _VERSIONS.finditer(code.text) if code.language in _LISTING else ()
    return [*found, *(Value(at["name"], (at["name"],), *at.span("value")) for at in versions)]


def _of_members(container: Container, text: str, path: tuple[str, ...]) -> Iterator[Value]:
    """Yield the values of a container and of those in it that are a literal and nothing else. path:
    the names around it.
    """
    for member in container.members:
        names = names_of(member)
        if member.inner is not None and (member.inner.members or not names):
            yield from _of_members(member.inner, text, (*path, *names))
            continue
        name = ".".join(names)
        head = re.compile(rf"(?:- )?[\"']?{re.escape(name)}[\"']?[ \t]*[:=][ \t]*").match(
            text, member.start, member.end
        )
        if not name or head is None:
            continue
        bare = _IN_STYLES if container.parting == ";" else _BARE
        literal = re.compile(rf"{_STRING}|{bare.pattern}").match(text, head.end(), member.end)
        if literal is not None and literal.end() == member.end:
            yield Value(name, (*path, name), *literal.span())


def _of_code(code: Code) -> Iterator[Value]:
    """Yield the values that code assigns outside of strings and comments and that end there;
    nothing where tokens are unknown. The path of each has the definitions around it, outermost
    first.
    """
    text, tokens = code.text, code.tokens
    if tokens is None:
        return
    texts = [token for token in tokens if token.kind in ("comment", "docstring", "string")]
    blocks = [found for found in code.definitions if found.is_block]
    pattern = _IN_SHELLS if code.language in SHELLS else _ASSIGNED
    for at in pattern.finditer(text):
        is_text = any(token.start <= at.start() and at.end() <= token.end for token in texts)
        if is_text or not ENDS.match(text, at.end("value")):
            continue
        line = text.count("\n", 0, at.start())
        around = [block for block in blocks if block.start <= line < block.end]
        around.sort(key=lambda block: block.start - block.end)
        path = tuple(block.name for block in around)
        yield Value(at["name"], (*path, at["name"]), *at.span("value"))
