"""The cue of an early return: what asks for one, the condition that it is for, and what is returned. Standard library only."""

from __future__ import annotations

import re
from collections.abc import Iterator

from editd.intent.evidence.buffer_facts import BufferFacts
from editd.intent.evidence.cue import Cue, Words, pattern
from editd.intent.evidence.filler import content_words
from editd.intent.evidence.snippets import Snippet, calls_in
from editd.intent.intents import ReturnEarly

_EARLY = r"(?:early|right_away|straight_away|straight|directly|up_front|first(?:_thing)?|at_once|immediately|at_the_(?:top|start|beginning))"
_LEAVE = r"(?:return|exit|bail|leave|quit|stop|get|raise|throw|continue)(?:s|ing)?"
_LITERAL = r"(?:false|true|none|null|nil|undefined|-?\d+|\"\"|''|\[\]|\{\}|(?:an_|the_)?empty_\w+)"
_NESTING = r"(?:nest(?:ing|ed)?|indent(?:ation|ing)|levels?)"
_BEGINS = r"(?:just|simply|then|should|must|can|could|to|please)"
_SAYS = (
    rf"\bearly[-_](?:return|exit|out|continue|bail)s?\b|\b{_LEAVE}_(?:out_)?(?:\S+_){{0,3}}?{_EARLY}\b",
    r"\bguard[-_](?:clause|style|statement)s?\b|\bguard(?:ing|s)?\b(?!_against)|\bbail(?:s|ing)?\b",
    r"\b(?:invert|flip|reverse|negate|turn_around|turn|swap)(?:ed|ing)?\b([^.;]*?)(?:\b(?:if|check|condition|test)\b|`¤+`)",
    r"\b(?:un-?nest|flatten|de-?nest|dedent|un-?indent)\w*|\bhappy[-_]path\b|\b(?:arrow|pyramid)(?:[-_](?:code|shape|anti-?pattern))?\b(?!_function)",
    rf"\bnested_(?:\w+_){{0,2}}(?:deep(?:ly)?|ifs?)\b|\b(?:deep|too_deep(?:ly)?|two_deep|three_deep)(?:_{_NESTING})?\b",
    rf"\b(?:less|no|more|much|without|avoid|reduce|instead_of|than|unnecessary|needless)_(?:the_|any_|extra_|all_)?{_NESTING}\b|\bthe_nesting\b",
    rf"\b{_BEGINS}_(?:\w+_)?{_LEAVE}_(?:(?:{_LITERAL}|out|the_function)_)?(?:if|when|once|unless|without|for|in_case)\b",
    r"\bif\b([^.;,:]+?)[,:{]?_(?:then_|just_)*return\b(?=$|[,;._}\"])|\bif_\([^()]*\)_return\b|`if_¤*`|`¤*`(?=_style)|`¤+`(?=.*\b(?:rest|nest\w*|un-?indent\w*|style)\b)",
    rf"(?:->|=>|→)_?(?:just_|simply_|then_)*(?:early_)?(?:return|bail|continue|exit)(?:_{_LITERAL})?(?:_early)?(?=$|[,.;]|_(?:at|up|first|early)\b)",
    r"\b(?:answer|handle|treat|reject|respond)_(?:\S+_){1,9}?and_(?:then_)?return\b|\b(?:handl(?:e|ed|ing)|treat|check)\b([^.;]*?)\bfirst\b|\b(?:no|without|get_rid_of|drop|lose|kill|avoid)_(?:the_|an?_)?else\b|\b(?:use|with)_(?:an?_)?(?:early_)?continues?\b|(?:->|→|=>)_([^.;]*?)\band_(?:then_)?return\b|\breturn\b(.*)\bfirst\b|\brest\b(.*)\b(?:out_of|moves|one_level)\b",
)
_CONDITION = re.compile(
    r"\b(?P<word>if|when(?:ever)?|unless|once|as soon as|without|on|for|with|against|in case(?: of)?|as long as)\b(?!-) (?P<condition>(?!in\b|around\b|block\b|the (?:if|rest|body|happy|nesting|left|right|top|outside)\b|an? (?:early|guard|plain|bare)\b|(?:early|a) return|guards?\b|both\b|no reason|less\b|(?:me|us|you|now|else)\b|(?:the )?(?:nest|indent)\w+|(?:it|that|this) (?:returns|exits|leaves|bails)\b)[^,;:→]+?)"
    r"(?=$|[,;:→]| (?:->|=>|instead|rather|so|please|pls|early|first|to cut|just|then|at the top|up front|right away|straight away|immediately|at once|we|it should|should|must|the \w+ (?:function|method|handler|route)|than|return|raise|throw|continue|bail|exit|with [\w.]+\(|and (?:return|continue|raise|throw|bail|exit|then|print|unindent|dedent|the rest|less))\b)",
    re.IGNORECASE,
)
_HANDLED = re.compile(
    r"\b(?:handl(?:e|ing)|check(?:ing)?(?: for)?|treat|do|answer|skip(?:ping)?|ignore|reject) (?P<condition>[^,;:]+?) (?:first|with (?:an? )?(?:early )?(?:continue|return)|with [\w.]+\()|(?:^|[,;:] )(?P<subject>[^,;:]+?) (?:should|must|can) be (?:handled|checked|treated) first",
    re.IGNORECASE,
)
_BEFORE_AN_ARROW = re.compile(r"(?:^|[,;:] )(?P<condition>[^,;:]+?) ?(?:->|=>|→) ?", re.IGNORECASE)
_SENT = re.compile(
    r"\b(?:send|answer|give|print|write|show|raise|throw|return|make)s? (?:with )?(?:the |an? |that )?(?P<returned>\w+(?: (?!and\b|first\b|then\b)\w+)?) (?:case\b|first|at once|right away|up front|early|and (?:then )?return)\b",
    re.IGNORECASE,
)
_TESTED = re.compile(
    r"\b(?:the |that )?(?P<test>(?:(?!(?:invert|flip|reverse|negate|turn|swap|the|that)\b)[\w.]+ ){1,2})(?:check|test|condition)\b(?! for\b)",
    re.IGNORECASE,
)
_OF_ALL = re.compile(
    r"\b(?:both|nested|deep|deeply|pyramid|arrow)\b|\bguards\b|\bclauses\b|\b(?:early|all) returns\b|\ball (?:the )?(?:ifs|checks|conditions)\b",
    re.IGNORECASE,
)
_RETURNED = re.compile(
    r"\b(?:return|returns|returning) (?:early )?(?P<value>None|null|nil|True|False|undefined|-?\d+|''|\"\"|\[\]|\{\}|(?:an |the )?empty (?:string|list|array|dict|dictionary|object|map|set|tuple))(?!\w)",
    re.IGNORECASE,
)
_RAISED = re.compile(r"\b(?P<verb>raise|throw|continue)s?\b", re.IGNORECASE)
_CODE = re.compile(
    r"`(?:if )?\(?(?P<code>[^`]*?)\)? *(?:\{[^`]*)?`|\"if \((?P<plain>[^\"()]+)\)|\bif (?P<bracketed>\((?:[^()]|\([^()]*\))+\))(?= *(?:\{|return\b))"
)
_AND_LEAVES = re.compile(r"\)?\s*[:{]?\s*\b(?:return|continue|raise|break|throw)\b.*$")
_OF_OLD = re.compile(
    r"\b(?:invert|flip|reverse|negate|turn|instead of|rather than|swap)(?:ed|ing)? (?:the |that |this )?(?:`|if\b)",
    re.IGNORECASE,
)
_CODE_SIGNS = re.compile(r"[=<>!.(]|\bnot\b")
_LEAVES_AFTER = re.compile(
    r"\b(?:and|then|,)(?: then| just)? (?:return|leave|bail|exit)", re.IGNORECASE
)
_SAYS_NOTHING = frozenset(
    "both conditions condition checks cases ifs nested two of them the for all no reason if and".split()  # noqa: SIM905
)
_EMPTY = {
    "list": "[]",
    "array": "[]",
    "dict": "{}",
    "dictionary": "{}",
    "object": "{}",
    "map": "{}",
}
_PYTHON_VALUES = {"none": "None", "true": "True", "false": "False"}


