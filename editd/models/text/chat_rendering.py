"""Works around the quirks of chat templates.

Thinking is turned off or ended at once, a system message is kept even if the template has no such role,
and nothing depends on today's date. Knows no file and no tokenizer: takes any function that renders a
model's template.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from editd.errors import ModelUnsupported
from editd.models.text.bounded_work import at_most

log = logging.getLogger(__name__)

# Of Python, which is what a template becomes. To compile one takes some 100,000.
_LINES, _LINES_PER_MESSAGE = 2_000_000, 5000
_ENDLESS = "The chat template of this model does not come to an end: choose another model."

Messages = Sequence[dict[str, str]]
RenderChat = Callable[[Messages], str]
RenderTemplate = Callable[[Messages, Mapping[str, Any]], str]
"""A template as it is: messages and the template's settings in, text out."""

TEMPLATE_SETTINGS: dict[str, Any] = {
    # A rewrite needs no thinking; the templates of Qwen3, SmolLM3 and GLM ask for the first name,
    # those of DeepSeek V3.1 and Granite for the second. Templates ignore what they do not know.
    "enable_thinking": False,
    "thinking": False,
    # Llama's template writes today's date into the prompt, which would change answers overnight
    # and empty the prefix cache. This is the date that it writes where no clock is to be had.
    "date_string": "26 Jul 2024",
}


def chat_renderer(template: RenderTemplate) -> RenderChat | None:
    """Messages to text, up to the assistant's first word; ``None`` where the template is no use.

    Where a template rejects or drops a system message, its words stand at the head of the first
    user message instead. Where it leaves the assistant thinking, the thought is closed at once.
    """

    def render(messages: Messages) -> str:
        with at_most(_LINES + _LINES_PER_MESSAGE * len(messages), ModelUnsupported(_ENDLESS)):
            return _past_thinking(template(list(messages), TEMPLATE_SETTINGS))

    def render_folded(messages: Messages) -> str:
        return render(_folded(messages))

    for candidate in (render, render_folded):
        if _keeps_both_roles(candidate):
            return candidate
    log.warning("The chat template of this model cannot be used; edits are sent as plain text.")
    return None


def _keeps_both_roles(render: RenderChat) -> bool:
    from jinja2.exceptions import TemplateError

    probe = [{"role": "system", "content": "⟦rules⟧"}, {"role": "user", "content": "⟦words⟧"}]
    try:
        text = render(probe)
    except (TemplateError, ValueError, TypeError, KeyError, IndexError, RecursionError) as error:
        log.debug("chat template rejects the probe: %s", error)
        return False
    except ModelUnsupported as error:
        log.warning("%s", error)
        return False
    return "⟦rules⟧" in text and "⟦words⟧" in text


def _folded(messages: Sequence[dict[str, str]]) -> list[dict[str, str]]:
    """System messages at the head of the next message, for templates that know no such role."""
    folded: list[dict[str, str]] = []
    rules: list[str] = []
    for message in messages:
        if message["role"] == "system":
            rules.append(message["content"])
        else:
            folded.append({**message, "content": "\n\n".join([*rules, message["content"]])})
            rules = []
    if rules:
        folded.append({"role": "user", "content": "\n\n".join(rules)})
    return folded


def _past_thinking(text: str) -> str:
    """With what stands between the assistant's turn and its answer, where a template leaves it out."""
    for ending, rest in _UNFINISHED.items():
        if text.rstrip().endswith(ending):
            return text.rstrip() + rest
    return text


_UNFINISHED = {
    "<think>": "\n\n</think>\n\n",  # R1's children and Qwen3 "thinking": as Qwen3 skips a thought
    "<|start|>assistant": "<|channel|>final<|message|>",  # gpt-oss: the channel that users see
}
