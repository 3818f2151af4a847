"""Sides of a name: the mentions that are certainly one thing, and which sides are one because a value goes from one to the other."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from editd.refactor.declarations import Home, declaring, homes_around
from editd.refactor.receivers import Receivers, related_classes
from editd.syntax.class_members import ITSELF
from editd.syntax.code import Code
from editd.syntax.tokens import Token

_SEVERAL = 2
_NEAR = 500  # characters
_MAKING = ("__init__", "__new__", "constructor", "new", "initialize", "init")
"""Functions that make objects of their class."""
_IMPLYING = ("java", "csharp", "cpp", "kotlin", "swift", "scala", "dart")
"""Languages in which a field needs no ``this``."""
_ENDS = re.compile(r"\s*[,)]")
_ASSIGNED = re.compile(r"[^\n;=(]*=(?!=)[^\n;]*")


@dataclass(frozen=True, slots=True)
class Side:
    """Mentions that are certainly one thing: the own name of a function ``home``, a member of the class ``home``, or,
    without a home, the file's; a member's home is ``None`` if its class is not known.
    """

    home: Home | None
    is_member: bool
    tokens: list[Token]

    @property
    def is_local(self) -> bool:
        """Whether the mentions are a function's own name."""
        return self.home is not None and not self.is_member

    @property
    def is_parameter(self) -> bool:
        """Whether the mentions are of a parameter of the function ``home``."""
        first, last = self.home.parameters if self.home and self.is_local else (0, 0)
        return any(first <= t.start < last for t in self.tokens)


def sides_of(name: str, mentions: Sequence[Token], homes: Sequence[Home], code: Code) -> list[Side]:
    """The mentions by whose name they are, in order of the first; those of members of unknown objects, if any class
    has such a member, in one of them.
    """
    owning = declaring(name, homes, code)
    owned = {*owning}
    taking: dict[str, Home] = {}
    for home in owning:
        for called in _names_of(home):
            taking.setdefault(called, home)
    named = {home.name: home for home in reversed(homes) if home.is_class}
    heads = {home.head for home in homes}
    methods = {home.head: home.owner for home in homes if home.owner}
    found: dict[tuple[Home | None, bool], list[Token]] = {}
    implied: list[tuple[Home, Token]] = []
    places = homes_around([token.start for token in mentions], homes)
    for token, around in zip(mentions, places, strict=True):
        own = next((home for home in around if home in owned), None)
        classes = [home for home in around if home.is_class]
        key: tuple[Home | None, bool] | None
        in_function = bool(around) and not around[-1].is_class
        if token.kind == "argument":
            _, _, called = token.of.rpartition(".")
            function, made = taking.get(called), named.get(called)
            key = (function, False) if function else (made, True) if made else None
        elif token.kind == "member" or (token.kind == "key" and token.of != "shorthand"):
            is_own = token.of in (*ITSELF, "Self") and classes
            key = (classes[-1] if is_own else None, True)
        elif own is not None:
            key = (own, False)
        elif (method := methods.get(token.start)) and not classes:
            key = (named.get(method), True)
        elif classes and (
            token.of == "declared"
            or (not in_function and (token.start in heads or _is_declaring(token, code)))
        ):
            key = (classes[-1], True)
        else:
            is_implied = code.language == "python" and not in_function
            if classes and (is_implied or code.language in _IMPLYING):
                implied.append((classes[-1], token))
                continue
            key = (None, False)
        if key is not None:
            found.setdefault(key, []).append(token)
    for home, token in implied:  # a field without "this", or in the body of its class
        found.setdefault((home, True) if (home, True) in found else (None, False), []).append(token)
    if not any(home for home, is_member in found if is_member):
        found.pop((None, True), None)
    sides = [Side(home, is_member, held) for (home, is_member), held in found.items()]
    return sorted(sides, key=lambda side: side.tokens[0].start)


