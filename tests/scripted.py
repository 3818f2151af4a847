"""A target in plain integers: its choice at a row is a function of all tokens before it.

Keeps its cache as a list of ids, so a loop that crops wrongly, feeds a token twice or trusts a
rejected row decodes another text. Small vocabularies make lucky drafts common.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from editd.decode.target import ANY_WIDTH, Rows, Sampling

Choose = Callable[[Sequence[int]], int]


def hashed_choice(vocab_size: int, seed: int = 0) -> Choose:
    """A choice that depends on every earlier token, mostly repeating what stood 7 tokens back."""

    def choose(ids: Sequence[int]) -> int:
        noise = zlib.crc32(repr((seed, list(ids))).encode())
        if noise % 5 and len(ids) >= 7:
            return ids[-7]
        return (noise >> 8) % vocab_size

    return choose


def scripted_choice(prompt_length: int, text: Sequence[int], after: int) -> Choose:
    """The known ``text``, whatever the output so far; ``after`` when it is over."""

    def choose(ids: Sequence[int]) -> int:
        position = len(ids) - prompt_length
        return text[position] if position < len(text) else after

    return choose


@dataclass
class ScriptedSequence:
    target: ScriptedTarget
    ids: list[int] = field(default_factory=list)
    closed: bool = False
    cached_tokens: int = 0

    @property
    def length(self) -> int:
        return len(self.ids)

    def prefill(self, token_ids):
        assert (
            len(self.ids) // self.target.prefill_chunk
            == (len(self.ids) + len(token_ids) - 1) // self.target.prefill_chunk
        ), "a chunk crosses a border"
        self.ids.extend(token_ids)

    def verify(
        self, token_ids, sampling: Sampling, *, parents=None, draft_probs=None, allowed=None
    ):
        assert not self.closed
        self.target.widths.append(len(token_ids))
        base = list(self.ids)
        choices = []
        for row in range(len(token_ids)):
            prefix = base + self._path(token_ids, parents, row)
            limit = allowed[row] if allowed else None
            choice = self.target.choose(prefix)
            choices.append(choice if limit is None or choice in limit else min(limit))
        self.ids.extend(token_ids)
        return Rows(choices, [1.0] * len(choices))

    @staticmethod
    def _path(token_ids, parents, row):
        if parents is None:
            return list(token_ids[: row + 1])
        path = []
        node = row - 1
        while node >= 0:
            path.append(token_ids[node + 1])
            node = parents[node]
        return [token_ids[0], *reversed(path)]

    def crop(self, length):
        assert self.target.rewindable
        del self.ids[length:]

    def keep_branch(self, base, rows):
        self.ids[base:] = [self.ids[base + row] for row in rows]

    def close(self):
        self.closed = True


@dataclass(eq=False)
class ScriptedTarget:
    choose: Choose
    vocab_size: int = 8
    max_context: int = 100_000
    prefill_chunk: int = 16
    rewindable: bool = True
    supports_trees: bool = True
    widest_tree: int = ANY_WIDTH
    exactness: str = "token"
    near_tie_margin: float = 0.0
    widths: list[int] = field(default_factory=list)  # rows of each verification

    def open(self, prompt_ids):
        return ScriptedSequence(self)
