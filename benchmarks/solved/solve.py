"""The weights, solved: attention by construction, each MLP's last matrix as a convex problem.

The residual stream has two halves. The *sketch* half says what was read: heads that look a fixed
distance back (``rope``) add random projections of the tokens there. The *answer* half says what
comes next: it is compared with the answer half of every token's embedding, the output being tied
to the input. Each MLP has random gate and up projections, that is random features of what was
read; its down projection is solved so that all positions of all edits get their next token: first
by ridge regression to the wanted codes, then by Newton-like rounds on the softmax loss with a
demanded margin, preconditioned with the features' Gram matrix. No gradient goes through a layer.

Knows token ids only. After "random features" (Rahimi and Recht 2007) and layer-wise boosting.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from benchmarks.solved import Report
from benchmarks.solved.rope import DistanceKernel, distance_kernel
from benchmarks.solved.script import Script
from benchmarks.solved.shape import Shape

RMS_EPSILON = 1e-6

# The final norm's weight on the answer half: makes all margins so many times as large, so that
# sampling at a temperature of 1 still says the same.
_SHARPNESS = 2.0
_EMBEDDING = 0.5  # standard deviation of the codes
_FEATURE_GAIN = 1.5  # how nonlinear the random features are
_READ_GAIN = 0.6  # how loud what was read is against the token itself
_TARGET = 4.0  # the ridge regression aims at so many times a token's code
_RIDGE = 2e-3  # of the Gram matrix's mean diagonal
_MARGIN = 16.0  # asked for between the right token's logit and any other
_ENOUGH = 12.0  # with so much at every token a layer's rounds end early
_TEMPERATURE = 2.0
_MOMENTUM = 0.8
_ROWS = 2048  # positions worked on at once


@dataclass(frozen=True, slots=True)
class Solution:
    """weights: as transformers names them in a Llama checkpoint. margins: per script the logit of
    each right token minus the best other, ``[answer tokens]``.
    """

    weights: dict[str, Tensor]
    margins: list[Tensor]


def solve(
    scripts: Sequence[Script],
    shape: Shape,
    report: Report,
    seed: int = 0,
    *,
    reader: Callable[[Tensor], Tensor] | None = None,
) -> Solution:
    """Weights with which every script's answer follows from its prompt.

    reader: a block before the first layer that other architectures have. Gets one sequence normed, ``[tokens, hidden]``,
    and returns what it adds to the sketch half, ``[tokens, sketch]``.
    """
    random = torch.Generator().manual_seed(seed)
    stream = _Stream(scripts, shape, random)
    if reader is not None:
        stream.read_by(reader)
    weights = {"model.embed_tokens.weight": stream.embedding}
    for layer in range(shape.layers):
        # 1) Read: what stands at fixed distances goes into the sketch half.
        attention = _reading(layer, shape, random)
        stream.read(layer, attention)
        # 2) Answer: one MLP more that says what comes next.
        gate, up = (
            _normal(random, shape.intermediate, shape.hidden) * _FEATURE_GAIN / shape.sketch**0.5
            for _ in range(2)
        )
        down = _solve_down(stream, gate, up, shape.rounds[layer], first=layer == 0)
        stream.answer(gate, up, down, last=layer == shape.layers - 1)
        weights |= _named(layer, shape, attention, gate, up, down)
        wrong, smallest = stream.standing()
        report(
            f"layer {layer + 1} of {shape.layers} solved: {wrong} of {len(stream.wanted)} tokens "
            f"wrong, smallest margin {smallest:.1f}",
            (layer + 1) / shape.layers,
        )
    weights["model.norm.weight"] = stream.final_norm
    return Solution(weights, stream.margins_by_script())


class _Stream:
    """The residual stream of all scripts at once, one row a token, and what is wanted of it.

    hidden: ``[tokens, hidden]``. rows: the rows that predict an answer token, ``[answers]``.
    wanted: the ids they must predict, ``[answers]``.
    """

    def __init__(self, scripts: Sequence[Script], shape: Shape, random: torch.Generator) -> None:
        self._shape = shape
        self._lengths = [len(script.ids) for script in scripts]
        self._answers = [len(script.answer_ids) for script in scripts]
        ids = torch.tensor([token_id for script in scripts for token_id in script.ids])
        starts = torch.tensor([0, *self._lengths]).cumsum(0).tolist()
        self.rows = torch.cat(
            [
                torch.arange(first + script.start - 1, first + len(script.ids) - 1)
                for script, first in zip(scripts, starts, strict=False)
            ]
        )
        self.wanted = ids[self.rows + 1]
        self.embedding = _normal(random, shape.vocab_size, shape.hidden) * _EMBEDDING
        self.hidden = self.embedding[ids]
        self.final_norm = torch.full((shape.hidden,), _SHARPNESS)
        self.final_norm[: shape.sketch] = 0.0

    @property
    def codes(self) -> Tensor:
        """The answer half of the embedding, as the final norm weighs it."""  # [vocab, answer half]
        return self.embedding[:, self._shape.sketch :] * _SHARPNESS

    def read(self, layer: int, attention: _Attention | None) -> None:
        """Run one attention block over every script."""
        if attention is None:
            return
        distances = self._shape.distances[layer]
        width = self._shape.head_dim
        group = self._shape.heads // self._shape.kv_heads
        values = _rms_norm(self.hidden) @ attention.value.T
        mixed = []
        for sequence in torch.split(values, self._lengths):
            heads = [
                attention.kernel.read(sequence[:, head // group * width :][:, :width], distance)
                for head, distance in enumerate(distances)
            ]
            mixed.append(torch.cat(heads, dim=1))
        self.hidden += torch.cat(mixed) @ attention.output.T

    def read_by(self, reader: Callable[[Tensor], Tensor]) -> None:
        """Run another block over every script (``solve``)."""
        sequences = torch.split(_rms_norm(self.hidden), self._lengths)
        self.hidden[:, : self._shape.sketch] += torch.cat([reader(rows) for rows in sequences])

    def answer(self, gate: Tensor, up: Tensor, down: Tensor, *, last: bool) -> None:
        """Run one MLP; after the last one only the rows that predict something are needed."""
        if last:
            self.hidden = self.hidden[self.rows]
            self.rows = torch.arange(len(self.rows))
        for rows in torch.split(torch.arange(len(self.hidden)), _ROWS):
            self.hidden[rows] += _features(self.hidden[rows], gate, up) @ down.T

    def margins(self) -> Tensor:
        """The right logit minus the best other, ``[answers]``."""
        parts = []
        for rows, wanted in zip(
            torch.split(self.rows, _ROWS), torch.split(self.wanted, _ROWS), strict=True
        ):
            logits = _rms_norm(self.hidden[rows])[:, self._shape.sketch :] @ self.codes.T
            right = logits.gather(1, wanted[:, None]).squeeze(1)
            logits.scatter_(1, wanted[:, None], -torch.inf)
            parts.append(right - logits.amax(dim=1))
        return torch.cat(parts)

    def standing(self) -> tuple[int, float]:
        """How many answer tokens are wrong by now, and the smallest margin."""
        margins = self.margins()
        return int((margins <= 0).sum()), float(margins.min())

    def margins_by_script(self) -> list[Tensor]:
        return list(torch.split(self.margins(), self._answers))


@dataclass(frozen=True, slots=True)
class _Attention:
    """value: ``[kv_heads * head_dim, hidden]``. output: ``[hidden, heads * head_dim]``."""

    kernel: DistanceKernel
    value: Tensor
    output: Tensor


def _reading(layer: int, shape: Shape, random: torch.Generator) -> _Attention | None:
    """Random projections from the sketch half to the sketch half; ``None`` for a deaf layer."""
    if layer >= len(shape.distances):
        return None
    value = torch.zeros(shape.kv_heads * shape.head_dim, shape.hidden)
    value[:, : shape.sketch] = _normal(random, len(value), shape.sketch) / shape.sketch**0.5
    output = torch.zeros(shape.hidden, shape.heads * shape.head_dim)
    loudness = _READ_GAIN / torch.arange(1, shape.heads + 1).sqrt()  # what is near counts more
    output[: shape.sketch] = (
        _normal(random, shape.sketch, shape.heads * shape.head_dim)
        * loudness.repeat_interleave(shape.head_dim)
        / shape.head_dim**0.5
    )
    return _Attention(distance_kernel(shape.head_dim, shape.max_positions), value, output)


def _solve_down(stream: _Stream, gate: Tensor, up: Tensor, rounds: int, *, first: bool) -> Tensor:
    """The down projection that brings the answers nearest to what is wanted; ``[hidden, inner]``."""
    sketch = stream.hidden.shape[1] - stream.codes.shape[1]
    before = stream.hidden[stream.rows]  # [answers, hidden]
    features = _features(before, gate, up)  # [answers, inner]
    gram = features.T @ features
    gram.diagonal().add_(_RIDGE * gram.diagonal().mean())
    factor = torch.linalg.cholesky(gram)
    down = torch.zeros(features.shape[1], stream.codes.shape[1])
    if first:
        targets = stream.embedding[stream.wanted][:, sketch:] * _TARGET - before[:, sketch:]
        down = torch.cholesky_solve(features.T @ targets, factor)
    speed = torch.zeros_like(down)
    for _ in range(rounds):
        pull, smallest = torch.zeros_like(down), torch.inf
        for part, state, wanted in zip(
            *(torch.split(rows, _ROWS) for rows in (features, before, stream.wanted)), strict=True
        ):
            answer = state.clone()
            answer[:, sketch:] += part @ down
            pulled, margin = _pull(_rms_norm(answer)[:, sketch:], stream.codes, wanted)
            pull += part.T @ pulled
            smallest = min(smallest, margin)
        if smallest >= _ENOUGH:
            break
        speed = _MOMENTUM * speed + torch.cholesky_solve(pull, factor) / _SHARPNESS
        down = down + speed
    return torch.cat([torch.zeros(sketch, len(down)), down.T])


def _pull(answers: Tensor, codes: Tensor, wanted: Tensor) -> tuple[Tensor, float]:
    """Where the softmax loss pulls each answer, ``[rows, answer half]``; and the smallest margin.

    The loss is that of logits in which the wanted token has a handicap of ``_MARGIN``: it goes on
    pulling until the token leads by that much.
    """
    logits = answers @ codes.T
    rows = torch.arange(len(wanted))
    right = logits[rows, wanted]
    logits[rows, wanted] = -torch.inf
    smallest = float((right - logits.amax(dim=1)).min())
    logits[rows, wanted] = right - _MARGIN
    chances = torch.softmax(logits / _TEMPERATURE, dim=1)
    chances[rows, wanted] -= 1
    return -chances @ codes, smallest


def _features(hidden: Tensor, gate: Tensor, up: Tensor) -> Tensor:
    normed = _rms_norm(hidden)
    return torch.nn.functional.silu(normed @ gate.T) * (normed @ up.T)


def _rms_norm(hidden: Tensor) -> Tensor:
    return hidden * torch.rsqrt(hidden.square().mean(dim=-1, keepdim=True) + RMS_EPSILON)


def _normal(random: torch.Generator, *size: int) -> Tensor:
    return torch.randn(*size, generator=random)


def _named(
    layer: int,
    shape: Shape,
    attention: _Attention | None,
    gate: Tensor,
    up: Tensor,
    down: Tensor,
) -> dict[str, Tensor]:
    """One layer's weights under their names in a Llama checkpoint."""
    queries, keys = shape.heads * shape.head_dim, shape.kv_heads * shape.head_dim
    query_bias, key_bias = torch.zeros(queries), torch.zeros(keys)
    value = torch.zeros(keys, shape.hidden)
    output = torch.zeros(shape.hidden, queries)
    if attention is not None:
        kernel = attention.kernel
        query_bias = torch.cat([kernel.query_bias(d) for d in shape.distances[layer]])
        key_bias = kernel.key_bias().repeat(shape.kv_heads)
        value, output = attention.value, attention.output
    named = {
        "input_layernorm.weight": torch.ones(shape.hidden),
        "self_attn.q_proj.weight": torch.zeros(queries, shape.hidden),
        "self_attn.q_proj.bias": query_bias,
        "self_attn.k_proj.weight": torch.zeros(keys, shape.hidden),
        "self_attn.k_proj.bias": key_bias,
        "self_attn.v_proj.weight": value,
        "self_attn.v_proj.bias": torch.zeros(keys),
        "self_attn.o_proj.weight": output,
        "self_attn.o_proj.bias": torch.zeros(shape.hidden),
        "post_attention_layernorm.weight": torch.ones(shape.hidden),
        "mlp.gate_proj.weight": gate,
        "mlp.up_proj.weight": up,
        "mlp.down_proj.weight": down,
    }
    return {f"model.layers.{layer}.{name}": weight for name, weight in named.items()}
