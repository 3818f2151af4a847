"""Guesses of several drafters in one tree, each token with its chance, and the draft made of it.

A chance is an estimate that a token *and all before it* will be accepted. The draft takes the
likeliest tokens that the window holds; a chain takes the path that promises most.
"""

from __future__ import annotations

from collections.abc import Sequence

from editd.decode.drafters.base import EMPTY, Draft


def least_chance(max_tokens: int, *, branches: bool) -> float:
    """A token is drafted if its chance is at least this.

    Verifying one more token costs about a thirtieth of a round on the published cost profiles, so
    far less than that never pays. With branches, what is unlikely is short and many-sided, and
    the limit is 1/2600 of the window: wide windows reach where guesses are seldom right, and
    wasted tokens are to stay below one and a half per output token. A chain has one path, whose
    unlikely tail is rarely reached: measured, twice the limit wastes half and costs 1 % of rounds.
    """
    return min(max(max_tokens / 2600.0, 0.02), 0.08) if branches else 0.08


# In a chain a token further on can still be drafted next round; what comes first counts more, by
# this factor a token. Measured: 1.0 costs 2 % more rounds, from 0.8 down to 0.5 all are alike.
_DISCOUNT = 0.7


class GuessTree:
    """Grows from the root (index -1), the last output token. Equal tokens share a node."""

    def __init__(self, least: float) -> None:
        self.least = least
        self.token_ids: list[int] = []
        self.parents: list[int] = []
        self.chances: list[float] = []
        self.sources: list[str] = []
        self._children: dict[tuple[int, int], int] = {}

    def __len__(self) -> int:
        return len(self.token_ids)

    def add(self, parent: int, token_id: int, chance: float, source: str) -> int:
        """The node of ``token_id`` after ``parent``; the larger chance stays if it is there."""
        key = (parent, token_id)
        node = self._children.get(key)
        if node is None:
            node = self._children[key] = len(self.token_ids)
            self.token_ids.append(token_id)
            self.parents.append(parent)
            self.chances.append(chance)
            self.sources.append(source)
        elif chance > self.chances[node]:
            self.chances[node] = chance
            self.sources[node] = source
        return node

    def add_copy(
        self,
        parent: int,
        token_ids: Sequence[int],
        chance: float,
        held: float,
        source: str | Sequence[str],
        decay: float = 1.0,
    ) -> None:
        """A copy after ``parent``: its first token has ``chance``, and it has held before.

        A copy that has held for r tokens holds for j more with chance (r / (r + j)) ** decay: the
        longer it has held, the longer it will. ``decay`` 1 is Laplace's rule. Edits come in
        clusters, so a constant rate would be too bold after an edit and too timid far from it.
        """
        if chance < self.least or not token_ids:
            return
        worth_it = int(((chance / self.least) ** (1.0 / decay) - 1.0) * held) + 1
        count = min(worth_it, len(token_ids))
        chances = [chance * (held / (held + ahead)) ** decay for ahead in range(count)]
        sources = [source] * count if isinstance(source, str) else source
        node, shared = parent, 0
        while shared < count and (node, token_ids[shared]) in self._children:
            node = self.add(node, token_ids[shared], chances[shared], sources[shared])
            shared += 1
        if shared == count:
            return
        # The rest is a branch of its own and is added in one go.
        start = len(self.token_ids)
        fresh = token_ids[shared:count]
        parents = [node, *range(start, start + len(fresh) - 1)]
        self.token_ids.extend(fresh)
        self.parents.extend(parents)
        self.chances.extend(chances[shared:])
        self.sources.extend(sources[shared:count])
        self._children.update(
            zip(zip(parents, fresh, strict=True), range(start, start + len(fresh)), strict=True)
        )

    @property
    def likeliest(self) -> float:
        """The largest chance of a first token; 0 when there is none."""
        pairs = zip(self.parents, self.chances, strict=True)
        return max((chance for parent, chance in pairs if parent < 0), default=0.0)

    def path(self, node: int) -> list[int]:
        """The tokens from the root down to ``node``."""
        token_ids: list[int] = []
        while node >= 0:
            token_ids.append(self.token_ids[node])
            node = self.parents[node]
        return token_ids[::-1]

    def tree(self, max_tokens: int) -> Draft:
        """The likeliest nodes. A parent is never less likely than its children."""
        chances = self.chances
        kept = [node for node, chance in enumerate(chances) if chance >= self.least]
        if len(kept) > max_tokens:
            kept.sort(key=lambda node: -chances[node])  # stable: a parent was added first
            kept = sorted(kept[:max_tokens])
        place = {node: index for index, node in enumerate(kept)}
        place[-1] = -1
        parents = [place[self.parents[node]] for node in kept]
        if parents == list(range(-1, len(kept) - 1)):
            return self._draft(kept, None)  # no branch: a chain is cheaper to verify
        return self._draft(kept, parents)

    def chain(self, max_tokens: int) -> Draft:
        """The path with the largest sum of chances, the nearest tokens counting most."""
        chances, parents = self.chances, self.parents
        worth = list(chances)
        best: dict[int, int] = {}
        for node in range(len(worth) - 1, -1, -1):  # children come after their parents
            if chances[node] < self.least:
                continue
            if node in best:
                worth[node] += _DISCOUNT * worth[best[node]]
            parent = parents[node]
            if parent not in best or worth[node] > worth[best[parent]]:
                best[parent] = node
        path: list[int] = []
        node = -1
        while node in best and len(path) < max_tokens:
            node = best[node]
            path.append(node)
        return self._draft(path, None)

    def _draft(self, nodes: list[int], parents: list[int] | None) -> Draft:
        if not nodes:
            return EMPTY
        return Draft(
            [self.token_ids[node] for node in nodes],
            parents,
            None,
            [self.sources[node] for node in nodes],
        )
