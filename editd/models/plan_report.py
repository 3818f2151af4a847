"""What a model takes here, in one line for the user, from any backend; and why something does not fit."""

from __future__ import annotations

from dataclasses import dataclass

from editd.stores.hub import gigabytes

EDIT_TOKENS = 4096
"""Of the cache that is planned for: an edit of a usual file."""


def too_little(name: str, needed: int, free: int, limit: int | None = None) -> str:
    """Why ``needed`` bytes are not there; empty if they are. limit: what a user leaves to the model."""
    for room, given, remedy in (
        (free, "are free", "free some memory"),
        (limit, "are left by daemon.memory", "raise daemon.memory"),
    ):
        if room is not None and needed > room:
            return (
                f"{name} needs about {needed >> 20:,} MiB and {max(0, room) >> 20:,} MiB {given}: choose a smaller "
                f"quantisation or another model, or {remedy}."
            )
    return ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """What a model takes here, in bytes. refusal: why it does not fit, empty if it does.

    runs: in which numbers, or on what. needed_bytes: weights, caches and working space. context: tokens of
    prompt and answer that there is room for.
    """

    name: str
    runs: str
    refusal: str
    weights_bytes: int
    needed_bytes: int
    context: int

    def summary(self) -> str:
        """One line."""
        return (
            f"{self.name}, {gigabytes(self.weights_bytes)} of weights; "
            f"{gigabytes(self.needed_bytes)} of memory {self.runs}, room for {self.context:,} tokens"
        )
