"""A hybrid on OpenVINO: its logits, what it goes back to, what later prompts reuse of it, and which files are refused."""

from contextlib import closing

import gguf
import numpy as np
import pytest

from editd import errors
from editd.decode.target import GREEDY
from editd.models import registry
from editd.models.model import ModelSpec

pytest.importorskip("openvino", reason="needs pip install -e '.[openvino]'")
pytest.importorskip("xllamacpp", reason="needs pip install -e '.[llama]'")

from editd.models.llama_cpp.context import Passes
from editd.models.llama_cpp.header import open_file
from editd.models.llama_cpp.library import load_library
from editd.models.llama_cpp.recurrent import RecurrentContext
from editd.models.llama_cpp.weights import Weights
from editd.models.openvino.loading import plan_on_openvino
from editd.models.openvino.reading import read_file
from tests.architectures import random_file

IDS = [5 + 7 * place % 491 for place in range(600)]


def load(file):
    return registry.load(ModelSpec(f"openvino:{file}", threads=1))


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("EDITD_CACHE_DIR", str(tmp_path_factory.mktemp("cache")))
        with closing(load(random_file("qwen35"))) as loaded:
            yield loaded


@pytest.fixture
def network(model):
    """Nothing is in use before, and nothing after."""
    model.drop_caches()
    network = model.target.network
    assert network.used_bytes == 0
    yield network
    assert network.used_bytes == 0


def rows_after(network, count, width=8):
    """Logits of the ``width`` tokens after the first ``count`` ones, by a table that was empty before."""
    table = network.new_table()
    for start in range(0, count, 128):
        table.append_without_logits(IDS[start : min(start + 128, count)])
    rows = table.append_chain(IDS[count : count + width]).copy()
    table.close()
    return rows


@pytest.mark.parametrize("text", ["varied", "one token"])
def test_logits_are_those_of_llama_cpp(network, text):
    """Also where keys repeat, which a short series for the inverse would not survive."""
    ids = IDS[:120] if text == "varied" else [77] * 120
    table = network.new_table()
    ours = table.append_chain(ids).copy()
    table.close()
    with closing(Weights(load_library(), random_file("qwen35"))) as weights:
        passes = Passes(weights.library, weights.handle, 512, 128, 1, recurrent=True)
        with closing(RecurrentContext(passes, 200)) as context:
            theirs = context.append_chain(ids).copy()
    assert np.abs(ours - theirs).max() < 2e-3 < theirs.std() / 100
    assert np.array_equal(ours.argmax(-1), theirs.argmax(-1))


@pytest.mark.parametrize("width", [1, 2, 3, 7, 16, 17, 50, 100])
def test_a_row_has_the_same_bits_at_every_width(network, width):
    check_width(network, width)


def check_width(network, width):
    table = network.new_table()
    pieces = [table.append_chain(IDS[at : at + width]).copy() for at in range(0, 200, width)]
    whole = network.new_table()
    expected = [whole.append_chain(IDS[at : at + 128]).copy() for at in range(0, 200, 128)]
    assert np.array_equal(np.concatenate(pieces)[:200], np.concatenate(expected)[:200])
    table.close()
    whole.close()


@pytest.mark.parametrize("threads", [2, 3])
def test_so_it_has_in_several_threads(threads):
    spec = ModelSpec(f"openvino:{random_file('qwen35')}", threads=threads)
    with closing(registry.load(spec)) as loaded:
        check_width(loaded.target.network, 7)


@pytest.mark.parametrize(
    ("back", "length"),
    [
        (330, 330),  # the whole draft was accepted
        (329, 329),
        (301, 301),
        (300, 300),  # or nothing of it
        (288, 288),  # to the state that the draft was computed from
        (287, 256),  # before it: to a mark
        (200, 128),
        (100, 0),
        (0, 0),
    ],
)
def test_a_crop_ends_at_rows_or_at_a_state(network, back, length):
    table = network.new_table()
    for start in range(0, 300, 128):
        table.append_without_logits(IDS[start : min(start + 128, 300)])
        table.mark(4)
    table.append_chain(IDS[300:330])
    table.crop_to(back)
    assert table.length == length
    rows = table.append_chain(IDS[length : length + 8]).copy()
    assert np.array_equal(rows, rows_after(network, length))
    table.close()


def test_a_sequence_reads_again_what_has_no_state(model, network):
    sequence = model.target.open([*IDS[:300], 5])
    sequence.prefill(IDS[:300])
    sequence.verify(IDS[300:310], GREEDY)
    sequence.crop(200)
    rows = sequence.verify(IDS[200:208], GREEDY)
    assert rows.num_read_again == 200 - 128
    assert rows.choice_ids == list(rows_after(network, 200).argmax(-1))
    assert sequence.verify(IDS[208:216], GREEDY).num_read_again == 0
    sequence.close()
    model.drop_caches()


def test_tokens_that_are_drawn_one_by_one_are_taken_back(model, network):
    """As a model that drafts is: of many single passes the first few were right."""
    sequence = model.target.open([*IDS[:60], 5])
    sequence.prefill(IDS[:60])
    for place in range(60, 80):  # beyond a multiple of sixteen
        sequence.draw(IDS[place : place + 1], GREEDY)
    sequence.crop(62)
    rows = sequence.verify(IDS[62:70], GREEDY)
    assert rows.num_read_again == 0
    assert rows.choice_ids == list(rows_after(network, 62).argmax(-1))
    sequence.close()
    model.drop_caches()


