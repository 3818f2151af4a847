"""The different things of a text that have one name, such as the local variables of two functions, and which of them is meant.

What is handed from one to the other (as an argument, a result or a member) counts as one thing, since whoever renames
the one means both. No types are inferred.

a.py, "rename total to amount in g"::

    def f(rows):
        total = sum(rows)
        return total


    def g(items):
        total = len(items)
        return total

becomes::

    def f(rows):
        total = sum(rows)
        return total


    def g(items):
        amount = len(items)
        return amount
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from editd.intent.intents import Rename
from editd.refactor.declarations import Home, declares, homes_of
from editd.refactor.receivers import related_classes
from editd.syntax.class_members import ITSELF, classes_apart
from editd.syntax.code import Code
from editd.syntax.places import place_of
from editd.syntax.python_names import is_builtin
from editd.syntax.scanning import SIGNED, with_sigil
from editd.syntax.tokens import Token

_ALL = re.compile(
    r"\b(?:everywhere|wherever|throughout|all|every|each|both|any|whole|entire|across)\b|\b(?:in|of) (?:the|this) file\b",
    re.IGNORECASE,
)
_SEVERAL = 2
_NEAR = 500  # characters
_OF_CODE = ("name", "member", "argument", "key")
_MAKING = ("__init__", "__new__", "constructor", "new", "initialize", "init")
"""Functions that make objects of their class."""
_IMPLYING = ("java", "csharp", "cpp", "kotlin", "swift", "scala", "dart")
"""Languages in which a field needs no ``this``."""

Kind = Literal["function", "method", "class", "variable", "parameter", "member"]

_KINDS: dict[str, tuple[Kind, ...]] = {
    **dict.fromkeys(
        ("function", "func", "fn", "def", "routine", "procedure"), ("function", "method")
    ),
    "method": ("method",),
    **dict.fromkeys(("class", "struct", "enum", "interface", "trait", "type"), ("class",)),
    **dict.fromkeys(("variable", "var", "constant", "const"), ("variable", "parameter")),
    **dict.fromkeys(("parameter", "param", "argument", "arg"), ("parameter",)),
    **dict.fromkeys(("attribute", "attr", "field", "property", "member"), ("member", "method")),
}


@dataclass(frozen=True, slots=True)
class Namesake:
    """A thing that shares its name with others in a text.

    kinds: what it is; a parameter that becomes a member is both. title: in words for the user. where: the words that
    choose it, such as ``in f`` or ``Cart.total``. starts: offsets of its mentions, in order. homes: the functions whose
    own it is; is_local: of nothing else.
    """

    kinds: frozenset[Kind]
    title: str
    where: str
    starts: tuple[int, ...]
    homes: tuple[Home, ...] = ()
    is_local: bool = False


@dataclass(frozen=True, slots=True)
class Others:
    """The things that a rename does not mean. starts: offsets of their mentions. homes: the functions whose own they
    are. home: the name of the function whose own the thing is that is meant; empty if that is none.
    """

    starts: frozenset[int] = frozenset()
    homes: tuple[Home, ...] = ()
    home: str = ""

    def holds(self, offset: int) -> bool:
        """Whether an offset is in one of the functions."""
        return any(home.holds(offset) for home in self.homes)


NO_OTHERS = Others()


def others_than_meant(
    intent: Rename,
    instruction: str,
    code: Code,
    cursor: int | None,
    selected: tuple[int, int] | None,
) -> tuple[Others, str]:
    """The things with the old name that the rename does not mean; and the problem, a sentence for the user that asks
    which is intended, else empty.

    None are left out if the text has only one thing of that name, or all are intended: the words say so ("everywhere").
    Python's own names are no things of the text. Otherwise decide, in this order: a definition that is named, the kind ("the function x"), the selection, the line
    ``cursor`` (0-based), the definition around it.
    """
    is_pythons = code.python is not None and is_builtin(intent.old, code.python)
    things = [] if is_pythons else namesakes(intent.old, code)
    if len(things) < _SEVERAL or intent.only or intent.owner not in ("", *ITSELF):
        return NO_OTHERS, ""
    intended = (
        _in_location(intent, things, code) if intent.location else _of_kind(intent.kind, things)
    )
    if intent.owner:
        intended = [x for x in intended if x.kinds & {"member", "method"}]
    if not intent.location and len(intended) > 1:
        if _ALL.search(instruction):
            return NO_OTHERS, ""
        intended = _pointed_at(intended, code, cursor, selected)
        if len(intended) > 1 and selected is None:
            return NO_OTHERS, _which(intent.old, intended, code)
    if not intended:
        return NO_OTHERS, ""
    others = [x for x in things if x not in intended]
    homes = tuple(home for x in others for home in x.homes)
    is_local = len(intended) == 1 and intended[0].is_local and len(intended[0].homes) == 1
    home = intended[0].homes[0].qualified if is_local else ""
    return Others(frozenset(at for x in others for at in x.starts), homes, home), ""


def namesakes(name: str, code: Code) -> list[Namesake]:
    """The things that the text calls ``name``, in the order of their first mentions; one where they cannot be told
    apart, none where tokens are unknown or the text has no such name.

    Mentions that cannot be assigned, such as members of unknown objects beside several classes, belong to none.
    """
    tokens = code.tokens or ()
    if code.language in SIGNED and code.tokens:
        name = with_sigil(name, code.tokens) or name
    mentions = [t for t in tokens if t.text == name and t.kind in _OF_CODE]
    homes = homes_of(code) if mentions else []
    sides = _sides_of(name, mentions, homes, code)
    things = [_named(name, group, homes) for group in _joined(name, sides, code)]
    return sorted(things, key=lambda thing: thing.starts)


@dataclass(frozen=True, slots=True)
class _Side:
    """Mentions that are certainly one thing: the own name of a function ``home``, a member of the class ``home``, or,
    without a home, the file's; a member's home is ``None`` if its class is not known.
    """

    home: Home | None
    is_member: bool
    tokens: list[Token]

    @property
    def is_local(self) -> bool:
        """Whether it is a function's own name."""
        return self.home is not None and not self.is_member

    @property
    def is_parameter(self) -> bool:
        """Whether it is a parameter of its function."""
        first, last = self.home.parameters if self.home and self.is_local else (0, 0)
        return any(first <= t.start < last for t in self.tokens)


