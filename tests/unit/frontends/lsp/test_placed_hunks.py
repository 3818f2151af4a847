from __future__ import annotations

import random

import pytest

from editd.diff.document import split_lines
from editd.diff.hunk import Hunk
from editd.frontends.lsp.documents import splice
from editd.frontends.lsp.placed_hunks import DocumentChange, PlacedEdit, applied, moved

A, B, C, D, E = (f"{name}\n" for name in "abcde")
LINES = [A, B, C, D, E]


@pytest.mark.parametrize(
    ("start", "old_count", "change", "expected"),
    [
        (2, 1, (0, 0, 1), 3),  # a line more before
        (2, 1, (2, 0, 1), 3),  # right before
        (2, 1, (3, 0, 1), 2),  # right behind
        (2, 1, (0, 2, 0), 0),
        (2, 1, (1, 1, 3), 4),
        (2, 1, (3, 2, 0), 2),
        (2, 1, (2, 1, 1), None),  # the line itself
        (2, 1, (1, 2, 1), None),
        (2, 2, (3, 0, 1), None),  # inside
        (2, 0, (2, 0, 1), None),  # both only insert, at the same point
        (2, 0, (2, 1, 1), 2),  # what follows an insertion changes
        (2, 0, (1, 1, 2), 3),  # what precedes it does
        (2, 0, (1, 2, 2), None),
        (0, 0, (0, 5, 0), 0),
        (5, 0, (0, 5, 0), 0),
    ],
)
def test_moved(start, old_count, change, expected):
    assert moved(start, old_count, DocumentChange(*change)) == expected


def check(text, hunk, changes, expected):
    """``expected``: the text with the hunk applied after the changes, ``None`` if it is stale."""
    base = split_lines(text)
    edit = PlacedEdit(tuple(base))
    lines = list(base)
    edit.take(hunk, lines)
    for start, end, new in changes:
        edit.follow(splice(lines, start, end, new), lines)
    late = PlacedEdit(tuple(base))  # learns of the hunk only after the changes
    late_lines = list(base)
    for start, end, new in changes:
        late.follow(splice(late_lines, start, end, new), late_lines)
    late.take(hunk, late_lines)
    for placed in (edit, late):
        pending = placed.pending()
        assert ("".join(applied(lines, pending)) if pending else None) == expected


@pytest.mark.parametrize(
    ("text", "hunk", "changes", "expected"),
    [
        # Typing before, inside and after a hunk.
        ("a\nb\nc\n", Hunk(1, 1, 1, ("B\n",)), [((0, 0), (0, 0), "x\n")], "x\na\nB\nc\n"),
        ("a\nb\nc\n", Hunk(1, 1, 1, ("B\n",)), [((1, 0), (1, 0), "x")], None),
        ("a\nb\nc\n", Hunk(1, 1, 1, ("B\n",)), [((2, 0), (2, 1), "x")], "a\nB\nx\n"),
        # A copy put before the line is not the line.
        ("b\nb\n", Hunk(1, 1, 1, ("B\n",)), [((1, 0), (1, 0), "b\n")], "b\nb\nB\n"),
        # Undone typing is still a change: better asked again than wrong.
        ("a\nb\n", Hunk(1, 1, 1, ("B\n",)), [((1, 0), (1, 0), "x"), ((1, 0), (1, 1), "")], None),
        # An insertion, and lines put at the very same point.
        ("a\nb\n", Hunk(1, 1, 0, ("x\n",)), [((1, 0), (1, 0), "y\n")], None),
        ("a\nb\n", Hunk(1, 1, 0, ("x\n",)), [((0, 1), (0, 1), "!")], "a!\nx\nb\n"),
        ("a\n", Hunk(1, 1, 0, ("x\n",)), [((1, 0), (1, 0), "y")], None),
        # The end of the text.
        ("a\nb\n", Hunk(1, 2, 0, ("c\n",)), [((1, 1), (2, 0), "")], None),  # b lost its end
        ("a\nb\n", Hunk(1, 0, 2, ("a",)), [((2, 0), (2, 0), "c\n")], None),  # would glue a to c
        ("a\nb", Hunk(1, 1, 1, ("B",)), [((1, 1), (1, 1), "\nc")], None),
        ("a\nb", Hunk(1, 0, 1, ("A\n",)), [((1, 1), (1, 1), "\nc")], "A\nb\nc"),
        # A CR of a hunk must not meet a LF.
        ("a\rb\n", Hunk(1, 0, 1, ("A\r",)), [((1, 0), (1, 1), "")], None),
        ("a\nb\nc\n", Hunk(1, 0, 1, ("A\r",)), [((1, 0), (1, 1), "")], None),
        # The byte order mark is part of no line.
        ("\ufeffa\nb\n", Hunk(1, 0, 1, ("A\n",)), [((1, 0), (1, 1), "x")], "\ufeffA\nx\n"),
        ("\ufeffa\nb\n", Hunk(1, 0, 0, ("x\n",)), [((1, 0), (1, 1), "y")], "\ufeffx\na\ny\n"),
        ("\ufeffa\n", Hunk(1, 0, 1, ()), [], "\ufeff"),
        # A whole new text that repeats most of the old one.
        ("a\nb\nc\n", Hunk(1, 2, 1, ("C\n",)), [((0, 0), (3, 0), "z\nb\nc\n")], "z\nb\nC\n"),
    ],
)
def test_a_hunk_moves_along_or_is_stale(text, hunk, changes, expected):
    check(text, hunk, changes, expected)


