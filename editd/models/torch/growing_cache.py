"""Keys and values of one sequence: written in place, grown by doubling, cropped at no cost.

A transformers ``Cache``, so any model can write into it. All layers share one ``Extent``: the number of
valid tokens. A forward pass writes behind it, and only ``advance`` makes the new part valid. So a pass
that fails leaves the sequence unchanged, and ``crop`` changes one number. Knows no model; reuse for
later prompts is left to ``PrefixCache``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from transformers import PreTrainedConfig
from transformers.cache_utils import (
    Cache,
    CacheLayerMixin,
    DummyLayer,
    DynamicCache,
    DynamicLayer,
    DynamicSlidingWindowLayer,
)

_BLOCK = 256  # capacities are multiples of it


@dataclass(slots=True)
class Extent:
    """``length``: valid tokens. ``capacity``: tokens that layers make room for."""

    length: int
    capacity: int


class GrowingLayer(CacheLayerMixin):  # type: ignore[no-untyped-call]
    """One layer's keys and values, ``[1, kv_heads, capacity, head_dim]``.

    ``window``: tokens that a sliding layer sees. The whole past is kept all the same (a rolled
    buffer can neither be cropped nor serve a later prompt), but only what a query can see is
    handed to attention, so that its cost stays that of the window. transformers' own sliding mask
    is laid over it. ``is_sliding`` only says which of a model's masks is meant.
    """

    is_croppable = True

    def __init__(self, extent: Extent, *, is_sliding: bool = False, window: int = 0) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.extent = extent
        self.is_sliding = is_sliding
        self.window = window

    def lazy_initialization(self, key_states: torch.Tensor, value_states: torch.Tensor) -> None:
        """Allocate on first sight of a key: only then heads, dtype and device are certain."""
        self.keys = _buffer(key_states, self.extent.capacity)
        self.values = _buffer(value_states, self.extent.capacity)
        self.is_initialized = True

    def update(
        self, key_states: torch.Tensor, value_states: torch.Tensor, *_: Any, **__: Any
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Write behind the valid tokens; return views of what the new tokens may look at."""
        start = self.extent.length
        end = start + key_states.shape[2]
        if not self.is_initialized:
            self.lazy_initialization(key_states, value_states)
        keys, values = self.keys, self.values
        assert keys is not None  # noqa: S101 - for the type checker
        assert values is not None  # noqa: S101
        if end > keys.shape[2]:
            keys = self.keys = _grown(keys, start, max(end, self.extent.capacity))
            values = self.values = _grown(values, start, max(end, self.extent.capacity))
        keys[:, :, start:end] = key_states
        values[:, :, start:end] = value_states
        first = self._first_visible()
        return keys[:, :, first:end], values[:, :, first:end]

    def get_mask_sizes(self, query_length: int) -> tuple[int, int]:
        """Tokens that ``update`` returns for a query of this length, and the first one's index."""
        first = self._first_visible()
        return self.extent.length + query_length - first, first

    def get_seq_length(self) -> int:
        """Valid tokens."""
        return self.extent.length

    def get_max_length(self) -> int:
        """No limit but memory."""
        return -1

    def _first_visible(self) -> int:
        return max(self.extent.length - self.window + 1, 0) if self.window else 0


