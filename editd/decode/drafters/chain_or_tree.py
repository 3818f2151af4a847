"""Chooses which guesses become the draft: a chain or a tree, and how many tokens.

Knows the guesses with their chances and worths (``guess_tree``) and the costs of rounds
(``decode.costs``); no buffer and no text. A chain takes the path with the highest expected gain, a tree
the tokens with the highest worth. Each round takes whichever saves more time, with as many tokens as
save more time than verifying them takes. A ``Guesser`` is a drafter that weighs its guesses, so that
several can share one tree (``composed``).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from editd.decode.drafters.base import EMPTY, Draft, DraftTask
from editd.decode.drafters.guessing.guess_tree import GuessTree

PRESETS = ("auto", "chain", "tree")
"""``auto``: chain or tree by cost; a chain where costs are not known or trees are not verified."""

# Numbers of tokens that are considered: finer than an eighth times cannot be measured.
_COUNTS = (*range(1, 16), *range(16, 32, 2), *range(32, 64, 4), *range(64, 128, 8))
_COUNTS += tuple(range(128, 1025, 16))
# A guess whose chance does not pay for half of the cheapest row is not looked into. Half, because what
# one row costs more depends on how many there are already.
_OF_CHEAPEST = 0.5
_WIDTHS = (1, 3, 7, 15, 31, 63, 127, 255)  # at which rows may be cheapest


class Choice:
    """How one drafter of one edit makes drafts of guesses. ``preset``: one of ``PRESETS``."""

    def __init__(self, task: DraftTask, preset: str) -> None:
        self.preset = preset
        self._costs = task.costs if preset == "auto" and task.trees else None
        self._branches = task.trees and (preset == "tree" or self._costs is not None)
        self._prompt_tokens = len(task.prompt_ids)
        self._rounds, self._seconds = 0, 0.0  # that the drafts so far cost

    def guesses(self, max_tokens: int) -> GuessTree:
        """An empty tree for a round, to be grown."""
        tree = GuessTree(max_tokens, branches=self._branches)
        tree.least = max(tree.least, _OF_CHEAPEST * self._cheapest_row())
        return tree

    def _cheapest_row(self) -> float:
        """What a row more costs at least, in passes of one row: 0 where nothing is known."""
        if self._costs is None:
            return 0.0
        costs, context = self._costs, self._prompt_tokens
        alone = costs.seconds(1, context)
        if alone <= 0.0:
            return 0.0
        return min((costs.seconds(k + 1, context) - alone) / k for k in _WIDTHS) / alone

    def draft(self, tree: GuessTree, max_tokens: int, num_written: int) -> Draft:
        """The draft; ``num_written`` tokens of output stand before it."""
        if not self._branches:
            return tree.draft(tree.path_of_most(max_tokens))
        most = tree.most_worth(max_tokens)
        if self._costs is None:
            return tree.draft(sorted(most))
        costs, context = self._costs, self._prompt_tokens + num_written

        def seconds(num_tokens: int, *, as_tree: bool) -> float:
            return costs.seconds(num_tokens + 1, context, tree=as_tree)

        mean = self._seconds / self._rounds if self._rounds else seconds(len(most), as_tree=False)
        path = tree.path_of_most(max_tokens)
        nodes, gain = _paying(path, tree, mean, lambda count: seconds(count, as_tree=False))
        if most != path:
            best, most_gain = _paying(most, tree, mean, lambda count: seconds(count, as_tree=True))
            if most_gain > gain:
                nodes = sorted(best)
        draft = tree.draft(nodes)
        self._rounds += 1
        self._seconds += seconds(len(draft), as_tree=draft.parents is not None)
        return draft


class Guesser:
    """A ``Drafter`` by what it adds to a tree. choice: how guesses become a draft."""

    name: str
    choice: Choice

    def grow(
        self, tree: GuessTree, output_ids: Sequence[int], max_tokens: int, share: float
    ) -> float:
        """Add guesses worth ``share`` in all; returns the chance that none of them is right."""
        raise NotImplementedError

    def propose(self, output_ids: Sequence[int], max_tokens: int) -> Draft:
        if max_tokens <= 0:
            return EMPTY
        tree = self.choice.guesses(max_tokens)
        self.grow(tree, output_ids, max_tokens, 1.0)
        return self.choice.draft(tree, max_tokens, len(output_ids))

    def observe(self, accepted_ids: Sequence[int]) -> None:
        """Nothing: what most of them need is in the output."""


def _paying(
    nodes: Sequence[int], tree: GuessTree, mean: float, seconds: Callable[[int], float]
) -> tuple[list[int], float]:
    """The first so many of ``nodes`` that gain most time, and how much.

    A token's worth is the rounds that it is expected to save. One of them is taken to cost what those
    of this edit have cost so far, ``mean``; but no token saves more than writing it alone takes, which
    is little where a wide pass takes many times as long as a narrow one. Verifying the first ``count``
    nodes costs ``seconds(count)``.
    """
    alone = seconds(0)
    best, most_gain, saved, done = 0, -alone, 0.0, 0
    for count in (*(count for count in _COUNTS if count < len(nodes)), len(nodes)):
        saved += sum(
            min(tree.worth(node) * mean, tree.chances[node] * alone) for node in nodes[done:count]
        )
        done = count
        gain = saved - seconds(count)
        if gain >= most_gain:
            best, most_gain = count, gain
    return list(nodes[:best]), most_gain
