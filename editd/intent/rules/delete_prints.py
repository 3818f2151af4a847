"""Delete prints: how people ask that statements that print go."""

from __future__ import annotations

from editd.intent.intents import DeletePrints
from editd.intent.rules.rule import Rule
from editd.intent.rules.templates import deleting, deleting_all, deleting_too

_PRINTS = (
    "(EVERY|the|any)? (the)? (debug|debugging)? (print|console.log|println|printf|prints) "
    "(calls?|statements?|lines?)?"
)
_PRINT = "(PRINTCALL|printing)"
_PARAPHRASED = (
    "(EVERY|the|any|some|my)? (the|of the|those|these|of those|of these)? (leftover|remaining|debug|debugging)? "
    f"({_PRINT} (calls?|statements?|lines?|output|debugging)?|(calls?|statements?) (to|of) {_PRINT}|(debug|debugging) output) "
    "((that|which)? (i|we) (left|added|put|forgot|used|had|inserted) (behind|in|there|in here|in there|over)? "
    "((for|while|when|to) (debugging|debug|testing|test|trying (things)? (out)?|developing|development))? "
    "(yesterday|earlier|before|today|some time ago)?|LEFT)?"
)


DELETE_PRINTS = Rule(
    "delete-prints",
    canonical=deleting(_PRINTS),
    paraphrases=(
        *deleting(_PARAPHRASED),
        *deleting_too(_PARAPHRASED),
        *deleting_all(_PARAPHRASED),
    ),
    plain="delete all print statements",
    intent=lambda _: DeletePrints(),
    takes_location=True,
    examples=(
        ("remove all print statements", DeletePrints()),
        ("there should be no console.log calls", DeletePrints()),
        ("there should be no print in main", DeletePrints(location="main")),
    ),
    near_misses=(),
)
DELETE_ONE_PRINT = Rule(
    "delete-a-print",
    paraphrases=(
        f"DELETE (out)? (the|that|this) CODE (debug|debugging|log)? {_PRINT} (calls?|statements?|lines?|output|message)?",
        f"DELETE (out)? (the|that|this) (debug|debugging|log)? {_PRINT} (calls?|statements?|lines?|output|message)? (of|for|with|about|saying|that (says|prints|shows|outputs)) CODE",
        f"(the|that) CODE {_PRINT} (calls?|statements?|lines?)? (should|can|must) (go|be (removed|deleted))",
    ),
    intent=lambda slots: DeletePrints(text=slots["code"]),
    takes_location=True,
    is_of_one=True,
    examples=(('remove the "evicted" print', DeletePrints(text="evicted")),),
    near_misses=("remove the console.logs but keep the 'listening' one",),
)
"""Of one print, by a text in it."""
