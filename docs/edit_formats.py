# a script to run, not a package
"""Write one true prompt of each format into docs/reference/edit-formats.md; a test compares."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from editd.messages import ContextItem
from editd.prompts.base import PromptParts
from editd.prompts.formats import format_for

PAGE = Path(__file__).parent / "reference" / "edit-formats.md"

PARTS = PromptParts(
    path="src/area.py",
    language="python",
    before="import math\n\n",
    region="def area(r):\n    return math.pi * r * r\n",
    after='\nprint("area", area(2))\n',
    instruction="Rename r to radius.",
    first_line=3,
    context=(ContextItem("diagnostic", "r: name too short", "src/area.py", 2, 3),),
)


SKETCHED = replace(
    PARTS,
    before="",
    region=PARTS.before + PARTS.region + PARTS.after,
    after="",
    instruction="Take the radius.",
    first_line=1,
    sketch="# ... existing code ...\ndef area(radius):\n    return math.pi * radius**2\n# ... existing code ...\n",
    context=(),
)


def example(name: str) -> str:
    """The example prompt of the format ``name``, those told through a chat template through ChatML."""
    edit_format = format_for(name, chatml)
    return edit_format.prompt(SKETCHED if edit_format.refuse(PARTS) else PARTS).text


def chatml(messages: Sequence[dict[str, str]]) -> str:
    """The chat template of the Qwen models and of others, as a stand-in for a tokenizer's."""
    turns = "".join(
        f"<|im_start|>{message['role']}\n{message['content']}<|im_end|>\n" for message in messages
    )
    return f"{turns}<|im_start|>assistant\n"


def with_examples(page: str) -> str:
    """``page`` with each ``<!-- example: NAME -->`` block made anew."""
    return _BLOCK.sub(
        lambda match: f"{match[1]}\n~~~~text\n{example(match[2])}\n~~~~\n{match[3]}", page
    )


_BLOCK = re.compile(r"(<!-- example: ([\w-]+) -->)\n.*?(<!-- end -->)", re.DOTALL)


if __name__ == "__main__":
    PAGE.write_text(with_examples(PAGE.read_text("utf-8")), "utf-8")
