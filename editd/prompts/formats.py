"""The formats of edits: a class for each, and the table of the models that use them.

``chat`` and ``messages`` are for models that follow instructions, ``plain`` for those without a chat template: a
Markdown document that the answer continues. All three have the same order: path, buffer, context items, selection,
earlier answer, instruction, and the answer opened up to its fence. All text up to the end of the buffer is the same
for any instruction and any selection, so its KV is reused. ``editcoder`` and ``embedded`` are the formats that two
kinds of models were trained on, byte for byte; those that only put a sketch into a file are in ``apply_formats``. At
the end are the pieces that prompts of words are made of.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from functools import cached_property

from editd.errors import ModelUnsupported
from editd.intent import parse
from editd.messages import ChatMessage, ContextItem
from editd.prompts.answer import choose_fence
from editd.prompts.apply_formats import ApplyFormat, FastApply, OsmosisApply, UpdateMessage
from editd.prompts.base import (
    EarlierTurn,
    EditFormat,
    Prompt,
    PromptParts,
    RenderChat,
    instruction_text,
    template_around,
)

MakeFormat = Callable[[RenderChat | None], EditFormat]
"""Makes a format from the model's chat renderer, ``None`` if it has none."""

SYSTEM = (
    "You edit files. You are shown a file and told what to change. You answer with the rewritten "
    "text in one code block and nothing else. The text is complete: nothing is shortened or left "
    "out, and what need not change stays exactly as it is."
)

TEXT, INSTRUCTION, END = "<|im_start|>", "<file_sep>", "<|im_end|>"
"""The tokens before a region, before an instruction, and at the end of an answer."""

# Names of models that were trained on one format and on nothing else.
_MODELS: list[tuple[str, str]] = [
    (r"(^|[/\\])editcoder[-_]", "editcoder"),
    (r"(^|[/\\:])(fast-?apply|fast-?edit)[-_.]?", "fast-apply"),
    (r"(^|[/\\:])osmosis-apply", "osmosis-apply"),
]

_MERGING = (
    "Merge all changes from the <update> below into the text. A line of it such as “... existing code "
    "...” stands for lines of the text that stay. Lines that the text has already only show where the "
    "new ones belong. Where two such lines stand side by side, what is between them in the text goes."
)

_WRITING = (
    "Write the text with the update merged in, complete from its first line to its last. Write out every "
    "line that stays; never write “... existing code ...”."
)


