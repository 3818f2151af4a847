"""The errors of servers, each as one sentence that says what to do."""

from __future__ import annotations

import json
import re
import ssl
from collections.abc import Iterable
from typing import Any

import httpx2

from editd.errors import EditdError, EditRefused, ScopeTooLarge, ServerFailed, first_line
from editd.models.remote.server import Address
from editd.settings import KEY_VARIABLE


def of_status(
    address: Address, status: int, headers: httpx2.Headers, body: bytes, model: str
) -> EditdError:
    """The error behind an HTTP status other than 200. body: its beginning."""
    who, error = address.origin, _error_in(body)
    said = _quoted(error)
    if status == 422:
        return EditRefused(error["message"] or f"{who} refused the edit.")
    if _is_too_long(error):
        return ScopeTooLarge(f"{who} cannot take so much text{said}.")
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
            f"{who} has nothing at this address, or no model {model} (404{said}): check "
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
    if status >= 500:
        return ServerFailed(f"{who} failed ({status}{said}): try again, or look at its log.")
    return ServerFailed(f"{who} refused the request ({status}{said}).")


def of_exception(address: Address, error: Exception) -> ServerFailed:
    """The error behind a failed connection."""
    who = address.origin
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, ssl.SSLCertVerificationError):
            return ServerFailed(
                f"{who} has no valid certificate ({cause.verify_message}): nothing was sent; "
                f"if you trust it, put its issuer's certificate into SSL_CERT_FILE."
            )
        cause = cause.__cause__ or cause.__context__
    if isinstance(error, httpx2.ConnectError | httpx2.ConnectTimeout):
        return ServerFailed(
            f"{who} cannot be reached: start the server, or correct model.url (editd doctor)."
        )
    return ServerFailed(f"{who} ended before its answer was complete: try again.")


def in_stream(address: Address, event: dict[str, Any]) -> EditdError:
    """What an error means that comes where text was expected."""
    error = _fields(event.get("error"))
    said = _quoted(error)
    if _is_too_long(error):
        return ScopeTooLarge(f"{address.origin} cannot take so much text{said}.")
    return ServerFailed(f"{address.origin} failed during the answer{said}.")


def blamed(body: bytes, fields: Iterable[str]) -> list[str]:
    """The fields of a request that an error is about. Servers say it in many forms."""
    return [field for field in fields if re.search(rf"\b{field}\b", body.decode(errors="replace"))]


def _is_too_long(error: dict[str, str]) -> bool:
    """OpenAI has a code for it and llama-server a type; vLLM and LM Studio say it in words."""
    kinds = ("context_length_exceeded", "exceed_context_size_error")
    return error["code"] in kinds or error["type"] in kinds or bool(_TOO_LONG(error["message"]))


_TOO_LONG = re.compile(
    r"context (length|size|window|the overflows)|maximum context", re.IGNORECASE
).search


def _quoted(error: dict[str, str]) -> str:
    """What the server said, as the end of a sentence."""
    if not error["message"]:
        return ""
    return f": {first_line(ValueError(error['message'])).rstrip('.')}"


def _error_in(body: bytes) -> dict[str, str]:
    try:
        found = json.loads(body)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        return _fields(None)
    return _fields(found.get("error", found))


def _fields(error: Any) -> dict[str, str]:
    """Servers disagree about the form; what is not text is left out."""
    if isinstance(error, str):
        error = {"message": error}
    if not isinstance(error, dict):
        error = {}
    names = ("message", "type", "code")
    return {name: value if isinstance(value := error.get(name), str) else "" for name in names}
