"""``editd/complete``: a chat completion in OpenAI's terms, with a predicted output.

For scripts that speak JSON-RPC over stdio. It needs no document and changes none. OpenAI's fields are read,
refused and counted as ``editd serve`` does it, and spelt as OpenAI spells them; those of ours are camelCase.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from dataclasses import dataclass, field, replace
from typing import Any

from pygls.exceptions import JsonRpcInvalidParams

from editd.daemon.engine_client import refuse_half_characters
from editd.errors import EditCancelled, EditdError, UsageError
from editd.frontends.http.completions import (
    NOT_DONE_IN_CHATS,
    ChatParams,
    asked_options,
    chat_request,
    read,
    usage_of,
)
from editd.frontends.http.edit_prompts import with_prediction
from editd.frontends.lsp import methods
from editd.frontends.lsp.session import Session
from editd.frontends.lsp.session_options import merged_options
from editd.frontends.lsp.snapshot import Snapshot
from editd.messages import CompleteRequest, Progress
from editd.messages.options import EditOptions

_NOT_DONE = {**NOT_DONE_IN_CHATS, "stream": (False,)}  # an answer over LSP is whole


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtraParams:
    """The params beside OpenAI's fields, which win over ``options``."""

    drafter: str | None = None
    options: EditOptions = field(default_factory=EditOptions)
    work_done_token: str | int | None = None


def complete(session: Session, params: Any) -> Awaitable[dict[str, Any]]:
    """Read unchecked params and return an awaitable that does the completion and gives its answer; the prediction
    that its messages hold is added. Raises ``JsonRpcInvalidParams`` if the params are wrong or ask for what is not
    supported.
    """
    params = {} if params is None else params
    extra: ExtraParams = session.protocol.from_json(params, ExtraParams, f"{methods.COMPLETE}: ")
    try:
        request = _request(session.snapshot(), params, extra)
    except UsageError as error:
        raise JsonRpcInvalidParams(str(error)) from error
    request, form = with_prediction(request)
    return _complete(session, request, extra.work_done_token, form)


def _request(snapshot: Snapshot, params: Any, extra: ExtraParams) -> CompleteRequest:
    """The request to the engine; extra: editd's own fields of ``params``, over which OpenAI's win. Raises
    ``UsageError`` for wrong or unsupported params, and ``JsonRpcInvalidParams`` for a wrong option.
    """
    chat = read(params, ChatParams, _NOT_DONE, methods.COMPLETE)
    options = {"model": chat.model, "drafter": extra.drafter, **asked_options(chat)}
    given = {name: value for name, value in options.items() if value is not None}
    merged = merged_options(snapshot.options.requests, replace(extra.options, **given))
    request = chat_request(chat, merged)
    refuse_half_characters(request)
    return request


async def _complete(
    session: Session, request: CompleteRequest, token: str | int | None, predicted_from: str
) -> dict[str, Any]:
    """Ask the engine, show status and progress, and return the answer in OpenAI's form. Raises the engine's error,
    after these have ended. Cancelling the progress cancels the running task.

    token: of the client's progress. predicted_from: the form of the prompt that a prediction was found in, for the
    usage.
    """
    task = asyncio.current_task()
    assert task is not None  # noqa: S101  a coroutine runs in one
    progress = session.begin_work_done("editd: completing", token, task.cancel)

    def on_progress(report: Progress) -> None:
        session.status.progress(request.request_id, report)
        if progress is not None:
            progress.report(report.message, report.fraction)

    error = model = ""
    session.status.began(request.request_id)
    try:
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
    message = {"role": "assistant", "content": result.text}
    return {
        "object": "chat.completion",
        "model": result.model,
        "choices": [{"index": 0, "message": message, "finish_reason": result.finish_reason}],
        "usage": usage_of(result.stats, predicted_from),
        "notices": result.notices,
        "stats": result.stats,
    }
