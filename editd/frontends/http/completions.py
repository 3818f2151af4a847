"""OpenAI's completions: JSON to params, params to the daemon's request, its result to OpenAI's usage.

Fields have OpenAI's names. A known field that would change the answer but is not supported is refused by name;
unknown fields are ignored. Every refusal is a ``UsageError`` with a sentence.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeVar
from uuid import uuid4

from cattrs import Converter

from editd.errors import UsageError
from editd.files.strict_json import describe, make_strict, text_or_array
from editd.messages import ChatMessage, CompleteRequest
from editd.messages.options import EditOptions, WayName
from editd.messages.reports import Stats

_Params = TypeVar("_Params")

# What OpenAI's API knows and this one does not, with the values that ask for nothing.
_NOT_DONE: dict[str, tuple[object, ...]] = {
    "n": (1,),
    "logit_bias": ({},),
    "frequency_penalty": (0,),
    "presence_penalty": (0,),
}
NOT_DONE_IN_CHATS: dict[str, tuple[object, ...]] = {
    **_NOT_DONE,
    "tools": ([],),
    "functions": ([],),
    "response_format": ({"type": "text"},),
    "logprobs": (False,),
    "modalities": (["text"],),
    "reasoning_effort": ("none",),
    "verbosity": ("medium",),
    "web_search_options": (),
}
NOT_DONE_WITH_PROMPTS: dict[str, tuple[object, ...]] = {
    **_NOT_DONE,
    "best_of": (1,),
    "echo": (False,),
    "suffix": ("",),
    "logprobs": (),
}
# More than any client sends; each costs some microseconds to read.
_MOST_ITEMS = {"messages": 10_000, "stop": 16}
_SAMPLING = ("temperature", "top_p", "seed")
StopParam = str | tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TextPart:
    """A text in a list of contents."""

    type: Literal["text"]
    text: str


Content = str | tuple[TextPart, ...]


@dataclass(frozen=True, slots=True)
class MessageParam:
    """A turn of a conversation; ``developer`` means ``system``."""

    role: Literal["system", "developer", "user", "assistant"]
    content: Content


@dataclass(frozen=True, slots=True)
class PredictionParam:
    """The text that the answer is expected to repeat mostly."""

    type: Literal["content"]
    content: Content


Prediction = str | PredictionParam
"""Of a prompt, where some servers take the text alone."""


@dataclass(frozen=True, slots=True)
class StreamOptions:
    """include_usage: token counts at the end of the stream."""

    include_usage: bool | None = None


@dataclass(frozen=True, slots=True)
class EditdParams:
    """The params of editd's own. way: takes another way to merge."""

    way: WayName | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Params:
    """The params of both kinds of completions. max_completion_tokens wins over the older max_tokens.

    n_predict: llama.cpp's name of the limit. 0 asks for the prompt to be read only; negative: no limit.
    """

    stream: bool | None = None
    stream_options: StreamOptions | None = None

    model: str | None = None
    max_completion_tokens: int | None = None
    max_tokens: int | None = None
    n_predict: int | None = None
    temperature: float | None = None
    top_p: float | None = None
    seed: int | None = None
    stop: StopParam | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatParams(Params):
    """The params of a chat: write the assistant's next message; a prediction makes it faster, never different.

    merge: how a sketch is merged into a file; ``certain`` refuses a sketch that can mean several texts.
    """

    messages: tuple[MessageParam, ...]
    prediction: PredictionParam | None = None
    merge: Literal["auto", "certain"] | None = None
    editd: EditdParams | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptParams(Params):
    """The params of a completion of ``prompt``, which is used unchanged."""

    prompt: str
    prediction: Prediction | None = None


def read(
    body: Mapping[str, Any],
    cls: type[_Params],
    not_done: Mapping[str, tuple[object, ...]],
    method: str,
) -> _Params:
    """Read a JSON object as ``cls``; unknown fields are ignored, and so are tools and functions if ``tool_choice`` or
    ``function_call`` is ``none``. Raises ``UsageError`` that names the field that is wrong, too long (messages, stop)
    or not supported.

    not_done: unsupported fields, each with the values besides ``null`` that are harmless. method: the subject of the
    refusal.
    """
    if body.get("tool_choice") == "none" or body.get("function_call") == "none":
        body = {name: value for name, value in body.items() if name not in ("tools", "functions")}
    for name, harmless in not_done.items():
        value = body.get(name)
        if value is not None and value not in harmless:
            raise UsageError(f"{method} does not support {name}: leave it out.")
    _refuse_too_many(body)
    try:
        return _converter().structure(body, cls)
    except TypeError as error:
        raise UsageError(f"The request is wrong: {error}.") from error
    except Exception as error:
        raise UsageError(f"The request is wrong: {describe(error, '')}.") from error


def _refuse_too_many(body: Mapping[str, Any]) -> None:
    """Raise ``UsageError`` if ``body``, before it is read, has more than 10,000 ``messages``, parts of their contents
    counted as well, or more than 16 strings in ``stop``. Values that are no lists are passed over.
    """
    lists = {name: body[name] for name in _MOST_ITEMS if isinstance(body.get(name), list)}
    counts = {name: len(items) for name, items in lists.items()}
    counts["messages"] = counts.get("messages", 0) + sum(
        len(turn["content"])
        for turn in lists.get("messages", ())
        if isinstance(turn, dict) and isinstance(turn.get("content"), list)
    )
    for name, count in counts.items():
        if count > _MOST_ITEMS[name]:
            raise UsageError(f"{name} has {count:,} items, but may have {_MOST_ITEMS[name]:,}.")


