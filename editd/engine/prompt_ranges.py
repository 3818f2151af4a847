"""Finds the buffer in a prompt, in tokens, so that copies from it are recognised.

Prompts also hold the instruction, diagnostics and worked examples; a format may show the buffer in
one piece or in several.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from itertools import accumulate

from editd.decode.drafters.base import Codec
from editd.prompts.base import PromptParts


def buffer_in(
    parts: PromptParts, prompt_ids: Sequence[int], codec: Codec
) -> tuple[tuple[int, int], ...]:
    """Ranges of prompt tokens that spell nothing but shown text of the buffer, in order.

    Ambiguous pieces are left out: a piece that occurs in several places matches none of them.
    """
    spelled = [codec.token_bytes(token_id) for token_id in prompt_ids]
    text = b"".join(spelled)
    starts = [0, *accumulate(map(len, spelled))]
    ranges = []
    whole = (parts.before + parts.region + parts.after).encode()
    pieces = [whole]
    if whole not in text:
        pieces = [piece.encode() for piece in (parts.before, parts.region, parts.after)]
    for piece in pieces:
        # The last line end may be missing where the format closes a fence behind it.
        bare = piece.rstrip(b"\n")
        at = text.find(bare)
        if not bare or at < 0 or text.find(bare, at + 1) >= 0:
            continue
        end = at + len(bare)
        if text[end : end + 1] == b"\n" and piece != bare:
            end += 1
        first, stop = bisect_left(starts, at), bisect_right(starts, end) - 1
        if first < stop:
            ranges.append((first, stop))
    return tuple(sorted(ranges))
