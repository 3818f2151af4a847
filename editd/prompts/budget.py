"""How many tokens lines cost, counted only where it matters, and how long an answer may get."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import accumulate, pairwise

# No tokenizer puts more bytes than this into a token on average over a whole buffer: source has
# three or four, and only columns of blanks come near.
_MOST_BYTES_PER_TOKEN = 32
_EXACT_BYTES = 200_000  # above this a message gets an estimate
_CHUNK = 32  # lines that are counted together


def expected_answer_tokens(region_tokens: int) -> int:
    """What an answer needs at least to be tried: the region again, and room to grow by a quarter."""
    return region_tokens + max(64, region_tokens // 4)


def max_new_tokens(region_tokens: int, room: int | None = None, configured: int = 0) -> int:
    """Where decoding stops if the model does not: twice the region and 1024 tokens more.

    configured: the user's own limit, 0 for none. room: what the context leaves after the prompt.
    """
    limit = configured if configured > 0 else 2 * region_tokens + 1024
    return max(1, limit if room is None else min(limit, room))


class LineMeter:
    """Token counts of line ranges of one buffer.

    Bytes bound a count from above (a token has at least one) and, roughly, from below, so a
    50,000-line file is not tokenised to learn that it does not fit. Near the limit lines are
    counted in chunks, each once; a sum of chunks is too high by a token a border at most.
    """

    def __init__(self, lines: Sequence[str], count_tokens: Callable[[str], int]) -> None:
        self._lines = lines
        self._count = count_tokens
        self._bytes = [0, *accumulate(len(line.encode("utf-8", "replace")) for line in lines)]
        self._known: dict[tuple[int, int], int] = {}

    def tokens(self, start: int, end: int) -> int:
        """The count for lines ``start .. end``."""
        borders = [start, *range((start // _CHUNK + 1) * _CHUNK, end, _CHUNK), end]
        return sum(self._chunk(*piece) for piece in pairwise(borders))

    def about(self, start: int, end: int) -> int:
        """The count for a message: exact for small ranges, else scaled up from a sample."""
        size = self._size(start, end)
        if size <= _EXACT_BYTES:
            return self.tokens(start, end)
        step = max(1, (end - start) // 8)
        sample = [(at, min(at + _CHUNK, end)) for at in range(start, end, step)]
        sampled = max(1, sum(self._size(*piece) for piece in sample))
        return round(size * sum(self.tokens(*piece) for piece in sample) / sampled)

    def fits(self, region: tuple[int, int], shown: tuple[int, int], budget: int) -> bool:
        """Whether a prompt that shows ``shown`` and rewrites ``region`` leaves room for the answer.

        A region that is not all that is shown stands in the prompt twice: in the buffer and,
        named, after it.
        """
        most = self._cost(self._size(*region), self._size(*shown), region == shown)
        if most <= budget:
            return True
        if most > budget * _MOST_BYTES_PER_TOKEN:
            return False
        return self._cost(self.tokens(*region), self.tokens(*shown), region == shown) <= budget

    def _chunk(self, start: int, end: int) -> int:
        if start >= end:
            return 0
        if (start, end) not in self._known:
            self._known[start, end] = self._count("".join(self._lines[start:end]))
        return self._known[start, end]

    def _size(self, start: int, end: int) -> int:
        return self._bytes[max(start, end)] - self._bytes[start]

    @staticmethod
    def _cost(region: int, shown: int, alone: bool) -> int:  # noqa: FBT001 - private
        return shown + (0 if alone else region) + expected_answer_tokens(region)
