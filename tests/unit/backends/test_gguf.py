"""GGUF files, really written, loaded and decoded; refused where they would be another model."""

import json
import shutil
import subprocess
import sys

import pytest
import torch
from tokenizers import Tokenizer

from editd import errors
from editd.backends.gguf_header import read_header
from editd.backends.model import ModelSpec
from editd.backends.torch.files import gguf as gguf_files
from editd.backends.torch.files.checkpoint import open_checkpoint
from editd.backends.torch.files.printed_plan import plan_model
from editd.backends.torch.loading import load_model
from editd.config import ModelConfig
from editd.decode.drafters import make_drafter
from editd.decode.drafters.base import DraftTask
from editd.decode.speculative import Decoding
from editd.decode.target import GREEDY
from editd.decode.window import FixedWindow
from tests import tiny

gguf = pytest.importorskip("gguf", reason="needs pip install -e '.[gguf]'")
pytest.importorskip("accelerate", reason="needs pip install -e '.[gguf]'")

TEMPLATE = "{{ bos_token }}{% for m in messages %}{{ m.content }}<|end|>{% endfor %}"
TEXT = (
    "".join(tiny.corpus(4))
    + "größe = '漢字 🙂'\n\t\t} // [UNUSED 400] <|pad|>\n"
    + "x = 12345.678; it's({}[\r\n  ])\n" * 2
    + "        80\n  x1   = '²½'\n"
)
ENDS = r"|\s*[\r\n]+|\s+(?!\S)|\s+"
# As the tokenizer.json of SmolLM 2, Qwen 2 and Llama 3 have it; and whether words are taken whole.
CUTS = {
    "gpt-2": ("", False),
    "smollm": ("digits", False),
    "qwen2": (
        r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*"
        + ENDS,
        False,
    ),
    "llama-bpe": (
        r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*"
        + ENDS,
        True,
    ),
}


