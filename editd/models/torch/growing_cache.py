"""Keys and values of one sequence: written in place, grown by doubling, cropped at no cost.

A transformers ``Cache``, so any model can write into it. All layers share one ``Extent``: the number of valid tokens.
A forward pass writes after them, and only ``advance`` makes the new part valid. So a pass that fails leaves the
sequence unchanged, and ``crop`` changes one number. Knows no model; reuse for later prompts is left to
``PrefixCache``.
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
    """The size of a cache. length: valid tokens. capacity: tokens that the layers allocate space for."""

    length: int
    capacity: int


class GrowingLayer(CacheLayerMixin):  # type: ignore[no-untyped-call]
    """Keys and values of one layer, ``[1, kv_heads, capacity, head_dim]``.

    window: tokens that a sliding layer sees, 0 for all. The whole past is stored all the same (a rolled buffer can
    neither be cropped nor serve a later prompt), but attention gets only the tokens that a query can see, so that its
    cost stays that of the window. transformers' own sliding mask is laid over it. is_sliding: selects one of the
    model's masks.
    """

    is_croppable = True

    def __init__(self, extent: Extent, *, is_sliding: bool = False, window: int = 0) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.extent = extent
        self.is_sliding = is_sliding
        self.window = window

    def lazy_initialization(self, key_states: torch.Tensor, value_states: torch.Tensor) -> None:
        """Allocate the buffers, uninitialised, for the cache's capacity, with the heads, dtype and
        device of the new keys and values.
        """
        self.keys = _buffer(key_states, self.extent.capacity)
        self.values = _buffer(value_states, self.extent.capacity)
        self.is_initialized = True

    def update(
        self, key_states: torch.Tensor, value_states: torch.Tensor, *_: Any, **__: Any
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Write keys and values after the valid tokens, growing the buffers if necessary; returns
        views of the tokens that the new ones may see.

        The new tokens become valid only by ``GrowingCache.advance``. Further arguments are ignored.
        """
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
        """The number of tokens that ``update`` returns for a query of this length, and the index of
        the first.
        """
        first = self._first_visible()
        return self.extent.length + query_length - first, first

    def get_seq_length(self) -> int:
        """The number of valid tokens."""
        return self.extent.length

    def get_max_length(self) -> int:
        """Always -1: no limit but memory."""
        return -1

    def _first_visible(self) -> int:
        """The index of the first token that the next one sees."""
        return max(self.extent.length - self.window + 1, 0) if self.window else 0


class PlainCache(Cache):
    """A cache whose layers all exist from the beginning."""

    def update(
        self,
        key_states: torch.Tensor,
        value_states: torch.Tensor,
        layer_idx: int,
        *args: Any,
        **kwargs: Any,
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Write into the layer ``layer_idx`` by its own ``update``, and return what that returns:
        nothing is offloaded, or created on the way.
        """
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
        """The number of valid tokens."""
        return self.extent.length

    @property
    def nbytes(self) -> int:
        """Bytes allocated, used or not."""
        return sum(tensor.nbytes for layer in self._own for tensor in _tensors(layer))

    @property
    def wanted_bytes(self) -> int:
        """Bytes that the cache will have once all layers have grown to its capacity; 0 before the
        first pass, which shows the sizes.
        """
        capacity = self.extent.capacity
        return sum(
            tensor.nbytes // max(tensor.shape[2], 1) * max(capacity, tensor.shape[2])
            for layer in self._own
            for tensor in _tensors(layer)
        )

    def reserve(self, length: int) -> None:
        """Raise the capacity to ``length`` tokens or more, by at least doubling; does nothing if it
        suffices. Layers grow when they are written.
        """
        if length > self.extent.capacity:
            self.extent.capacity = _rounded(max(length, 2 * self.extent.capacity))

    def advance(self, count: int) -> None:
        """Make the next ``count`` tokens valid, as the last forward pass wrote them."""
        self.extent.length += count

    def crop_to(self, length: int) -> None:
        """Make only the first ``length`` tokens valid; nothing is moved or freed.

        Raises ``ValueError`` for a negative number, or more than are valid.
        """
        if not 0 <= length <= self.extent.length:
            raise ValueError(f"cannot crop {self.extent.length} cached tokens to {length}")
        self.extent.length = length

    def resume(self, length: int, capacity: int) -> GrowingCache:
        """Crop ``self`` to ``length`` tokens, and raise its capacity to ``capacity`` or more unless
        it suffices; returns ``self``. Raises ``ValueError`` as ``crop_to``.
        """
        self.crop_to(length)
        self.reserve(capacity)
        return self

    def keep_rows(self, base: int, rows: Sequence[int]) -> None:
        """Reduce the cache to its first ``base`` tokens and those at ``base + row``, in the order
        of ``rows``, moved together: one branch.

        Moves nothing if ``rows`` are 0, 1, 2, …
        """
        end = base + len(rows)
        if list(rows) != list(range(len(rows))):
            for layer in self._own:
                for tensor in _tensors(layer):
                    index = torch.tensor(rows, device=tensor.device) + base
                    tensor[:, :, base:end] = tensor.index_select(2, index)
        self.extent.length = end

    def copy_prefix(self, length: int, capacity: int) -> GrowingCache:
        """A new cache with copies of the first ``length`` tokens, and space for ``capacity``,
        rounded up to 256; this one is unchanged.

        Layers that are no ``GrowingLayer`` (they hold nothing) are shared.
        """
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
        """The number of valid tokens."""
        return self.extent.length


def new_cache(config: PreTrainedConfig, capacity: int) -> GrowingCache | None:
    """An empty cache for the model of ``config``; ``None`` if a layer keeps a state that cannot be
    cropped.

    transformers knows each layer's kind: plain and sliding layers are replaced by ``GrowingLayer``,
    layers without a cache of their own stay; any other kind (recurrent, hybrid, indexed) keeps such
    a state. capacity: tokens, rounded up to 256; allocated in the first pass.
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
    """A layer's keys and values; empty before the first pass."""
    return [tensor for tensor in (layer.keys, layer.values) if tensor is not None]


def _buffer(like: torch.Tensor, capacity: int) -> torch.Tensor:
    """An uninitialised buffer for ``capacity`` tokens, with the shape of ``like``."""
    _, heads, _, width = like.shape
    return like.new_empty((1, heads, capacity, width))


def _grown(buffer: torch.Tensor, length: int, capacity: int) -> torch.Tensor:
    """A copy of ``buffer`` with space for ``capacity`` tokens: the first ``length`` are copied, the
    rest is uninitialised.
    """
    grown = _buffer(buffer, capacity)
    grown[:, :, :length] = buffer[:, :, :length]
    return grown


def _rounded(length: int) -> int:
    """``length`` rounded up to whole blocks, at least one."""
    return max(_BLOCK, -(-length // _BLOCK) * _BLOCK)
