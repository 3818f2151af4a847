"""Padded passes over static caches, run and replayed, say what fresh passes without a cache say."""

from __future__ import annotations

import gc
from functools import cache

import pytest
import torch

from editd.decode.target import GREEDY, Sampling
from editd.errors import OutOfMemory
from editd.models.torch.attention import use_grouped_attention
from editd.models.torch.gpu.execution_mode import Mode, enter
from editd.models.torch.gpu.static_cache import buckets_up_to
from editd.models.torch.runner import ModelRunner
from tests import tiny
from tests.unit.models.sequences import choices_without_cache, opened, random_ids
from tests.unit.models.tape import Tape

CHUNK, BUCKET = 16, 64
WIDTHS = (1, 8, 32)
# How a pass learns who sees whom, and how it is run.
WAYS = ("kernel", "masks", "replayed")
# Taping is slow; these have plain, sliding and mixed layers, learned positions and a softcap.
TAPED = ("llama", "mistral", "gemma2", "gpt2")
runs = pytest.mark.parametrize(
    ("family", "way"),
    [
        (family, way)
        for family in tiny.ATTENTION_FAMILIES
        for way in WAYS
        if way != "replayed" or family in TAPED
    ],
)


@cache
def model(family, *, grouped=False):
    built = tiny.random_model(family)
    if grouped:
        use_grouped_attention(built)
    return built


def runner(family="llama", way="masks", **options):
    mode = Mode(
        static=True,
        recorder=Tape() if way == "replayed" else None,
        first_bucket=BUCKET,
        widths=WIDTHS,
    )
    made = ModelRunner(model(family, grouped=way == "kernel"), prefill_chunk=CHUNK, **options)
    enter(made, family, mode)
    assert made.passes is not None
    return made


def fresh_rows(family, token_ids, rows):
    return choices_without_cache(model(family), token_ids, rows)


def settle(target):
    """Record all that can be."""
    while target.idle_work():
        pass


@runs
def test_rows_after_crop_and_regrowth_equal_a_fresh_pass(family, way):
    """Over the end of a bucket, in passes of every width, twice so that replays take part."""
    target = runner(family, way)
    for seed in range(1 + (way == "replayed")):
        text = random_ids(150, seed)
        sequence = opened(target, text[:50])
        if seed:
            settle(target)
        sequence.verify(random_ids(30, seed=7), GREEDY)  # a wrong draft, longer than the window
        sequence.crop(50)
        start = 50
        for count in (1, 5, 1, 30, 1, 1, 1, 1, 33, 7):
            rows = sequence.verify(text[start : start + count], GREEDY)
            start += count
            assert rows.choice_ids == fresh_rows(family, text[:start], count)
        sequence.crop(20)
        assert sequence.verify(text[20:60], GREEDY).choice_ids == fresh_rows(family, text[:60], 40)
        sequence.close()
    if way == "replayed":
        captures = target.passes.captures
        assert captures.failed == 0
        assert captures.recorder.replays > 10


@runs
def test_branches_of_a_tree_equal_chains(family, way):
    text = random_ids(60)
    tokens, parents = [11, 12, 13, 21, 22, 33], [-1, 0, 1, -1, 3, 3]
    branches = {(1, 2, 3): [11, 12, 13], (4, 5): [21, 22], (4, 6): [21, 33]}
    target = runner(family, way)
    for branch, branch_ids in [*branches.items()] * (3 if way == "replayed" else 1):
        sequence = opened(target, text[:-1])
        rows = sequence.verify([text[-1], *tokens], GREEDY, parents=parents)
        chain = [*text, *branch_ids]
        expected = fresh_rows(family, chain, len(branch_ids) + 1)
        assert [rows.choice_ids[row] for row in (0, *branch)] == expected
        sequence.keep_branch(59, [0, *branch])
        following = random_ids(30, seed=2)
        assert sequence.verify(following, GREEDY).choice_ids == fresh_rows(
            family, [*chain, *following], 30
        )
        sequence.close()


