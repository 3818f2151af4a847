"""The number of threads changes no bit of llama.cpp's logits, so it may change within an edit."""

from __future__ import annotations

from contextlib import closing
from itertools import cycle

import numpy as np
import pytest

from editd.models.llama_cpp.library import load_library
from editd.models.llama_cpp.target import LlamaTarget
from editd.models.llama_cpp.weights import Weights
from tests.architectures import random_file
from tests.gguf_files import wide_file

pytest.importorskip("xllamacpp", reason="needs pip install -e '.[llama]'")

FILES = {
    "llama in float32": lambda: wide_file("llama", "float32"),
    "llama in q4_k_m": lambda: wide_file("llama", "q4_k_m"),
    "qwen35": lambda: random_file("qwen35"),
    "gemma3": lambda: random_file("gemma3"),
}
WIDTHS = (1, 5, 16, 64)  # rows of the passes


def logits(file, threads):
    """Of passes of different widths after 300 tokens, with one number of ``threads`` after the other."""
    numbers = cycle(threads)
    weights = Weights(load_library(), file)
    target = LlamaTarget(weights, threads=max(threads), free_cores=lambda: next(numbers))
    random = np.random.default_rng(7)
    token_ids = random.integers(3, weights.vocab_size - 3, 400).tolist()
    with closing(target), closing(target.open(token_ids[:300])) as sequence:
        sequence.prefill(token_ids[:300])
        found = []
        for width in WIDTHS:
            found.append(np.array(sequence._append(token_ids[300 : 300 + width], None)))
            sequence.crop(300)
    return found


@pytest.mark.parametrize("name", FILES)
def test_the_number_of_threads_changes_no_bit(name):
    alone = logits(FILES[name](), [1])
    for threads in ([2], [1, 2]):
        for one, other in zip(alone, logits(FILES[name](), threads), strict=True):
            assert np.array_equal(one, other)
