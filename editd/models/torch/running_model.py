"""A model in memory as its sequences see it: its limits, its forward pass, and the state they share.

The use that a sequence makes of them is in ``sequences``; ``runner`` opens sequences. One thread calls a model and
all its sequences.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any, TypeVar

import torch
from transformers import PreTrainedModel

from editd.decode.target import ANY_WIDTH
from editd.errors import OutOfMemory
from editd.models.loaded_model import PrefixCache, make_room
from editd.models.torch.attention import NAME, attention_name, pin_long_rope
from editd.models.torch.device import memory_guard
from editd.models.torch.growing_cache import GrowingCache
from editd.models.torch.masks import can_mask
from editd.models.torch.memory_plan import context_length

# Large enough for the matrix units, small enough to cancel between two: what a prompt shares with
# an earlier one is reused in whole chunks only.
CPU_CHUNK, GPU_CHUNK = 128, 512

# Log-probability gap within which another batch shape may turn a choice, by dtype: a few units
# in the last place of a logit around 30, after the sums of a deep model.
NEAR_TIE = {
    torch.float64: 1e-9,
    torch.float32: 1e-3,
    torch.float16: 0.1,
    torch.bfloat16: 0.5,
}

_T = TypeVar("_T")


class RunningModel:
    """A loaded model that decodes; any number of sequences at once, each with its own cache.

    max_context: tokens, 0 for the model's own limit.
    prefill_chunk: 0 for the device's usual size.
    cache_bytes: the most bytes for caches of closed sequences.
    rows_apart: whether each row's result is independent of the rest of its batch; if not, only near-ties can be
        promised.
    """

    rewindable = True
    widest_tree = ANY_WIDTH  # trees may be as wide as memory allows

    def __init__(
        self,
        model: PreTrainedModel,
        *,
        max_context: int = 0,
        prefill_chunk: int = 0,
        cache_bytes: int = 1 << 30,
        rows_apart: bool = True,
    ) -> None:
        self.model: Any = model
        model.eval()  # type: ignore[no-untyped-call]
        self.device = model.device
        self.dtype = model.dtype
        self.config = model.config.get_text_config(decoder=True)
        self.vocab_size = int(
            self.config.vocab_size
        )  # logits a row has; a tokenizer may know fewer ids
        own = context_length(self.config)
        self.max_context = min(max_context, own) if max_context else own
        pin_long_rope(model, self.max_context)
        usual = CPU_CHUNK if self.device.type == "cpu" else GPU_CHUNK
        self.prefill_chunk = prefill_chunk or usual
        self._positions = torch.arange(0, device=self.device)
        self.arguments = set(inspect.signature(model.forward).parameters)
        self.rows_apart = rows_apart
        self.prefixes = PrefixCache(self.prefill_chunk, cache_bytes)
        self.verify_width = (
            0  # rows of each pass that verifies in bitwise mode; 0: as many as there are
        )
        self.kv_limit_bytes = 0  # maximum for all caches together; 0: no limit
        self._growing: list[GrowingCache] = []  # of open sequences

    def limit_kv(self, limit_bytes: int) -> None:
        """Limit the bytes of all caches together, as a user has set, to at least 1; lowers the
        prefix cache's own limit to it.
        """
        self.kv_limit_bytes = max(1, limit_bytes)
        self.prefixes.limit_bytes = min(self.prefixes.limit_bytes, self.kv_limit_bytes)

    @property
    def precision(self) -> torch.dtype:
        """The number format within which passes of other shapes agree: coarse if rows depend on each other."""
        return self.dtype if self.rows_apart else torch.bfloat16

    @property
    def plain_exactness(self) -> str:
        """The exactness promised without bitwise passes: ``token`` or ``near-tie``."""
        exact = self.device.type == "cpu" and self.precision in (torch.float32, torch.float64)
        return "token" if exact else "near-tie"

    @property
    def exactness(self) -> str:
        """``bitwise`` in that mode, else ``token`` or ``near-tie``."""
        return "bitwise" if self._bitwise else self.plain_exactness

    @property
    def near_tie_margin(self) -> float:
        """The log-probability gap below which another shape may choose otherwise; 0 in bitwise mode."""
        return 0.0 if self._bitwise else NEAR_TIE.get(self.precision, 0.5)

    @property
    def _bitwise(self) -> bool:
        return self.verify_width > 0

    @property
    def supports_trees(self) -> bool:
        """Whether a draft with branches can be verified in one pass: not in bitwise mode.

        A branch's keys lie elsewhere than a chain's, and are summed in another order.
        """
        return self.maskable and not self._bitwise

    @cached_property
    def maskable(self) -> bool:
        """Whether each row's position and visible slots can be set: the model takes
        ``position_ids``, and masks for all its kinds of layers. Found out once.
        """
        masked = attention_name(self.config) in ("sdpa", "eager", NAME) and can_mask(self.config)
        return masked and "position_ids" in self.arguments

    @property
    def cache_bytes(self) -> int:
        """Bytes in caches, open and closed sequences together."""
        return self.prefixes.nbytes + sum(cache.nbytes for cache in self._growing)

    def check_kv_limit(self) -> None:
        """Shrink the prefix cache so that the caches of open sequences can grow to their
        capacities; does nothing without a user's limit.

        Raises ``OutOfMemory`` if they exceed that limit.
        """
        if self.kv_limit_bytes:
            needed = sum(cache.wanted_bytes for cache in self._growing)
            make_room(needed, self.kv_limit_bytes, self.prefixes)

    @property
    def runs(self) -> str:
        """The mode of passes, for a person; empty for the plain one."""
        return f"bitwise in {self.verify_width} rows" if self._bitwise else ""

    def retry_with_memory(self, run: Callable[[], _T]) -> _T:
        """Call ``run`` and return its result; if that raises ``OutOfMemory``, drop the caches of
        closed sequences and call it once more.

        Raises ``OutOfMemory`` if that does not help, or there were none; passes on all other
        exceptions.
        """
        try:
            return run()
        except OutOfMemory:
            if not len(self.prefixes):
                raise
            self.drop_caches()  # nothing was advanced: the same pass again
            return run()

    def forget_cache(self, cache: object) -> None:
        """Forget the ``cache`` of a sequence that was closed."""
        self._growing = [open_cache for open_cache in self._growing if open_cache is not cache]

    def drop_caches(self) -> None:
        """Drop the caches of closed sequences, and give a GPU's unused memory back."""
        self.prefixes.clear()
        if self.device.type == "cuda":
            torch.cuda.empty_cache()

    def close(self) -> None:
        """Free the weights and all caches of closed sequences, and forget those of open ones;
        nothing can be decoded afterwards. Safe to call twice.
        """
        self.prefixes.limit_bytes = 0  # also for sequences that are closed later
        self.drop_caches()
        self.model = None
        self._growing.clear()

    @torch.inference_mode()
    def forward(
        self,
        cache: Any,
        token_ids: Sequence[int],
        position_ids: torch.Tensor,  # [1, rows]
        *,
        masks: Any = None,
        rows: int = 0,
    ) -> torch.Tensor:
        """Run the model: logits of the last ``rows`` tokens (0: of all), ``[rows, vocab_size]``, on
        its device.

        The only call of the model. Writes to ``cache`` after its valid tokens without advancing it.
        masks: as ``masks.Masks``; ``None`` for a chain. Raises ``OutOfMemory``.
        """
        arguments: dict[str, Any] = {
            "input_ids": torch.tensor([list(token_ids)], device=self.device),
            "use_cache": True,
            "past_key_values": cache,
        }
        if "position_ids" in self.arguments:
            arguments["position_ids"] = position_ids
        if masks is not None:
            arguments["attention_mask"] = masks
        if "logits_to_keep" in self.arguments:
            arguments["logits_to_keep"] = rows
        with memory_guard(self.device):
            logits: torch.Tensor = self.model(**arguments).logits[0]
        return logits[-rows:] if rows else logits

    def positions(self, start: int, end: int) -> torch.Tensor:
        """Position ids from ``start`` up to, without, ``end``, ``[1, end - start]``; a view of one
        long tensor that grows when it is too short.
        """
        if end > len(self._positions):
            self._positions = torch.arange(max(end, 2 * len(self._positions)), device=self.device)
        return self._positions[None, start:end]
