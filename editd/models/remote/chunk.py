"""The contents of one event of a streamed answer: text, a thought, the server's reason for an end, an error, figures.

Knows the forms in which servers put these. Finding the events of a body is left to ``events``, the conclusions to
``streamed_answer``.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import exp
from typing import Any, Literal, NamedTuple

from editd.messages.reports import Stats
from editd.models.text_source import Hesitation

EXACTNESS = "remote"
"""The exactness in figures: whether the text equals plain decoding is up to the server, and editd promises nothing.

"""

_NO_COUNT = 1 << 53  # tokens; nobody counts as many, and messages could not hold much more

End = Literal["whole", "limit", "tool", "withheld", "failure"]
"""The end of a stream: by itself, at a limit of tokens, for a tool's turn, by a filter, or by a failure."""

ENDS: Mapping[str, End] = {
    **dict.fromkeys(("stop", "eos", "eos_token", "end_turn", "stop_sequence", "stop_string"), "whole"),
    **dict.fromkeys(("length", "max_tokens", "model_length"), "limit"),
    **dict.fromkeys(("tool_calls", "function_call", "tool_use"), "tool"),
    "content_filter": "withheld",
    **dict.fromkeys(("abort", "aborted", "error", "failed", "cancelled", "canceled"), "failure"),
}  # fmt: skip
"""Servers' finish reasons, in lower case. Any other, and an empty one, says nothing."""

_TEXT_PARTS = ("text", "output_text", None)  # types of the parts of a content that is a list
_THOUGHTS = ("reasoning_content", "reasoning", "reasoning_details", "thinking")


class Chunk(NamedTuple):
    """The contents of a choice.

    text: of the answer.
    thought: the model's reasoning, which is no part of the answer.
    end: as in ``ENDS``; ``None`` if the server gives no reason.
    refusal: the model's words, if it declines.
    """

    text: str = ""
    thought: str = ""
    end: End | None = None
    refusal: str = ""


def chunk_in(choice: Mapping[str, Any]) -> Chunk:
    """The contents of a choice that streams (``delta``), else is whole (``message``), else
    continues a prompt (``text``).

    Missing or malformed parts are empty; the end is ``None`` for a reason that ``ENDS`` does not
    have.
    """
    delta = choice.get("delta")
    if not isinstance(delta, dict):
        delta = choice.get("message")
    if not isinstance(delta, dict):
        delta = {"content": choice.get("text")}
    text, thought = _text_and_thought(delta.get("content"))
    others = (_text_of(delta.get(name)) for name in _THOUGHTS)
    word = choice.get("finish_reason")
    return Chunk(
        text,
        thought or next(filter(None, others), ""),
        ENDS.get(word.strip().lower()) if isinstance(word, str) else None,
        _text_of(delta.get("refusal")),
    )


def choice_in(event: Mapping[str, Any]) -> dict[str, Any] | None:
    """The first choice of the event with index 0 or without an index, wherever in the list it
    stands; ``None`` if there is none.
    """
    choices = event.get("choices")
    found = (
        [choice for choice in choices if isinstance(choice, dict)]
        if isinstance(choices, list)
        else []
    )
    return next((choice for choice in found if choice.get("index") in (0, None, "0")), None)


def error_in(event: Mapping[str, Any]) -> Any:
    """The error that the event reports, in the server's own form; ``None`` if it reports none.

    Looked for under ``error`` of the event and of its choice, then in the event as a whole if it
    has the form of an error. An object ``error`` whose values are all empty counts as none. An
    event with neither ``error`` nor ``choices`` may have a ``detail`` or else ``errors``, which is
    returned as ``{"message": ...}``.

    >>> error_in({"object": "error", "message": "Out of memory."})["message"]
    'Out of memory.'
    >>> error_in({"choices": [], "error": None})
    """
    choice = choice_in(event) or {}
    for holder in (event, choice):
        error = holder.get("error")
        if any(error.values()) if isinstance(error, dict) else error:
            return error
    if "error" in (event.get("object"), event.get("type"), event.get("status")):
        return event
    if "choices" in event:
        return None
    if detail := event.get("detail") or event.get("errors"):
        return {"message": detail}
    is_error = event.get("success") is False or {"code", "type", "status"} & event.keys()
    return event if is_error and isinstance(event.get("message"), str) else None


