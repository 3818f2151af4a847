"""From raw answers to bodies: the corpus of malformed answers, pushed in pieces of every size."""

import json
import random
from pathlib import Path

import pytest

from editd.prompts.answer import AnswerReader, choose_fence
from editd.prompts.fenced import FencedAnswer
from editd.prompts.old_text import OldText
from editd.prompts.prose import is_talk, reads_like_prose

CORPUS = Path(__file__).parents[2] / "fixtures" / "answers"
CASES = [
    pytest.param(case, id=f"{file.stem}: {case['name']}")
    for file in sorted(CORPUS.glob("*.json"))
    for case in json.loads(file.read_text(encoding="utf-8"))["cases"]
]


def read(case, pieces):
    reader = AnswerReader(case["opening"], case["fence"], case["buffer"])
    body = ""
    for piece in pieces:
        body += reader.feed(piece)
        assert not reader.refusal
    return body + reader.finish(), reader


def random_pieces(answer, seed):
    rng = random.Random(seed)
    while answer:
        cut = rng.randrange(1, 12)
        yield answer[:cut]
        answer = answer[cut:]


def check(case, pieces):
    body, reader = read(case, pieces)
    if "refusal" in case:
        assert case["refusal"] in reader.refusal
        assert not body.strip()
        return
    assert reader.refusal == ""
    if "body" in case:
        assert body == case["body"]
    if "closed" in case:
        assert reader.closed is case["closed"]


@pytest.mark.parametrize("case", CASES)
def test_the_body_is_found(case):
    answer = case["answer"]
    check(case, [answer])
    check(case, list(answer))
    check(case, answer.splitlines(keepends=True))
    for seed in range(3):
        check(case, random_pieces(answer, seed))


def test_the_corpus_is_large_enough():
    assert len(CASES) >= 30


def test_body_text_is_given_out_as_soon_as_it_is_certain():
    reader = AnswerReader("```python\n", "```")
    assert reader.feed("import") == ""  # the first line may be talk
    assert reader.feed(" os\nx") == "import os\nx"
    assert reader.feed(" = 1") == " = 1"
    assert reader.feed("\n``") == "\n"  # may be the closing fence
    assert reader.feed("x``\n") == "``x``\n"  # was not
    assert reader.feed("```") == ""
    assert not reader.closed
    assert reader.feed("\nThat was it.") == ""
    assert reader.closed
    assert reader.finish() == ""


def test_a_tag_is_held_back_until_it_is_whole():
    reader = AnswerReader("<code>\n", "</code>")
    assert reader.feed("a </") == "a "
    assert reader.feed("b> </co") == "</b> "
    assert reader.feed("de> c") == ""
    assert reader.closed


def test_without_a_region_only_plain_talk_is_dropped():
    reader = AnswerReader("```\n", "```")
    assert reader.feed("This sentence may well be the text itself.\n") != ""
    reader = AnswerReader("```\n", "```")
    assert reader.feed("Sure, here is the updated code:\n") == ""


@pytest.mark.parametrize(
    ("content", "fence"),
    [
        ("", "```"),
        ("x = `a` ``` b", "```"),
        ("```", "````"),
        ("text\n   `````python\n", "``````"),
        ("````\n```\n", "`````"),
    ],
)
def test_the_fence_is_longer_than_any_in_the_content(content, fence):
    assert choose_fence(content) == fence


def test_a_caller_may_ask_for_a_longer_fence():
    assert choose_fence("", at_least=4) == "````"


@pytest.mark.parametrize(
    ("line", "talk"),
    [
        ("Sure! Here is the updated code:", True),
        ("Here's the modified function:", True),
        ("**Here is the full file**:", True),
        ("I've renamed `area` to `surface`.", True),
        ("I’m sorry, I can’t do that.", True),
        ("As an AI language model, I cannot", True),
        ("Explanation:", True),
        ("# The new file is written first.", False),
        ("here = the_code", False),
        ("import sure", False),
        ("I/O errors are raised.", False),
        ("Please note that this is a draft.", False),
        ("", False),
    ],
)
def test_talk_is_told_from_text(line, talk):
    assert is_talk(line) is talk


@pytest.mark.parametrize(
    ("line", "prose"),
    [
        ("The function already has that name.", True),
        ("The function `area()` is already called that way.", True),
        ("return the value of x", False),
        ("for x in range(3):", False),
        ("# This comment is a sentence.", False),
        ("Short one.", False),
        ("", False),
    ],
)
def test_sentences_are_told_from_code(line, prose):
    assert reads_like_prose(line) is prose


def test_a_long_line_is_not_read_again_with_each_piece():
    class Piece(str):
        """Text that counts its characters whenever something is made of all of it."""

        __slots__ = ()

        read = 0

        def _made(self, text):
            Piece.read += len(self)
            return Piece(text)

        def __add__(self, other):
            return self._made(str(self) + other)

        def __radd__(self, other):
            return self._made(other + str(self))

        def rstrip(self, *args):
            return self._made(str(self).rstrip(*args))

        def split(self, *args):
            return list(map(self._made, str(self).split(*args)))

    reader = FencedAnswer("```\n", "```", OldText(""))
    body = reader.feed("x\n")
    pieces = ["long ", "``", " ", "` ", "line"] * 400
    for piece in pieces:
        body += reader.feed(Piece(piece))
    body += reader.feed("\n```\n") + reader.finish()
    assert body == "x\n" + "".join(pieces) + "\n"
    assert Piece.read <= 8 * len(body)
