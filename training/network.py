"""The network while it is trained: a Llama, written so that training is quick.

The same function as transformers' ``LlamaForCausalLM`` (a test compares them), with queries, keys
and values in one product and logits only where they are asked for. ``llama_weights`` gives the names
that transformers knows.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional

from training.shape import Shape

RMS_EPSILON = 1e-6


class Block(nn.Module):
    """Attention and MLP. qkv: ``[3 * heads * head_dim, hidden]``; gate_up: ``[2 * intermediate, hidden]``."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.heads, self.head_dim = shape.heads, shape.head_dim
        width = shape.heads * shape.head_dim
        self.attention_norm = nn.Parameter(torch.ones(shape.hidden))
        self.mlp_norm = nn.Parameter(torch.ones(shape.hidden))
        self.qkv = nn.Parameter(torch.randn(3 * width, shape.hidden) * shape.hidden**-0.5)
        self.qkv_bias = nn.Parameter(torch.zeros(3 * width))
        depth = (2 * shape.layers) ** -0.5
        self.output = nn.Parameter(torch.randn(shape.hidden, width) * width**-0.5 * depth)
        self.gate_up = nn.Parameter(
            torch.randn(2 * shape.intermediate, shape.hidden) * shape.hidden**-0.5
        )
        self.down = nn.Parameter(
            torch.randn(shape.hidden, shape.intermediate) * shape.intermediate**-0.5 * depth
        )

    def forward(self, x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
        rows, length, hidden = x.shape
        normed = functional.rms_norm(x, (hidden,), self.attention_norm, RMS_EPSILON)
        qkv = functional.linear(normed, self.qkv, self.qkv_bias)
        qkv = qkv.view(rows, length, 3, self.heads, self.head_dim)
        turned = qkv[:, :, :2]
        left, right = turned.chunk(2, -1)
        # Angles in fp32: at position 4000 a bf16 cosine would be of another place.
        turned = torch.cat((left * cos - right * sin, right * cos + left * sin), -1).to(qkv.dtype)
        query, key = turned[:, :, 0].transpose(1, 2), turned[:, :, 1].transpose(1, 2)
        value = qkv[:, :, 2].transpose(1, 2)
        read = functional.scaled_dot_product_attention(query, key, value, is_causal=True)
        x = x + functional.linear(read.transpose(1, 2).reshape(rows, length, -1), self.output)
        normed = functional.rms_norm(x, (hidden,), self.mlp_norm, RMS_EPSILON)
        gate, up = functional.linear(normed, self.gate_up).chunk(2, -1)
        return x + functional.linear(functional.silu(gate) * up, self.down)


class Network(nn.Module):
    """Token ids to logits of the next token."""

    cos: Tensor  # [max_positions, head_dim / 2]
    sin: Tensor

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.shape = shape
        self.embedding = nn.Parameter(
            torch.randn(shape.vocabulary, shape.hidden) * shape.hidden**-0.5
        )
        self.blocks = nn.ModuleList(Block(shape) for _ in range(shape.layers))
        self.norm = nn.Parameter(torch.ones(shape.hidden))
        angles = torch.arange(shape.max_positions).double()[:, None] * turns(shape).double()
        self.register_buffer("cos", angles.cos().float(), persistent=False)
        self.register_buffer("sin", angles.sin().float(), persistent=False)

    def forward(self, ids: Tensor, where: Tensor) -> Tensor:
        """ids: ``[rows, length]``. where: flat positions. Logits ``[len(where), vocabulary]``."""
        length = ids.shape[1]
        x = functional.embedding(ids, self.embedding)
        cos, sin = self.cos[None, :length, None, None], self.sin[None, :length, None, None]
        for block in self.blocks:
            x = block(x, cos, sin)
        x = x.reshape(-1, self.shape.hidden)[where]
        x = functional.rms_norm(x, (self.shape.hidden,), self.norm, RMS_EPSILON)
        return functional.linear(x, self.embedding)


def turns(shape: Shape) -> Tensor:
    """RoPE's angle a position, for each pair of a head's dimensions; ``[head_dim / 2]``."""
    half = shape.head_dim // 2
    return torch.tensor(shape.theta ** -(torch.arange(half).double() / half).numpy()).float()


def llama_weights(network: Network) -> dict[str, Tensor]:
    """The weights by the names of ``LlamaForCausalLM``; the output layer is the embedding."""
    shape = network.shape
    width = shape.heads * shape.head_dim
    weights: dict[str, Tensor] = {
        "model.embed_tokens.weight": network.embedding,
        "model.norm.weight": network.norm,
    }
    for number, block in enumerate(network.blocks):
        assert isinstance(block, Block)  # noqa: S101 - told to the type checker
        layer = f"model.layers.{number}"
        attention, mlp = f"{layer}.self_attn", f"{layer}.mlp"
        for index, name in enumerate("qkv"):
            rows = slice(index * width, (index + 1) * width)
            weights[f"{attention}.{name}_proj.weight"] = block.qkv[rows]
            weights[f"{attention}.{name}_proj.bias"] = block.qkv_bias[rows]
        weights[f"{attention}.o_proj.weight"] = block.output
        weights[f"{attention}.o_proj.bias"] = torch.zeros(shape.hidden)
        weights[f"{mlp}.gate_proj.weight"] = block.gate_up[: shape.intermediate]
        weights[f"{mlp}.up_proj.weight"] = block.gate_up[shape.intermediate :]
        weights[f"{mlp}.down_proj.weight"] = block.down
        weights[f"{layer}.input_layernorm.weight"] = block.attention_norm
        weights[f"{layer}.post_attention_layernorm.weight"] = block.mlp_norm
    return {name: weight.detach().cpu().clone() for name, weight in weights.items()}
