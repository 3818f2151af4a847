"""A completion: its request, its messages while it grows, and its result."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from editd.messages.options import EditOptions, Priority
from editd.messages.stats import Stats


@dataclass(frozen=True, slots=True)
class ChatMessage:
    """One turn of a conversation with a model."""

    role: Literal["system", "user", "assistant"]
    content: str


@dataclass(frozen=True, slots=True)
class CompleteRequest:
    """Write what comes next; answered by ``CompleteResult`` or ``Failed``.

    What comes before is one of three: ``messages``, told in the model's chat template; ``prompt``,
    as it stands, words of control tokens meaning these tokens; ``prompt_ids``, its token ids.
    prediction: text that is expected, in the messages or not; it is drafted from and changes the
        answer's time, never its text. stop: strings that end the answer and are no part of it.
    stream: tell the text as it is verified (``TextDelta``). document: as of ``EditRequest``.
    """

    request_id: str
    messages: tuple[ChatMessage, ...] = ()
    prediction: str | None = None
    stop: tuple[str, ...] = ()
    options: EditOptions = EditOptions()
    priority: Priority = "interactive"
    prompt: str | None = None
    prompt_ids: tuple[int, ...] | None = None
    stream: bool = False
    document: str = ""


@dataclass(frozen=True, slots=True)
class TextDelta:
    """Text of a completion that became certain since the last one: whole characters, never empty.

    All of them together are the text of its ``CompleteResult``.
    """

    request_id: str
    text: str


@dataclass(frozen=True, slots=True)
class CompleteResult:
    """The answer to a ``CompleteRequest`` that ended by itself or at its limit."""

    request_id: str
    finish_reason: Literal["stop", "length"]
    text: str
    notices: tuple[str, ...] = ()
    stats: Stats = Stats()
    model: str = ""
