"""The functions and classes of a text, and which of them declare a name as their own: a local variable or a parameter.

Python by its scopes, other languages by tree-sitter and by how their declarations are written.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from editd.syntax.code import Code
from editd.syntax.language import SCRIPTS
from editd.syntax.python_text import symbols_of
from editd.syntax.scopes import declarations_of
from editd.syntax.words import as_word

_CLASS = re.compile(
    r"\b(?:class|struct|enum|interface|trait|impl|object|record|namespace|module|protocol|extension|union|type|mod|actor)\b"
)
_KEYWORD = re.compile(
    r"\b(?:def|func|function\*?|fn|fun|sub|class|struct|enum|trait|interface|impl)\s+(?:\([^)\n]*\)\s*)?(?P<name>[\w$]+)"
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


@lru_cache(maxsize=2)
def homes_of(code: Code) -> tuple[Home, ...]:
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
        line = text[at.end() - 1 : text.find("\n", at.end()) + 1]
        is_whole = at[0].endswith("{") and line.count("{") == line.count("}")
        closing = r"\n" if is_whole else rf"(?m)^{at['lead']}\}}[^\n]*(?:\n|\Z)"
        end = re.compile(closing).search(text, at.end())
        if end and at.start("name") not in known:
            around = [x for x in found if x.is_class and x.holds(at.start("name"))]
            owner = around[-1].name if around else ""
            ends = (at.start(), at.start("name"), end.end())
            found.append(_home(at["name"], owner, text, ends, is_class=False))
    return tuple(sorted(found, key=lambda home: (home.first, -home.last)))


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
    for defined in _KEYWORD.finditer(text, first, last):
        if defined["name"] == name:
            return defined.start("name")
    words = [
        t.start
        for t in code.tokens_of("name", "member", "key")
        if first <= t.start < last and t.text == name
    ]
    opening = re.compile(r"\s*(?:<[^>\n]*>)?\s*\(")
    called = [start for start in words if opening.match(text, start + len(name))]
    found = as_word(name).search(text, first, last)
    return min(called or words, default=found.start() if found else first)


def homes_around(offsets: Sequence[int], homes: Sequence[Home]) -> list[list[Home]]:
    """For each of the offsets, which are in order, the functions and classes around it, outer ones first; a name that
    begins a function or class is outside of that. homes: in order of their beginnings.
    """
    found: list[list[Home]] = []
    open_: list[Home] = []
    number = 0
    for offset in offsets:
        while number < len(homes) and homes[number].first <= offset:
            open_.append(homes[number])
            number += 1
        open_ = [home for home in open_ if offset < home.last]
        found.append([home for home in open_ if home.holds(offset)])
    return found


def declaring(name: str, homes: Sequence[Home], code: Code) -> list[Home]:
    """The functions that declare ``name`` as a parameter or a local variable, in themselves or in what stands in them, in
    their order; of Python none that uses it as a global one, too, or in a default of its own.
    """
    functions = [home for home in homes if not home.is_class]
    if code.language == "python":
        return _declaring_in_python(name, functions, code)
    found = declarations_of(name, code.text, code.language)
    word = re.escape(name)
    pattern = _DECLARING.get(code.language)
    prose = code.tokens_of("comment", "docstring", "string") if pattern else []
    starts = [token.start for token in prose]
    for at in re.finditer(pattern.format(name=word), code.text) if pattern else ():
        offset = at.start() + at[0].rfind(name)
        before = bisect_right(starts, offset) - 1
        if before < 0 or offset >= prose[before].end:
            found.append(offset)
    found.sort()
    taken: list[int] = []
    if code.language == "php":
        if not name.startswith("$"):
            return []
        taken = [x.end() for x in re.finditer(rf"\bglobal\b[^;{{}}]*{word}(?!\w)", code.text)]
    return [
        home
        for home in functions
        if _has_between(found, home.head + 1, home.last)
        and not _has_between(taken, home.head, home.last)
    ]


def _declaring_in_python(name: str, functions: Sequence[Home], code: Code) -> list[Home]:
    """As ``declaring``; none in a part of a file, and where scopes have errors."""
    python = code.python
    module = symbols_of(python.text) if python is not None and not python.is_part else None
    if module is None:
        return []
    local: list[int] = []
    shared: list[int] = []
    waiting = [*module.get_children()]
    while waiting:
        table = waiting.pop()
        waiting += table.get_children()
        if name in table.get_identifiers():
            symbol = table.lookup(name)
            line = table.get_lineno() - 1
            local += [line] if symbol.is_local() else []
            shared += [line] if symbol.is_global() else []
    local.sort()
    shared.sort()
    default = re.compile(rf"=\s*[^,=]*(?<![\w.]){re.escape(name)}\b(?!\s*=)")
    found = []
    for home in functions:
        first, last = (bisect_right(code.line_starts, x) - 1 for x in (home.first, home.last - 1))
        is_used = default.search(code.text, *home.parameters) is not None
        if _has_between(local, first, last + 1) and not (
            is_used or _has_between(shared, first, last + 1)
        ):
            found.append(home)
    return found


def _has_between(numbers: Sequence[int], first: int, last: int) -> bool:
    """Whether one of the numbers, which are in order, is in ``first .. last`` (end exclusive)."""
    return bisect_left(numbers, first) < bisect_left(numbers, last)
