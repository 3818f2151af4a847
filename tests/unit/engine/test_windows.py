"""What a request's settings say of the window and of judging drafts, and that the figures tell it."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from editd.config import Config, DecodeConfig, ModelConfig
from editd.decode.target import Sampling
from editd.decode.window import FixedWindow, WindowPolicy
from editd.engine import Engine
from editd.engine.answer_settings import answer_settings, check_settings, window_for
from editd.errors import UsageError
from editd.messages import EditRequest, WarmupRequest
from editd.messages.options import EditOptions
from editd.models.model import Timing
from editd.models.pool import ModelPool
from editd.models.round_costs import round_costs
from tests.fixtures.solved.edits import demo_folder, load_edits


def settings(decode=None, request_id="", **options):
    config = Config(decode=decode or DecodeConfig())
    return answer_settings(ModelPool(config), config, EditOptions(**options), request_id)


def test_another_answer_is_sampled_with_a_seed_of_its_own():
    first, second = (settings(request_id=name, way="again").sampling for name in ("a", "b"))
    assert not first.greedy
    assert first == settings(request_id="a", way="again").sampling != second
    assert settings(way="again", temperature=0.2, seed=5).sampling == Sampling(0.2, seed=5)
    assert settings(request_id="a", way="model").sampling.greedy


def test_the_configuration_says_how_drafts_are_judged():
    assert settings().acceptance == "rejection"
    assert settings(DecodeConfig(acceptance="coupled")).acceptance == "coupled"


def test_a_request_overrides_it():
    decode = DecodeConfig(acceptance="coupled")
    assert settings(decode, acceptance="rejection").acceptance == "rejection"
    with pytest.raises(UsageError, match="rejection or coupled"):
        check_settings(settings(decode, acceptance="always"))


def test_a_window_that_was_set_is_fixed(monkeypatch):
    monkeypatch.setattr("editd.engine.answer_settings.round_costs", lambda _model: None)
    model = SimpleNamespace(timing=Timing())
    for one in (settings(window=24), settings(DecodeConfig(window=24))):
        window = window_for(one, model)
        assert isinstance(window, FixedWindow)
        assert window.next(1000) == 24


@pytest.fixture(scope="module")
def engine(demo_model, tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("EDITD_CACHE_DIR", str(tmp_path_factory.mktemp("cache")))
        engine = Engine(Config(model=ModelConfig(name=str(demo_model), threads=1)))
        yield engine
        engine.close()


def run(engine, request):
    job = engine.start(request)
    told = []
    while not job.finished:
        told += job.advance()
    return told[-1]


def stats_of(engine, **options):
    """The figures of a demo edit, whose text is the same whatever the window."""
    edit = next(edit for edit in load_edits(demo_folder()) if edit.name == "settings-constant")
    request = EditRequest(
        "1", edit.before, edit.instruction, path=edit.path, options=EditOptions(**options)
    )
    result = run(engine, request)
    assert result.error is None
    assert result.text == edit.after
    return result.stats


def test_without_one_the_window_is_chosen_by_cost_and_told(engine):
    stats = stats_of(engine)
    assert stats.acceptance_rate == pytest.approx(stats.accepted / stats.drafted, abs=1e-4)


def test_one_that_was_set_is_told(engine):
    stats = stats_of(engine, window=3)
    assert stats.drafted <= 3 * stats.rounds


def test_a_warm_up_leaves_nothing_to_be_measured(engine):
    run(engine, WarmupRequest("1", "x = 1\n", path="a.py"))
    model, _ = engine.pool.acquire(engine.pool.spec(engine.config.model))
    assert set(round_costs(model).sizes) >= {1, 2, 4, 8, 16, 32, 64}
    assert isinstance(window_for(settings(), model), WindowPolicy)
