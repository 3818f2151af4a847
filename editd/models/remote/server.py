"""A server: where it is, by which key it is asked, whether text may go there, and what it can do.

What it can do is asked once, and assumed for servers that do not say. Nothing here sends anything.
"""

from __future__ import annotations

import ipaddress
import os
import stat
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from editd.errors import ConfigError, ModelNotFound, ServerFailed
from editd.settings import KEY_VARIABLE
from editd.stores.hub import expanded

_MOST_BYTES = 1 << 16  # of a file that holds a key

# Services that take a prediction and do not say so; others ignore it, so it is not sent to them.
_TAKE_PREDICTIONS = ("api.openai.com", "api.fireworks.ai", "api.mistral.ai")
_TELL_LOGPROBS = ("vllm", "llamacpp")  # owners
_MOST_NAMED = 8  # models in a sentence
_OWNERS = {
    "vllm": "vLLM",
    "editd": "editd serve",
    "llamacpp": "llama-server",
    "library": "Ollama",  # its name for models of its own
    "organization_owner": "LM Studio",
}
_NO_CONTEXT = 1 << 31  # tokens; no model has so many
# They do not say how large a context is. Ollama cuts off what is beyond it without a word, so what it
# and LM Studio have by default is a limit here.
_USUAL_CONTEXT, _SMALL_CONTEXT = 8192, 4096


@dataclass(frozen=True, slots=True)
class Address:
    """url: without a slash at its end. origin: its scheme, host and port, as people are shown
    it.
    """

    url: str
    origin: str
    key: str = field(default="", repr=False)

    @property
    def host(self) -> str:
        return urlsplit(self.origin).hostname or ""

    @property
    def headers(self) -> dict[str, str]:
        """What says who asks."""
        return {"Authorization": f"Bearer {self.key}"} if self.key else {}


def address_of(url: str, key_file: str = "", *, plain: bool = False) -> Address:
    """The address that a user set. Raises ``ConfigError`` for one that text may not go to.

    plain: whether the user allowed HTTP without TLS beyond this machine.
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
    if parts.scheme == "http" and not plain and not is_loopback(host):
        raise ConfigError(
            f"model.url is {url}, and without TLS anyone on the network path can read your "
            f"text: use https, or allow it (editd config set model.allow_plain_http true)."
        )
    shown = f"[{host}]" if ":" in host else host
    origin = f"{parts.scheme}://{shown}" + (f":{port}" if port else "")
    return Address(url.rstrip("/"), origin, _key(key_file))


def is_loopback(host: str) -> bool:
    """Whether it is this machine."""
    if host.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _key(file: str) -> str:
    """The key in the first line of ``file``, else in the environment; empty for none."""
    if not file:
        key = os.environ.get(KEY_VARIABLE, "").strip()
        return _checked(key, KEY_VARIABLE)
    path = expanded(file)
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
    key = _checked(lines[0].strip() if lines else "", str(path))
    if not key:
        raise ConfigError(f"{path} (model.key_file) contains no key: its first line is empty.")
    return key


def _checked(key: str, place: str) -> str:
    if not (key.isascii() and key.isprintable()):
        raise ConfigError(f"The key in {place} contains characters that are not allowed in a key.")
    return key


@dataclass(frozen=True, slots=True)
class Abilities:
    """What can be asked for.

    server: its kind, where it is known. max_context: tokens; 0 where it does not say, and usual_context
    is what is assumed then. prediction: it takes OpenAI's field. fields: of ``vllm_xargs`` that it
    takes. edit_format: the format of prompts that its model was made for, sent as text; empty: edits are
    sent as a conversation. logprobs: it says how likely each token was.
    """

    server: str = ""
    max_context: int = 0
    usual_context: int = _USUAL_CONTEXT
    prediction: bool = False
    fields: frozenset[str] = frozenset()
    edit_format: str = ""
    logprobs: bool = False

    def told(self) -> str:
        """In words, for ``doctor`` and ``status``."""
        parts = [self.server or "an OpenAI-compatible server"]
        parts.append("drafts from the buffer" if self.prediction else "takes no prediction")
        parts.append(
            f"context of {self.max_context:,} tokens"
            if self.max_context
            else f"context size not reported (using model.max_context, else {self.usual_context:,} tokens)"
        )
        return ", ".join(parts)


def read_abilities(address: Address, listing: Mapping[str, Any], name: str) -> Abilities:
    """What ``GET /models`` says of the model ``name``; raises ``ModelNotFound`` if it is not
    there.
    """
    if "data" not in listing:
        said = listing.get("error")
        raise ServerFailed(
            f"{address.origin} does not list its models"
            f"{f' ({said})' if isinstance(said, str) else ''}: check model.url, which usually "
            f"ends in /v1."
        )
    cards = listing["data"]
    cards = [card for card in cards if isinstance(card, dict)] if isinstance(cards, list) else []
    card = next((card for card in cards if card.get("id") == name), None)
    if card is None:
        names = [str(card.get("id")) for card in cards]
        known = ", ".join(names[:_MOST_NAMED]) + (" …" if names[_MOST_NAMED:] else "")
        raise ModelNotFound(
            f"{address.origin} has no model {name}: it offers {known or 'none'} (model.name)."
        )
    told = _object(card.get("editd"))
    fields = frozenset(f for f in _list(told.get("fields")) if isinstance(f, str))
    owner = card.get("owned_by")
    is_vllm = owner == "vllm"
    server = _OWNERS.get(str(owner), "")
    if is_vllm and told:
        server = "vLLM with editd-vllm"
    edit_format = told.get("format")
    return Abilities(
        server=server,
        max_context=_context(card, told),
        usual_context=_SMALL_CONTEXT if server in ("Ollama", "LM Studio") else _USUAL_CONTEXT,
        prediction="prediction" in fields or address.host in _TAKE_PREDICTIONS,
        fields=fields - {"prediction"} if is_vllm else frozenset(),
        edit_format=edit_format if isinstance(edit_format, str) else "",
        logprobs=owner in _TELL_LOGPROBS,
    )


def _context(card: Mapping[str, Any], told: Mapping[str, Any]) -> int:
    """The context length, under the names that vLLM, llama-server and editd give it."""
    meta = _object(card.get("meta"))
    given = (told.get("max_context"), card.get("max_model_len"), meta.get("n_ctx"))
    return next((size for size in given if type(size) is int and 0 < size < _NO_CONTEXT), 0)


def _object(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
