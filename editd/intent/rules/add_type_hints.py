"""Add type hints: how people ask for several at once, or for one without the name of its function."""

from __future__ import annotations

import re

from editd.intent.english import plain_name
from editd.intent.intents import AddTypeHints
from editd.intent.lexicon import words_of
from editd.intent.rules.guess import Guess
from editd.intent.rules.word_lists import TYPES_IN_ENGLISH
from editd.intent.slots import TAKEN, UnreadText

_ENGLISH = TYPES_IN_ENGLISH | {
    "strings": "str", "integers": "int", "booleans": "bool", "ints": "int", "floats": "float", "bools": "bool", "strs": "str",
    "lists": "list", "dicts": "dict", "dictionaries": "dict", "tuples": "tuple", "sets": "set", "numbers": "number",
    "arrays": "list", "array": "list",
}  # fmt: skip
_PLAIN = frozenset(
    "int float str bytes bool list dict set tuple object none any number string boolean void datetime unknown never".split()  # noqa: SIM905
)
_BRACKETS = r"(?:\[(?:[^\[\]]|\[[^\[\]]*\])*\]|<(?:[^<>]|<[^<>]*>)*>)*(?:\[\])*"
# A type by its looks: a builtin one, or one with brackets, a dot or a capital.
_ATOM = (
    rf"(?:`[^`]+`|\"[A-Z]\w*\"|(?:(?:{'|'.join(sorted({*_PLAIN, *_ENGLISH}, key=len, reverse=True))})(?!\w)|(?-i:[A-Z])\w*(?:\.\w+)*|[^\W\d]\w*(?:\.\w+)+"
    rf"|[^\W\d]\w*(?=\[|<)){_BRACKETS})"
)
_TYPE = (
    rf"(?:(?:optional|nullable) {_ATOM}|(?:lists?|arrays?|sets?|tuples?|iterables?|sequences?) of {_ATOM}"
    rf"|(?:dicts?|dictionar(?:y|ies)|maps?|mapping) (?:of|from) {_ATOM} (?:to|and|->) {_ATOM}|{_ATOM}(?: ?\| ?{_ATOM}| or (?:None|null)\b)*)"
)
_NAME = r"[`'\"]?[^\W\d][\w$]*[`'\"]?(?:\(\))?"
_NAMES = rf"(?P<name>{_NAME}(?:(?:, {_NAME})*(?:,? and | & ){_NAME})?)"
_A_KIND = r"(?:parameters?|arguments?|params?|args?|variable|constant|field|attribute)"
_OF = r"(?:,? (?:of|in) (?:the )?(?:function |method )?(?P<function>`?[^\W\d][\w.]*(?:\(\))?`?))?"
_IS = (
    rf"(?:[ {TAKEN}]+(?:is|are|as|being|to be|should be|must be|has to be|have to be|has type|of type|has the type|with(?= type)|typed|annotated|declared|hinted))+"
    r"(?: (?:always|all|both|each))?(?: (?:an?|the|type|of type))*"
)
_RESULT = re.compile(
    r"(?:,? ?\b(?:and|it|which|that) )*(?:\b(?:(?:should|must|to|will|does) return|returns|returning|gives?(?: back)?|yields)(?: (?:type|value))?"
    r"|\b(?:its |the )?(?:return(?:ed)? (?:type|value|annotation)|result|output)(?: type)?|->|→|=>)"
    rf"(?: (?:hint|annotation))?{_OF}(?: (?:is|are|as|of|should be|must be|being|to be|always|an?|the|type))*:? ?(?P<hint>{_TYPE})(?![\w.])",
    re.IGNORECASE,
)
_SAME = re.compile(
    r",? ?\b(?:and )?(?:so is (?:the|its) (?:result|return value|return type)|(?:and )?returns (?:one|another(?: one)?|the same(?: type)?|it too))\b",
    re.IGNORECASE,
)
_ALL = re.compile(
    rf"\b(?P<quantity>all|both|every|each)(?: of)?(?: (?:the|its|of its))?(?: (?P<count>two|three|four|five|2|3|4|5))? ?{_A_KIND}{_OF}{_IS} (?P<hint>{_TYPE})(?![\w.])"
    rf"|\b(?:all|both|every|each)(?: of)?(?: (?:the|its))?(?: (?P<count2>two|three|four|five|2|3|4|5))? ?{_A_KIND}:? (?P<hint2>{_ATOM})(?![\w.])"
    rf"|\b(?:the |its )?(?:arguments|parameters|args|params){_OF.replace('function>', 'function2>')}{_IS} (?P<hint4>{_TYPE})(?![\w.])"
    r"|\b(?:takes |with |, )?(?P<both>both|two|three) (?P<hint3>strings|ints|integers|floats|bools|booleans|strs|numbers|lists|dicts)\b",
    re.IGNORECASE,
)
_TAKEN = re.compile(
    rf"\b(?:takes|accepts|expects|gets|taking|accepting|given) (?:an? )?(?P<hints>{_TYPE}(?:(?:, ?(?:and )?| and )(?:an? )?{_TYPE})*)(?![\w.]| {_NAME}(?:,|$))",
    re.IGNORECASE,
)
_TAKEN_AS = re.compile(
    rf"\b(?:takes|accepts|expects|gets) (?:an? )?(?P<hint>{_TYPE}) ?\((?:called |named )?(?P<name>{_NAME})\)",
    re.IGNORECASE,
)
_TYPED = re.compile(
    rf"\b(?:annotate|type|declare|hint|mark|type-hint)(?: the)?(?: {_A_KIND})? (?!it\b){_NAMES}(?: {_A_KIND})?(?: (?:of|in) (?P<function>[`]?[^\W\d][\w.]*(?:\(\))?`?))?"
    rf" (?:as|with|to be) (?!return)(?:an? )?(?:type )?(?P<hint>{_TYPE}|`?[^\W\d][\w.]*`?)(?: too)?(?=$|,|\.| in | and )",
    re.IGNORECASE,
)
_PAIR = re.compile(
    rf"(?:\bthe )?(?:\b{_A_KIND} )?(?<![\w.])(?!(?:and|it|its|that|this|the|which|result|function|method|type|hints?|types|where|all|both|be|should|must|is|are|always)\b){_NAMES}(?: {_A_KIND})?{_OF}"
    rf"(?:{_IS}|:(?: an?)?) (?P<hint>{_TYPE})(?![\w.])",
    re.IGNORECASE,
)
_BESIDE = re.compile(
    rf"(?<![\w.])(?!(?:and|it|its|the|an?|type|hints?|types|with|as|to|is|are|takes|missing|of|for)\b){_NAMES}"
    rf"(?: (?:an? )?(?P<hint>(?:(?:{'|'.join(sorted({*_PLAIN, *_ENGLISH}, key=len, reverse=True))})(?!\w)|(?-i:[A-Z])[\w.]*){_BRACKETS})(?=,|$|\)| and|[ {TAKEN}]*$)| ?\((?:an? )?(?P<hint2>{_TYPE})\))",
    re.IGNORECASE,
)
_FOR = re.compile(
    rf"\b(?P<hint>{_TYPE}) (?:for|on) (?:the )?(?P<name>{_NAME})(?: {_A_KIND})?(?=,| and|$)",
    re.IGNORECASE,
)
_SAYS_SO = re.compile(
    r"\b(?:annotat\w+|declare|typed?|types|type[- ]?hints?|hints?|hinted|hinting|signature|say so)\b|->|→|=>",
    re.IGNORECASE,
)
_CHANGES_CODE = re.compile(
    r"\b(?:make|let) (?:it|them|that) (?:return|take|accept)|\b(?:takes?|accepts?) and (?:returns?|gives?)\b",
    re.IGNORECASE,
)
# A type of another name is no reason for the first.
_STATES_TYPE = re.compile(
    r"\b(?:return(?:s|ed)?|result|takes|accepts)\b|^(?:and )?(?!it\b|that\b|this\b|they\b|which\b)[^\W\d]\w*(?:,? (?:and )?\w+)? (?:is|are) ",
    re.IGNORECASE,
)
_HEADING = re.compile(r"(?:in |for )?`?[\w.]+(?:\(\))?`?:|.* (?:in|of) \w", re.IGNORECASE)
_KNOWN = words_of(
    """
    annotate annotated annotation annotations type types typed typing hint hints hinted type-hint type-hints signature say
    declare declared declaring mark parameter parameters argument arguments param params arg args variable constant field
    attribute return returns returning takes take taking accepts accept expects expect gets full correct right missing
    following given put into as change update python specify state that
    """
)
_COUNTS = {"all": "", "every": "", "each": "", "two": 2, "three": 3, "four": 4, "five": 5, "both": 2}  # fmt: skip


