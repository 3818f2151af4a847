"""The trace of an edit, round by round, for ``editd explain``.

It is never written to disk or to a log, and does not affect decoding.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby
from math import exp
from time import perf_counter

from editd.decode.drafters.base import Codec
from editd.decode.speculative import Round
from editd.engine.provenance import NameSource
from editd.messages import EditRequest, EditResult
from editd.messages.reports import Trace, TracePiece, TraceRound

_MOST_CHARACTERS = 4 << 20  # of one edit's rounds: more is an answer of very many


class Tracing:
    """Records the rounds of one edit as they happen; empty if the text source has no rounds."""

    def __init__(self) -> None:
        self._started = perf_counter()
        self._rounds: list[TraceRound] = []
        self._region = -1
        self._prefill_seconds = 0.0

    def begin(self, named: NameSource) -> None:
        """Begin the next region's answer; ``named`` translates drafters' names of sources."""
        self._region += 1
        self._named = named

    def prefilled(self, seconds: float) -> None:
        """Add the time that a chunk of a prompt took."""
        self._prefill_seconds += seconds

    def add(self, codec: Codec, done: Round) -> None:
        """Record one round of a model: times, tokens as text with their sources, and the model's certainty. codec:
        the model's, which decodes later pieces, too.
        """
        self._codec = codec
        certainty = done.certainty
        self._rounds.append(
            TraceRound(
                start=done.started - self._started,
                draft_seconds=done.draft_seconds,
                verify_seconds=done.verify_seconds,
                region=self._region,
                drafted=done.num_drafted,
                accepted=done.num_accepted,
                pieces=self._pieces(done.token_ids, done.sources),
                chance=None if certainty is None else exp(certainty.log_prob),
                rival="" if certainty is None else codec.decode([certainty.rival_id]),
            )
        )

    def finish(self, request: EditRequest, result: EditResult) -> Trace:
        """Make the trace of the edit from what was recorded; without the text of rounds and without hunks if the
        rounds' text has more than 4,194,304 characters. Its id is empty.
        """
        rounds, hunks = self._rounds, result.hunks
        if sum(len(piece.text) for r in rounds for piece in r.pieces) > _MOST_CHARACTERS:
            rounds, hunks = list(map(_without_text, rounds)), ()
        return Trace(
            "",
            time.time(),
            request.path,
            request.instruction,
            result.model,
            result.finish_reason,
            result.stats,
            self._prefill_seconds,
            tuple(rounds),
            hunks,
        )

    def _pieces(self, token_ids: Sequence[int], sources: Sequence[str]) -> tuple[TracePiece, ...]:
        """The round's tokens as text, those of one source in a row as one piece, with the source as users know it and
        the number of its tokens.
        """
        pieces = []
        start = 0
        for word, run in groupby(sources):
            ids = token_ids[start : start + sum(1 for _ in run)]
            start += len(ids)
            pieces.append(TracePiece(self._codec.decode(ids), *self._named(word), len(ids)))
        return tuple(pieces)


def _without_text(done: TraceRound) -> TraceRound:
    """The round without its text, the models' other choice, and details of origins."""
    bare = tuple(replace(piece, text="", detail="") for piece in done.pieces)
    return replace(done, pieces=bare, rival="")
