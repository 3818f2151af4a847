"""The errors of servers, each as one sentence that says what to do."""

from __future__ import annotations

import json
import re
import ssl
from collections.abc import Iterator
from typing import Any

import httpx2

from editd.config_sources import KEY_VARIABLE
from editd.errors import EditdError, EditRefused, ScopeTooLarge, ServerFailed, first_line
from editd.models.remote.server import Address

_CONTROL_BYTE = "illegal request line"  # h11's words for an answer that begins like an alert of TLS
_WANTS_TLS = re.compile(rb"http request .{0,40}https", re.IGNORECASE)

_TOO_LONG = re.compile(
    r"context (length|size|window|limit|the overflows)|maximum context"
    r"|\b(prompt|input|messages?) (is|are) too (long|large)|too many (input |prompt )?tokens",
    re.IGNORECASE,
).search

_KINDS = ("type", "code")
_MESSAGES = ("message", "detail", "error", "errors", "msg")


class Broken(ServerFailed):
    """The stream ended or fell silent before the server had declared its answer complete."""


def of_status(
    address: Address, status: int, headers: httpx2.Headers, body: bytes, model: str
) -> EditdError:
    """The exception for an HTTP status other than 200; returned, not raised. body: the beginning of
    the response.

    ``ScopeTooLarge`` if the error says that the text exceeds the context, whatever the status, and
    for 413; ``EditRefused`` with the server's own message for 422; else ``ServerFailed`` with
    advice by status. model: its name, for the sentence of 404.
    """
    who, error = address.origin, _error_in(body)
    words = _quoted(error)
    if is_too_long(error["message"], error["code"], error["type"]) or status == 413:
        return ScopeTooLarge(f"{who} cannot take so much text{words}.")
    if status == 422:
        return EditRefused(error["message"] or f"{who} refused the edit.")
    if status in (401, 403):
        if not address.key:
            return ServerFailed(
                f"{who} requires a key ({status}): put it into a file that only "
                f"you can read (model.key_file), or set {KEY_VARIABLE}."
            )
        return ServerFailed(
            f"{who} does not accept the key ({status}): check model.key_file or {KEY_VARIABLE}."
        )
    if status == 404:
        return ServerFailed(
            f"{who} has nothing at this address, or no model {model} (404{words}): check "
            f"model.url, which usually ends in /v1, and model.name."
        )
    if status == 429:
        wait = headers.get("retry-after", "")
        when = f"in {wait} s" if wait.isdigit() else "later"
        return ServerFailed(f"{who} is overloaded (429): try again {when}.")
    if 300 <= status < 400:
        return ServerFailed(
            f"{who} redirects ({status}), which editd does not follow: set "
            "model.url to its real address."
        )
    if status == 400 and _WANTS_TLS.search(body):
        return _wants_tls(who)
    if status >= 500:
        return ServerFailed(f"{who} failed ({status}{words}): try again, or look at its log.")
    return ServerFailed(f"{who} refused the request ({status}{words}).")


def of_exception(address: Address, error: Exception) -> ServerFailed:
    """The exception for a failed HTTP exchange; returned, not raised.

    ``ServerFailed`` with advice if the connection could not be made (certificate, TLS, unreachable)
    or the server expects TLS; ``Broken`` for any other failure.
    """
    who = address.origin
    for cause in _causes(error):
        if isinstance(cause, ssl.SSLCertVerificationError):
            return ServerFailed(
                f"{who} has no valid certificate ({cause.verify_message}): nothing was sent; "
                f"if you trust it, put its issuer's certificate into SSL_CERT_FILE."
            )
        if isinstance(cause, ssl.SSLError) and isinstance(error, httpx2.ConnectError):
            return _without_tls(who, cause.reason or "")
    if isinstance(error, httpx2.ConnectError | httpx2.ConnectTimeout):
        how = " with TLS" if who.startswith("https:") else ""
        return ServerFailed(
            f"{who} cannot be reached{how}: start the server, or correct model.url (editd doctor)."
        )
    if isinstance(error, httpx2.RemoteProtocolError) and _CONTROL_BYTE in str(error):
        return _wants_tls(who)
    return Broken(f"{who} ended before its answer was complete: try again.")


