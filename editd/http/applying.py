"""Recognises requests to merge a sketch into a file, in the forms of apply models.

Recognised only if the last user message is nothing but the form: Morph's (also used by Relace, Continue,
avante, codecompanion and opencode), FastApply's or Osmosis's. These clients write the answer into the
file, so the answer is the bare file, or the file in the tags that the messages ask for.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from editd.errors import UsageError
from editd.messages import ChatMessage


@dataclass(frozen=True, slots=True)
class ApplyRequest:
    """A file, a sketch, and what the sketch is about. before, after: what the answer is in."""

    text: str
    sketch: str
    instruction: str = ""
    before: str = ""
    after: str = ""

    def answer(self, text: str) -> str:
        """What the client gets for the file ``text``."""
        return f"{self.before}{text}{self.after}"


def recognise(messages: Sequence[ChatMessage]) -> ApplyRequest | None:
    """The apply request in a conversation; ``None`` if it is something else.

    Raises ``UsageError`` if the end of the file is ambiguous.
    """
    last = next((turn for turn in reversed(messages) if turn.role == "user"), None)
    if last is None:
        return None
    if found := _FASTAPPLY.fullmatch(last.content):
        text, sketch = _split(found["rest"])
        instruction = (found["instruction"] or "").strip()
        return ApplyRequest(text, sketch, instruction, "<updated-code>", "</updated-code>")
    if found := _OSMOSIS.fullmatch(last.content):
        text, sketch = _split(found["rest"])
        text, sketch = _framed(text), _framed(sketch)
        if messages[-1].role == "assistant" or not _asks_for_tags(messages):
            # The opening tag is in the prompt, or no tags are wanted.
            return ApplyRequest(text, sketch)
        return ApplyRequest(text, sketch, "", "<code>\n", "\n</code>")
    if found := _MORPH.fullmatch(last.content):
        text, sketch = _split(found["rest"])
        return ApplyRequest(text, sketch, (found["instruction"] or "").strip())
    return None


_CODE, _UPDATE = "(?:code|original_code)", "(?:update|update_snippet|code_edit|edit)"
_BODY = rf"(?P<rest><{_CODE}>.*</{_CODE}>\s*<{_UPDATE}>.*</{_UPDATE}>)"

_MORPH = re.compile(
    rf"\s*(?:<instructions?>(?P<instruction>(?:(?!</?instructions?>).)*)</instructions?>\s*)?{_BODY}\s*",
    re.DOTALL,
)
_OSMOSIS = re.compile(r"\s*(?P<rest><code>\n.*\n</code>\s*<edit>\n.*\n</edit>)\s*", re.DOTALL)
_FASTAPPLY = re.compile(
    r"\s*Merge all changes from the <update> snippet into the <code> below\.\n"
    r"(?:Instruction: (?P<instruction>(?:(?!\n- ).)*)\n)?(?:- [^\n]*\n)*"
    rf"\s*{_BODY}\s*Provide the complete updated code\.\s*",
    re.DOTALL,
)
_OPENS = re.compile(rf"<{_CODE}>")
_BORDER = re.compile(rf"</{_CODE}>\s*<{_UPDATE}>")
_CLOSES = re.compile(rf"</{_UPDATE}>\Z")


def _split(rest: str) -> tuple[str, str]:
    """The file and the sketch."""
    opens, closes = _OPENS.match(rest), _CLOSES.search(rest)
    assert opens is not None  # noqa: S101  both are part of what was matched
    assert closes is not None  # noqa: S101
    borders = list(_BORDER.finditer(rest))
    if len(borders) != 1:
        raise UsageError(
            "The border between file and update is ambiguous, "
            "because the text contains the tags between them: rewrite the file by other means."
        )
    return rest[opens.end() : borders[0].start()], rest[borders[0].end() : closes.start()]


def _framed(text: str) -> str:
    return text.removeprefix("\n").removesuffix("\n")


def _asks_for_tags(messages: Sequence[ChatMessage]) -> bool:
    return any("wrapped in <code> tags" in turn.content for turn in messages)