def _hints(text: str) -> AddTypeHints | None:
    """The intent of a request for type hints, the result's last; ``None`` for another request, if a name has no type or
    is there twice, several functions are named, the function is missing where parameters are not named, or words are
    left that are not known.

    Words have to say that types are asked for ("annotate", "->"), unless all of the sentence states types of a
    function.
    """
    if _CHANGES_CODE.search(text):
        return None
    is_stated = _SAYS_SO.search(text)
    if not is_stated and (not _HEADING.match(text) or re.search(r"\b(?:should|must|make)\b", text)):
        return None
    unread = UnreadText(text)
    pairs: list[tuple[str, str]] = []
    functions: list[str] = []
    for pattern in (_TYPED, _TAKEN_AS, _RESULT, _ALL, _TAKEN, _PAIR):
        for found in unread.take_all(pattern):
            parts = found.groupdict()
            pairs += _pairs(pattern, parts)
            functions += filter(None, [parts.get("function"), parts.get("function2")])
    if unread.take(_SAME):
        pairs += [("->", hint) for _, hint in pairs] if len(pairs) == 1 else [("", "")]
    function = functions[0] if functions else unread.take_function(_KNOWN)
    for pattern in (_BESIDE, _FOR):
        for found in unread.take_all(pattern):
            pairs += _pairs(pattern, found.groupdict())
    function = function or unread.take_only_word(_KNOWN)
    names = [name for name, _ in pairs or [("", "")]]
    if any(name in ("", "on", "if", "when", "return", "raise", "to", "in", "of") for name in names):
        return None
    if not function and all(name == "->" or name[0] == "*" for name in names):
        return None
    if not unread.says_only(_KNOWN) or len({*names}) < len(names) or len({*functions}) > 1:
        return None
    pairs.sort(key=lambda pair: (pair[0] == "->", text.find(pair[0])))
    hints = tuple((plain_name(name), _written(hint)) for name, hint in pairs)
    return AddTypeHints(plain_name(function), hints)