def _wants_tls(who: str) -> ServerFailed:
    """The error of a server that expects TLS at an ``http://`` address. who: its origin."""
    return ServerFailed(f"{who} speaks no plain HTTP: begin model.url with https://.")


def _without_tls(who: str, reason: str) -> ServerFailed:
    """The error of a connection whose TLS handshake failed: refused by the server if OpenSSL's
    ``reason`` is an alert, else no TLS at that port.
    """
    if "ALERT" in reason:  # which only a server that speaks it sends
        words = reason.lower().replace("_", " ")
        return ServerFailed(
            f"{who} refuses TLS ({words}): nothing was sent; check the server's settings for TLS."
        )
    return ServerFailed(
        f"{who} does not speak TLS at this port: nothing was sent; begin model.url with http://, which goes "
        "to this machine only unless model.allow_plain_http is true, or correct its port."
    )


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    """``error`` and, after it, each exception that led to the one before (cause, else context)."""
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


def in_stream(address: Address, error: Any) -> EditdError:
    """The exception for an error within a stream, in the form in which ``chunk.error_in`` finds it;
    returned, not raised.

    ``ScopeTooLarge`` if it says that the text exceeds the context, else ``ServerFailed``.
    """
    fields = _fields(error)
    words = _quoted(fields)
    if is_too_long(fields["message"], fields["code"], fields["type"]):
        return ScopeTooLarge(f"{address.origin} cannot take so much text{words}.")
    return ServerFailed(f"{address.origin} failed during the answer{words}.")


def is_too_long(message: str, *kinds: str) -> bool:
    """Whether an error reports that the text exceeds the context: by one of its ``kinds``, or by
    words of its message.

    kinds: codes and types, in which OpenAI and llama-server report it; vLLM and LM Studio do so in
    the message.
    """
    known = ("context_length_exceeded", "exceed_context_size_error")
    return any(kind in known for kind in kinds) or bool(_TOO_LONG(message))


def message_in(body: bytes) -> str:
    """The message in the body of an error response; all of the body, decoded, if it is no JSON or
    no message is found.
    """
    return _error_in(body)["message"] or body.decode(errors="replace")


def _quoted(error: dict[str, str]) -> str:
    """``: `` and the first line of the error's message, without a period, as the end of a sentence;
    empty if there is no message.
    """
    if not error["message"]:
        return ""
    return f": {first_line(ValueError(error['message'])).rstrip('.')}"


def _error_in(body: bytes) -> dict[str, str]:
    """Message, type and code of the error in a JSON body: of its ``error``, or of the object
    itself; of a list's first member.

    Empty strings for what it lacks, and for a body that is no JSON object.
    """
    try:
        found = json.loads(body)
    except (ValueError, RecursionError):
        found = None
    if isinstance(found, list) and found:
        found = found[0]
    if not isinstance(found, dict):
        return _fields(None)
    return _fields(found.get("error", found))


def _fields(error: Any, depth: int = 4) -> dict[str, str]:
    """Message, type and code of an error, which may be a text, a list or an object; empty strings
    for what it lacks.

    The message is the first text found under ``message``, ``detail``, ``error``, ``errors`` or
    ``msg``; objects nested deeper than ``depth`` are not searched.
    """
    if not isinstance(error, dict):
        error = {"message": error}
    kinds = {name: value if isinstance(value := error.get(name), str) else "" for name in _KINDS}
    words = (_first_text(error.get(name), depth) for name in _MESSAGES)
    return {"message": next(filter(None, words), ""), **kinds}


def _first_text(value: Any, depth: int) -> str:
    """The first text in a message, stripped: a text itself, or the first in a list, whose objects
    are searched as ``_fields`` does; empty if there is none.
    """
    if isinstance(value, str):
        return value.strip()
    for part in value if isinstance(value, list) else [value]:
        if isinstance(part, str):
            return part.strip()
        if depth and isinstance(part, dict) and (found := _fields(part, depth - 1)["message"]):
            return found
    return ""
