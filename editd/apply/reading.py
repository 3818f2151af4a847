"""The result of a reader of a paste: changes of the file's lines, each with its confidence; or an error with one sentence.

Knows nothing of how a paste is read. Confidences and doubts are those of ``doubts.table``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from editd.apply.doubts.table import BEST_GUESS, CERTAIN, DOUBTS, SHOWN, sentence_for
from editd.diff.matching import changes
from editd.messages.options import InDoubt

_AS_LIKELY = "Another reading of the sketch is as likely; show more lines around the change."
_OTHERWISE = (
    "The sketch could be read otherwise here; look at the change, or show more lines around it."
)


class NoReadingError(Exception):
    """Raised within the room where a paste, or a part of it, has no reading; ``merge`` returns its ``outcome``.

    reason: one sentence for the user. line: the paste's line that it is about, 0-based. final: whether a model could not
    decide it either.
    """

    def __init__(self, reason: str, line: int | None = None, *, final: bool = False) -> None:
        super().__init__(reason)
        self.outcome = InDoubt(reason, line, final)


@dataclass(frozen=True, slots=True)
class ChangedLines:
    """Lines ``start .. end`` of the file (0-based, end exclusive) become ``new``, lines without ends.

    confidence: the probability that the paste means this text here. sentence: why it may not; empty if nothing is to be
    said. doubts: names of those raised against it (``doubts.table``). before_doubts: the alignment's probability; 1 of other
    readers. is_whole: a whole definition takes the place of the file's one, and nothing unmentioned goes. ends: whether the
    new file ends in a newline, where the change reaches its last line; ``None``: as the old one does.
    """

    start: int
    end: int
    new: tuple[str, ...]
    confidence: float = CERTAIN
    sentence: str = ""
    doubts: tuple[str, ...] = ()
    before_doubts: float = 1.0
    is_whole: bool = False
    ends: bool | None = None

    def doubted(self, name: str, *details: object) -> ChangedLines:
        """The change with the doubt ``name`` added: confidence capped by it, and its sentence, with ``details`` for its
        ``{}``, in place of the old one; an empty sentence leaves the old one. Raises ``KeyError`` for an unknown doubt.
        """
        return replace(
            self,
            confidence=min(self.confidence, DOUBTS[name].cap),
            sentence=sentence_for(name, *details) or self.sentence,
            doubts=(*self.doubts, name),
        )


@dataclass(frozen=True, slots=True)
class Reading:
    """The likeliest changes in the order of the sketch or of the file; segments that change nothing are among them.

    confidence: of the whole text. other: the changes of the next likely text; empty if there is none.
    """

    changes: tuple[ChangedLines, ...]
    confidence: float
    other: tuple[ChangedLines, ...] = ()


def differences(change: ChangedLines, keys: Sequence[str]) -> Iterator[ChangedLines]:
    """The change without its unchanged lines: a copy of it for each run of lines that really differ, trailing blanks
    aside; nothing if none does. keys: all lines of the file without trailing blanks.
    """
    for part in changes(keys[change.start : change.end], [line.rstrip() for line in change.new]):
        start, end = change.start + part.old_start, change.start + part.old_end
        new = change.new[part.new_start : part.new_end]
        yield replace(change, start=start, end=end, new=new)


def sentence_of(reading: Reading) -> str:
    """Why a reading is not certain: the sentence of the least confident of its changes with a sentence, else a general
    sentence. Raises ``ValueError`` for a reading without changes.
    """
    worst = min(reading.changes, key=lambda change: (not change.sentence, change.confidence))
    return worst.sentence or (_AS_LIKELY if reading.confidence < SHOWN else _OTHERWISE)


def capped(
    reading: Reading,
    sentence: str,
    doubts: Iterable[str] = ("unnamed",),
    most: float = BEST_GUESS,
) -> Reading:
    """The reading with ``doubts`` against every change, and neither the changes nor the whole more confident than
    ``most``.

    A change that was at least as confident as ``most`` gets ``sentence``; the others keep theirs. A doubt that a change
    already has is not added again.
    """
    lowered = tuple(
        replace(
            change,
            confidence=min(change.confidence, most),
            sentence=sentence if change.confidence >= most else change.sentence,
            doubts=tuple(dict.fromkeys((*change.doubts, *doubts))),
        )
        for change in reading.changes
    )
    return Reading(lowered, min(reading.confidence, most), reading.other)
