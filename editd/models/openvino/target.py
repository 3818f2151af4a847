"""A network on OpenVINO as the decode loop's target: prompts in, passes, choices out.

Implements ``decode.target.Target``. A row has the same bits in a pass of any width (``paged``), so the text is that
of plain decoding, and all that a closed sequence has read and written may serve a later prompt (``PrefixCache``),
which shares its blocks. Chains alone: a branch of a tree would be rounded otherwise. One thread calls a target and
all its sequences.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from editd.decode.target import Rows, Sampling
from editd.models.loaded_model import (
    CachedSequence,
    PrefixCache,
    check_prompt,
    chunks,
    logits_in_passes,
    make_room,
)
from editd.models.openvino.paged import BlockTable, Logits, PagedNetwork

_MOST_MARKS = 16  # states of a prompt that are kept for later ones


class OpenVinoTarget:
    """Opens sequences on ``network``.

    widest: rows of a pass.
    max_context: tokens, 0 for the model's own limit.
    cache_bytes: the most bytes for caches of closed sequences.
    kv_limit_bytes: the most bytes for all caches, 0 for no limit.
    """

    exactness, near_tie_margin = "bitwise", 0.0
    rewindable, supports_trees, widest_tree = True, False, 1

    def __init__(
        self,
        network: PagedNetwork,
        vocab_size: int,
        *,
        widest: int,
        max_context: int,
        cache_bytes: int,
        kv_limit_bytes: int,
        runs: str,
    ) -> None:
        self.network = network
        self.prefill_chunk = widest  # small enough to cancel between two
        self.vocab_size, self.runs = vocab_size, runs
        self.max_context, self.kv_limit_bytes = max_context, kv_limit_bytes
        # Any prefix serves, not only whole chunks: its bits do not depend on how it was read. Of a hybrid those
        # that a state was kept of.
        self.prefixes = PrefixCache(1, cache_bytes, lambda table, length: table.usable(length))
        self._token_bytes = network.block_bytes // network.tokens
        self._open: list[OpenVinoSequence] = []
        self._closed = False

    @property
    def cache_bytes(self) -> int:
        """Bytes in caches, open and closed sequences together."""
        return self.network.used_bytes

    def open(self, prompt_ids: Sequence[int]) -> OpenVinoSequence:
        """Open a sequence for this prompt, the cached part of its beginning in place; reads nothing
        itself. The target holds it until it is closed.

        The cached part is taken out of the prefix cache, or shared (``PrefixCache.take``). Raises
        ``ScopeTooLarge`` if the prompt leaves no token for an answer.
        """
        check_prompt(prompt_ids, self.max_context)
        shared_length = (
            self.prefixes.shared_length(prompt_ids) // self.prefill_chunk * self.prefill_chunk
        )
        table = self.prefixes.take(prompt_ids, 0)
        token_ids = list(prompt_ids[: table.length]) if table else []
        sequence = OpenVinoSequence(
            self, table or self.network.new_table(), token_ids, shared_length
        )
        self._open.append(sequence)
        return sequence

    @property
    def most_marks(self) -> int:
        """The number of a prompt's states that are stored for later prompts: 2 to 16, as far as
        half of the prefix cache's bytes has room.
        """
        room = self.prefixes.limit_bytes // 2 // max(self.network.state_bytes, 1)
        return max(2, min(_MOST_MARKS, room))

    def make_room(self, rows: int) -> None:
        """Drop caches of closed sequences, least recently used first, until ``rows`` more tokens
        fit into the user's limit, and into free blocks with a few to spare.

        Raises ``OutOfMemory`` if open sequences with these tokens exceed that limit; not if there
        are too few blocks.
        """
        held = sum(sequence.table.nbytes for sequence in self._open)
        make_room(held + rows * self._token_bytes, self.kv_limit_bytes, self.prefixes)
        # An open sequence may have to copy a block, and every pass may be filled up.
        needed = rows + self.network.least + 2 * self.network.tokens
        while self.network.free_tokens < needed and self.prefixes.nbytes:
            self.prefixes.shrink(self.prefixes.nbytes - 1)

    def forget_sequence(self, sequence: OpenVinoSequence) -> None:
        """Forget a closed sequence: its table is trimmed and stored for later prompts, or closed if
        the target is closed.
        """
        if sequence in self._open:
            self._open.remove(sequence)
        if self._closed:
            sequence.table.close()
            return
        sequence.table.trim()
        self.prefixes.store(sequence.token_ids[: sequence.table.length], sequence.table)

    def drop_caches(self) -> None:
        """Drop the caches of closed sequences."""
        self.prefixes.clear()
        self.network.trim()

    def close(self) -> None:
        """Free everything, open sequences too; nothing can be decoded afterwards. Safe to call
        twice.
        """
        self._closed = True
        self.prefixes.clear()
        for sequence in self._open:
            sequence.table.close()
        self._open.clear()
        self.network.close()


class OpenVinoSequence(CachedSequence):
    """A prompt and its output in a table of blocks (``decode.target.TargetSequence``).

    shared_length: the length of the beginning that its prompt shares with an earlier one.
    """

    def __init__(
        self,
        target: OpenVinoTarget,
        table: BlockTable,
        token_ids: list[int],
        shared_length: int = 0,
    ) -> None:
        super().__init__(target, token_ids)
        self.table = table
        self._openvino = target
        self._shared_length = shared_length
        self._num_read_again = 0

    def verify(self, token_ids: Sequence[int], sampling: Sampling, **more: Any) -> Rows:
        """As ``CachedSequence.verify``; the rows also have the number of tokens that were read
        again before, because a crop went back to a state before them.
        """
        before = self._num_read_again
        rows = super().verify(token_ids, sampling, **more)
        again = self._num_read_again - before
        return replace(rows, num_read_again=again) if again else rows

    def _append_without_logits(self, token_ids: Sequence[int]) -> None:
        """Append prompt tokens in one pass, after reading again those that a crop took from the
        table. Raises ``OutOfMemory``.
        """
        self._read_again()
        self._read(token_ids)
        self.token_ids += token_ids

    def _read_again(self) -> None:
        """Append to the table tokens that a crop took from it although they stay, in prefill
        passes, and count them. Raises ``OutOfMemory``.
        """
        missing = self.token_ids[self.table.length :]
        for piece in chunks(missing, self.table.length, self._openvino.prefill_chunk):
            self._read(piece)
            self._num_read_again += len(piece)

    def _read(self, token_ids: Sequence[int]) -> None:
        """Append tokens to the table, in one pass, and mark the state after them for later prompts;
        drops cached prefixes for space. ``token_ids`` of the sequence stay as they are.

        Raises ``OutOfMemory``.
        """
        self._openvino.make_room(len(token_ids))
        self.table.append_without_logits(token_ids)
        self.table.mark(self._openvino.most_marks, self._shared_length)

    def _crop(self, length: int) -> None:
        self.table.crop_to(length)
        del self.token_ids[length:]

    def _keep_rows(self, base: int, rows: Sequence[int]) -> None:
        self._crop(base + len(rows))  # of a chain they are the first

    def _give_back(self, prefilled: int) -> None:  # noqa: ARG002  what was verified has the same bits
        """Let the target forget this sequence, which keeps all its tokens for other prompts, not only the prefilled ones."""
        self._openvino.forget_sequence(self)

    def _append(self, token_ids: Sequence[int], parents: Sequence[int] | None) -> Logits:  # noqa: ARG002
        """Append tokens after reading again those that a crop took from the table; returns the
        logits after each. ``parents`` are ignored: chains alone. Raises ``OutOfMemory``.
        """
        self._read_again()
        self._openvino.make_room(len(token_ids))
        return logits_in_passes(self._append_chain, token_ids, self._openvino.prefill_chunk)

    def _append_chain(self, token_ids: Sequence[int]) -> Logits:
        """Append tokens in one pass; returns the logits after each, valid until the next pass.
        Raises ``OutOfMemory``; nothing is appended then.
        """
        logits = self.table.append_chain(token_ids)
        self.token_ids += token_ids
        return logits