def _sides_of(
    name: str, mentions: Sequence[Token], homes: Sequence[Home], code: Code
) -> list[_Side]:
    """The mentions by whose name they are, in order of the first; those of members of unknown objects, if any class
    has such a member, in one of them.
    """
    owning = [home for home in homes if declares(home, name, code)]
    heads = {home.head for home in homes}
    methods = {home.head: home.owner for home in homes if home.owner}
    found: dict[tuple[Home | None, bool], list[Token]] = {}
    implied: list[tuple[Home, Token]] = []
    for token in mentions:
        around = [home for home in homes if home.holds(token.start)]
        own = next((home for home in owning if home in around), None)
        classes = [home for home in around if home.is_class]
        key: tuple[Home | None, bool] | None
        in_function = bool(around) and not around[-1].is_class
        if token.kind == "argument":
            _, _, called = token.of.rpartition(".")
            taking = [x for x in owning if called in _names_of(x)]
            classes = [x for x in homes if x.is_class and x.name == called]
            key = (taking[0], False) if taking else (classes[0], True) if classes else None
        elif token.kind == "member" or (token.kind == "key" and token.of != "shorthand"):
            is_own = token.of in (*ITSELF, "Self") and classes
            key = (classes[-1] if is_own else None, True)
        elif own is not None:
            key = (own, False)
        elif (method := methods.get(token.start)) and not classes:
            key = (next((x for x in homes if x.is_class and x.name == method), None), True)
        elif classes and (
            token.of == "declared"
            or (not in_function and (token.start in heads or _is_declaring(token, code)))
        ):
            key = (classes[-1], True)
        else:
            if classes and code.language in _IMPLYING:
                implied.append((classes[-1], token))
                continue
            key = (None, False)
        if key is not None:
            found.setdefault(key, []).append(token)
    for home, token in implied:  # of Java and its like: a field without "this"
        found.setdefault((home, True) if (home, True) in found else (None, False), []).append(token)
    if not any(home for home, is_member in found if is_member):
        found.pop((None, True), None)
    sides = [_Side(home, is_member, held) for (home, is_member), held in found.items()]
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


def _joined(name: str, sides: Sequence[_Side], code: Code) -> list[list[_Side]]:
    """The sides in groups of those that are one thing: handed from one to the other, or members, unless two classes
    have nothing to do with each other.
    """
    apart = classes_apart(name, code.tokens or (), code.text, code.language)
    groups: list[list[_Side]] = []
    for side in sides:
        near = [
            group
            for group in groups
            if any(
                (side.is_member and other.is_member and not apart)
                or _are_of_one_function(side, other, code)
                or _is_fixture(name, side, other, code)
                or _is_handed(name, side, other, code)
                or _is_handed(name, other, side, code)
                for other in group
            )
        ]
        groups = [group for group in groups if group not in near]
        groups.append([*(other for group in near for other in group), side])
    return [
        group
        for group in groups
        if not (apart and all(x.home is None and x.is_member for x in group))
    ]


