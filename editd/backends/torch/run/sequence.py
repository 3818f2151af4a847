"""One prompt and its growing output: prefill, verify, crop, keep a branch, close.

Implements ``decode.target.TargetSequence`` on a croppable cache. Keys and values are in
``caches``, choices in ``sampling``, masks in ``masks``, the forward pass in ``runner``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import torch

from editd.backends.prefix_cache import chunks
from editd.backends.torch.run.caches.growing_cache import GrowingCache
from editd.backends.torch.run.masks import tree_masks
from editd.backends.torch.run.out_of_memory import memory_guard
from editd.backends.torch.run.running_model import RunningModel
from editd.backends.torch.run.sampling import choose, draw
from editd.decode.target import Drawn, Rows, Sampling
from editd.decode.trees import depths, is_chain
from editd.errors import OutOfMemory

if TYPE_CHECKING:
    from editd.backends.torch.run.caches.static_cache import StaticCache


class ModelSequence:
    """One prompt and its output in a croppable cache (``decode.target.TargetSequence``)."""

    cache: GrowingCache | StaticCache

    def __init__(
        self, runner: RunningModel, cache: GrowingCache | StaticCache, token_ids: list[int]
    ) -> None:
        self.cache = cache
        self._runner = runner
        self._token_ids = token_ids  # what the cache holds
        self._cached_tokens = len(token_ids)
        self._prefilled = len(token_ids)  # how far that came from prefill chunks alone
        self._closed = False

    @property
    def length(self) -> int:
        """Tokens in the cache."""
        return self.cache.length

    @property
    def cached_tokens(self) -> int:
        """Prompt tokens that were there when the sequence was opened."""
        return self._cached_tokens

    def prefill(self, token_ids: Sequence[int]) -> None:
        """Append prompt tokens; a pass never reaches across a multiple of ``prefill_chunk``."""
        chunk = self._runner.prefill_chunk
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
        if parents is not None and not self._runner.supports_trees:
            raise ValueError("this model verifies chains only (supports_trees)")
        plainly = sampling.greedy and sampling.repetition_penalty == 1.0 and allowed is None
        said = self._say(token_ids, parents, greedy=plainly)
        if not isinstance(said, Rows):
            said = self._chosen(said, start, token_ids, sampling, parents, draft_probs, allowed)
        self._runner.answered()
        return said

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

        vocab_size: only ids below it are drawn, 0 for all. The rest is as in ``backends.sampling.draw``.
        """
        logits = self._last_row(token_ids)
        with memory_guard(self._runner.where):
            return draw(
                logits[:, : vocab_size or None],
                sampling,
                self.length,
                self._token_ids,
                allowed=allowed,
                independent=independent,
            )

    def crop(self, length: int) -> None:
        """Forget all but the first ``length`` tokens."""
        self.cache.crop_to(length)
        del self._token_ids[length:]
        self._prefilled = min(self._prefilled, length)

    @torch.inference_mode()
    def keep_branch(self, base: int, rows: Sequence[int]) -> None:
        """Keep ``base`` tokens and the verified ``rows``, in that order."""
        kept = [self._token_ids[base + row] for row in rows]
        self.cache.keep_rows(base, rows)
        self._token_ids[base:] = kept
        self._prefilled = min(self._prefilled, base)

    def close(self) -> None:
        """Give the cache back; its prefilled part may serve a later prompt."""
        if self._closed:
            return
        self._closed = True
        self._runner.closed(self.cache)
        self._runner.prefixes.store(self._token_ids[: self._prefilled], self.cache)

    def _chosen(
        self,
        logits: torch.Tensor,
        start: int,
        token_ids: Sequence[int],
        sampling: Sampling,
        parents: Sequence[int] | None,
        draft_probs: Sequence[Any] | None,
        allowed: Sequence[Sequence[int] | None] | None,
    ) -> Rows:
        """What is chosen from the logits of ``token_ids``, which were appended at ``start``."""
        positions: Sequence[int] = range(start + 1, start + 1 + len(token_ids))
        if parents is not None:
            positions = [start + 1 + depth for depth in depths(parents)]
        history: Sequence[int] = ()
        if sampling.repetition_penalty != 1.0:
            history = self._token_ids[:start]
        with memory_guard(self._runner.where):
            return choose(
                logits,
                sampling,
                positions,
                history,
                token_ids,
                draft_probs=draft_probs,
                allowed=allowed,
                parents=parents,
            )

    def _say(
        self,
        token_ids: Sequence[int],
        parents: Sequence[int] | None,
        *,
        greedy: bool,  # noqa: ARG002 - passes that choose by themselves want to know
    ) -> torch.Tensor | Rows:
        """Append ``token_ids``; logits after each, or what is greedily chosen there."""
        return self._append(token_ids, parents=parents)

    def _last_row(self, token_ids: Sequence[int]) -> torch.Tensor:
        """Append ``token_ids``; logits after the last, ``[1, vocab_size]``, to be changed freely."""
        return self._append(token_ids, rows=1)

    def _read(self, token_ids: Sequence[int]) -> None:
        """One pass over a piece of the prompt."""
        self._append(token_ids, rows=1)

    def _append(
        self, token_ids: Sequence[int], *, rows: int = 0, parents: Sequence[int] | None = None
    ) -> torch.Tensor:
        """One forward pass over ``token_ids``; they are in the cache only if it succeeds."""
        runner, start = self._runner, self.length
        end = start + len(token_ids)
        masks = None
        if parents is None:
            position_ids = runner.positions(start, end)
        else:
            masks = tree_masks(runner.config, parents, start, runner.dtype, runner.device)
            position_ids = torch.tensor([depths(parents)], device=runner.device) + start
        self.cache.reserve(end)
        runner.check_room()
        try:
            logits = runner.forward(self.cache, token_ids, position_ids, masks=masks, rows=rows)
        except OutOfMemory:
            if not len(runner.prefixes):
                raise
            runner.drop_caches()  # nothing was advanced: the same pass again
            logits = runner.forward(self.cache, token_ids, position_ids, masks=masks, rows=rows)
        self.cache.advance(len(token_ids))
        self._token_ids.extend(token_ids)
        return logits
