"""Parts of answers: the figures of an edit, its trace, and the models and projects in memory.

Counting is left to the text sources.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal

from editd.diff.hunk import Hunk
from editd.errors import FinishReason
from editd.messages.options import WrittenBy

WorkspaceState = Literal["refused", "building", "ready", "failed", "closed"]

_COUNTED = (
    *("prompt_tokens", "cached_tokens", "output_tokens", "rounds"),
    *("drafted", "accepted", "rejected", "drafter_seconds", "near_ties"),
)


@dataclass(frozen=True, slots=True)
class Stats:
    """The figures of an edit; the same names in the CLI, over LSP and in benchmarks.

    ``None``: a figure that the text source does not know; 0: none.

    output_tokens: tokens the target wrote. rounds: forward passes that verified (prefill apart).
    drafted, accepted, rejected: draft tokens; drafted = accepted + rejected.
    load_seconds: until its models were in memory, 0 when they were. first_hunk_ms: after that.
    acceptance_rate: accepted by drafted; ``None`` where nothing was drafted.
    cached_tokens: prompt tokens found in the prefix cache. drafter_seconds: time spent drafting.
    exactness: the promised equality with plain decoding: bitwise, token or near-tie.
    min_margin: smallest log-probability gap between first and second choice at an emitted token.
    near_ties: emitted tokens whose gap was too small for this dtype to promise.
    written_by: ``model``, ``text`` (a sketch, merged without a model), ``text+model`` (the model decided some of it)
        or ``words`` (computed from the instruction); empty if no answer was written.
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
        """The counts of two answers (tokens, rounds, drafts, near ties, seconds of the drafter)
        added up; a count that one of them does not know is ``None``. The least margin is that of
        either; the exactness is the other's if that has one, and all else this one's.
        """
        counted: dict[str, Any] = {}
        for name in _COUNTED:
            first, second = getattr(self, name), getattr(other, name)
            counted[name] = None if first is None or second is None else first + second
        margins = [x for x in (self.min_margin, other.min_margin) if x is not None]
        return replace(
            self,
            exactness=other.exactness or self.exactness,
            min_margin=min(margins, default=None),
            **counted,
        )


@dataclass(frozen=True, slots=True)
class TracePiece:
    """A text whose tokens have the same source; ``source`` and ``detail`` as in ``diff.hunk.Origin``."""

    text: str
    source: str
    detail: str = ""
    num_tokens: int = 0


@dataclass(frozen=True, slots=True)
class TraceRound:
    """A round of a finished edit. Times in seconds, ``start`` since the edit began.

    region: the number of the edit's answer, from 0. pieces: the round's tokens, the model's own last. chance: the
    probability of that token; ``None`` if it is not known. rival: the likeliest other token.
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
    """A line about a finished edit that can be explained. ended: seconds since the epoch.

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
    """A model that the daemon holds or is loading.

    memory_bytes: of weights and caches. fraction: of loading. kv_bytes, kv_limit_bytes: of keys and values, and the
    most that they may take; 0: what the machine has. exactness: as in ``Stats``. runs: how passes are run, for a
    person; while it loads, what takes long before (``converting for OpenVINO, once``).
    """

    name: str
    state: Literal["loading", "ready"]
    device: str = ""
    dtype: str = ""
    parameters: int = 0
    memory_bytes: int = 0
    fraction: float | None = None
    kv_bytes: int = 0
    kv_limit_bytes: int = 0
    exactness: str = ""
    runs: str = ""


@dataclass(frozen=True, slots=True)
class WorkspaceStatus:
    """The state of a project whose files are drafted from, without the files' names. message: for the user."""

    root: str
    state: WorkspaceState
    files: int = 0
    tokens: int = 0
    memory_bytes: int = 0
    message: str = ""
