"""Use with: how people ask that files be opened in it."""

from __future__ import annotations

import re

from editd.intent.intents import UseWithOpen
from editd.intent.rules.rule import Rule
from editd.intent.rules.templates import ALL

_FILES = "(open|open()|opening|files?|file (handling|handles?|opening|access|reading|objects?)|open (and|/) close|open/close|calls? (of|to) open|open() calls?|open calls?)"
_WITH = "(a|the)? (with|with-|with open|with open()|with (statements?|blocks?)|with-(statements?|blocks?)|context managers?) (statements?|blocks?)?"


USE_WITH_OPEN = Rule(
    "with-open",
    paraphrases=(
        f"(use|add|i want|i'd like|put|prefer) {_WITH} (for|around|when|to|on) {ALL} (open|opening)? {_FILES} ((the)? files?)? WHERE?",
        "(use|prefer|i want) ((a|the)? (with open|with open()|context managers?|with-open) (statements?|blocks?)?|(a|the)? with (statements?|blocks?)) (here)? ((instead of|rather than) (open and close|open/close|close|close()|open|open()|closing ANYTHING))? WHERE?",
        f"replace {ALL} (open/close|open and close|open() and close()) (with|by) {_WITH} WHERE?",
        f"(the)? ADJECTIVE (is|are) (never|not) closed, (so|please)? use {_WITH}",
        f"(open|close|read|handle|manage) {ALL} files? (in|with|using|by) {_WITH} WHERE?",
    ),
    intent=lambda _: UseWithOpen(),
    takes_location=True,
    reasons=re.compile(
        r"\b(?:never|not|isn't|aren't|only) (?:properly |always )?closed?\b|\bleak\w*|\bstays? open\b",
        re.IGNORECASE,
    ),
    examples=(
        ("use with open", UseWithOpen()),
        ("f is never closed, use a context manager", UseWithOpen()),
    ),
)
