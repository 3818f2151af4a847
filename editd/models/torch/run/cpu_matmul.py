"""Fast products of rows with a weight on a CPU.

A single row uses each weight for one multiplication and is fastest if weights are stored in reading
order. Many rows need the blocked layout of oneDNN. If memory allows, the wide weights of a model are
therefore stored in both layouts. ``fused_forward`` knows which products there are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

import torch
from torch import nn

_WIDE = 1 << 20  # numbers in a weight, below which calling oneDNN costs what it gains


class Product:
    """``x @ weight + bias`` in one thread or several; weight ``[inputs, outputs]``, x ``[rows, inputs]``."""

    def __init__(self, weight: torch.Tensor, bias: torch.Tensor | None = None) -> None:
        self.weight = weight
        self._bias = bias
        self._packed: torch.Tensor | None = None

    def __call__(self, x: torch.Tensor) -> torch.Tensor:
        if self._packed is not None and len(x) > 1:
            packed: torch.Tensor = torch.ops.mkldnn._linear_pointwise(  # noqa: SLF001 - its only name
                x, self._packed, self._bias, "none", [], ""
            )
            return packed
        if self._bias is None:
            return torch.mm(x, self.weight)
        return torch.addmm(self._bias, x, self.weight)

    def pack(self) -> None:
        """Hold the weight a second time, in oneDNN's order for the usual number of rows."""
        reorder: Callable[..., torch.Tensor] = torch.ops.mkldnn._reorder_linear_weight  # noqa: SLF001
        self._packed = reorder(self.weight.t().contiguous(), 64)


def pack(products: Iterable[Product], most_bytes: int) -> int:
    """Pack the wide ones if all of them fit into ``most_bytes``; returns the bytes taken."""
    wide = [product for product in products if product.weight.numel() >= _WIDE]
    needed = sum(product.weight.nbytes for product in wide)
    single = all(product.weight.dtype == torch.float32 for product in wide)
    if needed > most_bytes or not (single and _can_pack()):
        return 0
    for product in wide:
        product.pack()
    return needed


def _can_pack() -> bool:
    """Whether this torch has oneDNN, and the two operations, which it does not promise to keep."""
    built: bool = torch.backends.mkldnn.is_available()  # type: ignore[no-untyped-call]
    names = ("_reorder_linear_weight", "_linear_pointwise")
    return built and all(hasattr(torch.ops.mkldnn, name) for name in names)


def joined(*linears: nn.Linear) -> Product:
    """Several products of the same rows as one, its weight in the order that one row reads best.

    The modules' own weights become views of it, so nothing is held twice.
    """
    weight = torch.cat([linear.weight.data.t() for linear in linears], dim=1)
    start = 0
    for linear in linears:
        end = start + len(linear.weight)
        linear.weight.data = weight[:, start:end].t()
        start = end
    biases = [linear.bias.data for linear in linears if linear.bias is not None]
    return Product(weight, torch.cat(biases) if biases else None)
