"""Where text came from: every character of a hunk has one origin, and none says more than is known."""

import random

import pytest

from editd.decode.detokenizer import Detokenizer
from editd.diff.document import Document
from editd.diff.hunk import Hunk, Origin
from editd.diff.streaming import StreamingDiff
from editd.engine.edit_prompts import buffer_in
from editd.engine.provenance import NEW, Provenance, TokenOrigin, TokenText, named
from editd.prompts.answer import AnswerReader
from editd.prompts.base import PromptParts

BUFFER, GUESSED = TokenOrigin("buffer"), TokenOrigin("project", "a.py:1")


class ByteCodec:
    """A token is some bytes: its id is its place in a list that grows."""

    vocab_size = 1 << 20

    def __init__(self):
        self.tokens = []

    def id_of(self, spelled):
        self.tokens.append(spelled)
        return len(self.tokens) - 1

    def token_bytes(self, token_id):
        return self.tokens[token_id]


def follow(
    buffer, pieces, *, opening="```\n", fence="```", rounds=None, start=0, end=None, skip=b""
):
    """Hunks with origins, for an answer of ``(bytes, source)`` tokens."""
    document = Document.of(buffer)
    diff = StreamingDiff(document, start, end)
    given = [line + "\n" for line in document.model_lines[diff.start : start]]
    provenance = Provenance(given, at_start=start == 0)
    codec = ByteCodec()
    detokenizer = Detokenizer(codec, skip=len(skip))
    reader = AnswerReader(opening, fence, document.model_text)
    hunks = []

    def told(ops):
        hunks.extend(op for op in ops if isinstance(op, Hunk) and op.done)

    left = list(pieces)
    while left:
        count = rounds() if rounds else 1
        said = []
        for spelled, _ in left[:count]:
            text = detokenizer.feed(codec.id_of(spelled))
            said.append(TokenText(text, reader.feed(text), detokenizer.inside_character))
        provenance.add(said, [source for _, source in left[:count]])
        told(diff.push("".join(body for _, body, _ in said)))
        del left[:count]
    text = detokenizer.finish()
    body = reader.feed(text) + reader.finish()
    ops = [*diff.push(body), *diff.finish()]
    provenance.finish([TokenText(text, body)])
    told(ops)
    return provenance.named(hunks, diff.first_line)


def spans(hunk):
    """Source and text of each span."""
    return [(o.source, hunk.new_lines[o.line][o.start : o.end]) for o in hunk.origins]


def is_covered(hunk):
    for index, line in enumerate(hunk.new_lines):
        mine = [origin for origin in hunk.origins if origin.line == index]
        assert [o.start for o in mine] == [0, *(o.end for o in mine[:-1])]
        assert mine[-1].end == len(line)
        assert all(o.end > o.start for o in mine)


def test_the_worked_example():
    tokens = [(b"x", BUFFER), (b"= 1\n", NEW), (b"```", BUFFER)]
    [hunk] = follow("x = 2\r\n", tokens)
    assert hunk.new_lines == ("x= 1\r\n",)
    assert hunk.origins == (Origin(0, 0, 1, "buffer"), Origin(0, 1, 6, "new"))


@pytest.mark.parametrize(
    ("tokens", "expected"),
    [
        # talk and a fence of its own before the text, and what it says comes twice
        ([(b"Sure, x = 1:\n```\n", NEW), (b"x = 1\n", BUFFER), (b"```\nx = 1\n", GUESSED)], [("buffer", "x = 1\n")]),
        # the fence is glued to the last line
        ([(b"y\nx = ", BUFFER), (b"1```", NEW)], [("buffer", "y\n"), ("buffer", "x = "), ("new", "1\n")]),
        # a character of two tokens, from one source and from two
        ([(b"\xc3", BUFFER), (b"\xa4", BUFFER), (b"b\n```", NEW)], [("buffer", "ä"), ("new", "b\n")]),
        ([(b"\xc3", NEW), (b"\xa4b\n```", BUFFER)], [("new", "ä"), ("buffer", "b\n")]),
        ([(b"\xf0\x9f", NEW), (b"\x99", BUFFER), (b"\x82b\n```", BUFFER)], [("new", "🙂"), ("buffer", "b\n")]),
        ([(b"\xf0\x9f", BUFFER), (b"\x99\x82", NEW), (b"b\n```", BUFFER)], [("new", "🙂"), ("buffer", "b\n")]),
        # a token of two lines, and a line end that nobody wrote
        ([(b"x\ny", GUESSED)], [("project", "x\n"), ("project", "y"), ("new", "\n")]),
        # the same words in its thoughts, which are its own
        ([(b"<think>x = 1\n</think>\n", NEW), (b"x = 1\n", BUFFER), (b"```", NEW)], [("buffer", "x = 1\n")]),
        # half a line end each: whose it is cannot be said
        ([(b"x\r", BUFFER), (b"\n```", GUESSED)], [("buffer", "x"), ("new", "\n")]),
        ([(b"x\r", BUFFER), (b"\n```", NEW)], [("buffer", "x"), ("new", "\n")]),
        # a character that is never finished
        ([(b"x\n", BUFFER), (b"y\xc3", BUFFER)], [("buffer", "x\n"), ("buffer", "y"), ("new", "\ufffd\n")]),
    ],
)  # fmt: skip
def test_the_way_of_a_token(tokens, expected):
    hunks = follow("a\n", tokens)
    assert [span for hunk in hunks for span in spans(hunk)] == expected
    for hunk in hunks:
        is_covered(hunk)


