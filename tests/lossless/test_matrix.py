"""The matrix: every drafter × kind of edit × window × stop condition gives plain decoding's text.

A tiny model in float64 writes words (its choices are limited to tokens that spell one word each, so
that its text, read again, has the same tokens). What it writes plainly is the answer; the buffer is
the answer with an edit undone. So drafts are accepted and rejected as in a real edit, and a real
cache is cropped. ``pytest -m slow`` runs all cells; the others run one cell of each pair of values.
"""

from __future__ import annotations

import itertools
import random
from functools import cache

import pytest
import torch

from editd.decode.costs import RoundCosts
from editd.decode.drafters import make_drafter
from editd.decode.drafters.base import EMPTY, Draft, DraftTask
from editd.decode.drafters.baselines import NoDrafter
from editd.decode.speculative import Decoding
from editd.decode.target import GREEDY, Sampling
from editd.decode.window import FixedWindow
from editd.models.model import ModelSpec
from editd.models.torch.loading import load
from tests import tiny

NEW_TOKENS = 48
SAMPLED = Sampling(temperature=0.8, top_p=0.95, seed=7)
OPENING = "```\n"


@pytest.fixture(autouse=True)
def _one_thread():
    torch.set_num_threads(1)


# --- the target and what it writes ---------------------------------------------------------------


@cache
def model():
    folder = tiny.checkpoint("llama", tokenizer="byte-level")
    return load(ModelSpec(str(folder), device=tiny.DEVICE, dtype="float64", threads=1))


class Words:
    """Limits every choice to tokens that are one word whatever stands before them."""

    def __init__(self, codec):
        self.ids = [
            token_id
            for token_id in range(codec.vocab_size)
            if codec.token_bytes(token_id)[:1] == b" "
            and codec.token_bytes(token_id)[1:].isalpha()
            and codec.encode(codec.decode([token_id]), after="word") == [token_id]
        ]
        assert len(self.ids) > 20

    def rows(self, output_ids, draft):
        return [self.ids] * (len(draft) + 1)


@cache
def words():
    return Words(model().codec)


def run(drafter, sampling, window, ends, most, prompt_ids):
    decoding = Decoding(
        model().target,
        prompt_ids,
        drafter,
        ends_answer=ends,
        max_new_tokens=most,
        sampling=sampling,
        window=FixedWindow(window),
        allowed=words(),
    )
    while decoding.finish_reason is None:
        decoding.advance()
    decoding.close()
    return decoding


@cache
def prompt(kind, sampling):
    """The prompt holds the buffer, and the answer depends on the prompt; so the buffer comes first."""
    loaded = model()
    rng = random.Random(f"{kind} {sampling}")
    buffer = "".join(loaded.codec.decode([rng.choice(words().ids)]) for _ in range(40))
    return tuple(loaded.codec.prompt_ids(f"{buffer}\n{kind}\n{OPENING}"))


@cache
def plain(kind, sampling):
    ids = run(NoDrafter(), sampling, 1, lambda _: False, NEW_TOKENS, prompt(kind, sampling))
    assert len(set(ids.output_ids)) > 10  # it varies, so that equality means something
    return ids.output_ids


# --- edits, undone -------------------------------------------------------------------------------


def before_of(kind, answer_ids, other):
    """A buffer whose edit of that kind gives the answer."""
    ids = list(answer_ids)
    name, count = max(((i, ids.count(i)) for i in set(ids)), key=lambda item: item[1])
    edits = {
        "unchanged": lambda: ids,
        "rename": lambda: [other[0] if i == name else i for i in ids],
        "insert": lambda: ids[:12] + ids[20:],
        "delete": lambda: ids[:12] + other[:9] + ids[12:],
        "replace": lambda: ids[:8] + other[:3] + ids[12:30] + other[3:5] + ids[31:],
        "move": lambda: ids[24:36] + ids[:24] + ids[36:],
        "rewrite": lambda: other,
    }
    assert count > 0
    return edits[kind]()


KINDS = ("unchanged", "rename", "insert", "delete", "replace", "move", "rewrite")


# --- drafters, hostile ones too ------------------------------------------------------------------


class Hostile:
    """Drafts made by ``make(rng, truth, room)``, where ``truth`` is what will come."""

    def __init__(self, name, make, truth):
        self.name, self._make, self._truth, self._rng = name, make, truth, random.Random(1)

    def propose(self, output_ids, max_tokens):
        return self._make(self._rng, self._truth[len(output_ids) :], max_tokens)

    def observe(self, accepted_ids):
        pass


def at_random(rng, truth, room):
    return Draft([rng.choice(words().ids) for _ in range(room)])


def always_wrong(rng, truth, room):
    ids = words().ids
    return Draft([ids[(ids.index(i) + 1) % len(ids)] for i in truth[:room]]) if truth else EMPTY


def too_long(rng, truth, room):
    good = truth[: rng.randrange(room + 2)]
    return Draft([*good, *(rng.choice(words().ids) for _ in range(room + 5))])


