"""Plain decoding: nothing is drafted. The reference that every other drafter is compared with."""

from __future__ import annotations

from collections.abc import Sequence

from editd.decode.drafters.base import EMPTY, Draft


class NoDrafter:
    """Proposes nothing, so every round yields the target's one token."""

    name = "none"

    def propose(self, output_ids: Sequence[int], max_tokens: int) -> Draft:  # noqa: ARG002
        return EMPTY

    def observe(self, accepted_ids: Sequence[int], row_top1_ids: Sequence[int]) -> None:
        pass
