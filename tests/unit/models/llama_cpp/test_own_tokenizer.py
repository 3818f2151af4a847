"""Tokenizers of GGUF files as llama.cpp reads them: the original's tokens, on thousands of texts."""

from __future__ import annotations

import json
import random
import subprocess
import sys

import pytest

from editd import errors
from editd.models.llama_cpp.header import described_folder
from editd.models.llama_cpp.library import load_library
from editd.models.llama_cpp.own_tokenizer import LlamaTokenizer, codec_in
from editd.models.text import codec as cutting
from editd.models.text.codec import ModelCodec
from tests import tiny
from tests.gguf_files import write
from tests.unit.models.llama_cpp.loaded import CUTS, TEXT

gguf = pytest.importorskip("gguf", reason="needs pip install -e '.[gguf]'")
pytest.importorskip("xllamacpp", reason="needs pip install -e '.[llama]'")

NORMAL, UNKNOWN, CONTROL, UNUSED, BYTE = 1, 2, 3, 5, 6
NUM_WORDS = 512  # rows of the tiny model
PARTS = [
    *"abcdefgXYZ  \n\t(){}_=+-*/.,;:'\"0123456789<>|",
    *("größe", "漢", "🙂", "é", "  ", "    ", "\r\n", "def ", "return ", "value", "index"),
    *("<0x41>", "\u00a0", "\u200b"),
]
CONTROLS = ["<s>", "</s>", "<unk>"]  # in a prompt these are tokens, in a buffer they are text


@pytest.fixture(autouse=True)
def _cache(tmp_path, monkeypatch):
    monkeypatch.setenv("EDITD_CACHE_DIR", str(tmp_path / "cache"))


