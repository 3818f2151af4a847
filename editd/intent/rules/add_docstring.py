"""Add a docstring: how people ask for it."""

from __future__ import annotations

import re

from editd.intent.intents import AddDocstring, Intent, Open
from editd.intent.rules.rule import Rule, Slots
from editd.intent.rules.templates import FUNCTION


def _documented(slots: Slots) -> Intent:
    """The intent ``AddDocstring`` for the function ``name``, without call brackets, where the docstring stands in
    quotes (``quoted``); ``Open`` (a model has to do it) where it does not. slots: the texts that the request gives, by
    role.
    """
    if "quoted" not in slots:
        return Open()
    return AddDocstring(slots["name"].removesuffix("()"), slots["quoted"])


ADD_DOCSTRING = Rule(
    "add-docstring",
    canonical=(
        "ADD (a|the)? docstring QUOTED? (to|for|in|into) KIND? NAME :? QUOTED?",
        "document KIND? NAME (with QUOTED)?",
        "write (a|the)? docstring (for|to) KIND? NAME :? QUOTED?",
        "give KIND? NAME (a|the) docstring :? QUOTED?",
        "KIND? NAME (needs|has no|lacks|should have) (a|the)? docstring (:? QUOTED|, (ADD|write) one)?",
        "the docstring of KIND? NAME (should|must) be QUOTED",
        "use QUOTED as the docstring of KIND? NAME",
        "let QUOTED be the docstring of KIND? NAME",
        "describe KIND? NAME (in a docstring|with the docstring QUOTED)",
        "document what KIND? NAME does",
        "(i want|i'd like) KIND? NAME documented",
    ),
    paraphrases=(
        f"(WRITE)? (a|the)? docstring (of|for|to|in) {FUNCTION} (is|as|with|saying|:)? QUOTED",
        f"(WRITE|use|set)? (a|the)? docstring QUOTED (of|for|to|in|on) {FUNCTION}",
        f"(set|change|update) the docstring of {FUNCTION} to QUOTED",
        f"{FUNCTION} : (the)? docstring :? QUOTED",
        f"(ADD|use|put) QUOTED as (a|the)? docstring (of|for|to|in) {FUNCTION}",
        f"(WRITE|i need|i want|we need)? DOC (to|for|in|into|on|of) {FUNCTION} ((explaining|describing|that|which|saying) ANYTHING)?",
        f"(WRITE|ADD)? DOC (that|which|to)? (explains?|describes?|explaining|describing|about|saying) (what)? {FUNCTION} (does|is for|returns)?",
        f"(let|make) {FUNCTION} (have|get) DOC",
        f"(explain|describe|document|say|state) (what)? {FUNCTION} (does|is for|returns)? (in|with|by|using) DOC",
        f"document {FUNCTION}",
        "(WRITE)? (some|the)? documentation (to|for|of) (the)? KIND? NAMEPLAIN KIND?",
        f"(give|write) {FUNCTION} DOC",
        f"{FUNCTION} (needs|has no|lacks|should have|must have|wants|is missing|misses|doesn't have|could use|deserves|requires) (DOC|documentation) (yet|so far)?, (so)? ((WRITE) (one|it|DOC))?",
        f"{FUNCTION} MODAL be documented (with|by|in)? DOC?",
    ),
    plain="add a docstring to {name}",
    intent=_documented,
    is_of_one=True,
    examples=(
        ("document f with 'Do it.'", AddDocstring("f", "Do it.")),
        ("let 'Do it.' be the docstring of f", AddDocstring("f", "Do it.")),
        ('docstring for f: """Do it."""', AddDocstring("f", "Do it.")),
        ("add a docstring to load", Open()),
    ),
)
OF_ALL = re.compile(
    r"(?:(?:please|can you|could you) )*(?:(?:add|write|create|give|put|generate|i want|we need) )?(?:short |brief |missing |some |the )*"
    r"(?:docstrings?|a docstring) (?:to|for|in|on) (?:all|every|each|all of the)(?: the| of the)?(?: (?:functions?|methods?"
    r"|functions and methods))?(?: (?:here|in (?:here|this file|the file)))?[.!]?(?: please)?",
    re.IGNORECASE,
)
"""A request for the docstrings of all functions."""