def _text_and_thought(content: Any) -> tuple[str, str]:
    """The text and the thought of a content, which is a text, a part or a list of parts, each
    joined in order.

    A part is of the kind that its ``type`` says; parts of unknown types, and what is neither text
    nor object, are left out.
    """
    if isinstance(content, str):
        return content, ""
    parts = content if isinstance(content, list) else [content]
    text = thought = ""
    for part in parts:
        if not isinstance(part, dict):
            continue
        kind = part.get("type")
        if kind in _TEXT_PARTS:
            text += _text_of(part.get("text"))
        elif isinstance(kind, str) and ("think" in kind or "reason" in kind):
            thought += _text_of(part)
    return text, thought


def _text_of(value: Any) -> str:
    """The text in a value: a string itself, a list's members joined, of an object the first of a
    few named fields that has any; else empty.
    """
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return "".join(map(_text_of, value))
    if isinstance(value, dict):
        names = ("text", "content", "thinking", "reasoning", "summary")
        return next(filter(None, (_text_of(value.get(name)) for name in names)), "")
    return ""


def tokens_in(choice: Mapping[str, Any], text: str) -> list[tuple[str, Hesitation | None]]:
    """``text`` token by token with the probability of each; in one piece without a probability if
    the choice reports none, or tokens that do not join to ``text``.

    Empty for an empty text.
    """
    logprobs = choice.get("logprobs")
    tokens = logprobs.get("content") if isinstance(logprobs, dict) else None
    try:
        found = [(token["token"], _hesitation(token)) for token in tokens or ()]
        if text and "".join(token for token, _ in found) == text:
            return [*found]
    except (KeyError, TypeError, ValueError, OverflowError):
        pass  # a server's own form
    return [(text, None)] if text else []


def _hesitation(token: dict[str, Any]) -> Hesitation:
    """The token's probability, and the text of the likeliest other token, empty if none is listed.

    token: an entry of OpenAI's ``logprobs``; raises ``KeyError``, ``TypeError`` or ``ValueError``
    for another form.
    """
    others = (other for other in token["top_logprobs"] if other["token"] != token["token"])
    rival = max(others, key=lambda other: float(other["logprob"]), default={"token": ""})
    return Hesitation(exp(min(0.0, float(token["logprob"]))), str(rival["token"]))


def stats_in(usage: Mapping[str, Any]) -> Stats:
    """OpenAI's ``usage`` as editd's figures; what it does not report is ``None``, and so are rounds
    and near ties.
    """
    written = usage.get("completion_tokens_details")
    accepted = _number(written, "accepted_prediction_tokens")
    rejected = _number(written, "rejected_prediction_tokens")
    return Stats(
        prompt_tokens=_number(usage, "prompt_tokens"),
        cached_tokens=_number(usage.get("prompt_tokens_details"), "cached_tokens"),
        output_tokens=_number(usage, "completion_tokens"),
        rounds=None,
        drafted=None if accepted is None or rejected is None else accepted + rejected,
        accepted=accepted,
        rejected=rejected,
        drafter_seconds=None,
        exactness=EXACTNESS,
        near_ties=None,
    )


def thought_tokens_in(usage: Mapping[str, Any]) -> int:
    """The number of tokens that were thoughts the server does not show; 0 if unknown."""
    return _number(usage.get("completion_tokens_details"), "reasoning_tokens") or 0


def _number(table: Any, name: str) -> int | None:
    """The count under ``name``; ``None`` if ``table`` is no object, or the value is missing, no
    integer, negative or absurdly large.
    """
    value = table.get(name) if isinstance(table, dict) else None
    return value if type(value) is int and 0 <= value < _NO_COUNT else None
