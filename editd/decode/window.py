"""How many draft tokens a round verifies, chosen by what they cost and what they may bring.

Knows measured times t(k, context) and which draft tokens were accepted; no drafter, no model.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class FixedWindow:
    """The same window every round: what a user set, and what benchmarks compare drafters with."""

    num_tokens: int

    def next(self, context_length: int) -> int:  # noqa: ARG002
        return self.num_tokens

    def observe(self, num_drafted: int, num_accepted: int) -> None:
        pass
