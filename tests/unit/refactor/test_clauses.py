"""Several clauses in one sentence: one answer, whether the words decide them or a model is asked."""

import asyncio
from dataclasses import replace

import pytest

from editd.diff.document import Document
from editd.diff.edits import apply
from editd.diff.hunk import Hunk, Span
from editd.embedded.families import family_of
from editd.frontends.planning_client import PlanningClient
from editd.intent import parse
from editd.intent.intents import Open
from editd.messages import Delta, EditRequest, EditResult, ErrorInfo
from editd.messages.reports import Stats
from editd.refactor.computed import compute_edit, hunks_to, split_request

TEXT = "import os\n\n\ndef load(path):  # reads\n    return open(path)\n"


@pytest.mark.parametrize(
    ("instruction", "clauses"),
    [
        ("rename foo to bar and add a docstring", ("rename foo to bar", "add a docstring")),
        ("rename foo to bar, then give it a docstring", ("rename foo to bar", "give bar a docstring")),
        ("replace 'a and b' with 'c'; delete the comments", ("replace 'a and b' with 'c'", "delete the comments")),
        ("make it faster and simplify the loop", ()),
        ("rename foo to bar", ()),
        ("remove all comments and make it faster", ()),
        ("add a docstring to foo and a log call to bar", ("add a docstring to foo", "add a log call to bar")),
        ("add a docstring and a log call to foo", ("add a docstring to foo", "add a log call to foo")),
        ("add a docstring to foo, rename bar to baz and sort the imports",
         ("add a docstring to foo", "rename bar to baz", "sort the imports")),
        ("add docstrings to foo, bar and Cart.baz",
         ("add docstrings to foo", "add docstrings to bar", "add docstrings to Cart.baz")),
        ("annotate x as int and y as str in foo", ("annotate x as int in foo", "annotate y as str in foo")),
        ("wrap foo and bar in try/except", ("wrap foo in try/except", "wrap bar in try/except")),
        ("import os, sys and re", ("import os", "import sys", "import re")),
        ("delete foo and bar", ("delete foo", "delete bar")),
        ("remove comments and docstrings", ("remove comments", "remove docstrings")),
        ("rename foo to bar and baz to qux", ("rename foo to bar", "rename baz to qux")),
        ("rename foo to bar and rename bar to foo", ()),
        ("rename foo and bar to baz", ()),
        ("replace foo and bar with baz", ()),
        ("delete the lines with foo and bar", ()),
        ("delete foo and its tests", ()),
        ("rename foo to bar and memoize baz", ()),
        ("delete foo and inline bar", ()),
        ("remove the comments and obfuscate names", ()),
        ("log when foo and bar are called", ()),
        ("add a docstring to foo, which reads and parses the file", ()),
    ],
)  # fmt: skip
def test_where_one_ends_and_the_other_begins(instruction, clauses):
    assert parse(instruction).clauses == clauses


FIRST, SECOND = "rename foo to bar", "delete the prints"


@pytest.mark.parametrize(
    "listed",
    [
        "- {}\n- {}", "* {}\n* {}\n", "1. {}\n2. {}", "1) {}\n2) {}", "• {}\n• {}", "– {}\r\n– {}", "a) {}\nb) {}",
        "- [ ] {}\n- [x] {}", "  - {};\n  - {}", "1. {}, and\n2. {}", "{}\n{}", "{};\n{}", "{}; {}",
        "Please do the following:\n- {}\n- {}\n", "Hi, two things:\n\n1. {}\n\n2. {}\n\nThanks!", "Step 1: {}\nStep 2: {}",
        "1. {} 2. {}", "(1) {} (2) {}", "a) {} b) {}", "- {} - {}", "• {} • {}", "- {}\n  because it is clearer\n- {}",
    ],
)  # fmt: skip
def test_each_item_of_a_list_is_a_clause(listed):
    clauses = parse(listed.format(FIRST, SECOND)).clauses
    assert [clause.split(" because")[0] for clause in clauses] == [FIRST, SECOND]


@pytest.mark.parametrize(
    "listed",
    [
        "The code has two problems:\n- f does not check x\n- {1}", "- {0}\n- make it faster", "- {0}\n- not in half",
        "- {0}\n- {1}\nLeave half alone.", "In half:\n- {0}\n- {1}", "Don't:\n- {0}\n- {1}", "- {0}\n  - not in half\n- {1}",
        "1. {0} 2. keep the first print", "{0}\nhalf stays", "{0}; half stays; {1}", "half stays; {0}; {1}", "One of these:\n- {0}\n- {1}",
        "- {0}\n- rename bar to foo", "- rename a to b\n- rename b to a", "rename a to b and b to a",
    ],
)  # fmt: skip
def test_of_a_list_all_is_done_or_nothing(listed):
    said = parse(listed.format(FIRST, SECOND))
    assert said.clauses == ()
    assert said.intent == Open()
    assert family_of(said.text) is None


