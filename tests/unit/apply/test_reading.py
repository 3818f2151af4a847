"""Pasted answers as people get them: the best reading is right or there is none, and nothing else is lost."""

import json
from dataclasses import replace

import pytest

from editd.apply import InDoubt, Merged, merge
from editd.apply.paste.segments import Segment
from editd.apply.readers import by_alignment as aligning
from editd.apply.readers.by_alignment import align
from editd.apply.resolve import merge_request
from editd.apply.text import file_lines as lines
from editd.messages import EditRequest, EditResult
from editd.messages.options import EditOptions
from tests.fixtures.pasted import (
    FIXTURES,
    FOURTH,
    FRESH,
    LATER,
    LOTS,
    THIRD,
    lost,
    outcome,
    read_answers,
)

ANSWERS = {answer.name: answer for answer in read_answers()}
LOOKED_AT = [name for name, answer in ANSWERS.items() if not answer.aside]


@pytest.mark.parametrize("name", LOOKED_AT)
def test_a_pasted_answer_is_shown_as_what_it_means_or_not_at_all(name):
    answer = ANSWERS[name]
    kind, text, _ = outcome(answer)
    assert text == answer.wanted or (kind == "none" and name in NO_READING)
    assert not lost(answer, text)


def test_most_answers_that_were_kept_aside_are_read_right():
    read = [(outcome(answer), answer) for answer in ANSWERS.values() if answer.aside]
    assert sum(text == answer.wanted for (_, text, _), answer in read) >= RIGHT_ASIDE


@pytest.mark.parametrize(
    ("lot", "least", "surely", "wrongly", "loses"),
    [
        (FRESH, 98, 78, 0, 1),
        (THIRD, 80, 64, 0, 0),
        (FOURTH, 71, 64, 0, 2),
        (LATER, 1139, 966, 13, 14),
    ],
)
def test_what_is_shown_of_the_answers_by_others_keeps_its_promises(
    lot, least, surely, wrongly, loses
):
    read = [(*outcome(answer)[:2], answer) for answer in read_answers(lot)]
    assert sum(answer.is_right(text) for _, text, answer in read) >= least
    assert sum(kind in ("certain", "sure") for kind, _, _ in read) >= surely
    assert all(kind != "certain" or answer.is_right(text) for kind, text, answer in read)
    assert (
        sum(kind == "sure" and not answer.is_right(text) for kind, text, answer in read) <= wrongly
    )
    assert sum(bool(lost(answer, text)) for _, text, answer in read) <= loses


CART = "import os\nimport sys\n\n\ndef total(items):\n    amount = 0\n\n    for item in items:\n        amount += item\n    return amount\n"


@pytest.mark.parametrize(
    ("text", "sketch", "wanted"),
    [
        # the file has no newline at its end, and still none
        (CART[:-1], "# ...\n        amount += item\n    return -amount\n", CART[:-1].replace("return ", "return -")),
        # the sketch ends where the file does
        (CART, "# ...\n        amount += item\n    return amount / 2, items\n", CART.replace("return amount", "return amount / 2, items")),
        # blank lines that go in a function that is shown whole, in a sketch that shows others
        (CART, CART.split("\n\n\n")[1].replace("\n\n", "\n") + "\n\n# ...\n", CART.replace("\n\n    for", "\n    for")),
    ],
)  # fmt: skip
def test_the_best_reading_is_shown(text, sketch, wanted):
    result = merge(text, sketch, path="cart.py")
    assert isinstance(result, InDoubt)
    assert result.reading is not None
    assert result.reading.merged.text == wanted


def test_the_fresh_answers_are_whole_and_of_other_files():
    answers = list(read_answers(FRESH))
    assert len({answer.name for answer in answers}) == len(answers) >= 90
    for answer in answers:
        texts = (answer.before, answer.wanted, *answer.also)
        assert answer.paste.strip()
        assert None not in texts
        assert len(set(texts)) == len(texts)
        assert 30 <= len(answer.before.split("\n")) <= 301
    others = set(FIXTURES.glob("pasted*.jsonl")) - {*LOTS}
    seen = {record["source"] for path in others for record in _records(path) if "text" in record}
    for record in _records(FRESH):
        if "text" in record:
            assert record["licence"]
            assert record["source"] not in seen
        else:
            assert record["ask"]
            assert ("style" in record) is not ("model" in record)


def _records(path):
    return [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line]


RIGHT_ASIDE = 39  # of 43
NO_READING = (
    "a05 63",
    "hand: ts: bare catch block in context",
    "hand: py: a bare method that two classes have, with its class",
    "hand: ts: one value in a marked snippet",
    "hand: lua: new function before the return",
    "hand: rust: the if chain rewritten as a match",
)


