"""The figures of one answer while it is decoded; users get them as ``messages.Stats``."""

from __future__ import annotations

from dataclasses import dataclass, field
from statistics import median_low


@dataclass(slots=True)
class DecodeStats:
    """Counts as in ``messages.Stats``; add up over the regions of an edit with ``+``."""

    num_prompt_tokens: int = 0
    cached_tokens: int = 0
    output_tokens: int = 0
    rounds: int = 0
    drafted: int = 0
    accepted: int = 0
    tree_rounds: int = 0
    drafter_seconds: float = 0.0
    exactness: str = ""
    min_margin: float | None = None
    near_ties: int = 0
    windows: list[int] = field(default_factory=list)  # of each round, most draft tokens allowed

    @property
    def rejected(self) -> int:
        return self.drafted - self.accepted

    @property
    def acceptance_rate(self) -> float | None:
        """Accepted by drafted; ``None`` where nothing was drafted."""
        return self.accepted / self.drafted if self.drafted else None

    @property
    def tokens_per_round(self) -> float:
        return self.output_tokens / self.rounds if self.rounds else 0.0

    @property
    def window(self) -> int:
        """The window of the median round: most draft tokens that were allowed in it."""
        return median_low(self.windows) if self.windows else 0

    @property
    def last_window(self) -> int:
        return self.windows[-1] if self.windows else 0

    def add_round(
        self, num_drafted: int, num_accepted: int, num_emitted: int, *, tree: bool = False
    ) -> None:
        """Count one verification of ``num_drafted`` draft tokens."""
        self.rounds += 1
        self.drafted += num_drafted
        self.accepted += num_accepted
        self.tree_rounds += tree
        self.output_tokens += num_emitted

    def add_margin(self, margin: float, near_tie_margin: float) -> None:
        """Count the gap between first and second choice at an emitted token."""
        if self.min_margin is None or margin < self.min_margin:
            self.min_margin = margin
        self.near_ties += margin < near_tie_margin

    def __add__(self, other: DecodeStats) -> DecodeStats:
        margins = [m for m in (self.min_margin, other.min_margin) if m is not None]
        return DecodeStats(
            num_prompt_tokens=self.num_prompt_tokens + other.num_prompt_tokens,
            cached_tokens=self.cached_tokens + other.cached_tokens,
            output_tokens=self.output_tokens + other.output_tokens,
            rounds=self.rounds + other.rounds,
            drafted=self.drafted + other.drafted,
            accepted=self.accepted + other.accepted,
            tree_rounds=self.tree_rounds + other.tree_rounds,
            drafter_seconds=self.drafter_seconds + other.drafter_seconds,
            exactness=other.exactness or self.exactness,
            min_margin=min(margins) if margins else None,
            near_ties=self.near_ties + other.near_ties,
            windows=[*self.windows, *other.windows],
        )
