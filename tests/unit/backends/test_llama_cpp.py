"""GGUF files on llama.cpp: the library is checked, tokens are torch's, drafts change no text."""

import json
import os
import re
import shutil
import subprocess
import sys
from contextlib import closing
from itertools import pairwise

import numpy as np
import pytest
import torch
from tokenizers import Tokenizer

from editd import errors
from editd.backends import plans, registry
from editd.backends.gguf_header import read_header
from editd.backends.llama_cpp import header, layouts, plan, target
from editd.backends.llama_cpp.context import leaves_below
from editd.backends.llama_cpp.library import Device, load_library
from editd.backends.model import ModelSpec
from editd.config import Config, ModelConfig
from editd.decode.drafters import make_drafter
from editd.decode.drafters.base import Draft, DraftTask
from editd.decode.speculative import Decoding
from editd.decode.target import GREEDY, Sampling
from editd.decode.window import FixedWindow
from editd.engine import Engine
from editd.messages import EditOptions, EditRequest, EditResult
from tests import tiny
from tests.gguf_files import wide_file, write
from tests.stores import Home

gguf = pytest.importorskip("gguf")
pytest.importorskip("xllamacpp", reason="needs pip install -e '.[llama]'")

TEMPLATE = "{{ bos_token }}{% for m in messages %}{{ m.content }}<|end|>{% endfor %}"
TEXT = (
    "".join(tiny.corpus(4))
    + "größe = '漢字 🙂'\n\t\t} // [UNUSED 400] <|pad|>\n"
    + "x = 12345.678; it's({}[\r\n  ])\n" * 2
    + "        80\n  x1   = '²½'\n"
)
ENDS = r"|\s*[\r\n]+|\s+(?!\S)|\s+"
WORDS = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+"
SIGNS = r"| ?[^\s\p{L}\p{N}]+[\r\n]*"
# As the tokenizer.json of SmolLM 2, Qwen 2 and Llama 3 have it; and whether words are taken whole.
CUTS = {
    "gpt-2": ("", False),
    "smollm": ("digits", False),
    "qwen2": (WORDS + r"|\p{N}" + SIGNS + ENDS, False),
    "llama-bpe": (WORDS + r"|\p{N}{1,3}" + SIGNS + ENDS, True),
}
PROMPT = "".join(tiny.corpus(6))


@pytest.fixture(scope="module", autouse=True)
def _cache(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("EDITD_CACHE_DIR", str(tmp_path_factory.mktemp("cache")))
        yield


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    path = tmp_path_factory.mktemp("gguf") / "model.gguf"
    return write(tiny.checkpoint("llama", dtype="float32"), path)


def load(path, **options):
    return registry.load(ModelSpec(str(path), **{"device": "cpu", "threads": 1, **options}))


@pytest.fixture(scope="module")
def model(file):
    loaded = load(file)
    yield loaded
    loaded.close()


def read(model, ids):
    sequence = model.target.open(ids)
    sequence.prefill(ids[sequence.length : -1])
    return sequence


# --- names ---------------------------------------------------------------------------------------


def test_another_program_s_model_is_planned_and_loaded_where_it_lies(file, tmp_path, monkeypatch):
    home = Home(tmp_path / "home").use(monkeypatch)
    blob = home.ollama("registry.ollama.ai/library/tiny/1b", file.read_bytes())
    assert plans.plan_model(ModelConfig("ollama:tiny:1b")).summary().startswith("ollama:tiny:1b, ")
    loaded = registry.load(ModelSpec("ollama:tiny:1b", threads=1))
    assert (loaded.name, loaded.file) == ("ollama:tiny:1b", blob)
    loaded.close()
    for asks in (
        lambda: plans.plan_model(ModelConfig("ollama:other")),
        lambda: registry.load(ModelSpec("ollama:other")),
    ):
        with pytest.raises(errors.ModelNotFound, match="There is no ollama:other"):
            asks()


# --- the library ---------------------------------------------------------------------------------


def test_a_library_of_an_unknown_layout_is_refused():
    def default():
        return default.restype(n_ctx=4096)

    with pytest.raises(layouts.UnknownLayout):
        layouts.context_params(default)


def test_no_library_is_one_sentence_that_says_what_brings_it(file, monkeypatch):
    monkeypatch.setattr("editd.backends.llama_cpp.library._candidates", lambda: iter(()))
    load_library.cache_clear()
    try:
        with pytest.raises(errors.ModelUnsupported, match=r"pip install 'editd\[llama\]'"):
            load(file)
    finally:
        load_library.cache_clear()


def test_what_is_no_library_is_one_sentence(file, tmp_path):
    (tmp_path / "libllama.so").write_bytes(b"no library")
    with pytest.raises(errors.ModelUnsupported, match=r"cannot be loaded as llama\.cpp's library"):
        load_library(str(tmp_path / "libllama.so"))


# --- what is named -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "backend"),
    [
        ("/m/model.gguf", "llama_cpp"),
        ("~/m/MODEL.GGUF", "llama_cpp"),
        ("/m/folder", "torch"),
        ("Qwen/Qwen2.5-Coder-0.5B", "torch"),
        ("llama_cpp:/m/any", "llama_cpp"),
        ("torch:/m/folder", "torch"),
        ("\0", "torch"),
    ],
)
def test_the_name_says_which_backend(name, backend):
    assert registry.backend_name(name) == backend


