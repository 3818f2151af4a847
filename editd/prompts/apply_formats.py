"""The formats of models that were trained to put a sketch into a file, and for nothing else.

Their texts are the models' own, byte for byte: FastApply's from its card, Osmosis-Apply's from its client, the
message form as hosted apply models take it, with the system text that local servers of it send to chat models. All go
through the model's chat template. A region is given as a file of its own, as the models were trained; context items
have no place.
"""

from __future__ import annotations

from editd.errors import ModelUnsupported
from editd.prompts.base import Prompt, PromptParts, RenderChat, instruction_text, template_around


class ApplyFormat:
    """The format ``name`` of the registry, with the model's own ``texts``."""

    def __init__(self, name: str, texts: _Texts, render_chat: RenderChat | None) -> None:
        self.name = name
        self._texts = texts
        self._render_chat = render_chat

    def prompt(self, parts: PromptParts) -> Prompt:
        """The prompt, with the tag that opens the answer, if the model has one. The sketch is merged into the
        region or, if there is one, the earlier answer; without a sketch the instruction stands for it. The answer
        ends at the model's closing tag, or with the model's stop token if the code or the sketch has this tag.

        Raises ``ModelUnsupported`` without a chat template, or for one that does not repeat the messages.
        """
        texts = self._texts
        code = parts.region if parts.based_on is None else parts.based_on
        sketch = parts.sketch if parts.sketch is not None else parts.instruction
        purpose = instruction_text(parts.instruction) if parts.sketch is not None else ""
        user = texts.user(code, sketch.removesuffix("\n"), purpose)
        head, middle, tail = self._template_parts(texts.system)
        # A text that holds the closing tag itself would end there: then only the stop token ends it.
        closing = "" if texts.closing and texts.closing in code + sketch else texts.closing
        system = [(head, True), (texts.system, False)]
        return Prompt.of(
            [*system, (middle, True), (user, False), (tail, True), (texts.opening, False)],
            opening=texts.opening,
            fence=closing,
        )

    def refuse(self, parts: PromptParts) -> str | None:
        """A sentence for the user if there is no sketch, since these models write nothing
        themselves; else ``None``.
        """
        if parts.sketch is not None:
            return None
        return (
            "This model merges changes into a file and takes no instructions: "
            "give it the change (editd apply), or choose another model."
        )

    def _template_parts(self, system: str) -> tuple[str, str, str]:
        """The text that the chat template puts before, between and after the two messages; of an
        empty ``system`` nothing is between.

        Raises ``ModelUnsupported`` without a chat template, or for one that does not repeat the
        messages.
        """
        if self._render_chat is None:
            raise ModelUnsupported(
                f'This model has no chat template, which the format "{self.name}" needs: choose '
                "another model."
            )
        messages: list[tuple[str, None]] = [("system", None)] if system else []
        *head, middle, tail = template_around(self._render_chat, [*messages, ("user", None)])
        return "".join(head), middle, tail


class _Texts:
    """The texts of a model: system message, user message, and the tags around the answer."""

    system = ""
    opening = ""
    closing = ""

    def user(self, code: str, sketch: str, instruction: str) -> str:
        """The user's message. instruction: the sketch's purpose; may be empty."""
        raise NotImplementedError


class FastApply(_Texts):
    """Kortix FastApply (1.5B, 7B) and FastEdit, which shares its texts."""

    system = (
        "You are a coding assistant that helps merge code updates, ensuring every modification is "
        "fully integrated."
    )
    opening, closing = "<updated-code>", "</updated-code>"

    def user(self, code: str, sketch: str, instruction: str) -> str:
        purpose = f"Instruction: {instruction}\n" if instruction else ""
        return (
            "Merge all changes from the <update> snippet into the <code> below.\n"
            f"{purpose}"
            "- Preserve the code's structure, order, comments, and indentation exactly.\n"
            "- Output only the updated code, enclosed within <updated-code> and </updated-code> "
            "tags.\n"
            "- Do not include any additional text, explanations, placeholders, ellipses, or code "
            "fences.\n\n"
            f"<code>{code}</code>\n\n<update>{sketch}</update>\n\nProvide the complete updated code."
        )


class OsmosisApply(_Texts):
    """Osmosis-Apply (1.7B), which takes no instruction."""

    system = """
You are a helpful assistant for a code editor that applies an edit to code to merge them together. That is, you will be given code wrapper in <code> tags and an edit wrapped in <edit> tags, and you will apply the edit to the code.

For example:

<code>
CODE_SNIPPET
</code>

<edit>
EDIT_SNIPPET
</edit>

The code is any type of code and the edit is in the form of:

// ... existing code ...
FIRST_EDIT
// ... existing code ...
SECOND_EDIT
// ... existing code ...
THIRD_EDIT
// ... existing code ...

The merged code must be exact with no room for any errors. Make sure all whitespaces are preserved correctly. A small typo in code will cause it to fail to compile or error out, leading to poor user experience.

Output the code wrapped in <code> tags.
"""
    opening, closing = "<code>\n", "</code>"

    def user(self, code: str, sketch: str, instruction: str) -> str:  # noqa: ARG002
        bare = code.removesuffix("\n")
        return f"<code>\n{bare}\n</code>\n\n\n<edit>\n{sketch}\n</edit>"


class UpdateMessage(_Texts):
    """``<instruction>/<code>/<update>``, answered with the merged file and nothing around it."""

    system = """You are a precise code merging assistant. Your task is to merge code edits into original files.

RULES:
1. Output ONLY the complete merged code, no explanations
2. Preserve exact indentation and formatting from the original
3. Apply edits exactly as specified in the <update> block
4. Expand "// ... existing code ..." placeholders with original code
5. Handle deletions: if two non-placeholder context lines are adjacent in <update> with no marker between them, remove the original code between those lines
6. Do NOT wrap output in markdown code fences unless the original was
7. Preserve trailing newlines exactly as in the original

The user will provide:
- <instruction>: Optional guidance on the edit intent
- <code>: The original file content
- <update>: The edit snippet to merge
"""

    def user(self, code: str, sketch: str, instruction: str) -> str:
        purpose = f"<instruction>{instruction}</instruction>\n" if instruction else ""
        return f"{purpose}<code>{code}</code>\n<update>{sketch}</update>"
