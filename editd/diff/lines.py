"""A text as lines, cut out on demand.

A list of strings would take up to sixty times the memory of a text of short lines. Here a line
costs four bytes: the offset at which it begins. Lines end at ``\\r\\n``, ``\\n`` and ``\\r``. Nothing else in
editd cuts a buffer into lines.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterator, Sequence
from typing import overload

from editd.breathing import breathe

_CHUNK = 1 << 16  # characters that are looked at in one piece: about a millisecond
_LINE_END = re.compile(r"\r\n?|\n")


class Lines(Sequence[str]):
    """The lines of ``text`` from offset ``start`` on, each with its end.

    as_lf: every line end becomes ``\\n``, as a model sees it.
    """

    def __init__(self, text: str, starts: array[int], *, as_lf: bool = False) -> None:
        self._text = text
        self._starts = starts
        self._as_lf = as_lf and "\r" in text

    def with_lf(self) -> Lines:
        """The same lines, all ended by ``\\n``."""
        return Lines(self._text, self._starts, as_lf=True)

    def offset(self, index: int) -> int:
        """Code points of the text before line ``index``; of all of it for the number of lines."""
        return self._starts[index]

    def joined(self, start: int, end: int) -> str:
        """Lines ``start .. end`` in one string."""
        start, end, _ = slice(start, end).indices(len(self))
        return self._told(self._text[self._starts[start] : self._starts[max(start, end)]])

    def __len__(self) -> int:
        return len(self._starts) - 1

    @overload
    def __getitem__(self, index: int) -> str: ...

    @overload
    def __getitem__(self, index: slice) -> tuple[str, ...]: ...

    def __getitem__(self, index: int | slice) -> str | tuple[str, ...]:
        if isinstance(index, slice):
            return tuple(map(self._line, range(*index.indices(len(self)))))
        number = index + len(self) if index < 0 else index
        if not 0 <= number < len(self):
            raise IndexError(index)
        return self._line(number)

    def __iter__(self) -> Iterator[str]:
        return map(self._line, range(len(self)))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sequence):
            return NotImplemented
        return len(self) == len(other) and all(map(str.__eq__, self, other))

    def __hash__(self) -> int:
        return hash((len(self), self._text))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({len(self)} lines)"

    def _line(self, number: int) -> str:
        return self._told(self._text[self._starts[number] : self._starts[number + 1]])

    def _told(self, text: str) -> str:
        if self._as_lf and "\r" in text:
            return text.replace("\r\n", "\n").replace("\r", "\n")
        return text


def lines_of(text: str, start: int = 0) -> Lines:
    """The lines of ``text`` from offset ``start`` on."""
    starts = array("I", [start])
    at = start
    while at < len(text):
        chunk = text[at : at + _CHUNK]
        if chunk.endswith("\r") and text.startswith("\n", at + _CHUNK):
            chunk += "\n"  # a CR LF is not cut in two
        if "\r" in chunk:
            starts.extend([at + match.end() for match in _LINE_END.finditer(chunk)])
        else:
            end = at
            for piece in chunk.split("\n")[:-1]:
                end += len(piece) + 1
                starts.append(end)
        at += len(chunk)
        breathe()
    if starts[-1] < len(text):
        starts.append(len(text))
    return Lines(text, starts)
