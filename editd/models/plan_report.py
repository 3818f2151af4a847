"""A plan for the user, from any backend: one line, a table, or JSON for scripts; and why something does not fit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

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

    runs: in which numbers, or on what. stored: what the weights are, in a word. needed_bytes: weights, caches,
    working space and the draft model, ``with`` what. free: bytes, and where; the first are ``free_bytes``.
    context: tokens of prompt and answer that there is room for; context_limit: the model's own. parts:
    label, bytes and remark of further lines; what is nothing is left out. rest: what else stands there. more: further
    figures.
    """

    name: str
    runs: str
    refusal: str
    device: str
    weights_bytes: int
    stored: str
    kv_bytes_per_token: int
    draft_bytes: int
    needed_bytes: int
    needed_with: str = "a usual edit"
    free: Sequence[tuple[int, str]]
    context: int
    context_limit: int
    parts: Sequence[tuple[str, int, str]] = ()
    rest: Sequence[tuple[str, str]] = ()
    more: dict[str, object] = field(default_factory=dict)

    def summary(self) -> str:
        """One line."""
        return (
            f"{self.name}, {gigabytes(self.weights_bytes)} of weights; "
            f"{gigabytes(self.needed_bytes)} of memory {self.runs}, room for {self.context:,} tokens"
        )

    def lines(self) -> list[str]:
        """For a terminal."""
        sizes = [
            ("weights", self.weights_bytes, self.stored),
            ("KV cache", 1000 * self.kv_bytes_per_token, "for 1,000 tokens"),
            *self.parts,
            ("draft model", self.draft_bytes, ""),
            ("together", self.needed_bytes, f"with {self.needed_with}"),
            *(("free", size, place) for size, place in self.free),
        ]
        lines = [
            f"  {label:15}  {gigabytes(size):>9}  {remark}".rstrip()
            for label, size, remark in sizes
            if size
        ]
        if self.refusal:
            return [f"{self.name} does not fit.", *lines, self.refusal]
        room = f"{self.context:,} of {self.context_limit:,} tokens of prompt and answer"
        rest = [("room for", room), *self.rest]
        return [f"{self.name} fits.", *lines, *(f"  {label:15}  {said}" for label, said in rest)]

    def figures(self) -> dict[str, object]:
        """For scripts."""
        return {
            "model": self.name,
            "fits": not self.refusal,
            "refusal": self.refusal,
            "device": self.device,
            "weights_bytes": self.weights_bytes,
            "kv_bytes_per_token": self.kv_bytes_per_token,
            "draft_bytes": self.draft_bytes,
            "needed_bytes": self.needed_bytes,
            "free_bytes": self.free[0][0],
            "context": self.context,
            "context_limit": self.context_limit,
            **self.more,
        }