@pytest.fixture(scope="module", autouse=True)
def _cache(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("EDITD_CACHE_DIR", str(tmp_path_factory.mktemp("cache")))
        yield


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    """Writes a file of a family, as it is or with other fields and tensors; each once."""
    folder = tmp_path_factory.mktemp("gguf")

    def made(family="llama", weights="float32", source=None, name="model", **fields):
        path = folder / f"{family}-{weights}-{name}.gguf"
        if not path.is_file():
            write(source or tiny.checkpoint(family, dtype="float32"), path, weights, fields)
        return path

    return made


def write(source, path, weights, fields):
    """By the benchmark's converter; its stand-in for the way of cutting text is GPT-2's here."""
    from benchmarks.compare import gguf_file

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(gguf_file, "_STAND_IN", fields.pop("cut", "gpt-2"))
        patch.setattr(gguf.GGUFWriter, "write_header_to_file", with_fields(fields))
        gguf_file.write_gguf(source, path, weights)


def with_fields(fields):
    plainly = gguf.GGUFWriter.write_header_to_file

    def write_header(self):
        if "tensor" in fields:
            self.add_tensor(fields["tensor"], torch.ones(6).numpy())
        if "end" in fields:
            self.kv_data[0]["tokenizer.ggml.tokens"].value[1] = fields["end"]
        for key, value in fields.items():
            if key not in ("tensor", "end"):
                name = key.replace("__", ".")
                self.kv_data[0].pop(name, None)
                add = {str: self.add_string, int: self.add_uint32, bool: self.add_bool}
                add[type(value)](name, value)
        plainly(self)

    return write_header


def load(path, **options):
    return load_model(ModelSpec(str(path), **{"device": "cpu", "threads": 1, **options}))


def logits(model):
    with torch.inference_mode():
        return model(input_ids=torch.arange(5, 60)[None]).logits[0]


def decode(model, drafter):
    """An edit's inner loop: a prompt that holds the region, the region as the draft."""
    region = tiny.corpus(2)[1]
    prompt_ids = model.codec.prompt_ids(region + "\n# again\n")
    task = DraftTask(prompt_ids, region, "", "", model.codec, 16)
    decoding = Decoding(
        model.target,
        prompt_ids,
        make_drafter(drafter, task),
        ends_answer=lambda token_id: token_id in model.stop_ids,
        max_new_tokens=60,
        sampling=GREEDY,
        window=FixedWindow(16),
    )
    while decoding.finish_reason is None:
        decoding.advance()
    decoding.close()
    return decoding


# --- what loads ----------------------------------------------------------------------------------


@pytest.mark.parametrize("family", ["llama", "qwen2", "qwen3"])
def test_float32_is_the_source_bit_for_bit(family, file):
    model = load(file(family))
    source = tiny.random_model(family, dtype="float32")
    assert torch.equal(logits(model.target.model), logits(source))
    assert (model.dtype, model.parameters) == (
        "float32",
        sum(p.numel() for p in source.parameters()),
    )
    assert model.target.exactness == "token"


def test_blocks_of_eight_bits_are_near(file):
    close = logits(load(file(weights="q8_0")).target.model)
    exact = logits(tiny.random_model("llama", dtype="float32"))
    assert 0 < (close - exact).std() / exact.std() < 0.05


def test_other_rotary_base_and_tied_embeddings(tmp_path, file):
    model = tiny.random_model("llama", dtype="float32")
    values = {**model.config.to_dict(), "tie_word_embeddings": True}
    values["rope_parameters"] = {"rope_theta": 250.0, "rope_type": "default"}
    tied = type(model)(type(model.config)(**values)).eval()
    source = tiny.save(tmp_path / "tied", tied)
    loaded = load(file(source=source, name="tied")).target.model
    assert loaded.lm_head.weight is loaded.model.embed_tokens.weight
    assert torch.equal(logits(loaded), logits(tied))


@pytest.mark.parametrize("cut", CUTS)
def test_tokens_are_the_sources(cut, file):
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
    codec = load(file(name=cut, cut=cut)).codec
    ids = codec.encode(TEXT)
    assert ids == source.encode(TEXT, add_special_tokens=False).ids
    assert codec.decode(ids) == TEXT
    assert codec.vocab_size == 512
    assert codec.prompt_ids("<|end|>x")[0] == 1
    assert codec.token_bytes(400) == codec.token_bytes(511) == b""  # unused spell nothing


def test_template_stops_and_bos(file):
    added = {"tokenizer__chat_template": TEMPLATE, "tokenizer__ggml__bos_token_id": 0}
    path = file(name="chat", **added, tokenizer__ggml__add_bos_token=True)
    model = load(path)
    assert model.stop_ids == {1}
    assert model.codec.prompt_ids("x")[0] == 0
    assert model.render_chat is not None
    assert load(file()).codec.prompt_ids("x")[0] != 0


@pytest.mark.parametrize("weights", ["float32", "q8_0"])
def test_drafts_change_nothing(weights, file):
    model = load(file(weights=weights))
    plain, drafted = decode(model, "none"), decode(model, "buffer")
    assert plain.output_ids == drafted.output_ids
    assert len(plain.output_ids) > 20


def test_a_folder_with_one_file_is_a_model(tmp_path, file):
    shutil.copy(file(), tmp_path / "model.gguf")
    (tmp_path / "config.json").write_text('{"auto_map": {"AutoConfig": "evil.Evil"}}')
    (tmp_path / "evil.py").write_text("raise SystemExit('ran')")
    (tmp_path / "tokenizer.json").write_text("not this one")
    assert load(tmp_path, allow_remote_code=True).parameters == 111_696
    shutil.copy(file(weights="q8_0"), tmp_path / "second.gguf")
    refuse(tmp_path, errors.ModelUnsupported, "holds 2 GGUF files: name the one to load")


def test_the_plan_counts_unpacked_weights_and_loads_none(file, monkeypatch):
    monkeypatch.setattr("transformers.AutoModelForCausalLM.from_pretrained", _no_loading)
    path = file(weights="q8_0")
    report = plan_model(ModelConfig(name=str(path), device="cpu"))
    assert report.plan.weights_bytes == 4 * 111_696 > path.stat().st_size
    half = plan_model(ModelConfig(name=str(path), device="cpu", dtype="bfloat16"))
    assert half.plan.weights_bytes == 2 * 111_696


def test_a_changed_file_is_read_again(tmp_path, file):
    path = tmp_path / "model.gguf"
    shutil.copy(file(), path)
    assert open_checkpoint(str(path)).config["model_type"] == "llama"
    shutil.copy(file("qwen2"), path)
    assert open_checkpoint(str(path)).config["model_type"] == "qwen2"


def test_the_quick_reader_reads_what_the_packages_own_reads(file):
    path = file(name="chat", tokenizer__chat_template=TEMPLATE, tokenizer__ggml__bos_token_id=0)
    plain = gguf.GGUFReader(path)
    expected = {name: field.contents() for name, field in plain.fields.items()}
    assert len(expected["tokenizer.ggml.tokens"]) == 512
    fields, tensors = read_header(path)
    assert fields == expected
    assert tensors == [(tensor.name, tensor.n_elements) for tensor in plain.tensors]


def test_a_shape_without_the_size_of_its_vocabulary(file, monkeypatch):
    """As many writers leave it: it is the number of words."""
    plainly = gguf.GGUFWriter.add_vocab_size
    monkeypatch.setattr(gguf.GGUFWriter, "add_vocab_size", lambda *_: None)
    path = file("qwen2", name="sizeless")
    monkeypatch.setattr(gguf.GGUFWriter, "add_vocab_size", plainly)
    assert "qwen2.vocab_size" not in read_header(path)[0]
    model = load(path)
    assert model.target.vocab_size == 512
    assert torch.equal(
        logits(model.target.model), logits(tiny.random_model("qwen2", dtype="float32"))
    )


def test_words_are_read_in_one_go_however_often(file, monkeypatch):
    """Each word by views of its own took half a minute for the vocabulary of a usual model."""
    views = []
    plainly = gguf.GGUFReader._get

    def counted(self, *args, **kwargs):
        views.append(1)
        return plainly(self, *args, **kwargs)

    path = file("qwen3", name="counted")
    monkeypatch.setattr(gguf.GGUFReader, "_get", counted)
    load(path)
    assert 0 < len(views) < 3 * 1000  # three readings; words alone were 3 * 1500


def test_a_cache_that_cannot_be_written_is_one_sentence(tmp_path, file, monkeypatch):
    (tmp_path / "cache").write_text("a file")
    monkeypatch.setenv("EDITD_CACHE_DIR", str(tmp_path / "cache"))
    refuse(file(), errors.ModelUnsupported, "set EDITD_CACHE_DIR")


def test_loading_prints_nothing(file):
    program = (
        "from editd.backends.torch.loading import *\n"
        f"load_model(ModelSpec({str(file())!r}, device='cpu', threads=1))\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


# --- what is refused -----------------------------------------------------------------------------

REFUSED = {
    "family": ({"general__architecture": "gemma2"}, "architecture gemma2"),
    "scaled": ({"llama__rope__scaling__type": "yarn"}, "stretches its rotary positions"),
    "factors": ({"tensor": "rope_freqs.weight"}, "stretches its rotary positions"),
    "window": ({"llama__attention__sliding_window": 64}, "sets llama.attention.sliding_window"),
    "bias": ({"tensor": "blk.0.attn_q.bias"}, "111,702 weights, but the llama model"),
    "widths": ({"llama__attention__key_length": 16}, "heads of more than one width"),
    "cut": ({"cut": "starcoder"}, "a tokenizer gpt2 .starcoder."),
    "sentencepiece": ({"tokenizer__ggml__model": "llama"}, "a tokenizer llama"),
    "part": ({"split__count": 3}, "is one part of 3"),
    "mistral": ({"general__name": "mistral"}, "for mistral|cannot read"),
    "end": ({"end": "<｜end｜>"}, "loses the control token <｜end｜>"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_would_be_another_model_is_refused(name, file):
    fields, words = REFUSED[name]
    refuse(file(name=f"bad-{name}", **fields), errors.ModelUnsupported, words)


def test_a_damaged_file_is_one_sentence(tmp_path, file):
    for count in (0, 3, 100, 20_000, file().stat().st_size - 1000):
        (tmp_path / "cut.gguf").write_bytes(file().read_bytes()[:count])
        refuse(tmp_path / "cut.gguf", errors.ModelDamaged, "cut short or no GGUF file")
    (tmp_path / "cut.gguf").write_bytes(b"<!DOCTYPE html>" * 1000)
    refuse(tmp_path / "cut.gguf", errors.ModelDamaged, "cut short or no GGUF file")


def test_smaller_weights_on_top_are_refused(file):
    refuse(file(), errors.ModelUnsupported, "set model.quantize to none", quantize="int8")
    assert load(file(), quantize="auto").dtype == "float32"


def test_missing_packages_are_named(file, monkeypatch):
    monkeypatch.setattr(gguf_files, "find_spec", lambda _: None)
    refuse(file(), errors.ModelUnsupported, r"pip install 'editd\[gguf\]'")


def refuse(path, error, words, **options):
    with pytest.raises(error, match=words) as caught:
        load(path, **options)
    assert "\n" not in str(caught.value)
    assert str(caught.value).endswith(".")


def _no_loading(*_, **__):
    raise AssertionError("weights were loaded")
