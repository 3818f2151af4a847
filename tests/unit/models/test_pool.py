"""Models are shared while used, replaced when idle, and kept within a user's limit."""

import shutil
from importlib.util import find_spec
from pathlib import Path

import pytest

from editd.config import Config, DaemonConfig, ModelConfig
from editd.errors import ModelDamaged, ModelError, ModelNotFound, OutOfMemory
from editd.models import registry
from editd.models.pool import ModelPool
from tests.tiny import checkpoint


@pytest.fixture
def names(tmp_path):
    return [str(checkpoint("llama")), str(checkpoint("qwen2"))]


def pool_of(memory=0):
    told = []
    return ModelPool(Config(daemon=DaemonConfig(memory=memory)), told.append), told


def spec_of(pool, name):
    return pool.spec(ModelConfig(name=name, threads=1))


def test_a_model_is_loaded_once_and_shared(names):
    pool, told = pool_of()
    spec = spec_of(pool, names[0])
    assert not pool.ready(spec)
    first, notice = pool.acquire(spec)
    assert pool.ready(spec)
    assert pool.acquire(spec)[0] is first
    assert notice == ""
    assert told[0].state == "loading"
    assert told[-1].state == "ready"
    assert [status.name for status in pool.status()] == [names[0]]


def test_two_models_stand_side_by_side(names):
    pool, _ = pool_of()
    for name in names:
        pool.acquire(spec_of(pool, name))
    assert len(pool.status()) == 2


def test_unload_frees_what_nobody_uses(names):
    pool, _ = pool_of()
    used, idle = (spec_of(pool, name) for name in names)
    pool.acquire(used)
    pool.acquire(idle)
    pool.release(idle)
    pool.unload()
    assert [status.name for status in pool.status()] == [used.name]
    assert not pool.ready(idle)


def test_an_idle_model_makes_room_and_the_user_is_told(names, monkeypatch):
    pool, _ = pool_of()
    first, second = (spec_of(pool, name) for name in names)
    pool.acquire(first)
    only_one(monkeypatch, pool)
    with pytest.raises(OutOfMemory, match="busy"):
        pool.acquire(second)
    pool.release(first)
    _, notice = pool.acquire(second)
    assert first.name in notice
    assert [status.name for status in pool.status()] == [second.name]


def only_one(monkeypatch, pool):
    """Let memory hold one model."""
    from editd.models import registry as module

    def load(spec, progress, *, most_bytes=None):
        if pool.status()[:-1]:  # the last one is loading
            raise OutOfMemory("It does not fit.")
        return real(spec, progress, most_bytes=most_bytes)

    real = module.load
    monkeypatch.setattr(module, "load", load)


def test_a_users_limit_holds(names):
    pool, _ = pool_of(memory=1)
    with pytest.raises(OutOfMemory):
        pool.acquire(spec_of(pool, names[0]))
    assert pool.status() == ()


def test_a_model_that_cannot_be_loaded_leaves_nothing(names):
    pool, _ = pool_of()
    with pytest.raises(ModelNotFound):
        pool.acquire(spec_of(pool, "/no/such/folder"))
    assert pool.status() == ()


REPLACEMENTS = {
    "another file in its place": lambda file: copy_of(file).replace(file),
    "written into": lambda file: file.write_bytes(file.read_bytes()),
    "a link to another": lambda file: (copy := copy_of(file), file.unlink(), file.symlink_to(copy)),
}


def copy_of(file):
    return Path(shutil.copy2(file, file.with_name(f"copy of {file.name}")))


@pytest.fixture
def kinds(tmp_path, monkeypatch):
    """Names of models of each kind, and a file of each."""
    monkeypatch.setenv("EDITD_CACHE_DIR", str(tmp_path / "cache"))
    folder = tmp_path / "folder"
    shutil.copytree(checkpoint("llama"), folder)
    found = {"folder": (str(folder), folder / "model.safetensors")}
    found["tokenizer"] = (str(folder), folder / "tokenizer.json")
    if find_spec("xllamacpp"):
        from tests.gguf_files import write

        file = write(checkpoint("llama", dtype="float32"), tmp_path / "m.gguf")
        found["gguf"] = (str(file), file)
        found["scheme"] = (f"llama_cpp:{file}", file)
    return found


@pytest.mark.parametrize("kind", ["folder", "tokenizer", "gguf", "scheme"])
@pytest.mark.parametrize("replace", REPLACEMENTS)
def test_a_model_whose_files_have_changed_is_loaded_anew(kinds, kind, replace):
    if kind not in kinds:
        pytest.skip("needs llama.cpp")
    name, file = kinds[kind]
    pool, _ = pool_of()
    spec = spec_of(pool, name)
    old, _ = pool.acquire(spec)
    assert pool.acquire(spec)[0] is old
    REPLACEMENTS[replace](file)
    assert not pool.ready(spec)
    # One of two edits is over: the other still uses the old files.
    pool.release(spec)
    with pytest.raises(ModelError, match=r"have changed, and another edit still uses .* try again"):
        pool.acquire(spec)
    pool.release(spec)
    new, notice = pool.acquire(spec)
    assert new is not old
    assert notice.startswith(f"The files of {name} have changed, so it was loaded anew.")
    assert [status.name for status in pool.status()] == [name]
    assert pool.ready(spec)
    assert pool.acquire(spec) == (new, "")


def test_the_old_model_is_freed_before_the_new_one_is_loaded(kinds, monkeypatch):
    """Both together may not fit."""
    pool, _ = pool_of()
    name, file = kinds["folder"]
    spec = spec_of(pool, name)
    old, _ = pool.acquire(spec)
    pool.release(spec)
    closed = []
    monkeypatch.setattr(old, "close", lambda: closed.append(pool.status()))
    only_one(monkeypatch, pool)
    file.write_bytes(file.read_bytes())
    assert pool.acquire(spec)[1]
    assert closed == [()]


def test_files_that_are_gone_are_said_to_be(kinds):
    pool, _ = pool_of()
    name, file = kinds["folder"]
    spec = spec_of(pool, name)
    pool.acquire(spec)
    pool.release(spec)
    file.unlink()
    with pytest.raises(ModelDamaged, match="has no weights"):
        pool.acquire(spec)
    assert pool.status() == ()


def test_what_is_no_part_of_a_model_may_change(kinds):
    pool, _ = pool_of()
    name, file = kinds["folder"]
    spec = spec_of(pool, name)
    pool.acquire(spec)
    file.with_name("README.md").write_text("About it.")
    file.with_name("model.safetensors.part").write_text("")
    assert pool.ready(spec)


@pytest.mark.parametrize("model", [{"name": "embedded"}, {"name": "m", "engine": "remote"}])
def test_a_model_without_files_of_the_users_has_no_stamp(model):
    pool, _ = pool_of()
    assert registry.stamp(pool.spec(ModelConfig(**model))) == ()


def test_all_parts_of_a_file_are_stamped(tmp_path):
    pool, _ = pool_of()
    parts = [tmp_path / f"m-0000{n}-of-00002.gguf" for n in (1, 2)]
    for part in parts:
        part.write_bytes(b"GGUF")
    spec = spec_of(pool, str(parts[0]))
    seen = [registry.stamp(spec)]
    for part in (*parts, tmp_path / "editd.json"):
        part.write_bytes(b"GGUF, longer")
        seen.append(registry.stamp(spec))
    assert len({*seen}) == len(seen)
