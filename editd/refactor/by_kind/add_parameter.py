"""A new parameter: its function, name, default, type and place stand somewhere in the sentence, and what it is for.

The name is the word that most signs speak for: beside "parameter", behind "called" or "takes a", in backticks, or unknown to the buffer.
What the sentence puts off ("I'll wire it up later") is no obstacle; a use that it asks for is made whole, or nothing is.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

from editd.intent.english import FUNCTION_WORDS
from editd.intent.evidence import BufferFacts
from editd.intent.evidence.filler import FILLER
from editd.intent.evidence.parameters import (
    ABOUT,
    LATER,
    NOUN,
    POSITION,
    PRONOUN,
    PUT_TO_USE,
    REASON,
    TO_CHOOSE,
    TYPES,
    USES,
    VALUE,
    WrittenParameter,
    as_code,
    is_last,
    parts_of,
    signature_in,
    with_blanks,
    written_in,
)
from editd.intent.evidence.whole_requests import asks_for_more
from editd.intent.intents import IntroduceParameter
from editd.intent.word_forms import words_in
from editd.refactor.by_kind.request import KindRequest, Reader
from editd.refactor.by_kind.sentence import functions_of, is_list, sentence_of
from editd.refactor.candidates import Candidates
from editd.syntax.function_bodies import body_of

_WORDS = "zero one two three four five six seven eight nine ten eleven twelve"
_NUMBERS = {word: str(n) for n, word in enumerate(_WORDS.split())}
_NUMBERS |= {"twenty": "20", "thirty": "30", "forty": "40", "fifty": "50", "sixty": "60"}
_DEFAULT_VALUE = rf"`?(?P<value>(?:an? )?(?:single )?(?:space|empty (?:list|array|dict|object))|{VALUE})`?(?![\w(])"
_OMITTED = r"(?:(?:it(?:'s| is)|they are|one is) )?(?:not (?:given|passed|set|specified|said)|omitted|missing|left out|absent|unset|none is given)|(?:i|you|we|nobody|one|the caller|callers?) (?:don't |do not |doesn't )?(?:gives?|pass(?:es)?|sets?|says?|specif(?:y|ies))(?: (?:one|it|any(?:thing)?|none|nothing|otherwise))?"
_DEFAULTS = (
    re.compile(rf"\b(?:defaults?|defaulting|defaulted)(?: value)?(?: (?:to|is|of|as|being|should be|equals))?:? {_DEFAULT_VALUE}", re.IGNORECASE),
    re.compile(rf"{_DEFAULT_VALUE} (?:by default|as (?:the |a |its )?default(?: value)?|(?:is|being) the default|(?:if|when|unless) (?:{_OMITTED}|given|passed|specified|set|told|said))", re.IGNORECASE),
    re.compile(rf"\bequals {_DEFAULT_VALUE}", re.IGNORECASE),
    re.compile(rf"(?:\b(?:is|be|to|with)|=) {_DEFAULT_VALUE}(?:(?=$|[,.;)])|,? (?:if|when|unless)\b)", re.IGNORECASE),
)  # fmt: skip
_TAKES = re.compile(
    r"\b(?:takes?|taking|accepts?|accepting|gets?|needs?|wants?|have|has|receives?|supports?|allows?|adds?|lacks?|by|with|introduce|give\w*)"
    r"(?: (?:also|now|in|itself|\w+\(\)))?(?: (?:an?|the|one|some|another|new|optional|extra|additional|further|second|third|fourth|typed|as|more))*\W*$",
    re.IGNORECASE,
)
_MADE_ONE = re.compile(rf"\bmake (?:it|that|this) (?:an?|the) (?:\w+ )?{NOUN}\b", re.IGNORECASE)
_SUBJECT = re.compile(r"\s*(?:the (?:[\w-]+ ){0,3})?[`'\"]?", re.IGNORECASE)
_CALLED = re.compile(r"\b(?:called|named|name|namely)\W*$", re.IGNORECASE)
_BEFORE = re.compile(rf"\b{NOUN}(?:,| -|:| for| is| of)?(?: the)?\W*$", re.IGNORECASE)
_BEHIND = re.compile(rf"\W*(?: as (?:an?|the|its))?(?: \w+){{0,2}}? {NOUN}\b", re.IGNORECASE)
_NO_NAME = frozenset(
    """
    called named whose default defaults value to be with for is type types typed list dict empty string space true false none null
    """.split()  # noqa: SIM905
)
_TYPE = re.compile(rf"\b(?:an? )?(?P<type>{'|'.join(TYPES)})s?\b", re.IGNORECASE)
_USING = re.compile(
    r"\b(?:us(?:e|es|ed|ing)|pass(?:es|ed)?|hand(?:s|ed)?|gives?|given|forward(?:s|ed)?|feed|fed|check(?:s|ed)?|compare[sd]?|sleep(?:s|ed)?|opens?|opened"
    r"|multipl\w+|divid\w+|append(?:s|ed)?|store[sd]?|keeps?|kept|saves?|saved|sends?|sent|goes|reads?|appl\w+|respect\w*|puts?|replace[sd]?|instead of|gets)\b",
    re.IGNORECASE,
)
_STORED = re.compile(
    r"\b(?:stor\w*|keep\w*|sav\w*|put\w*|includ\w*|sen[dt]\w*|writ\w*|add\w*)\b.*\b(?:in|into|on|onto|along|with|to|after)\b",
    re.IGNORECASE,
)
_KEPT = re.compile(r"\b(?:stor\w*|sav\w*|includ\w*|remember\w*|keeps?)\b", re.IGNORECASE)
_COMMON = ("0", "1", "None", "True", "False", "null", "true", "false", '""', "''", "[]", "{}", "()")
"""Values that stand in a body for many reasons, so that a use needs more than that one is there."""
_IT_GOES = re.compile(r"\s*(?:it|this|that) (?:is|gets|goes|should|shall|has to)\b", re.IGNORECASE)
_PASSED = re.compile(
    r"\b(?:pass\w*|hand\w*|gives?|given|forward\w*|feed|fed|sent|goes)\b.*?\b(?:to|into) (?:the )?`?(?:\w+\.)*(?P<callee>[^\W\d]\w*)",
    re.IGNORECASE,
)
_PRONOUNS = frozenset(
    """
    this that these those which what with same other such each every some
    """.split()  # noqa: SIM905
)
_SHORTEST = 4  # letters of a word of English that may be a name
_NEAR = 4  # characters between a name and its default
_ONE_WORD = 2  # signs that a name needs


def _add_parameter(request: KindRequest) -> Iterator[Candidates]:
    """Yield the text with the parameter of the function that the sentence names, used as it says."""
    text = sentence_of(request)
    facts = request.facts
    if any(PRONOUN.match(x) for x in request.staying):
        return  # "and keep it in self.port" is a use
    found: dict[str, Candidates] = {}
    for intent in _intents(text, facts, request):
        if made := request.done(intent):
            found[made.texts[0]] = made
            if intent.stored_with:
                break
    if len(found) == 1:
        yield from found.values()


def _intents(text: str, facts: BufferFacts, request: KindRequest) -> Iterator[IntroduceParameter]:
    """Yield the ways to put the parameter to the use that the sentence asks for, or the parameter alone if it asks for none."""
    signature = signature_in(text, facts)
    if signature:
        parameter, function = signature
    else:
        written = written_in(text, facts) or _described_in(text, facts)
        if written is None:
            return
        parameter = written
        blanked = with_blanks(text, parameter.spans)
        end = max(x[1] for x in parameter.spans)
        functions = functions_of(blanked[:end], facts) or functions_of(blanked, facts)
        functions = tuple(x for x in functions if x.rpartition(".")[2] in facts.parameters)
        if not functions:
            return
        function = functions[0]
        if len(functions) > 1 and (
            is_list(functions[:2], text) or not _is_first(functions, text, parameter)
        ):
            return
    blanked = with_blanks(text, parameter.spans)
    own = facts.parameters.get(function.rpartition(".")[2], ())
    if parameter.name in own or not is_last(POSITION.search(blanked), own):
        return
    plain = IntroduceParameter(function, parameter.name, parameter.default, hint=parameter.hint)
    uses = _uses_in(text, parameter, function, facts)
    if uses is None:
        return
    is_spoken_of = parameter.default.strip("'\"") in blanked[: parameter.spans[0][0]]
    if not uses and not LATER.search(text):
        is_in_body = parameter.default in _body(function, request)
        uses = [""] * bool(TO_CHOOSE.search(text) or (is_spoken_of and is_in_body))
    if not uses:
        yield plain
    for use in uses:
        yield from _with_use(plain, use, facts)


def _body(function: str, request: KindRequest) -> str:
    """The text of a function below its head; empty if there is none of the name, or several."""
    found = body_of(function, request.code)
    return found.body if found else ""


def _is_first(functions: Sequence[str], text: str, parameter: WrittenParameter) -> bool:
    """Whether all functions but the first stand behind the parameter, where its use is spoken of."""
    end = max(x[1] for x in parameter.spans)
    return all(text.find(x.rpartition(".")[2]) > end for x in functions[1:])


def _described_in(text: str, facts: BufferFacts) -> WrittenParameter | None:
    """The parameter whose name and default stand in words; ``None`` without a default, and if no name, or several, fit best."""
    found = (x for pattern in _DEFAULTS for x in pattern.finditer(text))
    default = next((x for x in found if _value(x["value"], facts)), None)
    if default is None:
        return None
    value = _value(default["value"], facts)
    blanked = with_blanks(text, [default.span()])
    hint, spans = "", [default.span()]
    signs: Counter[str] = Counter()
    places: dict[str, tuple[int, int]] = {}
    for word in re.finditer(
        r"(?<![\w.$])(?P<quote>[`'\"]?)(?P<name>[^\W\d][\w$]*)(?P=quote)(?![\w$(/]|\.\w)", blanked
    ):
        name = word["name"]
        is_called = _CALLED.search(blanked, 0, word.start()) and name.lower() not in FILLER - ABOUT
        is_plain = name.lower() in ABOUT or name.lower() in TYPES
        if (is_plain and not is_called) or name.lower() in _NO_NAME or name in facts.parameters:
            continue
        points = _signs(word, blanked, facts, near=default.start())
        if points > signs[name]:
            signs[name], places[name] = points, word.span("name")
    best = signs.most_common(2)
    if not best or best[0][1] < _ONE_WORD or (len(best) > 1 and best[1][1] == best[0][1]):
        return None
    name = best[0][0]
    if facts.language in ("typescript", "tsx") and (
        kind := _TYPE.search(with_blanks(blanked, [places[name]]))
    ):
        hint = TYPES[kind["type"].lower()]
        spans.append(kind.span())
    return WrittenParameter(name, value, hint, (places[name], *spans))


def _signs(word: re.Match[str], text: str, facts: BufferFacts, *, near: int) -> int:
    """The number of signs that speak for a word as the name of the parameter. near: the place of its default."""
    name = word["name"]
    before, start, end = text[: word.start()], word.start(), word.end()
    is_noun = _BEFORE.search(before) or _BEHIND.match(text, end)
    if name.lower() in FILLER and not _CALLED.search(before):
        is_name = len(name) >= _SHORTEST and re.match(rf"[`'\"]? {NOUN}\b", text[end:])
        return _ONE_WORD * bool(is_name and name.lower() not in _PRONOUNS)
    is_code = "_" in name or re.search(r"[a-z][A-Z]", name) is not None
    return sum((
        3 * bool(_CALLED.search(before)),
        2 * bool(is_noun),
        2 * bool(word["quote"]),
        2 * (is_code and name not in facts.names),
        2 * bool(_TAKES.search(before)),
        3 * bool(_MADE_ONE.search(text, end) and _SUBJECT.fullmatch(before)),
        2 * (0 <= near - end < _NEAR),
        -1 * (start > near),
        -2 * (name in facts.definitions),
    ))  # fmt: skip


def _value(value: str, facts: BufferFacts) -> str:
    """A default as the language writes it; empty for a word that is no value of it."""
    value = value.rstrip(".")
    lower = re.sub(r"^(?:an? )?(?:single )?", "", value.lower())
    if lower in ("space", "empty list", "empty array", "empty dict", "empty object"):
        quote = as_code("empty string", facts)[0]
        return {"space": f"{quote} {quote}"}.get(
            lower,
            "[]" if lower[-1] in "ty" and "obj" not in lower and "dict" not in lower else "{}",
        )
    if lower in _NUMBERS:
        return _NUMBERS[lower]
    constants = {
        "true": "True",
        "false": "False",
        "none": "None",
        "null": "None",
        "nothing": "None",
    }
    if lower in constants:
        return (
            constants[lower]
            if facts.language == "python"
            else "null"
            if lower in ("none", "nothing")
            else lower
        )
    value = as_code(value, facts)
    is_name = re.fullmatch(r"[^\W\d][\w$]*(?:\.[^\W\d]\w*)*(?:\(\))?", value)
    return value if not is_name or value.partition(".")[0].rstrip("()") in facts.names else ""


def _uses_in(
    text: str, parameter: WrittenParameter, function: str, facts: BufferFacts
) -> list[str] | None:
    """The parts of the sentence that ask for a use of the parameter; ``None`` if a part asks for anything else."""
    uses = []
    start = min(x[0] for x in parameter.spans)
    for part_start, part in parts_of(text, sorted(parameter.spans)):
        blanked = with_blanks(text, parameter.spans)[part_start : part_start + len(part)]
        if LATER.search(part):
            continue
        is_own = any(a < part_start + len(part) and part_start < b for a, b in parameter.spans)
        if is_own and _speaks_of_body(blanked, parameter, function, facts):
            uses.append(blanked)
        if is_own or part_start < start:
            continue
        is_reason = REASON.match(part) and not _IT_GOES.match(part)
        if _USING.search(part) and not is_reason:
            uses.append(blanked)
        elif asks_for_more(part, {*ABOUT, function}) and not is_reason:
            return None
    return uses


def _speaks_of_body(
    text: str, parameter: WrittenParameter, function: str, facts: BufferFacts
) -> bool:
    """Whether words around the parameter that are not about it stand in the function's body: "add it to the sum"."""
    body = next((words for x, words in facts.bodies.items() if x.endswith(function)), frozenset())
    about = FILLER | ABOUT | {x.lower() for x in function.split(".")} | words_in(parameter.name)
    rest = {x.lower() for x in re.findall(r"[^\W\d_][\w]*", text)} - about
    return bool(
        rest & body - {x.lower() for x in facts.parameters.get(function.rpartition(".")[2], ())}
    )


