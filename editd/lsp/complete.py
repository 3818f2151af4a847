"""``editd/complete``: a chat completion in OpenAI's words, with a predicted output.

For scripts and for other people's clients; no document is needed, and nothing is changed by it.
Whatever would change the answer and cannot be done is refused by name, never ignored.
"""

from __future__ import annotations

import asyncio
import dataclasses
from collections.abc import Awaitable, Mapping
from typing import Any
from uuid import uuid4

from pygls.exceptions import JsonRpcInvalidParams

from editd.errors import EditCancelled, EditdError
from editd.lsp import methods
from editd.lsp.chat import (
    AssistantMessage,
    Choice,
    CompleteAnswer,
    CompleteParams,
    CompletionDetails,
    Content,
    PromptDetails,
    Usage,
)
from editd.lsp.options import merged
from editd.lsp.session import Session
from editd.lsp.source import check_text
from editd.lsp.wire import describe
from editd.messages import ChatMessage, CompleteRequest, CompleteResult, EditOptions, Progress

# What OpenAI's API knows and this one does not, with the values that ask for nothing.
_NOT_DONE: dict[str, tuple[object, ...]] = {
    "n": (1,),
    "stream": (False,),
    "tools": ([],),
    "functions": ([],),
    "response_format": ({"type": "text"},),
    "logprobs": (False,),
    "logit_bias": ({},),
    "frequency_penalty": (0,),
    "presence_penalty": (0,),
    "modalities": (["text"],),
    "reasoning_effort": ("none",),
    "verbosity": ("medium",),
    "web_search_options": (),
}


def complete(session: Session, params: Any) -> Awaitable[CompleteAnswer]:
    """Handler of ``editd/complete``; its params as they came. Raises what is wrong with them."""
    typed = _structured(session, params)
    return _complete(session, _request(session, typed), typed.work_done_token)


async def _complete(
    session: Session, request: CompleteRequest, token: str | int | None
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
        check_text(request.prediction or "", *(message.content for message in request.messages))
        engine = await session.engine.client()
        result = await engine.complete(request, on_progress)
        model = result.model
    except EditCancelled:
        raise
    except EditdError as failure:
        error = str(failure)
        raise
    finally:
        session.status.ended(request.request_id, model, error)
        session.end_work_done(progress, error)
    return _answer(result)


def _answer(result: CompleteResult) -> CompleteAnswer:
    stats = result.stats
    return CompleteAnswer(
        model=result.model,
        choices=(Choice(AssistantMessage(result.text), result.finish_reason),),
        usage=Usage(
            stats.prompt_tokens,
            stats.output_tokens,
            stats.prompt_tokens + stats.output_tokens,
            CompletionDetails(stats.accepted_prediction_tokens, stats.rejected_prediction_tokens),
            PromptDetails(stats.cached_tokens),
        ),
        notices=result.notices,
        stats=stats,
    )


def _structured(session: Session, params: Any) -> CompleteParams:
    """``params``, typed. Raises a JSON-RPC error that says what is wrong with them."""
    for name, harmless in _NOT_DONE.items():
        value = params.get(name) if isinstance(params, Mapping) else None
        if value is not None and value not in harmless:
            raise JsonRpcInvalidParams(f"editd/complete cannot do params.{name}: leave it out.")
    try:
        typed: CompleteParams = session.protocol.from_json(
            {} if params is None else params, CompleteParams
        )
    except Exception as error:
        problem = describe(error, spell=str)
        raise JsonRpcInvalidParams(f"{methods.COMPLETE}: {problem}") from error
    return typed


def _request(session: Session, params: CompleteParams) -> CompleteRequest:
    if not params.messages:
        raise JsonRpcInvalidParams("params.messages is empty: give at least one message.")
    given: dict[str, Any] = {
        "model": params.model,
        "drafter": params.drafter,
        "temperature": params.temperature,
        "top_p": params.top_p,
        "seed": params.seed,
        "max_new_tokens": _limit(params),
    }
    options: EditOptions = dataclasses.replace(
        params.options, **{name: value for name, value in given.items() if value is not None}
    )
    try:
        options = merged(session.options.requests, options)
    except ValueError as error:
        raise JsonRpcInvalidParams(str(error)) from None
    stop = (params.stop,) if isinstance(params.stop, str) else params.stop or ()
    if "" in stop:
        raise JsonRpcInvalidParams("params.stop holds an empty string, which ends nothing.")
    return CompleteRequest(
        uuid4().hex,
        tuple(
            ChatMessage(
                "system" if message.role == "developer" else message.role, _text(message.content)
            )
            for message in params.messages
        ),
        None if params.prediction is None else _text(params.prediction.content),
        stop,
        options,
    )


def _limit(params: CompleteParams) -> int | None:
    for name in ("max_completion_tokens", "max_tokens"):
        limit: int | None = getattr(params, name)
        if limit is not None and limit < 1:
            raise JsonRpcInvalidParams(f"params.{name} is {limit}, but must be at least 1.")
    both = (params.max_completion_tokens, params.max_tokens)
    return next((limit for limit in both if limit is not None), None)


def _text(content: Content) -> str:
    return content if isinstance(content, str) else "".join(part.text for part in content)
