"""The fields of a request about its draft: OpenAI's ``prediction``, or fields of ``vllm_xargs``.

Reads and refuses; every refusal is a ``UsageError`` with one sentence.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from editd.decode.drafters import check_spec
from editd.errors import UsageError

XARGS = "vllm_xargs"
FIELDS = ("prediction", "prediction_opening", "prediction_closing", "drafter")
# These ask a draft model, and a server has none.
_NOT_HERE = frozenset({"draft-model", "universal"})


@dataclass(frozen=True, slots=True)
class Fields:
    """A request's words, as they are in ``vllm_xargs``; empty where nothing is said.

    prediction: text expected to come back mostly unchanged. prediction_opening: the text just
    before the answer, prediction_closing: the text that ends it (fences). drafter: editd's name of one, perhaps several with ``+``.
    """

    prediction: str = ""
    prediction_opening: str = ""
    prediction_closing: str = ""
    drafter: str = ""


def read_fields(xargs: Mapping[str, Any]) -> Fields:
    """The fields among ``xargs``; those of others are left alone. Raises ``UsageError``."""
    found = {}
    for name in FIELDS:
        value = xargs.get(name)
        if value is None:
            continue
        if not isinstance(value, str):
            raise UsageError(f"{XARGS}.{name} must be a text.")
        found[name] = value
    fields = Fields(**found)
    if fields.drafter:
        check_spec(fields.drafter)
        for part in fields.drafter.split("+"):
            if (name := part.strip().partition(":")[0]) in _NOT_HERE:
                raise UsageError(f"The drafter {name} needs what a server does not have.")
    return fields


def with_fields(body: dict[str, Any]) -> Fields:
    """Move ``prediction`` of a request's body into its ``vllm_xargs``; returns what stands there then.

    What the ``vllm_xargs`` say themselves comes first. Raises ``UsageError``.
    """
    prediction = body.pop("prediction", None)
    xargs = body.get(XARGS)
    if prediction is not None:
        xargs = {"prediction": _text_of(prediction), **(xargs or {})}
        body[XARGS] = xargs
    return read_fields(xargs) if isinstance(xargs, Mapping) else Fields()


def _text_of(prediction: object) -> str:
    """OpenAI's ``{"type": "content", "content": TEXT or text parts}``, or a bare text."""
    content = prediction
    if isinstance(prediction, dict) and prediction.get("type", "content") == "content":
        content = prediction.get("content")
    if isinstance(content, list) and all(
        isinstance(part, dict) and isinstance(part.get("text"), str) for part in content
    ):
        content = "".join(part["text"] for part in content)
    if not isinstance(content, str):
        raise UsageError(
            'prediction must be {"type": "content", "content": …} with a text or text parts.'
        )
    return content
