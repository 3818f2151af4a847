"""An interpretation: the edit that a request is taken for, for the buffer and for the user. Standard library only."""

from __future__ import annotations

from dataclasses import dataclass

from editd.intent.intents import Intent


@dataclass(frozen=True, slots=True)
class Interpretation:
    """An intent that a request may have. words: the same as a plain sentence, for the user: "use with in record".
    reads_all: each clause of the request is accounted for, so that it is tried on what may be several requests, too.
    rank: tried only where those of lower ranks change nothing.
    """

    intent: Intent
    words: str
    reads_all: bool = False
    rank: int = 0
