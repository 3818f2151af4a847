"""The shared parts of backends that run a model in this process: the model, a prompt with its output, a prefix cache.

``LoadedModel`` is the shared part of ``models.model.Model``; a backend adds how its passes are timed, and its own
status. ``CachedSequence`` implements ``decode.target.TargetSequence``: it knows which tokens a cache holds, which of
them are unchanged since prefill (only these may serve a later prompt), and how rows of logits become choices. Moving
tokens into a cache and logits out of it is left to the backend: the methods at its end.

``PrefixCache`` holds the caches of closed sequences for later prompts that start the same way. Keyed by token ids
alone (never by a file's name), limited in bytes, least recently used out first. It returns only what a fresh prefill
would compute in the same chunks, so a cache hit changes nothing but time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from editd.decode.target import Drawn, Rows, Sampling, depths, is_chain, num_common
from editd.errors import OutOfMemory, ScopeTooLarge
from editd.messages.reports import ModelStatus
from editd.models import sampling as numpy_sampling
from editd.models.model_folder import edit_format
from editd.models.sampling import greedy_rows
from editd.models.text.chat_template import RenderChat
from editd.models.text.codec import ModelCodec


@dataclass(eq=False)
class LoadedModel:
    """A model in memory.

    target: opens sequences of tokens.
    tokenizer_folder: a folder with its tokenizer's files.
    dtype: its number format, for a person.
    manifest: the content of ``editd.json``.
    why: the reason why this engine runs the model; empty if there was no choice.
    notice: a sentence for the user who loaded it; empty if there is nothing to say.
    """

    name: str
    target: Any
    codec: ModelCodec
    stop_ids: frozenset[int]
    render_chat: RenderChat | None
    tokenizer_folder: Path
    device: str
    dtype: str
    parameters: int
    weights_bytes: int
    manifest: dict[str, Any] = field(default_factory=dict, kw_only=True)
    why: str = field(default="", kw_only=True)
    notice: str = field(default="", kw_only=True)

    @property
    def edit_format(self) -> str | None:
        """The edit format that ``editd.json`` names; ``None`` if it names none."""
        return edit_format(self.manifest)

    @property
    def memory_bytes(self) -> int:
        """Bytes of weights and caches now; safe from any thread, also while the model is being closed."""
        return self.weights_bytes + int(self.target.cache_bytes)

    def status(self) -> ModelStatus:
        """The model's name, device, number format, memory at this moment and engine, for users."""
        target = self.target
        return ModelStatus(
            name=self.name,
            state="ready",
            device=self.device,
            dtype=self.dtype,
            parameters=self.parameters,
            memory_bytes=self.memory_bytes,
            kv_bytes=target.cache_bytes,
            kv_limit_bytes=target.kv_limit_bytes,
            exactness=target.exactness,
            runs=f"{target.runs} ({self.why})" if self.why else target.runs,
        )

    def idle_work(self) -> bool:
        """Do one short task that makes later edits faster; false if there is none left."""
        return False

    def drop_caches(self) -> None:
        """Drop the cached prefixes of closed sequences."""
        self.target.drop_caches()

    def close(self) -> None:
        """Free all memory; the model cannot be used any more. Safe to call twice."""
        self.target.close()