def test_the_words_decide_both():
    request = EditRequest("1", TEXT, "rename load to fetch and remove all comments", path="a.py")
    assert compute_edit(request).text == TEXT.replace("load", "fetch").replace("  # reads", "")


class Engine(PlanningClient):
    """Takes one clause at a time, as the embedded model does, and doubts what it writes for some."""

    def __init__(self):
        super().__init__(self.connected)
        self.asked = []

    async def connected(self):
        return self

    async def ask(self, request):
        self.asked.append(request.instruction)
        name = request.instruction.split()[-1]
        if " and " in request.instruction or f"def {name}(" not in request.text:
            error = ErrorInfo("refused", f"Not {name}.")
            yield EditResult(request.request_id, "refused", error=error)
            return
        new = request.text.replace(f"def {name}(", f"@noted\ndef {name}(")
        suspect, note = ("Odd.", None) if name == "save" else (None, f"See {name}.")
        span = Span(0, 0, 6, f"@ of {name}")
        hunks = hunks_to(Document.of(request.text), new)
        hunks = tuple(replace(h, suspect=suspect, note=note, note_spans=(span,)) for h in hunks)
        yield Delta(request.request_id, 0, ())
        yield EditResult(
            request.request_id,
            "stop",
            text=new,
            hunks=hunks,
            suspects=(suspect,) if suspect else (),
            notices=("Told.",),
            stats=Stats(written_by="model", output_tokens=5, total_seconds=1.0),
        )


def edit(instruction, text):
    engine = Engine()

    async def run():
        request = EditRequest("1", text, instruction, path="a.py")
        return [m async for m in PlanningClient(engine.connected).ask(request)]

    return engine.asked, asyncio.run(run())


FUNCTIONS = "import os\n\n\ndef load():\n    return os\n\n\ndef save():\n    pass\n\n\ndef main():\n    save()\n"


@pytest.mark.parametrize(
    ("instruction", "asked", "marks"),
    [
        # by the hunk's first line: suspect, note, and lines of the new text with a note
        ("rename load to fetch and add a decorator to it", ["add a decorator to fetch"], {3: (None, "See fetch.", [4])}),
        ("add docstrings to load and save",
         ["add docstrings to load and save", "add docstrings to load", "add docstrings to save"],
         {3: (None, "See load.", [4]), 7: ("Odd.", None, [9])}),
        ("add a docstring to save, document load and rename save to keep",
         ["add a docstring to save, document load and rename save to keep",
          "add a docstring to save", "document load"],
         {3: (None, "See load.", [4]), 7: ("Odd.", None, [9]), 12: (None, None, [])}),
    ],
)  # fmt: skip
def test_a_model_is_asked_for_some_and_all_are_one_answer(instruction, asked, marks):
    seen, (delta, result) = edit(instruction, FUNCTIONS)
    assert seen == asked
    assert apply(result.hunks, FUNCTIONS) == result.text
    assert len([op for op in delta.ops if isinstance(op, Hunk)]) == len(result.hunks) == len(marks)
    shift, told = 0, {}
    for hunk in result.hunks:
        first = hunk.start + shift + 1
        shift += len(hunk.new_lines) - hunk.old_count
        lines = [first + span.line for span in hunk.note_spans]
        told[hunk.start] = hunk.suspect, hunk.note, lines
    assert told == marks
    assert result.suspects == (("Odd.",) if "save" in instruction else ())
    assert all(notice.endswith("”: Told.") for notice in result.notices)


def test_of_a_wish_that_is_refused_the_wish_is_said_and_nothing_is_done():
    _, (result,) = edit("add docstrings to load and store", FUNCTIONS)
    assert result.text is None
    assert result.error.message == (
        "“add docstrings to store” was not done, so nothing was: Not store."
    )


@pytest.mark.parametrize(
    ("instruction", "names"),
    [
        ("Add docstrings", ["a", "c"]),
        ("add docstrings to all functions", ["a", "c"]),
        ("docstrings please", ["a", "c"]),
        ("add missing docstrings everywhere", ["a", "c"]),
        ("add a docstring", []),
        ("remove docstrings", []),
    ],
)
def test_docstrings_of_all_are_one_request_for_each_function_without_one(instruction, names):
    text = 'def a():\n    pass\n\n\ndef b():\n    """B."""\n\n\ndef c():\n    pass\n'
    requests = split_request(EditRequest("1", text, instruction, path="a.py"))
    assert [x.instruction for x in requests] == [f"add a docstring to {name}" for name in names]