def _is_declaring(token: Token, code: Code) -> bool:
    """Whether a name in the body of a class begins a statement that gives it a value or a type; in Java and its like
    always.
    """
    if code.language in _IMPLYING:
        return True
    start = code.text.rfind("\n", 0, token.start) + 1
    after = code.text[token.end : token.end + 2].lstrip()
    return not code.text[start : token.start].strip() and after[:1] in (":", "=")


def joined(name: str, sides: Sequence[Side], code: Code) -> list[list[Side]]:
    """The sides in groups of those that are one thing: handed from one to the other, members, unless two classes have
    nothing to do with each other, or the same parameter of a function that is written several times.
    """
    apart = _are_apart(sides, code)
    if apart:
        sides = _with_known_members(sides, code)
    parents = list(range(len(sides)))

    def root(number: int) -> int:
        while parents[number] != number:
            parents[number] = parents[parents[number]]
            number = parents[number]
        return number

    def join(numbers: Iterable[int]) -> None:
        for first, second in pairwise(numbers):
            low, high = sorted((root(first), root(second)))
            parents[high] = low

    members = [n for n, side in enumerate(sides) if side.is_member]
    if not apart:
        join(members)
    given = _handed(name, sides, code.text)
    for number, side in enumerate(sides):
        home = side.home
        if home is None and not side.is_member and any(t.of == "shorthand" for t in side.tokens):
            join((number, *members))
        if home is None or side.is_member:
            continue
        if sources := [n for called in _names_of(home) for n in given.get(called, ())]:
            join((number, *sources))
        if members and _becomes_member(name, side, code.text):
            own = [n for n in members if (of := sides[n].home) and of.name == home.owner]
            join((number, *(own or members)))
    by_name: dict[str, list[int]] = {}
    for number, side in enumerate(sides):
        if side.home and side.is_local:
            by_name.setdefault(side.home.name, []).append(number)
    for numbers in by_name.values():
        for first, second in pairwise(numbers):
            if _are_of_one_function(sides[first], sides[second], code):
                join((first, second))
    if code.language == "python":
        join(n for n, side in enumerate(sides) if _is_given_by_pytest(name, side, code))
    groups: dict[int, list[Side]] = {}
    for number, side in enumerate(sides):
        groups.setdefault(root(number), []).append(side)
    return list(groups.values())


def _are_apart(sides: Sequence[Side], code: Code) -> bool:
    """Whether several classes have a member of the name, none of which inherits from another one, or as it does, and
    none is an interface of Go, which its types do not name.
    """
    homes = {side.home.name: side.home for side in sides if side.is_member and side.home}
    if len(homes) < _SEVERAL:
        return False
    if code.language == "go" and any(
        "interface" in code.text[x.head : x.last] for x in homes.values()
    ):
        return False
    return all(related_classes(name, code.text) & {*homes} == {name} for name in homes)


def _with_known_members(sides: Sequence[Side], code: Code) -> list[Side]:
    """The sides without that of members of unknown objects, of which those go to the class's side that certainly are of
    that class alone.
    """
    own = {side.home.name: side for side in sides if side.is_member and side.home}
    receivers = {name: Receivers(related_classes(name, code.text), code) for name in own}
    tokens: dict[str, list[Token]] = {name: [*side.tokens] for name, side in own.items()}
    for side in sides:
        for token in side.tokens if side.is_member and side.home is None else ():
            is_key = token.kind == "key"
            fits = [
                name
                for name, of in receivers.items()
                if (token.of == name if is_key else of.is_of_classes(token))
            ]
            if len(fits) == 1:
                tokens[fits[0]].append(token)
    return [
        replace(side, tokens=tokens[side.home.name]) if side.is_member and side.home else side
        for side in sides
        if side.home is not None or not side.is_member
    ]


