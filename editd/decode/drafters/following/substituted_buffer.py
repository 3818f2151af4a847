"""The buffer with the substitutions applied: its tokens, and where each came from.

Text is cut into segments at line starts that are token borders. Only segments in which a rule
applies are tokenised again; the rest keeps its tokens.
"""

from __future__ import annotations

import sys
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

from editd.breathing import breathe
from editd.decode.drafters.base import Codec
from editd.decode.drafters.following.substitutions import Shift, Substitutions

SHIFTED = "\n"  # no rule replaces a line end
REPEATED = "\n#"  # and its number: a hunk that came back
_LEFT_CONTEXT = 1024  # characters before a segment that its first token can depend on
_MOST_REWRITTEN = 1 << 14  # characters a round: tokenising them takes some ten milliseconds
_MOST_SHIFTED = 200  # lines: tokenising them takes a millisecond or two


_Rules = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class SubstitutedBuffer:
    """Draft tokens. ``origins[i]``: byte in the plain text where token ``i`` begins.

    rules[i]: the text that was replaced where token ``i`` stands, ``""`` for plain buffer,
        ``SHIFTED`` for an indentation, ``REPEATED`` and a number for a hunk that came back.
    """

    ids: list[int]
    origins: list[int]
    rules: list[str]

    def index_at(self, origin: int) -> int:
        """The first token that begins at or after that byte of the plain text."""
        return bisect_left(self.origins, origin)


@dataclass(frozen=True, slots=True)
class _Segment:
    """Plain tokens ``start .. end``, which spell ``text``."""

    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class _Piece:
    """A stretch of rewritten text, ``size`` bytes long.

    It stands for ``old_size`` bytes of plain text from ``origin`` on; ``rule`` as in ``SubstitutedBuffer``.
    """

    size: int
    origin: int
    old_size: int
    rule: str


