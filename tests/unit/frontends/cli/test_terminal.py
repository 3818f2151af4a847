"""The diff on a terminal: drawn while it is decoded, once, and with no power over the terminal."""

import io
import random
import re
import sys

import pytest
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from editd.diff.document import Document
from editd.diff.hunk import Hunk, Keep
from editd.diff.streaming import StreamingDiff
from editd.frontends.cli.console import (
    complain,
    make_console,
    prompt,
    say,
    visible,
    visible_text,
    write_text,
)
from editd.frontends.cli.outputs import describe
from editd.frontends.cli.terminal_diff import Painter
from editd.messages import Progress
from tests.fakes import Script

OLD = [f"{number}\n" for number in range(1, 13)]


def drawn(rows):
    marks = {"context": " ", "removed": "-", "added": "+", "gap": "@"}
    return [f"{marks[row.kind]}{row.number} {row.text.rstrip()}".rstrip() for row in rows]


def hunk(number, start, old_count, *new, done=True):
    return Hunk(number, start, old_count, new, done)


def test_a_hunk_is_drawn_at_once_and_the_lines_after_it_as_they_are_passed():
    painter = Painter(OLD)
    assert drawn(painter.feed([Keep(5)])) == []
    assert drawn(painter.feed([hunk(1, 5, 1, "x\n", "y\n")])) == [
        "@3", " 3 3", " 4 4", " 5 5", "-6 6", "+6 x", "+7 y",
    ]  # fmt: skip
    assert drawn(painter.feed([Keep(2)])) == [" 8 7", " 9 8"]
    assert drawn(painter.feed([Keep(4)])) == [" 10 9"]
    assert drawn(painter.finish([hunk(1, 5, 1, "x\n", "y\n")])) == []


def test_near_hunks_share_their_context_and_far_ones_have_a_gap():
    painter = Painter(OLD)
    ops = [hunk(1, 0, 1, "a\n"), Keep(2), hunk(2, 3, 0, "b\n"), Keep(7), hunk(3, 10, 1), Keep(1)]
    assert drawn(painter.feed(ops)) == [
        "-1 1", "+1 a", " 2 2", " 3 3", "+4 b", " 5 4", " 6 5", " 7 6",
        "@9", " 9 8", " 10 9", " 11 10", "-11 11", " 12 12",
    ]  # fmt: skip


def test_a_hunk_that_still_grows_is_not_drawn():
    painter = Painter(OLD)
    assert drawn(painter.feed([hunk(1, 0, 0, "a\n", done=False)])) == []
    assert drawn(painter.feed([hunk(1, 0, 1, "a\n")])) == ["-1 1", "+1 a"]


def test_a_result_without_deltas_is_drawn_whole():
    painter = Painter(OLD)
    assert drawn(painter.finish([hunk(1, 11, 1, "z")])) == ["@9", " 9 9", " 10 10", " 11 11", "-12 12", "+12 z"]  # fmt: skip


def test_what_proved_wrong_is_drawn_again():
    painter = Painter(OLD)
    list(painter.feed([hunk(1, 0, 1, "a\n")]))
    rows = list(painter.finish([hunk(1, 0, 2, "a\n")]))
    assert (rows[0].kind, rows[0].text) == ("gap", "the whole diff, corrected:")
    assert drawn(rows[1:]) == ["-1 1", "-2 2", "+1 a", " 2 3", " 3 4", " 4 5"]


@pytest.mark.parametrize("seed", range(60))
def test_the_drawn_rows_are_the_diff_however_the_answer_is_cut(seed):
    """Context and removed rows are old lines, context and added rows the new ones, in order."""
    choose = random.Random(seed)
    old = [f"{choose.randrange(6)}\n" for _ in range(choose.randrange(1, 30))]
    new = [line for line in old if choose.random() > 0.15]
    for _ in range(choose.randrange(4)):
        new.insert(choose.randrange(len(new) + 1), f"new {choose.randrange(3)}\n")
    document = Document.of("".join(old))
    diff, painter, hunks, rows = StreamingDiff(document), Painter(document.lines), [], []
    text = "".join(new)
    while text:
        size = choose.randrange(1, 8)
        ops = diff.push(text[:size])
        text = text[size:]
        hunks += [op for op in ops if isinstance(op, Hunk) and op.done]
        rows += painter.feed(ops)
    ops = diff.finish()
    hunks += [op for op in ops if isinstance(op, Hunk) and op.done]
    rows += painter.feed(ops)
    rows += painter.finish(hunks)
    assert not any(row.text.startswith("the whole") for row in rows)
    for row in rows:
        if row.kind == "removed":
            assert document.lines[row.number - 1] == row.text
        elif row.kind in ("added", "context"):
            assert new[row.number - 1] == row.text
    assert [row.text for row in rows if row.kind == "removed"] == [
        line for one in hunks for line in document.lines[one.start : one.start + one.old_count]
    ]
    assert [row.text for row in rows if row.kind == "added"] == [
        line for one in hunks for line in one.new_lines
    ]
    numbers = [row.number for row in rows if row.kind in ("added", "context")]
    assert numbers == sorted(set(numbers))


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        ("a\tb\r\n", "a\tb"),
        ("\x1b[2J\x07", "\u241b[2J\u2407"),
        ("\x9b31m\x7f", "<U+009B>31m<U+007F>"),
        ("a\u202eb\u2066", "a<U+202E>b<U+2066>"),
        ("\U0001f600 \u4e2d \u00e9\n", "\U0001f600 \u4e2d \u00e9"),
        ("[red]markup[/red]", "[red]markup[/red]"),
    ],
)
def test_lines_have_no_power_over_the_terminal(line, shown):
    assert visible(line) == shown
    assert visible_text(f"{line}\n{line}\nx").split("\n")[-1] == "x"


