"""A drafter that weighs its guesses, so that several can share one tree (``composed``)."""

from __future__ import annotations

from collections.abc import Sequence

from editd.decode.drafters.base import EMPTY, Draft
from editd.decode.drafters.chain_or_tree import Choice
from editd.decode.drafters.guessing.guess_tree import GuessTree


class Guesser:
    """A ``Drafter`` by what it adds to a tree. choice: how guesses become a draft."""

    name: str
    choice: Choice

    def grow(
        self, tree: GuessTree, output_ids: Sequence[int], max_tokens: int, share: float
    ) -> float:
        """Add guesses worth ``share`` in all; returns the chance that none of them is right."""
        raise NotImplementedError

    def grow_on(self, tree: GuessTree, output_ids: Sequence[int], max_tokens: int) -> None:
        """Add what would follow the likeliest guesses of others, if it can tell."""

    def propose(self, output_ids: Sequence[int], max_tokens: int) -> Draft:
        if max_tokens <= 0:
            return EMPTY
        tree = self.choice.guesses(max_tokens)
        self.grow(tree, output_ids, max_tokens, 1.0)
        self.grow_on(tree, output_ids, max_tokens)
        return self.choice.draft(tree, max_tokens, len(output_ids))

    def observe(self, accepted_ids: Sequence[int], row_top1_ids: Sequence[int]) -> None:
        """Nothing: what most of them need is in the output."""