@pytest.mark.parametrize("length", [128, 200, 299, 300, 310])
def test_a_copy_shares_states_and_neither_changes_the_other(network, length):
    first = network.new_table()
    for start in range(0, 300, 128):
        first.append_without_logits(IDS[start : min(start + 128, 300)])
        first.mark(4)
    first.append_chain(IDS[300:310])
    used = network.used_bytes
    second = first.copy_prefix(length, 0)
    assert network.used_bytes == used  # nothing was copied but rows
    assert second.length == first.usable(length) == (128 if length == 200 else length)
    start = second.length
    second.append_chain([9] * 40)
    assert np.array_equal(first.append_chain(IDS[310:318]), rows_after(network, 310))
    second.crop_to(start)
    assert np.array_equal(second.append_chain(IDS[start : start + 8]), rows_after(network, start))
    first.close()
    second.close()


def test_marks_are_counted_and_bounded(network):
    table, state = network.new_table(), network.state_bytes
    for start in range(0, 480, 16):
        table.append_without_logits(IDS[start : start + 16])
        table.mark(5, protected=160)
    assert len(table._marks) == 5
    assert {160, 480} <= table._marks
    assert network.used_bytes >= 5 * state
    assert network.used_bytes < 7 * state + len(table._blocks) * network.block_bytes
    table.close()


def test_the_next_instruction_on_a_text_reads_only_itself(model, network):
    def cached(prompt):
        sequence = model.target.open(prompt)
        count = sequence.cached_tokens
        sequence.prefill(prompt[count:-1])
        sequence.verify(prompt[-1:], GREEDY)
        sequence.close()
        return count

    words, texts = IDS[:150], [[*range(100 + 90 * n, 190 + 90 * n)] * 4 for n in range(2)]
    whole = 150 + 360
    assert cached([*words, *texts[0], *IDS[:30]]) == 0
    assert cached([*words, *texts[0], *IDS[60:90]]) == whole // 128 * 128
    assert (
        cached([*words, *texts[0], *IDS[60:90], 3]) == whole + 30
    )  # what was written behind it, too
    assert cached([*words, *texts[1], *IDS[60:90]]) in (0, 128)
    assert cached([*words, *texts[0], *IDS[200:230]]) == whole // 128 * 128
    model.drop_caches()


def test_a_model_says_what_it_takes(model, network):
    sizes = model.target.network
    plan = plan_on_openvino("tiny", ModelSpec(str(random_file("qwen35")), threads=1))
    assert plan.refusal == ""
    sequence = model.target.open([*IDS[:60], 5])
    sequence.prefill(IDS[:60])
    assert model.target.cache_bytes >= sizes.state_bytes + 60 * 512
    sequence.close()
    model.drop_caches()


def changed(path, *, fields=(), tensors=()):
    """A copy of the tiny file with other values in its header, and more tensors of these names."""
    reader = open_file(random_file("qwen35"))
    writer = gguf.GGUFWriter(path, "qwen35")
    values = {name: field for name, field in reader.fields.items() if not name.startswith("GGUF.")}
    values.pop("general.architecture")
    fields = dict(fields)
    for name, field in values.items():
        kind = field.types[-1] if field.types[0] == gguf.GGUFValueType.ARRAY else None
        value = field.parts[-1] if isinstance(field.parts[-1], list) else field.contents()
        writer.add_key_value(name, fields.pop(name, value), field.types[0], kind)
    for name, value in fields.items():
        writer.add_uint32(name, value)
    for tensor in reader.tensors:
        writer.add_tensor(tensor.name, np.array(tensor.data))
    for name in tensors:
        writer.add_tensor(name, np.ones((4, 64), np.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


def test_layers_that_predict_more_tokens_are_left_out(tmp_path):
    fields = {"qwen35.block_count": 5, "qwen35.nextn_predict_layers": 1}
    file = changed(tmp_path / "m.gguf", fields=fields, tensors=["blk.4.nextn.eh_proj.weight"])
    shape, weights = read_file(file)
    assert (shape.layers, shape.state_layers) == (4, [0, 1, 2])
    assert not any(weight.name.startswith("blk.4.") for weight in weights)


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"tensors": ["v.blk.0.attn_q.weight"]}, r"has v\.blk\.0\.attn_q"),
        ({"tensors": ["blk.0.ssm_conv1d.bias"]}, r"has blk\.0\.ssm_conv1d\.bias"),
        ({"fields": {"qwen35.full_attention_interval": 2}}, r"has blk\.1\.attn_gate"),
        ({"fields": {"qwen35.block_count": 5}}, r"lacks blk\.4\."),
        ({"fields": {"qwen35.expert_count": 4}}, "experts"),
    ],
)
def test_another_hybrid_is_refused_in_a_sentence(tmp_path, changes, reason):
    file = changed(tmp_path / "m.gguf", **changes)
    with pytest.raises(errors.ModelUnsupported, match=f"{reason}.*model.engine to local"):
        read_file(file)


@pytest.mark.parametrize("heads", [3, 8])
def test_heads_that_do_not_fit_are_refused(tmp_path, heads):
    file = changed(tmp_path / "m.gguf", fields={"qwen35.ssm.time_step_rank": heads})
    with pytest.raises(errors.ModelDamaged, match="which shape"):
        read_file(file)


def test_a_hybrid_with_experts_is_left_to_llama_cpp():
    with pytest.raises(
        errors.ModelUnsupported, match=r"is qwen35moe, which llama\.cpp may run: set model\.engine"
    ):
        read_file(random_file("qwen35moe"))
