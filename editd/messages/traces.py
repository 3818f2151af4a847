"""How a finished edit came about, round by round; for ``editd explain``."""

from __future__ import annotations

from dataclasses import dataclass

from editd.diff.hunk import Hunk
from editd.errors import FinishReason
from editd.messages.stats import Stats


@dataclass(frozen=True, slots=True)
class TracePiece:
    """Text of one source in a row; ``source`` and ``detail`` as in ``diff.hunk.Origin``."""

    text: str
    source: str
    detail: str = ""
    num_tokens: int = 0


@dataclass(frozen=True, slots=True)
class TraceRound:
    """One round of a finished edit. Times in seconds, ``start`` since the edit began.

    region: which of the edit's answers, from 0. pieces: what it brought, the model's own token last.
    chance: how likely that was; ``None`` where that is not known. rival: the likeliest other one.
    """

    start: float
    draft_seconds: float
    verify_seconds: float
    region: int
    drafted: int
    accepted: int
    pieces: tuple[TracePiece, ...] = ()
    chance: float | None = None
    rival: str = ""


@dataclass(frozen=True, slots=True)
class TraceSummary:
    """One line about a finished edit that can be explained. ``ended``: seconds since the epoch.

    rounds, tokens: as in ``Stats``.
    """

    id: str
    ended: float
    path: str
    instruction: str
    finish_reason: FinishReason
    rounds: int | None
    tokens: int | None


@dataclass(frozen=True, slots=True)
class Trace:
    """The trace of a finished edit; kept in memory for a while, never logged.

    prefill_seconds: reading the prompts. hunks: as in its ``EditResult``.
    """

    id: str
    ended: float
    path: str
    instruction: str
    model: str
    finish_reason: FinishReason
    stats: Stats
    prefill_seconds: float
    rounds: tuple[TraceRound, ...]
    hunks: tuple[Hunk, ...] = ()
