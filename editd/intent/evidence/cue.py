"""A cue: the words that speak for one kind of edit, those that go with it, those against it. Standard library only."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from editd.intent.evidence.buffer_facts import BufferFacts
from editd.intent.intents import Located


def pattern(text: str) -> re.Pattern[str]:
    """The compiled pattern, which ignores case and in which white space counts for nothing: ``_`` is a blank."""
    return re.compile(re.sub(r"\s+", "", text).replace("_", " "), re.IGNORECASE)


Words = tuple[str, ...]
"""Words of a request, or definitions that it names."""
_NOTHING = re.compile(r"(?!)")


@dataclass(frozen=True, slots=True)
class Cue:
    """The words that speak for one kind of edit.

    words: the edit as a plain sentence. says: found in a request for it; its groups are the gaps between its words. about: words
    that go with it and say no more. makes: the intent, of the clauses that ask, of their words that nothing explains, of the
    definitions that are named, and of the buffer's facts; ``None`` if it is none after all. nouns: of the places that it changes, as alternatives of a pattern in the
    singular; empty if no place can be described. choosing: words that may choose among places. harmless: what sounds like an
    exception or a second edit and is none here. against: found in a request for something else. deletes: what is
    there goes, so that a remark may not be doubtful. has_conditions: "if" and "when" are a part of it. is_of_block: a definition
    mostly has one such place, so that words which the buffer does not have say why.
    """

    words: str
    says: re.Pattern[str]
    about: re.Pattern[str]
    makes: Callable[[str, Words, Words, BufferFacts], Located | None]
    nouns: str = ""
    choosing: re.Pattern[str] = _NOTHING
    harmless: re.Pattern[str] = _NOTHING
    against: re.Pattern[str] | None = None
    deletes: bool = False
    has_conditions: bool = False
    is_of_block: bool = False
