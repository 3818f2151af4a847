"""Models are shared while used, replaced when idle, and kept within a user's limit."""

import pytest

from editd.config import Config, DaemonConfig, ModelConfig
from editd.errors import ModelNotFound, OutOfMemory
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
