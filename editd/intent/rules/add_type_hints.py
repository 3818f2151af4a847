"""Add type hints: how people ask for several at once, or for one without the name of its function."""

from __future__ import annotations

import re
from collections.abc import Iterator

from editd.intent.english import plain_name
from editd.intent.intents import AddTypeHints
from editd.intent.rules.guess import Guess
from editd.intent.rules.word_lists import TYPES_IN_ENGLISH

_NAME = r"[`'\"]?[^\W\d][\w$]*[`'\"]?(?:\(\))?"
_ATOM = r"(?:[^\W\d][\w.]*(?:\[(?:[^\[\]]|\[[^\[\]]*\])*\])*(?:<[^<>]*>)?(?:\[\])*|None|null|\"[^\"]+\")"
_TYPE = rf"`?{_ATOM}(?: ?\| ?{_ATOM})*`?"
_IS = r"(?: (?:is|are|as|being|should be|must be|has type|of type))*(?: (?:always|all|both|each))?(?: (?:an?|the|type|of type))*:?"
_ITEM = re.compile(
    r"(?:(?:it|which|that) )?(?:"
    rf"(?P<same>(?:and )?so is (?:the|its) (?:result|return value|return type)|returns (?:one|another(?: one)?|the same(?: type)?))"
    rf"|(?:(?:should )?returns?|returning|return (?:type|value)|result|the (?:result|return (?:type|value))|->){_IS} (?P<returned>{_TYPE})"
    rf"|(?:takes|accepts|expects|gets|taking) an? (?P<taken>{_TYPE})"
    rf"|(?:(?:takes|accepts|expects|with) )?(?:the )?(?:(?:parameter|argument|param|arg) )?(?P<name>{_NAME}(?:(?:,? and |, ){_NAME})*?){_IS} (?P<hint>{_TYPE})"
    r")",
    re.IGNORECASE,
)
_HINTS = r"(?:the |a |some )?(?:type )?(?:hints?|annotations?|types?|signature)"
_SAY_SO = re.compile(
    rf"[,;:.]? ?(?:so |please |and )*(?:add {_HINTS}|annotate(?: (?:it|that|them|this))?|type (?:it|them)|say so|put that in {_HINTS}|write {_HINTS})$",
    re.IGNORECASE,
)
_BEGINS = re.compile(
    rf"(?:(?:annotate|type|hint|type-hint) |(?:(?:add|put|write|give) )?{_HINTS} (?:to|for|on|in) )(?:the )?(?:function |method )?(?P<function>{_NAME})"
    r"(?: ?[:,]| -| so(?: that)?| such that| as(?= (?:taking|returning))| with|, it| \()? (?P<body>.+)",
    re.IGNORECASE,
)
_OF_FUNCTION = re.compile(
    rf"(?P<function>{_NAME}) (?P<body>(?:takes|accepts|expects|returns|should return) .+)",
    re.IGNORECASE,
)
_IN_FUNCTION = re.compile(
    rf"(?:in (?P<function>{_NAME}),? (?P<body>.+)|(?P<name>{_NAME}) (?:of|in) (?P<function2>{_NAME}) (?P<rest>(?:is|should be|must be) .+))",
    re.IGNORECASE,
)
_TYPED = re.compile(
    rf"(?:(?:annotate|type|declare|hint) (?:the )?(?:(?:variable|constant|field|attribute|parameter|argument) )?(?P<name>{_NAME}) (?:as|with|to be) (?:an? )?(?:type )?(?P<hint>{_TYPE})"
    rf"|(?:the )?(?:(?:variable|constant|field|attribute|parameter|argument) )?(?P<name2>{_NAME}) (?:should|must|has to|needs to) be (?:typed|annotated|declared|hinted)(?: as| with)? (?:an? )?(?P<hint2>{_TYPE}))",
    re.IGNORECASE,
)
_PLURALS = {"strings": "str", "integers": "int", "booleans": "bool", "ints": "int", "floats": "float", "bools": "bool", "strs": "str",
            "lists": "list", "dicts": "dict"}  # fmt: skip
_ENGLISH = TYPES_IN_ENGLISH | _PLURALS
_PLAIN = frozenset(
    "int float str bytes bool list dict set tuple object none any number string boolean void".split()  # noqa: SIM905
)
_CUT = re.compile(r"(?:,|;| and|,? &)(?: and)? | (?=-> )")


