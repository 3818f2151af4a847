"""SentencePiece vocabularies in GGUF files: the tokens are the original's, on thousands of texts."""

from __future__ import annotations

import json
import random

import pytest

from editd import errors
from editd.backends.model import ModelSpec
from editd.backends.torch.loading import load_model
from tests import tiny

gguf = pytest.importorskip("gguf", reason="needs pip install -e '.[gguf]'")
pytest.importorskip("accelerate", reason="needs pip install -e '.[gguf]'")

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
    from benchmarks.compare import gguf_file

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
    model = load_model(ModelSpec(str(path), device="cpu", threads=1))
    return model.codec


def test_tokens_are_the_sources(tmp_path):
    source = tiny.sentencepiece_tokenizer()
    source.encode_special_tokens = True
    codec = codec_of(file_of(tmp_path, *vocabulary()))
    for text in texts(3000):
        ids = codec.prompt_ids(text)
        assert ids[0] == 0  # <s>, without a field that says so
        assert ids[1:] == source.encode(text, add_special_tokens=False).ids, repr(text)
    for text in texts(1000, seed=1, parts=[*PARTS, *CONTROLS]):
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
    words, scores, kinds = vocabulary(more=["<", "s>", "<s", ">"])
    codec = codec_of(file_of(tmp_path, words, scores, kinds))
    ids = codec.encode("x <s> </s> <s")
    assert codec.decode(ids) == "x <s> </s> <s"
    assert not {words.index("<s>"), words.index("</s>")} & set(ids)


@pytest.mark.parametrize(
    ("spoil", "fields"),
    [
        (lambda words, *_: words.remove("<0x7F>"), {}),
        (lambda *_: None, {"remove_extra_whitespaces": True}),
    ],
)
def test_what_is_not_known_word_for_word_is_refused(tmp_path, spoil, fields):
    words, scores, kinds = vocabulary()
    spoil(words, scores, kinds)
    count = len(words)
    path = file_of(tmp_path, words, scores[:count], kinds[:count], **fields)
    with pytest.raises(errors.ModelUnsupported, match="a tokenizer llama"):
        codec_of(path)
