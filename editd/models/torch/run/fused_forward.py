"""The forward pass of Llama and its kin, without what a small model on a CPU spends most time on.

There a pass over one token is Python, dispatch and products of a matrix with one row. The same
arithmetic as transformers' ``modeling_llama.py``, ``_qwen2``, ``_qwen3`` and ``_mistral`` in about a
third of the operations: queries, keys and values are one product, gate and up another, rotations
come from a table, and no mask is made where every row sees everything. The weights are
transformers' own, which become views of the joined ones. Whether both say the same is found out
when a model is loaded (``selfcheck``); what is not known here word for word is left to transformers.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import nn
from torch.nn.functional import embedding, silu

from editd.models.torch.run.attention import NAME, attention_name, grouped_attention
from editd.models.torch.run.cpu_matmul import Product, joined, pack

_MODULES = tuple(f"transformers.models.{name}." for name in ("llama", "mistral", "qwen2", "qwen3"))
_STEADY_ROPE = ("default", "linear", "llama3", "yarn")  # turn a position alike in every pass
_SMALL_HEAD = 64 << 20  # bytes that a tied head may take a second time
_FIRST_POSITIONS = 1024
_PACKED_SHARE = 4  # a quarter of what is free


class _Norm:
    """Root mean square normalisation, in single precision as transformers has it.

    With the root of the row's length on the other side: ``x / sqrt(sum(x²) + length * eps)``.
    """

    def __init__(self, weight: torch.Tensor, eps: float) -> None:
        self._weight: torch.Tensor = weight * math.sqrt(len(weight))
        self._eps = torch.tensor(len(weight) * eps)

    def __call__(self, x: torch.Tensor) -> torch.Tensor:
        single = x.float()
        norm = torch.linalg.vector_norm(single, dim=-1, keepdim=True)
        normed = single * torch.addcmul(self._eps, norm, norm).rsqrt_()
        return self._weight * normed.to(x.dtype)


@dataclass(frozen=True, slots=True)
class _Layer:
    attention: nn.Module  # what ``grouped_attention`` asks for its kind
    scaling: float
    kind: str  # of its mask, where a model has several kinds
    before_attention: _Norm
    queries_keys_values: Product
    query_norm: _Norm | None
    key_norm: _Norm | None
    output: Product
    before_mlp: _Norm
    gate_and_up: Product
    down: Product


class FusedForward:
    """One model's pass over a few rows behind a cache. ``of`` says whether a model can have one."""

    def __init__(self, model: Any) -> None:
        config = model.config
        self._embedding = model.model.embed_tokens.weight
        self._rotary = model.model.rotary_emb
        self._heads = config.num_attention_heads
        self._kv_heads = config.num_key_value_heads
        self._head_dim = model.model.layers[0].self_attn.head_dim
        self._layers = [_layer(layer, config, i) for i, layer in enumerate(model.model.layers)]
        self._norm = _norm(model.model.norm)
        self.head = _head(model)
        self._cos = self._sin = self._embedding.new_empty(0, 1, self._head_dim)

    @classmethod
    def of(cls, model: Any) -> FusedForward | None:
        """The fused pass of ``model``, ``None`` where it is not known to be the same."""
        return cls(model) if _is_known(model) else None

    def pack(self, free_bytes: int) -> int:
        """Hold wide weights in a second order too, if that takes a quarter of what is free at most.

        Returns the bytes taken.
        """
        of_layers = (
            product
            for layer in self._layers
            for product in (layer.queries_keys_values, layer.output, layer.gate_and_up, layer.down)
        )
        return pack([*of_layers, self.head], free_bytes // _PACKED_SHARE)

    def __call__(
        self,
        cache: Any,
        token_ids: Sequence[int],
        position_ids: torch.Tensor,  # [1, rows]
        masks: Any = None,
        rows: int = 0,
    ) -> torch.Tensor:
        """As ``ModelRunner.forward``: logits of the last ``rows`` tokens (0: all)."""
        past = cache.get_seq_length()
        cos, sin = self._rotations(past + len(token_ids))
        where: Any = slice(past, past + len(token_ids)) if masks is None else position_ids[0]
        cos, sin = cos[where], sin[where]
        chain_masks = _ChainMasks(len(token_ids), past, self._embedding.dtype)
        x = embedding(torch.tensor(token_ids), self._embedding)
        last = len(self._layers) - 1
        for index, layer in enumerate(self._layers):
            if masks is None:
                mask = chain_masks.within(cache.layers[index].window)
            else:
                mask = masks[layer.kind] if isinstance(masks, dict) else masks
            # Of a prompt's rows only the last goes on where the keys and values are all made.
            kept = 1 if index == last and rows == 1 else len(x)
            attended = self._attend(
                layer, index, layer.before_attention(x), cos, sin, mask, cache, kept
            )
            x = x[-kept:] + attended
            gate, up = layer.gate_and_up(layer.before_mlp(x)).chunk(2, dim=-1)
            x = x + layer.down(silu(gate).mul_(up))
        return self.head(self._norm(x[-rows:]))

    def _attend(
        self,
        layer: _Layer,
        index: int,
        x: torch.Tensor,  # [rows, hidden]
        cos: torch.Tensor,  # [rows, 1, head_dim]
        sin: torch.Tensor,
        mask: torch.Tensor | None,
        cache: Any,
        kept: int,  # rows at the end that are asked for
    ) -> torch.Tensor:
        rows, turned = len(x), self._heads + self._kv_heads
        heads = layer.queries_keys_values(x).view(rows, -1, self._head_dim)
        both = heads[:, :turned]
        if layer.query_norm is not None and layer.key_norm is not None:
            queries, keys = both[:, : self._heads], both[:, self._heads :]
            both = torch.cat([layer.query_norm(queries), layer.key_norm(keys)], dim=1)
        # ``sin`` is negative in its first half, so that halves need only change places.
        both = (both * cos).addcmul_(both.roll(self._head_dim // 2, -1), sin)
        by_head = both.transpose(0, 1)[None]
        keys, values = cache.update(
            by_head[:, self._heads :], heads[:, turned:].transpose(0, 1)[None], index
        )
        queries = by_head[:, : self._heads, -kept:]
        mask = mask if mask is None else mask[:, :, -kept:]
        attended, _ = grouped_attention(
            layer.attention, queries, keys, values, mask, scaling=layer.scaling
        )
        return layer.output(attended.view(kept, -1))

    def _rotations(self, end: int) -> tuple[torch.Tensor, torch.Tensor]:
        """Tables that reach to position ``end``, ``[positions, 1, head_dim]``."""
        if end > len(self._cos):
            positions = torch.arange(max(end, 2 * len(self._cos), _FIRST_POSITIONS))[None]
            cos, sin = self._rotary(self._embedding, positions)
            self._cos, self._sin = cos.transpose(0, 1), sin.transpose(0, 1).clone()
            self._sin[..., : self._head_dim // 2].neg_()
        return self._cos, self._sin


class _ChainMasks:
    """What hides later rows and what has left a layer's window, made once for each window.

    Nothing is hidden by a mask at the start of a text, where attention hides later rows by itself,
    and from a single row, which sees all that the cache hands out.
    """

    def __init__(self, rows: int, past: int, dtype: torch.dtype) -> None:
        self._rows, self._past, self._dtype = rows, past, dtype
        self._made: dict[int, torch.Tensor | None] = {}

    def within(self, window: int) -> torch.Tensor | None:
        """Added to the scores of layers with this window (0: none), ``[1, 1, rows, visible]``."""
        if window not in self._made:
            needed = self._rows > 1 and (self._past > 0 or 0 < window < self._rows)
            self._made[window] = self._mask(window) if needed else None
        return self._made[window]

    def _mask(self, window: int) -> torch.Tensor:
        rows, past = self._rows, self._past
        first = max(past - window + 1, 0) if window else 0
        mask = torch.zeros(rows, past - first + rows, dtype=self._dtype)
        mask[:, past - first :] = self._hidden(rows, rows).triu_(1)
        if window:
            mask += self._hidden(*mask.shape).tril_(past - first - window)
        return mask[None, None]

    def _hidden(self, rows: int, columns: int) -> torch.Tensor:
        return torch.full((rows, columns), float("-inf"), dtype=self._dtype)


# --- what is known, and its weights --------------------------------------------------------------


def _is_known(model: Any) -> bool:
    """Whether this is one of the architectures, on the CPU, with plain weights and steady rope."""
    if not (type(model).__module__.startswith(_MODULES) and hasattr(model, "lm_head")):
        return False
    config = model.config
    rope = (getattr(config, "rope_parameters", None) or {}).get("rope_type", "default")
    linears = [module for module in model.modules() if type(module).__name__.endswith("Linear")]
    return (
        model.device.type == "cpu"
        and attention_name(config) == NAME
        and config.hidden_act == "silu"
        and rope in _STEADY_ROPE
        and all(type(module) is nn.Linear for module in linears)
        and all(type(weight.data) is torch.Tensor for weight in model.parameters())
        and len({weight.dtype for weight in model.parameters()}) == 1
        and model.dtype in (torch.float32, torch.float64)
    )


@torch.no_grad()
def _layer(layer: Any, config: Any, index: int) -> _Layer:
    attention, mlp = layer.self_attn, layer.mlp
    kinds = getattr(config, "layer_types", None)
    return _Layer(
        attention=attention,
        scaling=attention.scaling,
        kind=kinds[index] if kinds else "",
        before_attention=_norm(layer.input_layernorm),
        queries_keys_values=joined(attention.q_proj, attention.k_proj, attention.v_proj),
        query_norm=_norm(attention.q_norm) if hasattr(attention, "q_norm") else None,
        key_norm=_norm(attention.k_norm) if hasattr(attention, "k_norm") else None,
        output=Product(attention.o_proj.weight.data.t(), attention.o_proj.bias),
        before_mlp=_norm(layer.post_attention_layernorm),
        gate_and_up=joined(mlp.gate_proj, mlp.up_proj),
        down=Product(mlp.down_proj.weight.data.t(), mlp.down_proj.bias),
    )


def _head(model: Any) -> Product:
    head = model.lm_head
    if head.weight.data_ptr() != model.model.embed_tokens.weight.data_ptr():
        return joined(head)
    weight = head.weight.data.t()
    return Product(weight.contiguous() if weight.nbytes <= _SMALL_HEAD else weight, head.bias)


def _norm(norm: Any) -> _Norm:
    return _Norm(norm.weight.data, norm.variance_epsilon)
