"""The base model with an adapter beside it, as a CPU runs it fastest: bfloat16, one sequence at a time.

The same Llama that transformers runs (a test compares the two), with what training needs and no
more: frozen weights without gradients, joined where one product can do the work of three, attention
as plain products (on CPU, in bfloat16, four times as fast as torch's own), and the head applied
only where an answer's token is predicted.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn import functional

from editd.embedded.base_model import JOINED
from training.examples import Example

Adapter = Mapping[str, Tensor]
"""``layers.N.PART.a`` ``[rank, in]`` and ``.b`` ``[out, rank]``; what is not there adds nothing."""

_FORBIDDEN = -1e4


@dataclass(frozen=True, slots=True)
class Shape:
    """Of a Llama with tied embeddings; the names are those of its configuration."""

    hidden_size: int = 576
    intermediate_size: int = 1536
    num_hidden_layers: int = 30
    num_attention_heads: int = 9
    num_key_value_heads: int = 3
    head_dim: int = 64
    rms_norm_eps: float = 1e-5
    rope_theta: float = 100_000.0

    def widths(self, part: str) -> tuple[int, int]:
        """Of a joined matrix: values in, values out."""
        heads = self.num_attention_heads + 2 * self.num_key_value_heads
        return {
            "qkv": (self.hidden_size, heads * self.head_dim),
            "o": (self.num_attention_heads * self.head_dim, self.hidden_size),
            "gate_up": (self.hidden_size, 2 * self.intermediate_size),
            "down": (self.intermediate_size, self.hidden_size),
        }[part]


class Network:
    """weights: a checkpoint's, by transformers' names."""

    def __init__(
        self, weights: Mapping[str, Tensor], shape: Shape, dtype: torch.dtype = torch.bfloat16
    ) -> None:
        self.shape = shape
        self._dtype = dtype
        self._embedding = weights["model.embed_tokens.weight"].to(dtype)
        self._norm = weights["model.norm.weight"].to(dtype)
        self._layers: list[tuple[dict[str, Tensor], Tensor, Tensor]] = []
        for layer in range(shape.num_hidden_layers):
            name = f"model.layers.{layer}"
            joined = {
                part: torch.cat([weights[f"{name}.{matrix}.weight"] for matrix in matrices]).to(
                    dtype
                )
                for part, matrices in JOINED.items()
            }
            first, second = (
                weights[f"{name}.{norm}.weight"].to(dtype)
                for norm in ("input_layernorm", "post_attention_layernorm")
            )
            self._layers.append((joined, first, second))
        half = torch.arange(0, shape.head_dim, 2).float() / shape.head_dim
        self._frequencies = shape.rope_theta**-half

    def logits(self, example: Example, adapter: Adapter) -> Tensor:
        """``[answer tokens, vocabulary]``: what is said at each, right ones given."""
        shape = self.shape
        forbidden = _forbidden(len(example), self._dtype).repeat(
            1, shape.num_attention_heads // shape.num_key_value_heads, 1
        )
        positions = torch.arange(len(example)).float()
        angles = torch.outer(positions, self._frequencies).repeat(1, 2)
        turn = angles.cos().to(self._dtype), angles.sin().to(self._dtype)
        state = self._embedding[example.ids]
        for layer, (weights, first_norm, second_norm) in enumerate(self._layers):

            def through(
                part: str, values: Tensor, layer: int = layer, own: Adapter = weights
            ) -> Tensor:
                return _through(own[part], adapter, f"layers.{layer}.{part}", values)

            normed = functional.rms_norm(
                state, (shape.hidden_size,), first_norm, shape.rms_norm_eps
            )
            mixed = self._attend(through("qkv", normed), turn, forbidden)
            state = state + through("o", mixed)
            if layer == shape.num_hidden_layers - 1:
                state = state[example.start - 1 : -1]
            normed = functional.rms_norm(
                state, (shape.hidden_size,), second_norm, shape.rms_norm_eps
            )
            gate, up = through("gate_up", normed).chunk(2, -1)
            state = state + through("down", functional.silu(gate) * up)
        normed = functional.rms_norm(state, (shape.hidden_size,), self._norm, shape.rms_norm_eps)
        return functional.linear(normed, self._embedding)

    def _attend(self, joined: Tensor, turn: tuple[Tensor, Tensor], forbidden: Tensor) -> Tensor:
        """joined: queries, keys and values of all heads, ``[tokens, heads * width]``."""
        shape, tokens = self.shape, len(joined)
        heads, groups = shape.num_attention_heads, shape.num_key_value_heads
        by_head = joined.view(tokens, -1, shape.head_dim).transpose(0, 1)
        turned = _turned(by_head[: heads + groups], *turn)
        # Heads that share keys are more rows of one product.
        queries = turned[:heads].reshape(groups, -1, shape.head_dim) / math.sqrt(shape.head_dim)
        scores = torch.baddbmm(forbidden, queries, turned[heads:].transpose(1, 2))
        mixed = scores.softmax(-1) @ by_head[heads + groups :]
        return mixed.view(heads, tokens, shape.head_dim).transpose(0, 1).reshape(tokens, -1)


def _through(weight: Tensor, adapter: Adapter, name: str, values: Tensor) -> Tensor:
    out = functional.linear(values, weight)
    if f"{name}.a" not in adapter:
        return out
    low = functional.linear(values, adapter[f"{name}.a"])
    return out + functional.linear(low, adapter[f"{name}.b"])


def _turned(values: Tensor, cosine: Tensor, sine: Tensor) -> Tensor:
    """Rotary positions, halves paired."""
    first, second = values.chunk(2, -1)
    return values * cosine + torch.cat([-second, first], -1) * sine


def _forbidden(tokens: int, dtype: torch.dtype) -> Tensor:
    """``[1, tokens, tokens]``: added to the scores. A token sees itself and what precedes it."""
    return torch.full((1, tokens, tokens), _FORBIDDEN, dtype=dtype).triu(1)


def losses(logits: Tensor, example: Example) -> tuple[Tensor, Tensor]:
    """The loss of each answer token, and whether it is the first choice."""
    each = functional.cross_entropy(logits.float(), example.answer, reduction="none")
    return each, logits.detach().argmax(-1) == example.answer


def weighted(each: Tensor, example: Example) -> Tensor:
    """The loss of an example: the weighted mean of its tokens'."""
    return (each * example.weights).sum() / example.weights.sum()
