"""Healed answers begin with the bytes that the prompt gave up, however they are cut."""

from editd.decode.detokenizer import Detokenizer, Healing
from editd.decode.drafters.base import EMPTY, Draft


class Words:
    """A codec over a short list of byte strings."""

    def __init__(self, *words):
        self.words = words
        self.vocab_size = len(words)

    def token_bytes(self, token_id):
        return self.words[token_id]

    def ids_with_prefix(self, prefix):
        return [
            i
            for i, word in enumerate(self.words)
            if word and (word.startswith(prefix) or prefix.startswith(word))
        ]


def limits(required, output, draft=EMPTY, words=(b"\n", b"\n    ", b"``", b"`\n", b"x", b"")):
    healing = Healing(Words(*words), required)
    rows = healing.rows(output, draft)
    return rows if rows is None else [row if row is None else set(row) for row in rows]


def test_nothing_required_limits_nothing():
    assert limits(b"", []) is None


def test_first_token_spells_the_required_bytes():
    assert limits(b"\n", []) == [{0, 1}]


def test_a_token_may_spell_less_or_more_than_required():
    assert limits(b"``", [], words=(b"`", b"``", b"```", b"x")) == [{0, 1, 2}]


def test_rest_is_required_of_the_next_token():
    assert limits(b"``\n", [2]) == [{0, 1}]


def test_free_once_the_bytes_stand():
    assert limits(b"\n", [1]) is None


def test_rows_of_a_chain_follow_the_draft():
    assert limits(b"``\n", [], Draft([2, 1, 4])) == [{2}, {0, 1}, None, None]


def test_rows_of_a_tree_follow_their_branch():
    assert limits(b"``\n", [], Draft([2, 1, 2], parents=[-1, 0, -1])) == [{2}, {0, 1}, None, {0, 1}]


def test_detokenizer_skips_what_was_healed_and_keeps_characters_whole():
    codec = Words(b"``", b"`\n\xe2", b"\x82", b"\xac!", b"\xf0\x9f")
    detokenizer = Detokenizer(codec, skip=4)
    assert [detokenizer.feed(i) for i in range(5)] == ["", "", "", "€!", ""]
    assert detokenizer.finish() == "�"
