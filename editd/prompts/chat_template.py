"""A model's chat template around people's words: of an edit's one user turn, and of a whole conversation.

The template sees stand-ins, never what a user wrote, so no template can trim, rewrite or interpret that. What
looks like a control token in people's words is plain text, as in every format.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from editd.errors import EditRefused, ModelUnsupported
from editd.messages import ChatMessage
from editd.prompts.base import Prompt, RenderChat

LEFT_CONTEXT = 256  # characters before an answer that its first token can depend on


def around(render_chat: RenderChat, messages: Sequence[tuple[str, str | None]]) -> list[str]:
    """The template's text before each message of a user's, and behind the last one.

    messages: roles and contents; ``None`` for a user's words. Raises ``ModelUnsupported`` where the
    template does not repeat each of them once, in this order.
    """
    shown = [
        {"role": role, "content": f"\ue000words {number}\ue001" if content is None else content}
        for number, (role, content) in enumerate(messages)
    ]
    pieces = _STAND_IN.split(render_chat(shown))
    users = [number for number, (_, content) in enumerate(messages) if content is None]
    if pieces[1::2] != list(map(str, users)):
        raise ModelUnsupported(
            "This model's chat template does not repeat each message exactly once: choose the format "
            '"plain" for it, or another model.'
        )
    return pieces[::2]


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


_STAND_IN = re.compile("\ue000words (\\d+)\ue001")  # private-use characters: in no template
