"""A draft model made of a codec and a text that it knows: what it writes is known, so tests can tell.

It reads and writes real tokens, keeps its cache as a list of ids, and remembers what it was fed.
``wrong`` makes it err at some places, the same ones each time.
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass, field

from editd.decode.target import Drawn


@dataclass(eq=False)
class Reciter:
    """``truth``: the bytes that follow the prompt. ``wrong``: every so many-th place is an error."""

    codec: object
    truth: bytes
    wrong: int = 0
    name: str = "reciter"
    stop_ids: frozenset = frozenset()
    render_chat: object = None
    max_context: int = 100_000
    prefill_chunk: int = 32
    rewindable: bool = True
    sequences: list = field(default_factory=list)

    @property
    def target(self):
        return self

    @property
    def vocab_size(self):
        return self.codec.vocab_size

    def open(self, prompt_ids):
        self.sequences.append(RecitingSequence(self, list(prompt_ids)))
        return self.sequences[-1]

    def spell(self, ids):
        return b"".join(map(self.codec.token_bytes, ids))


@dataclass
class RecitingSequence:
    model: Reciter
    prompt_ids: list
    ids: list = field(default_factory=list)
    fed: list = field(default_factory=list)  # (position, everything up to there), hashed
    closed: bool = False
    cached_tokens: int = 0

    @property
    def length(self):
        return len(self.ids)

    def prefill(self, token_ids):
        size = self.model.prefill_chunk
        assert len(self.ids) // size == (len(self.ids) + len(token_ids) - 1) // size
        self._feed(token_ids)

    def crop(self, length):
        assert length <= len(self.ids)
        del self.ids[length:]

    def draw(self, token_ids, sampling, *, vocab_size=0, allowed=None, independent=False):
        assert not self.closed
        assert token_ids
        self._feed(token_ids)
        rest = self._rest()
        usable = range(self.model.codec.vocab_size) if allowed is None else allowed
        spelled = {i: self.model.codec.token_bytes(i) for i in usable}
        fitting = [i for i, piece in spelled.items() if piece and rest.startswith(piece)]
        place = zlib.crc32(repr(self.ids).encode())
        err = self.model.wrong and place % self.model.wrong == 0
        if fitting and not err:
            return Drawn(max(fitting, key=lambda i: len(spelled[i])), 0.99)
        if not rest and self.model.stop_ids and allowed is None:
            return Drawn(min(self.model.stop_ids), 0.99)
        return Drawn(sorted(spelled)[place % len(spelled)], 0.99)

    def close(self):
        self.closed = True

    def _rest(self):
        """The bytes of the truth after the ids; empty if they have left it."""
        whole = self.model.spell(self.prompt_ids) + self.model.truth
        spelled = self.model.spell(self.ids)
        return whole[len(spelled) :] if whole.startswith(spelled) else b""

    def _feed(self, token_ids):
        for token_id in token_ids:
            self.ids.append(token_id)
            self.fed.append((len(self.ids), zlib.crc32(repr(self.ids).encode())))