def test_sampled_rows_and_limits_are_those_of_a_growing_cache():
    text = random_ids(60)
    growing = ModelRunner(model("llama"), prefill_chunk=CHUNK)
    for sampling in (
        Sampling(temperature=1.0, seed=7),
        Sampling(temperature=0.7, top_k=9, top_p=0.9, seed=1),
        GREEDY,
    ):
        rows = [
            opened(target, text[:40]).verify(text[40:], sampling, allowed=[[5, 6], *[None] * 19])
            for target in (growing, runner())
        ]
        assert rows[0].choice_ids == rows[1].choice_ids
        assert rows[0].choice_ids[0] in (5, 6)


def test_a_draft_model_draws_what_a_growing_cache_draws():
    text = random_ids(40)
    growing = ModelRunner(model("llama"), prefill_chunk=CHUNK)
    for sampling in (GREEDY, Sampling(temperature=0.8, top_p=0.9, seed=3)):
        drawn = [
            opened(target, text[:30]).draw(text[30:], sampling, vocab_size=400)
            for target in (growing, runner())
        ]
        assert drawn[0].token_id == drawn[1].token_id


def test_nothing_moves_within_a_bucket_and_growth_is_one_copy():
    target = runner()
    sequence = opened(target, random_ids(20))
    storage, before = sequence.cache.storage, sequence.cache.storage.tensors[0].data_ptr()
    for count in (30, 1, 8):
        sequence.verify(random_ids(count), GREEDY)
        sequence.crop(20)
    assert sequence.cache.storage is storage
    assert storage.tensors[0].data_ptr() == before
    kept = [tensor[:, :, :20].clone() for tensor in storage.tensors]
    sequence.verify(random_ids(600), GREEDY)
    assert sequence.cache.storage is not storage
    for tensor, was in zip(sequence.cache.storage.tensors, kept, strict=True):
        assert torch.equal(tensor[:, :, :20], was)


@pytest.mark.parametrize("way", ["kernel", "masks"])
def test_junk_behind_the_length_reaches_nobody(way):
    """Whatever earlier passes left, however wide they were, and NaN outside of what is looked at."""
    target = runner("mistral", way)
    text = random_ids(90)
    expected = opened(runner("mistral", way), text[:50]).verify(text[50:58], GREEDY)
    sequence = opened(target, text[:50])
    storage = sequence.cache.storage
    for tensor in storage.tensors:
        tensor[:, :, 50:] = float("nan")
    storage.written = storage.capacity  # as if passes had left it there
    assert sequence.verify(text[50:58], GREEDY) == expected
    sequence.crop(50)
    sequence.verify(random_ids(32), GREEDY)
    sequence.crop(50)
    assert sequence.verify(text[50:58], GREEDY) == expected


def test_a_draft_that_breaks_arithmetic_leaves_nothing_behind(monkeypatch):
    """Its keys are NaN; the next narrower pass does not see them."""
    target, text = runner(), random_ids(60)
    sequence = opened(target, text[:40])
    embedding = target.model.model.embed_tokens.weight
    with monkeypatch.context() as patch:
        patch.setattr(embedding, "data", embedding.data.clone())
        embedding.data[7] = float("nan")
        sequence.verify([5, *[7] * 31], GREEDY)
    sequence.crop(40)
    assert sequence.verify(text[40:45], GREEDY).choice_ids == fresh_rows("llama", text[:45], 5)


def test_two_sequences_and_a_third_do_not_see_each_other():
    texts = [random_ids(60, seed) for seed in range(4)]
    target = runner()
    sequences = [opened(target, text[:30]) for text in texts]
    for _ in range(2):
        for text, sequence in zip(texts, sequences, strict=True):
            rows = sequence.verify(text[30:60], GREEDY).choice_ids
            assert rows == fresh_rows("llama", text, 30)
            sequence.crop(30)
    seats = {id(sequence.cache.seat) for sequence in sequences if sequence.cache.seat}
    assert len(seats) == 2


