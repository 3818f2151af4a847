"""What a sequence asks of the model that it belongs to; ``runner.ModelRunner`` is one.

The forward pass is the model's, the cache is the sequence's: neither module imports the other.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import torch

from editd.backends.prefix_cache import PrefixCache


class Owner(Protocol):
    """The model behind sequences: one pass, and what all its sequences share."""

    model: Any
    config: Any
    device: torch.device
    dtype: torch.dtype
    prefixes: PrefixCache

    @property
    def where(self) -> str: ...

    @property
    def prefill_chunk(self) -> int: ...

    @property
    def supports_trees(self) -> bool: ...

    @property
    def continues_chunks(self) -> bool: ...

    def forward(
        self,
        cache: Any,
        token_ids: Sequence[int],
        position_ids: torch.Tensor,  # [1, rows]
        *,
        masks: Any = None,
        rows: int = 0,
    ) -> torch.Tensor:
        """Logits of the last ``rows`` tokens (0: of all); writes to ``cache``."""
        ...

    def positions(self, start: int, end: int) -> torch.Tensor:
        """``start .. end`` as position ids, ``[1, end - start]``."""
        ...

    def check_room(self) -> None:
        """Raise ``OutOfMemory`` where a user's limit is reached."""
        ...

    def drop_caches(self) -> None:
        """Free what closed sequences keep."""
        ...

    def answered(self) -> None:
        """A verification has come back."""
        ...

    def closed(self, sequence: Any) -> None:
        """``sequence`` needs its cache no more."""
        ...
