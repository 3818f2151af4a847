"""Models that other programs keep: found where they lie, by the names they have there, nothing else."""

import json

import pytest

from editd import stores
from editd.errors import ModelNotFound
from editd.stores import layouts
from tests.stores import Home, put

ONE, TWO = b"GGUF one", b"GGUF two"


@pytest.fixture
def home(tmp_path, monkeypatch):
    return Home(tmp_path / "home").use(monkeypatch)


def names():
    """The models that can be loaded."""
    found = stores.with_unique_names(stores.stored_models())
    return {name: stored.file for stored, name in found if not stored.trouble}


def troubles():
    """What hinders the others, by name."""
    found = stores.with_unique_names(stores.stored_models())
    return {name: stored.trouble for stored, name in found if stored.trouble}


OLLAMA = [
    ("registry.ollama.ai/library/qwen2.5-coder/7b", "qwen2.5-coder:7b", ["Qwen2.5-Coder:7B"]),
    ("registry.ollama.ai/library/llama3.2/latest", "llama3.2:latest", ["llama3.2"]),
    ("registry.ollama.ai/ada/coder/q8", "ada/coder:q8", []),
    ("hf.co/bartowski/Some-GGUF/Q4_K_M", "hf.co/bartowski/Some-GGUF:Q4_K_M", []),
    ("ollama.com/library/gemma3/1b", "gemma3:1b", []),
]


@pytest.mark.parametrize("newer", [False, True])
def test_ollama_s_models_have_the_names_that_it_shows(home, newer):
    for number, (path, name, others) in enumerate(OLLAMA):
        file = home.ollama(path, ONE + bytes([number]), newer=newer)
        for told in (name, *others):
            assert stores.find_model_file(f"ollama:{told}") == file
    assert set(names()) == {f"ollama:{name}" for _, name, _ in OLLAMA}


def test_ollama_s_newer_manifest_wins(home):
    home.ollama("registry.ollama.ai/library/m/1b", ONE)
    file = home.ollama("ollama.com/library/m/1b", TWO, newer=True)
    assert names() == {"ollama:m:1b": file}


def test_ollama_elsewhere(home, tmp_path, monkeypatch):
    home.ollama("registry.ollama.ai/library/m/1b", ONE)
    (tmp_path / "other").mkdir()
    home.ollama_models.rename(tmp_path / "other" / "models")
    assert names() == {}
    monkeypatch.setenv("OLLAMA_MODELS", str(tmp_path / "other" / "models"))
    assert list(names()) == ["ollama:m:1b"]


def test_lm_studio_s_models(home, tmp_path):
    one = home.lm_studio("lmstudio-community/Coder-GGUF/Coder-Q4_K_M.gguf", ONE)
    home.lm_studio("lmstudio-community/Coder-GGUF/mmproj-model-f16.gguf", ONE)
    home.lm_studio("lmstudio-community/Coder-MLX/model.safetensors", ONE)
    two = home.lm_studio("me/mine/mine.gguf", TWO)
    assert names() == {
        "lmstudio:lmstudio-community/Coder-GGUF:Q4_K_M": one,
        "lmstudio:me/mine": two,
    }
    for told in (
        "lmstudio-community/Coder-GGUF",
        "lmstudio-community/Coder-GGUF/Coder-Q4_K_M.gguf",
    ):
        assert stores.find_model_file(f"lmstudio:{told}") == one
    other = home.lm_studio("lmstudio-community/Coder-GGUF/Coder-Q8_0.gguf", TWO)
    assert stores.find_model_file("lmstudio:lmstudio-community/Coder-GGUF:q8_0") == other
    with pytest.raises(ModelNotFound, match=r"matches 2 models: use one of lmstudio:.*Q4_K_M, lm"):
        stores.find_model_file("lmstudio:lmstudio-community/Coder-GGUF")


def test_lm_studio_that_moved(home, tmp_path):
    put(home.folder / ".lmstudio-home-pointer", str(tmp_path / "studio").encode())
    told = json.dumps({"downloadsFolder": str(tmp_path / "big")}).encode()
    settings = put(tmp_path / "studio" / "settings.json", told)
    file = put(tmp_path / "big" / "me" / "mine" / "mine.gguf", ONE)
    assert names() == {"lmstudio:me/mine": file}
    settings.unlink()
    assert names() == {}
    put(home.folder / ".config" / "LM Studio" / "settings.json", told)
    assert names() == {"lmstudio:me/mine": file}


