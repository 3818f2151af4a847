"""Use f-strings: how people ask for them."""

from __future__ import annotations

import re

from editd.intent.english import FUNCTION_WORDS
from editd.intent.intents import UseFStrings
from editd.intent.lexicon import words_of
from editd.intent.rules.guess import Guess
from editd.intent.rules.rule import Rule
from editd.intent.slots import UnreadText

USE_F_STRINGS = Rule(
    "f-strings",
    canonical=(
        (
            "(use|convert to|switch to|change to|turn into|i want) FSTRINGS (instead of (.format|format|%|% and .?format))? "
            "(for (string)? formatting)? WHERE?"
        ),
        "(convert|change|turn|rewrite|replace|moderni[sz]e) (EVERY|the)? FORMATTING (to|into|with|by|as) FSTRINGS WHERE?",
        "(EVERY|the)? FORMATTING should be FSTRINGS WHERE?",
        "(the)? strings should be formatted with FSTRINGS",
        "format (the)? strings with FSTRINGS (only)?",
    ),
    paraphrases=(
        (
            "(use|make use of|convert to|switch to|change to|turn into|i want|i'd like|i prefer|i'd prefer|make|prefer) (python)? FSTRINGS "
            "((instead of|over|rather than|in place of|for|, not)? (EVERY|the)? (FORMATTING|%|strings|string interpolation))?"
        ),
        (
            "(make|convert|change|turn|rewrite|switch) (it|this|these|them|those|EVERY|the|all)? (the)? (strings|messages|formatted strings|string|log messages)? "
            "(to|into|as|with|be)? (use)? FSTRINGS"
        ),
        (
            "(convert|change|turn|rewrite|replace|moderni[sz]e|switch|migrate|port|update) (EVERY|the|all|all the)? FORMATTING WHERE? "
            "(to|into|with|by|as|to use) (python)? FSTRINGS"
        ),
        "(EVERY|the|all|all the)? (FORMATTING|strings|messages) (BECOMES|(should|must|can) (use|become)) FSTRINGS",
        "(DELETE|no|no more) FORMATTING, (use|but|make it|put) FSTRINGS (instead)?",
        "FSTRINGS ((instead of|over|rather than|for|not)? (EVERY|the)? (FORMATTING|%))?",
        "(switch|change|go|move|convert|migrate) from FORMATTING to FSTRINGS",
        "(rewrite|write|format|convert|do) (EVERY|the|all|all the)? (FORMATTING|strings|messages) (using|with|via|as) FSTRINGS",
    ),
    plain="use f-strings",
    intent=lambda _: UseFStrings(),
    takes_location=True,
    examples=(
        ("use f-strings", UseFStrings()),
        ("the strings should use f-strings", UseFStrings()),
    ),
    near_misses=("use f-strings for logging",),
)
_F_STRING = re.compile(
    r"\b(?:an? |the |proper |python )?(?:f[- ]?strings?|f-formatting|f(?:''|\"\"|\"…\"|\"\.\.\.\")|formatted string literals?)(?!\w)",
    re.IGNORECASE,
)
# As in: turn f-strings into .format, use % instead of f-strings
_BACKWARDS = re.compile(
    r"\b(?:instead of|rather than|in place of|over|from|not|no|without|replace|drop|remove|convert|change|turn|swap) (?:all |the |an? |these |those )*f[- ]?strings?\b"
    r"|\bf[- ]?strings? (?:to|into|with|by|->|→|become)\b",
    re.IGNORECASE,
)
_OLD = re.compile(
    r"(?:\b(?:the|its|all|both|two|every|each|old|of) )*(?:(?<!\w)(?:%|\.format|str\.format|format)(?:\(\))?(?!\w)(?:[- ](?:formatting|format|style|operator|strings?|calls?|interpolation|sign|signs))*"
    r"|\b(?:percent|old|old-school|old-style|string|%)[- ](?:style |string )?(?:formatting|interpolation|formats?|strings?|concatenations?|style)\b|(?<!\w)\+(?!\w))",
    re.IGNORECASE,
)
STRING_OF_FUNCTION = re.compile(
    r"\b(?:for |in |of )?(?:the|its) (?:(?:error|log|exception|return|returned|file|file ?name|cache|archive|output|host|user|display|full|target) )?(?:message|url|path|query|title|label|key|filename|greeting|subject|header|sql|value|summary|text|name|string)"
    r"(?: string)?\b",
    re.IGNORECASE,
)
"""The words for a string of which a function has one."""
_KNOWN = words_of(
    """
    built written change changed convert converted converting turn turned switch replace replaced replacing rewrite swap prefer migrate move
    update modernize modernise modernized format formats formatted formatting build builds building return returns returning
    concatenation concatenating concatenate strings string literal literals message messages interpolation call calls line
    lines both twice two all every each everywhere still instead rather than place over become becomes old style modern
    style output print prints percent rid concatenates concatenated there here it's plus print's no more longer outdated ugly old-fashioned
    """
)


_HEADING = re.compile(r"^ *(?P<name>[^\W\d][\w.]*)(?:\(\))? (?=(?:with|via|using|as) )")


def take_heading(unread: UnreadText, known: frozenset[str]) -> str:
    """Take the name at the beginning of "label with an f-string" out of the text, and return it; empty if none of the kind
    stands there, or the word is one of ``known``.
    """
    found = _HEADING.match(unread.text)
    if found is None or found["name"].lower() in known | FUNCTION_WORDS:
        return ""
    unread.take(_HEADING)
    return found["name"]


def _f_strings(text: str) -> UseFStrings | None:
    """The intent of a request for f-strings, in a function if one is named, or for a single string there; ``None`` for
    another request, the other way round, or if words are left that are not known, or a single string is meant and no function named.
    """
    unread = UnreadText(text)
    if _BACKWARDS.search(text) or not unread.take_all(_F_STRING):
        return None
    unread.take_all(_OLD)
    is_of_one = unread.take(STRING_OF_FUNCTION) is not None
    location = take_heading(unread, _KNOWN) or unread.take_function(_KNOWN)
    if not location and re.search(r"__\w+__", unread.text):
        location = unread.take_only_word(_KNOWN)
    if not unread.says_only(_KNOWN) or (is_of_one and not location):
        return None
    return UseFStrings(location=location, is_of_one=is_of_one)


F_STRINGS = Guess(
    "f-strings",
    reads=_f_strings,
    examples=(
        ("describe should return an fstring", UseFStrings(location="describe")),
        ("modernize __repr__ with an f string", UseFStrings(location="__repr__")),
        ("label with an f-string", UseFStrings(location="label")),
        (
            "use an f-string for the archive name in pack",
            UseFStrings(location="pack", is_of_one=True),
        ),
        ("load: f'' instead of .format", UseFStrings(location="load")),
        (
            "report() still uses str.format twice; make both f-strings",
            UseFStrings(location="report"),
        ),
        ("use an f-string for the url in fetch", UseFStrings(location="fetch", is_of_one=True)),
    ),
    near_misses=(
        "use f-strings for logging",
        "use .format instead of f-strings",
        "use f-strings except in load",
        "use f-strings in the prints of load if they are short",
    ),
    is_of_one=False,
    reads_all_words=True,
)
"""In a function, or of one string."""
