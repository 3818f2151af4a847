"""What is told of an edit and of the daemon: figures, how an edit came about, models and projects in memory.

Who counts is left to writers.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal

from editd.diff.hunk import Hunk
from editd.errors import FinishReason
from editd.messages.options import WrittenBy


@dataclass(frozen=True, slots=True)
class Stats:
    """The figures of one edit; the same names in the CLI, over LSP and in benchmarks.

    ``None``: a figure that the answer's writer does not give; 0: that there was none.

    output_tokens: tokens the target wrote. rounds: forward passes that verified (prefill apart).
    drafted, accepted, rejected: draft tokens; drafted = accepted + rejected.
    load_seconds: until its models were in memory, 0 when they were. first_hunk_ms: after that.
    acceptance_rate: accepted by drafted; ``None`` where nothing was drafted.
    cached_tokens: prompt tokens found in the prefix cache. drafter_seconds: time spent drafting.
    exactness: what equality with plain decoding is promised: bitwise, token or near-tie.
    min_margin: smallest log-probability gap between first and second choice at an emitted token.
    near_ties: emitted tokens whose gap was too small for this dtype to promise.
    written_by: the answer: ``model``, ``text`` (a sketch, merged without one), ``text+model`` (the
        model decided some of it) or ``words`` (computed from the instruction); empty: none was written.
    restored_lines: lines that kept their white space, or stayed blank, although the answer changed that.
    """

    prompt_tokens: int | None = 0
    cached_tokens: int | None = 0
    output_tokens: int | None = 0
    rounds: int | None = 0
    tokens_per_round: float | None = 0.0
    drafted: int | None = 0
    accepted: int | None = 0
    rejected: int | None = 0
    acceptance_rate: float | None = None
    accepted_prediction_tokens: int | None = 0
    rejected_prediction_tokens: int | None = 0
    first_hunk_ms: float | None = None
    load_seconds: float = 0.0
    decode_seconds: float = 0.0
    total_seconds: float = 0.0
    tokens_per_second: float | None = 0.0
    drafter_seconds: float | None = 0.0
    exactness: str = ""
    min_margin: float | None = None
    near_ties: int | None = 0
    drafter: str = ""
    written_by: WrittenBy = ""
    restored_lines: int = 0

    def plus(self, other: Stats) -> Stats:
        """The counts of two answers as of one; what is not known of both is not known."""
        counted: dict[str, Any] = {}
        for name in _COUNTED:
            mine, others = getattr(self, name), getattr(other, name)
            counted[name] = None if mine is None or others is None else mine + others
        margins = [x for x in (self.min_margin, other.min_margin) if x is not None]
        return replace(
            self,
            exactness=other.exactness or self.exactness,
            min_margin=min(margins, default=None),
            **counted,
        )


_COUNTED = (
    *("prompt_tokens", "cached_tokens", "output_tokens", "rounds"),
    *("drafted", "accepted", "rejected", "drafter_seconds", "near_ties"),
)


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


@dataclass(frozen=True, slots=True)
class ModelStatus:
    """One model that the daemon holds or is loading.

    memory_bytes: weights and caches. kv_bytes, kv_limit_bytes: keys and values, and the most that
    they may take; 0: what the machine has. exactness: as in ``Stats``. runs: how passes are run, for
    a person.
    """

    name: str
    state: Literal["loading", "ready"]
    device: str = ""
    dtype: str = ""
    parameters: int = 0
    memory_bytes: int = 0
    fraction: float | None = None  # of loading
    kv_bytes: int = 0
    kv_limit_bytes: int = 0
    exactness: str = ""
    runs: str = ""


WorkspaceState = Literal["refused", "building", "ready", "failed", "closed"]


@dataclass(frozen=True, slots=True)
class WorkspaceStatus:
    """A project whose files are drafted from, without their names. ``message``: for the user."""

    root: str
    state: WorkspaceState
    files: int = 0
    tokens: int = 0
    memory_bytes: int = 0
    message: str = ""
