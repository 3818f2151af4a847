"""``models.sampling`` for torch's tensors: choices are made on the logits' device, with one copy to the host.

The rules are written there. This module has torch's operations, and works around what a device cannot compute.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import torch
from torch.nn.functional import pad

from editd.decode.target import Sampling
from editd.models import sampling as choices
from editd.models.sampling import LOWEST, Arrays
from editd.models.torch.device import memory_guard, to_device, to_host

_HALVES = (torch.bfloat16, torch.float16)
_T = TypeVar("_T")


class Tensors(Arrays):
    """``Arrays`` of torch, on one device."""

    def __init__(self, device: torch.device) -> None:
        self.waits = device.type != "cpu"
        # No float64 on Apple's; token ids are exact in float32 up to 16 million.
        self.dtype = torch.float32 if device.type == "mps" else torch.float64

    def ids(self, values: Sequence[int], like: torch.Tensor) -> torch.Tensor:
        if isinstance(values, range):  # no bytes have to be copied for it
            return torch.arange(values.start, values.stop, device=like.device)
        return to_device(values, like.device)

    def floats(self, rows: Sequence[Any], width: int, like: torch.Tensor) -> torch.Tensor:
        numbers = [torch.as_tensor(row, device=like.device).double()[:width] for row in rows]
        return torch.stack([pad(row, (0, width - len(row))) for row in numbers])

    def where(self, condition: torch.Tensor, chosen: Any, other: Any) -> torch.Tensor:
        return torch.where(condition, chosen, other)

    def exp(self, x: torch.Tensor) -> torch.Tensor:
        return x.exp()

    def log(self, x: torch.Tensor) -> torch.Tensor:
        return x.log()

    def double(self, x: torch.Tensor) -> torch.Tensor:
        return x.double()

    def gather(self, x: torch.Tensor, columns: torch.Tensor) -> torch.Tensor:
        return x.gather(1, columns)

    def cumsum(self, x: torch.Tensor) -> torch.Tensor:
        return x.cumsum(dim=-1)

    def softmax(self, x: torch.Tensor) -> torch.Tensor:
        return x.double().softmax(dim=-1)

    def logsumexp(self, x: torch.Tensor) -> torch.Tensor:
        return x.logsumexp(dim=-1, keepdim=True)

    def largest(self, x: torch.Tensor, count: int) -> tuple[torch.Tensor, torch.Tensor]:
        """The ``count`` largest of each row, descending, and their columns, as ``Arrays.largest``."""
        if count < x.shape[-1]:
            found = x.topk(count)
            return found.values, found.indices
        values, columns = x.sort(dim=-1, descending=True)
        return values, columns

    def first_and_margin(self, scores: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """As ``Arrays.first_and_margin``, on the device; the distance of half-precision scores is a
        float32.
        """
        index = scores.argmax(dim=-1, keepdim=True)
        first = scores.gather(1, index)
        scores.scatter_(1, index, LOWEST)
        second = scores.amax(dim=-1, keepdim=True)
        scores.scatter_(1, index, first)
        if scores.dtype in _HALVES:  # their difference need not be one
            first, second = first.float(), second.float()
        return index[:, 0], (first - second)[:, 0]

    def certainty(self, scores: torch.Tensor, token_id: int) -> tuple[float, float, float]:
        """As ``Arrays.certainty``; leaves ``scores`` alone, computes the log-probability in
        float32, and copies once to the host.
        """
        log_prob = scores[token_id].float() - scores.float().logsumexp(dim=-1)
        top = scores.topk(2).indices
        numbers = torch.cat([log_prob[None].to(self.dtype), top.to(self.dtype)])
        found, first, second = to_host(numbers[None])[0]
        return found, first, second

    def to_host(self, *columns: Any) -> list[list[float]]:
        rows = columns[0].to(self.dtype)
        return to_host(torch.stack([rows, *(self._row(column, rows) for column in columns[1:])]))

    def numpy(self, x: torch.Tensor) -> Any:
        return x.cpu().numpy()

    def _row(self, column: Any, like: torch.Tensor) -> torch.Tensor:
        if not isinstance(column, torch.Tensor):
            return torch.full_like(like, float(column))
        return column.to(self.dtype).expand_as(like)


def _on_device(choosing: Callable[..., _T]) -> Callable[..., _T]:
    """A function like ``choosing`` of ``models.sampling``, run on the logits' device with torch's
    operations; it raises ``OutOfMemory`` if memory runs out.

    The logits given are overwritten, unless they had to be copied (``_as_computable``).
    """

    @torch.inference_mode()
    def chosen(logits: torch.Tensor, sampling: Sampling, *args: Any, **kwargs: Any) -> _T:
        with memory_guard(logits.device):
            logits = _as_computable(logits, sampling)
            return choosing(logits, sampling, *args, lib=Tensors(logits.device), **kwargs)

    return chosen


choose, draw = _on_device(choices.choose), _on_device(choices.draw)


def _as_computable(logits: torch.Tensor, sampling: Sampling) -> torch.Tensor:
    """The logits themselves, or a float32 copy of half-precision ones; a copy on the CPU if noise
    is needed and the device is Apple's.
    """
    if logits.device.type == "mps" and not sampling.greedy:
        logits = logits.cpu()  # no float64 there, and noise needs it
    return logits.float() if logits.dtype in _HALVES else logits
