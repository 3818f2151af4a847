"""A start from which copying need not be discovered: weights set by hand, all trainable.

The residual stream is split in two: what a token is, and a sketch of the tokens before it. Layer 0
looks one to four tokens back (heads whose biases make RoPE peak at one distance) and adds their
sketches, each rotated by its distance; layer 1 adds the sketches of four and eight tokens back, so
that a place is described by some twelve tokens. In layer 2 every place looks for the place whose
description is what its own successor's would be, and copies the token from there. Untrained, this
copies most held-out code exactly; all other layers begin as ordinary small random ones.
"""

from __future__ import annotations

import torch
from torch import Tensor

from editd.prompts.formats.embedded import BUFFER, CONTROL_TOKENS, END, INSTRUCTION, OUTPUT
from training.network import Block, Network, turns

_DISTANCES = (1, 2, 3, 4)
_GATHERED = (4, 8)
_DECAY = 0.8  # a nearer token weighs more
_PEAK = 9.0  # how sharply a head keeps to its distance
_MATCH = 9.0  # how sharply one description is told from another
_COPY = 6.0  # how loudly the copied token speaks


@torch.no_grad()
def wire(network: Network, seed: int = 0) -> None:
    """Overwrite what must be wired; the MLPs begin silent, the layers after the third as they are."""
    shape = network.shape
    generator = torch.Generator().manual_seed(seed)
    hidden, half = shape.hidden, shape.head_dim // 2
    fractions = turns(shape)
    slow = torch.nonzero(fractions < 0.003).flatten()
    dims = torch.cat((slow, slow + half))  # of a head, blind to distance
    size = len(dims)
    root = hidden**0.5

    frame = _orthogonal(hidden, hidden, generator)
    sketch, token = frame[:, :size], frame[:, size:]  # [hidden, size], [hidden, hidden - size]
    embedding = network.embedding @ token @ token.T
    network.embedding.copy_(embedding / embedding.norm(dim=1, keepdim=True))
    # The answer begins like the buffer, so that the first token is copied from there; and where
    # copying would go on into the instruction, the end is near.
    for name, like, own in ((OUTPUT, BUFFER, 0.35), (END, INSTRUCTION, 0.5)):
        row = network.embedding[CONTROL_TOKENS.index(like)]
        mixed = row + own * network.embedding[CONTROL_TOKENS.index(name)]
        network.embedding[CONTROL_TOKENS.index(name)] = mixed / mixed.norm()
    to_sketch = _orthogonal(size, hidden - size, generator) @ token.T
    to_sketch = to_sketch * ((hidden - size) / size) ** 0.5
    turn = _orthogonal(size, size, generator) * _DECAY

    blocks = [block for block in network.blocks if isinstance(block, Block)]
    for block in blocks:
        block.down.zero_()
    scale = root / (1 + len(_DISTANCES)) ** 0.5
    for block, distances, read in (
        (blocks[0], _DISTANCES, to_sketch / root),
        (blocks[1], _GATHERED, sketch.T / scale),
    ):
        block.qkv.mul_(0.02)
        block.output.mul_(0.02)
        for head, distance in enumerate(distances):
            _look_back(block, head, distance, fractions)
            rows = slice(_value_row(block, head), _value_row(block, head) + size)
            block.qkv[rows] = read
            columns = slice(head * shape.head_dim, head * shape.head_dim + size)
            block.output[:, columns] = sketch @ torch.linalg.matrix_power(turn, distance)

    matching = blocks[2]
    scale = root / (1 + len(_DISTANCES) * (1 + len(_GATHERED))) ** 0.5
    sharp = (_MATCH * shape.head_dim**0.5) ** 0.5 / scale
    width = shape.heads * shape.head_dim
    matching.qkv[: 2 * width].mul_(0.02)
    for head in range(shape.heads):
        first = head * shape.head_dim
        matching.qkv[first + dims] = turn @ (sketch.T + to_sketch) * sharp
        matching.qkv[width + first + dims] = sketch.T * sharp
    copied = _orthogonal(width, hidden - size, generator) @ token.T
    matching.qkv[2 * width :] = copied
    matching.output.copy_(copied.T * (_COPY / scale))


def _look_back(block: Block, head: int, distance: int, fractions: Tensor) -> None:
    """Biases of a head so that it reads the token ``distance`` back, whatever the tokens are."""
    fast = (fractions >= 0.02).float().repeat(2) * _PEAK
    width = block.heads * block.head_dim
    first = head * block.head_dim
    half = len(fractions)
    angle = fractions * distance
    block.qkv_bias[first : first + 2 * half] = torch.cat((angle.cos(), -angle.sin())) * fast
    key = torch.cat((torch.ones(half), torch.zeros(half)))
    block.qkv_bias[width + first : width + first + 2 * half] = key * fast


def _value_row(block: Block, head: int) -> int:
    return 2 * block.heads * block.head_dim + head * block.head_dim


def _orthogonal(rows: int, columns: int, generator: torch.Generator) -> Tensor:
    """Orthonormal rows or columns, whichever are fewer."""
    many, few = max(rows, columns), min(rows, columns)
    square: Tensor = torch.linalg.qr(torch.randn(many, few, generator=generator))[0]
    return square if rows >= columns else square.T
