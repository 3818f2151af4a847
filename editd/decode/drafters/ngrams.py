"""Guesses from the last tokens: a vote of contexts, and a weight for tokens that are near in the buffer.

``NgramModel`` counts the followers of each context: prediction by partial matching. It counts the followers of
several contexts in a growing text and blends them, most exact context first (PPM: Cleary and Witten, 1984, with
exclusion and escapes after Moffat's method C, 1990). Besides exact contexts there are looser ones, for places where
the last token itself is new: *folds* (words without case and the signs that stick to them) and *shapes* (word,
number, blank, or a sign that stands for itself).

Worked example. Text ``f ( x ) f ( y ) f (``: after ``f (`` came ``x`` and ``y``, the latter last, so ``y`` gets 2 of
7 shares, ``x`` 1, and 4 escape to looser contexts (each of two followers counts two for the unseen).

``Proximity`` weighs guesses for new text by their distance in the buffer. A vote of contexts does not know where in
the file it takes place. But new text reuses the words of the text that it replaces, in their order. Of guesses that
the vote gives a chance of 1/32, one in seven comes true if it is among the next four tokens of the buffer, and one in
a hundred if it stands nowhere near.

Worked example. Buffer ``f(first, last)``, output ``f(*, ``: the vote gives ``first`` and ``self`` 1/32 each.
``first`` is one token ahead of the gap and gets 1/8, ``self`` 1/100.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Hashable, Iterator, Sequence

from editd.decode.drafters.base import Codec, TokenTable
from editd.turns import yield_point

TOKENS_A_PIECE = 4096
"""Tokens of a prompt that are indexed between two yield points."""

LONGEST = 4
"""Tokens of the longest exact context."""

# Shapes and folds have numbers of their own, so that no two kinds of context are ever equal: one table of
# counts serves all.
_WORD, _CONTINUED, _NUMBER, _BLANK, _NOTHING = -1, -2, -3, -4, -5
_SIGN, _FOLD = 1 << 40, 1 << 50

# Measured on inserted code of the development cases, in bits a token: a follower seen once in its
# context has a chance nearer 1/3 than method C's 1/2, what is in the output says three times
# as much about the rest of the output as the prompt does, and the latest follower counts double.
_ESCAPE_WEIGHT = 2.0
_OUTPUT_WEIGHT = 3.0
_LATEST_WEIGHT = 1.0
_MOST_FOLLOWERS = 32  # of one context; what came long ago matters less

REACH = 64
"""Tokens ahead in the buffer that are looked at."""

# Logistic regression of "the guess came true" on the odds that the vote gives it and the distance,
# by its number of binary digits. Fitted on a third of the recorded edits and half of the release
# edits; on the others it tells as much (docs/explanation/drafting.md).
_POWER = 0.9
_AHEAD = (5.0, 2.6, 1.9, 1.03, 0.64, 0.46, 0.46, 0.30)
_NOT_KNOWN = (0.6,) * len(_AHEAD)  # no buffer, or its end
# In a chain a guess takes the place of the copies that go the same way with a longer breath; there
# nearness counts to this power. Measured: with all of it, a chain closes 1 to 2 % less of the gap.
_POWER_IN_CHAIN = 0.35
_AHEAD_IN_CHAIN = tuple(weight**_POWER_IN_CHAIN for weight in _AHEAD)


Tail = tuple[int, ...]
"""The left context of a prediction: the last tokens."""

# How often a context was followed when that was counted, what followed with its weight, the sum of
# the weights and the largest one.
_Count = tuple[int, dict[int, float], float, float]
Followers = dict[Hashable, list[int]]


class NgramModel:
    """A growing text, and the followers of each context in it."""

    def __init__(self, codec: Codec, prompt_ids: Sequence[int]) -> None:
        self.text: list[int] = []
        self.prompt_length = len(prompt_ids)
        self._shapes = TokenTable(codec, _shape_of)
        self._folds = TokenTable(codec, self._fold_of)
        self._shapes[_NOTHING] = self._folds[_NOTHING] = _NOTHING
        self._fold_ids: dict[str, int] = {}
        # context → indexes in the text of what followed it, from exact to loose
        self._four: Followers = defaultdict(list)
        self._two: Followers = defaultdict(list)
        self._one_token: Followers = defaultdict(list)
        self._one_fold: Followers = defaultdict(list)
        self._two_shapes: Followers = defaultdict(list)
        self._counted: dict[Hashable, _Count] = {}
        for start in range(0, len(prompt_ids), TOKENS_A_PIECE):
            self.extend(prompt_ids[start : start + TOKENS_A_PIECE])
            yield_point()

    def extend(self, token_ids: Sequence[int]) -> None:
        """Append to the text and count its contexts; takes about a microsecond a token."""
        text = self.text
        done = len(text)
        text.extend(token_ids)
        new = range(done, len(text))
        ids = [_NOTHING] * (LONGEST - done) + text[max(done - LONGEST, 0) :]
        shapes = list(map(self._shapes.__getitem__, ids))
        folds = list(map(self._folds.__getitem__, ids))
        # Columns of four tokens, the last shapes and fold of each, and the index of what follows.
        tokens = ids, ids[1:], ids[2:], ids[3:]
        looks = shapes[2:], shapes[3:], folds[3:]
        four, two, one_token, one_fold = self._four, self._two, self._one_token, self._one_fold
        two_shapes = self._two_shapes
        for a, b, c, d, y, z, fold, index in zip(*tokens, *looks, new, strict=False):
            four[a, b, c, d].append(index)
            two[c, d].append(index)
            one_token[d].append(index)
            one_fold[fold].append(index)
            two_shapes[y, z].append(index)

    @property
    def tail(self) -> Tail:
        """The text's end, as a left context."""
        return tuple(self.text[-LONGEST:])

    def after(self, tail: Tail, token_id: int) -> Tail:
        """The left context one token later."""
        return (*tail[1 - LONGEST :], token_id)

    def places(self, tail: Tail) -> Sequence[int]:
        """The indexes in the text of tokens that follow these very tokens, in order."""
        return self._four.get(tail, ())

    def likely(self, tail: Tail, least: float) -> list[tuple[int, float]]:
        """Tokens that may follow ``tail`` with their chances, those of the most exact context
        first; no chance below ``least``, no token twice.
        """
        found: list[tuple[int, float]] = []
        seen: set[int] = set()
        left = 1.0
        counted = self._counted
        for context, indexes in self._contexts_of(tail):
            if not indexes:
                continue
            known = counted.get(context)
            if known is None or known[0] != len(indexes):
                known = counted[context] = self._count_followers(indexes)
            _, weights, total, most = known
            again = seen.intersection(weights)
            if len(again) == len(weights):
                continue
            for token_id in again:
                total -= weights[token_id]
            escape = _ESCAPE_WEIGHT * (len(weights) - len(again))
            share = left / (total + escape)
            enough = least / share
            if most >= enough:
                for token_id, weight in weights.items():
                    if weight >= enough and token_id not in again:
                        found.append((token_id, share * weight))
            left = share * escape
            if left < least:
                break
            seen.update(weights)
        return found

    def _count_followers(self, indexes: Sequence[int]) -> _Count:
        """The weights of a context's latest followers (at most ``_MOST_FOLLOWERS``): the number of
        all of them, the weight of each token, the sum, and the largest. Those in the output and the
        very last weigh more.

        indexes: of the followers in the text, in order, at least one.
        """
        text = self.text
        recent = indexes[-_MOST_FOLLOWERS:]
        written = bisect_left(recent, self.prompt_length)
        weights: dict[int, float] = {}
        for places, weight in ((recent[:written], 1.0), (recent[written:], _OUTPUT_WEIGHT)):
            for index in places:
                token_id = text[index]
                weights[token_id] = weights.get(token_id, 0.0) + weight
        weights[text[indexes[-1]]] += _LATEST_WEIGHT
        # Sums of small whole numbers: they are the same in any order.
        return len(indexes), weights, sum(weights.values()), max(weights.values())

    def _contexts_of(self, tail: Tail) -> Iterator[tuple[Hashable, Sequence[int]]]:
        """Yield the contexts of ``tail``, the last tokens, each with the indexes of the tokens that
        followed it, in order (empty if it is new), most exact context first: the four tokens, the
        last two, the last, the last without case and adjoining signs, the shapes of the last two.
        Only the last token's for a tail shorter than four; none for an empty one.
        """
        if len(tail) < LONGEST:
            if tail:
                yield tail[-1], self._one_token.get(tail[-1], ())
            return
        last = tail[-1]
        yield tail, self._four.get(tail, ())
        yield tail[2:], self._two.get(tail[2:], ())
        yield last, self._one_token.get(last, ())
        fold = self._folds[last]
        yield fold, self._one_fold.get(fold, ())
        shapes = self._shapes[tail[2]], self._shapes[last]
        yield shapes, self._two_shapes.get(shapes, ())

    def _fold_of(self, _token_id: int, text: str) -> int:
        """The number of a token's word: ``client``, `` Client`` and ``"client`` have the same."""
        word = "".join(filter(str.isalnum, text)).lower() or text
        return self._fold_ids.setdefault(word, _FOLD + len(self._fold_ids))


