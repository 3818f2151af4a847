"""What is counted of an edit beside the right one."""

from dataclasses import replace

import pytest

from benchmarks.answers.cases import with_cut_lines
from benchmarks.answers.cells import cell_of, marks_of
from benchmarks.answers.judge import judged
from benchmarks.answers.report import save, saved, table
from editd.messages import EditResult
from tests.fixtures.proposed_edits import Case

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
    assert (found.untouched, found.change) == (kept, change)
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


WRONG = "def f(a):\n    return b\n"
SURE, UNSURE = (0, 11, 12, "b", 0.9, "c"), (0, 11, 12, "b", 0.4, "c")


@pytest.mark.parametrize(
    ("instruction", "text", "tokens", "cell"),
    [
        ("tidy up", AFTER, [], "right"),
        ("tidy up", "def f(a):\n\n    return a\n", [], "harmless"),
        ("tidy up", BEFORE, [], "nothing changed, and said so"),
        ("tidy up", None, [], "no answer, and said so"),
        ("tidy up", WRONG, [SURE], "wrong, without a mark"),
        ("tidy up", WRONG, [UNSURE], "wrong, with a note"),
        ("tidy up the docstring", WRONG, [UNSURE], "wrong, without a mark"),
        ("remove the prints", WRONG, [SURE], "wrong, suspect"),
        (
            "rename the parameter `a` to `count`",
            "def f(count):\n    print(a)\n    return a\n",
            [SURE],
            "wrong, suspect",
        ),
    ],
)
def test_cells_are_counted_without_a_model(tmp_path, instruction, text, tokens, cell):
    old = BEFORE.splitlines(keepends=True)
    new = (text or "").splitlines(keepends=True)
    hunks = () if text in (None, BEFORE) else ((0, len(old), new, tokens),)
    found = outcome(text)
    kept = replace(
        found,
        case=replace(found.case, instruction=instruction),
        hunks=hunks,
        regions=((0, len(old)),) if hunks else (),
    )
    save([kept], tmp_path / "kept.jsonl")
    (read,) = saved(tmp_path / "kept.jsonl")
    assert cell_of(read, read.text, marks_of(read)) == cell


@pytest.mark.parametrize("seed", range(20))
def test_cut_texts_end_in_the_middle_of_a_line_that_both_have(seed):
    long = Case("a-1", "a", "a.py", "do", f"x = 1\n{WRONG}y = f(x)\n", f"x = 2\n{WRONG}y = f(x)\n")
    changed_at_its_end = Case("a-2", "a", "a.py", "do", BEFORE, BEFORE + "more = 1\n")
    cut, other = with_cut_lines([long, changed_at_its_end], 2, seed)
    assert other == changed_at_its_end
    assert cut.name == "a-1-cut"
    assert not cut.before.endswith("\n")
    assert cut.before[5:] == cut.after[5:]  # the right answer still leaves that line alone
    assert long.before.startswith(cut.before)
    assert long.before[len(cut.before)] != "\n"
