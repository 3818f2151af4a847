"""The buffer, where a request does not say it: it is in the prompt.

Knows the shapes in which prompts hold a text that is to come back changed: editd's own formats,
the tags of apply models, fences. A wrong find costs speed and nothing else.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from editd.diff.document import split_lines
from editd.models.text.codec import ModelCodec
from editd.prompts.formats import INSTRUCTION, TEXT
from editd_vllm.fields import Fields

Piece = tuple[str, str]
"""The word of a control token, empty for the first piece, and the text that follows it."""


def find(codec: ModelCodec, prompt_ids: Sequence[int]) -> Fields | None:
    """Fields that the prompt itself implies, by the forms of edit prediction and apply models; ``None`` if it has none."""
    pieces = _cut(codec, prompt_ids)
    text = "".join(text for _, text in pieces)
    return _between_tokens(pieces) or _headed(text) or _tagged(text) or _fenced(pieces)


def _cut(codec: ModelCodec, prompt_ids: Sequence[int]) -> list[Piece]:
    """The prompt's text, cut at its control tokens."""
    pieces, word, start = [], "", 0
    for index, token_id in enumerate(prompt_ids):
        if not codec.token_bytes(token_id):
            pieces.append((word, codec.decode(prompt_ids[start:index])))
            word, start = codec.word_of(token_id), index + 1
    return [*pieces, (word, codec.decode(prompt_ids[start:]))]


def _between_tokens(pieces: Sequence[Piece]) -> Fields | None:
    """The format ``embedded``: ``<text>REGION<instruction>WORDS<text>``."""
    last = pieces[-3:]
    words = tuple(word for word, _ in last)
    if words != (TEXT, INSTRUCTION, TEXT) or last[2][1]:
        return None
    return Fields(prediction=last[0][1])


def _headed(text: str) -> Fields | None:
    """The format ``editcoder``: the code, the instruction, each under its heading."""
    before, words, after = "## Code Before:\n", "\n## Instruction:\n", "## Code After:\n"
    region, middle, _ = text.partition(before)[2].rpartition(words)
    if not middle or not text.endswith(after):
        return None
    return Fields(prediction=region, prediction_opening=after)


def _tagged(text: str) -> Fields | None:
    """The fields of an apply model's prompt, ``<code>FILE</code> <update>SKETCH</update>``; ``None`` for another."""
    for tag in ("code", "original_code"):
        start, end = text.find(f"<{tag}>"), text.rfind(f"</{tag}>")
        update = _UPDATE.match(text, end + len(tag) + 3)
        if 0 <= start < end and update:
            return Fields(prediction=text[start + len(tag) + 2 : end].strip("\n"))
    return None


_UPDATE = re.compile(r"\s*<(?:update|update_snippet|code_edit|edit)>")


def _fenced(pieces: Sequence[Piece]) -> Fields | None:
    """A fenced block: the one that editd names as what to rewrite, else the longest.

    Where the prompt ends in an open fence (editd's ``chat`` and ``plain``), that is the answer's. Else
    the model writes the fences itself, so they are predicted too. Of several turns the last one with a
    block counts.
    """
    answer = _blocks(pieces[-1][1])[1]
    for _, text in reversed(pieces):
        blocks, _open = _blocks(text)
        if not blocks:
            continue
        named = [block for block in blocks if block.is_named]
        block = named[-1] if named else max(blocks, key=lambda block: len(block.body))
        if answer is None:
            return Fields(prediction=block.opening + block.body + block.closing)
        return Fields(
            prediction=block.body,
            prediction_opening=answer,
            prediction_closing=_fence_of(answer),
        )
    return None


@dataclass(frozen=True, slots=True)
class _Block:
    """opening, closing: its fence lines. is_named: whether editd says that it is to be rewritten."""

    opening: str
    body: str
    closing: str
    is_named: bool


def _blocks(text: str) -> tuple[list[_Block], str | None]:
    """The closed blocks, and the line that opens one at the very end of ``text``."""
    blocks: list[_Block] = []
    lines = split_lines(text)
    opened: int | None = None
    for number, line in enumerate(lines):
        fence = _fence_of(line)
        if opened is None:
            opened = number if fence else None
        elif fence == line.strip() and fence == _fence_of(lines[opened]):
            heading = "".join(lines[max(opened - 2, 0) : opened]).rstrip()
            body = "".join(lines[opened + 1 : number])
            blocks.append(_Block(lines[opened], body, fence, heading.endswith(_NAMED)))
            opened = None
    is_last = opened is not None and opened == len(lines) - 1
    return blocks, lines[-1] if is_last else None


def _fence_of(line: str) -> str:
    """The run of backticks or tildes that a fence line begins with; empty for another line."""
    match = _FENCE.match(line)
    return match[0] if match else ""


_FENCE = re.compile(r"`{3,}(?=[^`\n]*\n?\Z)|~{3,}")
# What stands before a block that is to be rewritten (``prompts.formats`` and ``plain``).
_NAMED = ("which read:", "which are to change", "to be improved on:", "to be improved on")
