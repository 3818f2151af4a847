"""The drafter ``sketch``: rounds where its merge is right, wrong or has no place for a part."""

import random

import pytest

from editd.apply.best_guess import best_guess
from tests.unit.decode.drafting import decode

BEFORE = "".join(
    f"def f{i}(a, b):\n    first = load(a, {i})\n    return first.join(b)\n\n\n" for i in range(20)
)
NEW = "    log.warning('too many of them', a)\n"
PART = f"def f7(a, b):\n    first = load(a, 7)\n{NEW}    return first.join(b)\n"
AFTER = BEFORE.replace("load(a, 7)\n", f"load(a, 7)\n{NEW}")
MARK = "# ... existing code ...\n"


def rounds(merged, before=BEFORE, after=AFTER, spec="sketch", window=1024):
    return decode(spec, before, after, window=window, merged=merged)


def read(sketch, before=BEFORE):
    return best_guess(before, sketch, "a.py").segments


@pytest.mark.parametrize(
    ("merged", "most"),
    [
        pytest.param([(AFTER, "buffer")], 1, id="right"),
        # Its new line is written token by token where no prompt shows it.
        pytest.param([(BEFORE, "buffer")], 20, id="the part has no place in it"),
        pytest.param([(AFTER.replace(NEW, NEW * 2), "sketch")], 3, id="written twice"),
        pytest.param([(AFTER[: AFTER.index("def f12")], "buffer")], 3, id="it loses the rest"),
    ],
)
@pytest.mark.parametrize("spec", ["sketch", "sketch:tree", "sketch+suffix"])
def test_rounds(merged, most, spec):
    assert len(rounds(merged, spec=spec)) <= most + 1  # and the end of the answer


def test_without_a_merge_it_drafts_the_buffer():
    assert len(rounds(())) == len(decode("buffer", BEFORE, AFTER, window=1024))


def test_a_marker_means_that_the_buffer_goes_on():
    sketch = f"{MARK}{PART}{MARK}" + PART.replace("7", "15") + MARK
    after = AFTER.replace("load(a, 15)\n", f"load(a, 15)\n{NEW}")
    assert len(rounds(read(sketch), after=after)) <= 2
    assert len(decode("buffer", BEFORE, after, window=1024)) >= 4


def test_text_of_the_paste_is_called_so():
    merged = read(f"{MARK}{PART}{MARK}")
    sources = [source for done in rounds(merged, window=64) for source in done.sources]
    assert 5 <= sources.count("sketch") <= 40
    assert set(sources) <= {"sketch", "buffer", "suffix", "new", ""}, set(sources)


@pytest.mark.parametrize("seed", range(25))
def test_any_merge_gives_the_same_text(seed):
    rng = random.Random(seed)
    lines = BEFORE.splitlines(keepends=True)[: rng.randrange(1, 40)]
    new = [rng.choice([NEW, "x\n", "\n", "    return first.join(b)\n"]) for _ in range(3)]
    at, end = sorted((rng.randrange(len(lines) + 1), rng.randrange(len(lines) + 1)))
    after = "".join([*lines[:at], *new, *lines[end:]])
    guess = "".join(rng.sample(lines, len(lines)) if rng.random() < 0.5 else lines[at:] + new)
    cut = rng.randrange(len(guess) + 1)
    decode(
        rng.choice(["sketch", "sketch:tree", "sketch+suffix"]),
        "".join(lines),
        after,
        window=rng.choice([1, 7, 64]),
        merged=[(guess[:cut], "buffer"), (guess[cut:], "sketch")],
    )
