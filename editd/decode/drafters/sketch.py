"""A sketch (an assistant's answer) as the draft: a cursor through the likeliest merge, and another through the buffer.

While the output follows the likeliest merge, that is drafted: at a marker the buffer goes on until the sketch's next
line, which is what the merge is. Where the output leaves it, the unchanged buffer is drafted, for lines that the
merge took away.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import replace
from itertools import accumulate

from editd.decode.drafters.base import DraftTask
from editd.decode.drafters.buffer import BufferDrafter
from editd.decode.drafters.guesses import PRESETS, DraftChoice, Guesser, GuessTree


class SketchDrafter(Guesser):
    """Drafts the likeliest merge, then the buffer; the buffer alone without ``DraftTask.merged``.

    Presets as of ``buffer``.
    """

    def __init__(self, task: DraftTask, preset: str) -> None:
        self.name = "sketch" if preset == PRESETS[0] else f"sketch:{preset}"
        self.choice = DraftChoice(task, preset)
        self._buffer = self._merged = BufferDrafter(task, preset)
        if task.merged:
            self._merged = _MergeDrafter(task, preset)

    def grow(
        self, tree: GuessTree, output_ids: Sequence[int], max_tokens: int, share: float
    ) -> float:
        """Add to ``tree`` the tokens of the merge, and those of the buffer while the output is not
        copying the merge; returns the chance that is left, as ``BufferDrafter.grow`` does.
        """
        left = self._merged.grow(tree, output_ids, max_tokens, share)
        if self._merged.synced or self._merged is self._buffer:
            return left
        ahead = tree.ahead
        left *= self._buffer.grow(tree, output_ids, max_tokens, share * left)
        tree.ahead = ahead
        return left


class _MergeDrafter(BufferDrafter):
    """The buffer drafter on the likeliest merge, which knows the origin of each part."""

    def __init__(self, task: DraftTask, preset: str) -> None:
        text = "".join(piece for piece, _ in task.merged)
        super().__init__(replace(task, prediction=text), preset)
        sizes = [len(piece.encode()) for piece, _ in task.merged]
        self._ends = list(accumulate(sizes))
        self._is_sketch = [source == "sketch" for _, source in task.merged]

    def _slice(self, start: int, count: int) -> tuple[Sequence[int], str | Sequence[str]]:
        """As ``BufferDrafter._slice``, with the source ``sketch`` for tokens from the sketch."""
        ids, sources = super()._slice(start, count)
        buffer = self._substituted or self._text.plain()
        token_sources = [sources] * len(ids) if isinstance(sources, str) else list(sources)
        for number, token in enumerate(range(start, start + len(ids))):
            first = buffer.origins[token]
            last = buffer.origins[token + 1] if token + 1 < len(buffer.origins) else self._ends[-1]
            if self._from_sketch(first) or self._from_sketch(max(first, last - 1)):
                token_sources[number] = "sketch"
        return ids, token_sources

    def _from_sketch(self, byte: int) -> bool:
        """Whether a byte of the merge is from the sketch."""
        number = bisect_right(self._ends, byte)
        return number < len(self._is_sketch) and self._is_sketch[number]
