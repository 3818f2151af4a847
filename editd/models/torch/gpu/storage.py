"""Keys and values at fixed addresses, for recorded passes.

A ``Storage`` holds one sequence's keys and values for a fixed number of tokens. A pass sees its first
``bucket`` tokens through a ``StorageView``, writes to the positions in ``slots``, a tensor on the device,
and gets whole buffers. Only the mask knows the valid length. So a recorded pass serves every length,
and a rollback changes one number. ``static_cache`` assigns storages to sequences.

transformers' own static cache cannot be rolled back, and its sliding layers rotate their buffer and
count in Python. Here a sliding layer keeps the whole past, and the mask hides it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from transformers.cache_utils import CacheLayerMixin

from editd.models.torch.growing_cache import GrowingCache, GrowingLayer, PlainCache


@dataclass(frozen=True, slots=True)
class LayerShape:
    """Of one layer's keys and values, for one token."""

    device: torch.device
    dtype: torch.dtype
    heads: int
    key_width: int
    value_width: int


@dataclass(frozen=True, slots=True)
class Layout:
    """What a model keeps of a token, layer by layer.

    shapes: ``None`` for a layer without a cache of its own. others: what is in its place.
    sliding: as transformers wants to know it of each layer.
    """

    shapes: tuple[LayerShape | None, ...]
    others: tuple[Any, ...]
    sliding: tuple[bool, ...]

    @property
    def bytes_per_token(self) -> int:
        """Bytes that one token takes in a storage."""
        return sum(
            shape.heads * (shape.key_width + shape.value_width) * shape.dtype.itemsize
            for shape in self.shapes
            if shape is not None
        )


def layout_of(cache: GrowingCache) -> Layout:
    """The layout of the model that has written into ``cache``."""
    shapes: list[LayerShape | None] = []
    for layer in cache.layers:
        if not isinstance(layer, GrowingLayer):
            shapes.append(None)
            continue
        keys, values = layer.keys, layer.values
        assert keys is not None  # noqa: S101 - every layer of ours has been written to
        assert values is not None  # noqa: S101
        shapes.append(
            LayerShape(keys.device, keys.dtype, keys.shape[1], keys.shape[3], values.shape[3])
        )
    sliding = tuple(bool(getattr(layer, "is_sliding", False)) for layer in cache.layers)
    return Layout(tuple(shapes), tuple(cache.layers), sliding)


