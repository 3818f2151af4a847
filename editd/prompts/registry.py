"""Which edit format a model gets its edits in."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from editd.errors import ModelUnsupported
from editd.prompts.base import EditFormat, RenderChat
from editd.prompts.formats.apply import ApplyFormat, FastApply, OsmosisApply, UpdateMessage
from editd.prompts.formats.chat import ChatFormat
from editd.prompts.formats.editcoder import EditCoderFormat
from editd.prompts.formats.embedded import EmbeddedFormat
from editd.prompts.formats.messages import MessagesFormat
from editd.prompts.formats.plain import PlainFormat

MakeFormat = Callable[[RenderChat | None, Mapping[str, Any]], EditFormat]
"""Makes a format from the model's chat renderer, if it has one, and its ``editd.json``."""


def format_for(
    name: str | None,
    render_chat: RenderChat | None,
    *,
    model: str = "",
    settings: Mapping[str, Any] | None = None,
) -> EditFormat:
    """The format named (in ``editd.json``, by a user), else that of a known model, else a general one.

    model: the model's name or folder, looked up in a short table of models that were trained on a
    format. A model that is not in it gets ``chat`` if it has a chat template, else ``plain``.
    settings: the model's ``editd.json``. Raises ``ModelUnsupported`` for a name that is not known.
    """
    if not name:
        name = next(
            (known for pattern, known in _MODELS if re.search(pattern, model, re.IGNORECASE)), None
        )
    if not name:
        name = "chat" if render_chat is not None else "plain"
    make = _FORMATS.get(name)
    if make is None:
        raise ModelUnsupported(
            f'There is no edit format "{name}": choose one of {", ".join(format_names())}.'
        )
    return make(render_chat, settings or {})


def format_names() -> tuple[str, ...]:
    """All names that ``format_for`` knows."""
    return tuple(_FORMATS)


def register(name: str, make: MakeFormat, model_pattern: str = "") -> None:
    """Add a format; ``model_pattern`` (a regular expression) makes it that of matching models."""
    _FORMATS[name] = make
    if model_pattern:
        _MODELS.insert(0, (model_pattern, name))


def _chat(render_chat: RenderChat | None, settings: Mapping[str, Any]) -> EditFormat:  # noqa: ARG001
    if render_chat is None:
        raise ModelUnsupported(
            'This model has no chat template: choose the format "plain" for it, or another model.'
        )
    return ChatFormat(render_chat)


_FORMATS: dict[str, MakeFormat] = {
    "chat": _chat,
    "plain": lambda _render, _settings: PlainFormat(),
    "embedded": lambda _render, _settings: EmbeddedFormat(),
    "editcoder": lambda _render, _settings: EditCoderFormat(),
    "messages": lambda _render, _settings: MessagesFormat(),
    "fast-apply": lambda render, _settings: ApplyFormat("fast-apply", FastApply(), render),
    "osmosis-apply": lambda render, _settings: ApplyFormat("osmosis-apply", OsmosisApply(), render),
    "update-message": lambda render, _settings: ApplyFormat(
        "update-message", UpdateMessage(), render
    ),
}

# Names of models that were trained on one format and on nothing else.
_MODELS: list[tuple[str, str]] = [
    (r"(^|[/\\])editcoder[-_]", "editcoder"),
    (r"(^|[/\\:])(fast-?apply|fast-?edit)[-_.]?", "fast-apply"),
    (r"(^|[/\\:])osmosis-apply", "osmosis-apply"),
]