def chat_request(params: ChatParams, options: EditOptions) -> CompleteRequest:
    """The daemon's request for a chat, with a new id; messages of a ``developer`` become the system's. options:
    ``asked_options`` over the defaults. Raises ``UsageError`` for no messages or an empty stop string.
    """
    if not params.messages:
        raise UsageError("messages is empty: give at least one message.")
    messages = tuple(
        ChatMessage("system" if turn.role == "developer" else turn.role, text_of(turn.content))
        for turn in params.messages
    )
    return CompleteRequest(
        uuid4().hex, messages, _prediction(params.prediction), _stops(params), options
    )


def prompt_request(params: PromptParams, options: EditOptions) -> CompleteRequest:
    """The daemon's request for a prompt, which is used unchanged, with a new id. Raises ``UsageError`` for an empty
    prompt or an empty stop string.
    """
    if not params.prompt:
        raise UsageError("prompt is empty: give a text.")
    return CompleteRequest(
        uuid4().hex,
        prediction=_prediction(params.prediction),
        stop=_stops(params),
        options=options,
        prompt=params.prompt,
    )


def asked_options(params: Params) -> dict[str, Any]:
    """The decoding parameters that were given (temperature, top_p, seed and the limit of tokens), by their names in
    ``EditOptions``; others are left out. Raises ``UsageError`` for a limit below 1 other than -1 (see ``_limit``).

    As other servers have it, a seed of -1 is none, and a ``top_p`` of 0 takes the likeliest token: the temperature
    becomes 0.
    """
    given: dict[str, Any] = {name: getattr(params, name) for name in _SAMPLING}
    if params.seed == -1:
        given["seed"] = None
    if params.top_p == 0:
        given.update(top_p=None, temperature=0.0)
    given["max_new_tokens"] = _limit(params)
    return {name: value for name, value in given.items() if value is not None}


def usage_of(stats: Stats, predicted_from: str = "") -> dict[str, Any]:
    """The figures as OpenAI's ``usage``; ``None``: an unknown count.

    ``completion_tokens`` includes the token that ends the answer. Unlike in OpenAI's usage, rejected draft tokens are
    not counted. predicted_from: the form of the prompt that the prediction was taken from; empty if it was not.
    """
    read, written = stats.prompt_tokens, stats.output_tokens
    return {
        "prompt_tokens": read,
        "completion_tokens": written,
        "total_tokens": None if read is None or written is None else read + written,
        "completion_tokens_details": {
            "accepted_prediction_tokens": stats.accepted_prediction_tokens,
            "rejected_prediction_tokens": stats.rejected_prediction_tokens,
            "predicted_from": predicted_from,
        },
        "prompt_tokens_details": {"cached_tokens": stats.cached_tokens},
    }


def text_of(content: Content) -> str:
    """The text of a content, its parts joined."""
    return content if isinstance(content, str) else "".join(part.text for part in content)


@functools.cache
def _converter() -> Converter:
    """The converter from JSON to params, strict about types, and with the fields of OpenAI's that have several forms.
    Costly to make and without a state, so it is made once.
    """
    converter = make_strict(Converter())
    converter.register_structure_hook(
        Content,
        lambda value, _: text_or_array(converter, value, tuple[TextPart, ...], "text parts"),
    )
    converter.register_structure_hook(
        StopParam | None,
        lambda value, _: (
            None if value is None else text_or_array(converter, value, tuple[str, ...], "strings")
        ),
    )
    converter.register_structure_hook(
        Prediction | None,
        lambda value, _: (
            value
            if value is None or isinstance(value, str)
            else converter.structure(value, PredictionParam)
        ),
    )
    return converter


def _prediction(prediction: Prediction | None) -> str | None:
    """The text of a prediction, its parts joined; ``None`` without one. May be empty."""
    if prediction is None or isinstance(prediction, str):
        return prediction
    return text_of(prediction.content)


def _stops(params: Params) -> tuple[str, ...]:
    """The strings that end the answer, a single one as a tuple; empty if there are none. Raises ``UsageError`` if one
    is empty.
    """
    stop = (params.stop,) if isinstance(params.stop, str) else params.stop or ()
    if "" in stop:
        raise UsageError("stop contains an empty string, which never ends an answer.")
    return stop


def _limit(params: Params) -> int | None:
    """The most tokens of the answer: ``max_completion_tokens``, else ``max_tokens``, else ``n_predict``, of which 0
    counts as 1; ``None`` for no limit. -1 of the first two, and any negative ``n_predict``, is none; raises
    ``UsageError`` if either of the first two is another number below 1.
    """
    limits = {
        name: getattr(params, name)
        for name in ("max_completion_tokens", "max_tokens")
        if getattr(params, name) not in (None, -1)
    }
    for name, limit in limits.items():
        if limit < 1:
            raise UsageError(f"{name} is {limit}, but must be at least 1.")
    number = params.n_predict
    return next(iter(limits.values()), None if number is None or number < 0 else max(number, 1))
