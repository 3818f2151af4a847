"""A plan for the user, from any backend: one line, a table, or JSON for scripts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from editd.stores.hub import gigabytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """What a model takes here, in bytes. refusal: why it does not fit, empty if it does.

    runs: in which numbers, or on what. needed_bytes: weights, caches, working space and the draft model.
    context: tokens of prompt and answer that there is room for; context_limit: the model's own. sizes:
    label, bytes and remark of each line of the table, left out where it is nothing; rest: what else
    stands there. more: further figures.
    """

    name: str
    runs: str
    refusal: str
    device: str
    weights_bytes: int
    kv_bytes_per_token: int
    draft_bytes: int
    needed_bytes: int
    free_bytes: int
    context: int
    context_limit: int
    sizes: Sequence[tuple[str, int, str]]
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
        lines = [
            f"  {label:15}  {gigabytes(size):>9}  {remark}".rstrip()
            for label, size, remark in self.sizes
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
            "free_bytes": self.free_bytes,
            "context": self.context,
            "context_limit": self.context_limit,
            **self.more,
        }
