"""Server-sent events out of the bytes of a stream, as OpenAI's API sends them.

Stricter than the parsers of HTTP clients: invalid UTF-8 and half a character (``\\ud800``) are errors,
not U+FFFD, because the text is written into a file.
"""

from __future__ import annotations

import json
from typing import Any

_MOST_BYTES = 4 << 20  # of one line
_NO_TEXT = "sent text that is no UTF-8"


class NotEvents(ValueError):
    """The bytes are no events; the message says what they are, as the rest of a sentence."""


def object_in(data: bytes) -> dict[str, Any]:
    """The JSON object that a whole body is; raises ``NotEvents``."""
    try:
        found = _parsed(data)
    except UnicodeError:
        raise NotEvents(_NO_TEXT) from None
    except (ValueError, RecursionError):
        raise NotEvents("answers with something that is no JSON") from None
    if not isinstance(found, dict):
        raise NotEvents("answers with JSON that is no object")
    return found


def whole_answer(data: bytes) -> dict[str, Any]:
    """The one event that an answer in one piece would be, if it streamed; raises ``NotEvents``."""
    answer = object_in(data)
    choices = answer.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices else None
    if not isinstance(choice, dict):
        if answer.get("error") is None:
            raise NotEvents("answers in one piece, in which there is no text")
        return answer
    return {**answer, "choices": [{"delta": choice.get("message"), **choice}]}


class Events:
    """Feed on bytes; give each event's JSON. ``done``: the server has said that nothing follows."""

    def __init__(self) -> None:
        self.done = False
        self._open = b""

    def feed(self, data: bytes) -> list[dict[str, Any]]:
        """The events that ``data`` completes; raises ``NotEvents``."""
        *lines, self._open = (self._open + data).split(b"\n")
        if len(self._open) > _MOST_BYTES:
            raise NotEvents("sent a line that never ends")
        return [event for line in lines if (event := self._event(line)) is not None]

    def finish(self) -> list[dict[str, Any]]:
        """The stream is over; what it ended with without a line end."""
        rest, self._open = self._open, b""
        return [event] if (event := self._event(rest)) is not None else []

    def _event(self, line: bytes) -> dict[str, Any] | None:
        try:
            text = line.decode().rstrip("\r")
        except UnicodeDecodeError:
            raise NotEvents(_NO_TEXT) from None
        name, _, value = text.partition(":")
        value = value.removeprefix(" ")
        if self.done or name != "data" or not value:
            return None  # comments keep a connection alive, other fields mean nothing here
        if value == "[DONE]":
            self.done = True
            return None
        try:
            event = _parsed(value.encode())
        except UnicodeError:
            raise NotEvents(_NO_TEXT) from None
        except (ValueError, RecursionError):
            raise NotEvents("sent an event that is no JSON") from None
        if not isinstance(event, dict):
            raise NotEvents("sent an event that is no object")
        return event


def _parsed(data: bytes) -> Any:
    """The value of a JSON text; raises ``UnicodeError`` where a string holds half a character."""
    value = json.loads(data)
    if b"\\ud" in data.lower():
        json.dumps(value, ensure_ascii=False).encode()
    return value
