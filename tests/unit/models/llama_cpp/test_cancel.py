"""What is cancelled ends at once, and leaves things as they were."""

from contextlib import closing

import pytest

from editd import errors
from editd.config import Config, ModelConfig
from editd.decode.target import GREEDY
from editd.engine import Engine
from editd.messages import EditRequest
from editd.messages.options import EditOptions
from editd.models import registry
from editd.models.llama_cpp.weights import Weights
from editd.models.model import ModelSpec
from tests.gguf_files import DEVICE
from tests.unit.models.llama_cpp.loaded import PROMPT, read


def test_progress_is_told_while_it_loads(file):
    heard = []
    registry.load(ModelSpec(str(file), device=DEVICE), heard.append).close()
    assert heard == sorted(heard)
    assert (heard[0], heard[-1]) == (0.0, 1.0)
    assert any(0.1 < fraction < 0.9 for fraction in heard)


def test_a_load_ends_when_an_edit_that_waits_for_it_is_cancelled(file):
    """The whole way: another thread says so while llama.cpp reads, and the next edit loads again."""
    config = Config(ModelConfig(str(file), device=DEVICE, threads=1))
    with closing(Engine(config)) as engine:
        heard = []

        def told(status):
            heard.append(status.fraction)
            if status.state == "loading" and 0.1 < status.fraction < 0.9 and len(heard) < 9:
                engine.interrupt()

        engine.pool._progress = told
        options = EditOptions(temperature=0.0, max_new_tokens=8, drafter="none")
        request = EditRequest("r", "x = 1\n" * 3, "double it", path="x.py", options=options)
        *_, last = engine.edit(request)
        assert last.finish_reason == "cancelled"
        assert max(heard) < 0.9
        assert engine.models() == ()
        heard[:] = [0.0] * 9
        *_, last = engine.edit(request)
        assert last.finish_reason == "length"


def test_nobody_waiting_ends_a_load(file):
    heard = []
    with pytest.raises(errors.EditCancelled, match="while its model was loading"):
        registry.load(ModelSpec(str(file), device=DEVICE), lambda done: heard.append(done) or False)
    assert max(heard) < 0.9


def test_nobody_waiting_ends_the_proof_of_exactness_and_frees_the_weights(file, monkeypatch):
    """On a GPU that is emulated it takes minutes."""
    heard, freed = [], []
    close = Weights.close
    monkeypatch.setattr(Weights, "close", lambda self: freed.append(close(self)))
    spec = ModelSpec(str(file), device=DEVICE, exactness="bitwise")
    with pytest.raises(errors.EditCancelled, match="while its model was loading"):
        registry.load(spec, lambda done: heard.append(done) or done < 0.93)
    assert heard == sorted(heard)
    assert 0.93 <= heard[-1] < 0.95
    assert freed


def test_a_pass_that_is_cancelled_leaves_the_cache_as_it_was(model):
    ids = model.codec.prompt_ids(PROMPT)[:60]
    sequence = read(model, ids)
    base = sequence.length
    expected = sequence.verify(ids[-1:], GREEDY)
    sequence.crop(base)
    run = sequence.context._library.llama_decode

    def decode(handle, batch):
        model.interrupt()  # as another thread does, once the pass has begun
        return run(handle, batch)

    sequence.context._library.__dict__["llama_decode"] = decode
    try:
        with pytest.raises(errors.EditCancelled):
            sequence.verify(ids[:40], GREEDY)
    finally:
        del sequence.context._library.__dict__["llama_decode"]
    assert sequence.length == base
    assert sequence.verify(ids[-1:], GREEDY) == expected
    sequence.close()


def test_an_edit_ends_within_its_pass_when_another_thread_says_so(file):
    config = Config(ModelConfig(str(file), device=DEVICE, threads=1))
    with closing(Engine(config)) as engine:
        options = EditOptions(temperature=0.0, max_new_tokens=400, drafter="none")
        request = EditRequest("r", "x = 1\n" * 3, "double it", path="x.py", options=options)
        job, said = engine.start(request), []
        while not engine.models() or engine.models()[0].state != "ready":
            said += job.advance()
        [entry] = engine.pool._entries.values()
        context = type(entry.model.target).open(entry.model.target, [1]).context
        context._library.__dict__["llama_decode"] = interrupting(engine, context._library)
        try:
            while not job.finished:
                said += job.advance()
        finally:
            del context._library.__dict__["llama_decode"]
    assert said[-1].finish_reason == "cancelled"
    assert said[-1].text is None


def interrupting(engine, library):
    run = library.llama_decode

    def decode(handle, batch):
        engine.interrupt()
        return run(handle, batch)

    return decode
