"""Type hints: each type of the sentence belongs to the place that is named nearest before it, a parameter or the result.

The function is the one that is named, or the only one that has the named parameters. "a str comes back" and "float in" name the
place behind the type; types without places are those of the parameters in their order. A place without a type, a type without a
place, and any other number or name in code's spelling leave the sentence to a model.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field

from editd.intent.evidence import BufferFacts
from editd.intent.evidence.annotations import CUE, MODAL
from editd.intent.evidence.annotations import type_at as plain_type_at
from editd.intent.evidence.filler import content_words
from editd.intent.intents import AddTypeHints, Several
from editd.refactor.by_kind.request import KindRequest, Reader
from editd.refactor.by_kind.sentence import functions_of, is_list, sentence_of
from editd.refactor.candidates import Candidates
from editd.syntax.python_places import variables_named

_RESULT = "->"
_STATED = re.compile(r"\b(?:say|state|tell|show|infers?|TypeScript)\b", re.IGNORECASE)
_RETURNS = re.compile(
    r"(?:returns?|returned|returning|results?|gives?(?: back)?|giving(?: back)?|hands? back|yields?|produces|output|(?:comes?|coming|goes) (?:back|out))(?:[- ](?:type|value|annotation)s?)?\b(?!\()",
    re.IGNORECASE,
)
_BACK = re.compile(
    r"(?:(?:is|that|gets|comes|come|coming|goes|which) )*(?:back|returned|out)\b", re.IGNORECASE
)
_IN = re.compile(r"(?:goes |comes |is passed )?in\b(?! the| its)", re.IGNORECASE)
_TAKES = re.compile(
    r"(?:takes?|taking|accepts?|expects?|receives?|gets?|wants?|needs?|given|passed)\b",
    re.IGNORECASE,
)
_SAME = re.compile(r"(?:too|also|as well|the same|likewise|so is|so does|one)\b", re.IGNORECASE)
_PARAMETERS = re.compile(
    r"(?:(?P<all>all|both|every|each)(?: of)?(?: the| its)?(?: (?:two|three|four|five))? |(?:(?:the|its|'s) )?(?:(?:only|single) )?)(?:params?|parameters?|args?|arguments?)\b",
    re.IGNORECASE,
)
_ANY = re.compile(r"implicit(?:ly)?(?: an?)?[- ]`?any`?\b", re.IGNORECASE)
_ARROW = re.compile(r"->|→|=>|\)(?=:)")
_BEHIND = re.compile(r" ?(?:\(|(?:for|on|to|as|named|called)(?: the| its| a)? )?`?")
_BOTH_WAYS = re.compile(
    r"(?:takes?|taking|accepts?|gets?) (?:and|&) (?:also )?(?=return|giv|hand|yield)", re.IGNORECASE
)
_PLAIN = (
    "generator", "iterator", "iterable", "callable", "object", "set", "array", "complex", "nothing", "null",
)  # fmt: skip
_COUNT = re.compile(r"\b(two|three|four|five)(?: \w+)?? $", re.IGNORECASE)
_SPELLED = re.compile(r"\bspell|\bwrite|\bput|\bsay", re.IGNORECASE)
_COUNTED = re.compile(
    r"\ball (two|three|four|five) (?:arg|param|argument|parameter|input)s\b", re.IGNORECASE
)
_NUMBERS = ("", "one", "two", "three", "four", "five")
_DATE = re.compile(r"(?:date|datetime|timedelta)\b(?![.(])")
_WORD = re.compile(r"[\w$]+|\S")


@dataclass(slots=True)
class _Scan:
    """The types that were read so far. waiting: places that have none yet; positional: of parameters, in their order; spans: of all that
    was read; last: the last type; has_same: the words say that a place has the same type; takes: they
    say that parameters are taken; is_broken: something has no meaning.
    """

    found: dict[str, str] = field(default_factory=dict)
    waiting: list[str] = field(default_factory=list)
    positional: list[str] = field(default_factory=list)
    spans: list[tuple[int, int]] = field(default_factory=list)
    last: str = ""
    has_same: bool = False
    takes: bool = False
    is_broken: bool = False


def _annotate(request: KindRequest) -> Iterator[Candidates]:
    """Yield the hints that the sentence gives to the functions that it names, or to the only one with the named parameters."""
    facts = request.facts
    text = sentence_of(request)
    if MODAL.search(text) and not (CUE.search(text) or _STATED.search(text)):
        return  # "f should return an int" may ask for another result
    named = functions_of(text, facts)
    functions = named or _having_named(text, facts)
    parameters = _shared(functions, facts) if functions else _variables(text, request)
    if not is_list(functions, text) or not (named or CUE.search(text) or _SPELLED.search(text)):
        return
    count = _COUNTED.search(text)
    if count and _NUMBERS.index(count[1].lower()) != len(parameters):
        return
    scan = _scanned(text, functions, parameters, facts)
    pairs = _pairs(scan, parameters)
    if not pairs or _leaves_over(text, scan, functions, facts.names if named else None):
        return
    each = [AddTypeHints(x, tuple(pairs)) for x in functions or ("",)]
    found = request.done(each[0] if len(each) == 1 else Several(tuple(each)))
    if found is not None:
        yield found


def _having_named(text: str, facts: BufferFacts) -> tuple[str, ...]:
    """The only function that has a parameter which the text names; empty if none or several do."""
    words = {*re.findall(r"[\w$]+", text)} - {"a", "i", "s"}
    having = [name for name, own in facts.parameters.items() if words & {*own}]
    return tuple(having) if len(having) == 1 else ()


def _shared(functions: Sequence[str], facts: BufferFacts) -> tuple[str, ...]:
    """The parameters that all of some functions have."""
    first, *others = (facts.parameters[name.rpartition(".")[2]] for name in functions)
    return tuple(name for name in first if all(name in other for other in others))


def _variables(text: str, request: KindRequest) -> tuple[str, ...]:
    """The variables and fields of Python that the text names."""
    python = request.code.python
    words = dict.fromkeys(re.findall(r"\w+", text))
    return tuple(x for x in words if python is not None and variables_named(x, python))


def _scanned(
    text: str, functions: Sequence[str], parameters: Sequence[str], facts: BufferFacts
) -> _Scan:
    """The types that the text gives, read from its beginning."""
    scan = _Scan()
    names = "|".join(map(re.escape, sorted(parameters, key=len, reverse=True)))
    place = re.compile(rf"(?P<name>{names or '(?!)'})`?(?:'s)?(?![\w$(]|\.\w)")
    at = 0
    while at < len(text):
        end = _taken(text, at, place, scan, functions, parameters, facts)
        if end is None:
            word = _WORD.match(text, at)
            at = word.end() if word else at + 1
        else:
            scan.spans.append((at, end))
            at = end
    return scan


def _taken(
    text: str,
    at: int,
    place: re.Pattern[str],
    scan: _Scan,
    functions: Sequence[str],
    parameters: Sequence[str],
    facts: BufferFacts,
) -> int | None:
    """The end of the place, type or word for the result that begins at ``at``, which goes into ``scan``; ``None`` if none does."""
    own = next((x for x in functions if re.compile(rf"{re.escape(x)}\b").match(text, at)), "")
    if own:
        return at + len(own)
    if any_type := _ANY.match(text, at):
        return any_type.end()
    if (named := place.match(text, at)) and not _is_article(named, text, facts):
        scan.waiting.append(named["name"])
        colon = re.compile(r": ?(?=\w)").match(text, named.end())
        scan.is_broken |= colon is not None and _type_at(text, colon.end(), facts) is None
        return named.end()
    if both := _BOTH_WAYS.match(text, at):
        scan.waiting += parameters
        scan.is_broken |= len(parameters) != 1
        return both.end()
    if all_of := _PARAMETERS.match(text, at):
        is_noun = bool(scan.waiting) or place.match(text, all_of.end() + 1) is not None
        if not is_noun and (all_of["all"] or len(parameters) == 1):
            scan.waiting += parameters
        return all_of.end()
    if takes := _TAKES.match(text, at):
        scan.takes = True
        return takes.end()
    if same := _SAME.match(text, at):
        scan.has_same = True
        return same.end()
    if typed := _type_at(text, at, facts):
        hint, end = typed
        return _with_type(hint, text, at, end, place, scan)
    if returns := _RETURNS.match(text, at):
        scan.waiting.append(_RESULT)
        return returns.end()
    if arrow := _ARROW.match(text, at):
        behind = re.compile(r"[:\s`]*(?:an? )?").match(text, arrow.end())
        if behind and _type_at(text, behind.end(), facts) and not scan.waiting:
            scan.waiting.append(_RESULT)
        return arrow.end()
    return None


def _type_at(text: str, at: int, facts: BufferFacts) -> tuple[str, int] | None:
    """The type that stands at ``at``, as the buffer writes it, and where it ends; ``None`` for another word."""
    if (found := _DATE.match(text, at)) and facts.language == "python" and text[at - 1] in " :(`":
        if re.search(rf"(?m)^from datetime import .*\b{found[0]}\b", facts.text):
            return found[0], found.end()
        if re.search(r"(?m)^import datetime$", facts.text):
            return f"datetime.{found[0]}", found.end()
    typed = plain_type_at(text, at, facts)
    return None if typed and typed[0] == "any" else typed


def _with_type(
    hint: str, text: str, start: int, end: int, place: re.Pattern[str], scan: _Scan
) -> int:
    """Give a type to the places that wait for one, else to the place that is named behind it, else to the next parameter.

    Returns where what was read ends.
    """
    before, scan.last = scan.last, hint
    behind = _BEHIND.match(text, end)
    named = place.match(text, behind.end()) if behind else None
    behind = named or (_RETURNS.match(text, behind.end()) if behind else None)
    if scan.waiting:
        scan.found |= dict.fromkeys(scan.waiting, hint)
        scan.waiting.clear()
    elif back := _BACK.match(text, end + 1):
        scan.found[_RESULT] = hint
        return back.end()
    elif behind:
        scan.found[named["name"] if named else _RESULT] = hint
        return behind.end()
    elif hint == before or text[start:end].lower() in _PLAIN:
        pass  # "are strings, so type them as str"; "the documentation generator"
    else:
        goes = _IN.match(text, end + 1)
        scan.is_broken |= not (scan.takes or goes or _ARROW.match(text, end + 1))
        count = _COUNT.search(text, 0, start)
        scan.positional += [hint] * (_NUMBERS.index(count[1].lower()) if count else 1)
        return goes.end() if goes else end
    return end


def _is_article(named: re.Match[str], text: str, facts: BufferFacts) -> bool:
    """Whether a name is the article before a type, or "I"."""
    name = named["name"]
    return name == "I" or (name in "aA" and _type_at(text, named.end() + 1, facts) is not None)


def _pairs(scan: _Scan, parameters: Sequence[str]) -> list[tuple[str, str]] | None:
    """The places with their types; ``None`` if a place has none, or not as many types are given in order as there are parameters."""
    if scan.is_broken:
        return None
    if scan.waiting:
        left = {x for x in scan.waiting if x not in scan.found}
        if left and not (scan.last and scan.has_same):
            return None
        scan.found |= dict.fromkeys(left, scan.last)
    if not scan.positional:
        return [*scan.found.items()]
    if len(scan.positional) != len(parameters) or {*scan.found} - {_RESULT}:
        return None
    return [*zip(parameters, scan.positional, strict=True), *scan.found.items()]


def _leaves_over(
    text: str, scan: _Scan, functions: Sequence[str], names: Collection[str] | None
) -> bool:
    """Whether the text has a number or a name in code's spelling that is neither a function, nor a place, nor a type.

    names: that count; ``None`` for all.
    """
    for start, end in scan.spans:
        text = text[:start] + " " * (end - start) + text[end:]
    known = {part for x in functions for part in x.split(".")}
    rest = {*re.findall(r"[\w$]+", text)} - known
    is_name = re.compile(r"_|[a-z][A-Z]").search
    tail = re.split(r"[,;.:()–—]", text[max((end for _, end in scan.spans), default=0) :])[0]
    if len([*content_words(tail)]) > 1:
        return True  # "…, return type int too late noticed"
    return any(x.isdigit() or (is_name(x) and (names is None or x in names)) for x in rest)


READERS: dict[str, Reader] = {"annotate": _annotate}
"""The reader of type hints."""