def format_for(
    name: str | None,
    render_chat: RenderChat | None,
    *,
    model: str = "",
) -> EditFormat:
    """The format ``name`` (from ``editd.json`` or a user), else that of a known model, else a
    general one.

    model: the model's name or folder, looked up in a short table of models that were trained on a
    format. A model that is not in it gets ``chat`` if it has a chat template, else ``plain``.
    Raises ``ModelUnsupported`` for an unknown name, or for a format that needs a template without
    one.
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
    return make(render_chat)


def format_names() -> tuple[str, ...]:
    """The names that ``format_for`` knows."""
    return tuple(_FORMATS)


def register(name: str, make: MakeFormat, model_pattern: str = "") -> None:
    """Add a format to this process, in the place of one with that name. model_pattern: a regular expression without
    regard to case, which is not checked here; the format is that of the models that match, before all other patterns. Empty:
    of no model; patterns that were given for this name before stay.
    """
    _FORMATS[name] = make
    if model_pattern:
        _MODELS.insert(0, (model_pattern, name))


SHOWING_CONTEXT = frozenset({"chat", "messages", "plain"})
"""The names of the formats that show context items."""


SHOWING_TURNS = frozenset({"chat", "messages"})
"""The names of the formats that show an earlier turn and its answer."""


class _TriesAnything:
    """A format whose models are asked for any edit."""

    def refuse(self, parts: PromptParts) -> str | None:  # noqa: ARG002 - the protocol's
        """Always ``None``: nothing is refused."""
        return None


class ChatFormat(_TriesAnything):
    """The format of any model with a chat template."""

    name = "chat"

    def __init__(self, render_chat: RenderChat) -> None:
        self._render_chat = render_chat

    def prompt(self, parts: PromptParts) -> Prompt:
        """A user's turn in the model's template, after the earlier turn and its answer if there is one, and the
        beginning of the assistant's up to its fence. Raises ``ModelUnsupported`` for an unusable template.
        """
        fence = answer_fence(parts)
        if parts.earlier is not None:
            return self._conversation(parts, parts.earlier, fence)
        head, tail = self._template
        opening = opening_line(parts.language, fence)
        segments = [(head, True), (user_turn(parts, fence), False), (tail, True), (opening, False)]
        return Prompt.of(segments, opening=opening, fence=fence)

    def _conversation(self, parts: PromptParts, earlier: EarlierTurn, fence: str) -> Prompt:
        """The earlier prompt, its answer and a second turn; cut into the same segments as the earlier one was, so
        that the caches of both are of use.

        If the template does not repeat each of these once, the prompt without the earlier turn; raises
        ``ModelUnsupported`` if the template does not even serve for that.
        """
        try:
            head, answer_head, turn_head, tail = self._conversation_template
        except ModelUnsupported:
            return self.prompt(replace(parts, earlier=None))
        earlier_fence = answer_fence(earlier.parts)
        opening = opening_line(parts.language, fence)
        answer_opening = opening_line(earlier.parts.language, earlier_fence)
        segments = [
            (head, True),
            (user_turn(earlier.parts, earlier_fence), False),
            (answer_head, True),
            (answer_opening, False),
            (f"{_whole_lines(earlier.answer)}{earlier_fence}", False),
            (turn_head, True),
            (second_turn(parts, earlier, fence), False),
            (tail, True),
            (opening, False),
        ]
        return Prompt.of(segments, opening=opening, fence=fence)

    @cached_property
    def _template(self) -> tuple[str, str]:
        """The text that the chat template puts before and after the user's words."""
        head, tail = template_around(self._render_chat, [("system", SYSTEM), ("user", None)])
        return head, tail

    @cached_property
    def _conversation_template(self) -> tuple[str, str, str, str]:
        """The text that the chat template puts before the user's words, the answer, the next words, and after these.

        Raises ``ModelUnsupported`` if it does not repeat each once.
        """
        turns: list[tuple[str, str | None]] = [("user", None), ("assistant", None), ("user", None)]
        head, answer_head, turn_head, tail = template_around(
            self._render_chat, [("system", SYSTEM), *turns]
        )
        return head, answer_head, turn_head, tail


class MessagesFormat(_TriesAnything):
    """As ``chat``, for a server that applies a chat template itself: the answer opens its own fence."""

    name = "messages"

    def prompt(self, parts: PromptParts) -> Prompt:
        """A system and a user message for a server that has the template, an earlier turn and its answer between them
        if there is one; the answer's fence is not opened. The prompt's text is these messages without a template.
        """
        fence = answer_fence(parts)
        turns = (ChatMessage("system", SYSTEM), *_user_messages(parts, fence))
        return Prompt("\n".join(turn.content for turn in turns), "", fence, messages=turns)


def _user_messages(parts: PromptParts, fence: str) -> tuple[ChatMessage, ...]:
    """The user's message alone, or, if there is an earlier turn, behind its message and its answer in a fence."""
    earlier = parts.earlier
    if earlier is None:
        return (ChatMessage("user", user_turn(parts, fence)),)
    earlier_fence = answer_fence(earlier.parts)
    answer = fenced(earlier.answer, earlier.parts.language, earlier_fence)
    return (
        ChatMessage("user", user_turn(earlier.parts, earlier_fence)),
        ChatMessage("assistant", answer.rstrip("\n")),
        ChatMessage("user", second_turn(parts, earlier, fence)),
    )


