"""Access control by Host, Origin and key; and the one log line of a request.

A web page can reach a server on the loopback, directly or through a host name that resolves there (DNS
rebinding). So ``Host`` must name this machine, and an ``Origin`` is refused unless it was allowed at
start. Nothing here logs a header, a body, or a path that a client made up.
"""

from __future__ import annotations

import hmac
import logging
from dataclasses import dataclass
from time import monotonic

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from editd.daemon.logs import discreet
from editd.frontends.http.answers import HttpError

log = logging.getLogger(__name__)

LOOPBACK_HOSTS = frozenset({"127.0.0.1", "localhost", "[::1]"})
_DEFECT = HttpError(
    500, "An internal error ended this request: see the log.", kind="server_error", code="internal"
)
_TWO_LENGTHS = HttpError(
    400, "The request has both Transfer-Encoding and Content-Length: send one.", close=True
)
_METHODS = frozenset({"GET", "HEAD", "POST", "OPTIONS"})


@dataclass(frozen=True, slots=True)
class Access:
    """The hosts, origins and key that requests are checked by.

    hosts: allowed in ``Host``, without a port; empty: all, because no browser reaches a Unix socket, or a key is
    required. origins: of web pages that may send requests. key: empty for none.
    """

    hosts: frozenset[str] = LOOPBACK_HOSTS
    origins: tuple[str, ...] = ()
    key: str = ""

    def check(self, headers: Headers) -> None:
        """Raise ``HttpError`` (403) for any ``Origin`` header that is not allowed, and unless exactly one ``Host``
        header names an allowed host, with or without a port. Hosts are not checked if none are set.
        """
        if self.hosts:
            named = headers.getlist("host")
            if len(named) != 1 or _without_port(named[0]) not in self.hosts:
                raise HttpError(
                    403,
                    "The Host header names another machine: use 127.0.0.1 or localhost, or allow the name with --allow-host.",
                    kind="permission_error",
                    code="host_not_allowed",
                )
        for origin in headers.getlist("origin"):
            if origin not in self.origins:
                raise HttpError(
                    403,
                    "Requests from web pages need their origin allowed "
                    "(editd serve --allow-origin).",
                    kind="permission_error",
                    code="origin_not_allowed",
                )

    def check_key(self, headers: Headers) -> None:
        """Raise ``HttpError`` (401) unless ``Authorization`` has the key as a bearer token; no effect if no key is
        set. Takes the same time for any wrong key of one length.
        """
        if not self.key:
            return
        scheme, _, key = headers.get("authorization", "").partition(" ")
        right = hmac.compare_digest(key.strip().encode("latin-1"), self.key.encode())
        if scheme.lower() != "bearer" or not right:
            raise HttpError(
                401,
                "The API key is missing or wrong: send the one that editd serve was given.",
                kind="authentication_error",
                code="invalid_api_key",
            )


class RequestGuard:
    """ASGI around the application: refuses other hosts and origins, logs one line, turns defects into errors."""

    def __init__(self, app: ASGIApp, access: Access) -> None:
        self._app = app
        self._access = access

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request and log it; never raises an ``Exception``."""
        started, status = monotonic(), 0

        async def sending(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            headers = Headers(scope=scope)
            self._access.check(headers)
            _check_length(headers)
            await self._app(scope, receive, sending)
        except HttpError as error:
            await error.response()(scope, receive, sending)
        except Exception as error:  # noqa: BLE001  a defect ends one request, never the server
            log.error("a defect: %s", discreet(error))  # noqa: TRY400
            if not status:
                await _DEFECT.response()(scope, receive, sending)
        finally:
            route = getattr(scope.get("route"), "path", "-")
            milliseconds = 1000 * (monotonic() - started)
            log.info("%s %s: %d, %.0f ms", _method(scope), route, status, milliseconds)


class Keyed:
    """ASGI around the routes: refuses requests without the key. A CORS preflight is answered before it."""

    def __init__(self, app: ASGIApp, access: Access) -> None:
        self._app = app
        self._access = access

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request with the right key, or for ``/health``; any other is answered with 401."""
        if scope["path"].removeprefix("/v1") != "/health":
            try:
                self._access.check_key(Headers(scope=scope))
            except HttpError as error:
                await error.response()(scope, receive, send)
                return
        await self._app(scope, receive, send)


def _check_length(headers: Headers) -> None:
    """Raise ``HttpError`` for a body with two lengths, of which programs on the way may read different ones."""
    if "transfer-encoding" in headers and "content-length" in headers:
        raise _TWO_LENGTHS


def _without_port(host: str) -> str:
    """The host of a ``Host`` header in lower case, without its port; an IPv6 address keeps its brackets."""
    end = host.find("]") if host.startswith("[") else host.rfind(":") - 1
    return host[: end + 1].lower() if end >= 0 else host.lower()


def _method(scope: Scope) -> str:
    """The request's method for the log; ``-`` for an unknown one."""
    return scope["method"] if scope["method"] in _METHODS else "-"
