"""A server's address and key, and whether text may be sent to it. Sending is left to ``http_thread``."""

from __future__ import annotations

import ipaddress
import os
import stat
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from editd.config_sources import KEY_VARIABLE
from editd.errors import ConfigError
from editd.stores.hub import expand_home

_MOST_BYTES = 1 << 16  # of a file that holds a key


@dataclass(frozen=True, slots=True)
class Address:
    """The address of a server.

    url: without a slash at its end. origin: scheme, host and port, as people are shown it.
    """

    url: str
    origin: str
    key: str = field(default="", repr=False)

    @property
    def host(self) -> str:
        return urlsplit(self.origin).hostname or ""

    @property
    def headers(self) -> dict[str, str]:
        """The header that authenticates requests; empty if there is no key."""
        return {"Authorization": f"Bearer {self.key}"} if self.key else {}


def address_of(url: str, key_file: str = "", *, plain: bool = False) -> Address:
    """The address that a user has set, with its key (``_read_key``).

    plain: the user allows HTTP without TLS beyond this machine. ``0.0.0.0`` and ``::``, which
    servers print when they listen on every address, are replaced by this machine's. Raises
    ``ConfigError`` for an empty or malformed URL, one with a user name, query or fragment, plain
    HTTP to another machine without ``plain``, and for a bad key or key file.
    """
    if not url:
        raise ConfigError(
            "model.engine is remote, but model.url is not set: give the server's address "
            "(editd config set model.url https://HOST/v1)."
        )
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port
    except ValueError:
        raise ConfigError(f"model.url is {url!r}, which is not an address.") from None
    if parts.scheme not in ("http", "https") or not host:
        raise ConfigError(f"model.url is {url!r}, but must begin with https:// and name a host.")
    if "@" in parts.netloc or parts.query or parts.fragment:
        raise ConfigError(
            "model.url contains more than an address: put the key into a file (model.key_file) "
            f"or in {KEY_VARIABLE}."
        )
    if loopback := _loopback_for(host):
        host = loopback
        url = url.replace(parts.netloc, _netloc(host, port), 1)
    if parts.scheme == "http" and not plain and not is_loopback(host):
        raise ConfigError(
            f"model.url is {url}, and without TLS anyone on the network path can read your "
            f"text: use https, or allow it (editd config set model.allow_plain_http true)."
        )
    origin = f"{parts.scheme}://{_netloc(host, port)}"
    return Address(url.rstrip("/"), origin, _read_key(key_file))


def _netloc(host: str, port: int | None) -> str:
    """Host and port as in a URL."""
    shown = f"[{host}]" if ":" in host else host
    return f"{shown}:{port}" if port else shown


def _loopback_for(host: str) -> str:
    """The loopback address for a host that stands for all addresses (``0.0.0.0``, ``::``); empty
    for any other host or name.
    """
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return ""
    if not address.is_unspecified:
        return ""
    return "127.0.0.1" if address.version == 4 else "::1"


def is_loopback(host: str) -> bool:
    """Whether ``host`` is ``localhost`` or a loopback address; no name is looked up."""
    if host.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _read_key(file: str) -> str:
    """The key in the first line of ``file``, without blanks around it; without a file (``""``), the
    environment's ``KEY_VARIABLE``, empty if that is unset.

    Raises ``ConfigError`` for a file that is missing, unreadable, no regular file, not the user's
    own, accessible to group or others, or without a key in its first line; and for a key with
    characters other than printable ASCII.
    """
    if not file:
        key = os.environ.get(KEY_VARIABLE, "").strip()
        return _valid_key(key, KEY_VARIABLE)
    path = expand_home(file)
    try:
        # Not blocking: there may be a pipe.
        with open(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as opened:  # noqa: PTH123
            status = os.fstat(opened.fileno())
            if not stat.S_ISREG(status.st_mode) or status.st_uid != os.getuid():
                raise ConfigError(f"{path} (model.key_file) is not your file.")
            if status.st_mode & 0o077:
                raise ConfigError(
                    f"{path} (model.key_file) can be read by others: chmod 600 {path}."
                )
            data = opened.read(_MOST_BYTES)
    except OSError as error:
        raise ConfigError(f"{path} (model.key_file) cannot be read: {error.strerror}.") from error
    lines = data.decode("utf-8", "replace").splitlines()
    key = _valid_key(lines[0].strip() if lines else "", str(path))
    if not key:
        raise ConfigError(f"{path} (model.key_file) contains no key: its first line is empty.")
    return key


def _valid_key(key: str, place: str) -> str:
    """``key`` unchanged, which may be empty. place: its source, for the error. Raises
    ``ConfigError`` for characters other than printable ASCII.
    """
    if not (key.isascii() and key.isprintable()):
        raise ConfigError(f"The key in {place} contains characters that are not allowed in a key.")
    return key