def early_return_of(
    request: str, words: Words, places: Words, facts: BufferFacts
) -> ReturnEarly | None:
    """The turned ``if`` of the one function that is named, or the only one that has the condition; ``None`` for several functions, or
    if a word neither belongs to the condition nor names the ``if``.
    """
    if len(places) > 1:
        return None
    is_of_all = _OF_ALL.search(request) is not None
    calls = calls_in(request)
    code = code_in(request, places)
    condition = "" if code else next(_conditions_in(request, places), "")
    tested = _TESTED.search(request)
    test = tested["test"].strip() if tested and not condition and not code else ""
    if code and _OF_OLD.search(request):
        test, code = code, ""
    sent = _SENT.search(request)
    returned = sent["returned"] if sent and not _RETURNED.match(sent[0]) else ""
    if returned and not any(map(facts.has_words, content_words(condition))):
        condition = ""
    if not condition and not code and not test:
        condition = " ".join(x for x in " ".join(words).split() if x not in returned.split())
    done = _done_first(request, calls, code)
    described = f"{condition} {test} {code} {done} {returned} {' '.join(places)}".lower()
    if any(x.lower() not in described for x in " ".join(words).split()):
        return None
    if (
        is_of_all
        and condition
        and all(x in _SAYS_NOTHING for x in re.findall(r"\w+", condition.lower()))
    ):
        condition = ""
    is_of_all &= not (condition or code or test)
    if not any((places, condition, code, test)):
        return None
    raised = _RAISED.search(request)
    in_loop = bool(re.search(r"\bcontinue\b", request))
    value = _value_in(request, facts)
    if raised and not in_loop and not value:
        value = raised["verb"].lower()
    return ReturnEarly(
        value=value,
        in_loop=in_loop,
        is_nested=is_of_all,
        test=test if _CODE_SIGNS.search(test) else " ".join(content_words(test)),
        described=code or condition,
        done=done,
        returned="" if done else returned,
    )


