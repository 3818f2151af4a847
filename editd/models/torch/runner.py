"""A torch model as ``decode.target.Target``: which kind of sequence, and which cache, a prompt is given.

Its limits and its forward pass are ``running_model``'s.
"""

from __future__ import annotations

from collections.abc import Sequence

from editd.decode.target import TargetSequence
from editd.models.loaded_model import check_prompt
from editd.models.torch.gpu.static_cache import StaticCache
from editd.models.torch.gpu.static_sequence import StaticSequence
from editd.models.torch.growing_cache import new_cache
from editd.models.torch.running_model import RunningModel
from editd.models.torch.sequences import ModelSequence, StatefulSequence


class ModelRunner(RunningModel):
    """A ``decode.target.Target``; any number of sequences at once, each with its own cache."""

    def open(self, prompt_ids: Sequence[int]) -> TargetSequence:
        """A sequence for this prompt, its cached beginning already in place."""
        check_prompt(prompt_ids, self._max_context)
        if not self._rewindable:
            return StatefulSequence(self)
        # Room for the prompt and an answer as long; what is longer grows by doubling.
        capacity = min(2 * len(prompt_ids) + 256, self._max_context)
        if self.passes is not None:
            capacity = self.passes.capacity(capacity)
        cache = self.prefixes.take(prompt_ids, capacity)
        if self.passes is not None:
            static = cache if cache is not None else self.passes.pool.open(capacity)
            assert isinstance(static, StaticCache)  # noqa: S101 - only those are stored
            return StaticSequence(self, self.passes, static, list(prompt_ids[: static.length]))
        growing = cache if cache is not None else new_cache(self.model.config, capacity)
        assert growing is not None  # noqa: S101 - what makes a model rewindable
        self._growing = [*self._growing, growing]
        return ModelSequence(self, growing, list(prompt_ids[: growing.length]))