def test_a_folder_with_one_file_is_a_model(tmp_path, file):
    shutil.copy(file, tmp_path / "model.gguf")
    (tmp_path / "config.json").write_text('{"auto_map": {"AutoConfig": "evil.Evil"}}')
    (tmp_path / "evil.py").write_text("raise SystemExit('ran')")
    (tmp_path / "tokenizer.json").write_text("not this one")
    (tmp_path / "mmproj-model.gguf").write_bytes(b"")  # of a model that sees
    loaded = load(tmp_path, allow_remote_code=True)
    assert loaded.parameters == 111_696
    assert loaded.name == str(tmp_path)
    loaded.close()
    shutil.copy(file, tmp_path / "second.gguf")
    with pytest.raises(errors.ModelUnsupported, match="holds 2 GGUF files: name the one to load"):
        load(tmp_path)
    (tmp_path / "model.safetensors").write_bytes(b"")
    assert registry.backend_name(str(tmp_path)) == "torch"


# --- a bad file ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("content", "error", "said"),
    [
        (None, errors.ModelNotFound, "No such file"),
        (b"PK\3\4 no model", errors.ModelDamaged, "is no GGUF file"),
        (b"GGUF", errors.ModelDamaged, "cut short"),
        (b"GGUF\3\0\0\0", errors.ModelDamaged, "cut short"),
        (b"GGUF\x63\0\0\0" + bytes(64), errors.ModelUnsupported, "version 99.* newer editd"),
    ],
    ids=["none", "zip", "empty", "header", "newer"],
)
def test_a_bad_file_is_one_sentence(tmp_path, content, error, said):
    path = tmp_path / "bad.gguf"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(error, match=said):
        load(path)


@pytest.mark.parametrize("kept", [100, 20_000, -1000])
def test_a_file_that_is_cut_short_is_one_sentence(tmp_path, file, kept):
    (tmp_path / "cut.gguf").write_bytes(file.read_bytes()[:kept])
    with pytest.raises(errors.ModelDamaged, match=r"cut short|cannot read cut\.gguf"):
        load(tmp_path / "cut.gguf")


def test_an_architecture_that_the_library_does_not_know(tmp_path):
    path = tmp_path / "model.gguf"
    write(tiny.checkpoint("llama", dtype="float32"), path, general__architecture="llama9")
    with pytest.raises(
        errors.ModelUnsupported, match=r"cannot run model\.gguf .*install a newer one"
    ):
        load(path)


def test_parts_are_named(tmp_path):
    path = tmp_path / "m-00001-of-00002.gguf"
    path.write_bytes(b"GGUF")
    with pytest.raises(errors.ModelNotFound, match=r"m-00002-of-00002\.gguf is missing"):
        load(path)
    path.rename(tmp_path / "m-00002-of-00002.gguf")
    with pytest.raises(errors.ModelNotFound, match=r"name the first, m-00001-of-00002\.gguf"):
        load(tmp_path / "m-00002-of-00002.gguf")


def test_no_room_is_one_sentence(file, monkeypatch):
    with pytest.raises(errors.OutOfMemory, match=r"raise daemon\.memory"):
        registry.load(ModelSpec(str(file)), most_bytes=1 << 20)
    monkeypatch.setattr(plan.psutil, "virtual_memory", lambda: type("M", (), {"available": 1}))
    with pytest.raises(errors.OutOfMemory, match="choose a smaller quantisation"):
        load(file)