def test_models_of_llama_cpp_and_of_the_hub_s_cache(home):
    flat = home.llama_cpp("ggml-org_Coder-GGUF_coder-q8_0.gguf", ONE)
    first = home.hugging_face("org/Big-GGUF", "Q4/big-Q4_0-00001-of-00002.gguf", ONE)
    home.hugging_face("org/Big-GGUF", "Q4/big-Q4_0-00002-of-00002.gguf", TWO + b"!")
    bare = home.hugging_face("org/small", "small.gguf", TWO)
    assert names() == {
        "llama-cache:ggml-org_Coder-GGUF_coder-q8_0": flat,
        "hf:org/Big-GGUF:Q4_0": first,
        "hf:org/small": bare,
    }
    (big,) = (s for s in stores.stored_models("hf") if "Big" in s.names[0])
    assert big.bytes == len(ONE + TWO) + 1


@pytest.mark.parametrize(
    "name",
    [
        "ollama:../../../../secret", "ollama:/etc/passwd", "lmstudio:../x", "hf:../../secret.gguf",
        "ollama:", "llama-cache:../secret", "ollama:m:1b\0", "ollama:*", "hf:" + "x" * 100_000,
    ],
)  # fmt: skip
def test_a_name_is_looked_up_and_never_made_a_path(home, name):
    home.ollama("registry.ollama.ai/library/m/1b", ONE)
    put(home.folder / "secret", b"GGUF")
    put(home.hub.parent / "secret.gguf", b"GGUF")
    with pytest.raises(ModelNotFound):
        stores.find_model_file(name)


def test_links_lead_nowhere_else(home, tmp_path):
    outside = put(tmp_path / "outside.gguf", ONE)
    file = home.ollama("registry.ollama.ai/library/m/1b", ONE)
    file.unlink()
    file.symlink_to(outside)
    home.lm_studio("me/mine/mine.gguf", ONE).unlink()
    (home.folder / ".lmstudio/models/me/mine/mine.gguf").symlink_to(outside)
    (home.folder / ".lmstudio/models/me/folder").symlink_to(tmp_path)
    home.hugging_face("org/small", "small.gguf", TWO).unlink()
    (home.hub / "models--org--small/snapshots" / ("a" * 40) / "small.gguf").symlink_to(outside)
    manifest = put(tmp_path / "manifest", b'{"layers": []}')
    (home.ollama_models / "manifests/registry.ollama.ai/library/m/2b").symlink_to(manifest)
    assert names() == {}
    left = ("ollama:m:1b", "ollama:m:2b", "lmstudio:me/mine", "lmstudio:me/folder", "hf:org/small")
    assert troubles() == dict.fromkeys(left, layouts.LEAVES)
    for name in left:
        with pytest.raises(
            ModelNotFound, match=r"cannot be loaded: its link leads out of the store; give"
        ):
            stores.find_model_file(name)


BROKEN = [
    b"", b"{", b"[]", b"null", b'{"layers": 3}', b'{"layers": [3, {}]}',
    b'{"layers": [{"mediaType": "application/vnd.ollama.image.model"}]}',
    b'{"layers": [{"mediaType": "application/vnd.ollama.image.model", "digest": "sha256:../../x"}]}',
    b'{"layers": [{"mediaType": "application/vnd.ollama.image.model", "digest": "sha256:%b"}]}' % (b"0" * 64),
    b'{"manifests": [{"runner": "ggml", "digest": 3}]}', b"[" * 100_000, b"\xff",
]  # fmt: skip


def test_what_cannot_be_read_is_left_out(home):
    for number, content in enumerate(BROKEN):
        put(home.ollama_models / f"manifests/registry.ollama.ai/library/m/{number}", content)
    put(home.ollama_models / "manifests/registry.ollama.ai/library/.DS_Store", b"")
    put(home.hub / "models--org--small/refs/main", b"../../..")
    (home.ollama_models / "manifests/registry.ollama.ai/library/m/device").symlink_to("/dev/null")
    put(home.folder / ".lmstudio/settings.json", b'{"downloadsFolder": 3}')
    assert names() == {}


