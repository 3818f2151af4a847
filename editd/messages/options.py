"""How an edit is asked for: the ways that there are, its options, and what a sketch leaves open.

What the values mean, and which are allowed, ``config`` says; how a way is taken, and what is in doubt, ``apply``,
``instruction`` and ``engine``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from editd.diff.hunk import Hunk
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


@dataclass(frozen=True, slots=True)
class Loading:
    """How models are loaded, in the words of ``config.ModelConfig``; ``None``: as the daemon does.

    A daemon with other settings refuses the request, rather than load a model twice.
    """

    device: str | None = None
    dtype: str | None = None
    max_context: int | None = None
    exactness: str | None = None
    threads: int | None = None
    draft_device: str | None = None
    engine: str | None = None
    url: str | None = None
    key_file: str | None = None
    allow_plain_http: bool | None = None


@dataclass(frozen=True, slots=True)
class EditOptions:
    """Per-request settings; ``None`` means: as the daemon's configuration says.

    acceptance: how sampled drafts of a draft model are judged, ``rejection`` or ``coupled``.
    way: which of the other ways to an edit is taken; ``None``: the usual one. ``model``, ``again`` and
        ``whole`` ask a model even if it can be done without. ``again`` samples, with a seed of its own
        unless one is given. ``whole`` shows and rewrites all that fits the model's context, however
        long it takes.
    """

    model: str | None = None
    draft_model: str | None = None
    drafter: str | None = None
    window: int | None = None
    temperature: float | None = None
    top_p: float | None = None
    top_k: int | None = None
    seed: int | None = None
    max_new_tokens: int | None = None
    timeout: float | None = None  # seconds
    acceptance: str | None = None
    way: WayName | None = None
    loading: Loading = Loading()


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
