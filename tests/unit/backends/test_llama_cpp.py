"""GGUF files on llama.cpp: the library is checked, tokens are torch's, drafts change no text."""

import json
from itertools import pairwise

import numpy as np
import pytest

from editd import errors
from editd.backends import registry
from editd.backends.llama_cpp import header, layouts
from editd.backends.llama_cpp.context import leaves_below
from editd.backends.model import ModelSpec
from editd.backends.text.codec import load_codec
from editd.decode.drafters import make_drafter
from editd.decode.drafters.base import DraftTask
from editd.decode.speculative import Decoding
from editd.decode.target import GREEDY, Sampling
from editd.decode.window import FixedWindow
from tests import tiny
from tests.unit.backends.test_gguf import CUTS, TEXT, write

pytest.importorskip("xllamacpp", reason="needs pip install -e '.[llama]'")

PROMPT = "".join(tiny.corpus(6))


@pytest.fixture(scope="module", autouse=True)
def _cache(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("EDITD_CACHE_DIR", str(tmp_path_factory.mktemp("cache")))
        yield


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    path = tmp_path_factory.mktemp("gguf") / "model.gguf"
    write(tiny.checkpoint("llama", dtype="float32"), path, "float32", {})
    return path


@pytest.fixture(scope="module")
def model(file):
    loaded = registry.load(ModelSpec(f"llama_cpp:{file}", threads=1))
    yield loaded
    loaded.close()


def read(model, ids):
    sequence = model.target.open(ids)
    sequence.prefill(ids[sequence.length : -1])
    return sequence


# --- the library ---------------------------------------------------------------------------------


def test_a_library_of_an_unknown_layout_is_refused():
    def default():
        return default.restype(n_ctx=4096)

    with pytest.raises(layouts.UnknownLayout):
        layouts.context_params(default)


@pytest.mark.parametrize(
    ("content", "error", "said"),
    [
        (None, errors.ModelNotFound, "No such file"),
        (b"PK\3\4 no model", errors.ModelDamaged, "is no GGUF file"),
        (b"GGUF\3\0\0\0", errors.ModelDamaged, "cut short"),
    ],
)
def test_a_bad_file_is_one_sentence(tmp_path, content, error, said):
    path = tmp_path / "bad.gguf"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(error, match=said):
        registry.load(ModelSpec(f"llama_cpp:{path}"))


def test_a_missing_part_is_named(tmp_path):
    path = tmp_path / "m-00001-of-00002.gguf"
    path.write_bytes(b"GGUF")
    with pytest.raises(errors.ModelNotFound, match=r"m-00002-of-00002\.gguf is missing"):
        registry.load(ModelSpec(f"llama_cpp:{path}"))


def test_bitwise_is_not_promised(file):
    with pytest.raises(errors.ConfigError, match="not known to keep"):
        registry.load(ModelSpec(f"llama_cpp:{file}", exactness="bitwise"))


# --- tokens --------------------------------------------------------------------------------------


@pytest.mark.parametrize("cut", CUTS)
def test_tokens_are_those_of_the_torch_backend(tmp_path, cut):
    from editd.backends.torch.loading import load_model

    path = tmp_path / "model.gguf"
    write(tiny.checkpoint("llama", dtype="float32"), path, "float32", {"cut": cut})
    theirs = load_model(ModelSpec(str(path), device="cpu", threads=1)).codec
    ours = load_codec(header.described(path), vocab_size=theirs.vocab_size)
    assert ours.encode(TEXT) == theirs.encode(TEXT)
    assert ours.prompt_ids(TEXT) == theirs.prompt_ids(TEXT)
    assert ours.decode(ours.encode(TEXT)) == TEXT


# --- passes --------------------------------------------------------------------------------------


def test_choices_are_those_of_the_torch_backend(model, file):
    from editd.backends.torch.loading import load_model

    other = load_model(ModelSpec(str(file), device="cpu", threads=1))
    ids = model.codec.prompt_ids(PROMPT)[:100]
    sequence = read(model, ids[:1])
    ours = sequence.verify(ids, GREEDY)
    sequence.close()
    theirs = read(other, ids[:1]).verify(ids, GREEDY)
    clear = [i for i, margin in enumerate(theirs.margins) if margin > 1e-3]
    assert len(clear) > 90
    assert [ours.choice_ids[i] for i in clear] == [theirs.choice_ids[i] for i in clear]


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


@pytest.mark.parametrize("sampling", [GREEDY, Sampling(temperature=0.8, top_p=0.95, seed=7)])
@pytest.mark.parametrize("drafter", ["buffer", "buffer:tree+suffix", "prompt-lookup"])
def test_drafts_change_no_text(model, sampling, drafter):
    ids = model.codec.prompt_ids(PROMPT)[:200]
    plain = decoded(model, ids, "none", sampling, "")
    text = model.codec.decode(plain[0])
    wrong = text[:40] + " other " + text[55:]
    drafted = decoded(model, ids, drafter, sampling, wrong)
    assert drafted[0] == plain[0]
    if drafter.startswith("buffer"):
        assert drafted[1] < plain[1]


def decoded(model, ids, drafter, sampling, prediction):
    task = DraftTask(
        prompt_ids=ids, prediction=prediction, answer_opening="", answer_closing="",
        instruction="", codec=model.codec, window=16, trees=True,
    )  # fmt: skip
    decoding = Decoding(
        model.target, ids, make_drafter(drafter, task), ends_answer=lambda token_id: False,
        max_new_tokens=60, sampling=sampling, window=FixedWindow(16),
    )  # fmt: skip
    output = []
    while decoding.finish_reason is None:
        if (done := decoding.advance()) is not None:
            output += done.token_ids
    decoding.close()
    return output, decoding.stats.rounds


def test_leaves_are_numbered_along_the_rows():
    assert leaves_below([-1, 0, -1]) == [[0, 1], [0], [0], [1]]
    assert leaves_below([]) == [[0]]


def test_logits_are_left_as_they_were():
    from editd.backends.llama_cpp.target import _greedy

    logits = np.array([[1.0, 3.0, 2.0]], np.float32)
    rows = _greedy(logits)
    assert (rows.choice_ids, rows.margins) == ([1], [1.0])
    assert logits.tolist() == [[1.0, 3.0, 2.0]]
    assert json.dumps(rows.margins)