class PlainCache(Cache):
    """Layers that are all there from the beginning."""

    def update(
        self,
        key_states: torch.Tensor,
        value_states: torch.Tensor,
        layer_idx: int,
        *args: Any,
        **kwargs: Any,
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Straight to the layer: nothing here is offloaded or created on the way."""
        layer: Any = self.layers[layer_idx]
        keys, values = layer.update(key_states, value_states, *args, **kwargs)
        return keys, values


class GrowingCache(PlainCache):
    """The layers of one sequence and their common extent."""

    def __init__(self, layers: list[Any], extent: Extent) -> None:
        super().__init__(layers=layers)
        self.extent = extent
        self._own = [layer for layer in layers if isinstance(layer, GrowingLayer)]

    @property
    def length(self) -> int:
        """Valid tokens."""
        return self.extent.length

    @property
    def nbytes(self) -> int:
        """Bytes held, used or not."""
        return sum(tensor.nbytes for layer in self._own for tensor in _tensors(layer))

    @property
    def wanted_bytes(self) -> int:
        """Bytes that the next pass will need at least; 0 while nothing is known of the model."""
        capacity = self.extent.capacity
        return sum(
            tensor.nbytes // max(tensor.shape[2], 1) * max(capacity, tensor.shape[2])
            for layer in self._own
            for tensor in _tensors(layer)
        )

    def reserve(self, length: int) -> None:
        """Make room for ``length`` tokens, by at least doubling."""
        if length > self.extent.capacity:
            self.extent.capacity = _rounded(max(length, 2 * self.extent.capacity))

    def advance(self, count: int) -> None:
        """What the last forward pass wrote, ``count`` tokens, is valid from now on."""
        self.extent.length += count

    def crop_to(self, length: int) -> None:
        """Only the first ``length`` tokens stay valid. Nothing is moved or freed."""
        if not 0 <= length <= self.extent.length:
            raise ValueError(f"cannot crop {self.extent.length} cached tokens to {length}")
        self.extent.length = length

    def resume(self, length: int, capacity: int) -> GrowingCache:
        """Itself, used again with its first ``length`` tokens."""
        self.crop_to(length)
        self.reserve(capacity)
        return self

    def keep_rows(self, base: int, rows: Sequence[int]) -> None:
        """Keep ``base`` tokens and then those at ``base + row``, in that order: one branch."""
        end = base + len(rows)
        if list(rows) != list(range(len(rows))):
            for layer in self._own:
                for tensor in _tensors(layer):
                    index = torch.tensor(rows, device=tensor.device) + base
                    tensor[:, :, base:end] = tensor.index_select(2, index)
        self.extent.length = end

    def copy_prefix(self, length: int, capacity: int) -> GrowingCache:
        """A new cache that starts with the first ``length`` tokens of this one."""
        extent = Extent(length, _rounded(max(length, capacity)))
        layers: list[Any] = []
        for layer in self.layers:
            if not isinstance(layer, GrowingLayer):
                layers.append(layer)
                continue
            copy = GrowingLayer(extent, is_sliding=layer.is_sliding, window=layer.window)
            if layer.keys is not None and layer.values is not None:
                copy.keys = _grown(layer.keys, length, extent.capacity)
                copy.values = _grown(layer.values, length, extent.capacity)
                copy.is_initialized = True
            layers.append(copy)
        return GrowingCache(layers, extent)

    def get_seq_length(self, layer_idx: int = 0) -> int:  # noqa: ARG002 - all layers agree
        """Valid tokens."""
        return self.extent.length


def new_cache(config: PreTrainedConfig, capacity: int) -> GrowingCache | None:
    """An empty cache for the model of ``config``, ``None`` where one could not be cropped.

    transformers knows each layer's kind: plain and sliding layers are replaced by ours, layers
    without a cache of their own stay; any other kind (recurrent, hybrid, indexed) keeps a state
    that cannot be taken back.
    """
    extent = Extent(0, _rounded(capacity))
    layers: list[Any] = []
    decoder_config = config.get_text_config(decoder=True)
    chunked = getattr(decoder_config, "attention_chunk_size", None)
    try:
        kinds = DynamicCache(config=config).layers
    except KeyError:  # a kind of layer that transformers caches only in the model's own code
        return None
    for kind in kinds:
        if type(kind) is DynamicLayer:
            layers.append(GrowingLayer(extent))
        elif type(kind) is DynamicSlidingWindowLayer:
            window = 0 if kind.sliding_window == chunked else int(kind.sliding_window)
            layers.append(GrowingLayer(extent, is_sliding=True, window=window))
        elif type(kind) is DummyLayer:
            layers.append(kind)
        else:
            return None
    return GrowingCache(layers, extent)


def _tensors(layer: GrowingLayer) -> list[torch.Tensor]:
    return [tensor for tensor in (layer.keys, layer.values) if tensor is not None]


def _buffer(like: torch.Tensor, capacity: int) -> torch.Tensor:
    _, heads, _, width = like.shape
    return like.new_empty((1, heads, capacity, width))


def _grown(buffer: torch.Tensor, length: int, capacity: int) -> torch.Tensor:
    grown = _buffer(buffer, capacity)
    grown[:, :, :length] = buffer[:, :, :length]
    return grown


def _rounded(length: int) -> int:
    return max(_BLOCK, -(-length // _BLOCK) * _BLOCK)
