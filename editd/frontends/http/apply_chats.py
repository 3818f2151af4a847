"""Recognises conversations that ask to merge a sketch into a file, in the form of an apply model's prompt.

The last user message must be nothing but the form: Morph's (also used by Relace, Continue,
avante, codecompanion and opencode), FastApply's or Osmosis's. These clients write the answer into the file, so
the answer is the bare file, or the file in the tags that the messages ask for.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from editd.errors import UsageError
from editd.messages import ChatMessage

_MOST_HEAD = 8000  # characters before the file; what is longer is something else
_CODE, _UPDATE = "(?:code|original_code)", "(?:update|update_snippet|code_edit|edit)"
_MORPH = re.compile(
    r"\s*(?:<instructions?>(?P<instruction>(?:(?!</?instructions?>).)*)</instructions?>\s*)?"
    rf"<{_CODE}>",
    re.DOTALL,
)
_OSMOSIS = re.compile(r"\s*(?P<instruction>)<code>(?=\n)")
_FASTAPPLY = re.compile(
    r"\s*Merge all changes from the <update> snippet into the <code> below\.\n"
    r"(?:Instruction: (?P<instruction>(?:(?!\n- ).)*)\n)?(?:- [^\n]*\n)*"
    rf"\s*<{_CODE}>",
    re.DOTALL,
)
_ASKS = "Provide the complete updated code."
_BORDER = re.compile(rf"</{_CODE}>\s*<{_UPDATE}>")
_CLOSES = re.compile(rf"</{_UPDATE}>\Z")


@dataclass(frozen=True, slots=True)
class ApplyRequest:
    """A file, a sketch for it, and an instruction. before, after: the text around the file in the answer."""

    text: str
    sketch: str
    instruction: str = ""
    before: str = ""
    after: str = ""

    def answer(self, text: str) -> str:
        """The answer to the client with ``text`` as the new file."""
        return f"{self.before}{text}{self.after}"


def apply_request(messages: Sequence[ChatMessage]) -> ApplyRequest | None:
    """Read a conversation; ``None`` if its last user message is not in one of three known forms that ask to merge a
    sketch into a file. The result also tells the tags that the form wants around the answer. Raises ``UsageError`` if
    a message of such a form has several borders between file and sketch.
    """
    last = next((turn for turn in reversed(messages) if turn.role == "user"), None)
    if last is None:
        return None
    if found := _parts(last.content, _FASTAPPLY, _ASKS):
        instruction, text, sketch = found
        return ApplyRequest(text, sketch, instruction, "<updated-code>", "</updated-code>")
    if last.content.rstrip().endswith("\n</edit>") and (found := _parts(last.content, _OSMOSIS)):
        text, sketch = map(_framed, found[1:])
        if messages[-1].role == "assistant" or not _asks_for_tags(messages):
            # The opening tag is in the prompt, or no tags are wanted.
            return ApplyRequest(text, sketch)
        return ApplyRequest(text, sketch, "", "<code>\n", "\n</code>")
    if found := _parts(last.content, _MORPH):
        instruction, text, sketch = found
        return ApplyRequest(text, sketch, instruction)
    return None


def _parts(content: str, head: re.Pattern[str], asks: str = "") -> tuple[str, str, str] | None:
    """The instruction (empty without one), the file and the sketch of a message; ``None`` if it is not of the form
    that ``head`` begins, has no border between file and sketch, or does not end with the sketch's closing tag and
    ``asks``.

    head: matches all before the file, at most 8,000 characters. asks: the text at the form's end. Raises
    ``UsageError`` if there are several borders between file and sketch.
    """
    ends = content.rstrip()
    if not ends.endswith(asks):
        return None
    ends = ends.removesuffix(asks).rstrip()
    found = head.match(ends, 0, _MOST_HEAD)
    closes = _CLOSES.search(ends, max(0, len(ends) - 20))
    if found is None or closes is None:
        return None
    borders = list(_BORDER.finditer(ends, found.end(), closes.start()))
    if not borders:
        return None
    if len(borders) > 1:
        raise UsageError(
            "The border between file and update is ambiguous, "
            "because the text contains the tags between them: rewrite the file by other means."
        )
    (border,) = borders
    text, sketch = ends[found.end() : border.start()], ends[border.end() : closes.start()]
    return (found["instruction"] or "").strip(), text, sketch


def _framed(text: str) -> str:
    """The text without the line ends after its opening and before its closing tag."""
    return text.removeprefix("\n").removesuffix("\n")


def _asks_for_tags(messages: Sequence[ChatMessage]) -> bool:
    """Whether the messages ask for an answer in tags."""
    return any("wrapped in <code> tags" in turn.content for turn in messages)
