"""Lines as minified code and one-line JSON have them cost no more than their length times a few."""

from difflib import SequenceMatcher
from random import Random

import pytest

from editd.apply import merge
from editd.apply.text import line as comparing
from editd.apply.text.line import likeness
from editd.diff import matching

CODE = "function f{0}(t,e){{return t+{0}*e}}"
SHAPES = {
    "minified code": lambda n: "".join(map(CODE.format, range(n // 32))),
    "one-line JSON": lambda n: "{" + ",".join(f'"k{i}":{{"a":{i % 7}}}' for i in range(n // 14)) + "}",
    "signs": lambda n: "." * n,
    "letters": lambda n: "QUJD" * (n // 4),
    "words": lambda n: "lorem ipsum dolor " * (n // 18),
    "brackets": lambda n: "([{" * (n // 3),
}  # fmt: skip
CHANGES = {
    "in the middle": lambda line: line[: len(line) // 2] + "x" + line[len(line) // 2 + 1 :],
    "at both ends": lambda line: "x" + line[1:-1] + "y",
    "everywhere": lambda line: line.replace("a", "e").replace("t", "u").replace(".", ","),
    "cut": lambda line: line[: 2 * len(line) // 3],
}


@pytest.fixture
def num_compared(monkeypatch):
    """Sizes of the tables that difflib is given: what it compares at most at its first level."""
    sizes = [0]

    class Counting(SequenceMatcher):
        def __init__(self, isjunk, a, b, autojunk=True):
            super().__init__(isjunk, a, b, autojunk)
            if a and b:
                counts = {x: b.count(x) for x in set(b)}
                sizes.append(sum(counts.get(x, 0) for x in a))

    monkeypatch.setattr(comparing, "SequenceMatcher", Counting)
    monkeypatch.setattr(matching, "SequenceMatcher", Counting)
    likeness.cache_clear()
    return sizes


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("length", [2_000, 10_000, 32_000])
def test_comparing_long_lines_takes_few_comparisons(num_compared, shape, change, length):
    line = SHAPES[shape](length)
    assert likeness(line, CHANGES[change](line), 0.0) <= 1
    assert sum(num_compared) <= 400_000


@pytest.mark.parametrize("shape", SHAPES)
def test_merging_a_long_line_takes_few_comparisons(num_compared, shape):
    line = SHAPES[shape](32_000)
    file = f"// library\n{line}\n// end\n"
    for change in CHANGES.values():
        merge(file, f"// ...\n{change(line)}\n// end\n", path="a.min")
        merge(file, file.replace(line, change(line)), path="a.min")
    assert sum(num_compared) <= 4_000_000


@pytest.mark.parametrize("seed", range(20))
def test_usual_lines_are_compared_letter_by_letter(seed):
    draw = Random(seed)
    first = "".join(draw.choice("abc (){}.,=") for _ in range(draw.randrange(120)))
    second = "".join(x if draw.random() > 0.2 else draw.choice("abcd ") for x in first)
    ratio = SequenceMatcher(None, first, second, autojunk=False).ratio()
    assert likeness(first, second, 0.0) == ratio
    assert likeness(first, second, 0.9) == (ratio if ratio > 0.9 else 0.0)


@pytest.mark.parametrize("shape", SHAPES)
def test_a_small_change_of_a_long_line_leaves_it_alike(shape):
    line = SHAPES[shape](20_000)
    assert likeness(line, CHANGES["at both ends"](line), 0.0) > 0.6 or shape == "letters"
    assert likeness(line, line, 0.9) == 1.0
    assert likeness(line, "x" * 20_000, 0.5) == 0.0


@pytest.mark.parametrize("length", [10_000, 32_000])
def test_a_changed_value_in_a_long_line_is_found(length):
    line = SHAPES["one-line JSON"](length)
    new = line.replace('"k77":{"a":0}', '"k77":{"a":9}')
    assert new != line
    assert likeness(line, new, 0.0) > 0.99
