"""What a server can do: asked once, and assumed for servers that do not say."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from editd.errors import ModelNotFound, ServerFailed
from editd.models.remote.address import Address

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
class Abilities:
    """What can be asked for.

    server: its kind, where it is known. max_context: tokens; 0 where it does not say, and usual_context
    is what is assumed then. prediction: it takes OpenAI's field. fields: of ``vllm_xargs`` that it
    takes. token_ids: a prompt may be token ids. edit_format: the format of prompts that its model was
    made for, sent as text; empty: edits are sent as a conversation. logprobs: it says how likely each
    token was.
    """

    server: str = ""
    max_context: int = 0
    usual_context: int = _USUAL_CONTEXT
    prediction: bool = False
    fields: frozenset[str] = frozenset()
    token_ids: bool = False
    edit_format: str = ""
    logprobs: bool = False

    def told(self) -> str:
        """In words, for ``doctor`` and ``status``."""
        parts = [self.server or "an OpenAI-compatible server"]
        parts.append("drafts from the buffer" if self.prediction else "takes no prediction")
        if self.token_ids:
            parts.append("takes token ids")
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
        token_ids=is_vllm or owner == "editd",
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
