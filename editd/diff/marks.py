"""The notes on hunks as sentences that name their lines."""

from __future__ import annotations

from collections.abc import Sequence

from editd.diff.hunk import Hunk


def notes(hunks: Sequence[Hunk]) -> list[str]:
    """Each hunk's note with its line in the old text, and those on parts of it with the new one."""
    told, shift = [], 0
    for hunk in hunks:
        if hunk.note is not None:
            told.append(f"line {hunk.start + 1}: {hunk.note}")
        first = hunk.start + shift + 1
        told += [f"line {first + span.line}: {span.text}" for span in hunk.note_spans]
        shift += len(hunk.new_lines) - hunk.old_count
    return told
