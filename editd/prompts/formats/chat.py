"""The format of instruction-tuned models: one user turn, told through the model's chat template.

Order: path, buffer, context items, selection, earlier answer, instruction, and the assistant's
turn opened up to its fence. Everything before the end of the buffer is the same for any
instruction and any selection, so its KV is reused.
"""

from __future__ import annotations

from functools import cached_property

from editd.prompts.base import Prompt, PromptParts, RenderChat
from editd.prompts.sections import (
    answer_fence,
    asked_text,
    buffer_block,
    context_block,
    context_title,
    fenced,
    first_shown_line,
    is_selection,
    lines_named,
    one_line,
    opening_line,
    shown_text,
)
from editd.prompts.template import around

SYSTEM = (
    "You edit files. You are shown a file and told what to change. You answer with the rewritten "
    "text in one code block and nothing else. The text is complete: nothing is shortened or left "
    "out, and what need not change stays exactly as it is."
)


class ChatFormat:
    """Any model with a chat template."""

    name = "chat"

    def __init__(self, render_chat: RenderChat) -> None:
        self._render_chat = render_chat

    def prompt(self, parts: PromptParts) -> Prompt:
        """One user turn, the assistant's begun."""
        head, tail = self._template
        fence = answer_fence(parts)
        opening = opening_line(parts.language, fence)
        segments = [(head, True), (user_turn(parts, fence), False), (tail, True), (opening, False)]
        return Prompt.of(segments, opening=opening, fence=fence)

    def refuse(self, parts: PromptParts) -> str | None:  # noqa: ARG002 - general models try anything
        """Nothing is refused."""
        return None

    @cached_property
    def _template(self) -> tuple[str, str]:
        """What the chat template puts before and after the user's words."""
        head, tail = around(self._render_chat, [("system", SYSTEM), ("user", None)])
        return head, tail


def user_turn(parts: PromptParts, fence: str) -> str:
    """What is asked, without the words of any template."""
    first, shown = first_shown_line(parts), shown_text(parts)
    title = f"File: {one_line(parts.path) or 'without a name'}"
    if first > 1:
        title += f", {lines_named(first, shown)}"
    blocks = [f"{title}\n\n{buffer_block(parts)}"]
    blocks += [f"{context_title(item)}:\n\n{context_block(item)}" for item in parts.context]
    if not is_selection(parts):
        what = "the whole text" if first == 1 else "these lines"
        blocks.append(f"Rewrite {what}.\n")
    elif parts.region:
        lines = lines_named(parts.first_line, parts.region)
        quoted = fenced(parts.region, parts.language, fence)
        blocks.append(f"Rewrite only {lines}, which read:\n\n{quoted}")
    else:
        blocks.append(f"Write only what is to stand before line {parts.first_line}.\n")
    if parts.based_on is not None:
        earlier = fenced(parts.based_on, parts.language, fence)
        blocks.append(f"An earlier answer, to be improved on:\n\n{earlier}")
    blocks.append(f"Instruction: {asked_text(parts)}")
    return "\n".join(blocks)
