"""Tells whether a request says more than the one edit that a reader of evidence may find in it. Standard library only."""

from __future__ import annotations

import re

from editd.intent.second_wish import has_second_wish

_EXCEPT_WHERE = re.compile(
    r"\b(?:except|but not|other than|apart from) (?:in|inside|within|for|on|at)\b", re.IGNORECASE
)
_TWO_EDITS = re.compile(
    r"^(?:please )?(?:use|convert|rename|replace|wrap|add|sort|change|set|turn|move|switch)\b.*"
    r"\band (?:then |also )?(?:drop|remove|delete|kill|comment out)\b",
    re.IGNORECASE,
)
_CHOOSES = re.compile(
    r"[,;:(] (?:that is|that's|i\.e\.|meaning|namely)(?: to say)?,? (?:only |just )?(?:the|those|these|ones?)\b"  # those before a statement
    r"|[,;.(] its (?:uses?|mentions?|calls?|copy) in\b.* (?:stays?|remains?|fine|ok(?:ay)?|as it is|as they are)\b",
    re.IGNORECASE,
)
"""Says of which things the edit is, or of which not."""
_OF_THE_PROGRAM = re.compile(
    r"\b(?:dropped|removed|deleted|cleared|purged|expire[sd]?) after (?:\d+|one|two|five|ten|a few|some) (?:s|sec|min|hour|day|week|try|tries|attempt)",
    re.IGNORECASE,
)
"""Tells what the program is to delete, and when."""
_ITEM = re.compile(r"^\s*(?:[-*•]|\d+[.)]) ", re.MULTILINE)
_STAYS = re.compile(r"\([^()]*\b(?:still|leave|keep|stays?)\b", re.IGNORECASE)


def says_more(text: str) -> bool:
    """Whether a request wishes for something else as well (``has_second_wish``), is a list, chooses among the things that it is about, tells what the program is to
    delete, excepts a place, or asks for something to go beside another edit.
    """
    patterns = (_EXCEPT_WHERE, _TWO_EDITS, _CHOOSES, _ITEM, _OF_THE_PROGRAM)
    return has_second_wish(text) or any(x.search(text) for x in patterns)


def says_what_stays(text: str) -> bool:
    """Whether a request says in brackets that something stays."""
    return _STAYS.search(text) is not None
