"""What is counted of an edit beside the right one."""

from dataclasses import replace

import pytest

from benchmarks.answers.cases import Case
from benchmarks.answers.hesitation import has_note
from benchmarks.answers.judge import judged
from benchmarks.answers.report import save, saved, table
from editd.messages import EditResult

BEFORE = "def f(a):\n    print(a)\n    return a\n"
AFTER = "def f(a):\n    return a\n"


def outcome(text, **told):
    case = Case("delete-prints-1", "delete-prints", "a.py", "remove the prints", BEFORE, AFTER)
    return judged(case, EditResult("1", "stop", text, **told), None, 1.0)


@pytest.mark.parametrize(
    ("text", "exact", "parses", "kept", "change", "unchanged"),
    [
        (AFTER, True, True, 1.0, 1.0, False),
        (BEFORE, False, True, 1.0, 0.0, True),
        ("def f(a):\n    return b\n", False, True, 0.5, 3.0, False),
        ("def f(a:\n    return a\n", False, False, 0.5, 3.0, False),
    ],
)
def test_an_outcome(text, exact, parses, kept, change, unchanged):
    found = outcome(text)
    assert (found.exact, found.parses, found.unchanged) == (exact, parses, unchanged)
    assert (found.kept, found.change) == (kept, change)
    assert found.ended
    assert not found.refused


def test_the_table_counts_what_nobody_noticed():
    wrong = "def f(a):\n    return b\n"
    outcomes = [
        outcome(AFTER),
        outcome(wrong),
        outcome(wrong, suspects=("doubt",)),
        outcome(BEFORE),
    ]
    head, _, row = (line.split(" | ") for line in table(outcomes).splitlines())
    told = dict(zip((cell.strip("| ") for cell in head), (c.strip("| ") for c in row), strict=True))
    assert told["edits"] == "4"
    assert told["exact"] == told["suspect, rightly"] == told["wrong, unnoticed"] == "1"
    assert told["nothing changed"] == "1"
    assert told["suspect, wrongly"] == "0"
    assert told["size of the change"] == "2.00"


def test_outcomes_are_kept(tmp_path):
    outcomes = [outcome(AFTER, suspects=("doubt",)), outcome(BEFORE)]
    save(outcomes[:1], tmp_path / "kept.jsonl")
    save(outcomes[1:], tmp_path / "kept.jsonl")
    assert saved(tmp_path / "kept.jsonl") == outcomes
    assert saved(tmp_path / "none.jsonl") == []


@pytest.mark.parametrize(
    ("text", "said", "expected"),
    [
        # In a line that changed; in one that did not; a copied word; a likely one.
        ("def f(a):\n    return b\n", [("def f(a):\n    return", None, ""), (" b", 0.4, " a"), ("\n", 0.1, " ")], True),
        (AFTER, [("def", 0.2, "class"), (" f(a):\n    return a\n", None, "")], False),
        ("def f(a):\n    return b\n", [("def f(a):\n    return b\n", None, "")], False),
        ("def f(a):\n    return b\n", [("def f(a):\n    return", None, ""), (" b\n", 0.7, " a\n")], False),
    ],
)  # fmt: skip
def test_a_note_is_foreseen(text, said, expected):
    assert has_note(replace(outcome(text), said=tuple(said)), 0.6) is expected
    assert not has_note(replace(outcome(text), said=tuple(said)), 0.0)
