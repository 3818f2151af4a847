"""An immutable index of token texts: the longest match of a tail, what follows it, where it stands.

Knows token ids, places and line numbers; no codec and no file but its own. The text of all files
lies *reversed*, four big-endian bytes a token, so that what stands before a place is a run of bytes
and comparing two contexts is comparing two byte strings. ``places`` orders all places by these
runs (a suffix array of the reversed text), so a binary search finds the longest match at once.

Worked example. Files ``a b c`` and ``x b c d`` make the text ``| a b c | x b c d |``. The tail
``x b c`` reversed is ``c b x``; in the order of reversed contexts its neighbours are ``c b a`` and
``c b x``, so the longest match is three tokens, and what follows is ``d``. A place with nothing
behind it in its file is left out: a match there would be of no use.
"""

from __future__ import annotations

import json
import mmap
import struct
import zlib
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from editd.decode.drafters.workspace import Match
from editd.workspace.suffix_array import DEPTH
from editd.workspace.walk import Stamp

FORMAT_VERSION = 1
SEPARATOR = 0xFFFFFFFF
"""Stands before, between and after the files; no token has this id."""

PREAMBLE = struct.Struct("=8sIIQ")  # magic, version, header's length, file's length
CHECKSUM = struct.Struct("=I4x")  # of all the rest, the preamble first
HEADER_START = PREAMBLE.size + CHECKSUM.size
MAGIC = b"editdidx"
_WIDTH = 4  # bytes of a number in every section
_MOST_TIES = 4096  # among more places than this the nearest one is not looked for


class IndexDamaged(Exception):
    """A file that is no index, not whole, or of another format or tokenizer."""


@dataclass(frozen=True, slots=True)
class IndexedFile:
    """A file as it was read. Without tokens: it was looked at and does not count."""

    path: str
    stamp: Stamp
    digest: str
    start: int
    num_tokens: int


