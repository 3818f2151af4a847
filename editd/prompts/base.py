"""The values between an edit and a model: regions, prompt parts, prompts, and the interface of a format.

``scope`` decides which regions are rewritten and which lines are shown around them; an ``EditFormat`` turns one
region into a prompt; ``answer`` reads the model's text. All text in this package is as the model sees it: line ends
are LF, there is no BOM.

The second half puts a model's chat template around people's words, of an edit's one user turn and of a whole
conversation. The template sees stand-ins, never the words of a user, so no template can trim, rewrite or interpret
them. Text that looks like a control token in people's words is plain text, as in every format.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from editd.errors import EditRefused, ModelUnsupported
from editd.messages import ChatMessage, ContextItem

RenderChat = Callable[[Sequence[dict[str, str]]], str]
"""The tokenizer's chat template: messages in, prompt text up to the assistant's first word out."""

LEFT_CONTEXT = 256  # characters before an answer that its first token can depend on
_STAND_IN = re.compile("\ue000words (\\d+)\ue001")  # private-use characters: in no template


@dataclass(frozen=True, slots=True)
class Region:
    """Lines ``start .. end`` of the model text (0-based, end exclusive) that one answer rewrites."""

    start: int
    end: int
    label: str = ""  # "parse_header (lines 10 to 42)", as shown to the user


@dataclass(frozen=True, slots=True)
class Scope:
    """The regions that are rewritten, in order, and the lines that are shown around them.

    shown: for each region the lines of the buffer in its prompt; always a superset of the region. The whole buffer if
    it fits, else windows whose borders are multiples of a fixed block, so that a moving selection finds its prefix in
    the cache. notice: a sentence for the user if this is not simply the request, else empty. in_parts: the regions
    stand for a text of which all could be rewritten as well.
    """

    regions: tuple[Region, ...]
    shown: tuple[tuple[int, int], ...]
    notice: str = ""
    in_parts: bool = False


@dataclass(frozen=True, slots=True)
class PromptParts:
    """The parts of one region's prompt, in the order in which every format shows them.

    path, language: of the file. before, region, after: the shown text in three; ``region`` is what the answer
    replaces (the whole shown text if nothing is selected). instruction: the user's. first_line: 1-based number of
    ``region``'s first line, for naming a selection after the buffer. sketch: a change to merge into the region; the
    instruction is then its purpose, and may be empty. context: diagnostics, definitions, recent edits. based_on: an
    earlier answer to improve upon. earlier: the turn of a conversation that it was written in, for formats that can
    show one; ``region`` lies in that turn's region, and nothing is shown around it.
    """

    path: str
    language: str
    before: str
    region: str
    after: str
    instruction: str
    first_line: int = 1
    sketch: str | None = None
    context: tuple[ContextItem, ...] = ()
    based_on: str | None = None
    earlier: EarlierTurn | None = None


@dataclass(frozen=True, slots=True)
class EarlierTurn:
    """The parts of an earlier prompt, and the text that was made of its region."""

    parts: PromptParts
    answer: str


@dataclass(frozen=True, slots=True)
class Prompt:
    """The text for the model, and how its answer is read.

    text: ends with ``opening``.
    opening: the beginning of the answer that the prompt already has (a fence and a newline, or nothing): left context
        of the first answer token.
    fence: the line that closes the answer; empty if only the model's stop tokens do.
    segments: ``text`` cut into ``(piece, is_control)``. In a control piece the tokenizer reads control tokens
        (``<|im_end|>``) as such; any other piece is data, and text that looks like a control token is plain text, so
        that a buffer comes back byte for byte. Build with ``of``.
    messages: for a server, which puts its own template around them; ``segments`` is empty then.
    """

    text: str
    opening: str
    fence: str
    segments: tuple[tuple[str, bool], ...] = ()
    messages: tuple[ChatMessage, ...] = ()

    @classmethod
    def of(
        cls,
        segments: Sequence[tuple[str, bool]],
        *,
        opening: str = "",
        fence: str = "",
    ) -> Prompt:
        """The prompt whose text is ``segments``, joined; empty ones are left out."""
        filled = tuple((text, is_control) for text, is_control in segments if text)
        return cls("".join(text for text, _ in filled), opening, fence, filled)


class EditFormat(Protocol):
    """The form of prompts for one kind of model. Stateless; found by name or by model."""

    @property
    def name(self) -> str: ...

    def prompt(self, parts: PromptParts) -> Prompt:
        """The prompt of one region.

        Buffer before instruction, so that its KV is reused, unless a model was trained otherwise.
        """
        ...

    def refuse(self, parts: PromptParts) -> str | None:
        """A sentence if this model is known not to do such an edit, else ``None``."""
        ...


def instruction_text(instruction: str) -> str:
    """The instruction with LF line ends and no white space around it."""
    return instruction.replace("\r\n", "\n").replace("\r", "\n").strip()


def template_around(
    render_chat: RenderChat, messages: Sequence[tuple[str, str | None]]
) -> list[str]:
    """The template's text before each of the user's messages, and after the last one.

    messages: roles and contents; ``None`` for a user's words, for which the template gets a
    stand-in. Raises ``ModelUnsupported`` if the template does not repeat each of them once, in this
    order, and passes on what ``render_chat`` raises.
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
    """The prompt of a conversation, up to the assistant's first word.

    Without a template the messages' texts follow one another, an empty line between two, and the
    model continues the last. model: its name, for the error. Raises ``EditRefused`` if the template
    does not take such messages.
    """
    if render_chat is None:
        text = "\n\n".join(message.content for message in messages)
        return Prompt.of([(text, False)], opening=text[-LEFT_CONTEXT:])
    from jinja2.exceptions import TemplateError  # here, because only a template needs it

    try:
        *before, end = template_around(render_chat, [(message.role, None) for message in messages])
    except (TemplateError, ModelUnsupported, ValueError, TypeError, KeyError, IndexError) as error:
        raise EditRefused(_refusal(model, messages)) from error
    segments = [
        segment
        for piece, message in zip(before, messages, strict=True)
        for segment in ((piece, True), (message.content, False))
    ]
    return Prompt.of([*segments, (end, True)])


def _refusal(model: str, messages: Sequence[ChatMessage]) -> str:
    """The sentence for messages that the template does not take."""
    roles = ", ".join(message.role for message in messages)
    return (
        f"The chat template of {model} does not take these messages in this order ({roles}): "
        "most want user and assistant in turns, perhaps a system message first, and a user at the end."
    )
