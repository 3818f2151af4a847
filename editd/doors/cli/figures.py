"""The figures of an edit on one line, in the names of ``messages.Stats``."""

from __future__ import annotations

from collections.abc import Iterator

from editd.messages import EditResult, Stats

_WORTH_TELLING = 0.1  # seconds


def figures(stats: Stats) -> str:
    """For example ``412 tokens in 9 rounds, 45.8 tokens per round, 389 of 402 draft …``."""
    if stats.written_by in ("text", "words"):
        return f"in {duration(stats.total_seconds)}"
    parts = list(work(stats))
    if stats.written_by == "text+model":
        parts.insert(0, "unambiguous parts merged by text")
    if stats.first_hunk_ms is not None:
        parts.append(f"first hunk after {duration(stats.first_hunk_ms / 1000)}")
    if stats.tokens_per_second is not None:
        parts.append(f"{stats.tokens_per_second:.0f} tokens/s")
    if stats.load_seconds >= _WORTH_TELLING:
        parts.append(f"{duration(stats.load_seconds)} to load the model")
    return ", ".join(parts)


def work(stats: Stats) -> Iterator[str]:
    """The counts of written and drafted tokens, as far as known."""
    if stats.output_tokens is None:
        yield "written by a server"
    elif stats.rounds is None:
        yield _count(stats.output_tokens, "token")
    else:
        yield f"{stats.output_tokens:,} tokens in {_count(stats.rounds, 'round')}"
    if stats.tokens_per_round is not None:
        yield f"{stats.tokens_per_round:.1f} tokens per round"
    if stats.accepted is not None and stats.drafted is not None:
        yield f"{stats.accepted:,} of {stats.drafted:,} draft tokens accepted"


def change(result: EditResult) -> str:
    """For example ``2 hunks, +5 -3``."""
    if not result.hunks:
        return "unchanged"
    added = sum(len(hunk.new_lines) for hunk in result.hunks)
    removed = sum(hunk.old_count for hunk in result.hunks)
    return f"{_count(len(result.hunks), 'hunk')}, +{added} -{removed}"


def doubts(result: EditResult) -> list[str]:
    """Each warning of the checks once, those about a hunk with its line."""
    told = [
        f"line {hunk.start + 1}: {hunk.suspect}"
        for hunk in result.hunks
        if hunk.suspect is not None
    ]
    on_hunks = {hunk.suspect for hunk in result.hunks}
    return told + [doubt for doubt in result.suspects if doubt not in on_hunks]


def other_ways(result: EditResult) -> str:
    """For example ``Another way: --way model (ask the model).``; empty if there is none."""
    ways = ", ".join(
        f"--way {way.name} ({way.title[0].lower()}{way.title[1:]})" for way in result.ways
    )
    return f"Another way: {ways}." if ways else ""


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def duration(seconds: float) -> str:
    """Seconds as people read them."""
    if seconds < 0.0095:
        return f"{seconds * 1000:.1f} ms"
    return f"{seconds * 1000:.0f} ms" if seconds < 1 else f"{seconds:.2f} s"
