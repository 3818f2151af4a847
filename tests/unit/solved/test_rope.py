import math

import pytest
import torch
from transformers import LlamaConfig
from transformers.models.llama.modeling_llama import LlamaRotaryEmbedding, apply_rotary_pos_emb

from benchmarks.demo_shapes import SHAPES
from benchmarks.solved.rope import THETA, distance_kernel
from tests.unit.solved.tiny_edits import TINY


def rotated_scores(kernel, distance, length):
    """Attention scores of the last position, by transformers' own rotary code."""
    config = LlamaConfig(
        hidden_size=kernel.head_dim,
        num_attention_heads=1,
        max_position_embeddings=length,
        rope_parameters={"rope_type": "default", "rope_theta": THETA},
    )
    positions = torch.arange(length)[None]
    cos, sin = LlamaRotaryEmbedding(config)(torch.zeros(1), positions)
    query = kernel.query_bias(distance).expand(1, 1, length, -1)
    key = kernel.key_bias().expand(1, 1, length, -1)
    query, key = apply_rotary_pos_emb(query, key, cos, sin)
    return (key[0, 0] @ query[0, 0, -1]) / math.sqrt(kernel.head_dim)


@pytest.mark.parametrize("shape", [*SHAPES.values(), TINY], ids=lambda shape: shape.name)
def test_a_head_reads_the_token_at_its_distance_and_no_other(shape):
    length = min(shape.max_positions, 4096)
    kernel = distance_kernel(shape.head_dim, length)
    for distance in sorted({d for layer in shape.distances for d in layer}):
        weights = torch.softmax(rotated_scores(kernel, distance, length), dim=0)
        assert int(weights.argmax()) == length - 1 - distance
        assert float(weights.max()) > 0.999_99


def test_before_its_distance_a_head_reads_what_the_softmax_gives():
    kernel = distance_kernel(16, 512)
    values = torch.randn(40, 5, generator=torch.Generator().manual_seed(1))
    read = kernel.read(values, 30)
    for position in (0, 1, 17, 29, 30, 39):
        weights = torch.softmax(rotated_scores(kernel, 30, position + 1), dim=0)
        torch.testing.assert_close(
            read[position], weights @ values[: position + 1], atol=1e-3, rtol=0
        )


def test_a_sequence_shorter_than_the_distance_is_read_too():
    assert distance_kernel(16, 512).read(torch.ones(3, 2), 30).shape == (3, 2)
