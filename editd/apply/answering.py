"""Answers a request with a sketch by text: merges, runs the guards, and returns a normal ``EditResult``."""

from __future__ import annotations

from time import monotonic

from editd.apply.guards import guarded
from editd.apply.merging import merge
from editd.apply.outcome import InDoubt
from editd.diff.edits import to_replacements
from editd.messages import EditRequest, EditResult, Stats, check_way, ways_from

_MERGED = "Merged without a model, one reading."


def by_text(request: EditRequest) -> EditResult | InDoubt:
    """The edit that ``request.sketch`` means, or why it is in doubt. Never asks a model.

    Raises ``EditRefused`` for another reading than the only one.
    """
    assert request.sketch is not None  # noqa: S101 - the caller has looked
    check_way(request.options.way)
    started = monotonic()
    lines = None
    if request.start_line is not None and request.end_line is not None:
        lines = (request.start_line, request.end_line)
    merged = merge(request.text, request.sketch, path=request.path, lines=lines)
    if isinstance(merged, InDoubt):
        return merged
    hunks, suspects = guarded(merged, request)
    return EditResult(
        request.request_id,
        "stop",
        text=merged.text,
        hunks=hunks,
        edits=to_replacements(hunks, request.text),
        suspects=suspects,
        stats=Stats(written_by="text", total_seconds=monotonic() - started),
        summary=_MERGED,
        ways=ways_from("text"),
    )
