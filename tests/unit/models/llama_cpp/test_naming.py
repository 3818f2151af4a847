"""What a name means, and the library that runs it: found, checked, or refused in a sentence."""

import shutil

import pytest

from editd import errors
from editd.config import ModelConfig
from editd.models import registry
from editd.models.llama_cpp import layouts
from editd.models.llama_cpp.library import load_library
from editd.models.model import ModelSpec
from tests.stores import Home
from tests.unit.models.llama_cpp.loaded import load


def test_another_program_s_model_is_planned_and_loaded_where_it_lies(file, tmp_path, monkeypatch):
    home = Home(tmp_path / "home").use(monkeypatch)
    blob = home.ollama("registry.ollama.ai/library/tiny/1b", file.read_bytes())
    assert (
        registry.plan_model(ModelConfig("ollama:tiny:1b")).summary().startswith("ollama:tiny:1b, ")
    )
    loaded = registry.load(ModelSpec("ollama:tiny:1b", threads=1))
    assert (loaded.name, loaded.file) == ("ollama:tiny:1b", blob)
    loaded.close()
    for asks in (
        lambda: registry.plan_model(ModelConfig("ollama:other")),
        lambda: registry.load(ModelSpec("ollama:other")),
    ):
        with pytest.raises(errors.ModelNotFound, match="There is no ollama:other"):
            asks()


def test_a_model_is_told_edits_in_the_format_that_its_maker_names(file, tmp_path):
    shutil.copy(file, tmp_path / "model.gguf")
    (tmp_path / "editd.json").write_text('{"format": "embedded", "kind": "trained"}')
    loaded = registry.load(ModelSpec(str(tmp_path), threads=1))
    assert (loaded.edit_format, loaded.manifest["kind"]) == ("embedded", "trained")
    loaded.close()
    bare = load(file)
    assert bare.edit_format is None
    bare.close()


def test_a_library_of_an_unknown_layout_is_refused():
    def default():
        return default.restype(n_ctx=4096)

    with pytest.raises(layouts.UnknownLayout):
        layouts.context_params(default)


def test_no_library_is_one_sentence_that_says_what_brings_it(file, monkeypatch):
    monkeypatch.setattr("editd.models.llama_cpp.library._candidates", lambda: iter(()))
    load_library.cache_clear()
    try:
        with pytest.raises(errors.ModelUnsupported, match=r"install it with .*llama.*\]'"):
            load(file)
    finally:
        load_library.cache_clear()


def test_what_is_no_library_is_one_sentence(file, tmp_path):
    (tmp_path / "libllama.so").write_bytes(b"no library")
    with pytest.raises(errors.ModelUnsupported, match=r"cannot be loaded as llama\.cpp's library"):
        load_library(str(tmp_path / "libllama.so"))


@pytest.mark.parametrize(
    ("name", "backend"),
    [
        ("/m/model.gguf", "llama_cpp"),
        ("~/m/MODEL.GGUF", "llama_cpp"),
        ("/m/folder", "torch"),
        ("Qwen/Qwen2.5-Coder-0.5B", "torch"),
        ("llama_cpp:/m/any", "llama_cpp"),
        ("torch:/m/folder", "torch"),
        ("\0", "torch"),
    ],
)
def test_the_name_says_which_backend(name, backend):
    assert registry.backend_name(name) == backend


def test_a_folder_with_one_file_is_a_model(tmp_path, file):
    shutil.copy(file, tmp_path / "model.gguf")
    (tmp_path / "config.json").write_text('{"auto_map": {"AutoConfig": "evil.Evil"}}')
    (tmp_path / "evil.py").write_text("raise SystemExit('ran')")
    (tmp_path / "tokenizer.json").write_text("not this one")
    (tmp_path / "mmproj-model.gguf").write_bytes(b"")  # of a model that sees
    loaded = load(tmp_path)
    assert loaded.parameters == 111_696
    assert loaded.name == str(tmp_path)
    loaded.close()
    shutil.copy(file, tmp_path / "second.gguf")
    with pytest.raises(
        errors.ModelUnsupported, match="contains 2 GGUF files: name the one to load"
    ):
        load(tmp_path)
    (tmp_path / "model.safetensors").write_bytes(b"")
    assert registry.backend_name(str(tmp_path)) == "torch"
