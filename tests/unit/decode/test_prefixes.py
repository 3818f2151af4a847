"""How far two rows begin alike."""

import random

import pytest

from editd.decode.target import num_common


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ([], [1], 0),
        ([1], [2], 0),
        ([1, 2], [1, 2], 2),
        ([1, 2], [1, 2, 3], 2),
        ([1, 2, 3], [1, 9, 3], 1),
    ],
)
def test_common_beginnings(one, other, expected):
    assert num_common(one, other) == num_common(other, one) == expected
    assert num_common(bytes(one), bytearray(other)) == expected


def test_any_length_and_any_place():
    dice = random.Random(0)
    for _ in range(200):
        one = [dice.randrange(2) for _ in range(dice.randrange(1, 40))]
        place = dice.randrange(len(one))
        other = [*one[:place], 1 - one[place], *one[place + 1 :]]
        assert num_common(one, other) == place