def test_a_cache_that_cannot_be_written_is_one_sentence(tmp_path, file, monkeypatch):
    (tmp_path / "cache").write_text("a file")
    monkeypatch.setenv("EDITD_CACHE_DIR", str(tmp_path / "cache"))
    with pytest.raises(errors.ModelUnsupported, match="set EDITD_CACHE_DIR"):
        load(file)


def test_loading_prints_nothing(file):
    program = (
        "from editd.backends import registry; from editd.backends.model import ModelSpec\n"
        f"registry.load(ModelSpec({str(file)!r}, device='cpu', threads=1)).close()\n"
        "import sys; assert 'torch' not in sys.modules\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_bitwise_that_cannot_be_proved_is_refused(file, monkeypatch):
    monkeypatch.setattr(target, "least_rows", lambda _: 0)
    with pytest.raises(errors.ConfigError, match="set it to auto"):
        load(file, exactness="bitwise")


# --- devices and sizes ---------------------------------------------------------------------------

GPUS = [Device("CUDA0", 1, 8 << 30), Device("CUDA1", 2, 4 << 30), Device("Vulkan0", 3, 8 << 30)]


@pytest.mark.parametrize(
    ("wanted", "here", "names"),
    [
        ("auto", [], ""),
        ("auto", GPUS[:2], "CUDA0 CUDA1"),
        ("cpu", GPUS, ""),
        ("cuda", GPUS, "CUDA0 CUDA1"),
        ("cuda:1", GPUS, "CUDA1"),
        ("vulkan", GPUS, "Vulkan0"),
        ("mps", [Device("MTL0", 1, 1)], "MTL0"),
        ("mps", GPUS, None),
        ("cuda:2", GPUS, None),
        ("rocm", [], None),
    ],
)
def test_devices_by_name(wanted, here, names):
    if names is None:
        with pytest.raises(errors.ConfigError, match=f"model.device is {wanted}"):
            plan.chosen(wanted, here)
    else:
        assert " ".join(one.name for one in plan.chosen(wanted, here)) == names


@pytest.mark.parametrize(
    ("gigabytes", "where"), [(2, "CUDA0"), (16, r"CUDA0, 1\d of 32 layers"), (2000, "cpu")]
)
def test_as_many_layers_as_there_is_room_for(file, gigabytes, where):
    sizes = plan.Plan(file, gigabytes << 30, 1000, 4096, layers=32, free_bytes=1 << 40)
    placed = plan.placed(sizes, (GPUS[0],))
    assert re.fullmatch(where, placed.where)
    assert (placed.needed_on_cpu < 1 << 30) == (gigabytes == 2)


def test_the_plan_says_what_it_takes_and_where(file, tmp_path, monkeypatch):
    monkeypatch.setattr("editd.backends.llama_cpp.weights.Weights.__init__", _no_loading)
    report = plans.plan_model(ModelConfig(name=str(file), device="cpu"))
    text = "\n".join(report.lines())
    assert "fits." in text
    assert "runs on          llama.cpp, cpu" in text
    figures = report.figures()
    assert figures["weights_bytes"] == file.stat().st_size
    assert figures["kv_bytes_per_token"] == 2 * 3 * 2 * 12 * 2  # halves of 3 layers, 2 heads
    assert figures["context"] == figures["context_limit"] == 1024
    torch_folder = str(tiny.checkpoint("llama", dtype="float32"))
    for one, other in ((str(file), torch_folder), (torch_folder, str(file))):
        alone = plans.plan_model(ModelConfig(name=one, device="cpu"))
        both = plans.plan_model(ModelConfig(name=one, draft=other, device="cpu"))
        assert both.needed_bytes > alone.needed_bytes
        assert any("draft model" in line for line in both.lines())
    monkeypatch.setattr(plan.psutil, "virtual_memory", lambda: type("M", (), {"available": 1}))
    full = plans.plan_model(ModelConfig(name=str(file), device="cpu"))
    assert full.figures()["fits"] is False
    assert "choose a smaller quantisation" in full.lines()[-1]


def _no_loading(*_args, **_options):
    raise AssertionError("weights were loaded")


def test_what_a_token_takes_is_what_was_planned(model, file):
    planned = plan.make_plan(file, "cpu").kv_bytes_per_token
    assert planned <= model.target.passes.token_bytes <= 1.2 * planned


def test_memory_is_told_and_given_back(file):
    loaded = load(file)
    base = loaded.memory_bytes
    sequence = loaded.target.open(loaded.codec.prompt_ids(PROMPT))
    assert loaded.memory_bytes == base + sequence.context.nbytes
    assert loaded.status().kv_bytes == sequence.context.nbytes
    loaded.close()
    loaded.close()
    assert sequence.context._handle is None
    sequence.close()


def test_a_limit_on_memory_holds_for_caches(file):
    loaded = registry.load(ModelSpec(str(file), threads=1), most_bytes=1 << 30)
    target = loaded.target
    assert target.limit_bytes == (1 << 30) - loaded.weights_bytes
    first = target.open([1] * 900)
    target.limit_bytes = 5 * first.context.nbytes // 2
    target.open([2] * 900)
    with pytest.raises(errors.OutOfMemory, match="caches may take"):
        target.open([3] * 900)
    first.close()
    target.open([3] * 900)
    assert target.cache_bytes <= target.limit_bytes
    loaded.close()


def test_progress_is_told_while_it_loads(file):
    heard = []
    registry.load(ModelSpec(str(file), device="cpu"), heard.append).close()
    assert heard == sorted(heard)
    assert (heard[0], heard[-1]) == (0.0, 1.0)
    assert any(0.1 < fraction < 0.9 for fraction in heard)


# --- tokens --------------------------------------------------------------------------------------


@pytest.mark.parametrize("cut", CUTS)
def test_tokens_are_the_sources(tmp_path, cut):
    """Against a ``tokenizer.json`` with the cut of the original's."""
    content = json.loads(tiny.byte_level_tokenizer().to_str())
    split, content["model"]["ignore_merges"] = CUTS[cut]
    if split == "digits":
        parts = [{"type": "Digits", "individual_digits": True}, content["pre_tokenizer"]]
        content["pre_tokenizer"] = {"type": "Sequence", "pretokenizers": parts}
    elif split:
        whole = {"type": "Split", "pattern": {"Regex": split}, "behavior": "Isolated"}
        letters = {**content["pre_tokenizer"], "use_regex": False}
        parts = [{**whole, "invert": False}, letters]
        content["pre_tokenizer"] = {"type": "Sequence", "pretokenizers": parts}
    source = Tokenizer.from_str(json.dumps(content))
    source.encode_special_tokens = True
    loaded = load(write(tiny.checkpoint("llama", dtype="float32"), tmp_path / "m.gguf", cut=cut))
    codec = loaded.codec
    ids = codec.encode(TEXT)
    assert ids == source.encode(TEXT, add_special_tokens=False).ids
    assert codec.decode(ids) == TEXT
    assert codec.vocab_size == 512
    assert codec.prompt_ids("<|end|>x")[0] == 1
    assert codec.token_bytes(400) == codec.token_bytes(511) == b""  # unused spell nothing
    loaded.close()


def test_template_stops_and_bos(tmp_path, model):
    added = {"tokenizer__chat_template": TEMPLATE, "tokenizer__ggml__bos_token_id": 0}
    path = tmp_path / "chat.gguf"
    write(
        tiny.checkpoint("llama", dtype="float32"),
        path,
        **added,
        tokenizer__ggml__add_bos_token=True,
    )
    loaded = load(path)
    assert loaded.stop_ids == {1}
    assert loaded.codec.prompt_ids("x")[0] == 0
    assert loaded.render_chat is not None
    assert model.codec.prompt_ids("x")[0] != 0
    loaded.close()


def test_a_changed_file_is_read_again(tmp_path, file):
    path = tmp_path / "model.gguf"
    shutil.copy(file, path)
    before = header.described(path)
    write(tiny.checkpoint("llama", dtype="float32"), path, cut="smollm")
    os.utime(path, ns=(1, 1))
    assert header.described(path) != before


def test_the_quick_reader_reads_what_the_packages_own_reads(file):
    plain = gguf.GGUFReader(file)
    expected = {name: field.contents() for name, field in plain.fields.items()}
    assert len(expected["tokenizer.ggml.tokens"]) == 512
    assert read_header(file) == expected


def test_words_are_read_in_one_go_however_often(tmp_path, monkeypatch):
    """Each word by views of its own took half a minute for the vocabulary of a usual model."""
    path = write(tiny.checkpoint("qwen3", dtype="float32"), tmp_path / "model.gguf")
    views, plainly = [], gguf.GGUFReader._get
    monkeypatch.setattr(
        gguf.GGUFReader, "_get", lambda *args, **kwargs: views.append(1) or plainly(*args, **kwargs)
    )
    header.described(path)
    assert 0 < len(views) < 1000  # words alone were 1500


# --- passes --------------------------------------------------------------------------------------


@pytest.mark.parametrize("family", ["llama", "qwen2", "qwen3"])
def test_float32_has_the_sources_logits(tmp_path, family):
    path = write(tiny.checkpoint(family, dtype="float32"), tmp_path / "model.gguf")
    assert_close_logits(load(path), tiny.random_model(family, dtype="float32"), 0.01)


def test_blocks_of_eight_bits_are_near():
    exact, close = load(wide_file("llama", "float32")), load(wide_file("llama", "q8_0"))
    ids = [(7 * i) % 500 for i in range(60)]
    rows = [read(one, ids[:1]).context.chain(ids).copy() for one in (exact, close)]
    assert 0 < (rows[0] - rows[1]).std() / rows[0].std() < 0.1
    exact.close()
    close.close()


def assert_close_logits(loaded, source, share):
    ids = [*range(5, 60)]
    ours = read(loaded, ids[:1]).context.chain(ids).copy()
    with torch.inference_mode():
        theirs = source(input_ids=torch.tensor([ids])).logits[0].numpy()
    assert (ours - theirs).std() < share * theirs.std()  # keys and values are halves
    loaded.close()


def test_choices_and_draws_are_those_of_the_torch_backend(model):
    """The same noise for the same seed and place; penalty, filters and healing likewise."""
    other = registry.load(ModelSpec(str(tiny.checkpoint("llama", dtype="float32")), threads=1))
    ids = model.codec.prompt_ids(PROMPT)[:100]
    allowed = [None] * 20 + [(3, 4, 5)] * 80
    for sampling, limit in (
        (GREEDY, None),
        (GREEDY, allowed),
        (Sampling(repetition_penalty=1.3), None),
        (Sampling(temperature=0.8, top_p=0.9, top_k=40, min_p=0.01, seed=3), None),
        (Sampling(temperature=0.8, repetition_penalty=1.2, seed=4), allowed),
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


def test_a_tree_that_is_too_wide_is_cut(model):
    """A window that a user sets so large is no error."""

    class Bushy:
        name = "bushy"

        def propose(self, _output_ids, max_tokens):
            return Draft([5] * max_tokens, parents=[-1] * max_tokens)

        def observe(self, *_):
            pass

    ids = model.codec.prompt_ids(PROMPT)[:50]
    decoding = Decoding(
        model.target, ids, Bushy(), ends_answer=lambda _: False, max_new_tokens=400,
        window=FixedWindow(300),
    )  # fmt: skip
    while decoding.stats.rounds < 2:
        decoding.advance()
    decoding.close()
    assert decoding.stats.drafted == 2 * (model.target.widest_tree - 1)


def test_what_cannot_go_back_is_decoded_plainly(file, monkeypatch):
    """As a recurrent model is: no draft is verified, and the text is the same."""
    ids = None
    texts = []
    for rewindable in (True, False):
        monkeypatch.setattr(
            "editd.backends.llama_cpp.weights.Weights.can_go_back", lambda _, r=rewindable: r
        )
        loaded = load(file)
        assert loaded.target.supports_trees == rewindable
        ids = loaded.codec.prompt_ids(PROMPT)[:60]
        drafter = "buffer" if not rewindable else "none"
        texts.append(decoded(loaded, ids, drafter, GREEDY, PROMPT))
        loaded.close()
    assert texts[0] == texts[1]  # rounds, too: one a token


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
    config = Config(ModelConfig(str(file), device="cpu", threads=1))
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


@pytest.mark.parametrize("which", ["llama_cpp beside torch", "torch beside llama_cpp"])
def test_draft_models_of_either_backend_beside_either(file, which):
    """A model drafts for itself in another library: nearly all is accepted, nothing changes."""
    names = [str(file), str(tiny.checkpoint("llama", dtype="float32"))]
    names = names if which.startswith("torch") else names[::-1]
    config = Config(ModelConfig(names[0], draft=names[1], device="cpu", threads=1))
    with closing(Engine(config)) as engine:
        texts = []
        for drafter in ("none", "draft-model"):
            options = EditOptions(temperature=0.0, max_new_tokens=40, drafter=drafter)
            request = EditRequest("r", "x = 1\n" * 3, "double it", path="x.py", options=options)
            result = next(m for m in engine.edit(request) if isinstance(m, EditResult))
            *_, trace = engine.take_traces()
            texts.append("".join(piece.text for r in trace.rounds for piece in r.pieces))
        assert texts[0] == texts[1]
        assert result.stats.accepted > result.stats.rejected


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
