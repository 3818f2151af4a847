"""A conversation as one prompt: in the model's own chat template, or as plain text without one.

As in every format, what people wrote is data: what looks like a control token there is plain text.
"""

from __future__ import annotations

from collections.abc import Sequence

from editd.errors import EditRefused, ModelUnsupported
from editd.messages import ChatMessage
from editd.prompts.base import Prompt, RenderChat
from editd.prompts.template import around

LEFT_CONTEXT = 256  # characters before an answer that its first token can depend on


def conversation_prompt(
    messages: Sequence[ChatMessage], render_chat: RenderChat | None, model: str
) -> Prompt:
    """The prompt up to the assistant's first word.

    Without a template the messages' texts follow one another, an empty line between two, and the
    model continues the last. Raises ``EditRefused`` where the template does not take such messages.
    """
    if render_chat is None:
        text = "\n\n".join(message.content for message in messages)
        return Prompt.of([(text, False)], opening=text[-LEFT_CONTEXT:])
    from jinja2.exceptions import TemplateError  # here, because only a template needs it

    try:
        *before, end = around(render_chat, [(message.role, None) for message in messages])
    except (TemplateError, ModelUnsupported, ValueError, TypeError, KeyError, IndexError) as error:
        raise EditRefused(_refusal(model, messages)) from error
    segments = [
        segment
        for piece, message in zip(before, messages, strict=True)
        for segment in ((piece, True), (message.content, False))
    ]
    return Prompt.of([*segments, (end, True)])


def _refusal(model: str, messages: Sequence[ChatMessage]) -> str:
    roles = ", ".join(message.role for message in messages)
    return (
        f"The chat template of {model} does not take these messages in this order ({roles}): "
        "most want user and assistant in turns, perhaps a system message first, and a user at the end."
    )
