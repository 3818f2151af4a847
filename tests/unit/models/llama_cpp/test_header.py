"""Tokens, template and ends are those of the file's header."""

import json
import os
import shutil
from importlib.util import find_spec

import gguf as gguf_library
import pytest
from tokenizers import Tokenizer

from editd.errors import ModelUnsupported
from editd.models.llama_cpp import header
from editd.models.llama_cpp.header import read_header
from tests import tiny
from tests.gguf_files import write
from tests.unit.models.llama_cpp.loaded import CUTS, TEMPLATE, TEXT, gguf, load


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


CHAT = "{% for m in messages %}<|begin|>{{ m.content }}END{% endfor %}<|begin|>"


@pytest.mark.parametrize(
    ("word", "template", "ends"),
    [
        ("</s>", "", {1}),  # Qwen has it as text, and so has a page of HTML
        ("</s>", CHAT.replace("END", "<|end|>\n"), {1}),
        ("</s>", CHAT.replace("END", "</s>"), {1, 509}),
        ("<|im_end|>", CHAT.replace("END", "<|im_end|>\n"), {1, 509}),
        ("<|im_end|>", CHAT.replace("END", " \n<|im_end|>"), {1, 509}),
        ("<|im_end|>", CHAT.replace("END", "."), {1}),
        ("<|im_end|>", CHAT.replace("END", ".<|im_end|>"), {1}),
        ("plain", CHAT.replace("END", "plain"), {1}),
        ("", CHAT.replace("END", "<|pad|>"), {1, 2}),  # a control token; each turn ends with it
    ],
)
def test_a_word_that_looks_like_an_end_is_one_where_the_template_ends_turns_with_it(
    tmp_path, word, template, ends
):
    """llama.cpp takes words for ends that the header calls plain text."""
    folder = tmp_path / "checkpoint"
    shutil.copytree(tiny.checkpoint("llama", dtype="float32"), folder)
    content = json.loads((folder / "tokenizer.json").read_text())
    content["model"]["vocab"] |= {word: 509} if word else {}
    (folder / "tokenizer.json").write_text(json.dumps(content))
    path = write(folder, tmp_path / "model.gguf", tokenizer__chat_template=template or "none")
    for scheme in ("llama_cpp", "openvino")[: 1 + bool(find_spec("openvino"))]:
        loaded = load(f"{scheme}:{path}", device="cpu")
        assert loaded.stop_ids == ends, scheme
        if word and scheme == "llama_cpp":
            assert (509 in loaded.target.weights.stop_ids()) is (word != "plain")
            assert loaded.codec.token_bytes(509) == word.encode()
        loaded.close()


def test_a_changed_file_is_read_again(tmp_path, file):
    path = tmp_path / "model.gguf"
    shutil.copy(file, path)
    before = header.described_folder(path)
    write(tiny.checkpoint("llama", dtype="float32"), path, cut="smollm")
    os.utime(path, ns=(1, 1))
    assert header.described_folder(path) != before


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
    header.described_folder(path)
    assert 0 < len(views) < 1000  # words alone were 1500


@pytest.mark.parametrize(
    ("fields", "lacks", "keeps"),
    [
        ({"tokenizer__chat_template": TEMPLATE}, "", "without"),
        ({}, "without a chat template", "words"),
        (
            {"drop": True, "tokenizer__chat_template": TEMPLATE},
            "cuts text into words, so",
            "template",
        ),
        ({"drop": True}, "into words and without a chat template", "None"),
    ],
)
def test_what_a_file_lacks_is_said_once_it_is_loaded(tmp_path, monkeypatch, fields, lacks, keeps):
    if fields.pop("drop", False):
        monkeypatch.setattr(gguf_library.GGUFWriter, "add_tokenizer_pre", lambda *_: None)
    loaded = load(write(tiny.checkpoint("llama", dtype="float32"), tmp_path / "m.gguf", **fields))
    assert lacks in loaded.notice
    assert keeps not in loaded.notice
    assert bool(loaded.notice) is bool(lacks)
    loaded.close()


@pytest.mark.parametrize("kind", ["none", "no_vocab"])
def test_a_file_without_a_tokenizer_is_refused(tmp_path, kind):
    path = write(
        tiny.checkpoint("llama", dtype="float32"), tmp_path / "m.gguf", tokenizer__ggml__model=kind
    )
    with pytest.raises(ModelUnsupported, match="has no tokenizer"):
        load(path)
