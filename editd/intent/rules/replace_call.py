"""Replace a call: how people ask that another function be called."""

from __future__ import annotations

import re

from editd.intent.intents import ReplaceCall
from editd.intent.rules.rule import RowMatch, Rule

_A_MEMBER = re.compile(r"[^\W\d]\w*(?:(?:\.|::)[^\W\d]\w*)+(?:\(\))?")


_LOGGERS = ("console", "logger", "logging", "log")  # whose members differ by no more than a level


def _are_no_members(match: RowMatch) -> bool:
    """Whether the old or the new call has no module or object before it, or both are members of the same one, loggers
    aside.
    """
    old, new = match.slots["old"], match.slots["new"]
    owner = re.split(r"\.|::", old)[0]
    is_same = owner == re.split(r"\.|::", new)[0] and owner not in _LOGGERS
    return is_same or not (_A_MEMBER.fullmatch(old) and _A_MEMBER.fullmatch(new))


REPLACE_CALL = Rule(
    "replace-call",
    paraphrases=(
        "(use|call|prefer|switch to) NEWCODE (calls?)? (instead of|rather than|in place of|not|over) OLDCODE (calls?)? WHERE?",
        "(replace|change|convert|turn|switch|swap) EVERY? THE? (calls? (of|to))? OLDCODE (calls?)? (with|by|to|into|for) NEWCODE (calls?)? WHERE?",
    ),
    intent=lambda slots: ReplaceCall(
        slots["old"].removesuffix("()"), slots["new"].removesuffix("()")
    ),
    excludes=_are_no_members,
    name_slots=("old", "new"),
    takes_location=True,
    examples=(
        (
            "use log.Println instead of fmt.Println in handle",
            ReplaceCall("fmt.Println", "log.Println", location="handle"),
        ),
    ),
    near_misses=("use time.monotonic instead of time.time for the duration",),
)
