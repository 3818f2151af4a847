"""The path and body of a request for an answer, in OpenAI's form."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from editd.decode.target import Sampling
from editd.engine.writer import AnswerSpec
from editd.errors import EditRefused
from editd.messages import ChatMessage, CompleteRequest
from editd.models.remote.server import Abilities
from editd.prompts.base import Prompt

CHAT, TEXT = "/chat/completions", "/completions"

PREDICTION, FINER, USAGE = "prediction", "vllm_xargs", "stream_options"
LOGPROBS, RIVALS = "logprobs", "top_logprobs"
SPARE = (PREDICTION, FINER, USAGE, LOGPROBS, RIVALS)
"""Fields that a request is sent without where the server does not take them."""


def path_and_body(
    wanted: AnswerSpec,
    model: str,
    abilities: Abilities,
    sampling: Sampling,
    max_tokens: int,
    ids: Sequence[int] | None = None,
) -> tuple[str, dict[str, Any]]:
    """Where to ask, and what. ids: the prompt's, if it goes so.

    Raises ``EditRefused`` for a text that cannot be sent as it is.
    """
    path, asked = _asked(wanted.asked) if ids is None else (TEXT, {"prompt": list(ids)})
    body = {
        "model": model,
        **asked,
        "max_tokens": max_tokens,
        "stream": True,
        USAGE: {"include_usage": True},
        **_sampled(sampling),
    }
    if wanted.expected and abilities.prediction:
        body[PREDICTION] = {"type": "content", "content": wanted.expected}
        if more := _finer(wanted, abilities):
            body[FINER] = more
    elif abilities.logprobs and path == CHAT and wanted.parts is not None:
        body |= {LOGPROBS: True, RIVALS: 2}  # OpenAI takes none beside a prediction
    return path, body


def _asked(asked: Prompt | CompleteRequest) -> tuple[str, dict[str, Any]]:
    if isinstance(asked, CompleteRequest):
        stops = {"stop": list(asked.stop)} if asked.stop else {}
        if asked.prompt_ids is not None:
            return TEXT, {"prompt": list(asked.prompt_ids), **stops}
        if asked.prompt is not None:
            return TEXT, {"prompt": asked.prompt, **stops}
        return CHAT, {"messages": _told(asked.messages), **stops}
    if asked.messages:
        return CHAT, {"messages": _told(asked.messages)}
    _check_control(asked)
    return TEXT, {"prompt": asked.text}


def _told(messages: Sequence[ChatMessage]) -> list[dict[str, str]]:
    return [{"role": message.role, "content": message.content} for message in messages]


def _check_control(prompt: Prompt) -> None:
    """As text the format's control tokens could not be told from a buffer's own words."""
    control = {text for text, is_control in prompt.segments if is_control}
    for text, is_control in prompt.segments:
        if not is_control and (found := next((word for word in control if word in text), None)):
            raise EditRefused(
                f"The text holds {found}, a control token of the server's model, and the "
                f"server cannot tell it from one: select lines without it."
            )


def _sampled(sampling: Sampling) -> dict[str, Any]:
    """How to choose; what was left as it is, the server decides but for the temperature."""
    plain = Sampling()
    told: dict[str, Any] = {"temperature": 0.0 if sampling.greedy else sampling.temperature}
    for name in ("top_p", "top_k", "min_p", "repetition_penalty", "seed"):
        value = getattr(sampling, name)
        if value != getattr(plain, name):
            told[name] = value
    return told


def _finer(wanted: AnswerSpec, abilities: Abilities) -> dict[str, str]:
    """What editd-vllm takes beside a prediction."""
    given = {"instruction": wanted.instruction}
    if isinstance(wanted.asked, Prompt):
        given["prediction_opening"] = wanted.asked.opening
        given["prediction_closing"] = wanted.asked.fence
    return {name: text for name, text in given.items() if text and name in abilities.fields}