def second_turn(parts: PromptParts, earlier: EarlierTurn, fence: str) -> str:
    """The user's words behind an answer: to write all of it once more, if the region is all that the earlier turn
    rewrote, else a part of it, which is quoted; and the instruction. fence: around that part.
    """
    request = f"Instruction: {request_text(parts)}"
    if parts.region == earlier.parts.region:
        return request  # "once more" makes small models repeat themselves
    part = fenced(parts.based_on or parts.region, parts.language, fence)
    return f"Rewrite only this part:\n\n{part}\n{request}"


def user_turn(parts: PromptParts, fence: str) -> str:
    """The user's words, without those of any template: path, shown text, context items, what to rewrite (all of it,
    the region, which is quoted, or, for an empty region, what is to stand before its line), an earlier answer, and
    at last the instruction. fence: around quoted text of the region and an earlier answer.
    """
    first, shown = first_shown_line(parts), shown_text(parts)
    title = f"File: {one_line(parts.path) or 'without a name'}"
    if first > 1:
        title += f", {line_numbers(first, shown)}"
    blocks = [f"{title}\n\n{buffer_block(parts)}"]
    blocks += [f"{context_title(item)}:\n\n{context_block(item)}" for item in parts.context]
    if not is_selection(parts):
        what = "the whole text" if first == 1 else "these lines"
        blocks.append(f"Rewrite {what}.\n")
    elif parts.region:
        lines = line_numbers(parts.first_line, parts.region)
        quoted = fenced(parts.region, parts.language, fence)
        blocks.append(f"Rewrite only {lines}, which read:\n\n{quoted}")
    else:
        blocks.append(f"Write only what is to stand before line {parts.first_line}.\n")
    if parts.based_on is not None:
        earlier = fenced(parts.based_on, parts.language, fence)
        blocks.append(f"An earlier answer, to be improved on:\n\n{earlier}")
    blocks.append(f"Instruction: {request_text(parts)}")
    return "\n".join(blocks)


class PlainFormat(_TriesAnything):
    """The format of any model: a base model has read many texts of a file, a request, and the file after it.

    No control token is in the prompt; all of it is data.
    """

    name = "plain"

    def prompt(self, parts: PromptParts) -> Prompt:
        """A Markdown document up to the fence that opens its last block."""
        fence = answer_fence(parts)
        opening = opening_line(parts.language, fence)
        text = f"{_document(parts, fence)}\n{opening}"
        return Prompt.of([(text, False)], opening=opening, fence=fence)


def _document(parts: PromptParts, fence: str) -> str:
    """The Markdown document up to the heading of its last block: path, shown text, context items, the region if it
    is not all that is shown, an earlier answer, the request as a quotation, and the heading, which names the lines
    to write. fence: around quoted text of the region and an earlier answer.
    """
    first, path = first_shown_line(parts), one_line(parts.path) or "The file"
    title = path if first == 1 else f"{path}, {line_numbers(first, shown_text(parts))}"
    blocks = [f"# {title}\n\n{buffer_block(parts)}"]
    blocks += [f"## {context_title(item)}\n\n{context_block(item)}" for item in parts.context]
    result = "the whole text"
    if is_selection(parts) and parts.region:
        result = line_numbers(parts.first_line, parts.region)
        quoted = fenced(parts.region, parts.language, fence)
        blocks.append(f"## {result.capitalize()}, which are to change\n\n{quoted}")
    elif is_selection(parts):
        result = f"what is new before line {parts.first_line}"
    elif first > 1:
        result = line_numbers(first, parts.region)
    if parts.based_on is not None:
        earlier = fenced(parts.based_on, parts.language, fence)
        blocks.append(f"## First attempt, to be improved on\n\n{earlier}")
    blocks.append(f"## Change\n\n{_quoted(request_text(parts))}\n")
    blocks.append(f"## After the change: {result}\n")
    return "\n".join(blocks)