def test_a_cached_prefix_is_bit_for_bit_a_fresh_one():
    """Still in its seat, parked, copied, after others sat there, and with another bucket behind."""
    text = random_ids(100)
    other_end = [*text[:60], *random_ids(30, seed=5)]
    alone = opened(runner(), other_end[:-1])
    expected = alone.verify(other_end[-1:], GREEDY)
    wanted = [tensor[:, :, :90].clone() for tensor in alone.cache.storage.tensors]
    for others in range(4):
        target = runner()
        first = opened(target, [*text[:70], *random_ids(70 * (others % 2))])
        first.verify(text[70:80], GREEDY)
        first.close()
        strangers = [opened(target, random_ids(40, seed=50 + i)) for i in range(others)]
        for stranger in strangers:
            stranger.close()
        again = target.open(other_end)
        assert again.cached_tokens == 48  # whole chunks of the 60 common tokens
        again.prefill(other_end[48:-1])
        assert again.verify(other_end[-1:], GREEDY) == expected
        for tensor, was in zip(again.cache.storage.tensors, wanted, strict=True):
            assert torch.equal(tensor[:, :, :90], was)


def test_the_same_prompt_again_costs_no_prefill_and_no_copy():
    text = random_ids(75)
    target = runner()
    first = opened(target, text[:74])
    storage, rows = first.cache.storage, first.verify(text[74:], GREEDY)
    first.close()
    again = target.open(text)
    assert (again.cached_tokens, again.cache.storage) == (74, storage)
    assert again.verify(text[74:], GREEDY) == rows


def test_a_cancelled_prefill_leaves_what_it_read():
    text = random_ids(75)
    target = runner()
    first = target.open(text)
    first.prefill(text[:CHUNK])
    first.prefill(text[CHUNK : 2 * CHUNK])
    first.close()
    assert target.open(text).cached_tokens == 2 * CHUNK


def test_a_failing_pass_leaves_the_sequence_as_it_was(monkeypatch):
    text = random_ids(120)
    target = runner()
    sequence = opened(target, text[:30])
    real, calls = target.passes.run, []

    def fails_the_second_time(*args, **kwargs):
        calls.append(1)
        if len(calls) == 2:
            raise OutOfMemory("Memory ran out.")
        return real(*args, **kwargs)

    with monkeypatch.context() as patch:
        patch.setattr(target.passes, "run", fails_the_second_time)
        with pytest.raises(OutOfMemory):
            sequence.verify(text[30:], GREEDY)  # more rows than the widest pass
    assert sequence.length == 30
    assert sequence.verify(text[30:60], GREEDY).choice_ids == fresh_rows("llama", text[:60], 30)


def test_a_users_limit_bounds_lanes_and_parked_caches_together():
    target = runner()
    per_token = target.passes.pool.layout.bytes_per_token
    target.limit_kv(600 * per_token)
    for seed in range(4):
        sequence = opened(target, random_ids(60, seed))
        sequence.close()
        del sequence
        gc.collect()
        assert target.cache_bytes <= 600 * per_token
    with pytest.raises(OutOfMemory, match=r"--range.*daemon\.memory"):
        opened(target, random_ids(700))
    assert opened(target, random_ids(60)).length == 60  # it goes on


def test_passes_never_reach_beyond_the_context():
    target = ModelRunner(model("gpt2"), prefill_chunk=CHUNK, max_context=70)
    enter(target, "gpt2", Mode(static=True, first_bucket=BUCKET, widths=WIDTHS))
    text = random_ids(70)
    sequence = opened(target, text[:60])
    assert sequence.verify(text[60:], GREEDY).choice_ids == fresh_rows("gpt2", text, 10)


@pytest.mark.parametrize(
    ("most", "expected"),
    [(64, (64,)), (65, (64, 128)), (1500, (64, 128, 256, 512, 1024, 1536)), (10, (64,))],
)
def test_buckets_are_powers_of_two_and_end_where_the_model_does(most, expected):
    assert buckets_up_to(most, 64) == expected


def test_models_that_cannot_be_static_keep_their_cache_and_say_so(caplog):
    target = ModelRunner(tiny.random_model("llama"), prefill_chunk=CHUNK)
    target.arguments.remove("position_ids")  # as of a model that counts by itself
    with caplog.at_level("INFO", logger="editd.models.torch.gpu.execution_mode"):
        enter(target, "this-model", Mode(static=True))
    assert target.passes is None
    assert [record.message for record in caplog.records] == [
        "this-model: its layers or its attention allow no static cache; its cache grows"
    ]
