"""Add a modifier: how people ask that fields or a definition be final, readonly, private, public or exported."""

from __future__ import annotations

import re

from editd.intent.english import FUNCTION_WORDS
from editd.intent.intents import AddModifier
from editd.intent.rules.guess import Guess

_KIND = r"(?:(?P<kind>field|property|member|class|method|function|interface|type|const|constant) )?"
_NAME = r"[`'\"]?(?P<name>[^\W\d][\w$]*)(?:\(\))?[`'\"]?"
_WORD = r"(?P<word>final|readonly|read-only|private|public)"
_FORMS = tuple(
    re.compile(form, re.IGNORECASE)
    for form in (
        rf"(?:make|mark|declare|set) (?:all )?(?:of )?(?:the |its )?(?:instance |private |class )?(?:fields|properties|members)(?: (?:of|in) (?:the )?(?P<owner>\w+)(?: class)?)? (?:as )?{_WORD}",
        rf"(?:the |all )?(?:fields|properties)(?: (?:of|in) (?P<owner>\w+))? (?:should|must|can|could) be {_WORD}",
        rf"(?:make|mark|declare) (?:the )?{_KIND}{_NAME}(?: (?:field|property|class|method))? (?:as )?{_WORD}",
        rf"(?:the )?{_KIND}{_NAME} (?:should|must|can|could) be {_WORD}",
        rf"(?P<export>export) (?:the )?{_KIND}{_NAME}(?: (?:function|class|type|interface|constant|const))?",
    )
)


def _modified(text: str) -> AddModifier | None:
    """The intent of a request for one of the modifiers; ``None`` for another request, or without a name."""
    for form in _FORMS:
        if found := form.fullmatch(text):
            parts = found.groupdict()
            name = parts.get("name") or ""
            if name.lower() in FUNCTION_WORDS | {"class", "fields", "all"}:
                continue
            word = (
                "export"
                if parts.get("export")
                else (parts.get("word") or "").lower().replace("-", "")
            )
            return AddModifier(word, name, parts.get("owner") or "", parts.get("kind") or "")
    return None


ADD_MODIFIER = Guess(
    "add-modifier",
    reads=_modified,
    examples=(
        ("make the fields final", AddModifier("final")),
        ("make the fields of Cart readonly", AddModifier("readonly", owner="Cart")),
        ("make repository final", AddModifier("final", "repository")),
        ("export the function load", AddModifier("export", "load", kind="function")),
        ("load should be private", AddModifier("private", "load")),
    ),
    near_misses=("make it final", "export the data as CSV", "make the fields smaller"),
    reads_all_words=True,
)
"""A modifier before a definition."""
