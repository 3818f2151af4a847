"""A draft model beside the target: which drafter asks it, and what a user on_text when it cannot help."""

import tomllib
from dataclasses import replace

import pytest

from editd.config import Config, DecodeConfig, ModelConfig
from editd.engine import Engine
from editd.messages import EditRequest, EditResult, Progress, WarmupRequest
from editd.messages.options import EditOptions
from editd.models.pool import ModelPool
from tests import tiny
from tests.fixtures.solved.edits import demo_folder

pytestmark = pytest.mark.usefixtures("settled_costs")

CASES = {
    case["name"]: case for case in tomllib.loads((demo_folder() / "cases.toml").read_text())["edit"]
}
CASE, LONG = CASES["report-range"], CASES["ring-rename"]


def text_of(name):
    return (demo_folder() / name).read_bytes().decode()


@pytest.fixture(scope="module")
def config(demo_model):
    return ModelConfig(str(demo_model), draft=str(demo_model), dtype="float64", threads=1)


@pytest.fixture(autouse=True)
def a_cheaper_draft(monkeypatch):
    """The draft model in another dtype is another model for the pool, and its tokens pay."""
    ask = ModelPool.draft_spec

    def draft_spec(self, model):
        spec = ask(self, model)
        return spec and replace(spec, dtype="float32")

    monkeypatch.setattr(ModelPool, "draft_spec", draft_spec)


def edit(config, decode=None, case=CASE, **options):
    engine = Engine(Config(config, decode or DecodeConfig()))
    try:
        request = EditRequest(
            "r", text_of(case["file"]), case["instruction"], path=case["file"],
            start_line=case["lines"][0] - 1 if "lines" in case else None,
            end_line=case["lines"][1] if "lines" in case else None,
            options=EditOptions(**options),
        )  # fmt: skip
        messages = list(engine.edit(request))
        assert all(entry.users == 0 for entry in engine.pool._entries.values())
        assert isinstance(messages[-1], EditResult)
        return messages[-1], messages
    finally:
        engine.close()


def check(result, drafter, *notice):
    assert result.text == text_of(CASE["after"])
    assert result.stats.drafter == drafter
    assert len(result.notices) == (1 if notice else 0), result.notices
    for word in notice:
        assert word in result.notices[0]


def test_alone_it_drafts_the_whole_answer(config):
    result, messages = edit(config, drafter="draft-model")
    check(result, "draft-model")
    assert result.stats.rejected == 0
    assert result.stats.tokens_per_round > 5
    told = [m for m in messages if isinstance(m, Progress)]
    assert sum("draft model is reading" in m.message for m in told) > 1
    assert sum(m.stage == "loading" for m in told) == 2


def test_a_drafter_that_nobody_chose_is_joined_by_the_draft_model(config):
    check(edit(config)[0], "buffer+suffix+draft-model")


def test_a_model_with_other_tokens_is_asked_by_way_of_text(config):
    other = ModelConfig(config.name, draft=str(tiny.checkpoint("llama")), threads=1)
    check(edit(other)[0], "buffer+suffix+universal")
    result, _ = edit(other, case=LONG, drafter="universal")
    assert (result.text, result.stats.drafter) == (text_of(LONG["after"]), "universal")
    # Asked for every token, it says once that this prompt is too long for it.
    assert len(result.notices) == 1
    assert "reads at most 1,024 tokens" in result.notices[0]
    result, _ = edit(other, drafter="draft-model")
    assert result.error.code == "usage"
    assert "use the drafter universal" in result.error.message


def test_a_drafter_that_was_chosen_stays_alone_and_that_is_said(config):
    check(edit(config, drafter="buffer")[0], "buffer", "--drafter", "draft-model")
    check(edit(config, DecodeConfig(drafter="none"))[0], "none", "not used")


@pytest.mark.parametrize("drafter", ["draft-model", "buffer+universal", None])
def test_a_draft_model_that_cannot_be_loaded_costs_speed_alone(config, drafter):
    gone = ModelConfig(config.name, draft="/no/such/folder", threads=1)
    result, _ = edit(gone, drafter=drafter)
    left = {"draft-model": "none", None: "buffer+suffix"}.get(drafter, "buffer")
    check(result, left, "without the draft model", "/no/such/folder")


def test_the_request_s_draft_model_wins(config):
    check(edit(config, draft_model="")[0], "buffer+suffix")


def test_a_drafter_without_its_model_is_an_error(config):
    plain = ModelConfig(config.name, threads=1)
    for drafter in ("draft-model", "buffer+universal"):
        result, _ = edit(plain, drafter=drafter)
        assert result.error.code == "usage"
        assert "--draft-model" in result.error.message


def test_wrong_options_are_named(config):
    result, _ = edit(config, acceptance="always")
    assert result.error.code == "usage"
    assert "acceptance" in result.error.message


def test_coupled_text_is_that_of_plain_sampling(config):
    sampled = {"temperature": 12.0, "top_k": 5, "seed": 4, "max_new_tokens": 60}
    messages = [
        edit(config, drafter=drafter, acceptance="coupled", **sampled)[0]
        for drafter in ("none", "draft-model")
    ]
    assert messages[0].error == messages[1].error
    assert messages[0].stats.output_tokens == messages[1].stats.output_tokens
    assert messages[1].stats.accepted > 0


def test_a_warm_up_loads_the_draft_model_too(config):
    engine = Engine(Config(config))
    job = engine.start(WarmupRequest("w", text_of(CASE["file"]), path=CASE["file"]))
    while not job.finished:
        job.advance()
    assert len(engine.models()) == 2
    assert {model.dtype for model in engine.models()} == {"float32", "float64"}
    engine.close()
