"""What a trace says, ready to be drawn: shares of time, tokens by source, rounds as rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from editd.diff.hunk import Hunk
from editd.doors.cli.figures import work
from editd.messages import Trace, TracePiece, TraceRound

SOURCES = {
    "buffer": "copied from the buffer",
    "substitution": "the buffer, with a learned or named replacement",
    "output": "repeated from this answer",
    "sketch": "copied from the pasted answer (editd apply)",
    "project": "from another file of the project",
    "draft-model": "proposed by the draft model",
    "new": "written by the model",
}
"""What every source of ``diff.hunk.Origin`` means, in the order in which they are listed."""


@dataclass(frozen=True, slots=True)
class RoundRow:
    """One round, or several in a row that brought one token each.

    tokens: how many of each source, in the order of the text; its own token is the last.
    """

    first: int
    last: int
    rounds: tuple[TraceRound, ...]
    tokens: tuple[tuple[str, int], ...]
    rejected: int

    @property
    def brought(self) -> int:
        return sum(count for _, count in self.tokens)

    @property
    def seconds(self) -> float:
        return sum(r.draft_seconds + r.verify_seconds for r in self.rounds)


def rows(trace: Trace) -> list[RoundRow]:
    """The rounds in order; three or more that brought one token each are one row."""
    made: list[RoundRow] = []
    waiting: list[TraceRound] = []
    number = 0
    for done in (*trace.rounds, None):
        if done is not None and done.accepted == 0:
            waiting.append(done)
            continue
        groups = [waiting] if len(waiting) > 2 else [[alone] for alone in waiting]
        for group in [*groups, *([[done]] if done is not None else [])]:
            if group:
                made.append(_row(number + 1, group))
                number += len(group)
        waiting = []
    return made


def time_split(trace: Trace) -> list[tuple[str, float]]:
    """What the time went to, in seconds; together they are the whole."""
    stats = trace.stats
    parts = {
        "loading": stats.load_seconds,
        "reading": trace.prefill_seconds,
        "drafting": sum(r.draft_seconds for r in trace.rounds),
        "verifying": sum(r.verify_seconds for r in trace.rounds),
    }
    parts["other"] = max(stats.total_seconds - sum(parts.values()), 0.0)
    return [(name, seconds) for name, seconds in parts.items() if seconds > 0]


def tokens_by_source(trace: Trace) -> list[tuple[str, int]]:
    """Output tokens of each source there is."""
    counted: Counter[str] = Counter()
    for done in trace.rounds:
        for piece in done.pieces:
            counted[known(piece.source)] += piece.num_tokens
    return [(source, counted[source]) for source in SOURCES if counted[source]]


def headline(trace: Trace) -> str:
    """The figures in a sentence."""
    restored = trace.stats.restored_lines
    told = [f"white space of {restored} line{'s' * (restored != 1)} kept"] if restored else []
    return ", ".join([*work(trace.stats), *told])


def in_a_row(pieces: Iterable[TracePiece]) -> list[tuple[str, int]]:
    """Tokens of one source in a row, and how many."""
    tokens: list[tuple[str, int]] = []
    for piece in pieces:
        source = known(piece.source)
        if tokens and tokens[-1][0] == source:
            tokens[-1] = (source, tokens[-1][1] + piece.num_tokens)
        else:
            tokens.append((source, piece.num_tokens))
    return tokens


def model_name(trace: Trace) -> str:
    """The model as a person calls it: of a folder its last name."""
    return (
        trace.model.rstrip("/").rpartition("/")[2] if trace.model.startswith("/") else trace.model
    )


def places(hunk: Hunk) -> list[str]:
    """Where in the project a hunk's text stands: ``path:line`` or ``path:first-last``."""
    runs: list[tuple[str, int, int]] = []
    for origin in hunk.origins:
        path, _, number = origin.detail.rpartition(":")
        if origin.source != "project" or not number.isdigit():
            continue
        line = int(number)
        if runs and runs[-1][0] == path and 0 <= line - runs[-1][2] <= 1:
            runs[-1] = (path, runs[-1][1], line)
        else:
            runs.append((path, line, line))
    told = (f"{path}:{a}" if a == b else f"{path}:{a}-{b}" for path, a, b in runs)
    return list(dict.fromkeys(told))


def known(source: str) -> str:
    """A source that has a colour; a word of a later version counts as the model's own."""
    return source if source in SOURCES else "new"


def _row(first: int, rounds: Sequence[TraceRound]) -> RoundRow:
    tokens = in_a_row(piece for done in rounds for piece in done.pieces)
    rejected = sum(done.drafted - done.accepted for done in rounds)
    return RoundRow(first, first + len(rounds) - 1, tuple(rounds), tuple(tokens), rejected)
