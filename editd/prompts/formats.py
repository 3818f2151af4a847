"""How models are told an edit: one class for each format, and which model gets which.

``chat`` and ``messages`` are for models that follow instructions, ``plain`` for those without a chat template:
a Markdown document that the answer continues. All three have the same order: path, buffer, context items,
selection, earlier answer, instruction, and the answer opened up to its fence. What stands before the end of
the buffer is the same for any instruction and any selection, so its KV is reused. ``editcoder`` and
``embedded`` are what two kinds of models were trained on, byte for byte; those that only put a sketch into
a file are in ``apply_formats``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any

from editd.errors import ModelUnsupported
from editd.instruction import read
from editd.messages import ChatMessage
from editd.prompts.apply_formats import ApplyFormat, FastApply, OsmosisApply, UpdateMessage
from editd.prompts.base import EditFormat, Prompt, PromptParts, RenderChat
from editd.prompts.chat_template import around
from editd.prompts.sections import (
    answer_fence,
    asked_text,
    buffer_block,
    context_block,
    context_title,
    fenced,
    first_shown_line,
    instruction_text,
    is_selection,
    lines_named,
    one_line,
    opening_line,
    shown_text,
)

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


class _TriesAnything:
    """A format whose models are asked for any edit."""

    def refuse(self, parts: PromptParts) -> str | None:  # noqa: ARG002 - the protocol's
        """Nothing is refused."""
        return None


SYSTEM = (
    "You edit files. You are shown a file and told what to change. You answer with the rewritten "
    "text in one code block and nothing else. The text is complete: nothing is shortened or left "
    "out, and what need not change stays exactly as it is."
)


class ChatFormat(_TriesAnything):
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

    @cached_property
    def _template(self) -> tuple[str, str]:
        """What the chat template puts before and after the user's words."""
        head, tail = around(self._render_chat, [("system", SYSTEM), ("user", None)])
        return head, tail


class MessagesFormat(_TriesAnything):
    """As ``chat``, for a server that applies a chat template itself: the answer opens its own fence."""

    name = "messages"

    def prompt(self, parts: PromptParts) -> Prompt:
        """What the system and the user say."""
        fence = answer_fence(parts)
        turns = (ChatMessage("system", SYSTEM), ChatMessage("user", user_turn(parts, fence)))
        return Prompt("\n".join(turn.content for turn in turns), "", fence, messages=turns)


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


class PlainFormat(_TriesAnything):
    """Any model: a base model has read many texts of a file, a wish, and the file after it.

    No control token is in the prompt; all of it is data.
    """

    name = "plain"

    def prompt(self, parts: PromptParts) -> Prompt:
        """A document up to the fence that opens its last block."""
        fence = answer_fence(parts)
        opening = opening_line(parts.language, fence)
        text = f"{_document(parts, fence)}\n{opening}"
        return Prompt.of([(text, False)], opening=opening, fence=fence)


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


class EditCoderFormat(_TriesAnything):
    """What the EditCoder models were trained on (Cassano et al., 2023, "Can It Edit?"), as their card gives it.

    The code, the instruction, the code again, each under its heading and followed by one newline, ended by the
    model's own stop token. The models saw snippets and wrote them anew, so a selection is given as a
    snippet of its own: the text around it is not shown. Context items have no place here.
    """

    name = "editcoder"

    def prompt(self, parts: PromptParts) -> Prompt:
        """The region as the code before. An earlier answer takes its place."""
        region = parts.region if parts.based_on is None else parts.based_on
        instruction = asked_text(parts)
        opening = "## Code After:\n"
        text = f"## Code Before:\n{region}\n## Instruction:\n{instruction}\n{opening}"
        return Prompt.of([(text, False)], opening=opening)


TEXT, INSTRUCTION, END = "<|im_start|>", "<file_sep>", "<|im_end|>"
"""Before a region, before an instruction, and the end of an answer."""


class EmbeddedFormat:
    """Of the adapter that comes with editd: SmolLM2's control tokens, and not a word besides.

    Byte for byte, with nothing added between the pieces::

        <file_sep>WORDS<|im_start|>REGION<file_sep>WORDS<|im_start|>

    and then, written by the model, the new region and ``<|im_end|>``. The region and the answer follow the
    same token, so copying always begins at the same place: a small model that must find its source
    among two copies loses it. For the same reason the text around the region is left out, and context
    items are never shown. The instruction comes first so that the model can note, while it reads, what
    will change, and once more where it is followed. Requests that a rule understands are put in the most
    usual words (``Instruction.plain``), of which the model is surest. The training writes its examples with
    this class.
    """

    name = "embedded"

    def prompt(self, parts: PromptParts) -> Prompt:
        """The parts between their tokens. An earlier answer takes the region's place."""
        region = parts.region if parts.based_on is None else parts.based_on
        asked = instruction_text(read(parts.instruction).plain)
        words = [(INSTRUCTION, True), (asked, False), (TEXT, True)]
        return Prompt.of([*words, (region, False), *words])

    def refuse(self, parts: PromptParts) -> str | None:
        """Sketches; which families of instructions a model has learned is in its ``editd.json``."""
        if parts.sketch is None:
            return None
        return (
            "The embedded model has not learned to put a change into a text: choose another model "
            "(`editd models`), or show more lines around each change."
        )


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
