"""The trace of an edit, round by round, for ``editd explain``.

It is never written to disk or to a log, and does not affect decoding.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import groupby
from math import exp
from time import perf_counter

from editd.decode.drafters.base import Codec, Draft
from editd.decode.speculative import Round
from editd.engine.provenance import NameSource
from editd.messages import EditRequest, EditResult, Trace, TracePiece, TraceRound

_MOST_CHARACTERS = 4 << 20  # of one edit's rounds: more is an answer of very many


class Tracing:
    """The rounds of one edit, recorded as they happen; empty if the writer has no rounds."""

    def __init__(self) -> None:
        self._started = perf_counter()
        self._rounds: list[TraceRound] = []
        self._region = -1
        self._prefill_seconds = 0.0

    def begin(self, named: NameSource) -> None:
        """The next region's answer begins; ``named`` translates drafters' names of sources."""
        self._region += 1
        self._named = named

    def prefilled(self, seconds: float) -> None:
        """A chunk of a prompt has been read."""
        self._prefill_seconds += seconds

    def add(self, codec: Codec, done: Round) -> None:
        """Record one round of a model with this ``codec``."""
        self._codec = codec
        draft, sure = done.draft, done.certainty
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
                chance=None if sure is None else exp(sure.log_prob),
                rival="" if sure is None else codec.decode([sure.rival_id]),
            )
        )

    def finish(self, request: EditRequest, result: EditResult) -> Trace:
        """The trace, once there is a result; without the text if that is very long."""
        trace = Trace(
            "",
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
        pieces = (piece for r in self._rounds for piece in (*r.pieces, *r.rejected))
        is_long = sum(len(piece.text) for piece in pieces) > _MOST_CHARACTERS
        return _without_text(trace) if is_long else trace

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


def _without_text(trace: Trace) -> Trace:
    def bare(pieces: Iterable[TracePiece]) -> tuple[TracePiece, ...]:
        return tuple(replace(piece, text="", detail="") for piece in pieces)

    rounds = tuple(
        replace(r, pieces=bare(r.pieces), rejected=bare(r.rejected), rival="") for r in trace.rounds
    )
    return replace(trace, rounds=rounds, hunks=())