def test_a_hunk_is_stale_where_other_lines_stand_than_it_replaces_whatever_it_was_told():
    edit = PlacedEdit(tuple(LINES))
    edit.take(Hunk(1, 1, 1, ("x\n",)), LINES)
    edit.follow(DocumentChange(4, 1, 1), [A, C, B, D, E])
    assert edit.hunks[1].state == "stale"


def test_a_growing_hunk_is_judged_by_what_it_is_now():
    edit = PlacedEdit(tuple(LINES))
    lines = list(LINES)
    edit.take(Hunk(1, 1, 0, ("x\n",), done=False), lines)
    assert not edit.pending(), "a hunk that is not done cannot be accepted"
    edit.follow(splice(lines, (3, 0), (3, 0), "typed "), lines)
    assert edit.take(Hunk(1, 1, 1, ("x\n",)), lines).state == "ok"
    assert edit.take(Hunk(1, 1, 3, ("x\n",)), lines).state == "stale"


def test_decided_hunks_stay_decided_and_the_end_says_which_hunks_there_are():
    edit = PlacedEdit(tuple(LINES))
    for hunk in (Hunk(1, 0, 1, ("1\n",)), Hunk(2, 2, 1, ("2\n",)), Hunk(3, 4, 1, ("3\n",))):
        edit.take(hunk, LINES)
    edit.settle([2], "rejected")
    edit.take_all([Hunk(1, 0, 1, ("1\n",)), Hunk(2, 2, 1, ("2!\n",))], LINES)
    assert set(edit.hunks) == {1, 2}
    assert [placed.hunk.id for placed in edit.pending()] == [1]


def test_accepting_one_of_two_neighbours_leaves_the_other_in_its_place():
    first, second = Hunk(1, 1, 1, ("B\n", "B2\n")), Hunk(2, 2, 0, ("x\n",))
    for order in ((first, second), (second, first)):
        edit = PlacedEdit(tuple(LINES))
        lines = list(LINES)
        for hunk in (first, second):
            edit.take(hunk, lines)
        for hunk in order:
            placed = edit.hunks[hunk.id]
            assert placed.state == "ok"
            edit.settle([hunk.id], "accepted")
            start, count = placed.start, len(placed.old_lines)
            change = splice(lines, (start, 0), (start + count, 0), "".join(hunk.new_lines))
            edit.follow(change, lines)
        assert lines == [A, "B\n", "B2\n", "x\n", C, D, E]


# --- fuzz ----------------------------------------------------------------------------------------
# Every line of the old text is unique, so where a hunk belongs can be told from the text alone:
# its old lines, or for an insertion the lines around it, must stand there next to each other.


