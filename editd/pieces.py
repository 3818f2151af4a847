"""Work that is done piece by piece, so that it can be stopped and others have their turn.

A piece takes some milliseconds at most, however large the text is: what runs in C, and so holds
the interpreter, is given a bounded part of it. Who runs the pieces decides how many make a unit
(``engine.job``); who does not care calls ``whole``.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import TypeVar

T = TypeVar("T")

Pieces = Generator[None, None, T]
"""Work that ends with a ``T``; between two pieces it yields, and may be closed."""


def whole(work: Pieces[T]) -> T:
    """All pieces at once: the result of ``work``."""
    while True:
        try:
            next(work)
        except StopIteration as end:
            result: T = end.value
            return result
