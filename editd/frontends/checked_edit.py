"""An edit for front ends whose clients use a text as it comes: only a text that passed the checks is handed out."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import aclosing
from dataclasses import replace

from editd.daemon.engine_client import EngineClient, refuse_half_characters
from editd.errors import EditRefused
from editd.messages import EditRequest, EditResult, Progress
from editd.outcome import error_of
from editd.plan import is_best_reading

OnProgress = Callable[[Progress], Awaitable[None]]


async def checked_edit(
    engine: EngineClient,
    request: EditRequest,
    on_progress: OnProgress | None = None,
    *,
    accept_marked: bool = False,
) -> EditResult:
    """Ask for an edit and return its result, which has a text and, but for a merge with ``accept_marked``, no suspect
    hunk.

    If the result is the best guess among several readings of a sketch (``is_best_reading``) and has suspect hunks, a
    second request has a model do the edit instead, unless ``accept_marked``: then it is returned as it is. Raises
    ``EditRefused`` with the reasons if any other result has suspect hunks, and as ``_ask`` (the error of an edit
    without a text).

    on_progress: awaited with each progress message, of both requests.
    """
    result = await _ask(engine, request, on_progress)
    if is_best_reading(request, result):
        if accept_marked or not any(hunk.suspect for hunk in result.hunks):
            return result
        request = replace(request, options=replace(request.options, way="model"))
        result = await _ask(engine, request, on_progress)
    if result.suspects:
        sentence = f"The answer is suspect: {'; '.join(result.suspects)}"
        # Among the notices is the reason why a model was asked at all.
        raise EditRefused(" ".join((sentence, *result.notices)))
    return result


async def _ask(
    engine: EngineClient, request: EditRequest, on_progress: OnProgress | None
) -> EditResult:
    """Ask ``engine``, pass progress to ``on_progress``, and return the last result, which has a text; raises the
    error of an edit that has none, and what ``engine.ask`` raises. Raises ``UsageError``, before anything is sent,
    for a request with halves of surrogate pairs, and ``AssertionError`` if the engine sends no result at all.
    """
    refuse_half_characters(request)
    result: EditResult | None = None
    async with aclosing(engine.ask(request)) as messages:
        async for message in messages:
            if isinstance(message, Progress) and on_progress is not None:
                await on_progress(message)
            if isinstance(message, EditResult):
                result = message
    assert result is not None  # noqa: S101  the last message is the result, or there is an error
    if (error := error_of(result)) is not None:
        raise error
    return result