def _quoted(text: str) -> str:
    """A text as a Markdown quotation, so that headings and fences in it open nothing."""
    return "\n".join(f"> {line}".rstrip() for line in text.split("\n"))


class EditCoderFormat(_TriesAnything):
    """The format that the EditCoder models were trained on (Cassano et al., 2023, "Can It Edit?"), as their card
    gives it.

    The code, the instruction, the code again, each under its heading and followed by one newline, ended by the
    model's own stop token. The models saw snippets and wrote them anew, so a selection is given as a snippet of its
    own: the text around it is not shown. Context items have no place.
    """

    name = "editcoder"

    def prompt(self, parts: PromptParts) -> Prompt:
        """The prompt, with an earlier answer in the place of the region if there is one; path,
        surroundings and context are left out. No fence: the answer ends with the model's stop
        token.
        """
        region = parts.region if parts.based_on is None else parts.based_on
        instruction = request_text(parts)
        opening = "## Code After:\n"
        text = f"## Code Before:\n{region}\n## Instruction:\n{instruction}\n{opening}"
        return Prompt.of([(text, False)], opening=opening)


class EmbeddedFormat:
    """The format of the adapter that comes with editd: SmolLM2's control tokens, and not a word besides.

    Byte for byte, with nothing added between the pieces::

        <file_sep>WORDS<|im_start|>REGION<file_sep>WORDS<|im_start|>

    and then, written by the model, the new region and ``<|im_end|>``. The region and the answer follow the same
    token, so copying always begins at the same place: a small model that must find its source among two copies loses
    it. For the same reason the text around the region is left out, and context items are never shown. The instruction
    comes first so that the model can note, while it reads, what will change, and once more where it is followed.
    Requests that a rule understands are put in the most usual words (``Parsed.plain``), of which the model is most
    certain. The training writes its examples with this class.
    """

    name = "embedded"

    def prompt(self, parts: PromptParts) -> Prompt:
        """The instruction, the region and the instruction again between their control tokens, with
        an earlier answer in the place of the region if there is one. The instruction goes without
        polite words; surroundings and context are left out.
        """
        region = parts.region if parts.based_on is None else parts.based_on
        instruction = instruction_text(parse(parts.instruction).plain)
        words = [(INSTRUCTION, True), (instruction, False), (TEXT, True)]
        return Prompt.of([*words, (region, False), *words])

    def refuse(self, parts: PromptParts) -> str | None:
        """A sentence for the user if there is a sketch; ``None`` for an instruction: which kinds of
        edits a model has learned is in its ``editd.json``.
        """
        if parts.sketch is None:
            return None
        return (
            "The embedded model has not learned to put a change into a text: choose another model "
            "(`editd models`), or show more lines around each change."
        )


def _chat(render_chat: RenderChat | None) -> EditFormat:
    """The chat format. Raises ``ModelUnsupported`` without a chat template."""
    if render_chat is None:
        raise ModelUnsupported(
            'This model has no chat template: choose the format "plain" for it, or another model.'
        )
    return ChatFormat(render_chat)


_FORMATS: dict[str, MakeFormat] = {
    "chat": _chat,
    "plain": lambda _render: PlainFormat(),
    "embedded": lambda _render: EmbeddedFormat(),
    "editcoder": lambda _render: EditCoderFormat(),
    "messages": lambda _render: MessagesFormat(),
    "fast-apply": lambda render: ApplyFormat("fast-apply", FastApply(), render),
    "osmosis-apply": lambda render: ApplyFormat("osmosis-apply", OsmosisApply(), render),
    "update-message": lambda render: ApplyFormat("update-message", UpdateMessage(), render),
}


def shown_text(parts: PromptParts) -> str:
    """The lines of the buffer that are in the prompt."""
    return parts.before + parts.region + parts.after


def is_selection(parts: PromptParts) -> bool:
    """Whether the answer replaces less than the shown text."""
    return bool(parts.before or parts.after)


