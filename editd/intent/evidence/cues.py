"""The cues of edits that need no target: all of them, and those of blocks. Standard library only."""

from __future__ import annotations

import re

from editd.intent.evidence.buffer_facts import BufferFacts
from editd.intent.evidence.cue import Cue, Words, pattern
from editd.intent.evidence.import_cues import REMOVE_UNUSED_IMPORTS, SORT_IMPORTS
from editd.intent.evidence.print_cues import DELETE_PRINTS, LOG
from editd.intent.evidence.string_cues import CHANGE_QUOTES, USE_F_STRINGS
from editd.intent.intents import ReturnEarly, UseWithOpen


def _use_with(_: str, words: Words, __: Words, facts: BufferFacts) -> UseWithOpen | None:
    """``with`` in Python, for the only word if that is a name, and ``try`` with resources in Java; ``None`` in other languages."""
    is_name = len(words) == 1 and words[0] in facts.names and words[0] not in facts.imports
    name = words[0] if is_name else ""
    return UseWithOpen(name) if facts.language in ("python", "java") else None


_CONDITION = re.compile(
    r"\b(?P<word>if|when(?:ever)?|unless|on|for|with|against|in case(?: of)?|as long as)\b(?!-) (?P<condition>(?!in\b|around\b|block\b|the if\b|an? (?:early|guard)\b)[^,;:]+?)"
    r"(?=$|[,;:]| (?:->|=>|instead|rather|so|please|early|first|to cut|just|then|at the top|up front|right away|straight away|we|it should|return|raise|throw|continue|bail|exit|and (?:return|continue|raise|throw|bail|exit|then|print|unindent|the rest))\b)",
    re.IGNORECASE,
)
_RETURNED = re.compile(
    r"\b(?:return|returns|returning) (?:early )?(?P<value>None|null|nil|True|False|undefined|-?\d+|''|\"\"|\[\]|\{\}|(?:an |the )?empty string)(?!\w)",
    re.IGNORECASE,
)
_RAISED = re.compile(r"\b(?P<verb>raise|throw|continue)s?\b", re.IGNORECASE)


def _return_early(
    request: str, words: Words, places: Words, facts: BufferFacts
) -> ReturnEarly | None:
    """The turned ``if`` of the one function that is named, or the only one that has the condition, which is the words that nothing
    else explains.
    """
    if len(places) > 1:
        return None
    code = re.search(
        r"`(?:if )?\(?(?P<code>[^`]*?)\)? *(?:\{[^`]*)?`|\"if \((?P<plain>[^\"()]+)\)", request
    )
    found = _CONDITION.search(request)
    condition = found["condition"] if found else " ".join(words)
    if found and found["word"].lower() == "unless":
        condition = f"not {condition}"
    for place in places:
        condition = re.sub(rf" in (?:the )?{re.escape(place)}(?:\(\))?", "", condition)
    described = f"{condition} {' '.join(places)}".lower()
    if any(x.lower() not in described for x in " ".join(words).split()):
        return None
    if code:
        condition = code["code"] or code["plain"] or ""
    value = next((x["value"] for x in _RETURNED.finditer(request)), "")
    value = (
        {"none": "None", "true": "True", "false": "False"}.get(value.lower(), value)
        if facts.language == "python"
        else value
    )
    raised = _RAISED.search(request)
    in_loop = bool(re.search(r"\bcontinue\b", request))
    if not places and not condition:
        return None
    verb = "" if not raised or in_loop or value else raised["verb"].lower()
    return ReturnEarly(
        value="" if "empty" in value else value or verb,
        in_loop=in_loop,
        described=condition,
    )