@pytest.mark.parametrize("seed", range(10))
def test_fuzz_hunks_that_are_ok_do_what_they_say_and_no_other_line_is_touched(seed):
    for repetition in range(60):
        check_some_history(random.Random(f"{seed}.{repetition}"))


def check_some_history(random_):
    names = iter(range(10_000))

    def fresh():
        return f"new{next(names)}"

    end = random_.choice(["\n", "\r\n"])
    base = [f"old{i}{end}" for i in range(random_.randrange(1, 12))]
    if random_.random() < 0.4:
        base[-1] = base[-1].rstrip("\r\n")
    hunks = some_hunks(random_, base, fresh, end)
    edit = PlacedEdit(tuple(base))
    lines = list(base)
    later = []
    for hunk in hunks:
        if random_.random() < 0.6:
            edit.take(hunk, lines)
        else:
            later.append(hunk)
    for _ in range(random_.randrange(5)):
        text = "".join(lines)
        start, stop = sorted(random_.choices(range(len(text) + 1), k=2))
        if random_.random() < 0.6:
            stop = min(stop, start + 2)
        new = random_.choice(
            ["", fresh(), fresh() + end, end, end + fresh(), fresh() + end + fresh()]
        )
        places = []
        for offset in (start, stop):
            inside = text[offset - 1 : offset + 1] == "\r\n"
            before = split_lines(text[: offset - inside])
            if before and before[-1].endswith("\n"):
                before.append("")
            places.append((len(before) - 1, len(before[-1])) if before else (0, 0))
        edit.follow(splice(lines, *places, new), lines)
    for hunk in later:
        edit.take(hunk, lines)

    pending = edit.pending()
    result = applied(lines, pending)
    assert split_lines("".join(result)) == result, "lines ran into each other"
    expected = list(lines)
    for placed in reversed(pending):
        hunk = placed.hunk
        old = base[hunk.start : hunk.start + hunk.old_count]
        at = expected.index(old[0]) if old else placed.start
        assert expected[at : at + len(old)] == old
        # An insertion is still between what is left of its neighbours.
        before = [line for line in base[: hunk.start] if line in lines]
        after = [line for line in base[hunk.start + hunk.old_count :] if line in lines]
        assert all(lines.index(line) < placed.start for line in before)
        assert all(lines.index(line) >= placed.start + len(old) for line in after)
        expected[at : at + len(old)] = hunk.new_lines
    assert result == expected
    # And where the user touched nothing, nothing is stale.
    if lines == base:
        assert len(pending) == len(hunks)


def some_hunks(random_, base, fresh, end):
    hunks = []
    at = 0
    while at <= len(base):
        start = at + random_.randrange(4)
        if start > len(base):
            break
        old_count = random_.randrange(min(3, len(base) - start) + 1)
        new = [fresh() + end for _ in range(random_.randrange(3))]
        ended = not base or base[-1].endswith("\n")
        if start + old_count == len(base) and not ended:
            if not old_count:
                break
            if new:
                new[-1] = new[-1].rstrip("\r\n")
        if old_count or new:
            hunks.append(Hunk(len(hunks) + 1, start, old_count, tuple(new)))
        at = start + old_count + 1
    return hunks


def test_fuzz_really_meets_both_fates():
    """The fuzz above would prove little if hardly a hunk moved or became stale."""
    fates = {"ok": 0, "stale": 0, "moved": 0}
    for seed in range(100):
        random_ = random.Random(seed)
        base = [f"old{i}\n" for i in range(8)]
        edit = PlacedEdit(tuple(base))
        lines = list(base)
        edit.take(Hunk(1, 4, 1, ("new\n",)), lines)
        line = random_.randrange(8)
        edit.follow(splice(lines, (line, 0), (line, 0), random_.choice(["x", "x\n"])), lines)
        placed = edit.hunks[1]
        fates["moved" if placed.state == "ok" and placed.start != 4 else placed.state] += 1
    assert min(fates.values()) > 3, fates
