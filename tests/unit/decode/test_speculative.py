"""The loop returns what plain decoding returns, whatever a drafter does."""

import random
from time import perf_counter

import pytest

from editd.decode.drafters.base import EMPTY, Draft
from editd.decode.speculative import Decoding, accepted_path
from tests.scripted import ScriptedTarget, hashed_choice

VOCAB = 6
END = 5


class FixedWindow:
    def __init__(self, size):
        self.size = size

    def next(self, context_length):
        return self.size

    clock = staticmethod(perf_counter)

    def observe(self, num_drafted, num_accepted):
        assert 0 <= num_accepted <= num_drafted

    def learn_round(self, num_rows, context_length, seconds, *, tree=False):
        assert seconds >= 0


class Scribble:
    """A drafter that calls ``make(output_ids, max_tokens)`` and remembers what it was told."""

    name = "scribble"

    def __init__(self, make):
        self.make = make
        self.seen = []

    def propose(self, output_ids, max_tokens):
        return self.make(output_ids, max_tokens)

    def observe(self, accepted_ids):
        self.seen.extend(accepted_ids)


def nothing(rng, truth):
    return lambda output_ids, max_tokens: EMPTY


def random_chain(rng, truth):
    return lambda output_ids, max_tokens: Draft([rng.randrange(VOCAB) for _ in range(max_tokens)])


def always_too_long(rng, truth):
    return lambda output_ids, max_tokens: Draft(
        [rng.randrange(VOCAB) for _ in range(max_tokens + 9)]
    )


def always_right(rng, truth):
    return lambda output_ids, max_tokens: Draft(
        truth[len(output_ids) : len(output_ids) + max_tokens]
    )


def right_until_mutated(rng, truth):
    def make(output_ids, max_tokens):
        guess = list(truth[len(output_ids) : len(output_ids) + max_tokens])
        if guess:
            guess[rng.randrange(len(guess))] = rng.randrange(VOCAB)
        return Draft(guess)

    return make


def random_tree(rng, truth):
    def make(output_ids, max_tokens):
        size = rng.randrange(max_tokens + 1)
        tokens = [rng.randrange(VOCAB) for _ in range(size)]
        return Draft(tokens, parents=[rng.randrange(-1, i) for i in range(size)])

    return make


