"""What a sketch leaves open when it is merged as text. How that is found out, ``apply`` knows."""

from __future__ import annotations

from dataclasses import dataclass

from editd.diff.hunk import Hunk


@dataclass(frozen=True, slots=True)
class Doubtful:
    """A part of the sketch that has several places, or none.

    start, end: the buffer's lines between the certain parts around it, 0-based, end exclusive. No
    certain hunk touches these lines, and two doubtful parts never overlap. sketch: the part's lines
    without ends, with the marker lines above and below it if the sketch has them.
    """

    start: int
    end: int
    sketch: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class InDoubt:
    """A sketch can mean several texts, or none.

    reason: one sentence for the user that says what to do. line: 0-based line of the paste that the
    doubt is about, ``None`` if it is about the whole paste. final: a model could not decide either.
    certain: hunks that every reading of the sketch shares, in order; they can be used as they are.
    doubtful: the parts left to decide, in the buffer's order. Both are empty if the doubt is about the
    whole paste.
    """

    reason: str
    line: int | None = None
    final: bool = False
    certain: tuple[Hunk, ...] = ()
    doubtful: tuple[Doubtful, ...] = ()
