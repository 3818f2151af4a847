"""Evidence for a parameter that is added: its name and default stand in the request as code or in words, its function is named.

"prune gets a second arg dry_run=DRY_RUN and checks that one instead of the constant" has a part for the parameter and a part for its
use. Where the words say that it is used, it takes the place of its default; what the sentence puts off ("I'll wire it up later") is
left. Standard library only.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from editd.intent.evidence.buffer_facts import BufferFacts
from editd.intent.evidence.filler import FILLER, content_words
from editd.intent.evidence.interpretation import Interpretation
from editd.intent.evidence.narrowing import has_condition
from editd.intent.evidence.request_clauses import cut_sentence
from editd.intent.evidence.snippets import calls_in
from editd.intent.evidence.whole_requests import asks_for_more, functions_in
from editd.intent.intents import IntroduceParameter

_STRING = r"(?:\b[rbfu]{1,2})?(?:\"[^\"]*\"|'[^']*')"
VALUE = rf"(?:{_STRING}|-?\d[\d_.]*(?:[eE][-+]?\d+)?|(?:an? )?empty(?: (?:string|text|str))?\b|\[[^\[\]]*\]|\{{[^{{}}]*\}}|\((?:[\w.'\"-]+(?:, ?[\w.'\"-]+)+| ?)\)|[^\W\d][\w$]*(?:\.[^\W\d]\w*)*(?:\(\))?)"
_TYPE = r"[^\W\d][\w.]*(?:\[[\w., |]*\]+|<[\w., |]*>)?(?: ?\| ?[\w.]+)*"
NOUN = r"(?:parameters?|params?|args?|arguments?|kwargs?|keywords?(?: (?:args?|arguments?|params?|parameters?))?|options?|flags?|switch)"
_WRITTEN = re.compile(
    rf"(?<![\w.=<>!])`?(?P<name>[^\W\d][\w$]*)`?(?:: ?(?P<hint>{_TYPE}))? ?(?<![=!<>])=(?!=) ?(?P<default>{VALUE})`?(?![\w(])"
)
_NAMED = re.compile(
    rf"\b{NOUN}(?: please)?(?:,| -|:)?(?: (?:called|named|name|is|for|please))*,? (?:the )?[`'\"]?(?P<name>[^\W\d][\w$]*)[`'\"]?(?= |$|[,.;:()])"
    rf"|`(?P<ticked>[^\W\d][\w$]*)`"
    rf"|\b(?P<before>[^\W\d][\w$]*) (?:as (?:an?|the) )(?:\w+ )?{NOUN}\b",
    re.IGNORECASE,
)
_LED = re.compile(
    rf"\b(?:an?|the|new|optional|extra|additional) [`'\"]?(?P<name>[^\W\d][\w$]*)[`'\"]? {NOUN}\b",
    re.IGNORECASE,
)
_DEFAULT = re.compile(
    rf"\b(?:with |and |the |a |whose |its )*default(?:s|ing|ed)?(?: value)?(?: (?:to|is|of|as|being|should be))?:? ?`?(?P<default>{VALUE})`?(?![\w(])"
    rf"|`?(?P<first>{VALUE})`? (?:by default|as (?:the |a |its )?default(?: value)?|is the default|when (?:it(?:'s| is) )?(?:not given|omitted|missing|left out|absent|unset)|if (?:it(?:'s| is) )?(?:not given|omitted|missing|left out|unset|none is given|(?:i|you|we|nobody|one) (?:don't |do not )?(?:gives?|pass(?:es)?|sets?|says?|specif(?:y|ies)) (?:one|it|any(?:thing)?|none))|unless (?:it(?:'s| is) )?(?:given|passed|specified|set))\b",
    re.IGNORECASE,
)
_WANTED = re.compile(
    r"\b(?:needs?|gets?|takes?|wants?|accepts?|has|have|receives?|supports?) (?:also |now |to have )?(?:(?:an?|the|one|some|another|new|optional|extra|additional|further|second|third|fourth) )*"
    r"[`'\"]?(?P<name>[^\W\d]\w*)[`'\"]?(?= *(?:$|[,;.(]| (?:as well|too|string|number|bool\w*|int|str|with|defaulting|which|that|and)\b))",
    re.IGNORECASE,
)
_ADDED = re.compile(
    r"\badd (?:an? )?(?:new |optional )?`?(?P<name>[^\W\d]\w*)`?(?= to )", re.IGNORECASE
)
_WRITTEN_VALUES = {"zero": "0", "one": "1", "nothing": "None", "null": "null"}
_POSITIONS = {
    "second": 2, "2nd": 2, "third": 3, "3rd": 3, "fourth": 4, "4th": 4, "fifth": 5, "5th": 5, "first": 1, "1st": 1,
}  # fmt: skip
POSITION = re.compile(
    rf"\b(?:(?:as|at|in|on|to) )?(?:(?:the|a|its|very|new|one more|another) )*(?:(?P<number>{'|'.join(_POSITIONS)})(?= (?:\w+ )?(?:position|place|{NOUN})\b)|(?P<last>last|final|end|trailing)\b|after (?:the )?`?(?P<after>\w+)`?)",
    re.IGNORECASE,
)
LATER = re.compile(
    r"\b(?:only the (?:parameter|param|argument|arg)\b(?! of)|(?:i'll|i will|we'll|we will) (?:do|add|write|make|wire|handle) |later|tomorrow|yet|that'?s (?:fine|ok|okay|enough)|another (?:commit|pr|patch|time)|next (?:commit|pr|patch|week|step)|follow-?up|separately|myself|for now|at the moment|so far|signature only|only (?:in )?the signature|just (?:in )?the signature|not (?:yet )?used|unused|doesn't have to be used|no need to use|(?:without|don't|no) (?:using|use) it|nothing else(?: yet| changes)?|rest (?:comes|follows|i'll|later|is)|nothing else|later use|afterwards|body (?:stays|unchanged|comes))\b",
    re.IGNORECASE,
)
TYPES = {
    "string": "string", "str": "string", "number": "number", "int": "number", "integer": "number", "float": "number",
    "boolean": "boolean", "bool": "boolean",
}  # fmt: skip
_LIKE_A_TYPE = re.compile(
    r"(?:[A-Z]|str|string|int|float|bool|number|boolean|bytes|list|dict|set|tuple|any|unknown|object)\b|.*[\[<|.A-Z]"
)
A_TYPE = re.compile(rf"\b(?:an? )?(?P<type>{'|'.join(TYPES)})\b", re.IGNORECASE)
ABOUT = frozenset(
    """
    parameter parameters param params arg args argument arguments kwarg kwargs keyword option optional flag add adding gets get take takes
    accept accepts receive receives need needs want wants require has have new extra additional more another one last final end second third fourth
    2nd 3rd 4th after default defaults defaulting value signature positional configurable shall should called named give gave let allow support expect expects
    hard-coded hardcoded key string number bool boolean int str float integer introduce append please use position place function method set
    """.split()  # noqa: SIM905
)
USES = frozenset(
    """
    use uses used using check checks pass passes put puts read reads apply applies compare compares respect respects honor honors honour
    take takes send sends write writes test tests against instead constant global hard-coded hardcoded literal number value string magic there passed handed given forwarded fed sent used that
    in for on place where replace replaces call calls line old module-level name parameter param argument arg body inside over iterate iterates loop
    loops walk walks open opens hand hands give gives feed feeds forward forwards go goes strip strips split splits join joins format formats
    multiply multiplies divide divides subtract append appends fetch fetches save saves look looks path file directory folder url which along on through long
    """.split()  # noqa: SIM905
)
TO_CHOOSE = re.compile(
    r"\b(?:to choose|to configure|configurable|from outside|to decide|adjustable|to override|customi[sz]e|hard-?coded)\b",
    re.IGNORECASE,
)
PUT_TO_USE = re.compile(
    r"\s*(?:and )?(?:is |gets |be |then )?(?:used|passed|handed|sent|given|forwarded|fed)\b",
    re.IGNORECASE,
)
PRONOUN = re.compile(r"\b(?:it|that|this|those|these|them|which|there)\b", re.IGNORECASE)
_CUTS = re.compile(r",? (?:and|then|so(?! far\b))(?: then)? (?=\w)")


REASON = re.compile(
    r"\s*(?:because|since|so|it|it's|i|i'm|i'd|i'll|we|we're|the|this|they|for|as|nobody|everybody|some|our|my|that's|there|in case|when|if|otherwise|now|then)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class WrittenParameter:
    """A parameter of a request. spans: where its parts stand."""

    name: str
    default: str
    hint: str
    spans: tuple[tuple[int, int], ...]


def read_parameter(text: str, facts: BufferFacts) -> Iterator[Interpretation]:
    """Yield the one parameter that ``text`` adds to a function that it names, used in the place of its default if the words say so;
    nothing if a part is missing, the position is not the last one, or the request asks for more.
    """
    found = signature_in(text, facts)
    functions: tuple[str, ...]
    if found is not None:
        parameter, function = found
        functions = (function,)
    else:
        written = written_in(text, facts) or _described_in(text, facts)
        if written is None:
            return
        parameter = written
        functions = functions_in(with_blanks(text, parameter.spans), facts, facts.parameters)
    blanked = with_blanks(text, parameter.spans)
    functions = tuple(
        x for x in functions if facts.parameters.get(x.rpartition(".")[2]) is not None
    )
    position = POSITION.search(blanked)
    if not functions or not parameter.default:
        return
    use = _use_in(text, parameter, functions, facts)
    if use is None:
        return
    if len(functions) > 1:
        functions = (
            functions[:1] if use.is_used and facts.places_in(blanked)[:1] == functions[:1] else ()
        )
    for function in functions:
        parameters = facts.parameters[function.rpartition(".")[2]]
        if parameter.name in parameters or not is_last(position, parameters):
            continue
        words = f"add {parameter.name}={parameter.default} to {function}{' and use it' if use.is_used else ''}"
        intent = IntroduceParameter(
            function,
            parameter.name,
            parameter.default,
            callee=use.callee,
            is_used=use.is_used and not use.callee,
            hint=parameter.hint,
        )
        if use.callee or not use.is_used:
            yield Interpretation(intent, words, reads_all=True)
            continue
        for where in use.places or ("",):
            yield Interpretation(
                IntroduceParameter(
                    function,
                    parameter.name,
                    parameter.default,
                    is_used=True,
                    where=where,
                    hint=parameter.hint,
                ),
                words,
                reads_all=True,
            )


@dataclass(frozen=True, slots=True)
class _Use:
    """The use of a parameter. callee: the call that gets it. places: names of the code where it takes its default's place."""

    is_used: bool = False
    callee: str = ""
    places: tuple[str, ...] = ()


