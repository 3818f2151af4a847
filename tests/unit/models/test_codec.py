"""Text in, the same text out; borders, control tokens and healed prompts as promised."""

from __future__ import annotations

import random

import pytest
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers

from editd.errors import ModelDamaged, ModelUnsupported
from editd.models.text.codec import ModelCodec, load_codec
from editd.models.text.tokenizer_file import byte_alphabet
from tests import tiny


def copied(tokenizer):
    return Tokenizer.from_str(tokenizer.to_str())


def codecs():
    metaspace = copied(tiny.sentencepiece_tokenizer())
    metaspace.normalizer = None
    metaspace.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="first", split=False)
    metaspace.decoder = decoders.Sequence(
        [decoders.ByteFallback(), decoders.Metaspace(prepend_scheme="first", split=False)]
    )
    prefixed = copied(tiny.byte_level_tokenizer())
    prefixed.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=True)
    composed = copied(tiny.byte_level_tokenizer())
    composed.normalizer = normalizers.NFC()
    return {
        "byte-level": ModelCodec(copied(tiny.byte_level_tokenizer()), vocab_size=512),
        "byte-level, prefix space": ModelCodec(prefixed),
        "byte-level, NFC": ModelCodec(composed),
        "byte-fallback": ModelCodec(copied(tiny.sentencepiece_tokenizer())),
        "metaspace": ModelCodec(metaspace),
    }


CODECS = codecs()
every_codec = pytest.mark.parametrize("codec", CODECS.values(), ids=CODECS.keys())

TEXTS = [
    "",
    " ",
    "\n",
    "def f():\n\treturn 1\n",
    "  two\n    four\n\n\n",
    "größe 漢字 🙂👩‍👩‍👧",
    "e\u0301 and \u00e9",
    "form\x0cfeed\u2028line",
    "▁ and Ġ and <0x41> are text",
    "<|end|> </s> <|tool|>",
]


@every_codec
@pytest.mark.parametrize("text", TEXTS)
def test_text_comes_back(codec, text):
    assert codec.decode(codec.encode(text)) == text


@every_codec
def test_random_text_comes_back_after_any_other(codec):
    chance = random.Random(0)
    pieces = [*TEXTS, *tiny.corpus(5), "x", "=", "1.5"]
    for _ in range(200):
        after = "".join(chance.choices(pieces, k=2))
        text = "".join(chance.choices(pieces, k=3))
        spelled = b"".join(map(codec.token_bytes, codec.encode(text, after)))
        straddling = spelled.removesuffix(text.encode())
        assert spelled.endswith(text.encode())
        assert after.encode().endswith(straddling)
        first = codec.encode(text, after)[:1]
        assert len(straddling) < max(1, *(len(codec.token_bytes(i)) for i in first), 1)


@every_codec
def test_text_after_another_is_tokenised_as_there(codec):
    after, text = "def f(value):\n", "    return value\n"
    ids = codec.encode(after + text)
    assert ids[-len(codec.encode(text, after)) :] == codec.encode(text, after)


def test_half_a_character_is_one_replacement():
    codec = CODECS["byte-level"]
    ids = codec.encode("🙂")
    assert len(ids) > 1
    assert codec.decode(ids[:-1]) == "\ufffd"
    assert b"".join(map(codec.token_bytes, ids)) == "🙂".encode()


@every_codec
def test_control_tokens_spell_nothing_and_ids_beyond_the_vocabulary_too(codec):
    control = codec.id_of("<|end|>") or codec.id_of("</s>")
    assert codec.token_bytes(control) == b""
    assert codec.token_bytes(100_000) == b""
    assert codec.token_bytes(-1) == b""


def test_added_tokens_that_are_no_control_tokens_spell_their_words():
    codec = CODECS["byte-level"]
    assert codec.token_bytes(codec.id_of("<|tool|>")) == b"<|tool|>"


def test_byte_alphabet_is_that_of_the_library():
    assert set(byte_alphabet()) == set(pre_tokenizers.ByteLevel.alphabet())
    assert sorted(byte_alphabet().values()) == list(range(256))


# --- prompts -------------------------------------------------------------------------------------


def test_plain_prompts_get_the_opening_token_and_templated_ones_do_not():
    codec = CODECS["byte-fallback"]
    opening = codec.id_of("<s>")
    assert codec.prompt_ids("abc")[0] == opening
    assert codec.prompt_ids("<s>abc").count(opening) == 1
    assert codec.prompt_ids("</s>abc")[0] != opening
    assert opening not in CODECS["byte-level"].prompt_ids("abc")


