"""Random buffers, edits, drafters, windows and stops: the text is plain decoding's, and ends there.

Three things are looked at with every seed: the output is the answer up to its stop and not a token
more; what a reader of the stream sees is the answer's text, never half a character; figures add up.
"""

from __future__ import annotations

import random

import pytest

from editd.decode.costs import CPU_SHAPE, GPU_SHAPE, RoundCosts
from editd.decode.detokenizer import Detokenizer
from editd.decode.drafters import make_drafter
from editd.decode.drafters.base import Draft, DraftTask
from editd.decode.speculative import Decoding
from editd.decode.window import FixedWindow, WindowPolicy
from tests.replay.scripted_target import ScriptedTarget

END = -2
OPENING = "```\n"
NAMES = ("user", "User", "user_id", "USER_ID", "x", "é", "日本", "🙂", "naïve", "total", "call")
DRAFTERS = (
    "none",
    "buffer",
    "buffer:tree",
    "suffix",
    "suffix:tree",
    "buffer+suffix",
    "buffer:tree+suffix",
    "buffer+prompt-lookup:transformers",
    "prompt-lookup",
    "prompt-lookup:saxena",
    "prediction",
    "prediction:1",
    "hostile",
)


class ByteCodec:
    """Bytes, and pairs of bytes that were merged whatever characters they belong to."""

    vocab_size = 256 + 256

    def __init__(self, rng):
        self._pairs = {}
        sample = "".join(NAMES).encode() + b"    \n()=, "
        for number in range(40):
            at = rng.randrange(len(sample) - 1)
            self._pairs.setdefault(sample[at : at + 2], 256 + number)
        self._bytes = {token_id: pair for pair, token_id in self._pairs.items()}

    def encode(self, text, after=""):
        return self._ids(text.encode())

    def _ids(self, spelled):
        ids, at = [], 0
        while at < len(spelled):
            pair = self._pairs.get(spelled[at : at + 2])
            ids.append(spelled[at] if pair is None else pair)
            at += 1 if pair is None else 2
        return ids

    def decode(self, token_ids):
        return b"".join(map(self.token_bytes, token_ids)).decode("utf-8", errors="replace")

    def token_bytes(self, token_id):
        if token_id < 0:
            return b""
        return self._bytes[token_id] if token_id in self._bytes else bytes([token_id])


class Hostile:
    """Right, wrong, too long, wild trees: whatever the seed says this round."""

    name = "hostile"

    def __init__(self, rng, answer):
        self._rng, self._answer = rng, answer

    def propose(self, output_ids, max_tokens):
        rng = self._rng
        size = rng.choice((0, 1, max_tokens, max_tokens + rng.randrange(9)))
        good = self._answer[len(output_ids) :][: rng.randrange(size + 1)]
        tokens = [*good, *(rng.randrange(256) for _ in range(size - len(good)))]
        if rng.random() < 0.5:
            return Draft(tokens)
        wild = [rng.randrange(-1, i) for i in range(len(tokens))]
        return Draft(tokens, parents=[i - 1 if i < len(good) else p for i, p in enumerate(wild)])

    def observe(self, accepted_ids):
        assert accepted_ids


def line(rng):
    indent = rng.choice(("", "    ", "        ", "\t"))
    words = [rng.choice(NAMES) for _ in range(rng.randrange(1, 5))]
    return indent + rng.choice((" = ", ", ", "(", ".")).join(words) + rng.choice((")", "", "\n"))


def edited(rng, lines):
    lines = list(lines)
    for _ in range(rng.randrange(5)):
        start = rng.randrange(len(lines) + 1)
        end = min(len(lines), start + rng.randrange(8))
        block = lines[start:end]
        old, new = rng.choice(NAMES), rng.choice((*NAMES, "account", "", "await user"))
        lines[start:end] = rng.choice(
            (
                [],
                [*block, line(rng), line(rng)],
                ["    " + one for one in block],
                [one.removeprefix("    ") for one in block],
                [one.replace(old, new) for one in block],
                [*block, *block],
                block[::-1],
            )
        )
    return lines


