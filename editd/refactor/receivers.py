"""Whether an object, by what the text says of it, is of one of some classes: by how it is made, declared or called.

No types are inferred; what a text says in the function around it counts before what it says elsewhere.
"""

from __future__ import annotations

import re
from collections.abc import Collection

from editd.refactor.declarations import Home, homes_around, homes_of
from editd.syntax.class_members import ITSELF
from editd.syntax.code import Code
from editd.syntax.tokens import Token

_BEFORE = 300  # characters before a member that tell whose it is
_CALLED = re.compile(r"(super|[\w$]+)\s*\([^()]*\)\s*\)?\s*[?!]?(?:\.|->|::)\s*$")
_LISTED = re.compile(r"([\w$]+)\s*\[[^\[\]]*\]\s*[?!]?(?:\.|->)\s*$")
_NO_BASES = (
    "implements",
    "extends",
    "with",
    "public",
    "private",
    "protected",
    "object",
    "metaclass",
)
_SHORTEST = 3  # letters of a name that resembles a class
_TAKING = re.compile(
    r"find|get|pop|at|shift|first|last|next|entry|peek|poll|remove|find_?(?:first|last|one)|get_?or_?default|setdefault|(?:first|single|last)ordefault|elementat",
    re.IGNORECASE,
)
"""Methods that give an element of a collection."""
_COLLECTING = r"\[|\{|(?:new )?\w*(?:Map|List|Array|Set|Queue|Stack|Deque|Dictionary|Vec|vec!|dict|list|set|deque|make)\b"
"""How a collection is made."""


class Receivers:
    """The objects of a text whose members are looked at, for some of its classes."""

    def __init__(self, classes: Collection[str], code: Code) -> None:
        self._classes = classes
        self._code = code
        self._any_class = "|".join(map(re.escape, classes))
        self._known: dict[tuple[str, int], bool | None] = {}
        self._homes = [home for home in homes_of(code) if not home.is_class]

    def is_of_classes(self, token: Token) -> bool | None:
        """Whether the object whose member ``token`` is, is of one of the classes: ``True`` for ``self``, for what is
        made, declared, returned or called like one, and for an element of what is called like several; ``False`` for
        what is made or declared as something else; ``None`` if the text does not say, or without classes.
        """
        if token.of in (*ITSELF, "Self", "super()") or token.of in self._classes:
            return True
        if not self._classes or not token.of:
            return None
        text = self._code.text
        before = text[max(0, token.start - _BEFORE) : token.start]
        if token.of == ")":
            called = _CALLED.search(before)
            is_known = called is not None and (
                called[1] in ("super", *self._classes) or _returns(called[1], self._any_class, text)
            )
            return is_known or None
        if token.of == "]":
            listed = _LISTED.search(before)
            return (listed is not None and _resembles(_singular(listed[1]), self._classes)) or None
        around = homes_around([token.start], self._homes)[0][-1:]
        for home in (*around, None):
            found = self._known_in(home, token.of)
            if found is not None:
                return found
        return None

    def _known_in(self, home: Home | None, name: str) -> bool | None:
        """As ``is_of_classes``, by what a function, or for ``None`` the whole text, says of ``name``."""
        key = name, -1 if home is None else home.first
        if key not in self._known:
            whole = self._code.text
            text = whole if home is None else whole[home.first : home.last]
            found = _as_said(name, self._any_class, text, self._code)
            is_like = _resembles(name, self._classes) or _is_element(name, self._classes, text)
            self._known[key] = is_like or None if found is None else found
        return self._known[key]


def related_classes(owner: str, text: str) -> set[str]:
    """``owner``, and the classes of a text that inherit from it or that it inherits from, over any number of steps."""
    pairs = [
        (name, base)
        for name, bases in re.findall(
            r"\b(?:class|struct|interface)[ \t]+(\w+)[ \t]*(?:\(|extends[ \t]+|:[ \t]*|implements[ \t]+)([\w.,<> \t]*)",
            text,
        )
        for base in re.findall(r"\w+", bases)
        if base not in _NO_BASES
    ]
    pairs += [(name, base) for base, name in re.findall(r"\bimpl\s+(\w+)\s+for\s+(\w+)", text)]
    family = {owner}
    while grown := {x for pair in pairs if family & {*pair} for x in pair} - family:
        family |= grown
    return family


