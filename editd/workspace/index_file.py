"""Writes an index file atomically.

Knows the file's layout (``index`` reads it): preamble, a header as JSON, then the reversed text,
the ordered places, the line starts and the file starts, four bytes a number.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from editd.files.local_cache import write_whole
from editd.workspace.index import CHECKSUM, FORMAT_VERSION, HEADER_START, MAGIC, PREAMBLE, SEPARATOR
from editd.workspace.suffix_array import Tokens, sorted_suffixes
from editd.workspace.walk import Stamp

_ALIGNMENT = 64


@dataclass(frozen=True, slots=True)
class FileTokens:
    """A file and its tokens; none for a file that was read and does not count."""

    path: str
    stamp: Stamp
    digest: str
    token_ids: Tokens


@dataclass(frozen=True, slots=True)
class About:
    """An index's own description. ``left``: files that were not read for lack of time."""

    root: str
    identity: str
    built_ns: int
    left: int = 0


def index_bytes(
    about: About, files: Sequence[FileTokens], newlines: npt.NDArray[np.uint8]
) -> bytes:
    """The index of ``files`` in the order given; ``newlines[id]``: line ends in that token."""
    return b"".join(_parts(about, files, newlines))


def write_index(
    path: Path, about: About, files: Sequence[FileTokens], newlines: npt.NDArray[np.uint8]
) -> int:
    """Write the index and put it in the place of ``path`` at once; returns its size in bytes."""
    parts = _parts(about, files, newlines)
    write_whole(path, *parts)
    return sum(map(len, parts))


def _parts(
    about: About, files: Sequence[FileTokens], newlines: npt.NDArray[np.uint8]
) -> list[bytes]:
    separator = np.array([SEPARATOR], np.uint32)
    with_tokens = [file for file in files if len(file.token_ids)]
    pieces = [separator]
    for file in with_tokens:
        pieces += [file.token_ids, separator]
    text = np.concatenate(pieces)
    file_starts = np.cumsum([1, *(len(f.token_ids) + 1 for f in with_tokens)])[:-1]
    places = _places(text)
    sections = [
        text[::-1].astype(">u4"),
        places,
        _line_starts(text, newlines),
        file_starts.astype(np.uint32),
    ]
    header = _header(about, files, [len(section) for section in sections[:3]])
    body = [header, *(section.tobytes() for section in sections)]
    length = HEADER_START + sum(map(len, body))
    preamble = PREAMBLE.pack(MAGIC, FORMAT_VERSION, len(header), length)
    checksum = zlib.crc32(preamble)
    for part in body:
        checksum = zlib.crc32(part, checksum)
    return [preamble, CHECKSUM.pack(checksum), *body]


def _header(about: About, files: Sequence[FileTokens], sections: list[int]) -> bytes:
    content = {
        "root": about.root,
        "identity": about.identity,
        "built_ns": about.built_ns,
        "left": about.left,
        "sections": sections,
        "files": [
            [
                file.path,
                file.stamp.size,
                file.stamp.mtime_ns,
                file.stamp.ctime_ns,
                file.stamp.inode,
                file.digest,
                len(file.token_ids),
            ]
            for file in files
        ],
    }
    header = json.dumps(content, ensure_ascii=False, separators=(",", ":")).encode()
    return header + b" " * (-(HEADER_START + len(header)) % _ALIGNMENT)


def _places(text: Tokens) -> Tokens:
    """Indexes into the reversed text, ordered, of tokens that have a token of their file behind."""
    places = sorted_suffixes(text[::-1])
    useful = np.zeros(len(text), bool)
    useful[:-1] = (text[:-1] != SEPARATOR) & (text[1:] != SEPARATOR)
    return places[useful[::-1][places]]


def _line_starts(text: Tokens, newlines: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint32]:
    """For each line end, the index of the token behind the one that it is in."""
    counts = np.zeros(len(text), np.uint8)
    tokens = text != SEPARATOR
    counts[tokens] = newlines[text[tokens]]
    ends = np.flatnonzero(counts)
    return np.repeat(ends + 1, counts[ends]).astype(np.uint32)