class Storage:
    """Room for ``capacity`` tokens, zeros at first.

    written: slots from here on hold zeros. steps: what was recorded against these addresses.
    Layers of the same shape share a tensor, ``[layers, kv_heads, capacity, width]``, so that what
    concerns all of them is one operation.
    """

    @torch.inference_mode(mode=False)
    def __init__(self, layout: Layout, capacity: int) -> None:
        self.layout = layout
        self.capacity = capacity
        self.written = 0
        self.steps: dict[Any, Any] = {}
        self._views: dict[int, StorageView] = {}
        self._keys: dict[LayerShape, torch.Tensor] = {}
        self._values: dict[LayerShape, torch.Tensor] = {}
        for shape in dict.fromkeys(s for s in layout.shapes if s is not None):
            count = layout.shapes.count(shape)
            for tensors, width in (
                (self._keys, shape.key_width),
                (self._values, shape.value_width),
            ):
                # Zeros: what is hidden by a mask is still multiplied, and zero times NaN is NaN.
                tensors[shape] = torch.zeros(
                    (count, shape.heads, capacity, width), dtype=shape.dtype, device=shape.device
                )

    @property
    def tensors(self) -> list[torch.Tensor]:
        """All keys and values, tokens in dimension 2."""
        return [*self._keys.values(), *self._values.values()]

    @property
    def nbytes(self) -> int:
        """Bytes held, used or not."""
        return sum(tensor.nbytes for tensor in self.tensors)

    def layers(self) -> list[tuple[torch.Tensor, torch.Tensor] | None]:
        """Keys and values of each layer, ``[1, kv_heads, capacity, width]``."""
        seen: dict[LayerShape, int] = {}
        layers: list[tuple[torch.Tensor, torch.Tensor] | None] = []
        for shape in self.layout.shapes:
            if shape is None:
                layers.append(None)
                continue
            at = seen.get(shape, 0)
            seen[shape] = at + 1
            layers.append((self._keys[shape][at : at + 1], self._values[shape][at : at + 1]))
        return layers

    def view(self, bucket: int) -> StorageView:
        """The first ``bucket`` tokens as a model's cache; the same object each time."""
        if bucket not in self._views:
            self._views[bucket] = StorageView(self, bucket)
        return self._views[bucket]

    def copy_from(self, other: Storage, length: int) -> None:
        """Take over the first ``length`` tokens of ``other``, which has the same layout."""
        for mine, theirs in zip(self.tensors, other.tensors, strict=True):
            mine[:, :, :length] = theirs[:, :, :length]
        self.written = max(self.written, length)

    def gather(self, base: int, rows: Sequence[int]) -> None:
        """Move the tokens at ``base + row`` to ``base``, in the order of ``rows``."""
        for tensor in self.tensors:
            index = torch.tensor(rows, device=tensor.device) + base
            tensor[:, :, base : base + len(rows)] = tensor.index_select(2, index)

    def prepare(self, end: int) -> None:
        """Before a pass that writes up to ``end``: zeros behind it, whatever stood there.

        A mask hides a token by a weight of zero, and zero times NaN is NaN. Passes of one width
        write over all that the one before left, so there is nothing to do.
        """
        if self.written > end:
            for tensor in self.tensors:
                tensor[:, :, end : self.written].zero_()
        self.written = end


class StaticLayer(CacheLayerMixin):  # type: ignore[no-untyped-call]
    """One layer's buffers as attention gets them, written at ``view.slots``."""

    is_croppable = True

    def __init__(
        self, view: StorageView, keys: torch.Tensor, values: torch.Tensor, *, is_sliding: bool
    ) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.view = view
        self.keys = keys
        self.values = values
        self.is_sliding = is_sliding
        self.is_initialized = True

    def lazy_initialization(self, key_states: torch.Tensor, value_states: torch.Tensor) -> None:
        """Nothing to do: the buffers were there first."""

    def update(
        self, key_states: torch.Tensor, value_states: torch.Tensor, *_: Any, **__: Any
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Write at the slots; return the whole buffers."""
        keys, values, slots = self.keys, self.values, self.view.slots
        assert keys is not None  # noqa: S101 - for the type checker
        assert values is not None  # noqa: S101
        if keys.device != slots.device:
            slots = slots.to(keys.device)
        keys.index_copy_(2, slots, key_states)
        values.index_copy_(2, slots, value_states)
        return keys, values

    def get_mask_sizes(self, query_length: int) -> tuple[int, int]:  # noqa: ARG002
        """All of the bucket, from its beginning."""
        return self.view.bucket, 0

    def get_seq_length(self) -> int:
        """Unknown here: positions are always given."""
        return 0

    def get_max_length(self) -> int:
        """The bucket."""
        return self.view.bucket


class StorageView(PlainCache):
    """The first ``bucket`` tokens of a storage. ``slots``: int64 ``[width]``, set before a pass."""

    def __init__(self, storage: Storage, bucket: int) -> None:
        self.bucket = bucket
        self.slots = torch.empty(0, dtype=torch.int64)
        layers: list[Any] = []
        layout = storage.layout
        for buffers, other, sliding in zip(
            storage.layers(), layout.others, layout.sliding, strict=True
        ):
            if buffers is None:
                layers.append(other)
                continue
            keys, values = (buffer[:, :, :bucket] for buffer in buffers)
            layers.append(StaticLayer(self, keys, values, is_sliding=sliding))
        super().__init__(layers=layers)
