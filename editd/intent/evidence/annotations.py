"""Evidence for type hints: parameters of a function that the buffer has, its result, and the types that stand beside them.

"itemCount has implicit any on n => number, result string" names two places and two types, in turns. A type without a place, or a place
without a type, and nothing is read. Standard library only.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from editd.intent.evidence.buffer_facts import BufferFacts
from editd.intent.evidence.interpretation import Interpretation
from editd.intent.evidence.whole_requests import Span, accounts_for, functions_in
from editd.intent.intents import AddTypeHints, Several

CUE = re.compile(
    r"\b(?:type[- ]?hint\w*|hint(?:s|ed)?|annotat\w+|types?|typed|typing|untyped|signature|implicit(?:ly)?[- ]any|declared?|mypy|pyright|pylance|tsc|returns? type|(?:put|write|add|mark|note|state|say|make)(?: it| that| this| so)? (?:in|down|so|as|explicit|explicitly|there)|put (?:it|that) in|say so|write (?:it|that) down"
    r"|spell(?:ed)?(?: it)? out|accordingly|what it (?:returns|takes|gives back))\b",
    re.IGNORECASE,
)
_SCRIPTS = ("typescript", "tsx")
_IN_PYTHON = {
    "string": "str", "strings": "str", "str": "str", "strs": "str", "integer": "int", "integers": "int", "int": "int", "ints": "int",
    "float": "float", "floats": "float", "boolean": "bool", "booleans": "bool", "bool": "bool", "bools": "bool", "bytes": "bytes",
    "list": "list", "lists": "list", "dict": "dict", "dicts": "dict", "dictionary": "dict", "dictionaries": "dict", "set": "set", "sets": "set",
    "tuple": "tuple", "tuples": "tuple", "none": "None", "nothing": "None", "object": "object", "array": "list", "complex": "complex",
    "any": "Any", "callable": "Callable", "iterator": "Iterator", "iterable": "Iterable", "generator": "Generator",
}  # fmt: skip
_IN_TYPESCRIPT = {
    "string": "string", "strings": "string", "str": "string", "number": "number", "numbers": "number", "int": "number", "ints": "number",
    "integer": "number", "float": "number", "floats": "number", "boolean": "boolean", "booleans": "boolean", "bool": "boolean", "bools": "boolean",
    "void": "void", "nothing": "void", "none": "void", "any": "any", "unknown": "unknown", "never": "never", "null": "null", "undefined": "undefined",
    "bigint": "bigint", "date": "Date", "object": "object",
}  # fmt: skip
_A_NAME = r"[^\W\d][\w$]*(?:\.[^\W\d]\w*)*"
_BRACKETS = r"(?:\[(?:[^\[\]]|\[[^\[\]]*\])+\]|<(?:[^<>]|<[^<>]*>)+>|\[\])"
_WRITTEN = rf"{_A_NAME}(?:{_BRACKETS})*(?: ?\| ?{_A_NAME}(?:{_BRACKETS})*)*"
_RETURNS = re.compile(
    r"\b(?:(?:the |its |and |it )*(?:returns?(?:[- ](?:type|value|annotation|hint)s?)?|returning|results?(?: type)?|gives? back|giving back|gives|giving|yields|produces|hands back|output)(?: (?:of|is|are|should be|too))?)(?![\w(])",
    re.IGNORECASE,
)
_ALL = re.compile(
    r"\b(?P<number>all(?: (?:two|three|four|five|six|\d))?|both|the two|the three)(?: of)?(?: the| its)? (?:params?|parameters|args?|arguments|of them)\b",
    re.IGNORECASE,
)
_NUMBERS = {"both": 2, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6}
_TAKES = re.compile(
    r"\b(?:takes?|taking|accepts?|accepting|expects?|expecting|receives?|wants?)\b", re.IGNORECASE
)
_RESULT_OF_SIGNATURE = re.compile(r"\): ?(?=\w)")
_BOTH_WAYS = re.compile(r"\b(?:takes?|accepts?) (?:and )?(?:also )?$", re.IGNORECASE)
_BACK = re.compile(r" (?:(?:is|are|gets|comes|come|goes) )?(?:back|returned|out)\b", re.IGNORECASE)
_IN = re.compile(r" (?:goes |comes )?in\b(?=[,;.]|$| and\b)", re.IGNORECASE)
_AS = re.compile(r"\b(?:as|with|to)(?: an?)? $", re.IGNORECASE)
_FOR = re.compile(r" (?:for|on|as)(?: the| its)? ", re.IGNORECASE)
MODAL = re.compile(
    r"\b(?:make|let|should|must|has to|have to|needs to|shall|can|convert|change|turn|cast|parse)\b",
    re.IGNORECASE,
)
_ANY = re.compile(r"\bimplicit(?:ly)?(?: an?)?[- ]`?any`?\b", re.IGNORECASE)
_IN_DOUBT = re.compile(r"\?(?=\s+\w)|\b(?:could|might|may) be\b", re.IGNORECASE)
_ARROW = re.compile(r"->|→")
_SAME = re.compile(r"\b(?:too|also|as well|the same|likewise)\b", re.IGNORECASE)
_ABOUT = frozenset(
    """
    type types typed typing untyped hint hints hinted type-hint type-hints annotate annotates annotated annotating annotation annotations signature param params parameter
    parameters argument arguments arg args return returns returned result value implicit implicitly any missing declare declares declared
    mypy pyright tsc strict takes take accepts expects gives give giving like add say says so no has have lacks complete still each add missing
    untyped none explicit it both all two three optional mark put write down state tell tells spell accordingly note in out signature goes
    """.split()  # noqa: SIM905
)


@dataclass(slots=True)
class _Hints:
    """The types that have been read so far. waiting: places that have none yet. positional: types of parameters in their order."""

    found: dict[str, str] = field(default_factory=dict)
    waiting: list[str] = field(default_factory=list)
    positional: list[str] = field(default_factory=list)
    spans: list[Span] = field(default_factory=list)
    last: str = ""
    takes: bool = False
    is_broken: bool = False

    def place(self, name: str) -> None:
        """Wait for the type of a place."""
        self.takes = False
        if name in self.found or name in self.waiting:
            self.is_broken = self.is_broken or name != "->"
            return
        self.waiting.append(name)

    def type(self, hint: str, count: int = 1) -> None:
        """Give the waiting places their type, or ``count`` parameters in their order."""
        self.last = hint
        if self.waiting:
            self.found |= dict.fromkeys(self.waiting, hint)
            self.waiting.clear()
        elif self.takes:
            self.positional += [hint] * count
        else:
            self.is_broken = True


def read_annotation(text: str, facts: BufferFacts) -> Iterator[Interpretation]:
    """Yield the types that ``text`` gives to parameters and the result of the one function that it names, or to a parameter that only
    one function has; nothing if a place or type is left over, or it asks for more.
    """
    if facts.language not in ("python", *_SCRIPTS):
        return
    if _IN_DOUBT.search(text):
        return
    functions = functions_in(text, facts, facts.parameters)
    function = functions[0] if len(functions) == 1 else ""
    parameters = _shared(functions, facts) if functions else _lonely(facts)
    hints = _hints_in(text, function, parameters, facts)
    pairs = _pairs(hints, parameters, text) if hints else None
    if hints is None or not pairs or (not functions and "->" in dict(pairs)):
        return
    if not CUE.search(text) and (
        MODAL.search(text) or (len(pairs) == 1 and not re.search(r":|->|→|\badd\b", text))
    ):
        return
    if not accounts_for(text, hints.spans, {*_ABOUT, *functions}, facts):
        return
    written = ", ".join(
        f"{name}: {hint}" if name != "->" else f"result {hint}" for name, hint in pairs
    )
    each = tuple(AddTypeHints(name, tuple(pairs)) for name in functions or ("",))
    yield Interpretation(
        each[0] if len(each) == 1 else Several(each),
        f"annotate {' and '.join(functions) or 'the parameter'}: {written}",
        reads_all=True,
    )


def _shared(functions: tuple[str, ...], facts: BufferFacts) -> tuple[str, ...]:
    """The parameters that all of some functions have."""
    first, *others = (facts.parameters[name.rpartition(".")[2]] for name in functions)
    return tuple(name for name in first if all(name in other for other in others))


def _lonely(facts: BufferFacts) -> tuple[str, ...]:
    """The parameters that only one function of the buffer has."""
    names = [name for parameters in facts.parameters.values() for name in parameters]
    return tuple(name for name in names if names.count(name) == 1)


def _hints_in(
    text: str, function: str, parameters: tuple[str, ...], facts: BufferFacts
) -> _Hints | None:
    """The types and places of a request in their order; ``None`` for a place with two types, or a type without a place."""
    hints = _Hints()
    names = sorted({*parameters, *(f"`{x}`" for x in parameters)}, key=len, reverse=True)
    place = re.compile(
        rf"(?<![\w.$]){'(?:' + '|'.join(map(re.escape, names)) + ')' if names else '(?!)'}(?:'s)?(?![\w$(]|\.\w)"
    )
    own = re.compile(rf"(?<![\w.$]){re.escape(function)}(?:\(\))?(?![\w$])" if function else "(?!)")
    at = 0
    while at < len(text):
        start = at
        if match := own.match(text, at) or _ANY.match(text, at):
            at = match.end()
            if text[match.start() : at].endswith("()") and re.match(r": ?\w", text[at:]):
                hints.place("->")  # "reset(): void"
        elif (match := place.match(text, at)) and not _is_article(match, text, facts):
            hints.place(match[0].strip("`").removesuffix("'s"))
            hints.spans.append(match.span())
            at = match.end()
        elif match := _ALL.match(text, at):
            number = next(
                (n for word, n in _NUMBERS.items() if word in match["number"].lower()), 0
            ) or int(re.sub(r"\D", "", match["number"]) or 0)
            if number and number != len(parameters):
                return None
            for name in parameters:
                hints.place(name)
            hints.spans.append(match.span())
            at = match.end()
        elif match := _RETURNS.match(text, at):
            if (
                hints.takes
                and not hints.positional
                and _BOTH_WAYS.search(text, 0, at)
                and len(parameters) == 1
            ):
                hints.place(parameters[0])  # "takes and returns a str"
            hints.takes = False
            hints.place("->")
            hints.spans.append(match.span())
            at = match.end()
        elif match := _RESULT_OF_SIGNATURE.match(text, at):
            hints.place("->")
            at = match.end()
        elif match := _ARROW.match(text, at):
            if not hints.waiting and "->" not in hints.found:
                hints.place("->")
            at = match.end()
        elif match := _TAKES.match(text, at):
            hints.takes = not hints.waiting
            hints.spans.append(match.span())
            at = match.end()
        elif typed := type_at(text, at, facts):
            hint, at = typed
            if not hints.waiting:
                at = _place_behind(text, at, place, hints)
            if not hints.waiting and (goes := _IN.match(text, at)) and len(parameters) == 1:
                hints.place(parameters[0])  # "float in, float out"
                at = goes.end()
            if not (hints.waiting or hints.takes) and _is_result(
                hint, text[:start], function, facts
            ):
                hints.place("->")
            counted = re.search(r"\b(two|three|four|five|\d) $", text[:start])
            number = (_NUMBERS.get(counted[1]) or int(counted[1])) if counted else 1
            hints.type(hint, number)
            hints.spans.append((start, at))
        else:
            at = _next(text, at)
        if hints.is_broken:
            return None
    return hints


def _place_behind(text: str, at: int, place: re.Pattern[str], hints: _Hints) -> int:
    """Wait for the type that ends at ``at`` with the place that stands behind it: "a str comes back", "int for the size". Returns where
    that ends; ``at`` if none does.
    """
    if back := _BACK.match(text, at):
        hints.place("->")
        return back.end()
    if own := place.match(text, at + 1):
        hints.place(own[0].strip("`").removesuffix("'s"))  # "a str path"
        return own.end()
    if lead := _FOR.match(text, at):
        if named := place.match(text, lead.end()):
            hints.place(named[0].strip("`").removesuffix("'s"))
            return named.end()
        if result := _RETURNS.match(text, lead.end()):
            hints.place("->")
            return result.end()
    return at


def _is_result(hint: str, before: str, function: str, facts: BufferFacts) -> bool:
    """Whether a type behind "as" or "with" can only be that of a result: the function has no parameters, or it is a promise."""
    if not function or not _AS.search(before):
        return False
    return hint.startswith("Promise<") or not facts.parameters.get(
        function.rpartition(".")[2], ("",)
    )


def _is_article(match: re.Match[str], text: str, facts: BufferFacts) -> bool:
    """Whether a name is the article before a type, or "I"."""
    if match[0].lower() not in ("a", "an", "i"):
        return False
    return match[0] == "I" or type_at(text, match.end() + 1, facts) is not None


def _next(text: str, at: int) -> int:
    """The offset of the next word or sign."""
    word = re.compile(r"[\w$]+").match(text, at)
    return word.end() if word else at + 1


def type_at(text: str, at: int, facts: BufferFacts) -> tuple[str, int] | None:
    """The type that stands at ``at``, in the words of the language, and where it ends; ``None`` for another word."""
    if at and re.match(r"[\w$.]", text[at - 1]):
        return None
    table = _IN_TYPESCRIPT if facts.language in _SCRIPTS else _IN_PYTHON
    promised = re.compile(r"Promise of (?:an? )?(?P<of>[\w.]+)").match(text, at)
    if promised and (inner := _plain(promised["of"], table, facts)):
        return f"Promise<{inner}>", promised.end()
    listed = re.compile(r"(?:list|array|lists|arrays) of (?P<of>[\w.]+)", re.IGNORECASE).match(
        text, at
    )
    if listed:
        inner = _plain(listed["of"], table, facts) or _plain(
            listed["of"].removesuffix("s"), table, facts
        )
        if inner:
            return (f"{inner}[]" if facts.language in _SCRIPTS else f"list[{inner}]"), listed.end()
    written = re.compile(
        rf"`?(?P<type>{_WRITTEN})`?(?P<none> or (?:None|null|undefined|nothing))?"
    ).match(text, at)
    if written is None:
        return None
    hint = _plain(written["type"], table, facts)
    if hint is None:
        return None
    none = written["none"]
    if none:
        hint += (
            " | None"
            if facts.language == "python"
            else f" | {none.split()[-1]}".replace("None", "null").replace("nothing", "null")
        )
    return hint, written.end()


def _plain(word: str, table: dict[str, str], facts: BufferFacts) -> str | None:
    """A type in the words of the language; ``None`` for a word that is no type: neither a basic one, nor a name of the buffer in capitals,
    nor with a module of the buffer before it, nor with brackets around such.
    """
    lower = word.lower()
    if lower in table and (
        word == lower
        or word in ("None", "Any", "Callable", "Iterator", "Iterable", "Generator", "Date")
    ):
        return table[lower]
    if re.search(r"[\[<|]", word):
        names = re.findall(_A_NAME, word)
        return (
            word
            if all(_plain(x, table, facts) is not None or x[0].isupper() for x in names)
            else None
        )
    first, _, rest = word.partition(".")
    if rest:
        return word if first in facts.names and (first not in facts.definitions) else None
    is_type = (
        word in facts.names and re.match(r"[A-Z]", word) and not re.fullmatch(r"[A-Z0-9_]+", word)
    )
    return (
        word
        if is_type or (word in ("Promise", "Optional", "Any", "Path") and word in facts.names)
        else None
    )


def _pairs(hints: _Hints, parameters: tuple[str, ...], text: str) -> list[tuple[str, str]] | None:
    """The places with their types; ``None`` if a place has none, or not as many types are given in order as there are parameters."""
    if hints.waiting:
        if not hints.last or not _SAME.search(text):
            return None
        hints.found |= dict.fromkeys(hints.waiting, hints.last)
    pairs = list(hints.found.items())
    if hints.positional:
        named = [name for name, _ in pairs if name != "->"]
        if named or len(hints.positional) != len(parameters):
            return None
        pairs = [*zip(parameters, hints.positional, strict=True), *pairs]
    return pairs
