"""Bad answers are doubted and honest ones are not: the corpus, from raw answer to suspects."""

import ast
import json
from pathlib import Path

import pytest

from editd.checks import check_hunks
from editd.checks.deletion import lines_asked_for
from editd.checks.elision import is_placeholder
from editd.checks.loops import LoopWatch
from editd.diff.document import Document, requested_final_newline
from editd.diff.edits import apply
from editd.diff.hunk import Hunk
from editd.diff.streaming import StreamingDiff
from editd.prompts.answer import AnswerReader
from editd.syntax.language import language_of

CORPUS = Path(__file__).parents[2] / "fixtures" / "answers"
CASES = [
    pytest.param(case, id=f"{file.stem}: {case['name']}")
    for file in sorted(CORPUS.glob("*.json"))
    for case in json.loads(file.read_text(encoding="utf-8"))["cases"]
    if "refusal" not in case
]


def rewritten(buffer, model_text, instruction="", path="", start=0, end=None):
    """The hunks of an answer, marked, and the doubts."""
    document = Document.of(buffer)
    final_newline = requested_final_newline(instruction)
    diff = StreamingDiff(document, start, end, final_newline=final_newline)
    diff.push(model_text)
    diff.finish()
    regions = [(start, len(document.lines) if end is None else end)]
    return check_hunks(document, diff.hunks, instruction, language_of(path), regions=regions)


@pytest.mark.parametrize("case", CASES)
def test_the_corpus_is_judged_as_it_says(case):
    reader = AnswerReader(case["opening"], case["fence"], case["buffer"])
    body = reader.feed(case["answer"]) + reader.finish()
    hunks, doubts = rewritten(case["buffer"], body, case["instruction"], case["path"])
    expected = case.get("suspects", [])
    assert len(doubts) == len(expected), doubts
    for part, doubt in zip(expected, doubts, strict=True):
        assert part in doubt
        assert doubt.endswith(".")
    assert {hunk.suspect for hunk in hunks} - {None} <= set(doubts)
    assert any(hunk.suspect for hunk in hunks) is bool(expected)
    if "text" in case or "body" in case:
        assert apply(hunks, case["buffer"]) == case.get("text", case.get("body"))


def numbered(count, name="line"):
    return "".join(f"{name} {i} = {i}\n" for i in range(count))


def test_only_the_doubtful_hunks_are_marked():
    buffer = "a = 1\n" + numbered(30).replace("line ", "line_") + "b = 2\n"
    answer = buffer.replace("a = 1", "a = 3").replace("b = 2", "# ... existing code ...")
    hunks, doubts = rewritten(buffer, answer, path="x.py")
    assert [hunk.suspect for hunk in hunks] == [None, doubts[0]]


def test_a_suspicion_from_before_stays():
    hunks, _ = check_hunks(Document.of("a\n"), [Hunk(1, 0, 1, ("b\n",), suspect="Odd.")], "")
    assert hunks[0].suspect == "Odd."


def test_no_hunks_no_doubts():
    assert check_hunks(Document.of("a\n"), [], "") == ([], [])


def test_a_syntax_error_is_blamed_on_the_hunk_nearest_before_it():
    buffer = "a = 1\n" + "x = 0\n" * 9 + "b = 2\n" + "y = 0\n" * 9 + "c = 3\n"
    answer = buffer.replace("a = 1", "a = 4").replace("b = 2", "if b:").replace("c = 3", "c = 5")
    hunks, doubts = rewritten(buffer, answer, path="x.py")
    assert [bool(hunk.suspect) for hunk in hunks] == [False, True, False]
    assert "line 12" in doubts[0]


@pytest.mark.parametrize(
    ("new", "what"),
    [
        ("x = 'a", "unterminated string literal at line 2."),
        ("x = (\n]", "closing parenthesis ']' does not match opening parenthesis '(' at line 3."),
        ("def f():", "expected an indented block after function definition at line 3."),
    ],
)
def test_a_syntax_error_names_one_line(new, what):
    _, doubts = rewritten("a = 1\nx = 1\nb = 1\n", f"a = 1\n{new}\nb = 1\n", path="x.py")
    assert doubts == [f"The text parsed before and does not now: {what}"]


def large(statements=30_000):
    return "".join(f"y = {i:030}\n" for i in range(statements))


def test_of_a_large_text_the_statements_around_a_hunk_are_judged(monkeypatch):
    parsed = spied_parser(monkeypatch)
    buffer = f"{large()}def f():\n    x = 1\n    return x\n\n\n{large()}"
    hunks, doubts = rewritten(buffer, buffer.replace("x = 1", "x = ("), path="x.py")
    assert doubts == [
        "The text parsed before and does not now: '(' was never closed at line 30002."
    ]
    assert [hunk.suspect for hunk in hunks] == doubts
    _, doubts = rewritten(buffer, buffer.replace("x = 1", "x = (2)"), path="x.py")
    assert doubts == []
    assert max(map(len, parsed)) < 100


