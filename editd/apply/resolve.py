"""Answers a request that holds a sketch: merges it as text, or says what a model would have to decide."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from time import monotonic

from editd.apply.guards import checked_hunks
from editd.apply.merging import merge
from editd.apply.outcome import InDoubt, Merged, Unresolved
from editd.apply.paste.file_names import is_same, listed_names
from editd.apply.paste.kept_comments import with_kept_comments
from editd.errors import EditdError, EditRefused, UsageError
from editd.messages import EditRequest, EditResult
from editd.messages.options import BY_MODEL, check_way, ways_from
from editd.messages.reports import Stats

_MERGED = "Merged without a model, one reading."
_CONFIDENT = "Merged without a model from the likeliest reading of the paste; look at it."
_BEST = "Merged without a model; the marked changes could be read otherwise."

_OTHERS = "Only what is for this file was taken; the answer also changes {}."

_MOST_SKETCH = 2 << 20  # characters: some fifty thousand lines


def resolve_sketch(request: EditRequest) -> EditResult | EditRequest:
    """The result of merging the request's sketch as text; or, if a model is to decide, the request with ``doubt`` set
    to what it has to decide.

    The request itself is returned if it has no sketch, its ``merge`` is ``model``, or it has a ``doubt`` already; and
    if the user asks for the model although the text merge gave a result. Raises ``EditRefused`` if the merge gives no
    result and a model could not decide either, or the request's ``merge`` allows none (``text``, ``certain``) and the
    user does not ask for it; for an unknown way, and if another reading is asked for and there is none; ``UsageError``
    for a sketch of more than 2,097,152 characters.
    """
    if request.sketch is None or request.merge == "model" or request.doubt is not None:
        return request
    if len(request.sketch) > _MOST_SKETCH:
        raise UsageError(
            f"The sketch has {len(request.sketch):,} characters, but may have {_MOST_SKETCH:,}: "
            "leave out what stays, or apply it in parts."
        )
    answer = merge_request(request)
    if isinstance(answer, EditResult):
        return request if request.asks_model else answer
    if (request.merge in ("text", "certain") and not request.asks_model) or answer.final:
        raise EditRefused(answer.reason)
    fields = (answer.reason, answer.line, answer.final, answer.certain, answer.doubtful)
    return replace(request, doubt=InDoubt(*fields))


def is_doubtful_merge(result: EditResult) -> bool:
    """Whether a result is a merge of the likeliest of several readings, confident or not: judged by its ``summary`` alone."""
    return result.summary in (_CONFIDENT, _BEST)


def merge_request(request: EditRequest) -> EditResult | InDoubt:
    """The result of merging the request's sketch; ``InDoubt`` if it has no reading that may be shown, or only an
    uncertain one and the request wants a certain one or the model (``merge``, ``options.way``). Never asks a model.

    With the way ``reading`` the second likeliest text is the result. A reading that is not certain has ``suspects``, so
    nobody writes it unasked. Comments that the answer drops and that stay are put back first (``kept_comments``), with
    a notice. Only the request's selected lines may change. Raises ``EditRefused`` if the request's way is unknown, or
    is ``reading`` and there is no second text.
    """
    started = monotonic()
    assert request.sketch is not None  # noqa: S101 - the caller has looked
    with_comments = with_kept_comments(request.sketch, request.text, request.instruction)
    request = replace(request, sketch=with_comments.answer)
    way = request.options.way
    if way != "reading":
        check_way(way)
    lines = None
    if request.start_line is not None and request.end_line is not None:
        lines = (request.start_line, request.end_line)
    merged = merge(
        request.text,
        with_comments.answer,
        path=request.path,
        lines=lines,
        file=request.file,
        beside=request.beside,
    )
    doubts: tuple[str, ...] = ()
    other = False
    reading = merged.reading if isinstance(merged, Unresolved) else None
    others = merged.others if isinstance(merged, Merged) else ()
    if reading is not None:
        others = reading.merged.others
    if way == "reading" and (reading is None or reading.other is None):
        check_way(way)
    if isinstance(merged, Unresolved):
        if reading is None or request.merge == "certain" or way in BY_MODEL:
            return merged
        doubts = (merged.reason,)
        merged, other = reading.merged, reading.other is not None
        if way == "reading" and reading.other is not None:
            merged, other = reading.other, False
    hunks, suspects = checked_hunks(merged, request)
    reasons = [hunk.suspect for hunk in hunks if hunk.suspect and hunk.suspect not in suspects]
    is_confident = bool(doubts) and not any(hunk.suspect for hunk in hunks)
    return EditResult(
        request.request_id,
        "stop",
        text=merged.text,
        hunks=hunks,
        suspects=tuple(
            dict.fromkeys((*suspects, *reasons, *((_CONFIDENT,) if is_confident else ())))
        ),
        summary=_MERGED if not doubts else _CONFIDENT if is_confident else _BEST,
        notices=(
            *((with_comments.notice,) if with_comments.notice else ()),
            *_about_others(others, request.beside),
        ),
        ways=ways_from("text", other_reading=other),
        stats=Stats(written_by="text", total_seconds=monotonic() - started),
    )


def _about_others(others: Sequence[str], beside: Sequence[str]) -> tuple[str, ...]:
    """A sentence that lists the files which the paste changes too and is not applied to, as a tuple; empty if there are none."""
    left = [name for name in others if not any(is_same(name, other) for other in beside)]
    return (_OTHERS.format(listed_names(left)),) if left else ()


def with_ambiguity(request: EditRequest, error: EditdError) -> EditdError:
    """The error with the sketch's doubt in front of its sentence; the same error if the request has no ``doubt``.

    An error whose code begins with ``model`` becomes ``EditRefused`` and says that no model is set up; every other one
    keeps its type and says that the model did not decide.
    """
    if request.doubt is None:
        return error
    if error.code.startswith("model"):
        return EditRefused(f"{request.doubt.reason} No model is set up that could decide it.")
    return type(error)(f"{request.doubt.reason} The model did not decide it: {error}")
