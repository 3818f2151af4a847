"""What is done before a prompt costs a bounded multiple of the text, in pieces; counted, not timed."""

import sys

import pytest

from editd.diff.document import Document
from editd.errors import ScopeTooLarge
from editd.intent import parse
from editd.messages import ContextItem
from editd.prompts.answer import AnswerReader
from editd.prompts.base import PromptParts
from editd.prompts.formats import PlainFormat
from editd.prompts.named_lines import find_named_lines
from editd.prompts.scope import choose_scope, overhead_tokens
from editd.syntax.outline import outline
from editd.turns import Turns, yield_point

SHAPES = {
    "one name": ("x = 1\n", "a.py", "Rename things in x."),
    "one method": ("class C:\n    def forward(self):\n        pass\n", "a.py", "Add a docstring to forward."),
    "calls": ("f(x)\n", "a.py", "Rename x to y."),
    "blank": ("\n", "a.py", "Remove all comments."),
    "one line": ('{"a": 1},', "a.json", "Rename a to b."),
    "carriage returns": ("let a = 1;\r", "a.ts", "Rename a to b in a."),
    "imports": ("import os\n", "a.py", "Sort the imports."),
    "keywords": ("function f()\nend\n", "a.lua", "Document f."),
    "deeper": (" function f()\n", "a.lua", "Remove all comments."),
}  # fmt: skip
every_shape = pytest.mark.parametrize("shape", SHAPES)


def lines_of(shape, count):
    line = SHAPES[shape][0]
    return (line * count).splitlines(keepends=True) if shape != "one line" else [line * count]


class Work:
    """Everything that ``work`` makes Python do: function calls, and most of them between two breaths."""

    def __init__(self, work):
        self.calls, self.longest, self.result = 0, 0, None
        self._since = 0
        self._work = work
        Turns(self._run, self._breath).advance()
        self._breath()

    def _run(self):
        before = sys.getprofile()
        sys.setprofile(self._count)
        try:
            self.result = self._work()
        except ScopeTooLarge as error:
            self.result = str(error)
        finally:
            sys.setprofile(before)

    def _count(self, _frame, event, _argument):
        self.calls += event in ("call", "c_call")

    def _breath(self):
        """The time, which is asked for at every breath."""
        self.longest = max(self.longest, self.calls - self._since)
        self._since = self.calls
        return 0.0


def scope_work(shape, count, tokenised=None, max_context=4000):
    def count_tokens(text):
        if tokenised is not None:
            tokenised.append(len(text))
        return (len(text.encode()) + 3) // 4

    _, path, instruction = SHAPES[shape]
    language = {"py": "python", "ts": "typescript"}.get(path[2:], path[2:])
    lines = lines_of(shape, count)
    return Work(
        lambda: choose_scope(
            lines, instruction, count_tokens=count_tokens, max_context=max_context, overhead=100,
            path=path, language=language,
        )
    )  # fmt: skip


@every_shape
def test_work_grows_no_faster_than_the_text_and_no_piece_with_it(shape):
    small, large = (scope_work(shape, count, max_context=300) for count in (1500, 6000))
    assert large.calls < 6 * small.calls + 50_000
    assert large.longest < 100_000  # of these, about 25 ms
    assert large.longest < 1.5 * small.longest + 25_000


@every_shape
@pytest.mark.parametrize("max_context", [1000, 5000])
def test_the_tokenizer_never_gets_much(shape, max_context):
    tokenised = []
    scope_work(shape, 4000, tokenised, max_context)
    assert max(tokenised, default=0) <= 8192
    assert sum(tokenised) < 4 * len("".join(lines_of(shape, 4000))) + 50_000


def test_what_cannot_fit_is_refused_without_looking_at_it():
    tokenised = []
    work = scope_work("one line", 1_000_000, tokenised)
    assert "do not fit the model's context" in work.result
    assert sum(tokenised) < 50_000


def test_a_buffer_beyond_all_measure_is_not_searched():
    tokenised = []
    work = scope_work("one name", 2_000_000, tokenised)
    assert "too large to look for what the instruction names" in work.result
    assert work.calls < 100_000


def test_an_outline_adds_up_no_more_lines_than_a_parser_would_be_given():
    lines = Document.of("let a = 1;\r" * 40_000).model_lines
    assert Work(lambda: outline(lines, "typescript")).longest < 60_000


@pytest.mark.parametrize("where", ["instruction", "based_on", "context"])
def test_what_goes_with_a_buffer_is_measured_before_it_is_tokenised(where):
    long = "say this " * 500_000
    fields = {"instruction": "Go.", "based_on": None, "context": ()}
    fields[where] = (ContextItem("note", long),) if where == "context" else long
    tokenised = []
    parts = PromptParts(path="", language="", before="", region="", after="", **fields)
    count = overhead_tokens(PlainFormat(), parts, lambda text: tokenised.append(text) or 1, 4000)
    assert count > 4000
    assert tokenised == []


def test_a_part_for_each_of_very_many_places_would_be_too_many():
    lines = ("x = 1\n" + "y = 2\n" * 9) * 500

    def fits(start, end):
        return end - start <= 1000

    found = find_named_lines(lines.splitlines(keepends=True), parse("Double x."), "python", fits)
    assert len(found) == 5
    assert sum(part.end - part.start for part in found) > 4900


@pytest.mark.parametrize(
    "word", ["rename", "over", "call", "use instead of", "“", "` ", "in x", "a -> b"]
)
def test_a_long_instruction_is_read_in_bounded_time(word):
    def calls(count):
        return Work(lambda: parse(f"{word} " * count).renames).calls

    assert calls(25_000) < 2 * calls(2_000) + 2000  # nothing is read of what is no sentence


ANSWERS = {
    "fenced": "```python\n{}```",
    "quoted first": "Before:\n```\n{0}```\nAfter:\n```\n{0}y\n```",
    "words first": "I will look at it first.\n\n```python\n{}y\n```",
    "no fence": "{}",
    "a thought": "<think>\n{}</think>\nx",
    "fences": "text\n" + "```\n{0}```\n" * 3,
}


@pytest.mark.parametrize("size", [7, 1 << 30])
@pytest.mark.parametrize("shape", ANSWERS)
def test_an_answer_is_read_in_a_time_that_grows_with_it(shape, size):
    def work(count):
        text = "".join(f"x{i} = [{i}]\n" for i in range(count))
        answer = ANSWERS[shape].format(text)

        def read_it():
            reader = AnswerReader("", "```", text, document=text)
            for at in range(0, len(answer), size):
                reader.feed(answer[at : at + size])
                yield_point()  # as after each round of the loop
            reader.finish()

        return Work(read_it)

    small, large = work(1500), work(6000)
    assert large.calls < 6 * small.calls + 50_000
    assert large.longest < 100_000  # of these, about 25 ms
