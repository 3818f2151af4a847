"""Codecs of the benchmarks: exact there and back, and in their place."""

import base64

import pytest

from benchmarks.tekken import convert
from editd.errors import UsageError
from tests.model_free_codec import FolderCodec, PseudoCodec, open_codec

TEXT = "def f(x):\n    return 'é 你好 🙂'\n\n\nclass A: pass\n"


@pytest.fixture
def folder(tmp_path):
    """A vocabulary in the converted format: bytes, and a few words of growing length."""
    words = [b"de", b"def", b"re", b"ret", b"    ", b"))", b"\n\n"]
    words.insert(4, b"  ")
    tokens = [bytes([byte]) for byte in range(256)] + words
    tekken = {
        "config": {
            "pattern": r"\w+|\s*\n+|\s+(?!\S)|\s+|[^\w\s]+",
            "default_vocab_size": len(tokens) + 2,
            "default_num_special_tokens": 2,
        },
        "vocab": [{"token_bytes": base64.b64encode(token).decode()} for token in tokens],
    }
    convert(tekken).save(str(tmp_path / "tokenizer.json"))
    return tmp_path


def check(codec):
    ids = codec.encode(TEXT)
    assert codec.decode(ids) == TEXT
    assert b"".join(map(codec.token_bytes, ids)) == TEXT.encode()
    assert codec.encode("") == []
    assert codec.encode("", "```\n") == []
    assert codec.decode(codec.encode("x = 1\n", "```\n")) == "x = 1\n"


def test_the_stand_in_is_exact():
    check(PseudoCodec())
    check(open_codec(None))


def test_a_folder_is_exact(folder):
    check(FolderCodec(folder))


def test_ranks_become_merges(folder):
    codec = FolderCodec(folder)
    spelled = [codec.token_bytes(i) for i in codec.encode("def retd))")]
    assert spelled == [b"def", b" ", b"ret", b"d", b"))"]


def test_a_straddling_token_comes_whole(folder):
    codec = FolderCodec(folder)
    assert [codec.token_bytes(i) for i in codec.encode("\nx", "a\n")] == [b"\n\n", b"x"]


def test_a_folder_without_a_tokenizer_is_said(tmp_path):
    with pytest.raises(UsageError, match="cannot be read as a tokenizer"):
        FolderCodec(tmp_path)
