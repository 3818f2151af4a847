"""Not judged by figures from a GPU yet: kernels, static caches, recorded passes, and how exact they are.

Attention for a few query rows over a long preallocated cache: one interface, several ways.

::

    attend(
        query,         # [1, heads, k, d]          the k new rows
        key_buffer,    # [1, kv_heads, bucket, d]  their keys already lie at length … length+k-1
        value_buffer,  # [1, kv_heads, bucket, d]
        length,        # int32 [1], on the device: tokens valid before this pass
        tree=None,     # int32 [k, words], ``words = ceil(k / 32)``: which rows a row sees
        scale=…,       # factor on the scores, None: d ** -0.5
        window=0,      # tokens that a row sees, itself included; 0: all
    ) -> [1, k, heads, d]

Row ``i`` of a chain (``tree`` is None) sees slots ``0 … length + i``. With a tree it sees all slots
before ``length``, and of the new slots those whose bit is set: bit ``j % 32`` of ``tree[i, j // 32]``
for slot ``length + j``, its own included; ``tree_words(parents, rows)`` makes it. A row's position
is ``length`` plus its depth (bits set, less one), which is what a window counts from. Slots behind
``length + k`` may hold anything, NaN included; slots of rows outside every mask must hold finite
numbers (a padded row is the forward pass of some real token).

Nothing here waits for the device: ``length`` and ``tree`` are read where the work is done, the
shapes are all that a captured graph fixes, and the cost is that of the valid length.

How a model gets here: its attention is registered with transformers (``attention.NAME``), and a
forward pass over a static cache is given two more arguments::

    model(..., attention_mask=NO_MASK, static_pass=StaticPass(length, tree))

The cache's ``update`` returns its whole buffers; ``attention.grouped_attention`` finds
``static_pass`` among its keywords and calls ``attend``. ``NO_MASK`` has the four dimensions that
make transformers build no mask of its own.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch

from editd.models.torch.gpu.choose_kernel import attend
from editd.models.torch.masks import tree_words

__all__ = ["NO_MASK", "StaticPass", "attend", "tree_words"]

NO_MASK = torch.empty(1, 1, 1, 1)


@dataclass(frozen=True, slots=True)
class StaticPass:
    """What attention must know of a pass over a static cache: see ``attend``."""

    length: torch.Tensor
    tree: torch.Tensor | None = None