def test_what_two_hunks_open_and_close_is_judged_as_one(monkeypatch):
    buffer = f"{large(3000)}def f():\n    return 1\n\n\ndef g():\n    return 2\n{large(3000)}"
    after = buffer.replace("def f", '"""\ndef f').replace("def g", '"""\n\n\ndef g')
    assert rewritten(buffer, after, path="x.py")[1] == []


def test_no_parser_gets_more_than_it_can_read_at_once(monkeypatch):
    parsed = spied_parser(monkeypatch)
    buffer = "class A:\n" + "".join(f"    y = {i:030}\n" for i in range(30_000))
    _, doubts = rewritten(buffer, buffer.replace("y = 0", "y = (0", 1), path="x.py")
    assert doubts == []
    assert parsed == []


def spied_parser(monkeypatch):
    """A list that gets each text which Python's parser is given from now on."""
    parse, texts = ast.parse, []
    monkeypatch.setattr(ast, "parse", lambda text, *rest: texts.append(text) or parse(text, *rest))
    return texts


def test_deeply_nested_text_is_no_verdict():
    hunks, doubts = rewritten("x = 1\n", "x = " + "(" * 5000 + ")" * 5000 + "\n", path="x.py")
    assert doubts == []
    assert len(hunks) == 1


def test_losses_are_counted_in_the_region_that_was_rewritten():
    buffer = numbered(500)
    answer = "".join(buffer.splitlines(keepends=True)[100:115])
    _, doubts = rewritten(buffer, answer, start=100, end=130)
    assert doubts == ["15 of 30 lines are gone, and the instruction does not ask for that."]


def test_many_lines_are_many_whatever_their_share():
    buffer = numbered(2000)
    lines = buffer.splitlines(keepends=True)
    _, doubts = rewritten(buffer, "".join(lines[:700] + lines[830:]))
    assert doubts == ["130 of 2000 lines are gone, and the instruction does not ask for that."]
    _, doubts = rewritten(buffer, "".join(lines[:700] + lines[760:]))
    assert doubts == []


AREA = "def area(w, h):\n    return w * h\n\n\n"
VOLUME = "def volume(w, h, d):\n    return area(w, h) * d\n"


@pytest.mark.parametrize(
    ("instruction", "answer", "doubted"),
    [
        ("rename w to width", AREA.replace("w", "width"), True),
        ("add a docstring to area", AREA.replace("\n ", '\n    """Area."""\n ', 1), True),
        ("remove the loop in area", AREA, True),
        ("rename volume to content", AREA, True),
        ("remove volume", AREA, False),
        ("inline volume into its callers", AREA, False),
        ("compute the volumes elsewhere", AREA, False),
        ("rename volume to content", AREA + VOLUME.replace("volume", "content"), False),
        ("say it in other words", AREA + VOLUME.replace("volume", "content"), True),
        ("fix it", AREA + VOLUME.replace("volume", "content"), False),
        ("rework it", AREA + VOLUME.replace("volume", "content"), False),
        ("put volume first", f"{VOLUME}\n\n{AREA}", False),
        ("refactor", AREA, False),
        ("simplify", AREA, False),
    ],
)
def test_a_definition_that_nobody_spoke_of_is_missed(instruction, answer, doubted):
    _, doubts = rewritten(AREA + VOLUME, answer, instruction, "a.py")
    gone = "“volume” (line 5) is gone; check that this is intended."
    assert doubts == ([gone] if doubted else [])


@pytest.mark.parametrize(
    ("instruction", "doubted"),
    [
        ("rename w to x", True),
        ("please rename w to x", True),
        ("rename w to x and drop the constants", False),
        ("say x, not w", False),
    ],
)
def test_a_rename_deletes_no_lines(instruction, doubted):
    buffer = AREA + "DEPTH = 1\nHEIGHT = 2\n" + VOLUME
    _, doubts = rewritten(buffer, AREA + VOLUME, instruction, "a.py")
    assert bool(doubts) is doubted


def test_definitions_that_go_together_are_one_doubt():
    buffer = 6 * AREA + VOLUME + "\n\nclass Box:\n    pass\n"
    _, doubts = rewritten(buffer, 6 * AREA, "rename w to x", "a.py")
    assert doubts == ["“volume” (line 25) and 1 more are gone; check that this is intended."]


@pytest.mark.parametrize(
    ("instruction", "wanted"),
    [
        ("remove the debug prints", True),
        ("Simplify this", True),
        ("keep only the public functions", True),
        ("Split the class in two", True),
        ("move the helpers to another file", True),
        ("add a docstring", False),
        ("don't remove the comments, only rename x", False),
        ("rename x and do not drop any test", False),
        ("style the dropdown with stripes and execute it", False),
        ("Never delete; mark as removed", True),
        ("", False),
    ],
)
def test_some_words_explain_a_deletion(instruction, wanted):
    assert bool(lines_asked_for(instruction, [instruction])) is wanted