USE_WITH = Cue(
    "use a context manager",
    pattern(
        r"""\bcontext[-_]?managers?\b|\bwith[-_]?(?:open\b(?:\([^()]*\))?|(?:statements?|blocks?|clauses?|syntax|constructs?)\b)|\bwith_with\b
        |\b(?:use|using|via|by|in|into|inside|to|of|a|an|the|proper)_[`'"]?with[`'"]?(?=[,.;:!)]|$|_(?:for|in|here|instead|so|please|rather|would|around|as)\b)
        |[`'"]with[`'"]|\btry-with(?:-resources?)?\b|(?:->|=>|→)_with\b|\bwith_(?:would_fix|fixes|please|pls)\b|\bwithout_(?:a_)?with\b"""
    ),
    pattern(
        r"""\b(?:open(?:ed|s|ing)?(?:\([^()]*\))?(?:_?/_?close[sd]?)?|open/close|\w+\.close(?:\(\))?|clos(?:e[sd]?|ing)(?:\(\))?(?:_calls?)?|files?|handles?|objects?|leak\w*
        |resources?|automatic\w*|wrap(?:ped)?|exceptions?|errors?|safe|exception-safe|without|inside|around|calls?|syntax|get_rid_of|stays?|remains?|descriptor|as(?:_\w+)?)(?!\w)"""
    ),
    _use_with,
    nouns="file|handle|open|call|resource|context manager|with",
    harmless=pattern(
        r"\b(?:drop|remove|delete|skip|lose)_(?:the_|that_|this_)?(?:explicit_|manual_|extra_)?(?:\w+\.)?close(?:\(\))?(?:_call)?\b|\bnever_clos\w+|\bwhen_(?:read|writ|open|load|sav)ing\b|\b(?:like|as_in)_[^,.;:]*"
    ),
)
RETURN_EARLY = Cue(
    "return early",
    pattern(
        r"""\bearly_(?:return|exit|out|continue)s?\b|\b(?:return|exit|bail|leave|get|raise|throw)s?_(?:(?:out|false|true|none|null|nil|\S{1,3}|an?_\w+|the_empty_string)_)?(?:early|right_away|straight_away|up_front|first|at_once|immediately)\b|\bguard[-_]?(?:clause|style|statement)?s?\b
        |\b(?:invert|flip|reverse|negate|turn_around|turn)\b([^.;]*?)\b(?:if|check|condition|test)\b|\bbail(?:s|ing)?_out\b
        |\b(?:return|raise|throw|continue)\b(.*)\b(?:un-?indent\w*|dedent\w*|no_nesting|un-?nest\w*|flatten\w*|flat\b|without_(?:the_)?(?:indent\w*|nesting)|no_else|one_level|big_if)
        |\bun-?nest\w*\b|\binstead_of_nesting\b|`¤+`(?=.*\b(?:rest|nest\w*|un-?indent\w*|style)\b)|\bif\b([^.;,:]+?)[,:{]?_(?:then_)?return\b(?=$|[,;._}"])|\bif_\([^()]*\)_return\b|`if_¤*`|`¤*`(?=_style)"""
    ),
    pattern(
        r"""\b(?:nest\w*|indent\w*|un-?nest\w*|dedent\w*|unindent\w*|wrap\w*|bod(?:y|ies)|else|if|block|levels?|happy_path|returns?|returning|raises?|throws?|continue|exits?|at_the_top|rest|flat|flatten|pull|deep|depth
        |cut_down|too_much|big|style|top|up_front|out|first|then|early|away|empty_string|condition|check|case|whole|pythonic|go-style|false|true|none|null|nil|guard|loops?|exit|prints?|printing|isn't|there's|that's|it's)\b"""
    ),
    _return_early,
    harmless=pattern(
        r"\b(?:first(?:_thing)?|then|(?:the_)?rest|leave_(?:early|first)|only_if|no_else|keep_going)\b"
    ),
    against=pattern(r"\b(?:except|catch|try)\b"),
    has_conditions=True,
)

CUES = (
    USE_WITH,
    USE_F_STRINGS,
    RETURN_EARLY,
    REMOVE_UNUSED_IMPORTS,
    SORT_IMPORTS,
    LOG,
    DELETE_PRINTS,
    CHANGE_QUOTES,
)
