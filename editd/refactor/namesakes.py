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
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from editd.intent.intents import Rename
from editd.refactor.declarations import Home, homes_of
from editd.refactor.sides import Side, joined, sides_of
from editd.refactor.style_names import STYLES, StyleKind, by_sign
from editd.syntax.class_members import ITSELF, classes_apart
from editd.syntax.code import Code
from editd.syntax.places import place_of
from editd.syntax.python_names import is_builtin
from editd.syntax.scanning import SIGNED, with_sigil
from editd.syntax.tokens import Token

_ALL = re.compile(
    r"\b(?:everywhere|wherever|throughout|all|every|each|both|any|whole|entire|across)\b|\b(?:in|of) (?:the|this) file\b|^\s*s/[^/]+/[^/]*/g",
    re.IGNORECASE,
)
_SEVERAL = 2
_OF_CODE = ("name", "member", "argument", "key")

Kind = Literal[
    "function",
    "method",
    "class",
    "variable",
    "parameter",
    "member",
    "id",
    "placeholder",
    "property",
]

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
    Python's own names are no things of the text. Otherwise decide, in this order: a definition that is named, the kind
    ("the function x"), the selection, the line ``cursor`` (0-based), the definition around it.
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
        if names_all(instruction):
            return NO_OTHERS, ""
        intended = _pointed_at(intended, code, cursor, selected)
        if len(intended) > 1 and selected is None:
            return NO_OTHERS, _which(intent.old, intended, code)
    if not intended:
        return NO_OTHERS, ""
    return _others(intended, things, intent.old, code), ""


def names_all(instruction: str) -> bool:
    """Whether the words say that all things of a name are meant: "everywhere", "in the file", "s/a/b/g"."""
    return _ALL.search(instruction) is not None


def namesakes(name: str, code: Code) -> list[Namesake]:
    """The things that the text calls ``name``, in the order of their first mentions; one where they cannot be told
    apart, none where tokens are unknown or the text has no such name.

    Mentions that cannot be assigned, such as members of unknown objects beside several classes, belong to none.
    """
    tokens = code.tokens or ()
    if code.language in SIGNED and code.tokens:
        name = with_sigil(name, code.tokens) or name
    mentions = [t for t in tokens if t.text == name and t.kind in _OF_CODE]
    if code.language in STYLES:
        return _of_styles(name, by_sign(mentions, code))
    homes = homes_of(code) if mentions else ()
    sides = sides_of(name, mentions, homes, code)
    heads = {home.head: home for home in homes}
    things = [_named(name, group, heads) for group in joined(name, sides, code)]
    return sorted(things, key=lambda thing: thing.starts)


def _of_styles(name: str, found: Mapping[StyleKind, Sequence[Token]]) -> list[Namesake]:
    """The things of a style sheet, each with the words for its kind."""
    titles = {"id": "an id", "property": "a property or element"}
    return [
        Namesake(
            frozenset([kind]),
            titles.get(kind, f"a {kind}"),
            f"the class {name}" if kind == "class" else "",
            tuple(token.start for token in tokens),
        )
        for kind, tokens in found.items()
    ]


def others_than_member(owner: str, name: str, code: Code) -> Others | None:
    """The other things of the name than the member of the class ``owner``, with the members of objects of which the text
    does not say what they are; ``None`` if no class of the text is called so and has such a member that others have,
    too.
    """
    things = namesakes(name, code)
    intended = [x for x in things if x.where == f"{owner}.{name}"]
    return _others(intended, things, name, code) if intended and len(things) > 1 else None


def _others(
    intended: Sequence[Namesake], things: Sequence[Namesake], name: str, code: Code
) -> Others:
    """The things that are not intended; with the members that belong to none, if a member is intended."""
    others = [x for x in things if x not in intended]
    starts = {at for x in others for at in x.starts}
    if any("member" in x.kinds for x in intended):
        known = {at for x in things for at in x.starts}
        members = (t for t in code.tokens_of("member", "key") if t.text == name)
        starts |= {t.start for t in members} - known
    homes = tuple(home for x in others for home in x.homes)
    is_local = len(intended) == 1 and intended[0].is_local and len(intended[0].homes) == 1
    home = intended[0].homes[0].qualified if is_local else ""
    return Others(frozenset(starts), homes, home)


def _named(name: str, group: Sequence[Side], heads: Mapping[int, Home]) -> Namesake:
    """The thing of a group of sides, with the words for it: its class's member first, then what the file defines.

    heads: the functions and classes by the offsets of their names.
    """
    starts = tuple(sorted(t.start for side in group for t in side.tokens))
    member = next((x for x in group if x.is_member and x.home), None)
    of_file = next((x for x in group if x.home is None and not x.is_member), None)
    local = next((x for x in group if x.is_local), None)
    functions = tuple(x.home for x in group if x.home and x.is_local)
    kinds: set[Kind] = set()
    for side in group:
        defined = [heads[t.start] for t in side.tokens if t.start in heads]
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
    kinds = _KINDS.get(kind.lower()) or _KINDS.get(kind.lower().removesuffix("s"), ())
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