class Index:
    """One snapshot; safe to share between threads. Positions count tokens of the whole text."""

    def __init__(self, buffer: bytes | mmap.mmap) -> None:
        header, offset = _checked(buffer)
        self.root: str = header["root"]
        self.identity: str = header["identity"]
        self.built_ns: int = header["built_ns"]
        self.left: int = header["left"]
        """Files that were not read for lack of time."""
        self.paths: tuple[str, ...] = tuple(f[0] for f in header["files"] if f[-1])
        self.num_tokens = sum(f[-1] for f in header["files"])
        self.nbytes = len(buffer) + sum(len(path) + 64 for path in self.paths)
        """Bytes of memory: the mapping, and the paths."""
        self._buffer = buffer
        self._length: int = header["sections"][0]
        num_places, num_lines = header["sections"][1:]
        self._text = offset
        offset += _WIDTH * self._length
        self._ordered = np.frombuffer(buffer, np.uint32, num_places, offset)
        self._places = _numbers(buffer, num_places, offset)
        offset += _WIDTH * num_places
        self._line_starts = _numbers(buffer, num_lines, offset)
        offset += _WIDTH * num_lines
        self._file_starts = _numbers(buffer, len(self.paths), offset)

    @classmethod
    def open(cls, path: Path, identity: str | None = None) -> Self:
        """The index in the file ``path``, mapped into memory and read through once.

        Reading it through proves the checksum and leaves its pages in memory, so that no lookup
        waits for a disk. Raises ``IndexDamaged`` for anything but a whole index of ``identity``.
        """
        try:
            with path.open("rb") as file:
                mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        except (OSError, ValueError) as error:  # missing, or empty
            raise IndexDamaged(f"{path} cannot be read") from error
        index = cls(mapped)
        if identity is not None and index.identity != identity:
            raise IndexDamaged(f"{path} is of another tokenizer")
        return index

    @classmethod
    def open_if_whole(cls, path: Path, identity: str | None = None) -> Self | None:
        """As ``open``, but ``None`` for what cannot be used: it will be built again."""
        try:
            return cls.open(path, identity)
        except IndexDamaged:
            return None

    def files(self) -> list[IndexedFile]:
        """Every file that was read, those without tokens too, in the order of the text."""
        header, _ = _header_of(self._buffer)
        files, start = [], 1
        for path, size, mtime_ns, ctime_ns, inode, digest, num_tokens in header["files"]:
            stamp = Stamp(size, mtime_ns, ctime_ns, inode)
            files.append(IndexedFile(path, stamp, digest, start, num_tokens))
            start += num_tokens + 1 if num_tokens else 0
        return files

    def tokens(self, start: int, count: int) -> npt.NDArray[np.uint32]:
        """``count`` tokens from the position ``start`` on, as they are in the text."""
        end = self._length - start
        there = np.frombuffer(self._buffer, ">u4", count, self._text + _WIDTH * (end - count))
        return there[::-1].astype(np.uint32)

    def longest_match(
        self, tail_ids: Sequence[int], max_length: int = DEPTH, near: int | None = None
    ) -> Match | None:
        """Where the longest end of ``tail_ids`` stands that stands anywhere.

        max_length: at most ``DEPTH``. Of equally long ones: the nearest to ``near`` (unless very
        many tie), else the last in the text, which is in the file that was changed last.
        """
        tail = tail_ids[-min(max_length, DEPTH) :] if max_length > 0 else ()
        wanted = b"".join(token_id.to_bytes(_WIDTH, "big") for token_id in reversed(tail))
        at = bisect_left(self._places, wanted, key=self._contexts(len(wanted)))
        # In this order the longest match is next to where the tail itself would be.
        length = max(
            (self._shared(place, wanted) for place in self._places[max(at - 1, 0) : at + 1]),
            default=0,
        )
        if length == 0:
            return None
        wanted = wanted[: _WIDTH * length]
        contexts = self._contexts(len(wanted))
        first = bisect_left(self._places, wanted, 0, at, key=contexts)
        end = bisect_right(self._places, wanted, max(at - 1, 0), key=contexts)
        return Match(self._chosen(self._ordered[first:end], near), length)

    def following(self, position: int, count: int) -> list[int]:
        """Up to ``count`` tokens from ``position`` on, none beyond the end of its file."""
        end = min(position + max(count, 0), self._file_end(position))
        if not 0 < position < end:
            return []
        start = self._text + _WIDTH * (self._length - end)
        run = self._buffer[start : start + _WIDTH * (end - position)]
        return list(struct.unpack(f">{end - position}I", run)[::-1])

    def source(self, position: int) -> tuple[str, int]:
        """The file that ``position`` is in, relative to the root, and the line, from 1.

        A token that ends a line and begins the next counts to the line that it ends.
        """
        path, lines = self.sources(position, 1)
        return path, lines[0]

    def sources(self, position: int, count: int) -> tuple[str, list[int]]:
        """As ``source`` for ``count`` tokens of one file."""
        if not 0 < position < self._length:
            raise IndexError(f"{position} is no position of this index")
        file = bisect_right(self._file_starts, position) - 1
        starts = self._line_starts
        before = bisect_right(starts, self._file_starts[file])
        at = bisect_right(starts, position, before)
        lines = []
        for here in range(position, position + count):
            while at < len(starts) and starts[at] <= here:
                at += 1
            lines.append(1 + at - before)
        return self.paths[file], lines

    def _contexts(self, size: int) -> Any:
        """A function from a place to the ``size`` bytes that begin there in the reversed text."""
        buffer, text = self._buffer, self._text

        def context(place: int) -> bytes:
            start = text + _WIDTH * place
            return buffer[start : start + size]

        return context

    def _shared(self, place: int, wanted: bytes) -> int:
        """Tokens that the text from ``place`` on and ``wanted`` have in common at their start."""
        there = self._contexts(len(wanted))(place)
        length = 0
        for start in range(0, len(wanted), _WIDTH):
            if there[start : start + _WIDTH] != wanted[start : start + _WIDTH]:
                break
            length += 1
        return length

    def _chosen(self, tied: npt.NDArray[np.uint32], near: int | None) -> int:
        if near is None or len(tied) > _MOST_TIES:
            return self._length - int(tied.min())
        positions = self._length - tied.astype(np.int64)
        distances = np.abs(positions - near)
        return int(positions[distances == distances.min()].max())

    def _file_end(self, position: int) -> int:
        following = bisect_right(self._file_starts, position)
        if following < len(self._file_starts):
            return self._file_starts[following] - 1
        return self._length - 1


def _numbers(buffer: bytes | mmap.mmap, count: int, offset: int) -> memoryview[int]:
    return memoryview(buffer)[offset : offset + _WIDTH * count].cast("I")


def _checked(buffer: bytes | mmap.mmap) -> tuple[dict[str, Any], int]:
    """The header and where the sections begin, of a whole and unharmed index."""
    if len(buffer) < HEADER_START:
        raise IndexDamaged("too short")
    magic, version, _, length = PREAMBLE.unpack_from(buffer)
    if magic != MAGIC or version != FORMAT_VERSION or length != len(buffer):
        raise IndexDamaged("not a whole index of this format")
    with memoryview(buffer) as view:
        checksum = zlib.crc32(view[HEADER_START:], zlib.crc32(view[: PREAMBLE.size]))
        if (checksum,) != CHECKSUM.unpack_from(buffer, PREAMBLE.size):
            raise IndexDamaged("the content does not agree with its checksum")
    return _header_of(buffer)


def _header_of(buffer: bytes | mmap.mmap) -> tuple[dict[str, Any], int]:
    end = HEADER_START + PREAMBLE.unpack_from(buffer)[2]
    header: dict[str, Any] = json.loads(buffer[HEADER_START:end])
    return header, end
