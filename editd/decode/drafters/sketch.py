"""A sketch as the draft: a cursor through the likeliest merge, and one through what was pasted.

While the output follows the likeliest merge, that is drafted: at a marker the buffer goes on until the
sketch's next line, which is what the merge is. Where the output leaves it, the paste is looked at: the
line that is being written, if it is one of the paste's, goes on as there, and behind its last line the
buffer goes on where it was left. The buffer as it is comes last, for what the merge took away.

Worked example. Buffer ``a b c``, paste ``… b x …``, and the merge had put ``x`` nowhere. The output is
``a b x``: it leaves the merge at ``x``, which begins a line of the paste; the draft is the rest of that
line, the lines behind it up to the marker, and then ``c``.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from itertools import accumulate

from editd.decode.drafters.base import DraftTask
from editd.decode.drafters.buffer import BufferDrafter
from editd.decode.drafters.guesses import PRESETS, Choice, Guesser, GuessTree
from editd.decode.drafters.substitutions import PlainText

_MOST_LINES = 8  # of the paste that begin like the one being written
_LONGEST_MATCH = 64
_CHANCE = 0.9  # that a line that has begun like one of the paste goes on like it
_ONWARD = 3.0  # how much likelier one further on in the paste is than one that was passed
_HELD = 24.0  # a part of the paste is copied as if it had held for so many tokens more
_RESUMED = 6  # tokens of the part's end that say where the buffer goes on


class SketchDrafter(Guesser):
    """Drafts the likeliest merge, then the paste, then the buffer. Presets as of ``buffer``.

    Needs ``DraftTask.merged``; without one it drafts the buffer.
    """

    def __init__(self, task: DraftTask, preset: str = PRESETS[0]) -> None:
        self.name = "sketch" if preset == PRESETS[0] else f"sketch:{preset}"
        self.choice = Choice(task, preset)
        self._buffer = self._merged = BufferDrafter(task, preset)
        written: list[list[int]] = []
        if task.merged:
            self._merged = _Merged(task, preset)
            written = [task.codec.encode(text, "\n") for text in task.written]
        self._written = _Written(task, written)

    def grow(
        self, tree: GuessTree, output_ids: Sequence[int], max_tokens: int, share: float
    ) -> float:
        left = self._merged.grow(tree, output_ids, max_tokens, share)
        if self._merged.synced or self._merged is self._buffer:
            return left
        ahead = self._merged.ahead
        left *= self._written.grow(tree, output_ids, max_tokens, share * left, ahead)
        gone_on = tree.ahead
        left *= self._buffer.grow(tree, output_ids, max_tokens, share * left)
        tree.ahead = gone_on
        return left


class _Merged(BufferDrafter):
    """The buffer drafter on the likeliest merge: which of its text is the buffer's is known."""

    def __init__(self, task: DraftTask, preset: str) -> None:
        text = "".join(piece for piece, _ in task.merged)
        closed = text if not task.answer_closing else _closed(text, task.answer_closing)
        read = PlainText(closed, task.answer_opening, task.codec)
        super().__init__(replace(task, prediction=text), preset, read)
        sizes = [len(piece.encode()) for piece, _ in task.merged]
        self._ends = list(accumulate(sizes))
        self._is_sketch = [source == "sketch" for _, source in task.merged]

    def _slice(self, start: int, count: int) -> tuple[Sequence[int], str | Sequence[str]]:
        ids, sources = super()._slice(start, count)
        buffer = self._substituted or self._text.plain()
        told = [sources] * len(ids) if isinstance(sources, str) else list(sources)
        for number, token in enumerate(range(start, start + len(ids))):
            first = buffer.origins[token]
            last = buffer.origins[token + 1] if token + 1 < len(buffer.origins) else self._ends[-1]
            if self._from_sketch(first) or self._from_sketch(max(first, last - 1)):
                told[number] = "sketch"
        return ids, told

    def _from_sketch(self, byte: int) -> bool:
        number = bisect_right(self._ends, byte)
        return number < len(self._is_sketch) and self._is_sketch[number]


class _Written:
    """The parts of the paste as they were written, and where in them the output may be."""

    def __init__(self, task: DraftTask, parts: Sequence[Sequence[int]]) -> None:
        self._codec = task.codec
        self._ids = [token_id for part in parts for token_id in part]
        self._ends: list[int] = list(accumulate(map(len, parts)))
        self._starts = {0, *self._ends}  # indices at which a line begins
        self._places: dict[int, list[int]] = defaultdict(list)
        for index, token_id in enumerate(self._ids):
            self._places[token_id].append(index)
            if self._ends_line(token_id):
                self._starts.add(index + 1)
        self._passed = 0  # up to where the paste has surely been written

    def grow(
        self,
        tree: GuessTree,
        output_ids: Sequence[int],
        max_tokens: int,
        share: float,
        ahead: Sequence[int],
    ) -> float:
        """Add continuations of lines of the paste; returns the chance that none of them is meant.

        ahead: how the merge goes on where the output left it.
        """
        found = self._matches(output_ids)
        if not found:
            return 1.0
        if len(found) == 1 and found[0][1] > _RESUMED:
            self._passed = max(self._passed, found[0][0])
        total = sum(weight for _, _, weight in found)
        for place, held, weight in found:
            end = self._ends[bisect_right(self._ends, place)] if place < len(self._ids) else place
            rest = self._ids[place:end]
            on = self._resumed(end, ahead)
            ids = [*rest, *on][:max_tokens]
            sources = ["sketch"] * min(len(rest), len(ids)) + ["buffer"] * (len(ids) - len(rest))
            chance = _CHANCE * weight / total
            tree.add_copy(-1, ids, chance * share, held + _HELD, sources)
        return 1.0 - _CHANCE

    def _matches(self, output_ids: Sequence[int]) -> list[tuple[int, int, float]]:
        """Indices behind a beginning of a line that the output ends with; how long it agrees, a weight."""
        if not output_ids:
            return []
        found = []
        for index in self._places.get(output_ids[-1], ()):
            held, most = 0, min(index + 1, len(output_ids), _LONGEST_MATCH)
            begins = 0  # how many of the agreeing tokens reach back to the beginning of a line
            while held < most and self._ids[index - held] == output_ids[-1 - held]:
                held += 1
                if index + 1 - held in self._starts and self._line_begins(output_ids, held):
                    begins = held
            if begins:
                onward = _ONWARD if index + 1 > self._passed else 1.0
                found.append((index + 1, held, (1 + held) ** 2 * onward))
        found.sort(key=lambda match: (-match[2], match[0]))
        return found[:_MOST_LINES]

    def _line_begins(self, output_ids: Sequence[int], back: int) -> bool:
        """Whether a line of the output begins so many tokens before its end."""
        return len(output_ids) <= back or self._ends_line(output_ids[-1 - back])

    def _ends_line(self, token_id: int) -> bool:
        return self._codec.token_bytes(token_id)[-1:] == b"\n"

    def _resumed(self, end: int, ahead: Sequence[int]) -> Sequence[int]:
        """The merge behind the part that ends here: behind the same line, or where it was left."""
        tail = self._ids[max(0, end - _RESUMED) : end]
        for size in range(len(tail), 2, -1):
            for at in range(min(len(ahead) - size + 1, 512)):
                if list(ahead[at : at + size]) == tail[-size:]:
                    return ahead[at + size :]
        return ahead


def _closed(text: str, closing: str) -> str:
    return f"{text}{closing}" if not text or text.endswith("\n") else f"{text}\n{closing}"
