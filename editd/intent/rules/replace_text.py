"""Replace a text: how people ask that a string or other text become another."""

from __future__ import annotations

import re

from editd.intent.english import A_NAME, QUOTED, has_letters_or_signs
from editd.intent.intents import ReplaceText
from editd.intent.rules.rule import RowMatch, Rule, names_are_certain
from editd.intent.rules.templates import replacing, replacing_too


def _is_no_text(match: RowMatch) -> bool:
    """Whether the request speaks of something else than a text: old and new are names in backticks; or the old one is
    set to something ("set x to …"); or it says what a docstring is to be.
    """
    old = re.escape(match.slots["old"])
    if re.match(rf"set (?:the )?[`'\"]?{old}[`'\"]? (?:to|=) ", match.clause.text, re.IGNORECASE):
        return True
    if re.search(r"\bdocstring\b.*\b(?:should|must|be)\b", re.sub(QUOTED, "", match.clause.text)):
        return True  # all of it is another then
    are_code = match.quotes["old"] == match.quotes["new"] == "`"
    return are_code and all(A_NAME.fullmatch(match.slots[role]) for role in ("old", "new"))


def _is_certain(match: RowMatch) -> bool:
    """Whether the old text is more than white space, and quoted or code."""
    return has_letters_or_signs(match.slots["old"]) and names_are_certain(match)


REPLACE_TEXT = Rule(
    "replace-string",
    canonical=replacing("STRING? OLDTEXT", "STRING? NEWTEXT"),
    paraphrases=replacing_too("OLDTEXT", "NEWTEXT"),
    plain="replace {old_text} with {new_text}",
    rewrites_canonical=True,
    intent=lambda slots: ReplaceText(slots["old"], slots["new"], is_of_one="about" in slots),
    excludes=_is_no_text,
    is_certain=_is_certain,
    takes_location=True,
    model_takes_location=True,
    examples=(
        ("replace 'left' with 'right'", ReplaceText("left", "right")),
        ('write "x" wherever it says "y"', ReplaceText("y", "x")),
        ("replace ';' with ','", ReplaceText(";", ",")),
        ('use "b" in place of "a"', ReplaceText("a", "b")),
    ),
    near_misses=(
        'replace "\\t" with "    "',
        "replace ' ' with '  '",
        "replace 'a' with 'b' in the second loop",
        "replace the loop with a comprehension",
        "the docstring of Stock should be 'Holds items.' not 'Keeps'",
    ),
)
