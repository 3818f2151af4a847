"""A cue: the words that speak for one kind of edit, those that go with it, those against it. Standard library only."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from editd.intent.evidence.buffer_facts import BufferFacts
from editd.intent.evidence.request_clauses import cut_sentence
from editd.intent.evidence.target_cues import asking_clause
from editd.intent.intents import Located


def pattern(text: str) -> re.Pattern[str]:
    """The compiled pattern, which ignores case and in which white space counts for nothing: ``_`` is a blank."""
    return re.compile(re.sub(r"\s+", "", text).replace("_", " "), re.IGNORECASE)


def one_of(*ways: str) -> re.Pattern[str]:
    """The compiled pattern for one of several ways to say something, which ignores case."""
    return re.compile("|".join(f"(?:{way})" for way in ways), re.IGNORECASE)


def words_like(text: str) -> str:
    """A pattern for one of the whole words of a list, which are patterns themselves; ``_`` is a blank in a word."""
    return rf"\b(?:{'|'.join(x.replace('_', ' ') for x in text.split())})(?!\w)"


Words = tuple[str, ...]
"""Words of a request, or definitions that it names."""
_NOTHING = re.compile(r"(?!)")


@dataclass(frozen=True, slots=True)
class Cue:
    """The words that speak for one kind of edit.

    words: the edit as a plain sentence. says: found in a request for it; its groups are the gaps between its words. about: words
    that go with it and say no more. makes: the intent, of the clauses that ask, of their words that nothing explains, of the
    definitions that are named, and of the buffer's facts; ``None`` if it is none after all. nouns: of the places that it changes, as alternatives of a pattern in the
    singular; empty if no place can be described. has_plain_nouns: some of these say what a place is for, so that the code there may lack them. choosing: words that may choose among places. harmless: what sounds like an
    exception or a second edit and is none here. against: found in a request for something else. things: what goes, of a kind of edit that
    deletes: where a clause asks that something goes, these words speak for it, too. deletes: what is
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
    things: re.Pattern[str] | None = None
    deletes: bool = False
    has_conditions: bool = False
    is_of_block: bool = False
    has_plain_nouns: bool = False

    def speaks_in(self, text: str) -> bool:
        """Whether words of the cue stand in a request, or it asks in some clause that the cue's things go."""
        if self.says.search(text):
            return True
        is_about = self.things is not None and self.things.search(text) is not None
        return is_about and any(self.asks(clause.text) for clause in cut_sentence(text))

    def asks(self, clause: str) -> bool:
        """Whether a clause asks that the cue's things go; ``False`` for a kind of edit that deletes nothing."""
        return self.things is not None and _asks_to_delete(clause)

    def without_act(self, clause: str) -> str:
        """The clause with blanks for the words that ask that the cue's things go."""
        if not self.asks(clause):
            return clause
        left = asking_clause(clause, speaks_of_comments=False).rest.split()
        signs = list(clause)
        for word in reversed([*re.finditer(r"\S+", clause)]):
            if left and word[0] == left[-1]:
                left.pop()
            else:
                signs[word.start() : word.end()] = " " * len(word[0])
        return "".join(signs)


def _asks_to_delete(clause: str) -> bool:
    """Whether a clause asks that something goes, or says that it is needless."""
    return asking_clause(clause, speaks_of_comments=False).action == "delete"