def window_of(rng):
    if rng.random() < 0.6:
        return FixedWindow(rng.choice((1, 3, 16, 64, 256)))
    shape = rng.choice((CPU_SHAPE, GPU_SHAPE))
    return WindowPolicy(RoundCosts(shape, [(1, 0.01)]), most=rng.choice((8, 64, 255)))


def check_seed(seed):
    rng = random.Random(seed)
    codec = ByteCodec(rng)
    lines = [line(rng) for _ in range(rng.randrange(1, 25))]
    before, after = "\n".join(lines), "\n".join(edited(rng, lines))
    answer = [*codec.encode(after), END]
    prompt_ids = codec.encode(f"```\n{before}```\n{OPENING}")
    spec = rng.choice(DRAFTERS)
    task = DraftTask(
        prompt_ids,
        before,
        OPENING,
        codec,
        answer_closing=rng.choice(("", "```")),
        trees=rng.random() < 0.8,
        costs=RoundCosts(rng.choice((CPU_SHAPE, GPU_SHAPE)), [(1, 0.01)]),
    )
    drafter = Hostile(rng, answer) if spec == "hostile" else make_drafter(spec, task)
    # The stop: the end token, a text, or a number of tokens.
    stop = rng.choice(("end", "text", "length"))
    word = after[len(after) // 2 :][: rng.randrange(1, 4)] if stop == "text" else ""
    most = rng.randrange(1, len(answer) + 1) if stop == "length" else len(answer) + 5
    heard = []

    def ends(token_id):
        heard.append(token_id)
        return token_id == END or bool(word and word in codec.decode(heard))

    decoding = Decoding(
        ScriptedTarget(prompt_ids, answer, seed),
        prompt_ids,
        drafter,
        ends_answer=ends,
        max_new_tokens=most,
        window=window_of(rng),
    )
    reader, seen = Detokenizer(codec), ""
    while decoding.finish_reason is None:
        done = decoding.advance()
        if done is None:
            continue
        for token_id in done.token_ids:
            seen += reader.feed(token_id)
        assert "\ufffd" not in seen
        assert after.startswith(seen)
    output, stats = decoding.output_ids, decoding.stats
    assert output == answer[: len(output)] == heard
    if decoding.finish_reason == "length":
        assert len(output) == most
    else:
        # The stop came with the last token, and not before it.
        assert output[-1] == END or word in codec.decode(output)
        assert not word or word not in codec.decode(output[:-1])
    assert stats.output_tokens == len(output) <= stats.accepted + stats.rounds
    assert stats.drafted == stats.accepted + stats.rejected
    assert len(stats.windows) == stats.rounds


def check_seeds(seeds):
    for seed in seeds:
        check_seed(seed)


@pytest.mark.parametrize("block", range(3))
def test_random_edits_are_decoded_as_they_are(block):
    check_seeds(range(block * 100, block * 100 + 100))


@pytest.mark.slow
@pytest.mark.parametrize("block", range(20))
def test_random_edits_are_decoded_as_they_are_for_long(block):
    check_seeds(range(1000 + block * 500, 1500 + block * 500))


def test_a_loop_that_says_more_than_the_stop_is_caught(monkeypatch):
    """The check can fail: a loop that emits what was accepted behind a stop is found out."""
    emit = Decoding._emit

    def talkative(self, draft, path, rows, base):
        ends, self._ends_answer = self._ends_answer, lambda token_id: False
        done = emit(self, draft, path, rows, base)
        self._ends_answer = ends
        for token_id in done.token_ids:
            if ends(token_id):
                self.finish_reason = "stop"
        return done

    monkeypatch.setattr(Decoding, "_emit", talkative)
    with pytest.raises(AssertionError):
        check_seeds(range(60))