def _as_said(name: str, any_class: str, text: str, code: Code) -> bool | None:
    """Whether a text makes or declares ``name`` as one of the classes (a pattern of several); ``None`` if it does
    neither.
    """
    word = re.escape(name)
    made = re.findall(
        rf"(?<![\w$]){word}\b[^\n=;(){{}}]*?:?=(?![=>])\s*(?:(?:await|new|mut)\s+|&)*([\w.:$]+)\s*[({{<]",
        text,
    )
    made += re.findall(rf"([\w.]+)\([^\n]*\)\s+as\s+{word}\b", text)
    declared = re.findall(
        rf"(?<![\w$]){word}\??\s*:\s*(?:&|mut\s|\*|[\w.]+[<\[])*[\"']?([A-Za-z_][\w.]*)", text
    )
    if code.language in ("java", "csharp", "cpp", "c", "dart"):
        declared += re.findall(rf"\b([A-Z]\w*)(?:<[^>;]*>)?[&*?]*\s+[&*]?{word}\b", text)
    if code.language == "go":
        declared += re.findall(rf"(?<![\w.]){word}\s+\*?(?:\w+\.)?(\w+)\s*[,)]", text)
    answers = [_is_called_of(re.split(r"[.:]+", x), any_class, code) for x in (*made, *declared)]
    if True in answers:
        return True
    return False if False in answers else None


def _is_called_of(parts: list[str], any_class: str, code: Code) -> bool | None:
    """Whether what a name in these parts makes, gives or declares is of the classes; ``None`` if it is an element of a
    collection of which the text does not say what it holds.
    """
    if any(re.fullmatch(any_class, part) for part in parts):
        return True
    if _returns(parts[-1], any_class, code.text):
        return True
    if len(parts) > 1 and _TAKING.fullmatch(parts[-1]):
        return _holds(parts[-2], any_class, code.text)
    return False


def _holds(name: str, any_class: str, text: str) -> bool | None:
    """Whether the text declares that a collection holds some of the classes; ``None`` if it does not say what is in it,
    ``False`` if it holds something else, or the text has no such collection.
    """
    word = re.escape(name)
    types = [
        rf"\b{word}\b\??\s*:\s*([^\n=;]*[\[<][^\n=;]*)",  # rows: Row[], rows: list[Row]
        rf"(\w+<[^\n;()]*>|\w+\[\])\s+{word}\b",  # List<Row> rows
        rf"\b{word}\s+((?:\[\]|map\[)[^\n,)]*)",  # rows []Row
    ]
    typed = [x for pattern in types for x in re.findall(pattern, text)]
    made = re.findall(rf"\b{word}\b[^\n=;(]*:?=\s*((?:{_COLLECTING})[^\n(]*)", text)
    if any(re.search(rf"\b(?:{any_class})\b", x) for x in (*typed, *made)):
        return True
    is_open = all(
        re.search(r"\b(?:any|unknown|object|Object|dict|dynamic|interface)\b", x) for x in typed
    )
    return None if (typed or made) and is_open else False


def _returns(function: str, any_class: str, text: str) -> bool:
    """Whether a text declares that a function returns one of the classes."""
    return bool(
        re.search(
            rf"\b{re.escape(function)}\s*(?:<[^>\n]*>)?\([^()]*\)[ \t]*(?:->|:)?[ \t]*[&*(\[\w<\" ]*?\b(?:{any_class})\b"
            rf"|\b(?:{any_class})\b[&*?]?\s+{re.escape(function)}\s*\(",
            text,
        )
    )


def _is_element(name: str, classes: Collection[str], text: str) -> bool:
    """Whether a loop gives this name to the elements of what holds some of the classes, or is called like several of one."""
    word = re.escape(name)
    loops = re.findall(
        rf"\b(?:for|foreach)\b[^\n]*?\b{word}\b[^\n]*?(?:\bin\b|\bof\b|:=\s*range|:)\s*&?(?:mut\s+)?([\w.$]+)",
        text,
    )
    loops += re.findall(rf"([\w$]+)\.\w+\(\s*\(?(?:[\w$]+\s*,\s*)?{word}\b[^\n()]*\)?\s*=>", text)
    lists = [x.rstrip(".").rpartition(".")[2] for x in loops]
    any_class = "|".join(map(re.escape, classes))
    return any(_resembles(_singular(x), classes) or _holds(x, any_class, text) for x in lists)


def _singular(name: str) -> str:
    """A plural noun as its singular; another one as it is."""
    return re.sub(r"(?:(?<=s)es|(?<=x)es|(?<=sh)es|(?<=ch)es|(?<!s)s)$", "", name)


def _resembles(name: str, classes: Collection[str]) -> bool:
    """Whether a name is that of a class but for case and underscores, or its beginning, its initials or its last words,
    or has it as its last.
    """
    short = name.replace("_", "").lower()
    return any(
        x.lower().startswith(short)
        or short == "".join(re.findall("[A-Z]", x)).lower()
        or (len(short) >= _SHORTEST and (x.lower().endswith(short) or short.endswith(x.lower())))
        for x in classes
    )