def _are_of_one_function(side: _Side, other: _Side, code: Code) -> bool:
    """Whether both are own names of one function that is written several times: overloaded, or overridden in a class
    that inherits from the other's.
    """
    first, second = side.home, other.home
    if not (first and second and side.is_local and other.is_local) or first.name != second.name:
        return False
    return first.owner == second.owner or first.owner in related_classes(second.owner, code.text)


def _is_fixture(name: str, side: _Side, other: _Side, code: Code) -> bool:
    """Whether pytest gives both the same: they are parameters of tests and fixtures that no ``parametrize`` lists, or
    one is the fixture itself.
    """
    if code.language != "python":
        return False
    fixture = re.compile(
        rf"fixture\b[^\n]*\n(?:@[^\n]*\n)*[ \t]*(?:async )?def {re.escape(name)}\b"
    )

    def is_given(x: _Side) -> bool:
        if not x.home:
            return fixture.search(code.text) is not None
        above = code.text[x.home.first : x.home.head]
        is_test = x.home.name.startswith("test") or "fixture" in above
        return x.is_parameter and is_test and not ("parametrize" in above and name in above)

    return is_given(side) and is_given(other)


def _is_handed(name: str, side: _Side, other: _Side, code: Code) -> bool:
    """Whether ``other``, the own name of a function, is given from ``side`` as an argument, gives its result to that, or
    becomes a member of that name.
    """
    home = other.home
    if home is None or other.is_member:
        return False
    text, word = code.text, re.escape(name)
    if side.is_member:
        body = text[home.head : home.last]
        stored = rf"\.{word}\s*=(?!=)[^\n;=]*(?<![\w.]){word}\b|(?<![\w.]){word}\b[^\n;=]*=(?!=)[^\n;]*[\w\])]\.{word}\b"
        given = rf"(?<![\w.]){word}\s*[:=]\s*&?{word}\b|\b{word}\(\s*{word}\s*\)"
        shorthand = any(t.of == "shorthand" for t in other.tokens)
        return shorthand or re.search(f"{stored}|{given}", body) is not None
    called = re.escape(home.owner if home.name in _MAKING and home.owner else home.name)
    is_given = other.is_parameter and any(
        re.match(r"\s*[,)]", text[t.end :]) and _called_around(t.start, text) in _names_of(home)
        for t in side.tokens
        if not (side.home and side.home.parameters[0] <= t.start < side.home.parameters[1])
    )
    returned = re.compile(rf"\breturn\b[^\n;]*(?<![\w.]){word}\b|^\s*{word}\s*$", re.MULTILINE)
    taken = re.compile(rf"[^\n;=(]*=(?!=)[^\n;]*\b{called}\s*\(")
    is_taken = any(taken.match(text, t.end) for t in side.tokens)
    return is_given or (is_taken and returned.search(text, home.head, home.last) is not None)


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


def _named(name: str, group: Sequence[_Side], homes: Sequence[Home]) -> Namesake:
    """The thing of a group of sides, with the words for it: its class's member first, then what the file defines."""
    starts = tuple(sorted(t.start for side in group for t in side.tokens))
    member = next((x for x in group if x.is_member and x.home), None)
    of_file = next((x for x in group if x.home is None and not x.is_member), None)
    local = next((x for x in group if x.is_local), None)
    functions = tuple(x.home for x in group if x.home and x.is_local)
    kinds: set[Kind] = set()
    for side in group:
        defined = [x for x in homes if any(t.start == x.head for t in side.tokens)]
        if side.is_local:
            kinds.add("parameter" if side.is_parameter else "variable")
        elif side.is_member:
            kinds.add("method" if any(not x.is_class for x in defined) else "member")
        else:
            kinds.update("class" if x.is_class else "function" for x in defined)
            kinds.update(() if defined else ("variable",))
    title, where = "a variable of the file", ""
    if member is not None and member.home is not None:
        title = f"a {'method' if 'method' in kinds else 'member'} of “{member.home.name}”"
        where = f"{member.home.name}.{name}"
    elif of_file is not None and kinds & {"class", "function"}:
        title = "a class" if "class" in kinds else "a function"
        where = f"the {title[2:]} {name}"
    elif of_file is None and local is not None and local.home is not None:
        what = "parameter" if local.is_parameter else "variable"
        title, where = f"a {what} of “{local.home.qualified}”", f"in {local.home.qualified}"
    is_local = all(x.is_local for x in group)
    return Namesake(frozenset(kinds), title, where, starts, functions, is_local)


