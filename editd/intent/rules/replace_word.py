"""Replace a word: how people ask for it where only the buffer says whether a name, a value or prose is meant."""

from __future__ import annotations

from editd.intent.english import A_NAME
from editd.intent.intents import Conditional, Intent, Rename, ReplaceWord, SetValue
from editd.intent.rules.rename import renamed
from editd.intent.rules.rule import Rule, Slots
from editd.intent.rules.word_lists import is_ordinary, is_ordinary_text


def _changed(slots: Slots) -> Intent:
    """A conditional intent, whose guesses the buffer decides in this order: a rename, if both texts can be names; else
    another value of what is called so; else the word replaced in prose.
    """
    old, new = slots["old"], slots["new"]
    others = (SetValue(old, new, accepts_any_kind=True), ReplaceWord(old, new))
    if A_NAME.fullmatch(old) and A_NAME.fullmatch(new):
        return Conditional(renamed(slots), others)
    return Conditional(others[0], others[1:])


def _replaced(slots: Slots) -> Intent:
    """A conditional intent, whose guesses the buffer decides in this order: a rename, if both texts can be names, else
    another value of what is called so; else the word replaced in prose.
    """
    old, new = slots["old"], slots["new"]
    word = ReplaceWord(old, new)
    if A_NAME.fullmatch(old) and A_NAME.fullmatch(new):
        return Conditional(renamed(slots), (word,))
    return Conditional(SetValue(old, new, accepts_any_kind=True), (word,))


CHANGE_WORD = Rule(
    "change-a-word",
    paraphrases=("(change|update) THE? OLDTOKEN (to|into) NEWTOKEN WHERE?",),
    intent=_changed,
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
    intent=_replaced,
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
