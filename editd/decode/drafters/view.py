"""The buffer as it would read with the substitutions made: tokens, and where each came from.

Text is cut into segments at line starts that are token borders; only segments in which a rule
applies are tokenised again, in their place, so the rest keeps the tokens that it had.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from editd.decode.drafters.base import Codec
from editd.decode.drafters.substitutions import Substitutions


@dataclass(frozen=True, slots=True)
class View:
    """Draft tokens. ``origins[i]``: byte in the plain text where token ``i`` begins.

    rules[i]: the text that was replaced where token ``i`` stands, ``""`` for plain buffer.
    """

    ids: list[int]
    origins: list[int]
    rules: list[str]

    def index_at(self, origin: int) -> int:
        """The first token that begins at or after that byte of the plain text."""
        return bisect_left(self.origins, origin)


@dataclass(frozen=True, slots=True)
class _Segment:
    text: str
    ids: list[int]
    origins: list[int]


class PlainText:
    """The text in its own tokens, ready to be viewed through rules."""

    def __init__(self, text: str, opening: str, codec: Codec) -> None:
        self._codec = codec
        self._opening = opening
        self.ids = codec.encode(text, opening)
        self._segments: list[_Segment] | None = None
        self._plain: View | None = None
        self._cache: dict[tuple[int, str], View] = {}

    def plain(self) -> View:
        """The text as it is."""
        if self._plain is None:
            self._plain = View(self.ids, self._origins(), [""] * len(self.ids))
        return self._plain

    def view(self, substitutions: Substitutions) -> View:
        """The text with every rule applied."""
        ids: list[int] = []
        origins: list[int] = []
        applied: list[str] = []
        before = self._opening
        for segment in self._cut():
            matches = list(substitutions.applied_to(segment.text))
            if matches:
                made = self._rewritten(segment, matches, substitutions.rules, before)
                ids += made.ids
                origins += made.origins
                applied += made.rules
            else:
                ids += segment.ids
                origins += segment.origins
                applied += [""] * len(segment.ids)
            before = segment.text
        return View(ids, origins, applied)

    def _rewritten(
        self,
        segment: _Segment,
        matches: Sequence[re.Match[str]],
        rules: Mapping[str, str],
        before: str,
    ) -> View:
        # Pieces: (bytes in the new text, origin, bytes in the old text, rule)
        pieces: list[tuple[int, int, int, str]] = []
        start = segment.origins[0] if segment.origins else 0
        text: list[str] = []
        done = 0
        for match in matches:
            old, new = match[0], rules[match[0]]
            kept = segment.text[done : match.start()]
            text += [kept, new]
            size = len(kept.encode())
            pieces.append((size, start, size, ""))
            start += size
            size = len(old.encode())
            pieces.append((len(new.encode()), start, size, old))
            start += size
            done = match.end()
        kept = segment.text[done:]
        text.append(kept)
        size = len(kept.encode())
        pieces.append((size, start, size, ""))
        made = "".join(text)
        known = self._cache.get((segment.origins[0], made))
        if known is not None:
            return known
        ids = self._codec.encode(made, before)
        origins: list[int] = []
        applied: list[str] = []
        at = 0
        piece, piece_start = 0, 0
        for token_id in ids:
            while piece + 1 < len(pieces) and at >= piece_start + pieces[piece][0]:
                piece_start += pieces[piece][0]
                piece += 1
            size, origin, old_size, rule = pieces[piece]
            origins.append(origin + min(at - piece_start, old_size))
            end = at + len(self._codec.token_bytes(token_id))
            if not rule and piece + 1 < len(pieces) and end > piece_start + size:
                rule = pieces[piece + 1][3]  # the token reaches into the replaced text
            applied.append(rule)
            at = end
        view = self._cache[segment.origins[0], made] = View(ids, origins, applied)
        return view

    def _origins(self) -> list[int]:
        origins = []
        at = 0
        for token_id in self.ids:
            origins.append(at)
            at += len(self._codec.token_bytes(token_id))
        return origins

    def _cut(self) -> list[_Segment]:
        if self._segments is None:
            self._segments = []
            origins = self.plain().origins
            spelled = [self._codec.token_bytes(token_id) for token_id in self.ids]
            start = 0
            for end in range(1, len(self.ids) + 1):
                ends_line = spelled[end - 1].endswith(b"\n") and end < len(self.ids)
                if end == len(self.ids) or (ends_line and not spelled[end].startswith(b"\n")):
                    text = b"".join(spelled[start:end]).decode("utf-8", errors="replace")
                    self._segments.append(_Segment(text, self.ids[start:end], origins[start:end]))
                    start = end
        return self._segments
