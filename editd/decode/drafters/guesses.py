"""Guesses of several drafters in one tree, and the draft made of them: a chain or a tree, of so many tokens as pay.

``GuessTree`` holds each token with its chance, an estimate that it *and all before it* will be accepted, and its
worth, the rounds that drafting it is expected to save. ``DraftChoice`` takes from it: a chain is the path with the
highest expected gain, a tree the tokens with the highest worth. Each round takes whichever saves more time, with as
many tokens as save more than verifying them takes. A ``Guesser`` is a drafter that weighs its guesses, so that
several can share one tree (``ComposedDrafter``). Knows the costs of rounds (``decode.costs``); no buffer and no text.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from editd.decode.drafters.base import EMPTY, Draft, Drafter, DraftTask

# A tree's token is drafted if it saves so many rounds or more, in a window of 128. In a wide window
# copies beyond doubt waste more, so there the rest has to bring more, up to a window of 256. Measured
# on a third of the recorded edits and half of the release edits: a tenth less closes a third of a percent
# more of the gap to the copy oracle, and wastes 0.04 more tokens a token.
_PRICE, _PRICED_WINDOW, _WIDE, _DEARER = 0.0024, 128, 256, 0.4
# A guess in new text, if it is right, saves half a round: what follows is as uncertain.
_WORTH_OF_GUESS = 0.6
# Where there is one path, in a chain and in a copy beyond doubt, a token is drafted if its chance is
# at least this; in a chain it is dearer in a wide window, as above. Measured with a chain's copies in
# doubt: 0.03 costs 1 % more rounds and wastes 8 % less, 0.02 saves half a percent and wastes 10 % more.
_LEAST_CHANCE, _LEAST_OF_CERTAIN = 0.025, 0.05
# In a chain a token further on can still be drafted next round; what comes first counts more, by
# this factor a token. Measured: 1.0 costs 2 % more rounds, from 0.8 down to 0.5 all are alike.
_DISCOUNT = 0.7

PRESETS = ("auto", "chain", "tree")
"""``auto``: chain or tree by cost; a chain where costs are not known or trees are not verified."""

# Numbers of tokens that are considered: finer than an eighth times cannot be measured.
_COUNTS = (*range(1, 16), *range(16, 32, 2), *range(32, 64, 4), *range(64, 128, 8))

# A guess whose chance does not pay for half of the cheapest row is not looked into. Half, because what
# one row costs more depends on how many there are already.
_OF_CHEAPEST = 0.5

_WIDTHS = (1, 3, 7, 15, 31, 63, 127, 255)  # at which rows may be cheapest

# A small model is right about its next token more often than not.
_DOUBTFUL = 0.5

_NOTHING_LEFT = 0.1  # of the chance: further guesses would not be drafted


class GuessTree:
    """A tree of guesses that grows from the root (index -1), the last output token. Equal tokens share a node.

    window: most tokens of the draft.
    branches: whether the draft may be a tree.
    least: no token with a smaller chance will be drafted.
    """

    def __init__(self, window: int, *, branches: bool) -> None:
        dearer = (min(window, _WIDE) / _PRICED_WINDOW) ** _DEARER
        self._price = _PRICE * dearer
        self._least_of_certain = _LEAST_OF_CERTAIN * (1.0 if branches else dearer)
        self.least = self._price / _WORTH_OF_GUESS if branches else _LEAST_CHANCE * dearer
        self.ahead: Sequence[int] = ()  # how the buffer goes on where new text is being written
        self.token_ids: list[int] = []
        self.parents: list[int] = []
        self.chances: list[float] = []
        self.sources: list[str] = []
        self.branches = branches
        self._window = window
        self._worths: list[float] = []
        # (parent, token) → node, of nodes that do not stand right behind their parents: in a copy
        # all but the first do.
        self._children: dict[tuple[int, int], int] = {}

    def __len__(self) -> int:
        return len(self.token_ids)

    def add(self, parent: int, token_id: int, chance: float, source: str) -> int:
        """Add ``token_id`` after node ``parent`` (-1 for the root), or raise its chance, and then
        its source, if the node exists; returns the node.
        """
        node = self._child(parent, token_id)
        if node >= 0:
            self._raise_node(node, chance, chance * _WORTH_OF_GUESS, source)
            return node
        node = len(self.token_ids)
        if parent != node - 1:
            self._children[parent, token_id] = node
        self.token_ids.append(token_id)
        self.parents.append(parent)
        self.chances.append(chance)
        self._worths.append(chance * _WORTH_OF_GUESS)
        self.sources.append(source)
        return node

    def add_copy(
        self,
        parent: int,
        token_ids: Sequence[int],
        chance: float,
        held: float,
        source: str | Sequence[str],
        decay: float = 1.0,
        *,
        is_certain: bool = False,
    ) -> None:
        """Add a copy (text that goes on as it stands elsewhere) after node ``parent``, as far as it
        is worth drafting; tokens that are there already get the higher chance. Does nothing if
        ``chance`` is below ``least``.

        chance: of its first token. held: tokens it has held before. source: of all its tokens, or
        of each.

        A copy that has held for r tokens holds for j more with chance (r / (r + j)) ** decay: the
        longer it has held, the longer it will. ``decay`` 1 is Laplace's rule. Edits come in
        clusters, so a constant rate would be too bold after an edit and too timid far from it.

        The worth of one of its tokens: if the copy ends right after it, a round, since the token
        after the copy is then known in this round already; else its part of a round that copies a
        whole window. A copy that ``is_certain`` is drafted as far as it is likely.
        """
        if chance < self.least or not token_ids:
            return
        count, chances, worths = self._weigh_copy(
            len(token_ids), chance, held, decay, is_certain=is_certain
        )
        sources = [source] * count if isinstance(source, str) else source
        node, shared = parent, 0
        while shared < count and (child := self._child(node, token_ids[shared])) >= 0:
            self._raise_node(child, chances[shared], worths[shared], sources[shared])
            node = child
            shared += 1
        if shared == count:
            return
        # The rest is a branch of its own and is added in one go.
        start = len(self.token_ids)
        if node != start - 1:
            self._children[node, token_ids[shared]] = start
        self.token_ids.extend(token_ids[shared:count])
        self.parents.append(node)
        self.parents.extend(range(start, start + count - shared - 1))
        self.chances.extend(chances[shared:])
        self._worths.extend(worths[shared:])
        self.sources.extend(sources[shared:count])

    def _weigh_copy(
        self, most: int, chance: float, held: float, decay: float, *, is_certain: bool
    ) -> tuple[int, list[float], list[float]]:
        """How many of a copy's first ``most`` tokens are worth drafting, their chances and their
        worths. The other parameters are ``add_copy``'s.

        For a chain, or a certain copy, a token's worth is its chance, which must not be below a
        minimum; else its worth must not be below the price of a token, and the count is a window at
        most.
        """
        if is_certain or not self.branches:
            least = self._least_of_certain if is_certain else self.least
            worth_it = int(((chance / least) ** (1.0 / decay) - 1.0) * held) + 1
            count = max(0, min(worth_it, most))
            chances = [chance * (held / (held + ahead)) ** decay for ahead in range(count)]
            return count, chances, chances
        chances, worths = [], []
        part = 1.0 / self._window
        for ahead in range(min(most, self._window)):
            length = held + ahead
            reached = chance * (held / length) ** decay
            worth = reached * (decay / length + part)
            if worth < self._price:
                break
            chances.append(reached)
            worths.append(worth)
        return len(chances), chances, worths

    def _child(self, parent: int, token_id: int) -> int:
        """The node of ``token_id`` after ``parent``; -1 if there is none."""
        node = parent + 1
        if (
            node < len(self.token_ids)
            and self.parents[node] == parent
            and self.token_ids[node] == token_id
        ):
            return node
        return self._children.get((parent, token_id), -1)

    def _raise_node(self, node: int, chance: float, worth: float, source: str) -> None:
        """Raise the chance (with its source) and the worth of a node, if these are larger."""
        if chance > self.chances[node]:
            self.chances[node] = chance
            self.sources[node] = source
        self._worths[node] = max(self._worths[node], worth)

    @property
    def likeliest(self) -> float:
        """The largest chance of a first token; 0 if there is none."""
        pairs = zip(self.parents, self.chances, strict=True)
        return max((chance for parent, chance in pairs if parent < 0), default=0.0)

    def path(self, node: int) -> list[int]:
        """The token ids from the first below the root down to ``node``; empty for the root (-1)."""
        token_ids: list[int] = []
        while node >= 0:
            token_ids.append(self.token_ids[node])
            node = self.parents[node]
        return token_ids[::-1]

    def worth(self, node: int) -> float:
        """The rounds that drafting ``node`` is expected to save."""
        return self._worths[node]

    def most_worth(self, max_tokens: int) -> list[int]:
        """The nodes that are worth drafting (their worth, in rounds saved, is no less than the
        price of a drafted token), the most worth first, at most ``max_tokens``; parents precede
        their children.

        Raises each parent's worth, in the tree, to that of its best child.
        """
        worths, parents_of = self._worths, self.parents
        for node in range(len(worths) - 1, -1, -1):  # children come after their parents
            parent = parents_of[node]
            if parent >= 0 and worths[parent] < worths[node]:
                worths[parent] = worths[node]
        paying = [node for node, worth in enumerate(worths) if worth >= self._price]
        paying.sort(key=lambda node: -worths[node])  # stable: a parent was added first
        return paying[:max_tokens]

    def path_of_most(self, max_tokens: int) -> list[int]:
        """The nodes of the path from the root with the largest sum of chances, each further token's
        counting less; at most ``max_tokens``, none with a chance below ``least``.
        """
        chances, parents = self.chances, self.parents
        worth = list(chances)
        best = [-1] * (
            len(worth) + 1
        )  # node → its best child; the root's, of index -1, is the last
        for node in range(len(worth) - 1, -1, -1):  # children come after their parents
            if chances[node] < self.least:
                continue
            if best[node] >= 0:
                worth[node] += _DISCOUNT * worth[best[node]]
            rival = best[parents[node]]
            if rival < 0 or worth[node] > worth[rival]:
                best[parents[node]] = node
        path: list[int] = []
        node = best[-1]
        while node >= 0 and len(path) < max_tokens:
            path.append(node)
            node = best[node]
        return path

    def draft(self, nodes: Sequence[int]) -> Draft:
        """The draft of ``nodes``, in which parents precede their children, and none is missing: a
        chain (``parents`` is ``None``) if each node follows the one before it, else a tree;
        ``EMPTY`` of none.
        """
        if not nodes:
            return EMPTY
        place = {node: index for index, node in enumerate(nodes)}
        place[-1] = -1
        parents = [place[self.parents[node]] for node in nodes]
        chain = parents == list(range(-1, len(nodes) - 1))  # cheaper to verify than a tree
        return Draft(
            [self.token_ids[node] for node in nodes],
            None if chain else parents,
            None,
            [self.sources[node] for node in nodes],
        )


_COUNTS += tuple(range(128, 1025, 16))


class DraftChoice:
    """Makes drafts from guesses, for one drafter of one edit. preset: one of ``PRESETS``."""

    def __init__(self, task: DraftTask, preset: str) -> None:
        self.preset = preset
        costs = task.costs if preset == "auto" else None
        # A chain whose rejection costs a window's rows alone is as long as the window.
        self._costs = costs if costs and (task.trees or costs.again_row) else None
        self._branches = task.trees and (preset == "tree" or self._costs is not None)
        self._prompt_tokens = len(task.prompt_ids)
        self._rounds, self._seconds = 0, 0.0  # that the drafts so far cost

    def guesses(self, max_tokens: int) -> GuessTree:
        """An empty tree for a round of at most ``max_tokens``; its ``least`` chance, if costs are
        known, is one that pays for half of the cheapest row.
        """
        tree = GuessTree(max_tokens, branches=self._branches)
        tree.least = max(tree.least, _OF_CHEAPEST * self._cheapest_row())
        return tree

    def _cheapest_row(self) -> float:
        """The least cost, over several widths, of one more row, in passes of one row; 0 if costs
        are not known.
        """
        if self._costs is None:
            return 0.0
        costs, context = self._costs, self._prompt_tokens
        alone = costs.seconds(1, context)
        if alone <= 0.0:
            return 0.0
        return min((costs.seconds(k + 1, context) - alone) / k for k in _WIDTHS) / alone

    def draft(self, tree: GuessTree, max_tokens: int, num_written: int) -> Draft:
        """The draft, a chain or a tree, of the guesses that gain most time, empty if none gains
        any; without known costs of all that are worth drafting. Adds its estimated time, if costs
        are known, to the mean of this edit's rounds.

        num_written: tokens of output before it.
        """
        path = tree.path_of_most(max_tokens)
        most = tree.most_worth(max_tokens) if self._branches else path
        if self._costs is None:
            return tree.draft(sorted(most))
        costs, context = self._costs, self._prompt_tokens + num_written
        rereads = _expected_rereads([tree.chances[node] for node in path])

        def seconds(num_tokens: int, *, as_tree: bool) -> float:
            alone = costs.seconds(num_tokens + 1, context, tree=as_tree)
            return alone if as_tree else alone + costs.again_row * rereads[num_tokens]

        mean = self._seconds / self._rounds if self._rounds else seconds(len(path), as_tree=False)
        nodes, gain = _best_prefix(path, tree, mean, lambda count: seconds(count, as_tree=False))
        if most != path:
            best, most_gain = _best_prefix(
                most, tree, mean, lambda count: seconds(count, as_tree=True)
            )
            if most_gain > gain:
                nodes = sorted(best)
        draft = tree.draft(nodes)
        is_tree = draft.parents is not None
        if not is_tree:  # the likeliest nodes may be a chain that is longer than the path
            rereads = _expected_rereads([tree.chances[node] for node in nodes])
        self._rounds += 1
        self._seconds += seconds(len(draft), as_tree=is_tree)
        return draft


def _expected_rereads(chances: Sequence[float]) -> list[float]:
    """For a chain's first 0, 1, 2, … tokens, how many are expected to be read again if it breaks off.

    chances: that each token and all before it are accepted.

        >>> _expected_rereads([0.5, 0.5])
        [0.0, 0.5, 0.5]
    """
    brought, expected = 1.0, [0.0]
    for count, chance in enumerate(chances, start=1):
        brought += chance
        expected.append(max(brought - (count + 1) * chance, 0.0))
    return expected


class Guesser:
    """A ``Drafter`` that adds weighed guesses to a tree. choice: makes drafts from guesses."""

    name: str
    choice: DraftChoice

    def grow(
        self, tree: GuessTree, output_ids: Sequence[int], max_tokens: int, share: float
    ) -> float:
        """Add guesses worth ``share`` in all; returns the chance that none of them is right."""
        raise NotImplementedError

    def propose(self, output_ids: Sequence[int], max_tokens: int) -> Draft:
        """The draft of this drafter's own guesses for what follows ``output_ids``; empty if
        ``max_tokens`` is not positive. Reads new output, as ``grow`` does.
        """
        if max_tokens <= 0:
            return EMPTY
        tree = self.choice.guesses(max_tokens)
        self.grow(tree, output_ids, max_tokens, 1.0)
        return self.choice.draft(tree, max_tokens, len(output_ids))

    def observe(self, accepted_ids: Sequence[int]) -> None:
        """Do nothing: most of them learn from the output."""


def _best_prefix(
    nodes: Sequence[int], tree: GuessTree, mean: float, seconds: Callable[[int], float]
) -> tuple[list[int], float]:
    """The first so many of ``nodes`` that gain most time, and that gain in seconds (negative if
    even none does); of equal gains the longer. Only the counts in ``_COUNTS`` and all are tried.

    A token's worth is the rounds that it is expected to save. A round is taken to cost as much as
    those of this edit have so far, ``mean``; but no token saves more than writing it alone takes,
    which is little where a wide pass takes many times as long as a narrow one. Verifying the first
    ``count`` nodes costs ``seconds(count)``.
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


class ComposedDrafter:
    """A list of drafters; guessers share a tree, from left to right, and all of them observe."""

    def __init__(self, task: DraftTask, parts: Sequence[Drafter]) -> None:
        self.name = "+".join(part.name for part in parts)
        self._parts = tuple(parts)
        # One that was named says how the shared guesses are drafted, the leftmost of several.
        choices = [part.choice for part in parts if isinstance(part, Guesser)]
        named = [choice for choice in choices if choice.preset != PRESETS[0]]
        self._choice = next(iter(named or choices), DraftChoice(task, "chain"))

    def propose(self, output_ids: Sequence[int], max_tokens: int) -> Draft:
        """The draft of all parts' guesses for what follows ``output_ids`` in one tree, each part
        with the chance that those before it leave, until next to nothing is left; empty if
        ``max_tokens`` is not positive.

        A part that is no ``Guesser`` is asked only while no guess before it is likelier than one
        half; its own draft, if not empty, is then returned alone.
        """
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
        """Pass the accepted tokens on to all drafters."""
        for part in self._parts:
            part.observe(accepted_ids)
