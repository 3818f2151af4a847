"""What followed the last tokens before, and how often: prediction by partial matching.

Counts the followers of several contexts in a growing text and blends them, most exact context
first (PPM: Cleary and Witten, 1984, with exclusion and escapes after Moffat's method C, 1990).
Besides exact contexts there are looser ones, for places where the last token itself is new: the
*line* context (after a line end: which, and how deep was the line), *folds* (words without case and
the signs that stick to them) and *shapes* (word, number, blank, or a sign that stands for itself).

Worked example. Text ``f ( x ) f ( y ) f (``: after ``f (`` came ``x`` and ``y``, the latter last,
so ``y`` gets 2 of 7 shares, ``x`` 1, and 4 escape to looser contexts (each of two followers
counts two for the unseen).
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Hashable, Iterator, Sequence
from typing import NamedTuple

from editd.decode.drafters.base import Codec

LONGEST = 4
"""Tokens of the longest exact context."""

# Shapes, folds and the line context have numbers of their own, so that no two kinds of context are
# ever equal: one table of counts serves all.
_WORD, _CONTINUED, _NUMBER, _BLANK, _NO_INDENT, _LINE = -1, -2, -3, -4, -5, -6
_SIGN, _FOLD = 1 << 40, 1 << 50

# Measured on inserted code of the development cases, in bits a token: a follower seen once in its
# context has a chance nearer 1/3 than method C's 1/2, what stands in the output says three times
# as much about the rest of the output as the prompt does, and the latest follower counts double.
_ESCAPE_WEIGHT = 2.0
_OUTPUT_WEIGHT = 3.0
_LATEST_WEIGHT = 1.0
_MOST_FOLLOWERS = 32  # of one context; what came long ago matters less


class Tail(NamedTuple):
    """The left context of one prediction: the last tokens, and how deep the last line stands."""

    token_ids: tuple[int, ...]
    indent: int


Followers = dict[Hashable, list[int]]


class NgramModel:
    """A growing text and what followed each context in it."""

    def __init__(self, codec: Codec, prompt_ids: Sequence[int]) -> None:
        self.text: list[int] = []
        self.prompt_length = len(prompt_ids)
        self._codec = codec
        self._shapes: dict[int, int] = {}
        self._line_ends: set[int] = set()
        # context → indexes in the text of what followed it, from exact to loose
        self._four: Followers = defaultdict(list)
        self._line: Followers = defaultdict(list)
        self._two: Followers = defaultdict(list)
        self._one: Followers = defaultdict(list)
        self._folds: dict[int, int] = {}
        self._fold_ids: dict[str, int] = {}
        self._one_fold: Followers = defaultdict(list)
        self._three_shapes: Followers = defaultdict(list)
        self._two_shapes: Followers = defaultdict(list)
        self._counted: dict[Hashable, tuple[int, dict[int, float]]] = {}
        self._indent = _NO_INDENT
        self._written: dict[int, int] = {}  # token → where in the output it stands last
        self.extend(prompt_ids)
        self._written.clear()

    def extend(self, token_ids: Sequence[int]) -> None:
        """Append to the text; about a microsecond a token."""
        text = self.text
        done = len(text)
        text.extend(token_ids)
        self._written.update(zip(token_ids, range(done, len(text)), strict=True))
        start = max(done - LONGEST, 0)
        ids = text[start:]
        shapes = [self._shape(token_id) for token_id in ids]
        # Each loop pairs a context with the index of what follows it.
        for order, followers in ((1, self._one), (2, self._two), (4, self._four)):
            for context, index in _contexts(ids, order, start, done):
                followers[context].append(index)
        for order, followers in ((2, self._two_shapes), (3, self._three_shapes)):
            for context, index in _contexts(shapes, order, start, done):
                followers[context].append(index)
        folds = [self._fold(token_id) for token_id in ids]
        for context, index in _contexts(folds, 1, start, done):
            self._one_fold[context].append(index)
        line_ends = self._line_ends
        for index in range(max(done, 1), len(text)):
            if text[index - 1] in line_ends:
                self._line[_LINE, text[index - 1], self._indent].append(index)
                self._indent = self._indent_of(text[index])

    @property
    def tail(self) -> Tail:
        """The text's end."""
        return Tail(tuple(self.text[-LONGEST:]), self._indent)

    def after(self, tail: Tail, token_id: int) -> Tail:
        """The left context one token later."""
        indent = tail.indent
        if tail.token_ids and tail.token_ids[-1] in self._line_ends:
            indent = self._indent_of(token_id)
        return Tail((*tail.token_ids[1 - LONGEST :], token_id), indent)

    def since(self, token_id: int) -> int:
        """How many tokens were written since this one; very many if it was not."""
        return len(self.text) - 1 - self._written.get(token_id, -1 << 20)

    def places(self, tail: Tail) -> Sequence[int]:
        """Where in the text something followed these very tokens, in order."""
        return self._four.get(tail.token_ids, ())

    def likely(self, tail: Tail, least: float) -> list[tuple[int, float]]:
        """Tokens that may follow ``tail`` with their chances, no chance below ``least``."""
        found: list[tuple[int, float]] = []
        seen: set[int] = set()
        left = 1.0
        for followers, context in self._contexts_of(tail):
            indexes = followers.get(context)
            if not indexes:
                continue
            counts = self._counts(context, indexes)
            if seen:
                counts = {token_id: c for token_id, c in counts.items() if token_id not in seen}
                if not counts:
                    continue
            escape = _ESCAPE_WEIGHT * len(counts)
            share = left / (sum(counts.values()) + escape)
            enough = least / share
            for token_id, count in counts.items():
                if count >= enough:
                    found.append((token_id, share * count))
            left = share * escape
            if left < least:
                break
            seen.update(counts)
        return found

    def _counts(self, context: Hashable, indexes: Sequence[int]) -> dict[int, float]:
        """The weights of what followed a context; counted again only when there is more of it."""
        known = self._counted.get(context)
        if known is not None and known[0] == len(indexes):
            return known[1]
        text, prompt_length = self.text, self.prompt_length
        counts: dict[int, float] = {}
        for index in indexes[-_MOST_FOLLOWERS:]:
            token_id = text[index]
            weight = _OUTPUT_WEIGHT if index >= prompt_length else 1.0
            counts[token_id] = counts.get(token_id, 0.0) + weight
        counts[text[indexes[-1]]] += _LATEST_WEIGHT
        self._counted[context] = (len(indexes), counts)
        return counts

    def _contexts_of(self, tail: Tail) -> Iterator[tuple[Followers, Hashable]]:
        """The contexts of ``tail`` and where what followed them is noted, most exact context first."""
        ids = tail.token_ids
        if len(ids) < LONGEST:
            if ids:
                yield self._one, ids[-1:]
            return
        yield self._four, ids
        if ids[-1] in self._line_ends:
            yield self._line, (_LINE, ids[-1], tail.indent)
        yield self._two, ids[-2:]
        yield self._one, ids[-1:]
        before, last = ids[-2:]
        yield self._one_fold, (self._fold(last),)
        shapes = self._shape(ids[-3]), self._shape(before), self._shape(last)
        yield self._three_shapes, shapes
        yield self._two_shapes, shapes[1:]

    def _indent_of(self, token_id: int) -> int:
        return token_id if self._shape(token_id) == _BLANK else _NO_INDENT

    def _fold(self, token_id: int) -> int:
        """Tokens that spell one word have one number: ``client``, `` Client``, ``"client``."""
        known = self._folds.get(token_id)
        if known is None:
            text = self._codec.token_bytes(token_id).decode("utf-8", errors="replace")
            word = re.sub(r"[\W_]+", "", text).lower() or text
            known = self._folds[token_id] = self._fold_ids.setdefault(
                word, _FOLD + len(self._fold_ids)
            )
        return known

    def _shape(self, token_id: int) -> int:
        known = self._shapes.get(token_id)
        if known is not None:
            return known
        text = self._codec.token_bytes(token_id).decode("utf-8", errors="replace")
        bare = text.strip()
        if "\n" in text:
            self._line_ends.add(token_id)
            shape = _SIGN + token_id
        elif not bare:
            shape = _BLANK
        elif bare.isdigit():
            shape = _NUMBER
        elif re.fullmatch(r"\w+", bare):
            shape = _WORD if text[0] == " " else _CONTINUED
        else:
            shape = _SIGN + token_id  # it stands for itself
        self._shapes[token_id] = shape
        return shape


def _contexts(
    ids: Sequence[int], order: int, start: int, done: int
) -> list[tuple[tuple[int, ...], int]]:
    """Every context of ``order`` tokens in ``ids`` and the text index of what follows it.

    ``ids`` begins at text index ``start``; what follows at an index below ``done`` is known.
    """
    skip = max(done - start - order, 0)
    columns = [ids[skip + shift :] for shift in range(order)]
    columns[-1] = columns[-1][:-1]  # nothing follows the last token yet
    first = start + skip + order
    return list(zip(zip(*columns, strict=False), range(first, start + len(ids)), strict=False))
