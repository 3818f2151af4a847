"""The pieces that prompts of words are made of: fenced text, line ranges, context items.

Shared by the chat and the plain format, which put different words around them.
"""

from __future__ import annotations

import re

from editd.messages import ContextItem
from editd.prompts.answer import choose_fence
from editd.prompts.base import PromptParts


def shown_text(parts: PromptParts) -> str:
    """All lines of the buffer that are in the prompt."""
    return parts.before + parts.region + parts.after


def is_selection(parts: PromptParts) -> bool:
    """Whether the answer replaces less than what is shown."""
    return bool(parts.before or parts.after)


def first_shown_line(parts: PromptParts) -> int:
    """1-based number of the first shown line."""
    return parts.first_line - parts.before.count("\n")


def buffer_block(parts: PromptParts) -> str:
    """The shown text in a fence of its own: nothing in it depends on selection or instruction."""
    shown = shown_text(parts)
    return fenced(shown, parts.language, choose_fence(shown, _at_least(parts.language)))


def answer_fence(parts: PromptParts) -> str:
    """A fence that nothing clashes with that the answer may be made of."""
    asked = asked_text(parts)
    given = "\n".join([shown_text(parts), parts.based_on or "", asked])
    at_least = 4 if "```" in asked else _at_least(parts.language)
    return choose_fence(given, at_least)


def fenced(text: str, language: str, fence: str) -> str:
    """``text`` between fences, each on a line of its own; ends with a newline.

    A missing final newline is added, since a fence must begin a line. The document's own ending is
    kept by ``diff``, not here.
    """
    ending = "" if not text or text.endswith("\n") else "\n"
    return f"{opening_line(language, fence)}{text}{ending}{fence}\n"


def opening_line(language: str, fence: str) -> str:
    """The fence's first line. A language that is no plain word stays out of it."""
    word = re.fullmatch(r"[\w+#.-]*", language)
    return f"{fence}{word[0] if word else ''}\n"


def lines_named(first: int, text: str) -> str:
    """``line 3`` or ``lines 3 to 7``, for ``text`` that begins on line ``first`` (1-based)."""
    count = text.count("\n") + (not text.endswith("\n"))
    return f"line {first}" if count == 1 else f"lines {first} to {first + count - 1}"


def context_block(item: ContextItem) -> str:
    """A context item's text in a fence of its own."""
    return fenced(item.text, "", choose_fence(item.text))


def context_title(item: ContextItem) -> str:
    """What a context item is and where it stands: ``Definition, util.py lines 3 to 7``."""
    title = item.kind.replace("-", " ").capitalize()
    where = one_line(item.path)
    if item.start_line is not None:
        end = item.start_line + 1 if item.end_line is None else max(item.end_line, 1)
        lines = (
            f"line {end}" if end - item.start_line <= 1 else f"lines {item.start_line + 1} to {end}"
        )
        where = f"{where} {lines}".strip()
    return f"{title}, {where}" if where else title


def one_line(text: str) -> str:
    """``text`` on one line: a path or a title must not begin lines of its own."""
    return " ".join(text.split())


def instruction_text(instruction: str) -> str:
    """The instruction with LF line ends and nothing around it."""
    return instruction.replace("\r\n", "\n").replace("\r", "\n").strip()


def asked_text(parts: PromptParts) -> str:
    """What is asked for, for models that follow instructions: a sketch is put as one."""
    told = instruction_text(parts.instruction)
    return told if parts.sketch is None else sketch_instruction(parts.sketch, told)


def _at_least(language: str) -> int:
    # Markdown may gain fenced blocks that are not there yet.
    return 4 if language in ("markdown", "text") else 3


def sketch_instruction(sketch: str, instruction: str) -> str:
    """A sketch as an instruction that any instruction model understands, trained for sketches or not.

    The user's words first, then the sketch, then what to do with it: small models do what they read last. It
    stands where every instruction stands, behind the buffer, so that the buffer's keys and values serve the
    next one too, and in tags, so that the answer's fence is the usual one.
    """
    body = sketch.replace("\r\n", "\n").replace("\r", "\n").strip("\n")
    wish = f"{instruction.strip()}\n\n" if instruction.strip() else ""
    return f"{wish}{_TOLD}\n\n<update>\n{body}\n</update>\n\n{_WANTED}"


_TOLD = (
    "Merge all changes from the <update> below into the text. A line of it such as “... existing code "
    "...” stands for lines of the text that stay. Lines that the text has already only show where the "
    "new ones belong. Where two such lines stand side by side, what is between them in the text goes."
)
_WANTED = (
    "Write the text with the update merged in, complete from its first line to its last. Write out every "
    "line that stays; never write “... existing code ...”."
)
