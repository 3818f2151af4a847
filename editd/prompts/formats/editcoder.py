"""The format that the EditCoder models were trained on (Cassano et al., 2023, "Can It Edit?").

Byte for byte as the models' card gives it: the code, the instruction, the code again, each under
its heading and followed by one newline. The models saw snippets and wrote them anew, so a selection
is given as a snippet of its own: the text around it is not shown. Context items have no place here.
"""

from __future__ import annotations

from editd.prompts.base import Prompt, PromptParts
from editd.prompts.sections import asked_text


class EditCoderFormat:
    """Code before, instruction, code after; ended by the model's own stop token."""

    name = "editcoder"

    def prompt(self, parts: PromptParts) -> Prompt:
        """The region as the code before. An earlier answer takes its place."""
        region = parts.region if parts.based_on is None else parts.based_on
        instruction = asked_text(parts)
        opening = "## Code After:\n"
        text = f"## Code Before:\n{region}\n## Instruction:\n{instruction}\n{opening}"
        return Prompt.of([(text, False)], opening=opening)

    def refuse(self, parts: PromptParts) -> str | None:  # noqa: ARG002 - it tries anything
        """Nothing is refused."""
        return None
