"""``editd/complete``: a chat completion in OpenAI's words, with a predicted output.

For scripts and third-party clients. It needs no document and changes none. An unsupported parameter that
would change the answer is refused by name, never ignored.
"""

from __future__ import annotations

import asyncio
import dataclasses
from collections.abc import Awaitable
from typing import Any

from pygls.exceptions import JsonRpcInvalidParams

from editd.doors.completions.edit_prompts import with_prediction
from editd.doors.completions.reading import (
    NOT_DONE_IN_CHATS,
    asked_options,
    chat_request,
    refuse_not_done,
    usage_of,
)
from editd.doors.completions.words import AssistantMessage, Choice
from editd.doors.lsp import methods
from editd.doors.lsp.completion_params import CompleteAnswer, CompleteParams
from editd.doors.lsp.options import merged
from editd.doors.lsp.request_text import check_text
from editd.doors.lsp.session import Session
from editd.doors.lsp.wire import describe
from editd.errors import EditCancelled, EditdError, UsageError
from editd.messages import CompleteRequest, CompleteResult, Progress

_NOT_DONE = {**NOT_DONE_IN_CHATS, "stream": (False,)}  # an answer over LSP is whole
_WHERE = "params."


def complete(session: Session, params: Any) -> Awaitable[CompleteAnswer]:
    """Handler of ``editd/complete``; takes unchecked params. Raises if they are wrong."""
    try:
        typed = _structured(session, params)
        request = _request(session, typed)
    except UsageError as error:
        raise JsonRpcInvalidParams(str(error)) from error
    given = request.prediction is not None
    request, form = with_prediction(request)
    return _complete(session, request, typed.work_done_token, "" if given else form)


async def _complete(
    session: Session, request: CompleteRequest, token: str | int | None, predicted_from: str
) -> CompleteAnswer:
    task = asyncio.current_task()
    assert task is not None  # noqa: S101  a coroutine runs in one
    progress = session.work_done("editd: completing", token, task.cancel)

    def on_progress(told: Progress) -> None:
        session.status.progress(request.request_id, told)
        if progress is not None:
            progress.report(told.message, told.fraction)

    error = model = ""
    session.status.began(request.request_id)
    try:
        check_text("prediction", request.prediction or "")
        check_text("message", *(message.content for message in request.messages))
        result = await session.engine.complete(request, on_progress)
        model = result.model
    except EditCancelled:
        raise
    except EditdError as failure:
        error = str(failure)
        raise
    finally:
        session.status.ended(request.request_id, model, error)
        session.end_work_done(progress, error)
    return _answer(result, predicted_from)


def _answer(result: CompleteResult, predicted_from: str) -> CompleteAnswer:
    return CompleteAnswer(
        model=result.model,
        choices=(Choice(AssistantMessage(result.text), result.finish_reason),),
        usage=usage_of(result.stats, predicted_from),
        notices=result.notices,
        stats=result.stats,
    )


def _structured(session: Session, params: Any) -> CompleteParams:
    """``params``, typed. Raises if they are wrong."""
    refuse_not_done(params, _NOT_DONE, methods.COMPLETE, _WHERE)
    try:
        typed: CompleteParams = session.protocol.from_json(
            {} if params is None else params, CompleteParams
        )
    except Exception as error:
        problem = describe(error, spell=str)
        raise UsageError(f"{methods.COMPLETE}: {problem}") from error
    return typed


def _request(session: Session, params: CompleteParams) -> CompleteRequest:
    asked = {"model": params.model, "drafter": params.drafter} | asked_options(params, _WHERE)
    given = {name: value for name, value in asked.items() if value is not None}
    options = merged(session.options.requests, dataclasses.replace(params.options, **given))
    return chat_request(params, options, _WHERE)
