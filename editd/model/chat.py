"""A model's own chat template: messages in, prompt text up to the assistant's first word out.

Knows where templates live in a model's folder and how to turn thinking off; which messages are
written is ``prompts``' work.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

RenderChat = Callable[[Sequence[dict[str, str]]], str]

_THINKING_OFF = {"enable_thinking": False, "thinking": False, "reasoning_effort": "low"}
_WORD_TOKENS = ("bos_token", "eos_token", "unk_token", "pad_token", "sep_token", "cls_token")


def load_chat(folder: Path) -> RenderChat | None:
    """The template of the model in ``folder`` as a function, ``None`` where it has none."""
    settings = _read_settings(folder / "tokenizer_config.json")
    template = _find_template(folder, settings)
    if template is None:
        return None
    words: dict[str, Any] = {
        name: _word(settings[name]) for name in _WORD_TOKENS if settings.get(name)
    }
    words |= _THINKING_OFF

    def render(messages: Sequence[dict[str, str]]) -> str:
        from jinja2 import TemplateError
        from transformers.utils.chat_template_utils import render_jinja_template

        def rendered(chat: Sequence[dict[str, str]]) -> str:
            texts: Any = render_jinja_template(
                [list(chat)],
                chat_template=template,
                add_generation_prompt=True,
                **words,
            )
            return _close_thinking(str((texts[0] if isinstance(texts, tuple) else texts)[0]))

        try:
            return rendered(messages)
        except TemplateError:
            # Gemma's template and others know no system role and say so by failing.
            return rendered(_without_system(messages))

    return render


def _find_template(folder: Path, settings: dict[str, Any]) -> str | None:
    file = folder / "chat_template.jinja"
    if file.is_file():
        return file.read_text(encoding="utf-8")
    template = settings.get("chat_template")
    if template is None:
        template = _read_settings(folder / "chat_template.json").get("chat_template")
    if isinstance(template, list):  # several by name: tool use, retrieval, and the usual one
        named = {entry.get("name"): entry.get("template") for entry in template}
        template = named.get("default")
    return template if isinstance(template, str) else None


def _without_system(messages: Sequence[dict[str, str]]) -> list[dict[str, str]]:
    """The system's words put before the user's first."""
    system = [m["content"] for m in messages if m["role"] == "system"]
    others = [dict(m) for m in messages if m["role"] != "system"]
    if others:
        others[0]["content"] = "\n\n".join([*system, others[0]["content"]])
    return others


def _close_thinking(text: str) -> str:
    """Where a template always opens a thought, think nothing."""
    opened = text.rfind("<think>")
    if opened < 0 or "</think>" in text[opened:] or text[opened + 7 :].strip():
        return text
    return text.rstrip() + "\n\n</think>\n\n"


def _word(value: Any) -> str:
    return str(value["content"]) if isinstance(value, dict) else str(value)


def _read_settings(file: Path) -> dict[str, Any]:
    try:
        value = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return value if isinstance(value, dict) else {}
