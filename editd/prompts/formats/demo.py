"""The demo model's own format: control tokens between the parts, and not a word besides.

Byte for byte, with nothing added between the pieces::

    <|path|>NAME<|before|>TEXT<|after|>TEXT<|buffer|>REGION<|instruction|>WORDS<|output|>

and then, written by the model, the new region and ``<|end|>``. The text after ``<|buffer|>`` is
always exactly what the answer replaces, so copying always begins at the same place: a small model
that must find its source among two copies loses it. For the same reason the text around the region
is left out by default (``context_lines`` 0), ``<|before|>`` and ``<|after|>`` with it; a checkpoint
that was solved with context says so in its ``editd.json``. Context items are never shown.

Weights are solved over prompts that this class writes, so that the two cannot drift apart.
"""

from __future__ import annotations

import re

from editd.prompts.base import Prompt, PromptParts
from editd.prompts.language import extension_of
from editd.prompts.sections import instruction_text

PATH, BEFORE, AFTER = "<|path|>", "<|before|>", "<|after|>"
BUFFER, INSTRUCTION, OUTPUT, END = "<|buffer|>", "<|instruction|>", "<|output|>", "<|end|>"

CONTROL_TOKENS = (PATH, BEFORE, AFTER, BUFFER, INSTRUCTION, OUTPUT, END)
"""In this order in the vocabulary. ``<|end|>`` is the model's end-of-sequence token."""


class DemoFormat:
    """Of the checkpoints that ``benchmarks.solved`` solves.

    context_lines: how many lines on each side of the region a checkpoint was solved with.
    """

    name = "demo"

    def __init__(self, context_lines: int = 0) -> None:
        self._context_lines = context_lines

    def prompt(self, parts: PromptParts) -> Prompt:
        """The parts between their tokens. An earlier answer takes the region's place."""
        region = parts.region if parts.based_on is None else parts.based_on
        before, after = self._around(parts)
        segments = [(PATH, True), (_file_name(parts), False)]
        if before:
            segments += [(BEFORE, True), (before, False)]
        if after:
            segments += [(AFTER, True), (after, False)]
        segments += [(BUFFER, True), (region, False)]
        segments += [(INSTRUCTION, True), (instruction_text(parts.instruction), False)]
        segments += [(OUTPUT, True)]
        return Prompt.of(segments)

    @staticmethod
    def read(text: str) -> tuple[str, str, str] | None:
        """Path, region and instruction of a prompt without text around the region, else ``None``."""
        found = _PROMPT.fullmatch(text)
        return (found["path"], found["region"], found["instruction"]) if found else None

    def refuse(self, parts: PromptParts) -> str | None:  # noqa: ARG002 - see the docstring
        """Nothing: what a checkpoint knows by heart is in its ``editd.json``."""
        return None

    def _around(self, parts: PromptParts) -> tuple[str, str]:
        count = self._context_lines
        before, after = _LINE.findall(parts.before), _LINE.findall(parts.after)
        return "".join(before[len(before) - count :] if count else ()), "".join(after[:count])


_PROMPT = re.compile(
    "".join(
        [
            rf"{re.escape(PATH)}(?P<path>(?:(?!<\|).)*)",
            rf"{re.escape(BUFFER)}(?P<region>.*)",
            rf"{re.escape(INSTRUCTION)}(?P<instruction>(?:(?!<\|).)*){re.escape(OUTPUT)}",
        ]
    ),
    re.DOTALL,
)
_LINE = re.compile(r"[^\n]*\n|[^\n]+")


def _file_name(parts: PromptParts) -> str:
    """The last component of the path; without one, what a file of this language is called."""
    name = re.split(r"[\\/]", parts.path)[-1]
    return name or f"untitled.{extension_of(parts.language)}".rstrip(".")
