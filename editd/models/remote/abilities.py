"""The abilities of a server, read from its list of models, and the user's model in that list.

Read once; servers that report nothing get the defaults. Sending is left to others.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from editd.errors import ModelNotFound, ServerFailed
from editd.models.remote.server import Address

# Services that take a prediction and do not say so; others ignore it, so it is not sent to them.
_TAKE_PREDICTIONS = ("api.openai.com", "api.fireworks.ai", "api.mistral.ai")
_TELL_LOGPROBS = ("vllm", "llamacpp")  # owners
_TAKE_TEMPLATE_SETTINGS = (
    "vllm",
    "llamacpp",
    "sglang",
)  # owners; others may refuse what they do not know
_MOST_NAMED = 8  # models in a sentence
_OWNERS = {
    "vllm": "vLLM",
    "editd": "editd serve",
    "llamacpp": "llama-server",
    "sglang": "SGLang",
    "library": "Ollama",  # its name for models of its own
    "organization_owner": "LM Studio",
}
_NO_CONTEXT = 1 << 31  # tokens; no model has so many
# They do not say how large a context is. Ollama cuts off what is beyond it without a word, so what it
# and LM Studio have by default is a limit here.
_USUAL_CONTEXT, _SMALL_CONTEXT = 8192, 4096


@dataclass(frozen=True, slots=True)
class Abilities:
    """The features that requests may use.

    name: the server's name for the model.
    server: the kind of server; empty if unknown.
    max_context: in tokens; 0 if the server does not report it, and ``usual_context`` is assumed then.
    prediction: the server takes OpenAI's field of that name.
    fields: those of ``vllm_xargs`` that the server takes.
    edit_format: the format of prompts that the model was made for, sent as text; empty to send edits as a
        conversation.
    logprobs: the server reports how likely each token was.
    template_settings: the server takes settings for the model's chat template.
    """

    name: str = ""
    server: str = ""
    max_context: int = 0
    usual_context: int = _USUAL_CONTEXT
    prediction: bool = False
    fields: frozenset[str] = frozenset()
    edit_format: str = ""
    logprobs: bool = False
    template_settings: bool = False

    def description(self) -> str:
        """Kind of server, whether it drafts from the buffer, and its context, in words, for
        ``doctor`` and ``status``.
        """
        parts = [self.server or "an OpenAI-compatible server"]
        parts.append("drafts from the buffer" if self.prediction else "takes no prediction")
        parts.append(
            f"context of {self.max_context:,} tokens"
            if self.max_context
            else f"context size not reported (using model.max_context, else {self.usual_context:,} tokens)"
        )
        return ", ".join(parts)


def read_abilities(address: Address, listing: Mapping[str, Any] | None, name: str) -> Abilities:
    """The abilities that the answer to ``GET /models`` reports for the model ``name``.

    listing: ``None`` for a server without a list, which gives the defaults. A host known to take
    predictions takes them whatever the list says. The name is the listed one, but for a wildcard,
    which keeps the user's. Raises ``ModelNotFound`` if the model is not listed, ``ServerFailed`` if
    the answer is no list.
    """
    if listing is None:
        return Abilities(name, prediction=address.host in _TAKE_PREDICTIONS)
    card = _card_of(_cards_in(address, listing), name, address)
    own = _object(card.get("editd"))
    fields = frozenset(f for f in _list(own.get("fields")) if isinstance(f, str))
    owner = str(card.get("owned_by")).lower()
    is_vllm = owner == "vllm"
    server = _OWNERS.get(owner, "")
    if is_vllm and own:
        server = "vLLM with editd-vllm"
    edit_format = own.get("format")
    listed = _name_of(card)
    return Abilities(
        name if listed.endswith("*") else listed,
        server=server,
        max_context=_context(card, own),
        usual_context=_SMALL_CONTEXT if server in ("Ollama", "LM Studio") else _USUAL_CONTEXT,
        prediction="prediction" in fields or address.host in _TAKE_PREDICTIONS,
        fields=fields - {"prediction"} if is_vllm else frozenset(),
        edit_format=edit_format if isinstance(edit_format, str) else "",
        logprobs=owner in _TELL_LOGPROBS,
        template_settings=owner in _TAKE_TEMPLATE_SETTINGS,
    )


def _cards_in(address: Address, listing: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The entries of a list of models: OpenAI's ``data`` (also Together's bare list), else Ollama's
    ``models``; what is no object is left out.

    Raises ``ServerFailed`` if there is neither key.
    """
    for key in ("data", "models"):
        if key in listing:
            return [card for card in _list(listing[key]) if isinstance(card, dict)]
    error = listing.get("error")
    raise ServerFailed(
        f"{address.origin} does not list its models"
        f"{f' ({error})' if isinstance(error, str) else ''}: check model.url, which usually "
        f"ends in /v1."
    )


def _card_of(cards: Sequence[Mapping[str, Any]], name: str, address: Address) -> Mapping[str, Any]:
    """The first listed model that ``name`` denotes: by the name for requests, else by any of its
    names, else without regard to case and ``:latest``, else by a wildcard.

    The third counts only if all matches have the same name for requests. Raises ``ModelNotFound``,
    naming up to eight models.
    """
    exact = [card for card in cards if _name_of(card) == name]
    exact = exact or [card for card in cards if name in _names_of(card)]
    plain = [card for card in cards if _plain(name) in map(_plain, _names_of(card))]
    if len({*map(_name_of, plain)}) > 1:
        plain = []
    wild = [card for card in cards if _matches_wildcard(_name_of(card), name)]
    if found := exact or plain or wild:
        return found[0]
    names = [*filter(None, map(_name_of, cards))]
    known = ", ".join(names[:_MOST_NAMED]) + (" …" if names[_MOST_NAMED:] else "")
    raise ModelNotFound(
        f"{address.origin} has no model {name}: it offers {known or 'none'} (model.name)."
    )


def _name_of(card: Mapping[str, Any]) -> str:
    """The name that requests use for a model; empty if it has none."""
    return next(_names_of(card), "")


def _names_of(card: Mapping[str, Any]) -> Iterator[str]:
    """The names by which a server knows a model: its id, other fields, then aliases; empty ones and
    what is no text are left out.
    """
    named = [card.get(key) for key in ("id", "model", "name", "root", "canonical_slug")]
    for name in (*named, *_list(card.get("aliases"))):
        if isinstance(name, str) and name:
            yield name


def _plain(name: str) -> str:
    """``name`` for comparison without regard to case and ``:latest``."""
    return name.casefold().removesuffix(":latest")


def _matches_wildcard(listed: str, name: str) -> bool:
    """Whether ``listed`` is a gateway's wildcard (``openai/*``) that covers ``name``."""
    return listed.endswith("*") and name.startswith(listed[:-1])


def _context(card: Mapping[str, Any], own: Mapping[str, Any]) -> int:
    """The context length in tokens, under the first of the names that editd, vLLM and llama-server
    give it; 0 if none is a plausible number.

    own: the card's object ``editd``.
    """
    meta = _object(card.get("meta"))
    given = (own.get("max_context"), card.get("max_model_len"), meta.get("n_ctx"))
    return next((size for size in given if type(size) is int and 0 < size < _NO_CONTEXT), 0)


def _object(value: Any) -> Mapping[str, Any]:
    """``value`` if it is a JSON object, else an empty one."""
    return value if isinstance(value, dict) else {}


def _list(value: Any) -> list[Any]:
    """``value`` if it is a JSON array, else an empty one."""
    return value if isinstance(value, list) else []