class PlainText:
    """The text in its own tokens, ready to be read through rules."""

    def __init__(self, text: str, opening: str, codec: Codec) -> None:
        """``text`` as it is tokenised behind ``opening``."""
        self._codec = codec
        self._opening = opening
        self.ids = codec.encode(text, opening)
        # All made with the first rule; most edits come without one.
        self._plain: SubstitutedBuffer | None = None
        self._segments: list[_Segment] = []
        self._starts: list[int] = []  # byte at which each segment begins
        self._places: dict[str, list[int]] = {}
        self._read: dict[tuple[int, _Rules, tuple[str, str] | None], SubstitutedBuffer | None] = {}
        self._left = _MOST_REWRITTEN  # characters that may be tokenised in this round
        self.unfinished = False  # whether the last reading lacks what there was no time for

    def plain(self) -> SubstitutedBuffer:
        """The text as it is."""
        if self._plain is None:
            spelled = list(map(self._codec.token_bytes, self.ids))
            origins = list(accumulate(map(len, spelled), initial=0))[:-1]
            self._plain = SubstitutedBuffer(self.ids, origins, [""] * len(self.ids))
            self._segments = _cut(spelled)
            self._starts = [origins[segment.start] for segment in self._segments]
        return self._plain

    def next_round(self) -> None:
        """Another round has begun: there is time to tokenise some more."""
        self._left = _MOST_REWRITTEN

    def all_substituted(self, substitutions: Substitutions) -> SubstitutedBuffer:
        """As ``substituted``, however long it takes."""
        self._left = sys.maxsize
        view = self.substituted(substitutions)
        self._left = _MOST_REWRITTEN
        return view

    def substituted(
        self, substitutions: Substitutions, shift: Shift | None = None, origin: int = 0
    ) -> SubstitutedBuffer:
        """The text with every rule applied, and a block shifted, as far as a round has time for it.

        origin: byte of the plain text from which on lines are tokenised first. Where time is short
        the others stay plain, and the text is ``unfinished``: ask again in the next round.
        """
        plain = self.plain()
        ids: list[int] = []
        origins: list[int] = []
        applied: list[str] = []
        done = 0
        # What a segment becomes depends on the rules for what it holds; few rules change at a time.
        concerned: dict[int, _Rules] = {}
        for rule in substitutions.rules.items():
            for number in self._segments_with(rule[0]):
                concerned[number] = (*concerned.get(number, ()), rule)
        shifted = self._shifted(shift) if shift is not None else range(0)
        numbers = sorted(concerned.keys() | shifted)
        keys = {}
        self.unfinished = False
        nearest = bisect_left(numbers, bisect_right(self._starts, origin) - 1)
        for number in (*numbers[nearest:], *numbers[:nearest]):
            indents = (shift.old, shift.new) if shift is not None and number in shifted else None
            key = keys[number] = number, concerned.get(number, ()), indents
            if key in self._read:
                continue
            if self._left <= 0:
                self.unfinished = True
                continue
            self._left -= len(self._segments[number].text)
            self._read[key] = self._rewrite(number, substitutions, indents)
            breathe()
        for number in numbers:
            made = self._read.get(keys[number])
            if made is None:
                continue
            segment = self._segments[number]
            ids += plain.ids[done : segment.start] + made.ids
            origins += plain.origins[done : segment.start] + made.origins
            applied += plain.rules[done : segment.start] + made.rules
            done = segment.end
        return SubstitutedBuffer(
            ids + plain.ids[done:], origins + plain.origins[done:], applied + plain.rules[done:]
        )

    def _shifted(self, shift: Shift) -> range:
        """Numbers of the segments of the block that is shifted."""
        first = bisect_left(self._starts, shift.origin)
        end = first
        while end < min(len(self._segments), first + _MOST_SHIFTED):
            text = self._segments[end].text
            if text.strip() and not text.startswith(shift.old):
                break
            end += 1
        return range(first, end)

    def _segments_with(self, old: str) -> list[int]:
        """Numbers of the segments that hold ``old``, at word borders or not."""
        known = self._places.get(old)
        if known is None:
            known = [number for number, segment in enumerate(self._segments) if old in segment.text]
            self._places[old] = known
        return known

    def _rewrite(
        self, number: int, substitutions: Substitutions, indents: tuple[str, str] | None
    ) -> SubstitutedBuffer | None:
        """One segment with the rules applied where they match; ``None`` if it stays as it is.

        indents: its indentation as it is and as it becomes, if the segment is shifted.
        """
        segment = self._segments[number]
        matches = list(substitutions.applied_to(segment.text))
        if not matches and indents is None:
            return None
        pieces: list[_Piece] = []
        text = ""
        done = 0
        origin = self._starts[number]
        if indents is not None and segment.text.strip():
            old, new = indents
            pieces.append(_Piece(len(new), origin, len(old), SHIFTED))
            text = new
            done = len(old)  # blanks and tabs: as many bytes as characters
            origin += done
        for match in matches:
            old, new = match[0], substitutions.rules[match[0]]
            kept = segment.text[done : match.start()]
            size, old_size = len(kept.encode()), len(old.encode())
            pieces.append(_Piece(size, origin, size, ""))
            pieces.append(_Piece(len(new.encode()), origin + size, old_size, old))
            origin += size + old_size
            text += kept + new
            done = match.end()
        kept = segment.text[done:]
        size = len(kept.encode())
        pieces.append(_Piece(size, origin, size, ""))
        text += kept
        # The pieces are part of the key: a shift and a rule may spell the same text.
        before = self._segments[number - 1].text if number else self._opening
        return self._tokenised(text, pieces, before[-_LEFT_CONTEXT:])

    def _tokenised(self, text: str, pieces: Sequence[_Piece], before: str) -> SubstitutedBuffer:
        """Tokens of rewritten text in their place, each led back to the plain text."""
        ids = self._codec.encode(text, before)
        starts = [0]
        for piece in pieces:
            starts.append(starts[-1] + piece.size)
        origins: list[int] = []
        rules: list[str] = []
        at = 0
        for token_id in ids:
            end = at + len(self._codec.token_bytes(token_id))
            # The last piece that starts here or before; empty pieces are stepped over.
            number = min(bisect_right(starts, at) - 1, len(pieces) - 1)
            piece = pieces[number]
            origins.append(piece.origin + min(at - starts[number], piece.old_size))
            # A token may begin in plain text and reach into a replaced word.
            last = min(bisect_left(starts, max(end, at + 1)), len(pieces)) - 1
            rule = piece.rule
            if not rule and last > number:
                rule = next((one.rule for one in pieces[number + 1 : last + 1] if one.rule), "")
            rules.append(rule)
            at = end
        return SubstitutedBuffer(ids, origins, rules)


def _cut(spelled: Sequence[bytes]) -> list[_Segment]:
    """Segments that begin where a token begins a line; blank lines stay with the line before."""
    segments = []
    start = 0
    line_ends = [index + 1 for index, token in enumerate(spelled) if token[-1:] == b"\n"]
    for end in (*line_ends, len(spelled)):
        if end > start and (end == len(spelled) or not spelled[end].startswith(b"\n")):
            text = b"".join(spelled[start:end]).decode("utf-8", errors="replace")
            segments.append(_Segment(start, end, text))
            start = end
    return segments