def with_blanks(text: str, spans: Sequence[tuple[int, int]]) -> str:
    """The text with blanks in the place of the spans."""
    for start, end in spans:
        text = text[:start] + " " * (end - start) + text[end:]
    return text


def signature_in(text: str, facts: BufferFacts) -> tuple[WrittenParameter, str] | None:
    """The parameter that a written signature has behind those of its function: ``upload(client, file, bucket = BUCKET)``."""
    for call in calls_in(text):
        name, _, rest = call.code.partition("(")
        parameters = facts.parameters.get(name)
        if parameters is None or name not in facts.definitions:
            continue
        listed = [re.split(r"[:=]", x)[0].strip() for x in rest.removesuffix(")").split(",")]
        listed = [x for x in listed if x not in ("self", "cls")]
        written = _WRITTEN.search(call.code)
        if tuple(listed[:-1]) == parameters and written and listed[-1] == written["name"]:
            return WrittenParameter(
                written["name"],
                written["default"],
                written["hint"] or "",
                ((call.start, call.end),),
            ), name
    return None


def written_in(text: str, facts: BufferFacts) -> WrittenParameter | None:
    """The one ``name=value`` of a request, also with a type: ``name: int = 1``; ``None`` for none or several. A function's name before
    a colon is no parameter: ``load: path=None``.
    """
    calls = [x for x in calls_in(text) if not x.code.endswith("()")]
    found = [
        at
        for at in _WRITTEN.finditer(text)
        if not any(x.start <= at.start() < x.end for x in calls)
    ]
    if len(found) > 1:
        found = [
            at for at in found if at["default"] != at["name"]
        ]  # "passed on as timeout=timeout"
    if len(found) != 1:
        return None
    [at] = found
    default = at["default"].rstrip(".")
    if at["hint"] and (at["name"] in facts.definitions or not _LIKE_A_TYPE.match(at["hint"])):
        return WrittenParameter(at["hint"], default, "", ((at.start("hint"), at.end()),))
    return WrittenParameter(at["name"], default, at["hint"] or "", (at.span(),))


