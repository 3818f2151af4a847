"""A hybrid edits from end to end: drafts are accepted, and the text is the one that it knows."""

from contextlib import closing

import pytest

from editd.config import Config, EditConfig, ModelConfig
from editd.engine import Engine
from editd.messages import EditRequest, EditResult, WarmupRequest
from editd.messages.options import EditOptions
from tests.gguf_files import DEVICE
from tests.solved_hybrid import solved_hybrid
from tests.unit.solved.tiny_edits import EDITS

pytest.importorskip("xllamacpp", reason="needs pip install -e '.[llama]'")


@pytest.fixture(scope="module")
def engine(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("EDITD_CACHE_DIR", str(tmp_path_factory.mktemp("cache")))
        model = ModelConfig(str(solved_hybrid()), device=DEVICE, threads=1)
        # A rename needs no model; here it is to be asked.
        with closing(Engine(Config(model, edit=EditConfig(words=False)))) as made:
            yield made


def edited(engine, edit, **options):
    request = EditRequest(
        edit.name,
        edit.before,
        edit.instruction,
        path=edit.path,
        options=EditOptions(**{"temperature": 0.0, **options}),
    )
    return next(message for message in engine.edit(request) if isinstance(message, EditResult))


@pytest.mark.parametrize("edit", EDITS, ids=lambda edit: edit.name)
@pytest.mark.parametrize("drafter", ["buffer", "buffer+suffix", "suffix", "prompt-lookup"])
def test_drafts_are_accepted_and_the_text_is_right(engine, edit, drafter):
    plain = edited(engine, edit, drafter="none")
    drafted = edited(engine, edit, drafter=drafter, window=12)
    assert (plain.text, drafted.text) == (edit.after, edit.after)
    assert plain.stats.rounds == plain.stats.output_tokens
    assert drafted.stats.rounds < plain.stats.rounds
    assert min(drafted.stats.accepted, drafted.stats.rejected) > 0
    assert not [notice for notice in drafted.notices if "rewound" in notice]


def test_windows_by_themselves_and_seeds(engine):
    [edit, _] = EDITS
    assert edited(engine, edit).text == edit.after
    for seed in range(2):
        texts = {
            edited(engine, edit, drafter=drafter, window=9, temperature=1.0, seed=seed).text
            for drafter in ("none", "buffer+suffix")
        }
        assert texts == {edit.after}


def test_what_was_read_ahead_is_not_read_again(engine):
    [edit, _] = EDITS
    [entry] = engine.pool._entries.values()
    entry.model.drop_caches()
    assert not edited(engine, edit).stats.cached_tokens
    assert edited(engine, edit).stats.cached_tokens == edited(engine, edit).stats.prompt_tokens - 1
    entry.model.drop_caches()
    job = engine.start(WarmupRequest("w", edit.before, path=edit.path))
    while not job.finished:
        job.advance()
    assert edited(engine, edit).text == edit.after
