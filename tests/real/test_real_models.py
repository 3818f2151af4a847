"""The promises on trained weights: `make test-real`, with EDITD_REAL_MODEL and EDITD_REAL_DRAFT.

EDITD_REAL_MODEL names a folder, a GGUF file or a pulled id; EDITD_REAL_DRAFT a smaller model. The
edits are those of tests/fixtures/real, so that nothing here depends on what a model answers. A model of
half a billion parameters takes three minutes of one core. With
``--junitxml=FILE -o junit_family=xunit1`` the figures of each drafter are written down.
"""

import json
import os
from functools import cache
from pathlib import Path
from time import process_time

import pytest

from editd.config import Config, ModelConfig
from editd.diff.edits import apply
from editd.engine import Engine
from editd.messages import EditRequest, EditResult
from editd.messages.options import EditOptions

MODEL, DRAFT = os.environ.get("EDITD_REAL_MODEL", ""), os.environ.get("EDITD_REAL_DRAFT", "")
pytestmark = [
    pytest.mark.skipif(not MODEL, reason="EDITD_REAL_MODEL names no model"),
    pytest.mark.timeout(1800),
]
with_draft = pytest.mark.skipif(not DRAFT, reason="EDITD_REAL_DRAFT names no model")

FOLDER = Path(__file__).parents[1] / "fixtures" / "real"
RECORDS = [
    json.loads(line)
    for line in (FOLDER / "qwen2.5-coder-0.5b.jsonl").read_text(encoding="utf-8").splitlines()
]
BY_FAMILY = {record["name"].rpartition("-")[0]: record for record in reversed(RECORDS)}
SHORT = [BY_FAMILY["rename"], BY_FAMILY["add-import"]]

GREEDY = EditOptions(temperature=0.0, max_new_tokens=300)
SAMPLED = EditOptions(temperature=0.8, top_p=0.95, seed=7, max_new_tokens=300)
samplings = pytest.mark.parametrize("sampling", [GREEDY, SAMPLED], ids=["greedy", "sampled"])
DRAFTERS = [
    "buffer",
    "suffix",
    "prompt-lookup:tuned",
    "prompt-lookup:saxena",
    "prompt-lookup:transformers",
    "prediction",
    "suffix+buffer",
]


EXACTNESS = os.environ.get("EDITD_REAL_EXACTNESS", "auto")


CPU_SECONDS = {}  # of the whole process, by result


@cache
def engine():
    # One thread: two wait for each other in every pass, and for ever where the machine is busy.
    config = ModelConfig(
        MODEL, draft=DRAFT, device="cpu", dtype="float32", threads=1, exactness=EXACTNESS
    )
    return Engine(Config(config))


@pytest.fixture(scope="module", autouse=True)
def _closed():
    yield
    if engine.cache_info().currsize:
        engine().close()


def edit(record, options, **changes):
    fields = {**{name: getattr(options, name) for name in options.__slots__}, **changes}
    request = EditRequest(
        "r",
        record["before"],
        record["instruction"],
        path=record["path"],
        options=EditOptions(**fields),
    )
    engine_ = engine()
    started = process_time()
    result = next(m for m in engine_.edit(request) if isinstance(m, EditResult))
    CPU_SECONDS[id(result)] = process_time() - started
    traces = engine_.take_traces()  # none of an edit that was refused before its first round
    said = "".join(piece.text for trace in traces for r in trace.rounds for piece in r.pieces)
    return result, said


@cache
def plain(index, options):
    return edit(SHORT[index], options, drafter="none")


def check_same(one, other, record_property):
    """Token for token, unless a choice was closer than the promised margin; what it took is recorded."""
    (result, said), (expected, wanted) = one, other
    stats = result.stats
    for name in ("exactness", "near_ties", "rounds", "accepted", "drafted", "decode_seconds"):
        record_property(name, getattr(stats, name))
    record_property("plain_seconds", expected.stats.decode_seconds)
    record_property("cpu_seconds", CPU_SECONDS[id(result)])
    record_property("plain_cpu_seconds", CPU_SECONDS[id(expected)])
    record_property("same", said == wanted)
    if stats.exactness == "near-tie" and stats.near_ties + expected.stats.near_ties:
        return
    assert said == wanted
    assert result.text == expected.text


@pytest.mark.parametrize(
    ("drafter", "index"),
    [*((drafter, 0) for drafter in DRAFTERS), ("buffer", 1), ("suffix+buffer", 1)],
)
@samplings
def test_drafts_change_nothing(drafter, index, sampling, record_property):
    drafted = edit(SHORT[index], sampling, drafter=drafter)
    check_same(drafted, plain(index, sampling), record_property)
    assert drafted[0].stats.rounds <= plain(index, sampling)[0].stats.rounds


@with_draft
@pytest.mark.parametrize("drafter", ["draft-model", "universal", "buffer+draft-model"])
def test_a_trained_pair_changes_nothing(drafter, record_property):
    drafted = edit(SHORT[0], GREEDY, drafter=drafter)
    if drafted[0].error is not None:
        assert "vocabulary" in drafted[0].error.message  # draft-model wants the same one
        return
    check_same(drafted, plain(0, GREEDY), record_property)


@with_draft
def test_a_pair_with_coupled_sampling_says_what_the_seed_says(record_property):
    drafted = edit(SHORT[0], SAMPLED, drafter="universal", acceptance="coupled")
    check_same(drafted, plain(0, SAMPLED), record_property)


@pytest.mark.parametrize("family", BY_FAMILY)
def test_each_family_comes_to_an_end(family):
    record = BY_FAMILY[family]
    result, said = edit(record, EditOptions(temperature=0.0, max_new_tokens=400))
    assert said
    if result.text is None:
        assert result.finish_reason in ("length", "refused")
        assert result.error.message.endswith(".")
        return
    assert apply(result.hunks, record["before"]) == result.text
    if not result.hunks:
        assert any("Nothing changed" in notice for notice in result.notices)
