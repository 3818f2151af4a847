"""OpenAI's ``usage`` of an answer, as editd's figures."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from editd.messages import Stats

EXACTNESS = "remote"
"""Whether the text equals plain decoding is up to the server; editd promises nothing."""

_NO_COUNT = 1 << 53  # tokens; nobody counts as many, and messages could not hold much more


@dataclass(frozen=True, slots=True)
class ServerCounts:
    """OpenAI's ``usage``; ``None`` where a server does not say."""

    prompt_tokens: int | None = None
    output_tokens: int | None = None
    cached_tokens: int | None = None
    accepted: int | None = None
    rejected: int | None = None

    @classmethod
    def of(cls, usage: dict[str, Any]) -> ServerCounts:
        """What a server counted."""

        def number(table: Any, name: str) -> int | None:
            value = table.get(name) if isinstance(table, dict) else None
            return value if type(value) is int and 0 <= value < _NO_COUNT else None

        written = usage.get("completion_tokens_details")
        return cls(
            number(usage, "prompt_tokens"),
            number(usage, "completion_tokens"),
            number(usage.get("prompt_tokens_details"), "cached_tokens"),
            number(written, "accepted_prediction_tokens"),
            number(written, "rejected_prediction_tokens"),
        )

    def __add__(self, other: ServerCounts) -> ServerCounts:
        def both(one: int | None, two: int | None) -> int | None:
            return None if one is None or two is None else one + two

        return ServerCounts(
            both(self.prompt_tokens, other.prompt_tokens),
            both(self.output_tokens, other.output_tokens),
            both(self.cached_tokens, other.cached_tokens),
            both(self.accepted, other.accepted),
            both(self.rejected, other.rejected),
        )

    def told(self) -> Stats:
        """The figures for the user. Rounds, margins and windows stay unknown."""
        drafted = None
        if self.accepted is not None and self.rejected is not None:
            drafted = self.accepted + self.rejected
        return Stats(
            prompt_tokens=self.prompt_tokens,
            cached_tokens=self.cached_tokens,
            output_tokens=self.output_tokens,
            rounds=None,
            tokens_per_round=None,
            drafted=drafted,
            accepted=self.accepted,
            rejected=self.rejected,
            acceptance_rate=round((self.accepted or 0) / drafted, 4) if drafted else None,
            tree_rounds=None,
            accepted_prediction_tokens=self.accepted,
            rejected_prediction_tokens=self.rejected,
            drafter_seconds=None,
            exactness=EXACTNESS,
            near_ties=None,
            window=None,
            last_window=None,
        )
