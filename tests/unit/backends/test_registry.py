"""Which backend a name is for."""

import pytest

from editd.backends.model import ModelSpec
from editd.backends.registry import backend_name, resolved, without_scheme


@pytest.mark.parametrize(
    ("name", "backend", "loaded"),
    [
        ("/models/small.gguf", "llama_cpp", "/models/small.gguf"),
        ("llama_cpp:/models/small.gguf", "llama_cpp", "/models/small.gguf"),
        ("torch:/models/small.gguf", "torch", "/models/small.gguf"),
        ("Qwen/Qwen2.5-Coder-0.5B-Instruct", "torch", "Qwen/Qwen2.5-Coder-0.5B-Instruct"),
    ],
)
def test_a_name_says_its_backend(name, backend, loaded):
    made = resolved(ModelSpec(name))
    assert backend_name(made.name) == backend
    assert without_scheme(made.name) == loaded
