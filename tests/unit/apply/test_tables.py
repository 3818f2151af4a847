"""The tables of readers and of doubts hold what the code does and the documentation says."""

import re
from pathlib import Path

import pytest

from editd.apply.doubts.table import CERTAIN, DOUBTS, NOTES
from editd.apply.paste.recognise import FORMS
from editd.apply.readers.answer import READERS
from editd.apply.readers.one_block import BLOCK_READERS

PAGE = Path("docs/explanation/apply.md").read_text(encoding="utf-8")
ROOM = "\n".join(
    path.read_text(encoding="utf-8")
    for path in sorted(Path("editd/apply").rglob("*.py"))
    if path.name != "table.py"
)


@pytest.mark.parametrize("readers", [FORMS, READERS, BLOCK_READERS])
def test_the_page_lists_the_readers_in_their_order(readers):
    rows = "\n".join(f"| {x.name} | {x.takes} | {x.passes_on} |" for x in readers)
    assert rows in PAGE


@pytest.mark.parametrize("name", DOUBTS)
def test_every_doubt_is_raised_and_protects_something(name):
    doubt = DOUBTS[name]
    assert doubt.protects
    assert 0 < doubt.cap < CERTAIN
    assert ROOM.count(f'"{name}"') > 0


def test_the_page_names_doubts_of_the_table_alone():
    named = re.findall(r"(?m)^\| ([a-z]+(?:, [a-z]+)+) \|", PAGE.partition("## One scale")[2])
    assert len(named) > 10
    assert {name for row in named for name in row.split(", ")} <= {*DOUBTS}
    assert {*DOUBTS, "in beside"} >= NOTES