@pytest.mark.parametrize("name", ANSWERS)
def test_each_change_says_how_sure_it_is(name):
    answer = ANSWERS[name]
    result = merge(answer.before, answer.paste, path=answer.path)
    if isinstance(result, InDoubt) and result.reading is not None:
        hunks = result.reading.merged.hunks
        assert all((hunk.suspect is None) != (hunk.note is None) for hunk in hunks)
        assert result.reading.is_confident == all(hunk.suspect is None for hunk in hunks)


FILE = """\
class Cart:
    def total(self):
        amount = 0
        return amount

    def label(self):
        return "cart"


class Order:
    def label(self):
        return "order"
"""


@pytest.mark.parametrize(
    "sketch",
    [
        # what is between stays unmentioned: no reading in which a definition goes is shown
        "class Cart:\n    def total(self):\n        return 1\n\n\nclass Order:\n    tax = 1\n",
        "# ...\n        amount = 0\n        return 1\n\n\nclass Order:\n# ...\n",
        '    def total(self):\n        return "order"\n',
    ],
)
def test_no_definition_goes_that_the_paste_does_not_mention(sketch):
    result = merge(FILE, sketch, path="cart.py")
    text = result.text if isinstance(result, Merged) else FILE
    if isinstance(result, InDoubt) and result.reading is not None:
        text = result.reading.merged.text
    assert "def label" in text
    assert text.count("class ") == 2


@pytest.mark.parametrize("above", ["", "# ... existing code ...\n", "# ...\n\n"])
@pytest.mark.parametrize("below", ["", "\n# ... rest of the file ...\n"])
def test_a_new_function_is_shown_below_the_others_whatever_is_left_out_around_it(above, below):
    new = "def ship(parcel):\n    parcel.send()\n"
    text = FILE + "\n\ndef pay(order):\n    return order\n"
    result = merge(text, f"```python\n{above}{new}{below}```\n", path="cart.py")
    assert isinstance(result, InDoubt)
    assert result.reading.merged.text == f"{text}\n\n{new}"
    for hunk in result.reading.merged.hunks:
        # a marker beside it may say that it is in the middle
        assert "where this belongs" in (hunk.suspect if above or below else hunk.note)


TESTS = """\
import { open } from './open';

test('opens', () => {
  const box = open();

  expect(box.isOpen).toBe(true);
});

test('closes', () => {
  const box = open();
  box.close();
  expect(box.isOpen).toBe(false);
});
"""
RULES = """\
.nav {
  gap: 16px;
}

.nav a {
  flex: none;
}

.bottom {
  gap: 16px;
}
"""


@pytest.mark.parametrize(
    ("path", "file", "sketch", "stays"),
    [
        # a new test like its neighbour, with the file's imports: not the old one under a new name
        (
            "open.test.ts",
            TESTS,
            (
                "import { open } from './open';\n\ntest('opens twice', () => {\n  const box = open();\n\n"
                "  box.open();\n  box.open();\n  expect(box.isOpen).toBe(true);\n});\n"
            ),
            "test('opens', ",
        ),
        (
            "a.css",
            RULES,
            ".nav {\n  gap: 1rem;\n}\n\n.bottom {\n  gap: 1rem;\n}\n",
            ".nav a {",
        ),
    ],
)
def test_no_block_goes_that_the_paste_does_not_mention(path, file, sketch, stays):
    result = merge(file, sketch, path=path)
    assert isinstance(result, InDoubt)
    assert result.reading is None or stays in result.reading.merged.text


def test_a_paste_that_breaks_off_deletes_nothing_below():
    paste = "```python\nclass Cart:\n    def total(self):\n        amount = 1\n        return amo"
    result = merge(FILE, paste, path="cart.py")
    assert isinstance(result, InDoubt)
    assert result.reading is not None
    assert result.reading.merged.text == FILE.replace("amount = 0", "amount = 1")


def test_a_paste_for_another_file_is_not_put_here():
    paste = "**order.py**\n\n```python\ndef pay(self):\n    return 1\n```\n"
    result = merge(FILE, paste, path="cart.py")
    assert isinstance(result, InDoubt)
    assert result.final
    assert "order.py" in result.reason


STEPS = """\
Sure! Three small steps.

**1. Import it**

```python
import logging
```

**2. Log in `label`, which both classes have**

```python
        amount = 0
        logging.info("start")
```

**3. Add this method below `total`:**

```python
def clear(self):
    self.items = []
```

Now you can call it:

```python
cart.clear()
```
"""


