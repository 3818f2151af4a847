"""The settings of an edit request: its options, the ways to do it, and what an ambiguous sketch leaves open.

The meaning of the values, and which are allowed, is left to ``config``; taking a way, and merging, to ``plan`` and the
engine.
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
    """A way to do an edit: a request with ``options.way`` = ``name`` takes it. title: for a menu."""

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
"""The ways there are, best first."""

BY_MODEL = frozenset(way.name for way in WAYS if way.needs_model)


def ways_from(
    written_by: WrittenBy,
    *,
    in_parts: bool = False,
    other_reading: bool = False,
    words_differ: bool = False,
    resembling: bool = False,
) -> tuple[Way, ...]:
    """The other ways to do an edit that was ``written_by`` a model or computed, in the order of
    ``WAYS``: one for each flag that is true, to ask a model if none wrote it ("text", "words"), and
    to ask again if one did.

    in_parts: the model rewrote only parts of the text. other_reading: a second reading of the paste
    is likely, too. words_differ: the words decide another text. resembling: text that resembles the
    words was left unchanged.
    """
    by_model = written_by in ("model", "text+model")
    is_open: dict[WayName, bool] = {
        "reading": other_reading,
        "words": words_differ,
        "resembling": resembling,
        "model": written_by in ("text", "words"),
        "again": by_model,
        "whole": in_parts,
    }
    return tuple(way for way in WAYS if is_open[way.name])


def check_way(way: WayName | None) -> None:
    """Raise ``EditRefused`` for a way that does not lead to a model, once nothing was computed or merged by it."""
    if way is not None and way not in BY_MODEL:
        raise EditRefused(f"This edit has no other way {way!r}: leave it out (--way).")


@dataclass(frozen=True, slots=True)
class Loading:
    """The user's settings for loading models, as in ``config.ModelConfig``; ``None``: as the daemon does it.

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
    """The settings of one request; ``None``: as in the daemon's configuration.

    acceptance: how sampled drafts of a draft model are judged, ``rejection`` or ``coupled``.
    way: takes another way to do the edit; ``None``: the usual way. ``model``, ``again`` and
        ``whole`` ask a model even if the edit can be computed. ``again`` samples, with a seed of its own
        unless a seed is given. ``whole`` shows and rewrites all that fits the model's context, however
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
    """A segment of the sketch that has several locations, or none.

    start, end: the buffer's lines between the certain segments around it, 0-based, end exclusive. No certain hunk
    touches these lines, and two doubtful segments never overlap. sketch: the segment's lines without ends, with the
    marker lines above and below it if the sketch has them.
    """

    start: int
    end: int
    sketch: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class InDoubt:
    """The reason why a sketch can mean several texts, or none.

    reason: a sentence for the user, with what to do. line: 0-based line of the paste that is ambiguous, ``None`` if all
    of it is. final: a model could not decide either. certain: hunks that every reading of the sketch has, in order.
    doubtful: the segments left to decide, in the buffer's order. Both are empty if the whole paste is ambiguous.
    """

    reason: str
    line: int | None = None
    final: bool = False
    certain: tuple[Hunk, ...] = ()
    doubtful: tuple[Doubtful, ...] = ()
