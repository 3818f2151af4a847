"""Merges a sketch into a text, for all clients: as text if it is unambiguous, else by the model.

Decides between the two, and rejects a merge that must not be used. Merging as text is left to
``apply``, merging by a model to the engine.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from uuid import uuid4

from editd.apply.answering import is_reading, settle, undecided
from editd.daemon.engine_client import EngineClient, problem_of
from editd.diff.hunk import Hunk, notes
from editd.errors import EditRefused, ModelError
from editd.messages import EditOptions, EditRequest, EditResult, Progress, Stats, Way
from editd.off_loop import off_loop

OnProgress = Callable[[Progress], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Edited:
    """A whole new text, and the same change in lines. written_by: as in ``Stats``.

    notes: on its hunks, each with its line. ways: what could be done instead. doubts: why it is not the
    only text that the sketch can mean; those about one hunk stand on the hunk as well.
    """

    text: str
    hunks: tuple[Hunk, ...]
    written_by: str
    notices: tuple[str, ...] = ()
    stats: Stats = field(default_factory=Stats)
    summary: str = ""
    notes: tuple[str, ...] = ()
    ways: tuple[Way, ...] = ()
    doubts: tuple[str, ...] = ()


async def apply_sketch(
    engine: EngineClient,
    text: str,
    sketch: str,
    *,
    instruction: str = "",
    path: str = "",
    options: EditOptions | None = None,
    on_progress: OnProgress | None = None,
    doubtful: bool = False,
    certain: bool = False,
) -> Edited:
    """``text`` with ``sketch`` merged in. The engine is asked only where no reading is good enough.

    doubtful: the caller shows the best reading, also one in which hunks could be read otherwise; else
    only one in which none could is good enough. certain: nothing but the only text that it can mean,
    and no model's. Raises ``EditRefused`` if the result must not be used,
    and any error of the engine.
    """
    request = EditRequest(
        uuid4().hex,
        text,
        instruction,
        path=path,
        sketch=sketch,
        merge="certain" if certain else "auto",
        options=options or EditOptions(),
    )
    settled = await off_loop(len(text) + len(sketch), settle, request)
    if isinstance(settled, EditResult):
        if not is_reading(settled):
            return _judged(settled)
        if doubtful or not any(hunk.suspect for hunk in settled.hunks):
            return _edited(settled, settled.suspects)
        request = replace(request, options=replace(request.options, way="model"))
        settled = await off_loop(len(text) + len(sketch), settle, request)
    assert isinstance(settled, EditRequest)  # noqa: S101  a model is asked for it
    try:
        return await edit(engine, settled, on_progress)
    except (EditRefused, ModelError) as error:
        raise undecided(settled, error) from error


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
    if result.suspects:
        raise EditRefused(f"The answer is suspect: {'; '.join(result.suspects)}")
    return _edited(result)


def _edited(result: EditResult, doubts: tuple[str, ...] = ()) -> Edited:
    assert result.text is not None  # noqa: S101  the caller has looked
    return Edited(
        result.text,
        result.hunks,
        result.stats.written_by,
        result.notices,
        result.stats,
        result.summary,
        tuple(notes(result.hunks)),
        result.ways,
        doubts,
    )