def _described_in(text: str, facts: BufferFacts) -> WrittenParameter | None:
    """The parameter whose name and default a request has in words: "a second argument skip_rows, 0 by default"."""
    default = _DEFAULT.search(text)
    if default is None:
        return None
    rest = with_blanks(text, [default.span()])
    found = [*_NAMED.finditer(rest), *_LED.finditer(rest)]
    for at in (*found, *_WANTED.finditer(rest), *_ADDED.finditer(rest)):
        group = next(x for x in ("name", "ticked", "before") if at.groupdict().get(x))
        name = at[group]
        if name.lower() in FILLER | ABOUT or name in facts.definitions:
            continue
        spans = [at.span(group), default.span()]
        hint = ""
        if facts.language in ("typescript", "tsx") and (
            kind := A_TYPE.search(with_blanks(rest, [at.span(group)]))
        ):
            hint = TYPES[kind["type"].lower()]
            spans.append(kind.span())
        value = as_code((default["default"] or default["first"]).rstrip("."), facts)
        if value.lower() in FILLER and value != "None":
            continue
        return WrittenParameter(name, value, hint, tuple(spans))
    return None


def as_code(value: str, facts: BufferFacts) -> str:
    """A default as the language writes it: "empty string" in the quotes that the buffer has more of, "zero" as a digit."""
    if re.fullmatch(r"(?:an? )?empty(?: (?:string|text|str))?", value, re.IGNORECASE):
        marks = [x[:1] for x in facts.strings]
        return "''" if marks.count("'") > marks.count('"') else '""'
    return _WRITTEN_VALUES.get(value.lower(), value)