def test_control_words_count_in_control_pieces_only():
    codec = CODECS["byte-level"]
    end = codec.id_of("<|end|>")
    data = "a = '<|end|>'\n"
    segments = [("<|begin|>user\n", True), (data, False), ("<|end|>", True)]
    ids = codec.prompt_ids(segments)
    assert ids.count(end) == 1
    assert ids[-1] == end
    assert codec.decode(ids) == "user\n" + data
    assert codec.prompt_ids("".join(text for text, _ in segments)).count(end) == 2


@every_codec
def test_without_a_clash_pieces_are_tokenised_as_one_text(codec):
    segments = [("user: ", True), ("def f", False), ("(x):\n", False), ("answer:\n", True)]
    whole = "".join(text for text, _ in segments)
    assert codec.prompt_ids(segments) == codec.prompt_ids(whole)


# --- healing -------------------------------------------------------------------------------------


@every_codec
def test_healed_prompts_lack_just_what_is_required(codec):
    for prompt in ("```python\n", "say def", "x = value\n    ", "größ", "漢"):
        ids, required = codec.heal(prompt)
        whole = codec.prompt_ids(prompt)
        assert whole[: len(ids)] == ids
        assert b"".join(map(codec.token_bytes, whole[len(ids) :])) == required
        assert prompt.endswith(required.decode())
        if required:
            assert any(
                codec.token_bytes(i).startswith(required) and codec.token_bytes(i) != required
                for i in range(codec.vocab_size)
            )


def test_a_newline_that_a_longer_token_could_replace_is_taken_back():
    codec = CODECS["byte-level"]
    merged = codec.encode("\n    x")
    assert codec.token_bytes(merged[0]) != b"\n"  # the vocabulary does join newline and indent
    _, required = codec.heal("```python\n")
    assert required == b"\n"


def test_a_prompt_that_ends_in_a_control_token_is_safe():
    codec = CODECS["byte-level"]
    ids, required = codec.heal("user\n<|end|>")
    assert required == b""
    assert ids == codec.prompt_ids("user\n<|end|>")


@every_codec
@pytest.mark.parametrize("required", [b"\n", b"def", b"    ", "ö".encode(), b"\n\tx(", b"\xff"])
def test_ids_with_prefix_are_all_that_can_spell_it(codec, required):
    def can_spell(spelled):
        return spelled != b"" and (spelled.startswith(required) or required.startswith(spelled))

    expected = [i for i in range(codec.vocab_size) if can_spell(codec.token_bytes(i))]
    assert list(codec.ids_with_prefix(required)) == expected
    assert list(codec.ids_with_prefix(required)) == expected  # the remembered answer


def test_nothing_required_is_no_limit():
    with pytest.raises(ValueError, match="nothing"):
        CODECS["byte-level"].ids_with_prefix(b"")


# --- tokenizers that will not do -----------------------------------------------------------------


def lowercasing():
    tokenizer = copied(tiny.byte_level_tokenizer())
    tokenizer.normalizer = normalizers.Lowercase()
    return tokenizer


def words_only():
    tokenizer = Tokenizer(models.WordLevel({"[UNK]": 0, "def": 1, "f": 2}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    return tokenizer


def without_bytes():
    tokenizer = copied(tiny.sentencepiece_tokenizer())
    tokenizer.model = models.BPE(vocab={"<unk>": 0, "a": 1}, merges=[], unk_token="<unk>")
    return tokenizer


@pytest.mark.parametrize("make", [lowercasing, words_only, without_bytes])
def test_tokenizers_that_lose_text_are_refused(make):
    with pytest.raises(ModelUnsupported, match="cannot spell code exactly"):
        ModelCodec(make())


def test_an_unreadable_tokenizer_is_damaged(tmp_path):
    (tmp_path / "tokenizer.json").write_text("{")
    with pytest.raises(ModelDamaged, match="cannot be read"):
        load_codec(tmp_path)


def test_a_tokenizer_without_its_file_is_converted(tmp_path):
    tiny.byte_level_tokenizer().model.save(str(tmp_path))
    (tmp_path / "config.json").write_text('{"model_type": "gpt2"}')
    codec = load_codec(tmp_path)
    assert codec.decode(codec.encode("def größe():\n")) == "def größe():\n"


def test_the_file_decides_not_a_class_of_transformers(tmp_path):
    """Model type qwen2 makes transformers put another pre-tokenizer in place of the file's."""
    split_all = copied(tiny.byte_level_tokenizer())
    split_all.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split("", "isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    split_all.save(str(tmp_path / "tokenizer.json"))
    (tmp_path / "config.json").write_text('{"model_type": "qwen2"}')
    (tmp_path / "tokenizer_config.json").write_text('{"tokenizer_class": "Qwen2Tokenizer"}')
    assert len(load_codec(tmp_path).encode("return")) == len("return")
