"""What a merge came to. Plain data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from editd.diff.hunk import Hunk

Form = Literal["sketch", "patch", "search/replace"]


@dataclass(frozen=True, slots=True)
class Merged:
    """The one text that the paste can mean.

    text: the whole new text, line ends and byte order mark as they were. hunks: the same change in
    lines, done, in order, their ``origins`` saying ``sketch`` or ``buffer`` for each character.
    form: what the paste was recognised as.
    """

    text: str
    hunks: tuple[Hunk, ...]
    form: Form


@dataclass(frozen=True, slots=True)
class Doubtful:
    """A part of the sketch that has several places, or none.

    start, end: lines of the buffer in which it belongs, 0-based, end exclusive: what lies between the
    parts that are placed for certain. No certain hunk touches them, and two doubtful parts never
    overlap. sketch: the part's lines without ends, a marker line above and below it where the sketch
    has one.
    """

    start: int
    end: int
    sketch: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class InDoubt:
    """The paste can mean several texts, or none.

    reason: one sentence for a person, which says what to do. line: 0-based line of the paste that
    the doubt is about, ``None`` where it is about all of it. final: a model could not decide either.
    certain: hunks that every reading of the sketch shares, in order; they may be used as they are.
    doubtful: what is left to decide, in the buffer's order. Both are empty where the doubt is about
    all of the paste.
    """

    reason: str
    line: int | None = None
    final: bool = False
    certain: tuple[Hunk, ...] = ()
    doubtful: tuple[Doubtful, ...] = ()


class Doubt(Exception):
    """Raised inside this package where a rule leaves a choice; ``merge`` turns it into ``InDoubt``."""

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