def _hints(text: str) -> AddTypeHints | None:
    """The intent of a request for type hints; ``None`` for another request, or if a part of the words is no name with a
    type.

    Without words that say so ("annotate", "add types") the types must be plain ones.
    """
    said_so = _SAY_SO.search(text)
    body = text[: said_so.start()] if said_so else text
    function = ""
    if found := _TYPED.fullmatch(body):
        pair = (found["name"] or found["name2"], found["hint"] or found["hint2"])
        return _made("", [pair])
    if (found := _BEGINS.fullmatch(body)) or (said_so and (found := _OF_FUNCTION.fullmatch(body))):
        function, body = found["function"], found["body"]
    elif found := _IN_FUNCTION.fullmatch(body):
        function = found["function"] or found["function2"]
        body = found["body"] or f"{found['name']} {found['rest']}"
        if not said_so and not found["name"]:
            return None
    elif not said_so:
        return None
    pairs = _pairs(body.rstrip(")"))
    is_plain = said_so or all(_is_plain(hint) for _, hint in pairs or ())
    return _made(function, pairs) if pairs and is_plain else None


def _pairs(body: str) -> list[tuple[str, str]]:
    """Names and their types, in order; ``->`` stands for the result, ``*`` for the only parameter, and "returns the
    same" has the type before it. Empty if a part of ``body`` says something else, or nothing is before "the same".
    """
    pairs: list[tuple[str, str]] = []
    for part in _parts(body):
        found = _ITEM.fullmatch(part)
        if found is None:
            return []
        if found["same"]:
            if not pairs:
                return []
            pairs.append(("->", pairs[-1][1]))
        elif found["returned"]:
            pairs.append(("->", found["returned"]))
        elif found["taken"]:
            pairs.append(("*", found["taken"]))
        else:
            names = re.split(r",? and |, ", found["name"])
            pairs += [(name, found["hint"]) for name in names]
    return pairs


def _parts(body: str) -> Iterator[str]:
    """Yield the parts between commas and "and" that stand in no brackets; names that share a type stay together."""
    depth, start = 0, 0
    at = 0
    while at < len(body):
        depth += (body[at] in "[(<") - (body[at] in "])>" and body[at - 1 : at] != "-")
        if (
            not depth
            and (found := _CUT.match(body, at))
            and _ITEM.fullmatch(body[start:at].strip())
        ):
            yield body[start:at].strip()
            start = at = found.end()
            continue
        at += 1
    yield body[start:].strip()


def _made(function: str, pairs: list[tuple[str, str]]) -> AddTypeHints:
    """The intent of a function and the pairs of names and types, without quotes and English words."""
    hints = tuple(
        (
            plain_name(name),
            _ENGLISH.get(hint.strip("`").lower(), hint.strip("`")),
        )
        for name, hint in pairs
    )
    return AddTypeHints(plain_name(function), hints)


def _is_plain(hint: str) -> bool:
    """Whether a type can be nothing else: a builtin one, or one with brackets, a dot or a capital."""
    word = hint.strip("`").lower()
    return word in _PLAIN or word in _ENGLISH or bool(re.search(r"[\[|.A-Z]", hint))


ADD_TYPE_HINTS = Guess(
    "add-type-hints",
    reads=_hints,
    examples=(
        ("annotate total so it returns Decimal", AddTypeHints("total", (("->", "Decimal"),))),
        (
            "add type hints to cut: text is str, length int, returns str",
            AddTypeHints("cut", (("text", "str"), ("length", "int"), ("->", "str"))),
        ),
        ("invoice_id is an int, annotate it", AddTypeHints("", (("invoice_id", "int"),))),
        (
            "fahr takes a float and returns a float, add the hints",
            AddTypeHints("fahr", (("*", "float"), ("->", "float"))),
        ),
        (
            "to_miles takes a float and returns one, annotate it",
            AddTypeHints("to_miles", (("*", "float"), ("->", "float"))),
        ),
        (
            "annotate forward: x is a torch.Tensor and so is the result",
            AddTypeHints("forward", (("x", "torch.Tensor"), ("->", "torch.Tensor"))),
        ),
        ("annotate DB_PORT as int", AddTypeHints("", (("DB_PORT", "int"),))),
        ("tags should be typed list[str]", AddTypeHints("", (("tags", "list[str]"),))),
        ("size in __init__ is an int", AddTypeHints("__init__", (("size", "int"),))),
        ("annotate f: a and b are ints", AddTypeHints("f", (("a", "int"), ("b", "int")))),
    ),
    near_misses=(
        "add type hints to load",
        "size should be an int",
        "annotate load with the right types",
        "load returns a list, make it a generator",
    ),
)
"""Types of several parameters, of a result, or of a variable."""
