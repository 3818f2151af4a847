"""Reads a request from evidence, where its sentence fits no row and no guess: words that name a kind of edit, names that the
buffer has, and nothing that narrows it.

Rows and guesses ask that each word of a request is known. Here a word may be unknown, because the edit is known without it:
"record() opens the log by hand, rewrite with with" names a kind and a function, and one call there can change so. What is
known of a buffer comes as ``BufferFacts``; ``refactor`` carries an interpretation out only where its result is certain and the
only one, and the user is told how the sentence was read. Each kind of evidence is a module with a function of the form ``Reader``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from editd.intent.evidence.annotations import read_annotation
from editd.intent.evidence.buffer_facts import BufferFacts
from editd.intent.evidence.described_names import with_names
from editd.intent.evidence.docstrings import read_docstring
from editd.intent.evidence.exchanges import read_exchange
from editd.intent.evidence.imports import read_import
from editd.intent.evidence.interpretation import Interpretation
from editd.intent.evidence.log_calls import read_log_call
from editd.intent.evidence.names import read_rename
from editd.intent.evidence.parameters import read_parameter
from editd.intent.evidence.says_more import says_more, says_what_stays
from editd.intent.evidence.spelling import with_apostrophes
from editd.intent.evidence.targets import read_targets
from editd.intent.evidence.try_blocks import read_try, speaks_of_errors
from editd.intent.evidence.values import read_value
from editd.intent.evidence.whole import read_whole
from editd.intent.intents import (
    AddDocstring,
    InsertStatement,
    Intent,
    PrintsToLogging,
    ReturnEarly,
    Several,
    SomePlaces,
    UseWithOpen,
    WrapTry,
)

__all__ = ["BufferFacts", "Interpretation", "interpretations_of", "speaks_of_errors", "with_names"]

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
    read_exchange,
    read_value,
)
_BY_CUE = (AddDocstring, InsertStatement, PrintsToLogging, ReturnEarly, UseWithOpen, WrapTry)
_BY_NAME = (read_import, read_targets, read_rename, read_value)
"""Readers to which a word for an edit of another kind is a thing like any other: "bail out", "with open(path) as f"."""
_LONGEST = 300  # characters of a request that is read so


def interpretations_of(text: str, facts: BufferFacts) -> tuple[Interpretation, ...]:
    """The interpretations that a request may have by its evidence, each once, in the order of the readers; empty for over 300
    characters, and where the words say more than one edit (``says_more``). Where a word names an edit of blocks, or of prints that are to log, nothing is
    read as the import, deletion, rename, exchange or value of a name. Only a reader that looks at what is to stay reads a request that says so in
    brackets.
    """
    if len(text) > _LONGEST or says_more(text):
        return ()
    readers = (read_whole,) if says_what_stays(text) else _READERS
    plain = with_apostrophes(text)
    named = with_names(plain, facts)
    is_of_errors = speaks_of_errors(plain)
    found: dict[Interpretation, None] = {}
    for read in readers:
        is_of_block = is_of_errors or any(isinstance(_bare(x.intent), _BY_CUE) for x in found)
        if is_of_block and read in (*_BY_NAME, read_exchange):
            continue
        found |= dict.fromkeys(read(plain if read in _BY_NAME else named, facts))
    return tuple(found)


def _bare(intent: Intent) -> Intent:
    """An intent without the choice of places around it, and the first of several."""
    if isinstance(intent, SomePlaces):
        return _bare(intent.intent)
    return _bare(intent.intents[0]) if isinstance(intent, Several) else intent