def _handed(name: str, sides: Sequence[Side], text: str) -> dict[str, list[int]]:
    """The numbers of the sides that hand what they mention to a function, as a whole argument, or take its result, by
    the name of the function. Only what a function takes as a parameter of that name, or returns, counts.
    """
    word = re.escape(name)
    returned = re.compile(rf"\breturn\b[^\n;]*(?<![\w.]){word}\b|^\s*{word}\s*$", re.MULTILINE)
    taking: set[str] = set()
    giving: set[str] = set()
    for side in sides:
        if side.home and side.is_local:
            taking.update(_names_of(side.home) if side.is_parameter else ())
            is_returned = returned.search(text, side.home.head, side.home.last)
            giving.update((side.home.name,) if is_returned else ())
    found: dict[str, list[int]] = {}
    for number, side in enumerate(sides):
        if side.is_member:
            continue
        first, last = side.home.parameters if side.home else (0, 0)
        for token in side.tokens:
            called = set[str]()
            if _ENDS.match(text, token.end) and not first <= token.start < last:
                called |= {_called_around(token.start, text)} & taking
            if result := _ASSIGNED.match(text, token.end):
                called |= {*re.findall(r"(\w+)\s*\(", result[0])} & giving
            for function in called:
                found.setdefault(function, []).append(number)
    return found


def _becomes_member(name: str, side: Side, text: str) -> bool:
    """Whether the own name of a function becomes a member of that name, or the other way round."""
    word, home = re.escape(name), side.home
    stored = rf"\.{word}\s*=(?!=)[^\n;=]*(?<![\w.]){word}\b|(?<![\w.]){word}\b[^\n;=]*=(?!=)[^\n;]*[\w\])]\.{word}\b"
    given = rf"(?<![\w.]){word}\s*[:=]\s*&?{word}\b|\b{word}\(\s*{word}\s*\)"
    # TypeScript's and Kotlin's parameters that are members, too
    declared = rf"\b(?:private|public|protected|readonly|val|var)\s+{word}\b"
    if home is not None and re.compile(declared).search(text, *home.parameters):
        return True
    shorthand = any(t.of == "shorthand" for t in side.tokens)
    pattern = re.compile(f"{stored}|{given}")
    return home is not None and (
        shorthand or pattern.search(text, home.head, home.last) is not None
    )


def _are_of_one_function(side: Side, other: Side, code: Code) -> bool:
    """Whether both are own names of one function that is written several times: overloaded, or overridden in a class
    that inherits from the other's.
    """
    first, second = side.home, other.home
    if not (first and second) or first.name != second.name:
        return False
    return first.owner == second.owner or first.owner in related_classes(second.owner, code.text)


def _is_given_by_pytest(name: str, side: Side, code: Code) -> bool:
    """Whether a side is a fixture of pytest, or a parameter of a test or fixture that no ``parametrize`` lists."""
    if side.home is None:
        word = re.escape(name)
        fixture = rf"fixture\b[^\n]*\n(?:@[^\n]*\n)*[ \t]*(?:async )?def {word}\b"
        return not side.is_member and re.search(fixture, code.text) is not None
    above = code.text[side.home.first : side.home.head]
    is_test = side.home.name.startswith("test") or "fixture" in above
    return side.is_parameter and is_test and not ("parametrize" in above and name in above)


def _names_of(home: Home) -> tuple[str, ...]:
    """The names by which a function is called: its own, and its class's if it makes objects of that."""
    return (home.name, home.owner) if home.name in _MAKING else (home.name,)


def _called_around(offset: int, text: str) -> str:
    """The name of the function in the brackets of whose call an offset stands; empty if in none, as far as 500
    characters tell.
    """
    depth = 0
    for at in range(offset - 1, max(-1, offset - _NEAR), -1):
        if text[at] in ")]}":
            depth += 1
        elif text[at] in "([{":
            if not depth:
                before = re.search(
                    r"([\w$]+)(?:::<[^>]*>|<[^>()]*>)?\s*$", text[max(0, at - _NEAR) : at]
                )
                return before[1] if before and text[at] == "(" else ""
            depth -= 1
        elif text[at] == ";" and not depth:
            return ""
    return ""
