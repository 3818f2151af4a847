"""A draft's branches as bits: which of the new rows each row sees.

Word ``j // 32``, bit ``j % 32`` of row ``i`` says whether row ``i`` sees row ``j``. Row 0 is the
last output token and the root; ``parents`` counts draft tokens from 0 as in ``masks``, the
root being -1.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch


def tree_words(parents: Sequence[int], rows: int = 0) -> torch.Tensor:
    """int32 ``[rows, ceil(rows / 32)]`` on the CPU; rows behind the draft see the root and itself.

    rows: the padded width, 0 for the draft's own.
    """
    drafted = len(parents) + 1
    rows = rows or drafted
    seen: list[int] = [1]  # as one large number a row
    for row, parent in enumerate(parents, start=1):
        seen.append(seen[parent + 1] | 1 << row)
    seen.extend(1 | 1 << row for row in range(drafted, rows))
    size = 4 * words(rows)
    packed = bytearray().join(bits.to_bytes(size, "little") for bits in seen)
    return torch.frombuffer(packed, dtype=torch.int32).reshape(rows, words(rows))


def unpack(tree: torch.Tensor, rows: int) -> torch.Tensor:
    """Bool ``[rows, rows]`` from the words of ``tree``: row sees column."""
    column = torch.arange(rows, device=tree.device)
    return ((tree[:rows, column // 32] >> (column % 32)) & 1).bool()


def words(rows: int) -> int:
    """Words that hold one bit for each of ``rows``."""
    return -(-rows // 32)
