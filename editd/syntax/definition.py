"""The model of a definition: the lines of a function, a class, a type or a constant."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Definition:
    """Lines ``start .. end`` (0-based, end exclusive) that define ``name``.

    Decorators and the comment directly above belong to it. ``owner`` is the class or type around
    it, ``""`` at top level. ``is_block``: a function or a class, not a constant.
    """

    name: str
    start: int
    end: int
    owner: str = ""
    is_block: bool = True

    @property
    def qualified(self) -> str:
        """The name with its owner: ``Owner.name``."""
        return f"{self.owner}.{self.name}" if self.owner else self.name
