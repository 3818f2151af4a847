"""A sketch as an instruction that any instruction model understands.

The wording is for models that were not trained to apply sketches. The sketch stands where every
instruction stands, behind the buffer, so that the buffer's keys and values serve the next one too. It
is in tags, so that the answer's fence is the usual one, and what is wanted is said behind it: small
models do what they read last.
"""

from __future__ import annotations


def sketch_instruction(sketch: str, instruction: str) -> str:
    """What the model is asked: the user's words first, then the sketch, then what to do with it."""
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
