"""What backends that run a model in this process share: the model, and one prompt with its growing output.

``LoadedModel`` is the shared part of ``models.model.Model``; a backend adds how its passes are timed, and its own
status. ``CachedSequence`` implements ``decode.target.TargetSequence``: it knows which tokens a cache holds, which of
them are unchanged since prefill (only these may serve a later prompt), and how rows of logits become choices. Moving
tokens into a cache and logits out of it is left to the backend: the methods at its end.

``PrefixCache`` keeps what closed sequences leave for later prompts that start the same way. Keyed by token ids alone
(never by a file's name), limited in bytes, least recently used out first. It returns only what a fresh prefill would
compute in the same chunks, so a cache hit changes nothing but time.
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
    """target: opens sequences. tokenizer_folder: where its tokenizer can be read. dtype: its
    numbers, for a person. manifest: ``editd.json``. why: it runs on this engine, and notice: a sentence
    for the user who loaded it; empty if there is nothing to say.
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
        """The format of edits that its maker names (``editd.json``)."""
        return edit_format(self.manifest)

    @property
    def memory_bytes(self) -> int:
        """Weights and caches now; asked by other threads too, also while the model is closed."""
        return self.weights_bytes + int(self.target.cache_bytes)

    def status(self) -> ModelStatus:
        """Its description for users."""
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
        """Do one thing that makes later edits faster; false if nothing is left to do."""
        return False

    def drop_caches(self) -> None:
        """Forget what closed sequences left for later prompts."""
        self.target.drop_caches()

    def close(self) -> None:
        """Give all memory back; the model cannot be used any more. Safe to call twice."""
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
        """Tokens in the cache."""
        return len(self.token_ids)

    def prefill(self, token_ids: Sequence[int]) -> None:
        """Append prompt tokens; a pass never reaches across a multiple of ``prefill_chunk``."""
        chunk = self._target.prefill_chunk
        for piece in chunks(token_ids, self.length, chunk):
            aligned = self._prefilled == self.length and self.length % chunk == 0
            self._read(piece)
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
        """Append ``token_ids`` and choose after each, in one forward pass."""
        start = self.length
        if parents is not None and is_chain(parents):
            parents = None
        if parents is not None and not self._target.supports_trees:
            raise ValueError("this model verifies chains only (supports_trees)")
        plainly = sampling.greedy and allowed is None
        said = self._say(token_ids, parents, greedy=plainly)
        if isinstance(said, Rows):
            return said
        places = range(len(token_ids)) if parents is None else depths(parents)
        return self.choose(
            said,
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
        """Append ``token_ids`` and draw what follows the last: for drafters with a model.

        vocab_size: only ids below it are drawn, 0 for all. The rest is as in ``sampling.draw``.
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
        """Keep ``base`` tokens and the verified ``rows``, in that order."""
        self._keep_rows(base, rows)
        self._prefilled = min(self._prefilled, base)

    def close(self) -> None:
        """Give the cache back; its prefilled part may serve a later prompt."""
        if not self._closed:
            self._closed = True
            self._give_back(self._prefilled)

    # --- a backend's, each leaving ``token_ids`` as the cache is ---------------------------------

    def _read(self, token_ids: Sequence[int]) -> None:
        """One pass over a piece of the prompt."""
        raise NotImplementedError

    def _append(self, token_ids: Sequence[int], parents: Sequence[int] | None) -> Any:
        """Append ``token_ids``; logits after each, which are valid until the next pass.

        parents: as in ``Draft.parents``; ``None`` for a chain.
        """
        raise NotImplementedError

    def _say(
        self, token_ids: Sequence[int], parents: Sequence[int] | None, *, greedy: bool
    ) -> Any | Rows:
        """Append ``token_ids``; logits after each, to be changed freely, or what is chosen there.

        greedy: nothing but the largest logit is asked for.
        """
        logits = self._append(token_ids, parents)
        return greedy_rows(logits, token_ids, parents) if greedy else logits.copy()

    def _last_row(self, token_ids: Sequence[int]) -> Any:
        """Append ``token_ids``; logits after the last, ``[1, vocab_size]``, to be changed freely."""
        return self._append(token_ids, None)[-1:].copy()

    def _crop(self, length: int) -> None:
        raise NotImplementedError

    def _keep_rows(self, base: int, rows: Sequence[int]) -> None:
        raise NotImplementedError

    def _give_back(self, prefilled: int) -> None:
        """The cache is needed no more; its first ``prefilled`` tokens are as prefill leaves them."""
        raise NotImplementedError


def check_prompt(prompt_ids: Sequence[int], max_context: int) -> None:
    """Raise ``ScopeTooLarge`` for a prompt that leaves no room for an answer."""
    if len(prompt_ids) >= max_context:
        raise ScopeTooLarge(
            f"The prompt has {len(prompt_ids)} tokens, the model reads at most "
            f"{max_context}: edit fewer lines at a time (--range)."
        )


def kept_bytes(free_bytes: int) -> int:
    """What closed sequences may keep of what is free after loading."""
    return min(4 << 30, free_bytes // 4)


def make_room(wanted: int, limit: int, prefixes: PrefixCache) -> None:
    """Let closed sequences give way to open ones that take ``wanted`` bytes.

    limit: what caches may take together, which a user set; 0: no limit. Raises ``OutOfMemory``.
    """
    if not limit:
        return
    prefixes.shrink(max(0, limit - wanted))
    if wanted > limit:
        raise OutOfMemory(
            f"The keys and values of this edit take {wanted >> 20:,} MiB, and caches may take "
            f"{limit >> 20:,} MiB: edit fewer lines at a time (--range), or raise daemon.memory."
        )


def dummy_ids(count: int, vocab_size: int) -> list[int]:
    """``count`` ids below ``vocab_size``, the same each time and without runs that repeat soon."""
    return [(7919 * index + 13) % vocab_size for index in range(count)]


def in_pieces(
    chain: Callable[[Sequence[int]], NDArray[np.float32]], token_ids: Sequence[int], widest: int
) -> NDArray[np.float32]:
    """Logits after each of ``token_ids``, by passes of ``widest`` rows at most."""
    if len(token_ids) <= widest:
        return chain(token_ids)
    at = range(0, len(token_ids), widest)
    return np.concatenate([chain(token_ids[first : first + widest]).copy() for first in at])


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
    at any time. usable: how many of the first so many tokens a cache can give; all, unless a backend knows better.
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

    def parting(self, prompt_ids: Sequence[int]) -> int:
        """After how many tokens the prompt parts from what an entry holds, in whole chunks."""
        prompt = list(prompt_ids)
        common = (num_common(entry.token_ids, prompt) for entry in self._entries)
        return max(common, default=0) // self.chunk * self.chunk

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

        That is whole chunks, or the whole prefill of the same prompt again, as far as its cache can
        give them. The last prompt token is never among them: it is verified, not prefilled.
        """
        prefilled = len(prompt_ids) - 1
        common = min(num_common(entry.token_ids, list(prompt_ids)), prefilled)
        same = common == prefilled == len(entry.token_ids)
        if same and self._usable(entry.cache, common) == common:
            return common
        return self._usable(entry.cache, common // self.chunk * self.chunk)
