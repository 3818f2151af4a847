"""The embedded model's format: SmolLM2's control tokens, and not a word besides.

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

from __future__ import annotations

from editd.instruction import read
from editd.prompts.base import Prompt, PromptParts
from editd.prompts.sections import instruction_text

TEXT, INSTRUCTION, END = "<|im_start|>", "<file_sep>", "<|im_end|>"
"""Before a region, before an instruction, and the end of an answer."""


class EmbeddedFormat:
    """Of the adapter that comes with editd."""

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
