"""Sequences on torch: prefill, verify, crop, keep a branch.

Keys and values are in ``growing_cache``, choices in ``sampling``, masks in ``masks``, and the forward pass in
``running_model``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import torch

from editd.decode.target import Rows, depths
from editd.models.loaded_model import CachedSequence
from editd.models.torch.growing_cache import GrowingCache
from editd.models.torch.masks import tree_masks
from editd.models.torch.running_model import RunningModel
from editd.models.torch.sampling import choose, draw

if TYPE_CHECKING:
    from editd.models.torch.gpu.static_cache import StaticCache


class ModelSequence(CachedSequence):
    """One prompt and its output in a croppable cache (``decode.target.TargetSequence``)."""

    choose, draw_one = staticmethod(choose), staticmethod(draw)

    def __init__(
        self, runner: RunningModel, cache: GrowingCache | StaticCache, token_ids: list[int]
    ) -> None:
        super().__init__(runner, token_ids)
        self.cache = cache
        self._runner = runner

    def _crop(self, length: int) -> None:
        self.cache.crop_to(length)
        del self.token_ids[length:]

    @torch.inference_mode()
    def _keep_rows(self, base: int, rows: Sequence[int]) -> None:
        kept = [self.token_ids[base + row] for row in rows]
        self.cache.keep_rows(base, rows)
        self.token_ids[base:] = kept

    def _give_back(self, prefilled: int) -> None:
        self._runner.closed(self.cache)
        self._runner.prefixes.store(self.token_ids[:prefilled], self.cache)

    def _say(
        self,
        token_ids: Sequence[int],
        parents: Sequence[int] | None,
        *,
        greedy: bool,  # noqa: ARG002 - passes that choose by themselves want to know
    ) -> torch.Tensor | Rows:
        return self._append(token_ids, parents)

    def _last_row(self, token_ids: Sequence[int]) -> torch.Tensor:
        return self._append(token_ids, rows=1)

    def _read(self, token_ids: Sequence[int]) -> None:
        self._append(token_ids, rows=1)

    def _append(
        self, token_ids: Sequence[int], parents: Sequence[int] | None = None, *, rows: int = 0
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
        logits = runner.with_room(
            lambda: runner.forward(self.cache, token_ids, position_ids, masks=masks, rows=rows)
        )
        self.cache.advance(len(token_ids))
        self.token_ids.extend(token_ids)
        return logits
