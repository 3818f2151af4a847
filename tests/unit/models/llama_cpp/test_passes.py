"""Passes have the source's logits, choices are torch's, and caches hold what they were given."""

from itertools import pairwise

import pytest

from editd.decode.target import GREEDY, Sampling
from editd.models import registry
from editd.models.llama_cpp.context import leaves_below
from editd.models.model import ModelSpec
from tests import tiny
from tests.gguf_files import wide_file, write
from tests.unit.models.llama_cpp.loaded import PROMPT, assert_close_logits, load, read


@pytest.mark.parametrize("family", ["llama", "qwen2", "qwen3"])
def test_float32_has_the_sources_logits(tmp_path, family):
    path = write(tiny.checkpoint(family, dtype="float32"), tmp_path / "model.gguf")
    assert_close_logits(load(path), tiny.random_model(family, dtype="float32"), 0.01)


def test_blocks_of_eight_bits_are_near():
    exact, close = load(wide_file("llama", "float32")), load(wide_file("llama", "q8_0"))
    ids = [(7 * i) % 500 for i in range(60)]
    rows = [read(one, ids[:1]).context.append_chain(ids).copy() for one in (exact, close)]
    assert 0 < (rows[0] - rows[1]).std() / rows[0].std() < 0.1
    exact.close()
    close.close()


def test_choices_and_draws_are_those_of_the_torch_backend(model):
    """The same noise for the same seed and place; filters and healing likewise."""
    other = registry.load(ModelSpec(str(tiny.checkpoint("llama", dtype="float32")), threads=1))
    ids = model.codec.prompt_ids(PROMPT)[:100]
    allowed = [None] * 20 + [(3, 4, 5)] * 80
    for sampling, limit in (
        (GREEDY, None),
        (GREEDY, allowed),
        (Sampling(temperature=0.8, top_p=0.9, top_k=40, seed=3), None),
        (Sampling(temperature=0.8, seed=4), allowed),
    ):
        sequences = [read(one, ids[:1]) for one in (model, other)]
        ours, theirs = (one.verify(ids, sampling, allowed=limit) for one in sequences)
        sequences[0].close()
        clear = [i for i, margin in enumerate(theirs.margins) if margin > 0.3]
        assert len(clear) > 50
        differing = [i for i in clear if ours.choice_ids[i] != theirs.choice_ids[i]]
        # A margin says nothing of the border of a filter, over which a token may just step.
        assert len(differing) <= (2 if sampling.top_p < 1.0 else 0), (sampling, limit)
    other.close()


def test_a_branch_sees_its_own_path_and_one_is_kept(model):
    ids = model.codec.prompt_ids(PROMPT)[:40]
    tree, parents = [ids[-1], 5, 6, 7, 8], [-1, 0, -1, 2]  # 5 6 and 7 8 after the root
    sequence = read(model, ids)
    base = sequence.length
    whole = sequence.verify(tree, GREEDY, parents=parents)
    sequence.keep_branch(base, [0, 3, 4])
    assert sequence.context.token_ids[base:] == [ids[-1], 7, 8]
    after = sequence.verify([9], GREEDY)
    sequence.close()
    chain = read(model, ids)
    for path, rows in (([5, 6], [0, 1, 2]), ([7, 8], [0, 3, 4])):
        alone = chain.verify([ids[-1], *path], GREEDY)
        assert [whole.choice_ids[row] for row in rows] == alone.choice_ids
        if path != [7, 8]:
            chain.crop(base)
    assert chain.verify([9], GREEDY).choice_ids == after.choice_ids
    chain.close()


def test_a_prompt_that_begins_alike_is_read_from_where_it_differs(model):
    model.drop_caches()
    ids = (model.codec.prompt_ids(PROMPT) * 9)[:400]
    first = read(model, ids)
    assert first.cached_tokens == 0
    expected = first.verify(ids[-1:], GREEDY)
    first.close()
    again = read(model, ids)
    assert again.cached_tokens == len(ids) - 1
    assert again.verify(ids[-1:], GREEDY).choice_ids == expected.choice_ids
    again.close()
    other = read(model, [*ids[:300], *ids[:50]])
    assert other.cached_tokens == 256
    other.close()
    model.drop_caches()
    assert model.target.cache_bytes == 0


def test_a_context_grows_and_keeps_what_it_holds(model):
    ids = (model.codec.prompt_ids(PROMPT) * 30)[:700]
    sequence = read(model, ids[:20])
    small = sequence.context.capacity
    for start, end in pairwise(range(19, 700, 60)):
        sequence.verify(ids[start:end], GREEDY)
    assert sequence.context.capacity > small
    straight = read(model, ids[:679])
    one, other = sequence.verify([3], GREEDY), None
    straight.verify(ids[678:679], GREEDY)
    other = straight.verify([3], GREEDY)
    assert one.choice_ids == other.choice_ids
    sequence.close()
    straight.close()


def test_passes_may_be_wider_and_bushier_than_any_usual_draft(model):
    ids = (model.codec.prompt_ids(PROMPT) * 30)[:620]
    sequence = read(model, ids[:2])
    wide = sequence.verify(ids, GREEDY)
    assert len(wide.choice_ids) == len(ids)
    sequence.crop(0)
    bushy = sequence.verify(ids[:250], GREEDY, parents=[-1] * 249)
    sequence.keep_branch(0, [0, 200])
    assert sequence.context.token_ids == [ids[0], ids[200]]
    assert len(bushy.choice_ids) == 250
    sequence.close()


def test_leaves_are_numbered_along_the_rows():
    assert leaves_below([-1, 0, -1]) == [[0, 1], [0], [0], [1]]
    assert leaves_below([]) == [[0]]
