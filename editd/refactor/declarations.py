"""The functions and classes of a text, and which of them declare a name as their own: a local variable or a parameter.

Python by its scopes, other languages by tree-sitter and by how their declarations are written.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from editd.syntax.code import Code
from editd.syntax.language import SCRIPTS
from editd.syntax.places import Place
from editd.syntax.python_scopes import is_local
from editd.syntax.scopes import is_declared
from editd.syntax.words import as_word

_CLASS = re.compile(
    r"\b(?:class|struct|enum|interface|trait|impl|object|record|namespace|module|protocol|extension|union|type|mod|actor)\b"
)
_SHELLS = ("bash", "zsh")
_IN_SHELL = re.compile(
    r"(?m)^(?P<lead>[ \t]*)(?:function[ \t]+)?(?P<name>[\w-]+)[ \t]*(?:\(\))?[ \t]*\{[ \t]*$"
)
# A method of C# or Java without a word such as ``public`` before its type.
_METHOD = re.compile(
    r"(?m)^(?P<lead>[ \t]+)(?!return\b|new\b|throw\b|else\b|await\b|yield\b|case\b)[\w<>\[\],.?]+[ \t]+(?P<name>\w+)\([^;{}()]*\)[ \t]*(?:\n[ \t]*)?\{"
)
# Between a type and a name of C# and its like stands nothing; these words are no types.
_TYPED = (
    r"(?<![\w.])(?!(?:return|throw|new|in|is|as|not|and|or|await|yield|case|else|goto|typeof|sizeof|delete|out|when|of|extends|implements|package|import|using)\b)"
    r"[A-Za-z_][\w.]*(?:<[^;(){{}}=]*>)?[\[\]?*&]*\s+[*&]?{name}\s*(?=[=;,):\[]|in\b)"
)
_TYPE_FIRST = ("csharp", "java", "c", "cpp", "dart")
_DECLARING = {
    **dict.fromkeys(
        SCRIPTS,
        r"\b(?:const|let|var)\s*[\[{{][^=;]*?\b{name}\b[^=;]*?[\]}}]\s*=|(?<![\w.]){name}\s*=>|\(\s*\{{[^}}()]*\b{name}\b[^}}()]*\}}",
    ),
    "go": r"(?<![\w.]){name}\b[^=\n;(){{}}]*:=|\bvar\s+{name}\b",
    "rust": (
        r"\blet\b[^=;{{]*\b{name}\b[^=;]*=|\|[^|\n]*\b{name}\b[^|\n]*\||\b{name}\b[^=\n,;]*=>|\bfor\b[^{{\n]*\b{name}\b[^{{\n]*\bin\b"
    ),
    **dict.fromkeys(_TYPE_FIRST, _TYPED),
    **dict.fromkeys(
        ("kotlin", "swift", "scala"), r"\b(?:val|var|let)\s+{name}\b|[(,]\s*(?:\w+\s+)?{name}\s*:"
    ),
    "php": r"{name}\s*=(?!=)|[(,][^()]*{name}\b",
    "ruby": r"(?<![\w@.]){name}\s*(?:=(?!=)|,[^\n=]*=)|\|[^|\n]*\b{name}\b[^|\n]*\||\bdef\s+[\w.?!]+[( ][^)\n]*\b{name}\b",
    "lua": r"\blocal\s+[^=\n]*\b{name}\b|\bfunction\b[^(\n]*\([^)]*\b{name}\b",
    **dict.fromkeys(
        _SHELLS, r"\b(?:local|declare|typeset)\s+(?:-\w+\s+)*(?:\w+(?:=\S*)?\s+)*{name}\b"
    ),
}
"""How a language declares a name, as far as tree-sitter does not tell it."""


@dataclass(frozen=True, slots=True)
class Home:
    """A function or class. head: the offset of its name, its own scope beginning there; last: the end of its text.

    parameters: the offsets of what stands in the brackets behind its name; the same twice without brackets.
    """

    name: str
    qualified: str
    owner: str
    is_class: bool
    first: int
    head: int
    last: int
    parameters: tuple[int, int]

    def holds(self, offset: int) -> bool:
        """Whether an offset is inside, the name itself being outside."""
        return self.head < offset < self.last


def homes_of(code: Code) -> list[Home]:
    """The functions and classes of a text in order, outer ones first; those of shells and methods without a word such
    as ``public``, too.
    """
    text, starts = code.text, code.line_starts
    found: list[Home] = []
    for x in code.definitions:
        if not x.is_block:
            continue
        first, last = starts[x.start], starts[x.end]
        head = _head(x.name, text, first, last, code)
        before = text[text.rfind("\n", 0, head) + 1 : head]
        is_class = _CLASS.search(before) is not None
        found.append(_home(x.name, x.owner, text, (first, head, last), is_class=is_class))
    patterns = {**dict.fromkeys(_SHELLS, _IN_SHELL), "csharp": _METHOD}
    pattern = patterns.get(code.language)
    known = {home.head for home in found}
    for at in pattern.finditer(text) if pattern else ():
        end = re.compile(rf"(?m)^{at['lead']}\}}[^\n]*(?:\n|\Z)").search(text, at.end())
        if end and at.start("name") not in known:
            around = [x for x in found if x.is_class and x.holds(at.start("name"))]
            owner = around[-1].name if around else ""
            ends = (at.start(), at.start("name"), end.end())
            found.append(_home(at["name"], owner, text, ends, is_class=False))
    return sorted(found, key=lambda home: (home.first, -home.last))


def _home(name: str, owner: str, text: str, ends: tuple[int, int, int], *, is_class: bool) -> Home:
    """The home with these beginnings and ends: of its text, its name and its text."""
    first, head, last = ends
    qualified = f"{owner}.{name}" if owner else name
    opening = re.compile(r"[^(\n]{0,80}\(").match(text, head + len(name))
    start = end = head
    if opening:
        start = end = opening.end()
        depth = 1
        while end < last and depth:
            depth += {"(": 1, ")": -1}.get(text[end], 0)
            end += 1
    return Home(name, qualified, owner, is_class, first, head, last, (start, end))


def _head(name: str, text: str, first: int, last: int, code: Code) -> int:
    """The offset of the name of a definition, below its comments and decorators; of its text if the name is nowhere."""
    tokens = [t for t in code.tokens or () if first <= t.start < last]
    words = [
        t.start
        for t in tokens
        if t.text == name and t.kind not in ("comment", "docstring", "string")
    ]
    keyword = re.compile(
        rf"\b(?:def|func|function\*?|fn|fun|sub|class|struct|enum|trait|interface|impl)\s+(?:\([^)\n]*\)\s*)?{re.escape(name)}(?!\w)"
    )
    if defined := keyword.search(text, first, last):
        return defined.end() - len(name)
    called = [
        start for start in words if re.match(r"\s*(?:<[^>\n]*>)?\s*\(", text[start + len(name) :])
    ]
    found = as_word(name).search(text, first, last)
    return min(called or words, default=found.start() if found else first)


def declares(home: Home, name: str, code: Code) -> bool:
    """Whether a function declares ``name``, as a parameter or a local variable, in itself or in what stands in it;
    never for a class.
    """
    if home.is_class:
        return False
    text = code.text
    if code.language == "python":
        lines = text.count("\n", 0, home.first), text.count("\n", 0, home.last)
        return is_local(name, Place(home.name, *lines, home.first, home.last), code.python)
    inside = Place(home.name, 0, 0, home.head + 1, home.last)
    if is_declared(name, text, code.language, inside):
        return True
    pattern = _DECLARING.get(code.language)
    if pattern is None:
        return False
    word = re.escape(name)
    if code.language == "php":
        is_global = re.search(rf"\bglobal\b[^;]*{word}(?!\w)", text[home.head : home.last])
        if is_global or not name.startswith("$"):
            return False
    found = re.compile(pattern.format(name=word)).finditer(
        text, home.head + len(home.name), home.last
    )
    return any(not _is_text(at, name, code) for at in found)


def _is_text(at: re.Match[str], name: str, code: Code) -> bool:
    """Whether a match stands in a comment or a string."""
    offset = at.start() + at[0].rfind(name)
    return any(t.start <= offset < t.end for t in code.tokens_of("comment", "docstring", "string"))


def owners_of(offset: int, homes: list[Home]) -> Iterator[Home]:
    """Yield the functions and classes around an offset, from the outside in; not the one whose name stands there."""
    return (home for home in homes if home.holds(offset))
