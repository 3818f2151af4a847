"""How many tokens lines cost, counted only where it matters, and how long an answer may get."""

from __future__ import annotations

import sys
from array import array
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate

from editd.turns import yield_point

# No tokenizer puts more bytes than this into a token on average over a whole buffer: source has
# three or four, and only columns of blanks come near.
MOST_BYTES_PER_TOKEN = 32
_PIECE = 8192  # characters that are tokenised in one call
_EXACT_CHARACTERS = 4 * _PIECE  # above this a message gets an estimate
_SAMPLES = 8
_CHUNKS_A_PIECE = 1000
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

    Bytes bound a count from above (a token has at least one) and, roughly, from below, so what
    cannot fit is known before anything is tokenised. Near the limit lines are counted in chunks,
    each once, until the budget is exceeded; a sum of chunks is too high by a token a border at most.

    count_tokens: of a text of at most ``_PIECE`` characters. size: characters of lines
    ``start .. end``, where that is known without looking at them.
    """

    def __init__(
        self,
        lines: Sequence[str],
        count_tokens: Callable[[str], int],
        size: Callable[[int, int], int] | None = None,
    ) -> None:
        self._lines = lines
        self._count = count_tokens
        self.size = size or _sizes_of(lines)
        # Of whole chunks, which may be many (-1: not counted yet), and of parts of one.
        chunks = range(-(-len(lines) // _CHUNK))
        self._known_tokens = array("q", [-1]) * len(chunks)
        self._known_bytes = array("q", [-1]) * len(chunks)
        self._known_parts: dict[tuple[int, int], int] = {}

    def tokens(self, start: int, end: int, most: int = sys.maxsize) -> int:
        """The count for lines ``start .. end``; beyond ``most``, some number above it."""
        total = 0
        for piece in _chunks(start, end):
            total += self._chunk(*piece, most - total)
            if total > most:
                break
        return total

    def about(self, start: int, end: int) -> int:
        """The count for a message: exact for small ranges, else scaled up from a sample."""
        size = self.size(start, end)
        if size <= _EXACT_CHARACTERS:
            return self.tokens(start, end)
        step = max(1, (end - start) // _SAMPLES)
        samples = [self._beginning(at, end) for at in range(start, end, step)[:_SAMPLES]]
        return round(size * sum(map(self._count, samples)) / max(1, sum(map(len, samples))))

    def fits(self, region: tuple[int, int], shown: tuple[int, int], budget: int) -> bool:
        """Whether a prompt that shows ``shown`` and rewrites ``region`` leaves room for the answer.

        A region that is not all that is shown is in the prompt twice: in the buffer and,
        named, after it.
        """
        alone = region == shown

        largest = budget * MOST_BYTES_PER_TOKEN
        if self._cost(self.size(*region), self.size(*shown), alone) > largest:
            return False  # a character has at least one byte
        region_size = self._bytes(*region, largest)
        size = self._cost(region_size, self._bytes(*shown, largest), alone)
        if size <= budget:
            return True
        if size > largest:
            return False
        # Whole chunks are counted anyway; what they hold beside these lines rarely matters.
        bounds = []
        for start, end in (region, shown):
            least = self._inner(start, end, budget)
            bounds.append((least, least + self._edges(start, end)))
            if self._cost(0, least, alone=True) > budget:
                return False
        (least, most), (shown_least, shown_most) = bounds
        if self._cost(least, shown_least, alone) > budget:
            return False
        if self._cost(most, shown_most, alone) <= budget:
            return True
        exact = self.tokens(*region, most=budget)
        return self._cost(exact, self.tokens(*shown, most=budget), alone) <= budget

    def _inner(self, start: int, end: int, most: int) -> int:
        """Tokens of the whole chunks in ``start .. end``, as far as ``most``."""
        first, last = -(-start // _CHUNK) * _CHUNK, end // _CHUNK * _CHUNK
        return self.tokens(first, last, most) if first < last else 0

    def _edges(self, start: int, end: int) -> int:
        """At most so many tokens have the lines of ``start .. end`` that are in no whole chunk."""
        total = 0
        for at in {start // _CHUNK * _CHUNK, end // _CHUNK * _CHUNK}:
            low, high = max(start, at), min(end, at + _CHUNK)
            around = at, min(at + _CHUNK, len(self._lines))
            if low >= high or (low, high) == (at, at + _CHUNK):
                continue
            if self.size(*around) > _PIECE:
                around = low, high  # long lines that may not concern us
            total += self._chunk(*around)
        return total

    def _chunk(self, start: int, end: int, most: int = sys.maxsize) -> int:
        known = self._known(start, end)
        if known >= 0:
            return known
        text = "".join(self._lines[start:end])
        total = 0
        for at in range(0, len(text), _PIECE):
            total += self._count(text[at : at + _PIECE])
            yield_point()
            if total > most:
                return total
        if end - start == _CHUNK:
            self._known_tokens[start // _CHUNK] = total
        else:
            self._known_parts[start, end] = total
        return total

    def _known(self, start: int, end: int) -> int:
        if end - start == _CHUNK:
            return self._known_tokens[start // _CHUNK]
        return self._known_parts.get((start, end), -1) if start < end else 0

    def _bytes(self, start: int, end: int, most: int) -> int:
        total = 0
        for count, (first, last) in enumerate(_chunks(start, end)):
            if count % _CHUNKS_A_PIECE == _CHUNKS_A_PIECE - 1:
                yield_point()
            whole_chunk = last - first == _CHUNK
            size = self._known_bytes[first // _CHUNK] if whole_chunk else -1
            if size < 0:
                size = len("".join(self._lines[first:last]).encode("utf-8", "replace"))
            if whole_chunk:
                self._known_bytes[first // _CHUNK] = size
            total += size
            if total > most:
                break
        return total

    def _beginning(self, at: int, end: int) -> str:
        """The beginning of lines ``at .. end``, for a sample."""
        text = ""
        while at < end and len(text) < _PIECE // _SAMPLES:
            text += self._lines[at]
            at += 1
        return text[: _PIECE // _SAMPLES]

    @staticmethod
    def _cost(region: int, shown: int, alone: bool) -> int:  # noqa: FBT001 - private
        return shown + (0 if alone else region) + expected_answer_tokens(region)


def count_in_pieces(text: str, count_tokens: Callable[[str], int]) -> int:
    """Tokens of a whole text, too high by one a piece at most."""
    total = 0
    for at in range(0, len(text), _PIECE):
        total += count_tokens(text[at : at + _PIECE])
        yield_point()
    return total


def _chunks(start: int, end: int) -> Iterator[tuple[int, int]]:
    """``start .. end`` cut at multiples of ``_CHUNK``."""
    while start < end:
        stop = min(end, (start // _CHUNK + 1) * _CHUNK)
        yield start, stop
        start = stop


def _sizes_of(lines: Sequence[str]) -> Callable[[int, int], int]:
    offsets = [0, *accumulate(map(len, lines))]
    return lambda start, end: offsets[max(start, end)] - offsets[start]
