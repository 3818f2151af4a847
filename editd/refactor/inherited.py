"""Names that are not this file's alone, because a class inherits a method from elsewhere or a decorator knows a parameter."""

from __future__ import annotations

import re

from editd.refactor.candidates import Mentions
from editd.refactor.declarations import Home, homes_of
from editd.refactor.receivers import related_classes
from editd.syntax.code import Code
from editd.syntax.python_text import Function, written

ASSUMED = "that what the class inherits from elsewhere has no such method"
_OVERRIDES = re.compile(r"@Override\b|@(?:typing\.)?override\b|\boverride\b")
_PLAIN_BASES = frozenset(
    "object ABC Protocol Generic Enum IntEnum StrEnum NamedTuple TypedDict Exception BaseModel Model metaclass".split()  # noqa: SIM905
)
_IN_BRACKETS = re.compile(r"\bclass\s+\w+\s*\((?P<bases>[^()]*)\)")
_IN_WORDS = re.compile(r"\bclass\s+\w+(?:<[^>{]*>)?\s*(?P<bases>(?:extends|implements|:)[^{]*)")


def is_anothers(name: str, code: Code) -> bool:
    """Whether a method ``name`` certainly has its name from elsewhere: it says that it overrides one, stands in Rust's
    ``impl`` of a trait, or calls ``super().name``, and no class or trait of the text that is related has one, too; or
    a decorator of a Python function knows its parameter by this name ("--name").
    """
    homes = homes_of(code)
    classes = {home.name: home for home in homes if home.is_class}
    defined = [x for x in homes if x.name == name and not x.is_class]
    for home in defined:
        family = related_classes(home.owner, code.text) & {*classes} - {home.owner}
        if family & {x.owner for x in defined}:
            continue
        body = code.text[home.head : home.last]
        calls = re.search(rf"\bsuper(?:\(\))?\s*\.\s*{re.escape(name)}\s*\(", body)
        line = code.text[code.text.rfind("\n", 0, home.head) + 1 : home.head]
        marked = _OVERRIDES.search(code.text[home.first : home.head]) or _OVERRIDES.search(line)
        if calls or marked or _is_of_foreign_trait(home, code):
            return True
    return code.language == "python" and _is_known_to_decorator(name, code)


def assumptions_of(name: str, code: Code) -> Mentions:
    """The lines (0-based) of the classes with a method ``name`` that inherit from classes that are not in the text, in
    words for the user; Python's plain bases such as ``ABC`` aside. Empty without any.
    """
    homes = homes_of(code)
    classes = {home.name: home for home in homes if home.is_class}
    lines: list[int] = []
    for owner in dict.fromkeys(home.owner for home in homes if home.name == name and home.owner):
        home = classes.get(owner)
        pattern = _IN_BRACKETS if code.language == "python" else _IN_WORDS
        head = pattern.search(code.text, home.first, home.last) if home else None
        listed = head["bases"] if head else ""
        bases = {*re.findall(r"\w+", re.sub(r"\w+\s*=|\[[^\]]*\]|<[^>]*>|\b\w+\.", " ", listed))}
        bases -= {"extends", "implements", "public", *_PLAIN_BASES, *classes}
        if home and head and home.first <= head.start() <= home.head and bases:
            lines.append(code.text.count("\n", 0, home.head))
    return ((ASSUMED, tuple(lines)),) if lines else ()


def _is_of_foreign_trait(home: Home, code: Code) -> bool:
    """Whether a function stands in Rust's ``impl`` of a trait that the text does not define."""
    if code.language != "rust":
        return False
    heads = [
        at
        for at in re.finditer(
            r"(?m)^[ \t]*impl\b[^{\n]*?\b(\w+)(?:<[^>\n]*>)? for [^{]*\{", code.text
        )
        if at.start() < home.head
    ]
    if not heads or re.search(r"(?m)^\}", code.text[heads[-1].end() : home.head]):
        return False
    return re.search(rf"\btrait {heads[-1][1]}\b", code.text) is None


def _is_known_to_decorator(name: str, code: Code) -> bool:
    """Whether a decorator of a function with the parameter ``name`` has that as a text of its own, or as an option."""
    option = re.compile(rf"[\"']-{{0,2}}{re.escape(name).replace('_', '[-_]')}[\"'/ =,]")
    for node in code.python.definitions() if code.python else ():
        if isinstance(node, Function):
            arguments = (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)
            texts = [written(x) for x in node.decorator_list]
            texts = [text for text in texts if "parametrize" not in text and "patch" not in text]
            if any(x.arg == name for x in arguments) and any(option.search(x) for x in texts):
                return True
    return False