# Which is meant


def _in_location(intent: Rename, things: Sequence[Namesake], code: Code) -> list[Namesake]:
    """The things that are own names of functions in the definition that the intent names, or members of it; empty if
    it is not there. A function of the same name is none of them, unless it is said to be one.
    """
    place = place_of(intent.location, code.text, code.language)
    if place is None:
        return []
    return [
        thing
        for thing in things
        if any(place.first <= home.first and home.last <= place.last for home in thing.homes)
        or ("member" in thing.kinds and place.first <= thing.starts[0] < place.last)
    ]


def _of_kind(kind: str, things: Sequence[Namesake]) -> list[Namesake]:
    """The things of a kind, as the words name it; all if none is or no kind is named."""
    kinds = _KINDS.get(kind.lower().rstrip("s"), ())
    return [x for x in things if x.kinds & {*kinds}] or [*things]


def _pointed_at(
    things: Sequence[Namesake],
    code: Code,
    cursor: int | None,
    selected: tuple[int, int] | None,
) -> list[Namesake]:
    """The things that the selection mentions; without one that on the line of the cursor, else that in the innermost
    function or class around it. All if nothing is pointed at.
    """
    starts = code.line_starts

    def mentioned(first: int, last: int) -> list[Namesake]:
        return [x for x in things if any(starts[first] <= at < starts[last] for at in x.starts)]

    if selected is not None:
        return mentioned(*selected) or [*things]
    if cursor is None or cursor >= len(code.lines):
        return [*things]
    around = [x for x in code.definitions if x.is_block and x.start <= cursor < x.end]
    around.sort(key=lambda x: x.end - x.start)
    places = [(cursor, cursor + 1), *((x.start, x.end) for x in around)]
    found = (mentioned(*place) for place in places)
    return next((x for x in found if x), [*things])


def _which(name: str, things: Sequence[Namesake], code: Code) -> str:
    """The sentence that asks which of several things is meant."""
    lines = [code.text.count("\n", 0, x.starts[0]) + 1 for x in things]
    listed = " and ".join(
        f"{x.title} (line {line})" for x, line in zip(things[:_SEVERAL], lines, strict=False)
    )
    more = f" and {len(things) - _SEVERAL} more" if len(things) > _SEVERAL else ""
    where = next((x.where for x in things if x.where), "")
    example = f", such as “{where}”" if where else ""
    return f"“{name}” is {listed}{more}; say which{example}, or “everywhere”."


def limited_to_class_at(intent: Rename, cursor: int | None, code: Code) -> tuple[Rename, str]:
    """The rename limited to the class around the line ``cursor`` (0-based), if several classes that have nothing to do
    with each other have such a member, and an empty text. If the cursor is in none of them, or unknown, and the name is
    said to be of ``self``: the rename as it is, and the problem, a sentence for the user.

    The rename as it is, and an empty text, also if it has a place or an owner, or a variable or parameter of the class
    has that name, too.
    """
    is_open = not (intent.location or intent.only) and intent.owner in ("", *ITSELF)
    tokens = code.tokens or ()
    classes = classes_apart(intent.old, tokens, code.text, code.language) if is_open else {}
    around = [
        name
        for name, place in classes.items()
        if cursor is not None and place.start <= cursor < place.end
    ]
    if len(around) == 1:
        place = classes[around[0]]
        variables = [
            t
            for t in tokens
            if t.text == intent.old
            and t.kind == "name"
            and not t.of
            and place.first <= t.start < place.last
            and not any(x.name == t.text and x.start == _line(t, code) for x in code.definitions)
        ]
        return (intent if variables else replace(intent, owner=around[0])), ""
    if not (classes and intent.owner):
        return intent, ""
    first, second = list(classes)[:2]
    more = f" and {len(classes) - 2} more" if len(classes) > 2 else ""
    return intent, (
        f"Several classes have “{intent.old}” ({first}, {second}{more}); say which, such as “{first}.{intent.old}”."
    )


def _line(token: Token, code: Code) -> int:
    """The number (0-based) of the line on which a token begins."""
    return code.text.count("\n", 0, token.start)
