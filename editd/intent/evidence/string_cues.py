"""Cues of edits of strings: other quotes, f-strings and template literals. Standard library only."""

from __future__ import annotations

import re

from editd.intent.english import is_code_like
from editd.intent.evidence.buffer_facts import BufferFacts
from editd.intent.evidence.cue import Cue, Words, pattern
from editd.intent.intents import ChangeQuotes, UseFStrings, UseTemplateLiterals

_SCRIPTS = ("javascript", "jsx", "typescript", "tsx")
_QUOTES = re.compile(r"\b(?P<kind>double|single)", re.IGNORECASE)
_OLD_QUOTES = re.compile(
    r"\b(?:instead of|rather than|from|replace|convert|change|turn|have|has|are|is|some|all the|the|not|no)(?: (?:all|the|of|these|those|strings?))*"
    r" (?P<kind>double|single)s?\b(?![^,;.]*\b(?:everywhere|please|pls)\b)",
    re.IGNORECASE,
)
_NEW_QUOTES = re.compile(
    r"(?:(?:^|[;,] |\b(?:please|should|must|to|and|pls) )use|\b(?:to|into|with|by|be|in|want|wants|make (?:them|it|all)|agreed on|on|prefers?|should have)|->|=>|→) (?:the )?(?P<kind>double|single)s?\b",
    re.IGNORECASE,
)


def _f_strings(
    _: str, __: Words, ___: Words, facts: BufferFacts
) -> UseFStrings | UseTemplateLiterals | None:
    """F-strings in Python, template literals in scripts; ``None`` in other languages."""
    if facts.language == "python":
        return UseFStrings()
    return UseTemplateLiterals() if facts.language in _SCRIPTS else None


def _quotes(request: str, words: Words, _: Words, facts: BufferFacts) -> ChangeQuotes | None:
    """The kind of quotes to write; ``None`` if both kinds are named, and not one of them as the new one and the other as the old one."""
    kinds = {x["kind"].lower() for x in _QUOTES.finditer(request)}
    old = {x["kind"].lower() for x in _OLD_QUOTES.finditer(request)}
    new = {x["kind"].lower() for x in _NEW_QUOTES.finditer(request)}
    if not kinds:
        marks = re.findall(r"(?<!\w)(['\"])(?:¤{1,3}\1)?(?!\w)", request)
        return ChangeQuotes(marks[1]) if len(marks) == 2 and marks[0] != marks[1] else None
    if len(kinds) > 1:
        kinds = new if len(new) == 1 else kinds - old
        if kinds & old:
            return None
    elif kinds == old != new and not new:
        kinds = {"double", "single"} - old
    if len(kinds) != 1:
        return None
    texts = {x.strip("'\"") for x in facts.strings}
    each = tuple(" ".join(words).split())
    is_named = all(x in texts or (x in facts.names and is_code_like(x)) for x in each)
    return ChangeQuotes('"' if kinds == {"double"} else "'", names=each if is_named else ())


USE_F_STRINGS = Cue(
    "use f-strings or template literals",
    pattern(
        r"""\bf[-_]?strings?\b|(?<!\w)f["']¤{0,3}["']|\bbackticks?\b|\btemplate[-_](?:strings?|literals?)\b|\b(?:string_)?interpolat(?:e|ed|ion)\b|\bprefer-template\b|\$\{\}|`¤{3}`
        |(?<!\w)%[-_]?(?:style_)?formatting\b|\bpercent[-_]?(?:style_)?formatting\b|(?<![\w)])\.format(?:\(\))?(?!\w)|\bold[-_]style_formatting\b"""
    ),
    pattern(
        r"""\b(?:strings?|formatt?(?:ed|ing)|format|concat\w*|percent(?:-format\w*)?|plus(?:es)?|signs?|messages?|texts?|literals?|glu(?:e|ed|ing)|operators?|joined|join(?:ing)?|together
        |templates?|old-style|eslint|linter|ruff|pyupgrade|rule|tuple|complain\w*|fail\w*|return(?:s|ed)?|python|print[_ ]out|rid_of|py3\d*|3\.\d+|is_so_\d+|by|calls?|names?|output|makes?|builds?|built|building)\b|(?<!\w)[%+](?!\w)|`¤*`"""
    ),
    _f_strings,
    harmless=pattern(
        r"\b(?:like|as_in)_[^,.;:]*|\bonly_(?=f-?strings?|template)|\bkeep_(?:the_)?(?:\w+_)?(?:padding|precision|width|rounding|alignment|formatting|decimals?)\b"
    ),
    nouns=r"message|string|text|print|line|url|path|key|subject|title|error|name|f[- ]?string|template[- ](?:literal|string)|output|call|warning|exception|log|literal",
)
CHANGE_QUOTES = Cue(
    "change the quotes",
    pattern(
        r"""\b(?:double|single)[-_]quot\w+|\bquot\w+\b(.*?)\b(?:double|single)s?\b|\b(?:double|single)_(?:\w+_)?quotes?\b
        |\b(?:double|single)s?_(?:everywhere|please|pls|throughout|ones?)\b
        |(?<!\w)(?:'¤{0,3}'|'|"¤{0,3}"|")_(?:strings?_)?(?:to|into|->|=>|→)_(?:'¤{0,3}'|'|"¤{0,3}"|")(?!\w)"""
    ),
    pattern(
        r"\b(?:strings?|quot\w+|single|double|singles|consistent\w*|inconsistent|mixed|literals?|eslint|prettier|black|linter|nag\w*|config\w*|diff|small|around|have|has|values?|wants?|unify|uniform)\b|['\"]¤{1,3}['\"]"
    ),
    _quotes,
    nouns="string|value|literal|quote",
    harmless=pattern(
        r"""\b(?:like|as)_(?:in_|at_|with_)?(?:the_|all_|our_)?(?:\w+_)?(?:others?|rest|everywhere_else|everything_else|\w+_values)\b[^,.;]*
        |\b(?:single|double)_ones\b|\b(?:double|single)[-_]quot\w+(?:_strings)?_only\b|\bsome_(?=\w+_(?:are|have|is)\b|singles?\b|doubles?\b)"""
    ),
    against=pattern(r"\btriple\b|\bdocstrings?\b|\bescape\b|\bput_quotes\b"),
)
