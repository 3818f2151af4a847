"""Delete prints: how people ask that statements that print go."""

from __future__ import annotations

import re

from editd.intent.intents import DeletePrints
from editd.intent.lexicon import words_of
from editd.intent.rules.guess import Guess
from editd.intent.rules.rule import Rule
from editd.intent.rules.templates import OF_THE, deleting, deleting_all, deleting_too
from editd.intent.slots import UnreadText

_PRINTS = (
    "(EVERY|the|any)? (the)? (debug|debugging)? (print|console.log|println|printf|prints) "
    "(calls?|statements?|lines?)?"
)
_PRINT = "(PRINTCALL|printing)"
_CALL = "(calls?|statements?|lines?|output|message)"
_PARAPHRASED = (
    f"(EVERY|the|any|some|my)? {OF_THE}? (leftover|remaining|debug|debugging)? "
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
        f"DELETE (out)? (the|that|this) CODE (debug|debugging|log)? {_PRINT} {_CALL}?",
        f"DELETE (out)? (the|that|this) (debug|debugging|log)? {_PRINT} {_CALL}? (of|for|with|about|saying|that (says|prints|shows|outputs)) CODE",
        f"(the|that) CODE {_PRINT} (calls?|statements?|lines?)? (should|can|must) (go|be (removed|deleted))",
    ),
    intent=lambda slots: DeletePrints(text=slots["code"]),
    takes_location=True,
    is_of_one=True,
    examples=(('remove the "evicted" print', DeletePrints(text="evicted")),),
    near_misses=("remove the console.logs but keep the 'listening' one",),
)
"""Of one print, by a text in it."""
PRINTS = re.compile(
    r"(?:\b(?:all|of|the|that|this|those|these|every|each|any|my|our|its|both|some|a|an|one|single|only|leftover|left-over|remaining|stray|old|ugly|useless|needless|annoying|noisy"
    r"|temporary|temp|debug|debugging|print|forgotten|final|last) )*"
    r"(?<![\w.])`?(?:print(?:f|ln!?|s|\(\)s?|\(\.\.\.\)|ing)?|console\.(?:log|debug|info|warn|error)s?(?:\(\)s?)?|consoles?(?: outputs?)?|fmt\.Print(?:ln|f)?s?|System\.out\.print(?:ln|f)?s?(?:\(\))?|e?println!?s?|dbg!?)`?(?![\w.])!?"
    r"(?: ?(?:calls?|statements?|lines?|outputs?|debugging|noise|messages?|stuff)\b)*",
    re.IGNORECASE,
)
"""Words for statements that print."""
_DELETING = re.compile(
    r"\b(?:delete|remove|removed|deleted|rm|drop|dropped|kill|erase|strip|get rid of|rid|throw out|throw away|throw|cut|take out|take away|clean up|clean out|clean|clear out"
    r"|clear|purge|nuke|ditch|scrap|lose|eliminate|zap|pull|rip|take|out|away|can|should|must|may|needs to)(?: (?:go|it|them|that|those|be (?:deleted|removed|dropped|gone))(?: (?:away|too))?)?(?: (?:out|away))?\b"
    r"|\b(?:no more|no|without)\b",
    re.IGNORECASE,
)
_ASKS = re.compile(
    r"\b(?:delete|remove|removed|rm|drop|kill|erase|strip|rid|throw|cut|take|clean|clear|purge|nuke|ditch|scrap|lose|eliminate|zap|pull|rip|go|gone|deleted|dropped|no|without)\b",
    re.IGNORECASE,
)
_REASON = re.compile(
    r"\b(?:(?:it|they|that|which|these|those) )?(?:is|are|was|were|isn't|aren't) (?:only |just |merely |all )*(?:(?:there |left over |leftovers? )?(?:for|from|of) (?:my |the |our |some )?(?:debug(?:ging)?|testing|tests?|development|trying (?:things )?out)(?: session)?"
    r"|debug(?:ging)? (?:output|leftovers?|noise|code)|noise|debug(?:ging)?|leftovers?|not needed|no longer needed|unneeded|useless|clutter|not used)(?: (?:anymore|any more|any longer))?\b"
    r"|\b(?:left over|left in|leftovers?|left behind) from (?:my |the |our |some )?(?:debugging|testing|development|trying (?:things )?out)\b"
    r"|^(?:this|it) (?:goes|ships|is going) (?:live|out|to production)(?: (?:today|tomorrow|soon|now|next week))?,? so\b"
    r"|\b(?:i|we) (?:only |just )?(?:added|left|used|needed|put|forgot) (?:it|them|that|those)?(?: (?:there|in|behind))?(?: (?:for|while|when) (?:debugging|testing))?\b",
    re.IGNORECASE,
)
_TEXT = re.compile(
    r"(?:\b(?:that|which) (?:says|prints|shows|outputs) |\b(?:with|saying|of|about|for) )?(?:the (?:text |message )?)?(?P<mark>[\"'])(?P<text>[^\"'\n]+)(?P=mark)"
)
_A_FUNCTION = re.compile(r"\bprint\w* (?:function|method|helper|option|flag)", re.IGNORECASE)
_KNOWN = words_of(
    "still please again anymore more any longer everywhere too there here clean terminal console at end start top bottom beginning very"
)


def _prints(text: str) -> DeletePrints | None:
    """The intent of a request to delete prints, in a function if one is named, or the one with a text in quotes;
    ``None`` for another request, or if words are left that are not known.
    """
    unread = UnreadText(text)
    quoted = unread.take(_TEXT)
    reason = unread.take(_REASON)
    if _A_FUNCTION.search(text) or not _ASKS.search(unread.text) or unread.take(PRINTS) is None:
        return None
    unread.take_all(_DELETING)
    location = unread.take_function(_KNOWN)
    if not unread.says_only(_KNOWN) or (
        reason and "not" in reason[0] and "not needed" not in reason[0]
    ):
        return None
    return DeletePrints(quoted["text"] if quoted else "", location=location)


PRINTS_OF_PLACE = Guess(
    "delete-prints",
    reads=_prints,
    examples=(
        (
            "that println! in top() was only for debugging, remove",
            DeletePrints(location="top"),
        ),
        ("from run() take the print out", DeletePrints(location="run")),
        ("the console.debug calls in list can go", DeletePrints(location="list")),
    ),
    near_misses=(
        "remove the prints in load but keep the last one",
        "remove the print in load if debug is off",
        "the print in load is not needed for tests, keep it",
        "delete the print function",
    ),
    is_of_one=False,
    reads_all_words=True,
)
"""With a place, or a reason in the middle."""
