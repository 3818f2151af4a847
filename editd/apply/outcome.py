"""The outcome of a merge. Plain data; what may have to be told to the engine is a message."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from editd.diff.hunk import Hunk
from editd.messages import Doubtful, InDoubt

__all__ = ["Doubt", "Doubtful", "Form", "InDoubt", "Merged", "Reading", "Unsettled"]

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
class Reading:
    """The likeliest text of a paste that can mean several.

    merged: its text and hunks; those that could be read otherwise have ``suspect``, the others ``note``.
    sure: whether none could. other: the next likely text.
    """

    merged: Merged
    sure: bool
    other: Merged | None = None


@dataclass(frozen=True, slots=True)
class Unsettled(InDoubt):
    """What is in doubt, with its likeliest text if one is likelier than all others together."""

    reading: Reading | None = None


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
