"""A sketch as an instruction that any instruction model understands.

The wording is for models that were not trained to apply sketches. The sketch stands where every
instruction stands, behind the buffer, so that the buffer's keys and values serve the next one too.
"""

from __future__ import annotations

import re


def sketch_instruction(sketch: str, instruction: str) -> str:
    """What the model is asked: the sketch in a fence that it cannot close, the user's words first."""
    body = sketch.replace("\r\n", "\n").replace("\r", "\n").strip("\n")
    longest = max((len(run) for run in re.findall(r"`{3,}", body)), default=2)
    fence = "`" * max(3, longest + 1)
    wish = f"{instruction.strip()}\n\n" if instruction.strip() else ""
    return f"{wish}{_TOLD}\n\n{fence}\n{body}\n{fence}"


_TOLD = (
    "Put the following update into the text. A line such as “... existing code ...” in it stands for "
    "lines of the text that stay as they are: write those lines out. Lines of the update that the "
    "text has already only show where the new ones belong. Where two such lines stand side by side, "
    "remove what is between them in the text. Change nothing else."
)
