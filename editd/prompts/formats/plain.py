"""The format of models without a chat template: a Markdown document that the answer continues.

A base model has read many texts of this shape: a file, a change that is asked for, the file after
it. Order as in every format: path, buffer, context items, selection, earlier answer, instruction.
"""

from __future__ import annotations

from editd.prompts.base import Prompt, PromptParts
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


class PlainFormat:
    """Any model. No control token is in the prompt; all of it is data."""

    name = "plain"

    def prompt(self, parts: PromptParts) -> Prompt:
        """A document up to the fence that opens its last block."""
        fence = answer_fence(parts)
        opening = opening_line(parts.language, fence)
        text = f"{_document(parts, fence)}\n{opening}"
        return Prompt.of([(text, False)], opening=opening, fence=fence)

    def refuse(self, parts: PromptParts) -> str | None:  # noqa: ARG002 - general models try anything
        """Nothing is refused."""
        return None


def _document(parts: PromptParts, fence: str) -> str:
    first, path = first_shown_line(parts), one_line(parts.path) or "The file"
    title = path if first == 1 else f"{path}, {lines_named(first, shown_text(parts))}"
    blocks = [f"# {title}\n\n{buffer_block(parts)}"]
    blocks += [f"## {context_title(item)}\n\n{context_block(item)}" for item in parts.context]
    result = "the whole text"
    if is_selection(parts) and parts.region:
        result = lines_named(parts.first_line, parts.region)
        quoted = fenced(parts.region, parts.language, fence)
        blocks.append(f"## {result.capitalize()}, which are to change\n\n{quoted}")
    elif is_selection(parts):
        result = f"what is new before line {parts.first_line}"
    elif first > 1:
        result = lines_named(first, parts.region)
    if parts.based_on is not None:
        earlier = fenced(parts.based_on, parts.language, fence)
        blocks.append(f"## First attempt, to be improved on\n\n{earlier}")
    blocks.append(f"## Change\n\n{_quoted(asked_text(parts))}\n")
    blocks.append(f"## After the change: {result}\n")
    return "\n".join(blocks)


def _quoted(asked: str) -> str:
    """What is asked for as a quotation, so that headings and fences in it open nothing."""
    return "\n".join(f"> {line}".rstrip() for line in asked.split("\n"))
