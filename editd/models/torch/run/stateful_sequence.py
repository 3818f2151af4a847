"""Sequences of models whose cache cannot be rewound: recurrent and hybrid ones.

They decode plainly: the prompt in chunks, then one token per pass into the model's own cache. There
are no drafts, no cropping and no prefix reuse. Check ``ModelRunner.rewindable`` first.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from transformers.cache_utils import DynamicCache

from editd.decode.target import Rows, Sampling
from editd.models.cached_sequence import CachedSequence
from editd.models.torch.run.running_model import RunningModel
from editd.models.torch.run.sampling import choose


class StatefulSequence(CachedSequence):
    """``decode.target.TargetSequence`` without the parts that would need a way back."""

    choose = staticmethod(choose)

    def __init__(self, runner: RunningModel) -> None:
        super().__init__(runner, [])
        self._runner = runner
        self._cache: Any = DynamicCache(config=runner.model.config)

    def prefill(self, token_ids: Sequence[int]) -> None:
        """Let the state see one chunk of the prompt."""
        if self._runner.continues_chunks or self.length == 0:
            pieces = [token_ids]
        else:
            pieces = [[token_id] for token_id in token_ids]
        for piece in pieces:
            if piece:
                self._append(piece)

    def verify(self, token_ids: Sequence[int], sampling: Sampling, **options: Any) -> Rows:
        """Append the one token and choose what follows it."""
        if len(token_ids) != 1:
            raise ValueError("this model's cache cannot be taken back: verify one token at a time")
        return super().verify(token_ids, sampling, **options)

    def _say(
        self,
        token_ids: Sequence[int],
        parents: Sequence[int] | None,  # noqa: ARG002 - there is no draft
        *,
        greedy: bool,  # noqa: ARG002
    ) -> torch.Tensor:
        return self._append(token_ids)

    def _crop(self, length: int) -> None:
        if length != self.length:
            raise ValueError(f"this model's cache cannot be cropped from {self.length} to {length}")

    def _keep_rows(self, base: int, rows: Sequence[int]) -> None:
        self._crop(base + len(rows))

    def _give_back(self, prefilled: int) -> None:  # noqa: ARG002 - it serves no later prompt
        self._cache = None

    def _append(self, token_ids: Sequence[int]) -> torch.Tensor:
        start = self.length
        positions = self._runner.positions(start, start + len(token_ids))
        logits = self._runner.forward(self._cache, token_ids, positions, rows=1)
        self.token_ids.extend(token_ids)
        return logits
