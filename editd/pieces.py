"""Work in small pieces, so that it can be cancelled and other work gets its turn.

A piece takes some milliseconds at most, however large the text is. Calls into C, which hold the
interpreter, get a bounded part of it. The caller decides how many pieces make a unit (``engine.job``);
``whole`` runs all of them at once.
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
