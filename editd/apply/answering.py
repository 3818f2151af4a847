"""Answers a request with a sketch by text: merges, runs the guards, and returns a normal ``EditResult``."""

from __future__ import annotations

from dataclasses import replace
from time import monotonic

from editd.apply.guards import guarded
from editd.apply.merging import merge
from editd.apply.outcome import InDoubt
from editd.diff.edits import to_replacements
from editd.errors import EditRefused, UsageError
from editd.messages import EditRequest, EditResult, Stats, check_way, ways_from

_MERGED = "Merged without a model, one reading."

_MOST_SKETCH = 2 << 20  # characters: some fifty thousand lines


def settle(request: EditRequest) -> EditResult | EditRequest:
    """The edit by text; or, if that is ambiguous, the request for a model, with what is known of it.

    Raises ``EditRefused`` if no model is to be asked or none could decide it, and ``UsageError`` for a
    sketch that is too large. What was settled before, or holds no sketch, is returned as it is.
    """
    asks_all = request.merge == "model" or request.options.way == "model"
    if request.sketch is None or asks_all or request.doubt is not None:
        return request
    if len(request.sketch) > _MOST_SKETCH:
        raise UsageError(
            f"The sketch has {len(request.sketch):,} characters, but may have {_MOST_SKETCH:,}: "
            "leave out what stays, or apply it in parts."
        )
    answer = by_text(request)
    if isinstance(answer, EditResult):
        return request if request.asks_model else answer
    if (request.merge == "text" and not request.asks_model) or answer.final:
        raise EditRefused(answer.reason)
    return replace(request, doubt=answer)


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
