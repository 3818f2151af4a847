"""Several drafters as one, left first.

Drafters that weigh their guesses (``Guesser``) share one tree: each gets the chance
that those to its left have left over. Others (a draft model) are asked when even the likeliest guess
is doubtful. If they return a draft, it replaces the guesses.
"""

from __future__ import annotations

from collections.abc import Sequence

from editd.decode.drafters.base import EMPTY, Draft, Drafter, DraftTask
from editd.decode.drafters.chain_or_tree import PRESETS, Choice, Guesser

# A small model is right about its next token more often than not.
_DOUBTFUL = 0.5
_NOTHING_LEFT = 0.1  # of the chance: further guesses would not be drafted


class ComposedDrafter:
    """Asks its parts from left to right; all of them observe."""

    def __init__(self, task: DraftTask, parts: Sequence[Drafter]) -> None:
        self.name = "+".join(part.name for part in parts)
        self._parts = tuple(parts)
        # One that was named says how the shared guesses are drafted, the leftmost of several.
        choices = [part.choice for part in parts if isinstance(part, Guesser)]
        named = [choice for choice in choices if choice.preset != PRESETS[0]]
        self._choice = next(iter(named or choices), Choice(task, "chain"))

    def propose(self, output_ids: Sequence[int], max_tokens: int) -> Draft:
        if max_tokens <= 0:
            return EMPTY
        tree = self._choice.guesses(max_tokens)
        share = 1.0
        for part in self._parts:
            if isinstance(part, Guesser):
                if share > _NOTHING_LEFT:
                    share *= part.grow(tree, output_ids, max_tokens, share)
            elif tree.likeliest < _DOUBTFUL:
                draft = part.propose(output_ids, max_tokens)
                if len(draft) > 0:
                    return draft
        return self._choice.draft(tree, max_tokens, len(output_ids))

    def observe(self, accepted_ids: Sequence[int]) -> None:
        for part in self._parts:
            part.observe(accepted_ids)
