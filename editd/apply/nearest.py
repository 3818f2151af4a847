"""The buffer's line most similar to one that it does not have, for messages."""

from __future__ import annotations

from difflib import get_close_matches

from editd.apply.lines import Lines

_MOST_LINES = 5_000  # compared: difflib takes microseconds for each


def nearest(line: str, lines: Lines) -> str:
    """``; the nearest is line 12, “return x”``, or an empty string if no line is similar."""
    bare = line.strip()
    candidates = [key for key in lines.where_bare if abs(len(key) - len(bare)) <= len(bare)]
    candidates = candidates[:_MOST_LINES]
    words = set(bare.split())
    shared = [key for key in candidates if words & set(key.split())] or candidates[:500]
    found = get_close_matches(bare, shared, n=1, cutoff=0.6)
    if not found:
        return ""
    return f"; the nearest is line {lines.where_bare[found[0]][0] + 1}, “{found[0][:60]}”"