class CachedSequence:
    """A sequence on a ``decode.target.Target`` whose cache holds ``token_ids``, the beginning of its prompt."""

    # Logits to choices: of another library where they are no numpy arrays.
    choose: Callable[..., Rows] = staticmethod(numpy_sampling.choose)
    draw_one: Callable[..., Drawn] = staticmethod(numpy_sampling.draw)

    def __init__(self, target: Any, token_ids: list[int]) -> None:
        self.token_ids = token_ids  # what the cache holds
        self._target = target
        self.cached_tokens = len(token_ids)  # prompt tokens that were there when it was opened
        self._prefilled = len(token_ids)  # how far that came from prefill chunks alone
        self._closed = False

    @property
    def length(self) -> int:
        """The number of tokens in the cache."""
        return len(self.token_ids)

    def prefill(self, token_ids: Sequence[int]) -> None:
        """Append prompt tokens, in passes that never reach across a multiple of ``prefill_chunk``;
        no token is chosen.

        Only passes that begin at such a multiple, after nothing but such passes, may later serve
        another prompt. Raises whatever the backend's passes raise (``OutOfMemory``); the pieces
        before that stay.
        """
        chunk = self._target.prefill_chunk
        for piece in chunks(token_ids, self.length, chunk):
            aligned = self._prefilled == self.length and self.length % chunk == 0
            self._append_without_logits(piece)
            if aligned:
                self._prefilled = self.length

    def verify(
        self,
        token_ids: Sequence[int],
        sampling: Sampling,
        *,
        parents: Sequence[int] | None = None,
        draft_probs: Sequence[Any] | None = None,
        allowed: Sequence[Sequence[int] | None] | None = None,
    ) -> Rows:
        """Append ``token_ids`` to the cache in one forward pass (a backend may need several), and
        choose the next token after each.

        The parameters are those of ``decode.target.TargetSequence.verify``. Nothing is taken back:
        the caller crops what it rejects. Raises ``ValueError`` for branches if the target verifies
        chains only, before anything is appended, and whatever the backend's passes raise
        (``OutOfMemory``).
        """
        start = self.length
        if parents is not None and is_chain(parents):
            parents = None
        if parents is not None and not self._target.supports_trees:
            raise ValueError("this model verifies chains only (supports_trees)")
        is_greedy = sampling.greedy and allowed is None
        logits = self._logits_or_rows(token_ids, parents, greedy=is_greedy)
        if isinstance(logits, Rows):
            return logits
        places = range(len(token_ids)) if parents is None else depths(parents)
        return self.choose(
            logits,
            sampling,
            [start + 1 + place for place in places],
            token_ids,
            draft_probs=draft_probs,
            allowed=allowed,
            parents=parents,
        )

    def draw(
        self,
        token_ids: Sequence[int],
        sampling: Sampling,
        *,
        vocab_size: int = 0,
        allowed: Sequence[int] | None = None,
        independent: bool = False,
    ) -> Drawn:
        """Append ``token_ids`` and draw the token that follows the last: for drafters with a model.

        vocab_size: only ids below it are drawn, 0 for all. The others are as in ``sampling.draw``.
        """
        return self.draw_one(
            self._last_row(token_ids)[:, : vocab_size or None],
            sampling,
            self.length,
            allowed=allowed,
            independent=independent,
        )

    def crop(self, length: int) -> None:
        """Forget all but the first ``length`` tokens."""
        self._crop(length)
        self._prefilled = min(self._prefilled, length)

    def keep_branch(self, base: int, rows: Sequence[int]) -> None:
        """Reduce the cache to its first ``base`` tokens and the verified ``rows``, in that order."""
        self._keep_rows(base, rows)
        self._prefilled = min(self._prefilled, base)

    def close(self) -> None:
        """Return the cache to the target; its prefilled part may serve a later prompt. Does nothing
        the second time. Raises whatever storing the cache raises; the sequence counts as closed
        then.
        """
        if not self._closed:
            self._closed = True
            self._give_back(self._prefilled)

    # --- a backend's, each leaving ``token_ids`` as the cache is ---------------------------------

    def _append_without_logits(self, token_ids: Sequence[int]) -> None:
        """Append a part of the prompt, in one pass."""
        raise NotImplementedError

    def _append(self, token_ids: Sequence[int], parents: Sequence[int] | None) -> Any:
        """Append ``token_ids``; returns the logits after each, valid until the next pass.

        parents: as in ``Draft.parents``; ``None`` for a chain.
        """
        raise NotImplementedError

    def _logits_or_rows(
        self, token_ids: Sequence[int], parents: Sequence[int] | None, *, greedy: bool
    ) -> Any | Rows:
        """Append ``token_ids``; returns the logits after each, which the caller may change, or the rows already
        chosen.

        greedy: the caller needs nothing but the largest logit, so rows may be returned.
        """
        logits = self._append(token_ids, parents)
        return greedy_rows(logits, token_ids, parents) if greedy else logits.copy()

    def _last_row(self, token_ids: Sequence[int]) -> Any:
        """Append ``token_ids``; returns the logits after the last, ``[1, vocab_size]``, which the caller may change."""
        return self._append(token_ids, None)[-1:].copy()

    def _crop(self, length: int) -> None:
        """Forget all but the first ``length`` tokens."""
        raise NotImplementedError

    def _keep_rows(self, base: int, rows: Sequence[int]) -> None:
        """Reduce the cache to its first ``base`` tokens and the verified ``rows``."""
        raise NotImplementedError

    def _give_back(self, prefilled: int) -> None:
        """Return the cache to the target, its first ``prefilled`` tokens for reuse."""
        raise NotImplementedError