def test_lines_that_the_region_brings_along_are_the_buffer_s():
    [hunk] = follow("a\nb", [(b"c\n", GUESSED)], opening="", fence="", start=2, end=2)
    assert hunk.new_lines == ("b\n", "c")
    assert spans(hunk) == [("buffer", "b"), ("new", "\n"), ("project", "c")]


def test_healed_bytes_are_no_text():
    [hunk] = follow("a\n", [(b"\n  x", BUFFER), (b"\n```", NEW)], skip=b"\n")
    assert spans(hunk) == [("buffer", "  x"), ("new", "\n")]


LINES = ["a = 1", "  b(a)", "", "größe = '漢字🙂'", "}", "x\ty", "```", "# `a`"]
WORDS = ["a", "\n", " ", "``", "größe", "🙂", "x = 2", "\r\n", "}"]


@pytest.mark.parametrize("seed", range(300))
def test_every_character_of_every_hunk_has_one_true_origin(seed):
    """Sources are drawn so that each character's is known: what the spans say must be that.

    Tokens are bytes cut anywhere, each of a random source. Letters of the answer that come from
    the "buffer" are marked by their bytes' sources; a span that says buffer where a byte of it
    was not is a lie.
    """
    rng = random.Random(seed)
    end = rng.choice(["\n", "\r\n"])
    buffer = end.join(rng.choices(LINES, k=rng.randrange(1, 12))) + rng.choice(["", end])
    lines = Document.of(buffer).model_text.split("\n")
    for _ in range(rng.randrange(5)):
        at = rng.randrange(len(lines))
        lines[at : at + rng.randrange(3)] = ["".join(rng.choices(WORDS, k=rng.randrange(1, 5)))]
    answer = "\n".join(lines).encode()
    marks = bytearray()  # for each byte of the answer whether it was drafted from the buffer
    tokens = []
    left = answer + b"\n````"
    while left:
        size = rng.randrange(1, rng.choice([2, 4, 12, 40]))
        source = rng.choice([BUFFER, BUFFER, GUESSED, NEW])
        tokens.append((left[:size], source))
        marks += bytes([source == BUFFER]) * len(left[:size])
        left = left[size:]
    hunks = follow(
        buffer, tokens, opening="````\n", fence="````", rounds=lambda: rng.randrange(1, 9)
    )
    copied = "".join(
        character if all(marks[start : start + size]) else "\0"
        for character, start, size in characters((answer + b"\n````").decode())
    )
    for hunk in hunks:
        is_covered(hunk)
        for source, text in spans(hunk):
            bare = text.rstrip("\r\n")
            assert source in ("buffer", "project", "new")
            assert source != "buffer" or bare in copied


def characters(text):
    at = 0
    for character in text:
        size = len(character.encode())
        yield character, at, size
        at += size


@pytest.mark.parametrize(
    ("source", "of_buffer", "ours"),
    [
        ("buffer", True, ("buffer", "")),
        ("buffer", False, ("new", "prediction")),
        ("substitution", True, ("substitution", "")),
        ("substitution", False, ("new", "prediction")),
        ("prediction", True, ("buffer", "")),
        ("prediction:16", True, ("new", "")),
        ("suffix", True, ("new", "guess")),
        ("suffix:buffer", False, ("buffer", "")),
        ("suffix:output", True, ("output", "")),
        ("suffix:prompt", True, ("new", "prompt")),
        ("prompt-lookup:buffer", True, ("buffer", "")),
        ("project:a:b/c.py:12", True, ("project", "a:b/c.py:12")),
        ("draft-model", True, ("draft-model", "")),
        ("universal", True, ("draft-model", "")),
        ("new", True, ("new", "")),
        ("buffer+suffix", True, ("new", "")),
        ("", True, ("new", "")),
    ],
)
def test_drafters_words_become_ours(source, of_buffer, ours):
    assert named(source, of_buffer=of_buffer) == ours


def check_ranges(prompt, parts, expected):
    codec = ByteCodec()
    ids = [codec.id_of(piece.encode()) for piece in prompt]
    found = buffer_in(PromptParts("", "", *parts, instruction=""), ids, codec)
    assert ["".join(prompt[start:end]) for start, end in found] == expected


def test_the_buffer_is_found_in_the_prompt():
    check_ranges(["", "say\n", "a", "b\n", "c\n", "do: a"], ("", "ab\nc\n", ""), ["ab\nc\n"])
    check_ranges(["x", "pre\n", "[", "in\n", "]", "post\n"], ("pre\n", "in\n", "post\n"),
                 ["pre\n", "in\n", "post\n"])  # fmt: skip
    check_ranges(["a\n", "a\n"], ("", "a\n", ""), [])  # which of the two?
    check_ranges(["xa", "b", "\ny"], ("", "ab\n", ""), ["b"])  # only whole tokens
    check_ranges(["other"], ("", "ab\n", ""), [])
    check_ranges(["other"], ("", "", ""), [])
