"""How edits came about, round by round: kept in memory for a while, for ``editd explain``.

``Tracing`` listens to one edit, ``Traces`` keeps the last ones. Nothing here is written to a disk
or to a log, and nothing of it changes what is decoded.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import groupby
from time import perf_counter

from editd.decode.drafters.base import Codec, Draft
from editd.decode.speculative import Round
from editd.engine.provenance import Named
from editd.messages import EditRequest, EditResult, Trace, TracePiece, TraceRound, TraceSummary

_MOST_TRACES = 20
_MOST_BYTES = 16 << 20  # of all of them; more than that is an answer of very many rounds
_PIECE_BYTES, _ROUND_BYTES, _HUNK_BYTES, _CHARACTER_BYTES = 200, 400, 200, 3


class Tracing:
    """The rounds of one edit, noted as they happen; a writer that has none leaves it empty."""

    def __init__(self) -> None:
        self._started = perf_counter()
        self._rounds: list[TraceRound] = []
        self._region = -1
        self._prefill_seconds = 0.0

    def begin(self, named: Named) -> None:
        """The next region's answer begins; ``named`` puts drafters' words for sources into ours."""
        self._region += 1
        self._named = named

    def prefilled(self, seconds: float) -> None:
        """A chunk of a prompt has been read."""
        self._prefill_seconds += seconds

    def add(self, codec: Codec, done: Round) -> None:
        """Note one round of a model with this ``codec``."""
        self._codec = codec
        draft = done.draft
        self._rounds.append(
            TraceRound(
                start=done.started - self._started,
                draft_seconds=done.draft_seconds,
                verify_seconds=done.verify_seconds,
                region=self._region,
                window=done.window,
                context=done.context,
                drafted=done.num_drafted,
                accepted=done.num_accepted,
                pieces=self._pieces(done.token_ids, done.sources),
                rejected=self._rejected(draft, done.path[: done.num_accepted]),
            )
        )

    def finish(self, trace_id: str, request: EditRequest, result: EditResult) -> Trace:
        """The whole of it, once there is a result."""
        return Trace(
            trace_id,
            time.time(),
            request.path,
            request.instruction,
            result.model,
            result.finish_reason,
            result.stats,
            self._prefill_seconds,
            tuple(self._rounds),
            result.hunks,
        )

    def _rejected(self, draft: Draft, path: Sequence[int]) -> tuple[TracePiece, ...]:
        """The draft tokens that were not accepted, branch by branch."""
        if draft.parents is None:
            return self._branch(draft, range(len(path), len(draft)))
        accepted = set(path)
        found: list[TracePiece] = []
        branch: list[int] = []
        for node in (node for node in range(len(draft)) if node not in accepted):
            if branch and draft.parents[node] != branch[-1]:
                found += self._branch(draft, branch)
                branch = []
            branch.append(node)
        return (*found, *self._branch(draft, branch))

    def _branch(self, draft: Draft, nodes: Sequence[int]) -> tuple[TracePiece, ...]:
        sources = draft.sources or [""] * len(draft)
        return self._pieces([draft.token_ids[n] for n in nodes], [sources[n] for n in nodes])

    def _pieces(self, token_ids: Sequence[int], sources: Sequence[str]) -> tuple[TracePiece, ...]:
        """Tokens of one source in a row as one piece."""
        pieces = []
        start = 0
        for word, run in groupby(sources):
            ids = token_ids[start : start + sum(1 for _ in run)]
            start += len(ids)
            pieces.append(TracePiece(self._codec.decode(ids), *self._named(word), len(ids)))
        return tuple(pieces)


class Traces:
    """The last finished edits. Safe to use from any thread."""

    def __init__(self, most: int = _MOST_TRACES, most_bytes: int = _MOST_BYTES) -> None:
        self._most = most
        self._most_bytes = most_bytes
        self._lock = threading.Lock()
        self._kept: deque[tuple[Trace, int]] = deque()  # the last one last, with its size
        self._number = 0

    def keep(self, tracing: Tracing, request: EditRequest, result: EditResult) -> None:
        """Keep what ``tracing`` heard; the oldest ones make room."""
        with self._lock:
            self._number += 1
            trace = tracing.finish(str(self._number), request, result)
            size = _size(trace)
            if size > self._most_bytes:  # the figures and the picture stay, the text goes
                trace = _without_text(trace)
                size = _size(trace)
            self._kept.append((trace, size))
            while len(self._kept) > self._most or (
                len(self._kept) > 1 and sum(size for _, size in self._kept) > self._most_bytes
            ):
                self._kept.popleft()

    def find(self, trace_id: str = "") -> Trace | None:
        """The trace of that id; the last one for an empty id."""
        with self._lock:
            kept = [trace for trace, _ in self._kept]
        return next((t for t in reversed(kept) if trace_id in ("", t.id)), None)

    def take(self) -> list[tuple[TraceSummary, Trace]]:
        """All that are kept, which are forgotten here."""
        with self._lock:
            kept = [(_summary(trace), trace) for trace, _ in self._kept]
            self._kept.clear()
        return kept

    def summaries(self) -> tuple[TraceSummary, ...]:
        """All that are kept, the last one first."""
        with self._lock:
            kept = [trace for trace, _ in self._kept]
        return tuple(map(_summary, reversed(kept)))

    def clear(self) -> None:
        """Forget them all."""
        with self._lock:
            self._kept.clear()


def _summary(t: Trace) -> TraceSummary:
    return TraceSummary(
        t.id, t.ended, t.path, t.instruction, t.finish_reason, t.stats.rounds, t.stats.output_tokens
    )


def _size(trace: Trace) -> int:
    """Roughly, in bytes."""
    pieces = [piece for r in trace.rounds for piece in (*r.pieces, *r.rejected)]
    characters = sum(len(p.text) + len(p.detail) for p in pieces) + len(trace.instruction)
    size = _PIECE_BYTES * len(pieces) + _ROUND_BYTES * len(trace.rounds)
    for hunk in trace.hunks:
        characters += sum(map(len, hunk.new_lines))
        size += _HUNK_BYTES * (1 + len(hunk.origins))
    return size + _CHARACTER_BYTES * characters


def _without_text(trace: Trace) -> Trace:
    def bare(pieces: Iterable[TracePiece]) -> tuple[TracePiece, ...]:
        return tuple(replace(piece, text="", detail="") for piece in pieces)

    rounds = tuple(
        replace(r, pieces=bare(r.pieces), rejected=bare(r.rejected)) for r in trace.rounds
    )
    return replace(trace, rounds=rounds, hunks=())