def first_shown_line(parts: PromptParts) -> int:
    """1-based number of the first shown line."""
    return parts.first_line - parts.before.count("\n")


def buffer_block(parts: PromptParts) -> str:
    """The shown text in a fence of its own: nothing in it depends on selection or instruction."""
    shown = shown_text(parts)
    return fenced(shown, parts.language, choose_fence(shown, _at_least(parts.language)))


def answer_fence(parts: PromptParts) -> str:
    """A fence that clashes with no line of the shown text, an earlier answer or the request; longer
    where the answer may gain fences: in Markdown, or if the request has one.
    """
    request = request_text(parts)
    content = "\n".join([shown_text(parts), parts.based_on or "", request])
    at_least = 4 if "```" in request else _at_least(parts.language)
    return choose_fence(content, at_least)


def fenced(text: str, language: str, fence: str) -> str:
    """``text`` between fences, each on a line of its own; ends with a newline.

    A missing final newline is added, since a fence must begin a line. Restoring the document's own ending is left to
    ``diff``.
    """
    return f"{opening_line(language, fence)}{_whole_lines(text)}{fence}\n"


def _whole_lines(text: str) -> str:
    """``text`` with a final newline, unless it is empty."""
    return text if not text or text.endswith("\n") else f"{text}\n"


def opening_line(language: str, fence: str) -> str:
    """The fence's first line. A language that is no plain word is left out."""
    word = re.fullmatch(r"[\w+#.-]*", language)
    return f"{fence}{word[0] if word else ''}\n"


def line_numbers(first: int, text: str) -> str:
    """``line 3`` or ``lines 3 to 7``, for ``text`` that begins on line ``first`` (1-based)."""
    count = text.count("\n") + (not text.endswith("\n"))
    return f"line {first}" if count == 1 else f"lines {first} to {first + count - 1}"


def context_block(item: ContextItem) -> str:
    """A context item's text in a fence of its own."""
    return fenced(item.text, "", choose_fence(item.text))


def context_title(item: ContextItem) -> str:
    """The kind of a context item and its place, with 1-based lines: ``Definition, util.py lines 3
    to 7``. Without path or lines, that part is missing.
    """
    title = item.kind.replace("-", " ").capitalize()
    place = one_line(item.path)
    if item.start_line is not None:
        end = item.start_line + 1 if item.end_line is None else max(item.end_line, 1)
        lines = (
            f"line {end}" if end - item.start_line <= 1 else f"lines {item.start_line + 1} to {end}"
        )
        place = f"{place} {lines}".strip()
    return f"{title}, {place}" if place else title


def one_line(text: str) -> str:
    """``text`` on one line: a path or a title must not begin lines of its own."""
    return " ".join(text.split())


def request_text(parts: PromptParts) -> str:
    """The request for models that follow instructions: a sketch is put as an instruction."""
    instruction = instruction_text(parts.instruction)
    return instruction if parts.sketch is None else sketch_instruction(parts.sketch, instruction)


def _at_least(language: str) -> int:
    """The least length of a fence: Markdown may gain fenced blocks."""
    # Markdown may gain fenced blocks that are not there yet.
    return 4 if language in ("markdown", "text") else 3


def sketch_instruction(sketch: str, instruction: str) -> str:
    """A sketch (new text with marks for what stays) as an instruction that any instruction model
    understands, trained for sketches or not.

    The user's words first, then the sketch, then what to do with it: small models do what they read
    last. It stands where every instruction stands, after the buffer, so that the buffer's keys and
    values serve the next one too, and in tags, so that the answer's fence is the usual one.
    """
    body = sketch.replace("\r\n", "\n").replace("\r", "\n").strip("\n")
    purpose = f"{instruction.strip()}\n\n" if instruction.strip() else ""
    return f"{purpose}{_MERGING}\n\n<update>\n{body}\n</update>\n\n{_WRITING}"
