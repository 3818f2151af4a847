"""The ways to an edit: which there are, and which lead on from an answer.

Knows who wrote an answer, and nothing of how a way is taken: that is ``apply``'s, ``instruction``'s and ``engine``'s.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from editd.errors import EditRefused

WayName = Literal["reading", "words", "resembling", "model", "again", "whole"]

WrittenBy = Literal["model", "text", "text+model", "words", ""]


@dataclass(frozen=True, slots=True)
class Way:
    """One of them: a request with ``options.way`` = ``name`` takes it; ``title`` is for a menu."""

    name: WayName
    title: str
    needs_model: bool


WAYS = (
    Way("reading", "The other reading of the paste", needs_model=False),
    Way("words", "As the words say", needs_model=False),
    Way("resembling", "With what resembles it", needs_model=False),
    Way("model", "Ask the model", needs_model=True),
    Way("again", "Ask again", needs_model=True),
    Way("whole", "On the whole file", needs_model=True),
)
"""All there are, best first."""

BY_MODEL = frozenset(way.name for way in WAYS if way.needs_model)


def ways_from(
    written_by: WrittenBy,
    *,
    in_parts: bool = False,
    other_reading: bool = False,
    words_differ: bool = False,
    resembling: bool = False,
) -> tuple[Way, ...]:
    """The ways that lead on from an answer, best first; ``""``: there is none.

    in_parts: parts of the text stand for all of it. other_reading: a second reading of the paste is
    close. words_differ: the words have a literal meaning, and it is another one. resembling: what
    resembles the words stayed as it is.
    """
    by_model = written_by in ("model", "text+model")
    there: dict[WayName, bool] = {
        "reading": other_reading,
        "words": words_differ,
        "resembling": resembling,
        "model": written_by in ("text", "words"),
        "again": by_model,
        "whole": in_parts,
    }
    return tuple(way for way in WAYS if there[way.name])


def check_way(way: WayName | None) -> None:
    """Raise ``EditRefused`` for a way that leads nowhere: one that no model takes and nothing computes."""
    if way is not None and way not in BY_MODEL:
        raise EditRefused(f"This edit has no other way {way!r}: leave it out (--way).")
