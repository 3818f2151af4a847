"""The cues of edits that need no target: all of them, and that of ``with``. Standard library only."""

from __future__ import annotations

from editd.intent.evidence.buffer_facts import BufferFacts
from editd.intent.evidence.cue import Cue, Words, pattern
from editd.intent.evidence.early_return_cue import RETURN_EARLY
from editd.intent.evidence.import_cues import REMOVE_UNUSED_IMPORTS, SORT_IMPORTS
from editd.intent.evidence.print_cues import DELETE_PRINTS, LOG
from editd.intent.evidence.string_cues import CHANGE_QUOTES, USE_F_STRINGS
from editd.intent.intents import UseWithOpen


def _use_with(_: str, words: Words, __: Words, facts: BufferFacts) -> UseWithOpen | None:
    """``with`` in Python, for the only word if that is a name, and ``try`` with resources in Java; ``None`` in other languages."""
    is_name = len(words) == 1 and words[0] in facts.names and words[0] not in facts.imports
    name = words[0] if is_name else ""
    return UseWithOpen(name) if facts.language in ("python", "java") else None


USE_WITH = Cue(
    "use a context manager",
    pattern(
        r"""\bcontext[-_]?manag(?:ers?|ed?|es|ing)\b|\bwith[-_]?(?:open\b(?:\([^()]*\))?|(?:statements?|blocks?|clauses?|syntax|constructs?)\b)|\bwith_with\b
        |\b(?:use|using|via|by|in|into|inside|to|of|a|an|the|proper|w/)_[`'"]?with[`'"]?(?=[,.;:!)]|$|_(?:for|in|here|instead|so|please|rather|would|around|as)\b)
        |[`'"]with[`'"]|\btry-with(?:-resources?)?\b|(?:->|=>|→)_with\b|\bwith_(?:would_fix|fixes|please|pls)\b|\bwithout_(?:a_)?with\b|\blet_with\b|\bSIM115\b|\bResourceWarning\b
        |\bclos(?:e|es|ed|ing)_(?:\w+_){0,2}(?:automatically|properly|reliably|safely|in_any_case|no_matter_what|whatever_happens)\b|\b(?:automatically|properly|always)_clos(?:es?|ed)\b"""
    ),
    pattern(
        r"""\b(?:open(?:ed|s|ing)?(?:\([^()]*\))?(?:_?/_?close[sd]?)?|open/close|\w+\.close(?:\(\))?|clos(?:e[sd]?|ing)(?:\(\))?(?:_calls?)?|files?|handles?|objects?|leak\w*
        |resources?|automatic\w*|wrap(?:ped)?|exceptions?|errors?|safe|exception-safe|without|inside|around|calls?|syntax|get_rid_of|stays?|remains?|descriptor|as(?:_\w+)?)(?!\w)"""
    ),
    _use_with,
    nouns="file|handle|open|call|resource|context manager|with",
    harmless=pattern(
        r"\b(?:drop|remove|delete|skip|lose)_(?:the_|that_|this_)?(?:explicit_|manual_|extra_)?(?:\w+\.)?close(?:\(\))?(?:_call)?\b|\b(?:never|don't|do_not|no_need_to|not_have_to)_clos\w+(?:_by_hand)?|\bwhen_(?:read|writ|open|load|sav)ing\b|\b(?:like|as_in)_[^,.;:]*"
    ),
    is_of_block=True,
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
