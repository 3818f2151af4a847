"""The fields of OpenAI's completions under OpenAI's names, of requests and of answers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class TextPart:
    """A piece of a content."""

    type: Literal["text"]
    text: str


Content = str | tuple[TextPart, ...]
StopParam = str | tuple[str, ...]
Prompt = str | tuple[int, ...]
"""A text, or its token ids."""


@dataclass(frozen=True, slots=True)
class MessageParam:
    """One turn of a conversation; ``developer`` means ``system``."""

    role: Literal["system", "developer", "user", "assistant"]
    content: Content


@dataclass(frozen=True, slots=True)
class PredictionParam:
    """The text that is expected to come back mostly as it is."""

    type: Literal["content"]
    content: Content


Prediction = str | PredictionParam
"""On the older method some servers take the text alone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Params:
    """What both kinds of completions take. max_completion_tokens wins over the older max_tokens."""

    model: str | None = None
    max_completion_tokens: int | None = None
    max_tokens: int | None = None
    temperature: float | None = None
    top_p: float | None = None
    seed: int | None = None
    stop: StopParam | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatParams(Params):
    """Write the assistant's next message; a prediction makes it faster, never different."""

    messages: tuple[MessageParam, ...]
    prediction: PredictionParam | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptParams(Params):
    """Write what follows ``prompt``, which is used unchanged."""

    prompt: Prompt
    prediction: Prediction | None = None


@dataclass(frozen=True, slots=True)
class CompletionDetails:
    """Draft tokens of a completion with a prediction, by what became of them.

    predicted_from: the form of prompts that the prediction was taken from; empty if it was given, or none.
    """

    accepted_prediction_tokens: int | None
    rejected_prediction_tokens: int | None
    predicted_from: str = ""


@dataclass(frozen=True, slots=True)
class PromptDetails:
    """cached_tokens: those of the prompt that had been read before."""

    cached_tokens: int | None


@dataclass(frozen=True, slots=True)
class Usage:
    """Token counts. ``completion_tokens`` includes the token that ends the answer.

    Unlike in OpenAI's usage, rejected draft tokens are not counted. ``None``: the server did not
    report a count.
    """

    prompt_tokens: int | None
    completion_tokens: int | None
    total_tokens: int | None
    completion_tokens_details: CompletionDetails
    prompt_tokens_details: PromptDetails
