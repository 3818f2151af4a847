"""A plan as a terminal shows it, whichever backend made it."""

from __future__ import annotations

from collections.abc import Iterable

from editd.hub import gigabytes


def drawn(
    name: str,
    sizes: Iterable[tuple[str, int, str]],
    rest: Iterable[tuple[str, str]],
    refusal: str,
) -> list[str]:
    """A plan for a terminal. sizes: label, bytes and remark, left out where it is nothing."""
    lines = [
        f"  {label:15}  {gigabytes(size):>9}  {remark}".rstrip()
        for label, size, remark in sizes
        if size
    ]
    if refusal:
        return [f"{name} does not fit.", *lines, refusal]
    return [f"{name} fits.", *lines, *(f"  {label:15}  {said}" for label, said in rest)]
