"""Random edits of random small files: no text is changed, and every round ends."""

import random

import pytest

from tests.unit.decode.drafting import decode

NAMES = ("user", "User", "user_id", "item", "total", "call", "é", "x")


def _line(rng):
    indent = "    " * rng.randrange(4)
    words = [rng.choice(NAMES) for _ in range(rng.randrange(1, 5))]
    return (
        indent + rng.choice((" = ", ", ", "(", ".")).join(words) + rng.choice((")", "", ":")) + "\n"
    )


def _edited(rng, lines):
    lines = list(lines)
    for _ in range(rng.randrange(1, 6)):
        start = rng.randrange(len(lines) + 1)
        end = min(len(lines), start + rng.randrange(8))
        block = lines[start:end]
        kind = rng.randrange(7)
        if kind == 0:
            block = []
        elif kind == 1:
            block = [*block, _line(rng), _line(rng)]
        elif kind == 2:
            block = ["    " + line for line in block]
        elif kind == 3:
            block = [line.removeprefix("    ") for line in block]
        elif kind == 4:
            old, new = rng.choice(NAMES), rng.choice((*NAMES, "account", "", "await user"))
            block = [line.replace(old, new) for line in block]
        elif kind == 5:
            block = [*block, *block]
        else:
            block = [line.replace("\n", ";\n") for line in block]
        lines[start:end] = block
    return lines


@pytest.mark.parametrize("part", range(4))
def test_random_edits(part):
    for seed in range(part * 25, part * 25 + 25):
        rng = random.Random(seed)
        lines = [_line(rng) for _ in range(rng.randrange(3, 40))]
        before, after = "".join(lines), "".join(_edited(rng, lines))
        spec = rng.choice(("buffer", "buffer:tree", "buffer+suffix", "buffer:tree+suffix"))
        decode(spec, before, after, window=rng.choice((3, 16, 64, 256)))
