"""Merges a sketch into a text, for all clients: as text if it is unambiguous, else by the model.

Decides between the two, and rejects a merge that must not be used. Merging as text is left to
``apply``, merging by a model to the engine.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import aclosing
from dataclasses import dataclass, field
from uuid import uuid4

from editd.apply.answering import by_text
from editd.daemon.engine_client import EngineClient, problem_of
from editd.diff.hunk import Hunk
from editd.diff.marks import notes
from editd.errors import EditRefused, ModelError
from editd.messages import EditOptions, EditRequest, EditResult, Progress, Stats, Way

OnProgress = Callable[[Progress], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Edited:
    """A whole new text, and the same change in lines. written_by: as in ``Stats``.

    notes: on its hunks, each with its line. ways: what could be done instead.
    """

    text: str
    hunks: tuple[Hunk, ...]
    written_by: str
    notices: tuple[str, ...] = ()
    stats: Stats = field(default_factory=Stats)
    summary: str = ""
    notes: tuple[str, ...] = ()
    ways: tuple[Way, ...] = ()


async def apply_sketch(
    engine: EngineClient,
    text: str,
    sketch: str,
    *,
    instruction: str = "",
    path: str = "",
    options: EditOptions | None = None,
    on_progress: OnProgress | None = None,
) -> Edited:
    """``text`` with ``sketch`` merged in. The engine is asked only if the sketch is ambiguous.

    Raises ``EditRefused`` if the result is doubtful, and any error of the engine.
    """
    request = EditRequest(
        uuid4().hex,
        text,
        instruction,
        path=path,
        sketch=sketch,
        options=options or EditOptions(),
    )
    if request.asks_model:
        return await edit(engine, request, on_progress)
    answer = by_text(request)
    if isinstance(answer, EditResult):
        return _judged(answer)
    if answer.final:
        raise EditRefused(answer.reason)
    try:
        return await edit(engine, request, on_progress)
    except (EditRefused, ModelError) as error:  # why it was asked at all is what helps
        raise type(error)(f"{answer.reason} The model did not decide it: {error}") from error


async def edit(
    engine: EngineClient, request: EditRequest, on_progress: OnProgress | None = None
) -> Edited:
    """An edit by the model, if it passes the checks; raises otherwise."""
    result: EditResult | None = None
    async with aclosing(engine.edit(request)) as messages:
        async for message in messages:
            if isinstance(message, Progress) and on_progress is not None:
                await on_progress(message)
            if isinstance(message, EditResult):
                result = message
    assert result is not None  # noqa: S101  the last message is the result, or there is an error
    return _judged(result)


def _judged(result: EditResult) -> Edited:
    """``result`` if it may be used; raises the reason otherwise."""
    if (problem := problem_of(result)) is not None:
        raise problem
    assert result.text is not None  # noqa: S101  or else there was a problem
    if result.suspects:
        raise EditRefused(f"The answer is suspect: {'; '.join(result.suspects)}")
    return Edited(
        result.text,
        result.hunks,
        result.stats.written_by,
        result.notices,
        result.stats,
        result.summary,
        tuple(notes(result.hunks)),
        result.ways,
    )
