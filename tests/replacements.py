"""The edits of a result, applied as an editor applies them."""

from __future__ import annotations

from collections.abc import Iterable

from editd.diff.hunk import TextReplacement


def apply_replacements(replacements: Iterable[TextReplacement], text: str) -> str:
    """``text`` with the replacements made; they are in order and do not overlap."""
    pieces: list[str] = []
    position = 0
    for replacement in replacements:
        if not position <= replacement.start <= replacement.end <= len(text):
            raise ValueError(
                f"the replacement of {replacement.start} to {replacement.end} is out of order, "
                f"or not in a text of {len(text)} characters"
            )
        pieces += (text[position : replacement.start], replacement.new_text)
        position = replacement.end
    pieces.append(text[position:])
    return "".join(pieces)
