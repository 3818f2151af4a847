"""The number of tokens in lines, counted only where it matters, and the limits of an answer's length."""

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
    """The tokens that an answer needs at least: the region again, and a quarter or 64 more."""
    return region_tokens + max(64, region_tokens // 4)


def max_new_tokens(region_tokens: int, tokens_left: int | None = None, configured: int = 0) -> int:
    """The tokens at which decoding stops if the model does not: twice the region and 1024 more.

    configured: the user's own limit, 0 for none.
    tokens_left: tokens that the context leaves after the prompt; ``None`` for no limit.
    """
    limit = configured if configured > 0 else 2 * region_tokens + 1024
    return max(1, limit if tokens_left is None else min(limit, tokens_left))


class LineMeter:
    """Counts tokens of line ranges of one buffer.

    Bytes bound a count from above (a token has at least one) and, roughly, from below, so a range that cannot fit is
    known before anything is tokenised. Near the limit lines are counted in chunks, each once, until the budget is
    exceeded; a sum of chunks is too high by a token a border at most.

    count_tokens: of a text of at most ``_PIECE`` characters. size: characters of lines ``start .. end``, if that is
    known without looking at them.
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
        """The number of tokens in lines ``start .. end`` (end exclusive), too high by one at most
        for each piece that is tokenised apart (a chunk of lines, or ``_PIECE`` characters of
        it); beyond ``most``, some number above it. Remembers the counts of chunks and of parts of
        them, and lets other work run meanwhile (``yield_point``).
        """
        total = 0
        for piece in _chunks(start, end):
            total += self._chunk(*piece, most - total)
            if total > most:
                break
        return total

    def estimate(self, start: int, end: int) -> int:
        """About how many tokens lines ``start .. end`` (end exclusive) have: counted up to 32,768
        characters, else scaled up from eight samples.
        """
        size = self.size(start, end)
        if size <= _EXACT_CHARACTERS:
            return self.tokens(start, end)
        step = max(1, (end - start) // _SAMPLES)
        samples = [self._beginning(at, end) for at in range(start, end, step)[:_SAMPLES]]
        return round(size * sum(map(self._count, samples)) / max(1, sum(map(len, samples))))

    def fits(self, region: tuple[int, int], shown: tuple[int, int], budget: int) -> bool:
        """Whether a prompt that shows lines ``shown`` and rewrites lines ``region`` leaves room for
        the answer within ``budget`` tokens.

        A region that is not all that is shown is in the prompt twice: in the buffer and, named,
        after it. Counts only as much as decides it.
        """
        is_alone = region == shown

        largest = budget * MOST_BYTES_PER_TOKEN
        if self._needed_tokens(self.size(*region), self.size(*shown), is_alone) > largest:
            return False  # a character has at least one byte
        region_size = self._bytes(*region, largest)
        size = self._needed_tokens(region_size, self._bytes(*shown, largest), is_alone)
        if size <= budget:
            return True
        if size > largest:
            return False
        # Whole chunks are counted anyway; what they hold beside these lines rarely matters.
        bounds = []
        for start, end in (region, shown):
            least = self._inner(start, end, budget)
            bounds.append((least, least + self._edges(start, end)))
            if self._needed_tokens(0, least, alone=True) > budget:
                return False
        (least, most), (shown_least, shown_most) = bounds
        if self._needed_tokens(least, shown_least, is_alone) > budget:
            return False
        if self._needed_tokens(most, shown_most, is_alone) <= budget:
            return True
        exact = self.tokens(*region, most=budget)
        return self._needed_tokens(exact, self.tokens(*shown, most=budget), is_alone) <= budget

    def _inner(self, start: int, end: int, most: int) -> int:
        """Tokens of the whole chunks in ``start .. end``, counted until ``most``."""
        first, last = -(-start // _CHUNK) * _CHUNK, end // _CHUNK * _CHUNK
        return self.tokens(first, last, most) if first < last else 0

    def _edges(self, start: int, end: int) -> int:
        """An upper limit for the tokens of the lines of ``start .. end`` that are in no whole chunk: those of all of
        the chunks that they lie in, unless these are long. Counts are remembered.
        """
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
        """Tokens of lines within one chunk, counted once and then remembered; beyond ``most``, some
        number above it, not remembered. Lets other work run after each ``_PIECE`` characters
        (``yield_point``).
        """
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
        """A count made before of lines within one chunk; -1 if there is none, 0 for no lines."""
        if end - start == _CHUNK:
            return self._known_tokens[start // _CHUNK]
        return self._known_parts.get((start, end), -1) if start < end else 0

    def _bytes(self, start: int, end: int, most: int) -> int:
        """UTF-8 bytes of lines ``start .. end``; beyond ``most``, some number above it. Whole chunks are counted
        once, and then remembered. Lets other work run meanwhile.
        """
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
        """The first 1,024 characters of lines ``at .. end``, for a sample; shorter if these are."""
        text = ""
        while at < end and len(text) < _PIECE // _SAMPLES:
            text += self._lines[at]
            at += 1
        return text[: _PIECE // _SAMPLES]

    @staticmethod
    def _needed_tokens(region: int, shown: int, alone: bool) -> int:  # noqa: FBT001 - private
        """The tokens of a prompt and its answer. alone: only the region is shown."""
        return shown + (0 if alone else region) + expected_answer_tokens(region)


def count_in_pieces(text: str, count_tokens: Callable[[str], int]) -> int:
    """Tokens of a whole text, counted in pieces of 8,192 characters, so too high by one a piece at most. Lets other
    work run after each piece.
    """
    total = 0
    for at in range(0, len(text), _PIECE):
        total += count_tokens(text[at : at + _PIECE])
        yield_point()
    return total


def _chunks(start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield the lines ``start .. end`` in ranges, cut at multiples of ``_CHUNK``; none if there are
    no lines.
    """
    while start < end:
        stop = min(end, (start // _CHUNK + 1) * _CHUNK)
        yield start, stop
        start = stop


def _sizes_of(lines: Sequence[str]) -> Callable[[int, int], int]:
    """A function that gives the characters of lines ``start .. end``."""
    offsets = [0, *accumulate(map(len, lines))]
    return lambda start, end: offsets[max(start, end)] - offsets[start]
