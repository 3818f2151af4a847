"""The target model at work: prompts in, forward passes, choices out.

``ModelRunner`` implements ``decode.target.Target``: token ids in, plain numbers out. Here lie the
model's limits, the one forward pass and the choice of a cache for a prompt; what a sequence does
with them lies in ``sequence``, and in ``stateful`` for models whose cache cannot be cropped. One
thread calls a runner and all its sequences.
"""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from functools import cached_property
from typing import Any

import torch
from transformers import PreTrainedModel

from editd.decode.target import TargetSequence
from editd.errors import ScopeTooLarge
from editd.model.attention import NAME, attention_name
from editd.model.kv_cache import new_cache
from editd.model.memory import memory_guard
from editd.model.plan import context_length
from editd.model.prefix_cache import PrefixCache
from editd.model.rope import pin_long_rope
from editd.model.sequence import ModelSequence
from editd.model.stateful import StatefulSequence
from editd.model.tree import can_mask

# Large enough for the matrix units, small enough to cancel between two: what a prompt shares with
# an earlier one is reused in whole chunks only.
CPU_CHUNK, GPU_CHUNK = 128, 512

# Log-probability gap within which another batch shape may turn a choice, by dtype: a few units
# in the last place of a logit around 30, after the sums of a deep model.
_NEAR_TIE = {
    torch.float64: 1e-9,
    torch.float32: 1e-3,
    torch.float16: 0.1,
    torch.bfloat16: 0.5,
}


class ModelRunner:
    """One loaded model that decodes; any number of sequences at once, each with its own cache.

    max_context: tokens, 0 for the model's own limit. prefill_chunk: 0 for the device's usual.
    cache_bytes: most that closed sequences may keep.
    """

    def __init__(
        self,
        model: PreTrainedModel,
        *,
        max_context: int = 0,
        prefill_chunk: int = 0,
        cache_bytes: int = 1 << 30,
    ) -> None:
        self.model: Any = model
        model.eval()  # type: ignore[no-untyped-call]
        self.device = model.device
        self.dtype = model.dtype
        self.config = model.config.get_text_config(decoder=True)
        own = context_length(self.config)
        self._max_context = min(max_context, own) if max_context else own
        pin_long_rope(model, self._max_context)
        self._chunk = prefill_chunk or (CPU_CHUNK if self.device.type == "cpu" else GPU_CHUNK)
        self._positions = torch.arange(0, device=self.device)
        self._arguments = set(inspect.signature(model.forward).parameters)
        self._rewindable = not getattr(model, "_is_stateful", False) and (
            new_cache(model.config, 0) is not None and "past_key_values" in self._arguments
        )
        self._continues_chunks = True
        self.prefixes = PrefixCache(self._chunk, cache_bytes)
        self._open: list[ModelSequence] = []

    @property
    def vocab_size(self) -> int:
        """Logits a row has; a tokenizer may know fewer ids."""
        return int(self.config.vocab_size)

    @property
    def max_context(self) -> int:
        """Most tokens of prompt and output together."""
        return self._max_context

    @property
    def prefill_chunk(self) -> int:
        """Tokens a prefill chunk holds; chunks start at multiples of it."""
        return self._chunk

    @property
    def rewindable(self) -> bool:
        """Whether ``crop`` works; recurrent and hybrid models verify one token at a time."""
        return self._rewindable

    @property
    def continues_chunks(self) -> bool:
        """Whether several tokens at once may follow a cached past; always so if rewindable."""
        return self._continues_chunks

    def decode_plainly(self, *, in_chunks: bool) -> None:
        """Use the model's own cache from now on, which is not cropped (``selfcheck``).

        in_chunks: whether it can be given a prompt in pieces; if not, all of it is one chunk.
        """
        self._rewindable = False
        self._continues_chunks = in_chunks
        if not in_chunks:
            self._chunk = self._max_context

    @property
    def exactness(self) -> str:
        """``token`` on the CPU in float32 or float64, else ``near-tie``."""
        exact = self.device.type == "cpu" and self.dtype in (torch.float32, torch.float64)
        return "token" if exact else "near-tie"

    @property
    def near_tie_margin(self) -> float:
        """Log-probability gap below which this dtype does not promise the same choice."""
        return _NEAR_TIE.get(self.dtype, 0.5)

    @cached_property
    def supports_trees(self) -> bool:
        """Whether a draft with branches can be verified in one pass."""
        masked = attention_name(self.config) in ("sdpa", "eager", NAME) and can_mask(self.config)
        return self._rewindable and masked and "position_ids" in self._arguments

    @property
    def cache_bytes(self) -> int:
        """Bytes in caches, open and closed sequences together."""
        return self.prefixes.nbytes + sum(sequence.cache.nbytes for sequence in self._open)

    def open(self, prompt_ids: Sequence[int]) -> TargetSequence:
        """A sequence for this prompt, its cached beginning already in place."""
        if len(prompt_ids) >= self._max_context:
            raise ScopeTooLarge(
                f"The prompt has {len(prompt_ids)} tokens, the model reads at most "
                f"{self._max_context}: edit fewer lines at a time (--range)."
            )
        if not self._rewindable:
            return StatefulSequence(self)
        # Room for the prompt and an answer as long; what is longer grows by doubling.
        capacity = min(2 * len(prompt_ids) + 256, self._max_context)
        cache = self.prefixes.take(prompt_ids, capacity)
        if cache is None:
            cache = new_cache(self.model.config, capacity)
            assert cache is not None  # noqa: S101 - what makes a model rewindable
        sequence = ModelSequence(self, cache, list(prompt_ids[: cache.length]))
        self._open.append(sequence)
        return sequence

    def closed(self, sequence: ModelSequence) -> None:
        """``sequence`` needs its cache no more."""
        if sequence in self._open:
            self._open.remove(sequence)

    def drop_caches(self) -> None:
        """Free what closed sequences keep."""
        self.prefixes.shrink(0)
        if self.device.type == "cuda":
            torch.cuda.empty_cache()

    def close(self) -> None:
        """Let the weights and all caches go; nothing can be decoded after it."""
        self.prefixes.limit_bytes = 0  # also for sequences that are closed later
        self.drop_caches()
        self.model = None
        self._open.clear()

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
        """Logits of the last ``rows`` tokens (0: of all), ``[rows, vocab_size]``.

        The one place where the model is run. ``cache`` is written to, but not advanced.
        """
        arguments: dict[str, Any] = {
            "input_ids": torch.tensor([list(token_ids)], device=self.device),
            "use_cache": True,
            self.cache_argument: cache,
        }
        if "position_ids" in self._arguments:
            arguments["position_ids"] = position_ids
        if masks is not None:
            arguments["attention_mask"] = masks
        if "logits_to_keep" in self._arguments:
            arguments["logits_to_keep"] = rows
        with memory_guard(self.device):
            logits: torch.Tensor = self.model(**arguments).logits[0]
        return logits[-rows:] if rows else logits

    @property
    def cache_argument(self) -> str:
        """What the model's forward calls its cache."""
        return "past_key_values" if "past_key_values" in self._arguments else "cache_params"

    def positions(self, start: int, end: int) -> torch.Tensor:
        """``start .. end`` as position ids, ``[1, end - start]``; a view of one long tensor."""
        if end > len(self._positions):
            self._positions = torch.arange(max(end, 2 * len(self._positions)), device=self.device)
        return self._positions[None, start:end]