def _pairs(pattern: re.Pattern[str], parts: dict[str, str | None]) -> list[tuple[str, str]]:
    """The names and types in the groups ``parts`` of a match of ``pattern``, in order. ``->`` is the result, ``*`` the
    only parameter, ``*1/2`` the first of two, ``**`` all, ``**3`` all three.
    """
    hint = next(
        (parts[key] or "" for key in ("hint", "hint2", "hint3", "hint4") if parts.get(key)), ""
    )
    if pattern is _RESULT:
        return [("->", hint)]
    if pattern is _ALL:
        count = (
            parts["count"] or parts["count2"] or parts["both"] or parts["quantity"] or ""
        ).lower()
        return [(f"**{_COUNTS.get(count, count)}", hint)]
    if pattern is _TAKEN:
        hints = re.findall(
            rf"(?:an? )?({_TYPE})(?:, ?(?:and )?| and |$)", parts["hints"] or "", re.IGNORECASE
        )
        if len(hints) == 1:
            return [("*", hints[0])]
        return [(f"*{at}/{len(hints)}", hint) for at, hint in enumerate(hints, start=1)]
    return [(name, hint) for name in re.split(r",? and |, ?| & ", parts["name"] or "") if name]


def _written(hint: str) -> str:
    """A type in the words of Python, also inside others: ``list[str]`` for "list of strings", ``str | None`` for
    "optional string"; unknown words as they are, without backticks.
    """
    hint = hint.strip()
    if found := re.fullmatch(r"(?:optional|nullable) (.+)", hint, re.IGNORECASE):
        return f"{_written(found[1])} | None"
    if found := re.fullmatch(r"(.+) or (?:None|null)", hint, re.IGNORECASE):
        return f"{_written(found[1])} | None"
    if found := re.fullmatch(
        r"(list|array|set|tuple|iterable|sequence)s? of (.+)", hint, re.IGNORECASE
    ):
        outer = {"array": "list", "iterable": "Iterable", "sequence": "Sequence"}.get(
            found[1].lower(), found[1].lower()
        )
        item = _written(found[2])
        return f"tuple[{item}, ...]" if outer == "tuple" else f"{outer}[{item}]"
    if found := re.fullmatch(
        r"(?:dict|dictionary|map|mapping|dictionaries|dicts|maps) (?:of|from) (\S+) (?:to|and|->) (\S+)",
        hint,
        re.IGNORECASE,
    ):
        return f"dict[{_written(found[1])}, {_written(found[2])}]"
    bare = hint.strip("`")
    return _ENGLISH.get(bare.lower(), bare)


ADD_TYPE_HINTS = Guess(
    "add-type-hint",
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
        (
            "annotate join: both args are strings, returns a list of ints",
            AddTypeHints("join", (("**2", "str"), ("->", "list[int]"))),
        ),
        (
            "join takes a str and an int and gives back an Optional[Path], add annotations",
            AddTypeHints("join", (("*1/2", "str"), ("*2/2", "int"), ("->", "Optional[Path]"))),
        ),
        (
            "getUser: id is string, returns Promise<User[]>",
            AddTypeHints("getUser", (("id", "str"), ("->", "Promise<User[]>"))),
        ),
        (
            "isOpen takes a Date (d) and returns boolean, add the types",
            AddTypeHints("isOpen", (("d", "Date"), ("->", "bool"))),
        ),
        (
            "Shop.add takes a Stock and returns None, put that into the signature",
            AddTypeHints("Shop.add", (("*", "Stock"), ("->", "None"))),
        ),
        ("is_open -> bool", AddTypeHints("is_open", (("->", "bool"),))),
    ),
    near_misses=(
        "add type hints to load",
        "size should be an int",
        "annotate load with the right types",
        "load returns a list, make it a generator",
        "fetch should return an int",
        "annotate load: path is a str, and make it return a list",
        "annotate load but not size: path is a str",
        "load: path is a str, body is whatever comes, returns bytes",
    ),
    reads_all_words=True,
    says_more=_STATES_TYPE,
)
"""Types of several parameters, of a result, or of a variable."""
