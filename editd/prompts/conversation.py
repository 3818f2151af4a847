"""A conversation as one prompt: in the model's own chat template, or as plain text without one.

As in every format, what people wrote is data: the template sees stand-ins for it, so it can neither
trim nor interpret it, and what looks like a control token there is plain text.
"""

from __future__ import annotations

from collections.abc import Sequence

from editd.errors import EditRefused
from editd.messages import ChatMessage
from editd.prompts.base import Prompt, RenderChat

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

    stand_ins = [f"\ue000message {number}\ue001" for number in range(len(messages))]
    shown = [
        {"role": message.role, "content": stand_in}
        for message, stand_in in zip(messages, stand_ins, strict=True)
    ]
    try:
        rest = render_chat(shown)
    except (TemplateError, ValueError, TypeError, KeyError, IndexError) as error:
        raise EditRefused(_refusal(model, messages)) from error
    segments: list[tuple[str, bool]] = []
    for message, stand_in in zip(messages, stand_ins, strict=True):
        before, found, rest = rest.partition(stand_in)
        if not found:
            raise EditRefused(_refusal(model, messages))
        segments += [(before, True), (message.content, False)]
    if "\ue000" in rest:
        raise EditRefused(_refusal(model, messages))
    return Prompt.of([*segments, (rest, True)])


def _refusal(model: str, messages: Sequence[ChatMessage]) -> str:
    roles = ", ".join(message.role for message in messages)
    return (
        f"The chat template of {model} does not take these messages in this order ({roles}): "
        "most want user and assistant in turns, perhaps a system message first, and a user at the end."
    )
