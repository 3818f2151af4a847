"""The body of an answer as events: bytes in, JSON objects out.

Servers stream as server-sent events, and few keep to the standard: comments and pings where data is due, no empty line
between two events, lines that end with CR, an ``error:`` field, one JSON object instead. ``Body`` chooses the form by the
first bytes, whatever the content type says. The meaning of the objects is left to ``chunk``.

Bodies are read more strictly than HTTP clients do: invalid UTF-8 and half a character (``\\ud800``) are errors,
not U+FFFD, because the text is written into a file.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

Event = dict[str, Any]

_MOST_BYTES = 4 << 20  # of one event
_MOST_WHOLE_BYTES = 8 << 20  # of an answer in one piece
_NO_TEXT = "sent text that is no UTF-8"

_BLANKS = b" \t\r\n\xef\xbb\xbf"  # and a byte order mark
_LINE_END = re.compile(rb"\r\n|\n|\r")
_FIELD = re.compile(rb"(data|event|id|retry|error)?:")
_DONE = re.compile(r'"?\[DONE\]"?', re.IGNORECASE)
# What keeps a connection alive: no text of an answer, though it stands where one is due.
_ALIVE = re.compile(
    r":.*|\W*(ping|pong|keep[-_ ]?alive|heartbeat|waiting|queued|processing)\W*",
    re.IGNORECASE | re.DOTALL,
)


class NotEvents(ValueError):
    """The bytes are no events; the message continues a sentence that begins with the server's name."""


class Body:
    """The events of a body, which is fed piece by piece.

    kind: the content type, without parameters. All methods raise ``NotEvents``.
    """

    def __init__(self, kind: str) -> None:
        self._kind = kind
        self._form: ServerSentEvents | _Whole | None = None
        self._begun = b""

    @property
    def done(self) -> bool:
        """Whether the server has declared that nothing follows."""
        return self._form is not None and self._form.done

    def feed(self, data: bytes) -> list[Event]:
        """Take the next bytes of the body; returns the events that they complete, none while too
        little is known to choose the body's form. Raises ``NotEvents`` for a body in no known form,
        and as the form's ``feed``.
        """
        if self._form is None:
            self._begun = (self._begun + data).lstrip(_BLANKS)
            if not self._shows_its_form():
                return []
            self._form = self._new_form()
            data, self._begun = self._begun, b""
        return self._form.feed(data)

    def finish(self) -> list[Event]:
        """Take the end of the body; returns the events that it completes. Call once, after the last
        ``feed``. Raises ``NotEvents`` for a body in no known form, and as the form's ``finish``.
        """
        if self._form is None:
            self._form = self._new_form()
            return [*self._form.feed(self._begun), *self._form.finish()]
        return self._form.finish()

    def _shows_its_form(self) -> bool:
        """Whether enough of the body is known to choose the form by."""
        return b"\n" in self._begun or len(self._begun) >= len(b"retry:")

    def _new_form(self) -> ServerSentEvents | _Whole:
        """The reader for the form that the first bytes show, or the content type if they show none;
        of events for an empty body.

        Raises ``NotEvents`` if neither is JSON or an event stream.
        """
        if not self._begun:
            return ServerSentEvents()
        is_json = self._begun[:1] in (b"{", b"[")
        if is_json or (self._kind == "application/json" and not _FIELD.match(self._begun)):
            return _Whole()
        if self._kind == "text/event-stream" or _FIELD.match(self._begun):
            return ServerSentEvents()
        raise NotEvents("answers with something that is no stream of events")


