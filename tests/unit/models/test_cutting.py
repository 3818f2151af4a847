"""A text read in pieces has the ids that it has in one go, and no call of the library gets much of it."""

import json
import random

import pytest
from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers, trainers

from editd.errors import EditRefused
from editd.models.text import codec as cutting
from editd.models.text.codec import ModelCodec
from editd.turns import Turns
from tests import tiny

# How tokenizers in use cut a text into words, as their files have it.
PATTERNS = {
    "gpt2": r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+",
    "qwen2": r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*"
    r"|\s*[\r\n]+|\s+(?!\S)|\s+",
    "llama3": r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}"
    r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+",
    "o200k": r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+"
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)?|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+"
    r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|\p{N}{1,3}"
    r"| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+",
}


def with_pattern(pattern):
    """A BPE over bytes in words of ``pattern``, trained on code-like text."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(pattern), "isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=900,
        special_tokens=["<|end|>"],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(
        [*tiny.corpus(), json.dumps([{"id": 1, "it's": 2}] * 50)], trainer
    )
    return tokenizer


TOKENIZERS = {
    **{name: with_pattern(pattern) for name, pattern in PATTERNS.items()},
    "byte-level": tiny.byte_level_tokenizer(),
    "sentencepiece": tiny.sentencepiece_tokenizer(),
}
every_tokenizer = pytest.mark.parametrize("name", TOKENIZERS)

# What borders have been got wrong with: runs of blanks and line ends, contractions, words in two
# cases, numbers, letters of scripts without cases, accents, joined emoji, words of control tokens.
BITS = [
    *" \n\t\r(){}[]'\",.;:=+-/<>_",
    "\r\n", "\n\n", "    ", "\n    ", " \n \n", ");\n\n", "it's", "WE'LL", "'", "'r", "x", "foo",
    "HTMLParser", "camelCase", "UPPER", "1234567", "0x1f", "größe", "漢字かな", "привет",
    "e\u0301", "👩‍👩‍👧", "🙂", "\u2028", "\x00", "<|end|>", "</s>", "▁", "return ", "self.",
]  # fmt: skip


def in_one_go(codec, text):
    """The ids of ``text`` as the library gives them for all of it."""
    tokenizer = codec._tokenizer._for_insides
    tokenizer.encode_special_tokens = True
    return tokenizer.encode(text, add_special_tokens=False).ids


@every_tokenizer
def test_pieces_have_the_ids_of_the_whole(name, monkeypatch):
    codec = ModelCodec(Tokenizer.from_str(TOKENIZERS[name].to_str()))
    chance = random.Random(name)
    bits = [bit for bit in BITS if bit != codec._tokenizer.space_sign[0]]
    # Small windows: as many borders in a small text as a large one has in large windows.
    monkeypatch.setattr(cutting, "WINDOW", 400)
    monkeypatch.setattr(cutting, "_MARGIN", 64)
    for round_ in range(30):
        few = chance.sample(bits, chance.choice([2, 4, len(bits)]))
        text = "".join(chance.choices(few, k=1500)) + "".join(tiny.corpus(round_ % 7))
        assert codec.encode(text) == in_one_go(codec, text), text


@every_tokenizer
@pytest.mark.parametrize("shape", ["code", "one line", "prose"])
def test_no_call_gets_more_than_a_window(name, shape, monkeypatch):
    codec = ModelCodec(Tokenizer.from_str(TOKENIZERS[name].to_str()))
    text = {
        "code": "".join(tiny.corpus(200)),
        "one line": json.dumps([{"id": n, "name": f"n {n * 7919}"} for n in range(5000)]),
        "prose": "It was a bright cold day in April, and the clocks were striking thirteen. " * 800,
    }[shape]
    given = []
    read = cutting.WindowTokenizer.tokenize

    def counted(self, first, then, text):
        def counting(encode):
            return lambda piece: given.append(len(piece)) or encode(piece)

        return read(self, counting(first), counting(then), text)

    monkeypatch.setattr(cutting.WindowTokenizer, "tokenize", counted)
    assert codec.encode(text) == in_one_go(codec, text)
    assert max(given) <= cutting.WINDOW
    assert sum(given) < 1.2 * len(text) + cutting.WINDOW


@every_tokenizer
def test_control_words_in_a_long_prompt_lose_no_text(name, monkeypatch):
    codec = ModelCodec(Tokenizer.from_str(TOKENIZERS[name].to_str()))
    word = "</s>" if name == "sentencepiece" else "<|end|>"
    text = "".join(f"{line}\n{word}\n" for line in "".join(tiny.corpus(40)).splitlines())
    monkeypatch.setattr(cutting, "WINDOW", 400)
    monkeypatch.setattr(cutting, "_LONGEST_RUN", 1 << 20)
    monkeypatch.setattr(cutting, "_MARGIN", 8)
    ids = codec.prompt_ids(text)
    assert ids.count(codec.id_of(word)) == text.count(word)
    assert codec.decode(ids).split() == text.replace(word, "").split()


def test_between_two_pieces_another_text_may_be_read():
    codec = ModelCodec(Tokenizer.from_str(TOKENIZERS["qwen2"].to_str()))
    text = "".join(tiny.corpus(200)) + "<|end|>"
    turns = Turns(lambda: codec.encode(text))
    turns.advance(0.0)
    assert not turns.done
    assert codec.prompt_ids("<|end|>") == [codec.id_of("<|end|>")]
    while not turns.done:
        turns.advance()
    assert turns.result == in_one_go(codec, text)


def test_a_run_without_end_is_refused_and_not_read():
    codec = ModelCodec(Tokenizer.from_str(TOKENIZERS["qwen2"].to_str()))
    with pytest.raises(EditRefused, match="characters without a place"):
        codec.encode("x" * 10_000_000)
