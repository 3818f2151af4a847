"""Sequences on torch: prefill, verify, crop, keep a branch; for bitwise mode in passes of a fixed width and beginning.

Keys and values are in ``growing_cache``, choices in ``sampling``, masks in ``masks``, and the forward pass in
``running_model``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from editd.decode.target import Rows, depths
from editd.models.loaded_model import CachedSequence, chunks
from editd.models.torch.growing_cache import GrowingCache
from editd.models.torch.masks import tree_masks
from editd.models.torch.running_model import RunningModel
from editd.models.torch.sampling import choose, draw


class ModelSequence(CachedSequence):
    """A prompt and its output in a croppable cache (``decode.target.TargetSequence``)."""

    choose, draw_one = staticmethod(choose), staticmethod(draw)

    def __init__(self, runner: RunningModel, cache: GrowingCache, token_ids: list[int]) -> None:
        super().__init__(runner, token_ids)
        self.cache = cache
        self._runner = runner

    def _crop(self, length: int) -> None:
        self.cache.crop_to(length)
        del self.token_ids[length:]

    @torch.inference_mode()
    def _keep_rows(self, base: int, rows: Sequence[int]) -> None:
        ids = [self.token_ids[base + row] for row in rows]
        self.cache.keep_rows(base, rows)
        self.token_ids[base:] = ids

    def _give_back(self, prefilled: int) -> None:
        """Put the cache of the first ``prefilled`` tokens into the prefix cache; the runner forgets the sequence's cache."""
        self._runner.forget_cache(self.cache)
        self._runner.prefixes.store(self.token_ids[:prefilled], self.cache)

    def _logits_or_rows(
        self,
        token_ids: Sequence[int],
        parents: Sequence[int] | None,
        *,
        greedy: bool,  # noqa: ARG002 - torch chooses from the logits
    ) -> torch.Tensor | Rows:
        return self._append(token_ids, parents)

    def _last_row(self, token_ids: Sequence[int]) -> torch.Tensor:
        return self._append(token_ids, rows=1)

    def _append_without_logits(self, token_ids: Sequence[int]) -> None:
        self._append(token_ids, rows=1)

    @torch.inference_mode()
    def _append(
        self, token_ids: Sequence[int], parents: Sequence[int] | None = None, *, rows: int = 0
    ) -> torch.Tensor:
        """Append ``token_ids``, in one pass unless in bitwise mode; returns the logits after the
        last ``rows`` of them (0: after each).

        parents: as in ``Draft.parents``, for a tree; ``None`` for a chain. In bitwise mode, with
        ``rows`` 0, as ``_append_aligned``. The tokens count as cached only after the pass has
        succeeded. Raises ``OutOfMemory``.
        """
        runner, start = self._runner, self.length
        if runner.verify_width and not rows:
            return self._append_aligned(token_ids)
        masks = None
        if parents is None:
            position_ids = runner.positions(start, start + len(token_ids))
        else:
            masks = tree_masks(runner.config, parents, start, runner.dtype, runner.device)
            position_ids = torch.tensor([depths(parents)], device=runner.device) + start
        logits = self._pass(token_ids, position_ids, masks=masks, rows=rows)
        self.cache.advance(len(token_ids))
        self.token_ids.extend(token_ids)
        return logits

    def _append_aligned(self, token_ids: Sequence[int]) -> torch.Tensor:
        """Append ``token_ids`` in passes of ``verify_width`` rows that begin at its multiples;
        returns the logits after each.

        A pass reads the cached tokens since the last multiple once more and is filled up after the
        new ones. So the position alone fixes a token's row and the length of the cache before its
        pass, and with them its bits. Raises ``OutOfMemory``; the tokens of passes that succeeded
        stay then.
        """
        runner, width = self._runner, self._runner.verify_width
        logits = []
        for piece in chunks(token_ids, self.length, width):
            start, end = self.length, self.length + len(piece)
            base = start - start % width
            filled = [*self.token_ids[base:start], *piece]
            filled += filled[-1:] * (width - len(filled))
            # Filled-up rows may stand after the last position that the model knows.
            position_ids = runner.positions(base, base + width).clamp(max=runner.max_context - 1)
            self.cache.crop_to(base)
            try:
                passed = self._pass(filled, position_ids)
            finally:
                self.cache.advance(
                    start - base
                )  # also where the pass failed: these tokens are known
            self.cache.advance(len(piece))
            self.token_ids.extend(piece)
            logits.append(passed[start - base : end - base])
        return logits[0] if len(logits) == 1 else torch.cat(logits)

    def _pass(
        self,
        token_ids: Sequence[int],
        position_ids: torch.Tensor,
        *,
        masks: Any = None,
        rows: int = 0,
    ) -> torch.Tensor:
        """Run one pass after the valid tokens, reserving space for it; the tokens become valid only
        by ``advance``.

        May drop the caches of closed sequences for space. Parameters and result as
        ``RunningModel.forward``. Raises ``OutOfMemory``.
        """
        self.cache.reserve(self.cache.length + len(token_ids))
        self._runner.check_kv_limit()
        return self._runner.retry_with_memory(
            lambda: self._runner.forward(
                self.cache, token_ids, position_ids, masks=masks, rows=rows
            )
        )
