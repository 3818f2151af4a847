"""What each thing that an assistant may have meant costs. Data; ``python -m benchmarks.apply.tune`` fits it.

The unit is the nat: of two readings that differ by one, the cheaper is e times as likely.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Costs:
    """Of lines that are new or go, of markers, and of places that say little."""

    opened: tuple[float, ...] = (1.5, 3.0, 4.5)  # a gap; the later kinds are for long ones
    gone: tuple[float, ...] = (0.3, 0.06, 0.01)  # each line that goes, by kind of gap
    blank_gone: float = 1.1  # a blank line that goes, as a share of that
    new: float = 0.15  # a line that the file has nowhere
    new_weak: float = 0.18  # a new line without a letter or digit
    new_known: float = 0.8  # a new line that the file has elsewhere
    new_unique: float = 3.0  # the same, divided by the root of how often the file has it
    rewritten: float = 1.0  # times 1 - likeness: one line in the place of another
    edge: float = 50.0  # a gap beside a marker: no line shows where it begins
    idle: float = 4.5  # a marker that stands for nothing
    forgotten: float = 1.0  # no marker where the file goes on
    still: float = 2.7  # a part that changes nothing
    head: float = 0.5  # the same, if it is a line that opens a block
    lopsided: float = 1.1  # one line of context on one side, more on the other
    unseen: float = 1.5  # lines go beside a marker, and no line shows where that begins
    unseen_each: float = 0.3  # each of them
    weak_edge: float = 0.75  # context without a letter or digit
    scale: float = 1.5  # of all of them


COSTS = Costs()