def _shape_of(token_id: int, text: str) -> int:
    """The number of a token's shape: blank, number, word (after a blank), rest of a word; a sign,
    and anything with a line end, has one of its own.
    """
    bare = text.strip()
    if "\n" in text:
        return _SIGN + token_id
    if not bare:
        return _BLANK
    if bare.isdigit():
        return _NUMBER
    if bare.replace("_", "x").isalnum():
        return _WORD if text[0] == " " else _CONTINUED
    return _SIGN + token_id  # it stands for itself


class Proximity:
    """The buffer's next tokens at the place where new text is being written.

    branches: whether the guesses are for a tree.
    """

    def __init__(self, ahead: Sequence[int], *, branches: bool) -> None:
        self._weights = _AHEAD if branches else _AHEAD_IN_CHAIN
        self._ahead = ahead
        # token → where it stands ahead first
        self._first = dict(zip(reversed(ahead), range(len(ahead) - 1, -1, -1), strict=True))

    def distance(self, token_id: int, home: int = 0) -> int:
        """The number of tokens from ``home`` to the token's first place ahead in the buffer;
        ``REACH`` if it has none or a farther one.

        home: tokens that the guesses have passed.
        """
        first = self._first.get(token_id)
        if first is None:
            return REACH
        if first >= home:
            return min(first - home, REACH)
        reached = self._ahead[home : home + REACH]
        return reached.index(token_id) if token_id in reached else REACH

    def chance(self, vote: float, distance: int, home: int = 0) -> float:
        """The chance of a guess to which the contexts alone give ``vote``, above 0 and below 1, at
        that distance: the nearer, the likelier.

        home: as in ``distance``; from the end of the known buffer on, distance says nothing.
        """
        near = (self._weights if home < len(self._ahead) else _NOT_KNOWN)[distance.bit_length()]
        odds: float = (vote / (1.0 - vote)) ** _POWER * near
        return odds / (1.0 + odds)
