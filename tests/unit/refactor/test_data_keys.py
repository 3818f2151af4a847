"""A rename leaves data alone, and names it as the file does: columns of CSV, keys of mappings."""

import pytest

from editd.messages import EditRequest
from editd.messages.options import EditOptions
from editd.refactor.computed import compute_edit

READ = '''import csv


class Item:
    def __init__(self, qty):
        self.qty = qty


def read(path):
    """Items of a file with the columns sku, qty."""
    for row in csv.DictReader(path):
        yield Item(qty=int(row["qty"]))


def total(items):
    """The sum of every qty."""
    return sum(item.qty for item in items)
'''


@pytest.mark.parametrize(
    ("code", "stays"),
    [
        ('for row in csv.DictReader(f):\n    qty = row["qty"]\n', 'the CSV column "qty" in line 2'),
        ('r = csv.DictReader(f)\nqty = [x.get("qty") for x in r]\n', 'the CSV column "qty" in line 2'),
        ('qty = 1\nw = DictWriter(f, fieldnames=["sku", r"qty"])\n', 'the CSV column "qty" in line 2'),
        ('qty = answer["qty"]\n', 'the key "qty" in line 1'),
        ('qty = 1\nsend({"qty": qty})\nx.pop("qty", 0)\n', 'the key "qty" in lines 2, 3'),
        ('# the key qty of the answer\nqty = answer["qty"]\n', 'the key "qty" in lines 1, 2'),
        ('qty = 1\nprint("qty", """qty""")\n', "strings: line 2"),
        ('qty = x["qty"]\nprint("qty")\n', 'the key "qty" in line 1; in strings: line 2'),
    ],
)  # fmt: skip
def test_what_stays_is_named_in_the_words_of_the_file(code, stays):
    request = EditRequest("1", code, "rename qty to amount_left everywhere", path="a.py")
    result = compute_edit(request)
    assert result.summary.endswith(f"It stays in {stays}.")
    assert "amount_left = " in result.text
    assert '"amount_left' not in result.text


def test_a_column_and_the_docstring_that_describes_it_stay_and_other_mentions_follow():
    request = EditRequest("1", READ, "Rename qty to quantity everywhere.", path="a.py")
    result = compute_edit(request)
    data = '    """Items of a file with the columns sku, qty."""', 'row["qty"]'
    assert all(text in result.text for text in data)
    assert result.text.count("qty") == len(data)
    assert result.summary.endswith('It stays in the CSV column "qty" in lines 10, 12.')
    wide = EditRequest(
        "1", READ, request.instruction, path="a.py", options=EditOptions(way="resembling")
    )
    assert compute_edit(wide).text == READ.replace("qty", "quantity")
