"""The params and the answer of ``editd/complete``: those of OpenAI's chat completions.

As ``methods.py`` for the other methods, but fields are spelt on the wire as they are here.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from editd.messages import EditOptions, Stats


@dataclass(frozen=True, slots=True)
class TextPart:
    """A piece of a content."""

    type: Literal["text"]
    text: str


Content = str | tuple[TextPart, ...]
StopParam = str | tuple[str, ...]


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


@dataclass(frozen=True, slots=True, kw_only=True)
class CompleteParams:
    """Write what the assistant says next; a prediction makes it quicker, never different.

    max_completion_tokens wins over the older max_tokens. drafter: who drafts; by default
    ``prediction`` where there is one. options: as of ``editd/edit``; the fields here win.
    """

    messages: tuple[MessageParam, ...]
    model: str | None = None
    prediction: PredictionParam | None = None
    max_completion_tokens: int | None = None
    max_tokens: int | None = None
    temperature: float | None = None
    top_p: float | None = None
    seed: int | None = None
    stop: StopParam | None = None
    drafter: str | None = None
    options: EditOptions = field(default_factory=EditOptions)
    work_done_token: str | int | None = field(default=None, metadata={"wire": "workDoneToken"})


@dataclass(frozen=True, slots=True)
class AssistantMessage:
    """What the assistant says."""

    content: str
    role: Literal["assistant"] = "assistant"


@dataclass(frozen=True, slots=True)
class Choice:
    """The one answer. finish_reason: ``stop``, or ``length`` at the limit of tokens."""

    message: AssistantMessage
    finish_reason: Literal["stop", "length"]
    index: int = 0


@dataclass(frozen=True, slots=True)
class CompletionDetails:
    """Draft tokens of a completion that came with a prediction, by what became of them."""

    accepted_prediction_tokens: int
    rejected_prediction_tokens: int


@dataclass(frozen=True, slots=True)
class PromptDetails:
    """cached_tokens: those of the prompt that had been read before."""

    cached_tokens: int


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens. completion_tokens: those written, the one that ends the answer among them."""

    prompt_tokens: int
    completion_tokens: int
    total_tokens: int
    completion_tokens_details: CompletionDetails
    prompt_tokens_details: PromptDetails


@dataclass(frozen=True, slots=True, kw_only=True)
class CompleteAnswer:
    """choices: always one. notices: sentences for the user. stats: the figures, as of an edit."""

    object: Literal["chat.completion"] = "chat.completion"
    model: str
    choices: tuple[Choice, ...]
    usage: Usage
    notices: tuple[str, ...] = ()
    stats: Stats = field(default_factory=Stats)


# What has a name of two words: ``wire.py`` would make camelCase of it.
AS_SPELT = (CompleteParams, CompleteAnswer, Choice, CompletionDetails, PromptDetails, Usage)
