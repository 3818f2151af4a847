"""Which backend a name is for, and what becomes of whatever it raises."""

from pathlib import Path
from types import SimpleNamespace

import pytest

from editd.embedded import merged_model
from editd.errors import MemoryRanOut, ModelDamaged
from editd.models import engines, registry
from editd.models.model import ModelSpec
from editd.models.registry import backend_name, without_scheme


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
    assert backend_name(name) == backend
    assert without_scheme(name) == loaded


@pytest.mark.parametrize("name", ["embedded", "{folder}", "{folder}/model.gguf"])
def test_a_gguf_file_runs_on_the_engine_that_is_chosen_for_it(name, tmp_path, monkeypatch):
    (tmp_path / "model.gguf").touch()
    monkeypatch.setattr(merged_model, "built_folder", lambda _report: tmp_path)
    on_engine = []
    monkeypatch.setattr(
        registry,
        "_load_gguf",
        lambda spec, *_: on_engine.append(spec.name) or SimpleNamespace(),
    )
    registry.load(ModelSpec(name.format(folder=tmp_path)))
    assert on_engine == [str(tmp_path / "model.gguf")]


@pytest.mark.parametrize(
    ("name", "engine", "is_known", "loaded"),
    [
        ("{folder}/model.gguf", "local", False, True),
        ("embedded", "local", False, True),
        ("ollama:coder:1.5b", "local", False, True),
        ("{folder}/model.gguf", "local", True, False),
        ("{folder}/model.gguf", "remote", False, False),
        ("Qwen/Qwen2.5-Coder-0.5B-Instruct", "local", False, False),
    ],
)
def test_an_engine_is_measured_ahead_only_where_the_first_edit_would(
    name, engine, is_known, loaded, tmp_path, monkeypatch
):
    (tmp_path / "model.gguf").touch()
    monkeypatch.setattr(merged_model, "built_folder", lambda _report: tmp_path)
    monkeypatch.setattr(registry.stores, "find_model_file", lambda _name: tmp_path / "model.gguf")
    known = engines.EngineChoice("llama_cpp") if is_known else None
    monkeypatch.setattr(engines, "known_choice", lambda _spec: known)
    seen = []

    def measure_choice(spec, load, progress):
        progress(1.0)
        seen.append(spec.name)
        return "measured"

    monkeypatch.setattr(engines, "measure_choice", measure_choice)
    spec = ModelSpec(name.format(folder=tmp_path), engine=engine)
    said = []
    notice = registry.prepare(spec, lambda doing, done: said.append((doing, done)))
    assert notice == ("measured" if loaded else "")
    assert [done for _, done in said] == ([0.0, 1.0] if loaded else [])
    assert all(f" {Path(spec.name).name} " in doing for doing, _ in said)  # as the user calls it
    assert seen == ([str(tmp_path / "model.gguf")] if loaded else [])


@pytest.mark.parametrize(
    "error", [TypeError, ValueError, KeyError, RecursionError, ZeroDivisionError]
)
def test_whatever_a_damaged_file_makes_a_library_raise_is_one_sentence(monkeypatch, error):
    def load(*_args, **_kwargs):
        raise error("words of the file")

    monkeypatch.setattr(registry, "_backend", lambda *_: SimpleNamespace(load=load))
    with pytest.raises(ModelDamaged, match=rf"/m cannot be loaded \({error.__name__}\)") as raised:
        registry.load(ModelSpec("/m"))
    assert "words" not in str(raised.value)


def test_a_lack_of_memory_is_no_damage(monkeypatch):
    def load(*_args, **_kwargs):
        raise ValueError("not enough memory: you tried to allocate 7 bytes")

    monkeypatch.setattr(registry, "_backend", lambda *_: SimpleNamespace(load=load))
    with pytest.raises(MemoryRanOut):
        registry.load(ModelSpec("/m"))