def test_models_that_cannot_be_loaded_are_named(home, monkeypatch):
    def check(name, trouble, remedy):
        assert troubles() == {name: trouble}
        with pytest.raises(ModelNotFound, match=f"^{name} cannot be loaded: {trouble}; {remedy}"):
            stores.find_model_file(name)

    manifest = home.ollama_models / "manifests/registry.ollama.ai/library/m/1b"
    file = home.ollama("registry.ollama.ai/library/m/1b", ONE)
    content = json.loads(manifest.read_bytes())
    adapter = {"mediaType": "application/vnd.ollama.image.adapter", "digest": "sha256:" + "0" * 64}
    put(manifest, json.dumps({**content, "layers": [*content["layers"], adapter]}).encode())
    check("ollama:m:1b", layouts.ADAPTED, "which editd does not load")
    put(manifest, json.dumps(content).encode())
    assert names() == {"ollama:m:1b": file}
    access = layouts.os.access
    monkeypatch.setattr(
        layouts.os, "access", lambda path, mode: path != file and access(path, mode)
    )
    check("ollama:m:1b", layouts.UNREADABLE, "ask for the right")
    monkeypatch.undo()
    home.use(monkeypatch)
    file.unlink()
    check("ollama:m:1b", layouts.MISSING, "download it again")


def test_a_store_that_may_not_be_read_is_named(home, monkeypatch):
    home.ollama("registry.ollama.ai/library/m/1b", ONE)
    assert stores.unreadable_stores() == []
    access = layouts.os.access
    closed = home.ollama_models.resolve()
    monkeypatch.setattr(
        layouts.os, "access", lambda path, mode: path != closed and access(path, mode)
    )
    assert stores.unreadable_stores() == [closed]
    with pytest.raises(ModelNotFound, match=f"{closed} may not be read by you"):
        stores.find_model_file("ollama:other")


def test_a_file_of_an_older_revision_is_found(home):
    old = home.hugging_face("org/both", "old-Q8_0.gguf", ONE, revision="b" * 40)
    new = home.hugging_face("org/both", "new-Q4_0.gguf", TWO)
    assert names() == {"hf:org/both:Q8_0": old, "hf:org/both:Q4_0": new}


@pytest.mark.parametrize(
    ("name", "is_model"),
    [
        ("coder-q8_0.gguf", True), ("coder-00001-of-00002.gguf", True),
        ("coder-00002-of-00002.gguf", False), ("._coder.gguf", False), ("mmproj-coder.gguf", False),
        ("coder-mmproj-f16.gguf", False), ("coder.imatrix.gguf", False), ("imatrix_unsloth.gguf", False),
    ],
)  # fmt: skip
def test_files_beside_a_model_are_none(name, is_model):
    assert stores.begins_model(name) is is_model


@pytest.mark.parametrize(
    ("spelling", "offered"),
    [
        ("qwen2.5-coder:7b", "ollama:qwen2.5-coder:7b"),
        ("Qwen2.5-Coder", "ollama:qwen2.5-coder:7b"),
        ("ollama/qwen2.5-coder:7b", "ollama:qwen2.5-coder:7b"),
        ("ollama_chat/qwen2.5-coder", "ollama:qwen2.5-coder:7b"),
        ("Ollama:qwen2.5-coder:7B", "ollama:qwen2.5-coder:7b"),
        ("llama3.2", "ollama:llama3.2:latest"),
        ("lm_studio/me/mine", "lmstudio:me/mine"),
        ("qwen2.5-coder:14b", "ollama:qwen2.5-coder:7b"),
        ("gpt-oss:20b", ""),
        ("", ""),
    ],
)
def test_other_spellings_are_looked_up_and_offered(home, spelling, offered):
    for path in (
        "registry.ollama.ai/library/qwen2.5-coder/7b",
        "registry.ollama.ai/library/llama3.2/latest",
    ):
        home.ollama(path, ONE)
    home.lm_studio("me/mine/mine.gguf", TWO)
    assert stores.suggestion(spelling) == (f" Do you mean {offered}?" if offered else "")


def test_who_misspells_is_told_what_is_near(home):
    home.ollama("registry.ollama.ai/library/qwen2.5-coder/7b", ONE)
    with pytest.raises(ModelNotFound, match=r"Do you mean ollama:qwen2\.5-coder:7b"):
        stores.find_model_file("ollama:qwen2.5-coder:7")


def test_nothing_is_changed_there(home):
    home.ollama("registry.ollama.ai/library/m/1b", ONE)
    home.lm_studio("me/mine/mine.gguf", ONE)

    def seen():
        return {path: path.lstat().st_mtime_ns for path in home.folder.rglob("*")}

    before = seen()
    names()
    stores.find_model_file("ollama:m:1b")
    assert seen() == before


def test_only_a_program_s_name_makes_one_of_its():
    for name in ("ollama:m", "lmstudio:a/b", "hf:a/b", "llama-cache:x"):
        assert stores.is_stored_name(name)
    for name in ("ollama", "llama_cpp:x.gguf", "Qwen/Coder", "./ollama:x", "OLLAMA:x", ""):
        assert not stores.is_stored_name(name)
