"""What a recurrent context can go back to, what it reads again for it, and which of its states last."""

from contextlib import closing

import numpy as np
import pytest

from editd.models.llama_cpp.context import Passes
from editd.models.llama_cpp.library import load_library
from editd.models.llama_cpp.recurrent import RecurrentContext, restores_exactly
from editd.models.llama_cpp.weights import Weights
from editd.models.loaded_model import least_useful_mark
from tests.architectures import RECURRENT, random_file
from tests.unit.models.llama_cpp.loaded import load

IDS = [5 + 7 * place % 490 for place in range(400)]


@pytest.fixture(scope="module", params=["qwen35", "mamba2"])
def passes(request):
    with closing(Weights(load_library(), random_file(request.param))) as weights:
        yield Passes(weights.library, weights.handle, 512, 128, 1, recurrent=True)


@pytest.fixture
def context(passes):
    with closing(RecurrentContext(passes, 600)) as made:
        yield made


def rows_after(passes, count, width=8):
    """Logits of the ``width`` tokens after the first ``count`` ones, by a context that read nothing else."""
    with closing(RecurrentContext(passes, 600)) as fresh:
        for start in range(0, count, 100):
            fresh.append_without_logits(IDS[start : min(start + 100, count)])
        return fresh.append_chain(IDS[count : count + width]).copy()


@pytest.mark.parametrize(
    ("back", "again"),
    [
        (300, 0),  # all of the draft was accepted
        (299, 49),
        (260, 10),
        (252, 2),  # with the pass that follows
        (250, 0),  # the state before the draft
        (249, 49),  # the last mark
        (200, 0),
        (150, 50),
        (60, 60),  # there is no mark before it
        (0, 0),
    ],
)
def test_tokens_come_back_from_the_nearest_state(passes, context, back, again):
    context.append_without_logits(IDS[:100])
    context.mark(4)
    context.append_without_logits(IDS[100:200])
    context.mark(4)
    context.append_without_logits(IDS[200:250])
    context.append_chain(IDS[250:300])
    context.crop(back)
    assert context.token_ids == IDS[:back]
    rows = context.append_chain(IDS[back : back + 8]).copy()
    assert context.num_read_again == again
    assert np.array_equal(rows, rows_after(passes, back))


def test_what_is_taken_back_twice_is_read_again_once_for_each(passes, context):
    context.append_without_logits(IDS[:40])
    context.append_chain(IDS[40:60])
    context.crop(50)
    context.crop(45)
    assert context.num_read_again == 0
    context.append_chain(IDS[45:60])
    context.crop(47)
    rows = context.append_chain(IDS[47:55]).copy()
    assert context.num_read_again == 5 + 2
    assert np.array_equal(rows, rows_after(passes, 47))


def test_single_tokens_are_taken_back_together(passes, context):
    """As a model that drafts is: it draws some, one by one, of which the first are accepted."""
    context.append_without_logits(IDS[:40])
    context.mark(4)
    context.append_without_logits(IDS[40:80])
    for place in range(80, 92):
        context.append_chain(IDS[place : place + 1])
    context.crop(84)
    rows = context.append_chain(IDS[84:92]).copy()
    assert context.num_read_again == 4
    assert np.abs(rows - rows_after(passes, 84)).max() < 1e-3  # single rows take other kernels


def test_marks_are_counted_and_bounded(passes, context):
    empty = context.nbytes
    for start in range(0, 400, 20):
        context.append_without_logits(IDS[start : start + 20])
        context.mark(5, protected=140)
    assert len(context.marks) == 5
    assert {140, 400} <= set(context.marks)
    assert context.nbytes == empty + sum(map(len, context.marks.values()))
    context.crop(150)
    assert max(context.marks) == 140


@pytest.mark.parametrize(
    ("places", "lasting", "expected"),
    [
        ([128, 256, 384], 0, 128),  # as many tokens to read again for either; the earlier are fewer
        ([128, 256, 384], 128, 256),
        ([128, 256, 512, 1024, 1152, 1280], 0, 256),
        ([128, 256, 512, 640, 1024, 1920, 2048], 0, 512),
        ([128, 256], 0, 128),
    ],
)
def test_the_mark_goes_that_leaves_the_smallest_gap(places, lasting, expected):
    assert least_useful_mark(places, lasting) == expected


@pytest.mark.parametrize("architecture", RECURRENT)
def test_every_architecture_goes_back(architecture):
    with closing(Weights(load_library(), random_file(architecture))) as weights:
        assert restores_exactly(
            Passes(weights.library, weights.handle, 512, 128, 1, recurrent=True)
        )


def test_a_library_that_goes_back_wrongly_is_noticed(passes, monkeypatch):
    monkeypatch.setitem(passes.library.__dict__, "llama_memory_seq_cp", lambda *_: None)
    assert not restores_exactly(passes)


def test_where_a_mark_cannot_be_restored_all_is_read_again(passes, context, monkeypatch):
    context.append_without_logits(IDS[:20])
    context.mark(4)
    context.append_without_logits(IDS[20:40])
    context.append_without_logits(IDS[40:60])
    functions = passes.library.__dict__
    monkeypatch.setitem(functions, "llama_state_seq_set_data_ext", lambda *_: 0)
    context.crop(30)
    rows = context.append_chain(IDS[30:38]).copy()
    assert context.num_read_again == 30
    assert np.array_equal(rows, rows_after(passes, 30))


def test_the_next_instruction_on_a_text_reads_only_itself():
    """And another text under the same words the words once, from the third text on."""
    with closing(load(random_file("qwen35"))) as model:

        def cached(prompt):
            sequence = model.target.open(prompt)
            count = sequence.cached_tokens
            sequence.prefill(prompt[count:-1])
            sequence.close()
            return count

        words, texts = IDS[:150], [[*range(100 + 90 * n, 190 + 90 * n)] * 8 for n in range(3)]
        assert cached([*words, *texts[0], *IDS[:30]]) == 0
        assert cached([*words, *texts[0], *IDS[60:90]]) == 870 // 128 * 128
        assert cached([*words, *texts[0], *IDS[60:90]]) == 870 + 29  # the same again
        assert cached([*words, *texts[1], *IDS[60:90]]) in (0, 128)
        assert cached([*words, *texts[2], *IDS[60:90]]) == 128
        assert cached([*words, *texts[1], *IDS[:30]]) == 870 // 128 * 128
        kept = sum(
            len(entry.cache._marks or entry.cache._context.marks)
            for entry in model.target.prefixes._entries
        )
        assert model.target.cache_bytes >= kept * model.target.passes.state_bytes