def code_in(request: str, places: Words) -> str:
    """The condition that a request has as code, which is no name of a place; empty for none."""
    for found in _CODE.finditer(request):
        code = found["code"] or found["plain"] or (found["bracketed"] or "")[1:-1]
        code = _AND_LEAVES.sub("", code)
        if code not in (*places, "", "else", "if"):
            return code
    return ""


def _conditions_in(request: str, places: Words) -> Iterator[str]:
    """Yield the words for the condition on which is returned early, without the place, as the request may have them."""
    text = request
    for place in places:
        name = rf"`?{re.escape(place)}`?(?:\(\))?"
        text = re.sub(rf"(?:,? (?:in|of|inside)|^in) (?:the )?{name}", "", text)
        text = re.sub(rf"^(?:the )?{name}(?=[:,]? )[:,]?", "", text).strip()
    if arrow := _BEFORE_AN_ARROW.search(text):
        yield _without_lead(arrow["condition"])
    if handled := _HANDLED.search(text):
        yield handled["condition"] or handled["subject"]
    found_all = _CONDITION.finditer(text)
    for found in sorted(found_all, key=lambda x: x["word"].lower() in ("on", "for", "with")):
        condition = found["condition"]
        lead = {"unless": "not ", "without": "no "}.get(found["word"].lower(), "")
        yield lead + condition


def _without_lead(condition: str) -> str:
    """The words left of an arrow without the word that makes them a condition: "if", "for"; "without x" becomes "no x"."""
    found = _CONDITION.search(condition)
    lead = "no " if re.match(r"without\b", condition) else ""
    return lead + (found["condition"] if found and found.start() == 0 else condition)


def _value_in(request: str, facts: BufferFacts) -> str:
    """The value that is returned early, as the language writes it; empty if the words name none."""
    value = next((x["value"] for x in _RETURNED.finditer(request)), "")
    if "empty" in value:
        return _EMPTY.get(value.split()[-1].lower(), "")
    return _PYTHON_VALUES.get(value.lower(), value) if facts.language == "python" else value


def _done_first(request: str, calls: list[Snippet], condition: str) -> str:
    """The one call that is made before the early return: ``res.status(403).end()``; empty without."""
    own = [
        x
        for x in calls
        if x.code not in condition and _LEAVES_AFTER.match(request[x.end :].lstrip("` "))
    ]
    return own[0].code if len(own) == 1 else ""


RETURN_EARLY = Cue(
    "return early",
    pattern("|".join(_SAYS)),
    pattern(
        r"""\b(?:nest\w*|indent\w*|un-?nest\w*|dedent\w*|unindent\w*|wrap\w*|bod(?:y|ies)|else|if|block|levels?|happy[-_]path|returns?|returning|raises?|throws?|continue|exits?|at_the_top|rest|flat|flatten\w*|pull|deep(?:ly)?|depth
        |cut_down|too_much|big|style|top|up_front|out|first|then|early|away|empty_string|condition|check|case|whole|pythonic|go-style|false|true|none|null|nil|guards?|loops?|exit|prints?|printing|isn't|there's|that's|it's
        |without|handl\w+|belongs|left|skip|answer|bail\w*|plain|bare|remain\w*|send|answer|arrow|pyramid|code|shape|than|less|moves?|out_of|reads?)\b"""
    ),
    early_return_of,
    harmless=pattern(
        r"\b(?:first(?:_thing)?|then|(?:the_)?rest|leave_(?:early|first|at|right|straight|up|immediately|when|if)|only_if|no_else|keep_going)\b"
        r"|^skip_|\bmake_(.*?)(?=\b(?:an?_)?(?:guard|early))|\band_(?:then_)?(?:return|bail|exit|continue|leave)\b|\brather_(?=return|exit|bail)|\bno_(?:nesting|reason|more)\b|\bif_not\b|\bwhat(?:'s|_is)?_(?:remains|left|stays)\b|\bremaining\b|\bthan_(?:indent|nest)\w*"
    ),
    against=pattern(r"\b(?:except|catch|try)\b|\b\w+(?:Error|Exception)\b|\b(?:tabs?|spaces)\b"),
    has_conditions=True,
    is_of_block=True,
)
