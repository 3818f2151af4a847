"""A sequence over a static cache: the same words as ``torch.sequences``, in passes of few shapes.

Which pieces a draft or a prompt is read in is ``static_passes``' to say. Greedy choices come out of the
pass itself, so a round is one copy up, one pass, one copy down.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import torch

from editd.decode.target import Rows
from editd.models.sampling import rows_of, with_certainty
from editd.models.torch.device import memory_guard, to_host
from editd.models.torch.gpu.pass_program import Output, Shape
from editd.models.torch.gpu.static_passes import StaticPasses
from editd.models.torch.running_model import RunningModel
from editd.models.torch.sampling import Tensors
from editd.models.torch.sequences import ModelSequence

if TYPE_CHECKING:
    from editd.models.torch.gpu.static_cache import StaticCache


class StaticSequence(ModelSequence):
    """``decode.target.TargetSequence`` over a ``StaticCache``."""

    cache: StaticCache

    def __init__(
        self,
        runner: RunningModel,
        passes: StaticPasses,
        cache: StaticCache,
        token_ids: list[int],
    ) -> None:
        super().__init__(runner, cache, token_ids)
        self._passes = passes

    def _say(
        self, token_ids: Sequence[int], parents: Sequence[int] | None, *, greedy: bool
    ) -> torch.Tensor | Rows:
        """In one pass, unless a bucket ends among ``token_ids``."""
        outputs = self._verified(token_ids, parents, greedy=greedy)
        with memory_guard(self._runner.device):
            if greedy:
                rows = rows_of(to_host(torch.cat([output.greedy for output in outputs], dim=1)))
                if len(outputs) > 1:  # a later pass has written over an earlier one's logits
                    return rows
                lib = Tensors(self._runner.device)
                return with_certainty(rows, outputs[0].logits, token_ids, parents, lib=lib)
            return torch.cat([output.logits for output in outputs])  # a copy: choosing changes it

    def _give_back(self, prefilled: int) -> None:
        super()._give_back(prefilled)
        self.cache.pool.closed(self.cache)

    def _verified(
        self, token_ids: Sequence[int], parents: Sequence[int] | None, *, greedy: bool
    ) -> list[Output]:
        """What the passes over ``token_ids`` say; a later pass writes over an earlier one's."""
        start, told, at = self.length, [], 0
        pieces = [len(token_ids)]
        if parents is None:
            pieces = self._passes.pieces(start, len(token_ids))
        try:
            for count in pieces:
                shape = self._passes.verifying(self.length, count, tree=parents is not None)
                output = self._pass(token_ids[at : at + count], shape, parents)
                kept = Output(output.logits[:count], output.greedy[:, :count])
                if len(pieces) > 1:
                    kept = Output(
                        kept.logits[:0] if greedy else kept.logits.clone(), kept.greedy.clone()
                    )
                told.append(kept)
                at += count
        except BaseException:
            self.crop(start)
            raise
        return told

    def _last_row(self, token_ids: Sequence[int]) -> torch.Tensor:
        last = self._verified(token_ids, None, greedy=False)[-1].logits[-1:]
        with memory_guard(self._runner.device):
            return last.clone()

    def _read(self, token_ids: Sequence[int]) -> None:
        self._pass(token_ids, self._passes.reading(self.length, len(token_ids)), None)

    def _pass(
        self, token_ids: Sequence[int], shape: Shape, parents: Sequence[int] | None
    ) -> Output:
        output = self._runner.with_room(
            lambda: self._passes.run(self.cache, token_ids, shape, parents)
        )
        self.cache.advance(len(token_ids))
        self.token_ids.extend(token_ids)
        return output