def texts(count, seed=0, parts=PARTS):
    """Pieces of code, and noise with spaces and bytes in it."""
    chance = random.Random(seed)
    code = "".join(tiny.corpus())
    for _ in range(count // 2):
        start = chance.randrange(len(code))
        yield code[start : start + chance.randrange(1, 100)]
        yield "".join(chance.choice(parts) for _ in range(chance.randrange(40)))


def file_of(folder, words, scores, kinds, **fields):
    """A file of the tiny Llama with these words, filled up with unused ones."""
    from tests import gguf_writer as gguf_file

    filling = NUM_WORDS - len(words)
    words = [*words, *(f"[PAD{index}]" for index in range(filling))]
    plainly = gguf.GGUFWriter.write_header_to_file

    def write_header(self):
        values = self.kv_data[0]
        for name in ("merges", "pre", "tokens", "token_type", "model", "add_bos_token"):
            values.pop(f"tokenizer.ggml.{name}", None)
        self.add_tokenizer_model("llama")
        self.add_token_list(words)
        self.add_token_scores([*scores, *[0.0] * filling])
        self.add_token_types([*kinds, *[UNUSED] * filling])
        for name in ("bos", "eos", "unknown"):
            values.pop(f"tokenizer.ggml.{name}_token_id", None)
        self.add_bos_token_id(words.index("<s>"))
        self.add_eos_token_id(words.index("</s>"))
        for name, value in fields.items():
            self.add_bool(f"tokenizer.ggml.{name}", value)
        plainly(self)

    path = folder / "model.gguf"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(gguf.GGUFWriter, "write_header_to_file", write_header)
        gguf_file.write_gguf(tiny.checkpoint("llama", dtype="float32"), path, "float32")
    return path


def kinds_of(words):
    special = {"<unk>": UNKNOWN, "<s>": CONTROL, "</s>": CONTROL}
    bytes_ = {f"<0x{byte:02X}>" for byte in range(256)}
    return [BYTE if word in bytes_ else special.get(word, NORMAL) for word in words]


def vocabulary(more=()):
    """The tests' own tokenizer, with byte fallback and a space first: words, scores, kinds."""
    model = json.loads(tiny.sentencepiece_tokenizer().to_str())["model"]
    words = [*sorted(model["vocab"], key=model["vocab"].get), *more]
    ranks = {"".join(merge): -float(rank) for rank, merge in enumerate(model["merges"])}
    return words, [ranks.get(word, -1e6) for word in words], kinds_of(words)


def codec_of(path):
    return codec_in(described_folder(path), vocab_size=NUM_WORDS)


def test_tokens_are_the_sources(tmp_path):
    source = tiny.sentencepiece_tokenizer()
    source.encode_special_tokens = True
    codec = codec_of(file_of(tmp_path, *vocabulary()))
    for text in texts(1000):
        ids = codec.prompt_ids(text)
        assert ids[0] == 0  # <s>, without a field that says so
        assert ids[1:] == source.encode(text, add_special_tokens=False).ids, repr(text)
    for text in texts(400, seed=1, parts=[*PARTS, *CONTROLS]):
        ids = codec.encode(text)
        assert codec.decode(ids) == text
        assert not {0, 1, 2} & set(ids)
    assert codec.token_bytes(NUM_WORDS - 1) == b""


def test_tokens_are_sentencepieces(tmp_path):
    """Against the library that trains such vocabularies, spaces first and all."""
    library = pytest.importorskip("sentencepiece", reason="needs pip install sentencepiece")
    (tmp_path / "text").write_text("".join(tiny.corpus(100)), encoding="utf-8")
    for prefixed in (True, False):
        library.SentencePieceTrainer.train(
            input=str(tmp_path / "text"),
            model_prefix=str(tmp_path / "pieces"),
            vocab_size=420,
            model_type="bpe",
            byte_fallback=True,
            add_dummy_prefix=prefixed,
            remove_extra_whitespaces=False,
            normalization_rule_name="identity",
            split_digits=True,
            allow_whitespace_only_pieces=True,
            minloglevel=2,
        )
        source = library.SentencePieceProcessor(model_file=str(tmp_path / "pieces.model"))
        words = [source.id_to_piece(index) for index in range(source.get_piece_size())]
        scores = [source.get_score(index) for index in range(len(words))]
        path = file_of(tmp_path, words, scores, kinds_of(words), add_space_prefix=prefixed)
        codec = codec_of(path)
        for text in texts(3000, seed=prefixed):
            assert codec.prompt_ids(text)[1:] == source.encode(text), repr(text)


def test_text_never_spells_a_control_token(tmp_path):
    """Though ``<s`` and ``>`` are words that would make one."""
    words, scores, kinds = vocabulary(more=["<", "s>", "<s"])
    codec = codec_of(file_of(tmp_path, words, scores, kinds))
    ids = codec.encode("x <s> </s> <s")
    assert codec.decode(ids) == "x <s> </s> <s"
    assert not {words.index("<s>"), words.index("</s>")} & set(ids)


def test_a_byte_without_a_token_is_refused(tmp_path):
    """llama.cpp would end the process at the first text that has it."""
    words, scores, _ = vocabulary()
    words.remove("<0x7F>")
    path = file_of(tmp_path, words, scores[: len(words)], kinds_of(words))
    with pytest.raises(errors.ModelUnsupported, match="no token for some bytes"):
        codec_of(path)


def test_a_word_that_is_there_twice_is_refused(tmp_path):
    """llama.cpp would end the process when it opens the file."""
    path = file_of(tmp_path, *vocabulary(more=[">"]))
    with pytest.raises(errors.ModelDamaged, match="the same token twice"):
        codec_of(path)


@pytest.mark.parametrize("cut", ["starcoder", "deepseek-coder", "tekken", "gpt-4o"])
def test_cuts_that_are_written_down_nowhere_else(tmp_path, cut):
    """Whatever llama.cpp makes of them: text comes back, in pieces as in one go, healed or not."""
    path = tmp_path / "model.gguf"
    write(tiny.checkpoint("llama", dtype="float32"), path, cut=cut)
    assert not (described_folder(path) / "tokenizer.json").is_file()
    codec = codec_of(path)
    for text in texts(150, parts=[*PARTS, "<|end|>", "<|pad|>"]):
        ids = codec.encode(text)
        assert codec.decode(ids) == text
        assert ids == codec._tokenizer.tokenize(text, True, False).ids
    assert codec.prompt_ids("<|end|>x")[0] == 1
    assert codec.id_of(codec.word_of(300)) == 300
    plain = codec_in(described_folder(source(tmp_path)), vocab_size=NUM_WORDS)
    assert codec.heal("```\n") == plain.heal("```\n")


def source(folder):
    path = folder / "plain.gguf"
    write(tiny.checkpoint("llama", dtype="float32"), path)
    return path


@pytest.mark.parametrize("cut", CUTS)
def test_both_ways_of_reading_a_known_cut_agree(tmp_path, cut):
    path = tmp_path / "model.gguf"
    write(tiny.checkpoint("llama", dtype="float32"), path, cut=cut)
    ours = codec_of(path)
    theirs = ModelCodec(LlamaTokenizer(load_library(), path), vocab_size=NUM_WORDS)
    assert ours.vocabulary._bytes == theirs.vocabulary._bytes[: len(ours.vocabulary)]
    for text in [*texts(200), TEXT * 20]:
        assert theirs.encode(text) == ours.encode(text), repr(text)
        assert theirs.prompt_ids(text) == ours.prompt_ids(text)


def test_a_long_text_is_read_in_pieces_with_the_same_tokens(tmp_path, monkeypatch):
    codec = codec_of(file_of(tmp_path, *vocabulary()))
    text = "".join(tiny.corpus(60))
    whole = codec._tokenizer.tokenize(text, True, False).ids
    given, tokenize = [], LlamaTokenizer.tokenize
    monkeypatch.setattr(
        LlamaTokenizer,
        "tokenize",
        lambda self, piece, *rest: given.append(piece) or tokenize(self, piece, *rest),
    )
    assert codec.encode(text) == whole
    assert max(map(len, given)) <= cutting.WINDOW < len(text)


def test_another_process_reads_the_same_tokens(tmp_path):
    """From the folder alone."""
    folder = described_folder(file_of(tmp_path, *vocabulary()))
    program = (
        "import sys; from pathlib import Path; from editd.models.llama_cpp.own_tokenizer import codec_in\n"
        "print(codec_in(Path(sys.argv[1])).encode('def f(x): return x'))"
    )
    done = subprocess.run([sys.executable, "-c", program, folder], capture_output=True, text=True)
    assert done.stdout.strip() == str(codec_in(folder).encode("def f(x): return x")), done.stderr
