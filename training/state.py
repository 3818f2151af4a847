"""The state of a training: the adapter in float32, its moments, and what has been seen.

Two forms on disk: the whole state, of which nothing is lost, and the adapter alone in bfloat16, as
editd ships it, from which a training can go on without its moments.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import load_file, save_file
from torch import Tensor

from editd.embedded.base_model import JOINED
from training.families import GENERATORS
from training.network import Adapter, Shape

_BETAS = 0.9, 0.99
_HIGH_RATE = 2.0  # of the ``b`` matrices, in relation to ``a`` (Hayou et al. 2024, LoRA+)


@dataclass(slots=True)
class Progress:
    """seen: tokens read. trained: tokens of examples that also went backwards. failing: per family how
    often an answer was wrong lately, 0 to 1.
    """

    step: int = 0
    seen: int = 0
    trained: int = 0
    examples: int = 0
    cpu_seconds: float = 0.0
    failing: dict[str, float] = field(default_factory=lambda: dict.fromkeys(GENERATORS, 1.0))


class State:
    """weights: by name, as ``network.Adapter`` describes them."""

    def __init__(self, weights: dict[str, Tensor], progress: Progress | None = None) -> None:
        self.weights = weights
        self.progress = progress or Progress()
        self._first = {name: torch.zeros_like(weight) for name, weight in weights.items()}
        self._second = {name: torch.zeros_like(weight) for name, weight in weights.items()}
        self._steps = 0  # since the moments began

    @classmethod
    def new(cls, shape: Shape, rank: int, layers: Iterable[int], seed: int = 0) -> State:
        """An adapter that adds nothing yet to ``layers``."""
        random = torch.Generator().manual_seed(seed)
        weights = {}
        for layer in layers:
            for part in JOINED:
                inner, outer = shape.widths(part)
                low = torch.randn(rank, inner, generator=random) / math.sqrt(inner)
                weights[f"layers.{layer}.{part}.a"] = low
                weights[f"layers.{layer}.{part}.b"] = torch.zeros(outer, rank)
        return cls(weights)

    @classmethod
    def of_adapter(cls, file: Path) -> State:
        """The state of an adapter that ``save_adapter`` wrote; the moments begin anew."""
        return cls({name: weight.float() for name, weight in load_file(file).items()})

    @classmethod
    def load(cls, file: Path) -> State:
        """The state that ``save`` wrote to ``file``."""
        tensors: dict[str, Any] = torch.load(file, weights_only=True)
        state = cls(tensors["weights"], Progress(**tensors["progress"]))
        state._first, state._second = tensors["first"], tensors["second"]
        state._steps = tensors["steps"]
        return state

    def save(self, file: Path) -> None:
        """Write the whole state; it appears whole or not at all."""
        unfinished = file.with_suffix(".unfinished")
        tensors = {"weights": self.weights, "first": self._first, "second": self._second}
        others = {"steps": self._steps, "progress": asdict(self.progress)}
        torch.save({**tensors, **others}, unfinished)
        unfinished.replace(file)

    def save_adapter(self, file: Path) -> None:
        """The weights alone, in bfloat16."""
        save_file({name: weight.bfloat16() for name, weight in self.weights.items()}, file)
        file.chmod(0o644)  # safetensors writes 0600

    def adapter(self, *, gradients: bool = False) -> Adapter:
        """A copy in bfloat16 that stays as it is when the weights move on."""
        copied = {name: weight.bfloat16() for name, weight in self.weights.items()}
        if gradients:
            for weight in copied.values():
                weight.requires_grad_()
        return copied

    def step(self, gradients: Mapping[str, Tensor], rate: float) -> None:
        """Make a step of Adam (Kingma and Ba 2015), the gradient's norm held to 1."""
        self._steps += 1
        self.progress.step += 1
        norm = math.sqrt(sum(float(gradient.square().sum()) for gradient in gradients.values()))
        scale = min(1.0, 1.0 / (norm + 1e-6))
        slow, fast = _BETAS
        for name, gradient in gradients.items():
            scaled = gradient * scale
            first = self._first[name].lerp_(scaled, 1 - slow)
            second = self._second[name].lerp_(scaled.square(), 1 - fast)
            deviation = (second / (1 - fast**self._steps)).sqrt_().add_(1e-8)
            own = rate * (_HIGH_RATE if name.endswith(".b") else 1.0)
            self.weights[name].addcdiv_(first / (1 - slow**self._steps), deviation, value=-own)
