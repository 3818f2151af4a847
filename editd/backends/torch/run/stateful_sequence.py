"""Sequences of models whose cache cannot be taken back: recurrent and hybrid ones.

They decode plainly: the prompt in chunks, then one token a pass into the model's own cache. No
draft, no crop, no prefix reuse; ``ModelRunner.rewindable`` says so before anybody tries.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from transformers.cache_utils import DynamicCache

from editd.backends.torch.run.running_model import RunningModel
from editd.backends.torch.run.sampling import choose
from editd.decode.target import Rows, Sampling


class StatefulSequence:
    """``decode.target.TargetSequence`` without the parts that would need a way back."""

    cached_tokens = 0

    def __init__(self, runner: RunningModel) -> None:
        self._runner = runner
        self._cache: Any = DynamicCache(config=runner.model.config)
        self._token_ids: list[int] = []

    @property
    def length(self) -> int:
        """Tokens that the state has seen."""
        return len(self._token_ids)

    def prefill(self, token_ids: Sequence[int]) -> None:
        """Let the state see one chunk of the prompt."""
        if self._runner.continues_chunks or self.length == 0:
            pieces = [token_ids]
        else:
            pieces = [[token_id] for token_id in token_ids]
        for piece in pieces:
            if piece:
                self._append(piece)

    def verify(
        self,
        token_ids: Sequence[int],
        sampling: Sampling,
        *,
        parents: Sequence[int] | None = None,  # noqa: ARG002 - there is no draft
        draft_probs: Sequence[Any] | None = None,  # noqa: ARG002
        allowed: Sequence[Sequence[int] | None] | None = None,
    ) -> Rows:
        """Append the one token and choose what follows it."""
        if len(token_ids) != 1:
            raise ValueError("this model's cache cannot be taken back: verify one token at a time")
        logits = self._append(token_ids)
        history = self._token_ids[:-1]
        return choose(logits, sampling, [self.length], history, token_ids, allowed=allowed)

    def crop(self, length: int) -> None:
        """Only to the length that it has."""
        if length != self.length:
            raise ValueError(f"this model's cache cannot be cropped from {self.length} to {length}")

    def keep_branch(self, base: int, rows: Sequence[int]) -> None:
        """Only what is there already."""
        self.crop(base + len(rows))

    def close(self) -> None:
        """Let the state go."""
        self._cache = None

    def _append(self, token_ids: Sequence[int]) -> Any:
        start = self.length
        positions = self._runner.positions(start, start + len(token_ids))
        logits = self._runner.forward(self._cache, token_ids, positions, rows=1)
        self._token_ids.extend(token_ids)
        return logits