def check_prompt(prompt_ids: Sequence[int], max_context: int) -> None:
    """Raise ``ScopeTooLarge`` for a prompt that leaves no room for an answer."""
    if len(prompt_ids) >= max_context:
        raise ScopeTooLarge(
            f"The prompt has {len(prompt_ids)} tokens, the model reads at most "
            f"{max_context}: edit fewer lines at a time (--range)."
        )


def prefix_cache_limit(free_bytes: int) -> int:
    """Bytes for the caches of closed sequences, of those that are free after loading."""
    return min(4 << 30, free_bytes // 4)


def make_room(needed: int, limit: int, prefixes: PrefixCache) -> None:
    """Shrink the prefix cache so that open sequences can take ``needed`` bytes within ``limit``.

    limit: bytes for all caches together, set by the user; 0 for none, which does nothing. Raises
    ``OutOfMemory``, after dropping all prefixes, if ``needed`` is more than the limit.
    """
    if not limit:
        return
    prefixes.shrink(max(0, limit - needed))
    if needed > limit:
        raise OutOfMemory(
            f"The keys and values of this edit take {needed >> 20:,} MiB, and caches may take "
            f"{limit >> 20:,} MiB: edit fewer lines at a time (--range), or raise daemon.memory."
        )


def dummy_ids(count: int, vocab_size: int) -> list[int]:
    """``count`` ids below ``vocab_size``, the same at each call and without runs that repeat soon."""
    return [(7919 * index + 13) % vocab_size for index in range(count)]


def logits_in_passes(
    append: Callable[[Sequence[int]], NDArray[np.float32]], token_ids: Sequence[int], widest: int
) -> NDArray[np.float32]:
    """The logits after each of ``token_ids``, ``[rows, vocab_size]``, from as few passes of at most
    ``widest`` rows as possible.

    append: appends the tokens of one pass and returns their logits, whose array the next pass may
    overwrite; the result of a single pass is that array. What it raises is passed on.
    """
    if len(token_ids) <= widest:
        return append(token_ids)
    at = range(0, len(token_ids), widest)
    return np.concatenate([append(token_ids[first : first + widest]).copy() for first in at])


def least_useful_mark(places: Sequence[int], protected: int) -> int:
    """The place, of all but the last, where a stored state serves least: with the smallest gap
    between its neighbours, divided by its distance from the nearer end; the first of equals.

    places: token counts after which a state is stored (marks), ascending, two at least; before the
    first counts 0 as a neighbour. protected: not chosen, unless it is the only one.
    """
    *before, last = places

    def share(place: int) -> float:
        index = places.index(place)
        gap = places[index + 1] - (places[index - 1] if index else 0)
        return gap / min(place, last - place)

    return min([place for place in before if place != protected] or before, key=share)


def chunks(token_ids: Sequence[int], start: int, size: int) -> Iterator[Sequence[int]]:
    """``token_ids``, which follow ``start`` tokens, in pieces of at most ``size`` that never cross
    a multiple of ``size`` counted from the very beginning.
    """
    done = 0
    while done < len(token_ids):
        end = min(done + size - (start + done) % size, len(token_ids))
        yield token_ids[done:end]
        done = end


class KvCache(Protocol):
    """Keys and values of one sequence, as a backend stores them."""

    @property
    def nbytes(self) -> int: ...

    def crop_to(self, length: int) -> None:
        """Forget all but the first ``length`` tokens."""
        ...

    def resume(self, length: int, capacity: int) -> Any:
        """The first ``length`` tokens in a cache with room for ``capacity``, reusing this one's buffers: use this no
        more.
        """
        ...

    def copy_prefix(self, length: int, capacity: int) -> Any:
        """A copy of the first ``length`` tokens, with room for ``capacity``."""
        ...


@dataclass(slots=True, eq=False)
class _StoredPrefix:
    """The cache of a closed sequence. token_ids: the tokens in it, all of them written by prefill chunks."""

    token_ids: list[int]
    cache: KvCache


class PrefixCache:
    """The caches of closed sequences of one model, most recently used last.

    chunk: tokens of a prefill chunk; chunks start at its multiples.
    limit_bytes: may be changed at any time.
    usable: given a cache and a length, how many of its first so many tokens it can provide; by default all.
    """

    def __init__(
        self,
        chunk: int,
        limit_bytes: int,
        usable: Callable[[Any, int], int] = lambda _cache, length: length,
    ) -> None:
        self.chunk = chunk
        self.limit_bytes = limit_bytes
        self._usable = usable
        self._entries: list[_StoredPrefix] = []

    def __len__(self) -> int:
        return len(self._entries)

    @property
    def nbytes(self) -> int:
        """Bytes of all caches stored."""
        return sum(entry.cache.nbytes for entry in self._entries)

    def store(self, token_ids: Sequence[int], cache: KvCache) -> None:
        """Store ``cache``, cropped in place to ``token_ids``; drops stored beginnings of these
        tokens, and the least recently used to stay within the limit.

        Without tokens nothing is stored. ``cache`` may be dropped at once if it is larger than the
        limit. Raises whatever ``crop_to`` of ``cache`` raises, before anything is stored.
        """
        ids = list(token_ids)
        cache.crop_to(len(ids))
        # A prefix of the new entry is redundant.
        self._entries = [e for e in self._entries if ids[: len(e.token_ids)] != e.token_ids]
        if ids:
            self._entries.append(_StoredPrefix(ids, cache))
        self.shrink(self.limit_bytes)

    def take(self, prompt_ids: Sequence[int], capacity: int) -> Any:
        """Take a cache with space for ``capacity`` tokens that starts with the longest reusable
        part of ``prompt_ids``; ``None`` if no part is reusable.

        If at least half of a stored cache is reused, it gives up its buffers and leaves the store;
        if only a beginning is (another file under the same instructions) it is copied and stays, as
        the most recently used. Raises whatever its ``resume`` or ``copy_prefix`` raises.
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

    def shared_length(self, prompt_ids: Sequence[int]) -> int:
        """The length of the longest beginning that the prompt shares with a stored cache, rounded
        down to whole chunks; 0 for none. Whether the cache can provide so many tokens is not looked
        at.
        """
        prompt = list(prompt_ids)
        common = (num_common(entry.token_ids, prompt) for entry in self._entries)
        return max(common, default=0) // self.chunk * self.chunk

    def shrink(self, limit_bytes: int) -> int:
        """Drop the least recently used caches until the rest takes at most ``limit_bytes``; returns
        how many were dropped.

        A cache that reports 0 bytes stays.
        """
        dropped = 0
        while self.nbytes > limit_bytes:
            self._entries.remove(next(entry for entry in self._entries if entry.cache.nbytes))
            dropped += 1
        return dropped

    def clear(self) -> None:
        """Drop all caches."""
        self._entries.clear()

    def _reusable(self, entry: _StoredPrefix, prompt_ids: Sequence[int]) -> int:
        """The number of the entry's tokens that a fresh prefill of the prompt would compute in the
        same pieces.

        The common beginning in whole chunks, or all of it if the entry is exactly the prompt
        without its last token, as far as ``usable`` says that the cache can provide it. The last
        prompt token never counts: it is verified, not prefilled.
        """
        prefilled = len(prompt_ids) - 1
        common = min(num_common(entry.token_ids, list(prompt_ids)), prefilled)
        same = common == prefilled == len(entry.token_ids)
        if same and self._usable(entry.cache, common) == common:
            return common
        return self._usable(entry.cache, common // self.chunk * self.chunk)
