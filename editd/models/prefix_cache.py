"""KV of closed sequences, kept for later prompts that start the same way.

Keyed by token ids alone (never by a file's name), limited in bytes, least recently used out first. It
returns only what a fresh prefill would compute in the same chunks, so a cache hit changes nothing but
time. Knows no model, and only the ``KvCache`` interface of a cache; it serves every backend.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from editd.decode.target import num_common


def chunks(token_ids: Sequence[int], start: int, size: int) -> Iterator[Sequence[int]]:
    """``token_ids`` behind ``start`` tokens, in pieces that never cross a multiple of ``size``."""
    done = 0
    while done < len(token_ids):
        end = min(done + size - (start + done) % size, len(token_ids))
        yield token_ids[done:end]
        done = end


class KvCache(Protocol):
    """Keys and values of one sequence, as a backend holds them."""

    @property
    def nbytes(self) -> int: ...

    def crop_to(self, length: int) -> None:
        """Forget all but the first ``length`` tokens."""
        ...

    def resume(self, length: int, capacity: int) -> Any:
        """The first ``length`` tokens with room for ``capacity``; this object is used no more."""
        ...

    def copy_prefix(self, length: int, capacity: int) -> Any:
        """A copy of the first ``length`` tokens with room for ``capacity``."""
        ...


@dataclass(slots=True, eq=False)
class _Entry:
    """``token_ids``: the tokens that ``cache`` holds, all of them written by prefill chunks."""

    token_ids: list[int]
    cache: KvCache


class PrefixCache:
    """The last closed sequences of one model, most recently used last.

    chunk: tokens of a prefill chunk; chunks start at its multiples. limit_bytes: may be changed
    at any time.
    """

    def __init__(self, chunk: int, limit_bytes: int) -> None:
        self.chunk = chunk
        self.limit_bytes = limit_bytes
        self._entries: list[_Entry] = []

    def __len__(self) -> int:
        return len(self._entries)

    @property
    def nbytes(self) -> int:
        """Bytes held."""
        return sum(entry.cache.nbytes for entry in self._entries)

    def store(self, token_ids: Sequence[int], cache: KvCache) -> None:
        """Keep ``cache``, which holds ``token_ids`` as prefill left them."""
        kept = list(token_ids)
        cache.crop_to(len(kept))
        # A prefix of the new entry is redundant.
        self._entries = [e for e in self._entries if kept[: len(e.token_ids)] != e.token_ids]
        if kept:
            self._entries.append(_Entry(kept, cache))
        self.shrink(self.limit_bytes)

    def take(self, prompt_ids: Sequence[int], capacity: int) -> Any:
        """A cache that starts with the longest reusable part of ``prompt_ids``, if any.

        An entry that would mostly be kept gives up its buffers; one that shares only a beginning
        (another file under the same instructions) is copied and stays.
        """
        best, length = None, 0
        for entry in self._entries:
            reusable = self._reusable(entry, prompt_ids)
            if reusable > length:
                best, length = entry, reusable
        if best is None:
            return None
        if 2 * length >= len(best.token_ids):
            self._entries.remove(best)
            return best.cache.resume(length, capacity)
        self._entries.remove(best)
        self._entries.append(best)
        return best.cache.copy_prefix(length, capacity)

    def shrink(self, limit_bytes: int) -> int:
        """Drop the least recently used until ``limit_bytes`` hold; how many were dropped.

        What sits at a fixed address takes no bytes of its own and stays.
        """
        dropped = 0
        while self.nbytes > limit_bytes:
            self._entries.remove(next(entry for entry in self._entries if entry.cache.nbytes))
            dropped += 1
        return dropped

    def clear(self) -> None:
        """Keep nothing of what was stored."""
        self._entries.clear()

    def _reusable(self, entry: _Entry, prompt_ids: Sequence[int]) -> int:
        """Tokens that a fresh prefill of the prompt would compute in the same pieces.

        That is whole chunks, or the whole prefill of the same prompt again. The last prompt token
        is never among them: it is verified, not prefilled.
        """
        prefilled = len(prompt_ids) - 1
        common = min(num_common(entry.token_ids, list(prompt_ids)), prefilled)
        if common == prefilled == len(entry.token_ids):
            return common
        return common // self.chunk * self.chunk
