"""Reads a request from evidence, where its sentence fits no row and no guess: words that name a kind of edit, names that the
buffer has, and nothing that narrows it.

Rows and guesses ask that each word of a request is known. Here a word may be unknown, because the edit is known without it:
"record() opens the log by hand, rewrite with with" names a kind and a function, and one call there can change so. What is
known of a buffer comes as ``BufferFacts``; ``refactor`` carries an interpretation out only where its result is certain and the
only one, and the user is told how the sentence was read. Each kind of evidence is a module with a function of the form ``Reader``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from editd.intent.evidence.annotations import read_annotation
from editd.intent.evidence.buffer_facts import BufferFacts
from editd.intent.evidence.docstrings import read_docstring
from editd.intent.evidence.imports import read_import
from editd.intent.evidence.interpretation import Interpretation
from editd.intent.evidence.log_calls import read_log_call
from editd.intent.evidence.names import read_rename
from editd.intent.evidence.parameters import read_parameter
from editd.intent.evidence.targets import read_targets
from editd.intent.evidence.try_blocks import read_try
from editd.intent.evidence.values import read_value
from editd.intent.evidence.whole import read_whole
from editd.intent.intents import DeleteComments, EditTarget
from editd.intent.second_wish import has_second_wish

__all__ = ["BufferFacts", "Interpretation", "interpretations_of"]

Reader = Callable[[str, BufferFacts], Iterator[Interpretation]]
"""Yields the interpretations that a request may have, given the facts about the buffer."""

_READERS: tuple[Reader, ...] = (
    read_whole,
    read_log_call,
    read_try,
    read_parameter,
    read_annotation,
    read_docstring,
    read_import,
    read_targets,
    read_rename,
    read_value,
)
_EXCEPT_WHERE = re.compile(
    r"\b(?:except|but not|other than|apart from) (?:in|inside|within|for|on|at)\b", re.IGNORECASE
)
_TWO_EDITS = re.compile(
    r"^(?:please )?(?:use|convert|rename|replace|wrap|add|sort|change|set|turn|move|switch)\b.*"
    r"\band (?:then |also )?(?:drop|remove|delete|kill|comment out)\b",
    re.IGNORECASE,
)
_STAYS = re.compile(r"\([^()]*\b(?:still|leave|keep|stays?)\b", re.IGNORECASE)
_AND_ITS_COMMENT = re.compile(r"\bwith (?:its|their) (?:\w+ )?comments?\b", re.IGNORECASE)
_LONGEST = 300  # characters of a request that is read so


def interpretations_of(text: str, facts: BufferFacts) -> tuple[Interpretation, ...]:
    """The interpretations that a request may have by its evidence, each once, in the order of the readers; empty for over 300
    characters, and where the words wish for something else as well (``has_second_wish``), except a place, or ask
    for something to go beside another edit.
    """
    if len(text) > _LONGEST or has_second_wish(text):
        return ()
    if any(pattern.search(text) for pattern in (_EXCEPT_WHERE, _TWO_EDITS, _STAYS)):
        return ()
    found = dict.fromkeys(each for read in _READERS for each in read(text, facts))
    if _AND_ITS_COMMENT.search(text):  # the comment alone is not what is meant
        return tuple(x for x in found if not _is_of_comments(x))
    return tuple(found)


def _is_of_comments(interpretation: Interpretation) -> bool:
    """Whether an interpretation is about comments alone."""
    intent = interpretation.intent
    return isinstance(intent, DeleteComments) or (
        isinstance(intent, EditTarget) and intent.target.kind == "comment"
    )
