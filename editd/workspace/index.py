"""The tokens of a project's files in one row: lookup of an output's end, and of the tokens after it.

Knows token ids, places and lines; no file and no codec beyond reading one text. Places are sorted by the three tokens
before them, so that a binary search finds all where the last three tokens of an output stood; each token further back
then leaves fewer of them. Twenty bytes a token.

Worked example. Files ``a b c d`` and ``x b c e`` make the row ``| a b c d | x b c e |``. After the output ``… x b c``
the place of ``e`` is found: three tokens agree there. ``d`` stands after ``b c`` as well, but after ``a b c``.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from editd.decode.drafters.base import Codec, ProjectMatch

SHORTEST, LONGEST = 3, 32
"""Least tokens of a match; ``LONGEST``: most tokens."""

_BITS = 21  # of a token in a key; three fit into 64 bits
SEPARATOR = (1 << _BITS) - 1
"""Stands before, between and after the files; no token has this id."""


@dataclass(frozen=True, slots=True)
class FileTokens:
    """A file's tokens, and for each the line, from 1, in which it begins or which it ends."""

    path: str
    token_ids: npt.NDArray[np.int32]
    lines: npt.NDArray[np.int32]

    @classmethod
    def of(cls, path: str, token_ids: Sequence[int], codec: Codec) -> FileTokens:
        """The tokens of a file, each with the 1-based line in which it begins, or which it ends, by the bytes that
        ``codec`` gives for a token.
        """
        ids = np.array(token_ids, np.int32)
        used, where = np.unique(ids, return_inverse=True)
        ends = np.array([codec.token_bytes(int(i)).count(b"\n") for i in used], np.int32)[where]
        return cls(path, ids, 1 + np.cumsum(ends, dtype=np.int32) - ends)


class Index:
    """Files as they were at one moment, the one changed last being last. Immutable."""

    def __init__(self, files: Sequence[FileTokens]) -> None:
        self.paths = tuple(file.path for file in files)
        self.num_tokens = sum(len(file.token_ids) for file in files)
        border = np.array([SEPARATOR], np.int32)
        self._text = np.concatenate(
            [border, *(part for file in files for part in (file.token_ids, border))]
        )
        self._lines = np.concatenate(
            [border, *(part for file in files for part in (file.lines, border))]
        )
        lengths = [len(file.token_ids) + 1 for file in files]
        self._starts = np.cumsum([1, *lengths]).tolist()  # of each file, and the end
        # A place with a border among the tokens before it, or with nothing behind it, is of no use.
        inside = self._text != SEPARATOR
        useful = inside[SHORTEST:].copy()
        keys = np.zeros(len(useful), np.uint64)
        for back in range(SHORTEST):
            before = self._text[back : back + len(useful)]
            useful &= inside[back : back + len(useful)]
            keys = (keys << np.uint64(_BITS)) | before.astype(np.uint64)
        places = np.flatnonzero(useful)
        order = np.argsort(keys[places], kind="stable")
        self._keys = keys[places][order]
        self._places = (places[order] + SHORTEST).astype(np.int32)
        arrays = (self._text, self._lines, self._keys, self._places)
        self.nbytes = sum(array.nbytes for array in arrays)

    def longest_match(self, output_ids: Sequence[int], count: int) -> ProjectMatch | None:
        """The place in the files after the longest run of tokens (3 to 32) with which ``output_ids`` end, and up to
        ``count`` tokens that follow there in the same file, with path and lines.

        Of equally long matches the one in the file changed last, and there the last one. ``None`` if fewer than three
        tokens agree.
        """
        tail = list(output_ids[-LONGEST:])
        if len(tail) < SHORTEST:
            return None
        key = 0
        for token_id in tail[-SHORTEST:]:
            key = key << _BITS | token_id
        first = np.searchsorted(self._keys, np.uint64(key), "left")
        end = np.searchsorted(self._keys, np.uint64(key), "right")
        found, length = self._places[first:end], SHORTEST
        if not len(found):
            return None
        while length < len(tail):
            longer = found[self._text[found - length - 1] == tail[-length - 1]]
            if not len(longer):
                break
            found, length = longer, length + 1
        place = int(found.max())
        following = bisect_right(self._starts, place)
        stop = min(place + count, int(self._starts[following]) - 1)
        lines = self._lines[place:stop].tolist()
        return ProjectMatch(
            length, self._text[place:stop].tolist(), self.paths[following - 1], lines
        )

    def content(self) -> dict[str, list[int]]:
        """The tokens of each file, by path."""
        files = zip(self.paths, self._starts, self._starts[1:], strict=False)
        return {path: self._text[start : end - 1].tolist() for path, start, end in files}