_USE_OF_ANOTHER = re.compile(r"\b(?:for|as|in|instead of) the [^\W\d]", re.IGNORECASE)


def _with_use(
    plain: IntroduceParameter, use: str, facts: BufferFacts
) -> Iterator[IntroduceParameter]:
    """Yield the parameter passed to the call, or put into the place, that words for its use name."""
    if passed := _PASSED.search(use):
        yield replace(plain, callee=passed["callee"])
        return
    words = {*re.findall(r"[^\W\d][\w$]*", facts.text)} - FUNCTION_WORDS
    names = [x for x in re.findall(r"[^\W\d][\w$]*", use) if x in words]
    if _STORED.search(use) and (stored := tuple(x for x in names if x != plain.function)):
        yield replace(plain, stored_with=stored)
    is_common = plain.default in _COMMON and not re.search(r"instead|place of|fixed|hard", use)
    if _KEPT.search(use) or (is_common and not PUT_TO_USE.match(use)):
        return
    places = [
        x
        for x in re.findall(r"[^\W\d][\w$]*", use)
        if x.lower() in facts.words
        and x.lower() not in FILLER | USES
        and x not in (plain.name, plain.default, plain.function)
    ]
    for where in places or (() if _USE_OF_ANOTHER.search(use) else ("",)):
        yield replace(plain, is_used=True, where=where)


READERS: dict[str, Reader] = {"add_parameter": _add_parameter}
"""The reader of new parameters."""
