"""Which backend a name is for, and what becomes of whatever it raises."""

from types import SimpleNamespace

import pytest

from editd.errors import MemoryRanOut, ModelDamaged
from editd.models import registry
from editd.models.model import ModelSpec
from editd.models.registry import backend_name, resolved, without_scheme


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


@pytest.mark.parametrize(
    "error", [TypeError, ValueError, KeyError, RecursionError, ZeroDivisionError]
)
def test_whatever_a_damaged_file_makes_a_library_raise_is_one_sentence(monkeypatch, error):
    def load(*_args, **_kwargs):
        raise error("words of the file")

    monkeypatch.setattr(registry, "_module", lambda _name: SimpleNamespace(load=load))
    with pytest.raises(ModelDamaged, match=rf"/m cannot be loaded \({error.__name__}\)") as raised:
        registry.load(ModelSpec("/m"))
    assert "words" not in str(raised.value)


def test_a_lack_of_memory_is_no_damage(monkeypatch):
    def load(*_args, **_kwargs):
        raise ValueError("not enough memory: you tried to allocate 7 bytes")

    monkeypatch.setattr(registry, "_module", lambda _name: SimpleNamespace(load=load))
    with pytest.raises(MemoryRanOut):
        registry.load(ModelSpec("/m"))