def is_last(position: re.Match[str] | None, parameters: Sequence[str]) -> bool:
    """Whether a position that is said, if any, is the one behind all parameters."""
    if position is None or position["last"]:
        return True
    if position["number"]:
        return _POSITIONS[position["number"].lower()] == len(parameters) + 1
    return (
        position["after"] == (parameters[-1] if parameters else "")
        or position["after"] not in parameters
    )


def _use_in(
    text: str, parameter: WrittenParameter, functions: Sequence[str], facts: BufferFacts
) -> _Use | None:
    """The use of the parameter that a request asks for; ``None`` if a part of it is neither for the parameter, nor for its use, nor a
    reason.
    """
    use = _Use()
    known = {x for name in functions for x in facts.parameters.get(name.rpartition(".")[2], ())}
    start, _ = parameter.spans[0]
    for part_start, part in parts_of(text, parameter.spans):
        blanked = with_blanks(text, parameter.spans)[part_start : part_start + len(part)]
        is_of_parameter = any(
            a < part_start + len(part) and part_start < b for a, b in parameter.spans
        )
        if is_of_parameter:
            rest = re.sub(r"\b(?:if|when)\b.*\b(?:given|omitted|unset)\b", " ", blanked)
            rest = POSITION.sub(" ", rest)
            if has_condition(rest) or not _has_only(
                rest, {*ABOUT, *functions, *known, parameter.default.lower()}
            ):
                return None
            continue
        if LATER.search(part):
            continue
        speaks_of_it = (
            PRONOUN.search(part)
            or PUT_TO_USE.match(part)
            or re.search(rf"\b{re.escape(parameter.name)}\b", part)
            or re.search(r"\binstead of\b", part)
        )
        if (
            part_start > start
            and speaks_of_it
            and not has_condition(re.sub(r"\binstead of\b", "", part))
        ):
            words = [
                x for x in content_words(part) if x != parameter.name and x.lower() not in USES
            ]
            words = [
                x
                for x in words
                if x not in (parameter.default, *functions) and x.lower() != parameter.name.lower()
            ]
            if all(x.lower() in facts.words for x in words):
                passes = re.search(
                    r"\b(?:pass(?:es|ed)?|hands?|handed|gives?|given|forwards?|forwarded|feeds?|fed|sent)\b.*\bto (?:the )?`?(?:\w+\.)*(?P<callee>[^\W\d]\w*)(?:\(\))?`?(?: call)?\s*$",
                    part.strip(" .!"),
                )
                if passes and passes["callee"].lower() in facts.words:
                    if parameter.name not in facts.parameters.get(
                        passes["callee"], (parameter.name,)
                    ):
                        return None
                    use = _Use(is_used=True, callee=passes["callee"])
                else:
                    use = _Use(is_used=True, places=tuple(words))
                continue
        is_behind = (
            part_start > start
            and not REASON.match(part)
            and not _has_only(part, {*ABOUT, *functions})
        )
        if (
            asks_for_more(part, {*ABOUT, *functions})
            or (speaks_of_it and part_start > start)
            or is_behind
        ):
            return None
    is_for_choice = TO_CHOOSE.search(text) is not None and not LATER.search(text)
    return _Use(is_used=True) if is_for_choice and not use.is_used else use


def parts_of(text: str, spans: Sequence[tuple[int, int]]) -> Iterator[tuple[int, str]]:
    """Yield the clauses of a request, those behind the parameter also cut at "and" and "then", each with its start."""
    hidden = text
    for start, end in spans:
        hidden = hidden[:start] + "\x00" * (end - start) + hidden[end:]
    last = spans[0][1]
    for clause in cut_sentence(hidden):
        start = clause.start
        for cut in _CUTS.finditer(clause.text):
            at = clause.start + cut.start()
            if at >= last and at > start:
                yield start, text[start:at]
                start = clause.start + cut.end()
        yield start, text[start : clause.end]


def _has_only(text: str, known: set[str]) -> bool:
    """Whether each content word of a text is known."""
    every = {part.lower() for word in known for part in (word, *word.split("."))}
    return all(word.lower().removesuffix("'s") in every for word in content_words(text))