class ServerSentEvents:
    """``data:`` lines, each of which is an event as soon as it is whole."""

    def __init__(self) -> None:
        self.done = False
        self._line: list[bytes] = []  # the line that is open, in pieces
        self._size = 0  # of what is no event yet
        self._after_cr = False
        self._name = ""  # of the event that is open
        self._data: list[str] = []

    def feed(self, data: bytes) -> list[Event]:
        """Take the next bytes; returns the events that they complete. A last line without its end
        waits for more. Sets ``done`` at ``[DONE]``.

        Raises ``NotEvents`` for invalid UTF-8, data that is no JSON, and an event of more than 4
        MiB.
        """
        if self._after_cr:  # whose LF may come now
            data = data.removeprefix(b"\n")
        self._after_cr = data.endswith(b"\r")
        self._size += len(data)
        first, *lines = _LINE_END.split(data)
        self._line.append(first)
        events: list[Event] = []
        for line in lines:
            events += self._end_line()
            self._line.append(line)
        if not self._data and lines:
            self._size = len(self._line[0])
        if self._size > _MOST_BYTES:
            raise NotEvents("sent a line that never ends")
        return events

    def finish(self) -> list[Event]:
        """Take the end of the body; returns the events that it completes. An event that the
        connection cut off (no JSON or UTF-8) is dropped silently.
        """
        try:
            return [*self._end_line(), *self._end_event()]
        except NotEvents:
            return []

    def _end_line(self) -> Iterator[Event]:
        """Read the line that has ended; yields the events that it completes.

        An empty line ends the open event; so does a first ``data`` line that is a whole object. A
        line ``error:`` is an event by itself, ``{"error": …}``. Names other than ``data``,
        ``event`` and ``error`` are ignored. Raises ``NotEvents`` for invalid UTF-8 or data that is
        no JSON.
        """
        line, self._line = b"".join(self._line), []
        try:
            text = line.decode()
        except UnicodeDecodeError:
            raise NotEvents(_NO_TEXT) from None
        if not text:
            yield from self._end_event()
            return
        name, _, value = text.partition(":")
        value = value.strip()
        if name == "data":
            self._data.append(value)
            if len(self._data) == 1 and _is_complete(value):
                # Many leave out the empty line between two events.
                yield from self._end_event()
        elif name == "event":
            self._name = value
        elif name == "error":  # llama-server's
            yield {"error": _parsed(value) or value}

    def _end_event(self) -> Iterator[Event]:
        """Read the event that has ended; yields its objects. Sets ``done`` at ``[DONE]``.

        Yields nothing for an event without data, a ping, and after ``[DONE]``; for an event named
        ``error`` an object with ``error``. Raises ``NotEvents`` for data that is no JSON.
        """
        name, value = self._name, "\n".join(self._data).strip()
        self._name, self._data = "", []
        if self.done or not value or _ALIVE.fullmatch(name) or _ALIVE.fullmatch(value):
            return
        if _DONE.fullmatch(value):
            self.done = True
            return
        if name == "error":
            found = _parsed(value)
            yield (
                found if isinstance(found, dict) and "error" in found else {"error": found or value}
            )
            return
        yield from _objects(value)


class _Whole:
    """A body that is one JSON object, or several in lines."""

    def __init__(self) -> None:
        self.done = False
        self._data = bytearray()

    def feed(self, data: bytes) -> list[Event]:
        """Store ``data``; returns no events before ``finish``. Raises ``NotEvents`` for a body of
        more than 8 MiB.
        """
        self._data += data
        if len(self._data) > _MOST_WHOLE_BYTES:
            raise NotEvents("answers with more than an answer can have")
        return []

    def finish(self) -> list[Event]:
        """Read the body; returns its events, and sets ``done`` if all of it is one JSON value. A
        body of several lines may have an object in each.

        Raises ``NotEvents`` for anything else that is no JSON, an empty body too, and for invalid
        UTF-8.
        """
        text = _decoded(bytes(self._data))
        try:
            events = [*_objects(text, "answers with something that is no JSON")]
            self.done = True
            return events
        except NotEvents:
            lines = [line for line in text.splitlines() if line.strip()]
            if len(lines) < 2:
                raise
            return [event for line in lines for event in _objects(line)]


def object_in(data: bytes) -> Event:
    """The JSON object that a whole body is; for a list, ``{"data": the list}``. Raises
    ``NotEvents`` for other JSON, no JSON, and invalid text.
    """
    value = _value(_decoded(data), "answers with something that is no JSON")
    if isinstance(value, list):
        return {"data": value}
    if not isinstance(value, dict):
        raise NotEvents("answers with JSON that is no object")
    return value


def _is_complete(value: str) -> bool:
    """Whether a line of data is an event by itself: empty, a ping, ``[DONE]``, or a whole JSON
    object.
    """
    if not value or _ALIVE.fullmatch(value) or _DONE.fullmatch(value):
        return True
    return value.startswith("{") and value.endswith("}") and _parsed(value) is not None


def _objects(text: str, otherwise: str = "sent an event that is no JSON") -> Iterator[Event]:
    """The object that the JSON ``text`` is, or the objects of a list, in order; yields nothing for
    any other JSON value.

    Raises ``NotEvents(otherwise)`` for a text that is no JSON, ``NotEvents`` for a string with half
    a character.
    """
    value = _value(text, otherwise)
    for found in value if isinstance(value, list) else [value]:
        if isinstance(found, dict):
            yield found


def _parsed(text: str) -> Any:
    """The JSON value of ``text``; ``None`` for ``null``, for no JSON, and for deeper nesting than
    Python's reader takes.
    """
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _value(text: str, otherwise: str) -> Any:
    """The JSON value of ``text``.

    Raises ``NotEvents`` for a string with half a character (a lone surrogate),
    ``NotEvents(otherwise)`` for a text that is no JSON or nested too deeply.
    """
    try:
        value = json.loads(text)
        if "\\ud" in text.lower():
            json.dumps(value, ensure_ascii=False).encode()
    except UnicodeError:
        raise NotEvents(_NO_TEXT) from None
    except (ValueError, RecursionError):
        raise NotEvents(otherwise) from None
    return value


def _decoded(data: bytes) -> str:
    """``data`` decoded from UTF-8, without a byte order mark. Raises ``NotEvents`` for invalid
    bytes.
    """
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise NotEvents(_NO_TEXT) from None