def tree_with_the_truth(rng, truth):
    """A wrong first branch, the right tokens scattered behind it."""

    def make(output_ids, max_tokens):
        right = truth[len(output_ids) : len(output_ids) + max_tokens // 2]
        tokens, parents, last = [(right[0] + 1) % VOCAB if right else 0], [-1], -1
        for token in right:
            tokens += [token, (token + 1) % VOCAB]
            parents += [last, last]
            last = len(tokens) - 2
        return Draft(tokens[:max_tokens], parents=parents[:max_tokens])

    return make


DRAFTERS = [
    nothing,
    random_chain,
    always_too_long,
    always_right,
    right_until_mutated,
    random_tree,
    tree_with_the_truth,
]


def decode(
    target, prompt, make, *, window=8, max_new_tokens=60, ends=lambda t: t == END, **options
):
    drafter = Scribble(make)
    decoding = Decoding(
        target,
        prompt,
        drafter,
        ends_answer=ends,
        max_new_tokens=max_new_tokens,
        window=window if isinstance(window, FixedWindow) else FixedWindow(window),
        **options,
    )
    added = []
    while decoding.finish_reason is None:
        step = decoding.advance()
        if step is not None:
            added.extend(step.token_ids)
            assert len(step.sources) == len(step.token_ids)
    decoding.close()
    assert added == decoding.output_ids == drafter.seen
    return decoding


@pytest.mark.parametrize("make", DRAFTERS, ids=lambda make: make.__name__)
@pytest.mark.parametrize("window", [1, 2, 8, 50])
def test_output_is_that_of_plain_decoding(make, window):
    for seed in range(40):
        rng = random.Random(seed)
        target = ScriptedTarget(hashed_choice(VOCAB, seed))
        prompt = [rng.randrange(VOCAB) for _ in range(rng.randrange(1, 40))]
        plain = decode(target, prompt, nothing(rng, []))
        result = decode(target, prompt, make(rng, plain.output_ids), window=window)
        assert result.output_ids == plain.output_ids
        assert result.finish_reason == plain.finish_reason


def test_a_loop_that_trusts_one_token_too_many_is_caught(monkeypatch):
    """The comparison above can fail."""

    def lenient(draft, choice_ids):
        path = accepted_path(draft, choice_ids)
        return [*path, len(path)] if len(path) < len(draft) else path

    differing = 0
    for seed in range(40):
        rng = random.Random(seed)
        target = ScriptedTarget(hashed_choice(VOCAB, seed))
        plain = decode(target, [1, 2, 3], nothing(rng, []))
        with monkeypatch.context() as patch:
            patch.setattr("editd.decode.speculative.accepted_path", lenient)
            wrong = decode(target, [1, 2, 3], right_until_mutated(rng, plain.output_ids))
        differing += wrong.output_ids != plain.output_ids
    assert differing > 10


def test_figures_add_up():
    for seed in range(20):
        rng = random.Random(seed)
        target = ScriptedTarget(hashed_choice(VOCAB, seed))
        plain = decode(target, [1, 2], nothing(rng, []))
        stats = decode(target, [1, 2], right_until_mutated(rng, plain.output_ids)).stats
        assert stats.output_tokens == len(plain.output_ids)
        assert stats.drafted == stats.accepted + stats.rejected
        assert stats.output_tokens <= stats.accepted + stats.rounds
        assert stats.rounds <= plain.stats.rounds


def test_perfect_drafts_take_one_round_a_window():
    target = ScriptedTarget(lambda ids: 1)
    result = decode(target, [0], always_right(None, [1] * 200), window=9, max_new_tokens=100)
    assert result.stats.rounds == 10
    assert result.stats.tokens_per_round == 10
    assert result.finish_reason == "length"


def test_never_more_tokens_than_asked_for():
    target = ScriptedTarget(lambda ids: 1)
    for limit in range(1, 30):
        result = decode(target, [0], always_right(None, [1] * 99), max_new_tokens=limit)
        assert len(result.output_ids) == limit


def test_the_context_is_never_overrun():
    for context in range(6, 30):
        target = ScriptedTarget(lambda ids: 1, max_context=context)
        result = decode(target, [0] * 5, always_right(None, [1] * 99))
        assert result.finish_reason == "length"
        assert len(result.output_ids) == context - 4  # the last token need not be in the cache


def test_text_after_the_end_is_dropped():
    target = ScriptedTarget(hashed_choice(VOCAB, 3))
    plain = decode(target, [4], nothing(None, []), ends=lambda t: False)
    cut = decode(target, [4], always_right(None, plain.output_ids), ends=lambda t: t == 2)
    assert cut.output_ids == plain.output_ids[: plain.output_ids.index(2) + 1]
    assert cut.finish_reason == "stop"


def test_a_cache_that_cannot_be_rewound_gets_no_draft():
    target = ScriptedTarget(hashed_choice(VOCAB, 3), rewindable=False)
    decode(target, [4], always_right(None, [1] * 99))
    assert set(target.widths) == {1}


@pytest.mark.parametrize(
    ("tokens", "parents", "choices", "path"),
    [
        ([], None, [7], []),
        ([7, 8, 9], None, [7, 8, 0, 0], [0, 1]),
        ([7, 8], None, [7, 8, 9], [0, 1]),
        ([1], None, [7, 8], []),
        # two branches from the root; the second carries the choice
        ([1, 7, 8, 9], [-1, -1, 1, 2], [7, 0, 8, 5, 0], [1, 2]),
        # siblings with equal tokens: the first wins, its children count
        ([7, 7, 8, 9], [-1, -1, 0, 1], [7, 8, 9, 0, 0], [0, 2]),
    ],
)
def test_accepted_path(tokens, parents, choices, path):
    assert accepted_path(Draft(tokens, parents), choices) == path


def test_rounds_are_timed_by_the_windows_clock():
    """On a CPU time of the machine's other programs is not this model's."""

    class Counting(FixedWindow):
        def __init__(self):
            super().__init__(2)
            self.reads, self.told = 0, []

        def clock(self):
            self.reads += 1
            return 100.0 * self.reads

        def learn_round(self, num_rows, context_length, seconds, *, tree=False):
            self.told.append(seconds)

    window = Counting()
    decode(ScriptedTarget(lambda ids: 1), [0], always_right(None, [1] * 99), window=window)
    assert set(window.told) == {100.0}