EVIL = "a\x1b[2Jb\x1b]0;title\x07c\x9b31md\x7f"


def printed(console):
    """Tables, bars and spinners as well as text."""
    console.print(EVIL, Text(EVIL, "red"), Panel(EVIL), style="bold")
    table = Table(EVIL, title=Text(EVIL))
    table.add_row(EVIL, style="green")
    console.print(table)
    console.rule(EVIL)
    with console.status(Text(EVIL)):
        console.print(EVIL)


def test_nothing_printed_has_power_over_the_terminal():
    file = io.StringIO()
    printed(
        make_console(
            file=file, force_terminal=True, width=200, color_system="standard", soft_wrap=False
        )
    )
    told = file.getvalue()
    assert "\x1b[32m" in told  # rich's own colours are there
    assert "a\u241b[2Jb\u241b]0;title" in told
    assert not re.search("\x1b\\[2J|\x1b\\]|[\x07\x7f\x9b]", told)


@pytest.mark.parametrize(
    ("tell", "lines"),
    [(say, 1), (prompt, 2), (complain, 1), (write_text, 2)],
)
def test_no_sentence_has_power_over_the_terminal(tell, lines, capfdbinary, monkeypatch):
    tell(f"{EVIL}\n{EVIL}")
    out, err = capfdbinary.readouterr()
    told = (out + err).decode()
    assert told.count("a\u241b[2Jb") == 2
    assert len(told.splitlines()) == lines
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f]", told)


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "a.py"
    path.write_text("one\nTWO\nthree [b]x[/b]\n")
    return path


def plain(data):
    return re.sub(rb"\x1b\[[0-9;?]*[a-zA-Z]", b"", data).decode()


def test_a_terminal_gets_the_coloured_diff_and_one_line_of_figures(editd, file, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    outcome = editd("edit", file, "-i", "x", terminal=True)
    assert outcome.code == 0, outcome.err
    assert b"\x1b[32m" in outcome.out
    text = plain(outcome.out)
    for line in ("     1 - one", "     1 + ONE", "     2   TWO", "     3 + THREE [B]X[/B]"):
        assert line in text
    figures = next(line for line in text.splitlines() if "tokens/s" in line)
    for word in ("2 hunks, +2 -2", "tokens in", "rounds", "tokens per round", "draft tokens"):
        assert word in figures
    assert "Nothing was written" in text
    assert file.read_text() == "one\nTWO\nthree [b]x[/b]\n"


def test_no_color_is_respected(editd, file, monkeypatch):
    monkeypatch.setenv("NO_COLOR", "1")
    outcome = editd("edit", file, "-i", "x", terminal=True)
    assert not re.search(rb"\x1b\[[0-9;]*3[0-7]m", outcome.out)
    assert "     1 + ONE" in plain(outcome.out)


def test_doubts_are_shown_with_their_line(editd, file):
    outcome = editd("edit", file, "-i", "x", terminal=True, script=Script(suspect="It loops."))
    assert "suspect: lines 1 and 3: It loops." in plain(outcome.out)


def test_a_terminal_tells_notes_the_summary_and_other_ways(editd, file):
    script = Script(note="Look.", summary="Nothing else fits.", ways=("again", "whole"))
    text = plain(editd("edit", file, "-i", "x", terminal=True, script=script).out)
    assert "note: lines 1 and 3: Look." in text
    assert "Nothing else fits.\n" in text.replace("\r", "")
    assert "Another way: --way again (ask again), --way whole (on the whole file)." in text


def test_progress_is_one_line():
    cases = [
        (Progress("", "queued", "waiting for 2 other edits", queue_position=2), "waiting for 2 other edits"),
        (Progress("", "loading", "loading m", fraction=0.5), "loading m 50%"),
        (Progress("", "loading", "loading m (50%)", fraction=0.5), "loading m (50%)"),
        (Progress("", "prefill", "", fraction=1), "prefill 100%"),
    ]  # fmt: skip
    for progress, line in cases:
        assert describe(progress) == line


def test_a_pipe_gets_no_colour_even_with_a_spinner(editd, file, monkeypatch):
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    outcome = editd("edit", file, "-i", "x")
    assert outcome.out == b"ONE\nTWO\nTHREE [B]X[/B]\n"


@pytest.mark.parametrize(
    ("is_terminal", "told"),
    [
        (True, "editd: a sentence of\nseveral words,\nsome-hyphenated-one\n"),
        (False, "editd: a sentence of several words, some-hyphenated-one\n"),
    ],
)
def test_a_terminal_gets_sentences_wrapped_between_words(monkeypatch, capsys, is_terminal, told):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: is_terminal)
    monkeypatch.setattr("editd.frontends.cli.console._columns", lambda: 20)
    say("a sentence of several words, some-hyphenated-one")
    assert capsys.readouterr().err == told