def test_steps_are_taken_one_after_the_other_and_each_is_marked_for_itself():
    result = merge("import os\n\n\n" + FILE, STEPS, path="cart.py")
    assert isinstance(result, InDoubt)
    shown = result.reading.merged
    assert shown.text == "import os\nimport logging\n\n\n" + FILE.replace(
        "amount = 0\n", 'amount = 0\n        logging.info("start")\n'
    ).replace(
        "        return amount\n",
        "        return amount\n\n    def clear(self):\n        self.items = []\n",
    )
    assert [hunk.suspect is None for hunk in shown.hunks] == [True, False, True]


TWICE = "import a\n\n\ndef f():\n    x = 1\n    y = 2\n    x = 1\n    return x\n"


def test_a_second_reading_is_another_way():
    sketch = "# ...\n    x = 1\n    log(x)\n    return x\n"  # below which x = 1?
    asked = EditRequest("1", TWICE, "", path="a.py", sketch=sketch)
    first = merge_request(asked)
    assert isinstance(first, EditResult), first
    assert "This could also replace line" in first.hunks[0].suspect
    assert first.ways[0].name == "reading"
    second = merge_request(replace(asked, options=EditOptions(way="reading")))
    assert second.text not in (first.text, TWICE)
    assert isinstance(merge_request(replace(asked, merge="certain")), InDoubt)
    assert isinstance(merge_request(replace(asked, options=EditOptions(way="model"))), InDoubt)


EQUAL = "x = 1\n" * 10_000


@pytest.mark.parametrize(
    "paste",
    [
        "# ...\n" + "x = 1\n" * 7_500 + "# ...\n",
        "# ...\n" + "x = 1\ny = 2\nx = 1\n# ...\n" * 100,
        "@@ @@\n x = 1\n-x = 1\n+y = 1\n x = 1\n" * 300,
    ],
)
def test_a_hostile_paste_costs_a_bounded_number_of_comparisons(paste, monkeypatch):
    compared = cells = 0

    def scores(self, begins, rows, *rest):
        nonlocal cells
        cells += len(rows) * begins.size
        return true_scores(self, begins, rows, *rest)

    true_scores = aligning._Alignment._scores_of_ends
    monkeypatch.setattr(aligning._Alignment, "_scores_of_ends", scores)

    def counted(function):
        def run(self, piece, at):
            nonlocal compared
            length = function(self, piece, at)
            compared += length + 1
            return length

        return run

    for name in ("run_down", "run_up"):
        monkeypatch.setattr(lines.FileLines, name, counted(getattr(lines.FileLines, name)))
    assert isinstance(merge(EQUAL, paste, path="a.py"), InDoubt)
    assert compared <= 2 * lines.MOST_COMPARED
    assert cells <= 3 * aligning.MOST_CELLS


DEFINITIONS = "".join(f"def f{n}(a):\n    x = {n}\n    return x\n\n\n" for n in range(800))
FENCED = "In `f{0}`:\n\n```python\n    x = {0}0\n```\n\n"


@pytest.mark.parametrize(
    ("paste", "most"),
    [
        ("".join(map(FENCED.format, range(1000))), 6),  # too many steps are not taken at all
        (f"Add it after {', '.join(f'`f{n}`' for n in range(5000))}:\n\n```python\nz = 1\n```\n", 6),
        (f"```python\nimport (\n{'import x' * 5000}\n```\n", 6),
        ("below " * 50_000 + "\n\n```python\nz = 1\n```\n", 6),
        ("".join(f"def f{n}(a):\n    x = {n}0\n    return x\n\n\n" for n in range(900)), 3),
        (DEFINITIONS * 2, 0),  # too long to be read
        ("# ...\ndef f7(a):\n    x = 7\n    x += 1\n    return x\n\n\ndef f8(a):\n# ...\n", 0),  # certain
    ],
)  # fmt: skip
def test_a_hostile_answer_is_outlined_a_bounded_number_of_times(paste, most, monkeypatch):
    outlined = []
    true_outline = lines.outline

    def outline(*args):
        outlined.append(args)
        return true_outline(*args)

    monkeypatch.setattr(lines, "outline", outline)
    merge(DEFINITIONS, paste, path="a.py")
    assert len(outlined) <= most


def test_whole_functions_that_lines_and_names_place_alike_are_certain():
    """By its last line the sketch could end at any of 800 functions."""
    sketch = "def f2(a):\n    x = 22\n    return x\n\n\ndef f3(a):\n    x = 33\n    return x\n"
    result = merge(DEFINITIONS, sketch, path="a.py")
    assert isinstance(result, Merged)
    assert result.text == DEFINITIONS.replace("x = 2\n", "x = 22\n").replace("x = 3\n", "x = 33\n")


def test_a_sketch_that_is_too_long_to_align_has_no_reading():
    file = ["x = 1"] * 10_000
    assert (
        align(lines.FileLines(file), [Segment(("x = 1",) * 1_000, above=True, below=True)]) is None
    )