@pytest.mark.parametrize(
    "line",
    [
        "# ... rest unchanged",
        "    # ... (rest of the methods unchanged)",
        "// ... existing code ...",
        "//...",
        "/* ... */",
        "/* rest of the code remains the same */",
        "<!-- ... -->",
        "<!-- existing content here -->",
        "-- ...",
        "{/* ... */}",
        "# … unchanged …",
        "# Rest of the code stays the same",
        "# remaining code stays the same",
        "# The remaining methods remain unchanged.",
        "# existing implementation goes here",
        "# Placeholder for actual implementation",
        "# Other methods remain unchanged...",
        "# ... other methods ...",
        "# ... (previous code)",
        "# same as before",
        "# (unchanged)",
        "// [rest of implementation omitted]",
        "# ... omitted for brevity ...",
        "# ...snip...",
        "# [remaining code unchanged]",
        "(... rest of the file ...)",
        "; ... the rest of the file is unchanged",
        "# ... keep the rest of your code",
        "// Rest of your code here",
        "# --- rest of file unchanged ---",
        "... (rest of the code remains the same) ...",
    ],
)
def test_placeholders_are_known(line):
    assert is_placeholder(line)


@pytest.mark.parametrize(
    "line",
    [
        "# wait for the rest of the messages",
        "# keep the existing value if there is one",
        "// the same as above, but for strings and with more care about nulls",
        "/* Unchanged fields are not written back. */",
        "# and so on...",
        "x = [...]",
        "f(...)",
        "print('...')",
        "-- returns the remaining items",
        "// TODO: remaining work",
        "[rest] = items",
        "{...rest}",
        "const { a, ...rest } = b;",
        "# Existing users keep their tokens.",
        "#include <rest.h>",
        "--x;",
        "",
    ],
)
def test_ordinary_lines_are_no_placeholders(line):
    assert not is_placeholder(line)


CODE = """import os

# Digits.
@cached
def normalize(text):
    x = text.replace("_", "")
    return x


def underscore(text):
    for c in text:
        if c == "_":
            return True
    return False


def later(x):
    # Nothing.
    return x + 1
"""


@pytest.mark.parametrize(
    ("instruction", "asked"),
    [
        ("rename x to y", []),
        ("Remove the function later", range(16, 19)),
        ("delete `normalize`", range(2, 9)),
        ("remove numeric normalization", range(2, 9)),
        ("drop all comments", [2, 17]),
        ("the comments can go", [2, 17]),
        ("function later can go", range(16, 19)),
        ("nobody calls `normalize`, so take it away", range(2, 9)),
        ("I want this file without the function later", range(16, 19)),
        ("let the loop go on without later", []),
        ("throw out the function s", []),
        ("Remove the loop", []),
        ("Don't remove underscore, rename it", []),
        ("remove unused code", range(19)),
        ("simplify normalize", range(19)),
        ("delete it", range(19)),
        ("Remove later from this file", range(16, 19)),
        ("delete each line that mentions 'return x'", [6, 7, 8, 17, 18]),
        ("delete the first lines", range(19)),
    ],
)
def test_what_an_instruction_asks_to_be_deleted(instruction, asked):
    assert sorted(lines_asked_for(instruction, CODE.splitlines(keepends=True))) == list(asked)


def test_more_than_was_named_is_doubted_although_it_says_remove():
    buffer = CODE + numbered(20)
    rest = numbered(20)
    hunks, doubts = rewritten(buffer, rest, "Remove normalize", path="x.py")
    assert doubts == ["9 of 29 lines are gone, and the instruction does not ask for that."]
    assert all(hunk.suspect for hunk in hunks)
    without = buffer[: buffer.index("# Digits")] + buffer[buffer.index("def under") :]
    assert rewritten(buffer, without, "Remove normalize", path="x.py")[1] == []


LOOPS = {
    "a line": ("x = 1\n" + "total = total + 1  # and so on\n" * 30, 9),
    "a block": ("a = 1\n" + "def f():\n    return more\n\n" * 9, 9),
    "a number": ("".join(f"    value[{n}] = {n},\n" for n in range(90)), 34),
    "a piece of a line": ("from editd" + ".lsp" * 200, 1),
}


@pytest.mark.parametrize("name", LOOPS)
def test_a_loop_is_found_while_it_is_written(name):
    answer, lines = LOOPS[name]
    watch = LoopWatch("x = 1\n")
    for at, character in enumerate(answer):
        watch.feed(character)
        if watch.found:
            assert answer[:at].count("\n") <= lines
            assert at < 1000
            return
    raise AssertionError("it was not found")


@pytest.mark.parametrize("name", LOOPS)
def test_what_the_buffer_repeats_itself_is_none(name):
    watch = LoopWatch(LOOPS[name][0])
    watch.feed(LOOPS[name][0])
    assert not watch.found
