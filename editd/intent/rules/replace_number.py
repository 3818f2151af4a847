"""Replace a number: how people ask that it become another wherever it stands."""

from __future__ import annotations

from editd.intent.english import SIGNS
from editd.intent.intents import ReplaceNumber
from editd.intent.rules.rule import RowMatch, Rule
from editd.intent.rules.templates import replacing, replacing_too


def is_of_signs(match: RowMatch) -> bool:
    """Whether the number counts signs, as in "2 spaces instead of 4": these may stand in any line."""
    about = (word[1:] for word in match.slots.get("about", "").split())
    return not SIGNS.isdisjoint((match.slots.get("old", "").lower(), *about))


REPLACE_NUMBER = Rule(
    "replace-number",
    canonical=replacing(
        "(the)? (number|value|constant)? OLDNUMBER", "(the (number|value))? NEWNUMBER"
    ),
    paraphrases=replacing_too("OLDNUMBER", "NEWNUMBER"),
    plain="replace {old} with {new}",
    rewrites_canonical=True,
    intent=lambda slots: ReplaceNumber(slots["old"], slots["new"], is_of_one="about" in slots),
    name_slots=(),
    number_slots=("old", "new"),
    excludes=is_of_signs,
    takes_location=True,
    model_takes_location=True,
    examples=(
        ("from now on 2 is 3", ReplaceNumber("2", "3")),
        ("change 0x1f to 32", ReplaceNumber("0x1f", "32")),
    ),
    near_misses=(
        "use 4 for indentation",
        "use 4 spaces instead of 2 tabs",
        "retry if 3 attempts fail instead of giving up",
    ),
)