def wild_tree(rng, truth, room):
    tokens, parents, last = [], [], -1
    for token_id in truth[: room // 2]:
        tokens += [rng.choice(words().ids), token_id]
        parents += [rng.randrange(-1, len(tokens) - 2), last]
        last = len(tokens) - 1
    return Draft(tokens, parents=parents) if tokens else EMPTY


HOSTILE = {
    "hostile:random": at_random,
    "hostile:wrong": always_wrong,
    "hostile:long": too_long,
    "hostile:tree": wild_tree,
}
# Flat up to a hundred rows: chains and trees are both chosen.
COSTS = RoundCosts(times=[(k, max(1.0, k / 100)) for k in (1, 16, 64, 128, 256)])
DRAFTERS = (
    "prompt-lookup:transformers",
    "prompt-lookup:saxena",
    "prompt-lookup:tuned",
    "prediction:1",
    "prediction:16",
    "suffix",
    "suffix:tree",
    "buffer",
    "buffer:tree",
    "buffer+suffix",
    "buffer:chain+suffix",
    "buffer:tree+suffix",
    "buffer+prompt-lookup",
    "sketch",
    "sketch:tree+suffix",
    *HOSTILE,
)
WINDOWS = (1, 5, 17, 64)


# --- stop conditions -----------------------------------------------------------------------------


def eos(answer_ids):
    """An end token in the middle, the first time that it comes."""
    return (lambda: answer_ids[len(answer_ids) // 2].__eq__), NEW_TOKENS


def stop_string(answer_ids):
    """A text that reaches over the border of two tokens."""
    said = model().codec.decode(answer_ids[20:22])
    word = said[len(said) // 2 - 1 : len(said) // 2 + 2]

    def make():
        heard = []

        def ends(token_id):
            heard.append(token_id)
            return word in model().codec.decode(heard)

        return ends

    return make, NEW_TOKENS


def max_tokens(answer_ids):
    return (lambda: lambda _: False), 31


STOPS = {"eos": eos, "stop string": stop_string, "max tokens": max_tokens}


def stopped(answer_ids, ends, most):
    """Plain decoding's output under that condition: nothing behind the stop."""
    for count, token_id in enumerate(answer_ids[:most], start=1):
        if ends(token_id):
            return answer_ids[:count], "stop"
    return answer_ids[:most], "length"


def check(drafter, kind, window, stop, sampling):
    loaded, answer_ids = model(), plain(kind, sampling)
    prompt_ids = prompt(kind, sampling)
    make_ends, most = STOPS[stop](answer_ids)
    expected, reason = stopped(answer_ids, make_ends(), most)
    if drafter in HOSTILE:
        built = Hostile(drafter, HOSTILE[drafter], answer_ids)
    else:
        other = random.Random(kind).choices(words().ids, k=NEW_TOKENS)
        buffer = loaded.codec.decode(before_of(kind, answer_ids, other))
        built = make_drafter(
            drafter,
            DraftTask(
                prompt_ids,
                buffer,
                OPENING,
                loaded.codec,
                costs=COSTS,
                **half_right(loaded.codec.decode, answer_ids, other),
            ),
        )
    result = run(built, sampling, window, make_ends(), most, prompt_ids)
    assert result.output_ids == expected
    assert result.finish_reason == reason
    assert result.stats.near_ties == 0
    return result.stats


def half_right(text, answer_ids, other):
    """What is made of a sketch: a merge that goes wrong."""
    merged = [(answer_ids[:15], "buffer"), (other[:5], "sketch"), (answer_ids[15:], "buffer")]
    return {"merged": [(text(ids), source) for ids, source in merged]}


CELLS = list(itertools.product(DRAFTERS, KINDS, WINDOWS, STOPS, (GREEDY, SAMPLED)))


def cell(row, column):
    """A cell of this drafter and kind; over all of them every pair of values comes up."""
    number = row + column
    return (
        WINDOWS[number % len(WINDOWS)],
        list(STOPS)[(row + 2 * column) % len(STOPS)],
        (GREEDY, SAMPLED)[(number // 2 + row) % 2],
    )


@pytest.mark.parametrize("drafter", DRAFTERS)
def test_a_cell_of_every_drafter_and_kind(drafter):
    row = DRAFTERS.index(drafter)
    accepted = 0
    for column, kind in enumerate(KINDS):
        accepted += check(drafter, kind, *cell(row, column)).accepted
    if drafter.startswith(("buffer", "sketch", "prediction", "hostile:long", "hostile:tree")):
        assert accepted > 20  # or little was proved; the others do not know what is coming


@pytest.mark.slow
@pytest.mark.parametrize("drafter", DRAFTERS)
def test_all_cells(drafter):
    for cells in CELLS:
        if cells[0] == drafter:
            check(*cells)


def test_a_loop_that_keeps_a_rejected_token_is_caught(monkeypatch):
    """The matrix can fail: with a cache that is cropped one row too late, it does."""
    from editd.models.torch.sequences import ModelSequence

    crop = ModelSequence.crop
    monkeypatch.setattr(
        ModelSequence,
        "crop",
        lambda self, length: crop(self, min(length + 1, self.length)),
    )
    with pytest.raises((AssertionError, ValueError)):
        check("buffer", "replace", 17, "max tokens", GREEDY)
