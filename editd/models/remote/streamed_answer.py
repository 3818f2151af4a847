"""One answer as it streams in: a server's events in, pieces of text, an end and figures out.

Nothing here waits for longer than ``WAIT``, because the engine's loop has other work to look at. OpenAI's
``usage`` of the answer becomes editd's figures.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from math import exp
from time import monotonic
from typing import Any

from editd.engine.provenance import Hesitation
from editd.engine.writer import OnText, Piece, Preparing
from editd.errors import AnswerEnd, EditRefused, ServerFailed
from editd.messages.reports import Stats
from editd.models.remote import faults
from editd.models.remote.http_thread import Exchange, Rejected
from editd.models.remote.server import Address
from editd.prompts.budget import MOST_BYTES_PER_TOKEN

WAIT = 0.015
"""Longest wait for the server in one unit of work, in seconds."""

_FIRST_SECONDS, _SILENT_SECONDS = 300.0, 60.0  # without text: while a prompt is read, and later
_LAST_SECONDS = 0.05  # that figures are waited for after an answer that ended before its stream

EXACTNESS = "remote"
"""Whether the text equals plain decoding is up to the server; editd promises nothing."""

_NO_COUNT = 1 << 53  # tokens; nobody counts as many, and messages could not hold much more


class RemoteWriting:
    """One answer as it streams in.

    ask: sends the request, without such fields as it was rejected for. read: what the server reads
    first, for a person.
    """

    def __init__(
        self,
        address: Address,
        ask: Callable[[Collection[str]], Exchange],
        on_text: OnText,
        read: str,
        max_tokens: int,
    ) -> None:
        self.finish_reason: AnswerEnd | None = None
        self.counts = _counted({})
        self._address = address
        self._ask = ask
        self._exchange = ask(())
        self._on_text = on_text
        self._read = read
        self._told_reading = False
        self._most_bytes = MOST_BYTES_PER_TOKEN * (max_tokens + 1)
        self._num_bytes = 0
        self._said: AnswerEnd | None = None  # why it ended, in the server's words
        self._last = monotonic()  # when text came
        self._complete_at: float | None = None  # when it was complete, whatever else comes

    def advance(self) -> Sequence[Piece] | Preparing:
        """Whatever has come by now; waits ``WAIT`` for it."""
        try:
            events = self._exchange.take(WAIT)
        except Rejected as rejected:
            self._exchange = self._ask(rejected.fields)
            return ()
        before = self._num_bytes
        pieces = [piece for event in events for piece in self._heard(event)]
        self._check(monotonic(), came=self._num_bytes > before)
        if not pieces and not self._num_bytes and not self._told_reading:
            self._told_reading = True
            return Preparing(f"{self._address.origin} is reading {self._read}")
        return pieces

    def rest(self) -> str:
        return ""

    def close(self) -> None:
        self._exchange.close()

    def _heard(self, event: dict[str, Any]) -> Iterator[Piece]:
        """One event; yields each piece of text."""
        if event.get("error") is not None:
            raise faults.in_stream(self._address, event)
        if isinstance(usage := event.get("usage"), dict) and usage.get("prompt_tokens") != 0:
            self.counts = _counted(usage)  # with 0 it has not counted yet
        if event.get("done") is True:
            self._said = self._said or "stop"
        choices = event.get("choices")
        choice = choices[0] if isinstance(choices, list) and choices else None
        if not isinstance(choice, dict):
            return
        text, thought = _text_and_thought(choice)
        self._num_bytes += len((text + thought).encode("utf-8", "replace"))
        for token, hesitation in _tokens(choice, text):
            if self._complete_at is None:
                if self._on_text(token, False):
                    self._complete_at = monotonic()
                yield Piece("new", hesitation)
        match choice.get("finish_reason"):
            case "stop" | "length" as reason:
                self._said = reason
            case "content_filter":
                raise EditRefused(f"{self._address.origin} withheld its answer.")
            case str():
                self._said = "stop"

    def _check(self, now: float, *, came: bool) -> None:
        """Whether it is over, one way or another."""
        if came:
            self._last = now
        who = self._address.origin
        if self._complete_at is not None:
            # It is complete for us; the server's figures come with its last word, if that is near.
            if self._exchange.ended or now > self._complete_at + _LAST_SECONDS:
                self.finish_reason = "stop"
        elif self._num_bytes > self._most_bytes:
            self.finish_reason = "length"
        elif self._exchange.ended:
            if self._said is None:
                raise ServerFailed(f"{who} ended before its answer was complete: try again.")
            self.finish_reason = self._said
        elif now - self._last > (_SILENT_SECONDS if self._num_bytes else _FIRST_SECONDS):
            raise ServerFailed(
                f"{who} has said nothing for {now - self._last:.0f} s: check the server."
            )


def _tokens(choice: dict[str, Any], text: str) -> list[tuple[str, Hesitation | None]]:
    """``text`` token by token, with how likely each was; in one piece where that is not told."""
    told = choice.get("logprobs")
    tokens = told.get("content") if isinstance(told, dict) else None
    try:
        found = [(one["token"], _hesitation(one)) for one in tokens or ()]
        if text and "".join(token for token, _ in found) == text:
            return [*found]
    except (KeyError, TypeError, ValueError, OverflowError):
        pass  # a server's own form
    return [(text, None)] if text else []


def _hesitation(told: dict[str, Any]) -> Hesitation:
    others = (one for one in told["top_logprobs"] if one["token"] != told["token"])
    rival = max(others, key=lambda one: float(one["logprob"]), default={"token": ""})
    return Hesitation(exp(min(0.0, float(told["logprob"]))), str(rival["token"]))


def _text_and_thought(choice: dict[str, Any]) -> tuple[str, str]:
    """What a model answers, and what it thinks before that, which is no part of it."""
    delta = choice.get("delta")
    if not isinstance(delta, dict):
        delta = {"content": choice.get("text")}
    text, *thoughts = (delta.get(name) for name in ("content", "reasoning_content", "reasoning"))
    thought = next((thought for thought in thoughts if isinstance(thought, str)), "")
    return text if isinstance(text, str) else "", thought


def _counted(usage: dict[str, Any]) -> Stats:
    """What a server counted, in OpenAI's ``usage``; rounds and margins stay unknown."""

    def number(table: Any, name: str) -> int | None:
        value = table.get(name) if isinstance(table, dict) else None
        return value if type(value) is int and 0 <= value < _NO_COUNT else None

    written = usage.get("completion_tokens_details")
    accepted = number(written, "accepted_prediction_tokens")
    rejected = number(written, "rejected_prediction_tokens")
    return Stats(
        prompt_tokens=number(usage, "prompt_tokens"),
        cached_tokens=number(usage.get("prompt_tokens_details"), "cached_tokens"),
        output_tokens=number(usage, "completion_tokens"),
        rounds=None,
        drafted=None if accepted is None or rejected is None else accepted + rejected,
        accepted=accepted,
        rejected=rejected,
        drafter_seconds=None,
        exactness=EXACTNESS,
        near_ties=None,
    )
