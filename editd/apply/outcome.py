"""The outcome of a merge. Plain data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from editd.diff.hunk import Hunk

Form = Literal["sketch", "patch", "search/replace"]


@dataclass(frozen=True, slots=True)
class Merged:
    """The one text that the paste can mean.

    text: the whole new text, with the line ends and byte order mark of the old one. hunks: the same
    change in lines, in order; their ``origins`` give ``sketch`` or ``buffer`` for each character.
    form: the form in which the paste was recognised.
    """

    text: str
    hunks: tuple[Hunk, ...]
    form: Form


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
    """The paste can mean several texts, or none.

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


class Doubt(Exception):
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
