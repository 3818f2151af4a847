"""Replace a word: how people ask for it where only the buffer says whether a name, a value or prose is meant."""

from __future__ import annotations

from functools import partial

from editd.intent.english import A_NAME
from editd.intent.intents import Conditional, Intent, Rename, ReplaceWord, SetValue
from editd.intent.rules.rename import renamed
from editd.intent.rules.rule import Rule, Slots
from editd.intent.rules.word_lists import is_ordinary, is_ordinary_text


def _guesses(slots: Slots, *, is_of_value: bool) -> Intent:
    """A conditional intent, whose guesses the buffer decides in this order: a rename, if both texts can be names; another
    value of what is called so, if ``is_of_value`` or both cannot; the word replaced in prose.
    """
    old, new = slots["old"], slots["new"]
    value, word = SetValue(old, new, accepts_any_kind=True), ReplaceWord(old, new)
    if not (A_NAME.fullmatch(old) and A_NAME.fullmatch(new)):
        return Conditional(value, (word,))
    return Conditional(renamed(slots), (value, word) if is_of_value else (word,))


CHANGE_WORD = Rule(
    "change-a-word",
    paraphrases=("(change|update) THE? OLDTOKEN (to|into) NEWTOKEN WHERE?",),
    intent=partial(_guesses, is_of_value=True),
    name_slots=(),
    excludes=is_ordinary,
    takes_location=True,
    examples=(
        (
            "change color to blue",
            Conditional(
                Rename("color", "blue"),
                (SetValue("color", "blue", accepts_any_kind=True), ReplaceWord("color", "blue")),
            ),
        ),
    ),
)
"""In the word "Change": a name, the value of what is called so, or a word."""
REPLACE_WORD = Rule(
    "replace-a-word",
    paraphrases=(
        "(replace|substitute|swap|exchange|switch) (the word)? OLDTOKEN (with|by|to|for|into) (the word)? NEWTOKEN WHERE?",
    ),
    intent=partial(_guesses, is_of_value=False),
    name_slots=(),
    excludes=is_ordinary_text,
    takes_location=True,
    examples=(
        (
            "replace bob with alice",
            Conditional(Rename("bob", "alice"), (ReplaceWord("bob", "alice"),)),
        ),
    ),
    near_misses=(
        "replace logging with print",
        "Replace tabs with spaces",
        "replace semicolons with newlines",
    ),
)
"""In the word "Replace": a name, or a word."""
