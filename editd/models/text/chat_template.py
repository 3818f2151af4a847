"""A model's own chat template: where it is in the folder, and how transformers renders it.

Quirks of templates are left to ``chat_rendering``, the messages to ``prompts``.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from editd.models.text.chat_rendering import Messages, RenderChat, chat_renderer

__all__ = ["RenderChat", "load_chat"]

_WORD_TOKENS = ("bos_token", "eos_token", "unk_token", "pad_token", "sep_token", "cls_token")


def load_chat(folder: Path) -> RenderChat | None:
    """The template of the model in ``folder`` as a function, ``None`` where it has none."""
    settings = _read_settings(folder / "tokenizer_config.json")
    template = _find_template(folder, settings)
    if not template:
        return None
    words: dict[str, Any] = {
        name: _word(settings[name]) for name in _WORD_TOKENS if settings.get(name)
    }

    # Not with the first rendering, whose work is counted.
    from transformers.utils.chat_template_utils import render_jinja_template

    def render(messages: Messages, template_settings: Mapping[str, Any]) -> str:
        texts: Any = render_jinja_template(
            [list(messages)],
            chat_template=template,
            add_generation_prompt=True,
            **words,
            **template_settings,
        )
        return str((texts[0] if isinstance(texts, tuple) else texts)[0])

    return chat_renderer(render)


def _find_template(folder: Path, settings: dict[str, Any]) -> str | None:
    file = folder / "chat_template.jinja"
    if file.is_file():
        return file.read_text(encoding="utf-8")
    template = settings.get("chat_template")
    if template is None:
        template = _read_settings(folder / "chat_template.json").get("chat_template")
    if isinstance(template, list):  # several by name: tool use, retrieval, and the usual one
        entries = [entry for entry in template if isinstance(entry, dict)]
        template = next((e.get("template") for e in entries if e.get("name") == "default"), None)
    return template if isinstance(template, str) else None


def _word(value: Any) -> str:
    return str(value.get("content")) if isinstance(value, dict) else str(value)


def _read_settings(file: Path) -> dict[str, Any]:
    try:
        value = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}
