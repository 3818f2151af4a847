"""What a reader of a paste returns: changed lines with a confidence each, or an error with one sentence."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from editd.diff.hunk import Hunk
from editd.diff.matching import changes
from editd.messages.options import Doubtful, InDoubt

CERTAIN, CONFIDENT, SHOWN = 1.0, 0.95, 0.5  # least probability: no doubt; no mark; shown at all
BY_NAME, BEST_GUESS, WEAK_GUESS = (
    0.97,
    0.9,
    0.6,
)  # of a place that a name gives, prose or a marker, its like
_AS_LIKELY = "Another reading of the sketch is as likely; show more lines around the change."
_OTHERWISE = (
    "The sketch could be read otherwise here; look at the change, or show more lines around it."
)


class NoReadingError(Exception):
    """Raised inside this package if the paste has no single meaning; ``merge`` returns its ``InDoubt``."""

    def __init__(
        self,
        reason: str,
        line: int | None = None,
        *,
        final: bool = False,
        certain: tuple[Hunk, ...] = (),
        doubtful: tuple[Doubtful, ...] = (),
    ) -> None:
        super().__init__(reason)
        self.outcome = InDoubt(reason, line, final, certain, doubtful)


@dataclass(frozen=True, slots=True)
class LineChange:
    """Lines ``start .. end`` of the buffer become ``new``, lines without ends.

    sure: the probability of this text here. why: a sentence for the user, where one is known. doubts: what
    speaks against it, by name (``confidence``). before_doubts: the probability without them. is_whole: it is a whole
    definition in the place of the file's one (``marks``). ends: whether the text ends in a newline after the buffer's
    last line, if that is among them; ``None``: as before.
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


@dataclass(frozen=True, slots=True)
class Reading:
    """The likeliest changes in order; parts that change nothing are among them.

    sure: the probability of the whole text. other: the changes of the next likely text.
    """

    changes: tuple[LineChange, ...]
    confidence: float
    other: tuple[LineChange, ...] = ()


def differences(one: LineChange, keys: Sequence[str]) -> Iterator[LineChange]:
    """What a change really changes. keys: the buffer's lines without the blanks at their ends."""
    for part in changes(keys[one.start : one.end], [line.rstrip() for line in one.new]):
        start, end = one.start + part.old_start, one.start + part.old_end
        yield replace(one, start=start, end=end, new=one.new[part.new_start : part.new_end])


def sentence_of(found: Reading) -> str:
    """Why a reading is not certain: the sentence of its most doubtful change."""
    told = min(found.changes, key=lambda one: (not one.sentence, one.confidence))
    return told.sentence or (_AS_LIKELY if found.confidence < SHOWN else _OTHERWISE)


def capped(found: Reading, most: float, told: str, kinds: Iterable[str] = ("unnamed",)) -> Reading:
    """The reading, no change of it surer than ``most``; ``told`` says why.

    kinds: the doubts that are raised against all changes; an unnamed one is never a note (``marks``).
    """
    changes = tuple(
        replace(
            one,
            confidence=min(one.confidence, most),
            sentence=told if one.confidence >= most else one.sentence,
            doubts=tuple(dict.fromkeys((*one.doubts, *kinds))),
        )
        for one in found.changes
    )
    return Reading(changes, min(found.confidence, most), found.other)
