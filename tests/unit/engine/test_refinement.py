"""A refinement continues the conversation: the earlier prompt as it was, its answer, and the lines to write once more."""

from dataclasses import replace

import pytest

from editd.frontends.follow_up import follow_up
from editd.messages import EditRequest
from editd.prompts.formats import format_for
from tests.written_answer import TextModel, answered

CODE = "import os\n\n\ndef name():\n    return os.name\n\n\ndef last():\n    pass\n"
FIRST = '    """Its name."""\n    return os.name\n'
BETTER = '    """The name of the system."""\n    return os.name\n'


class Asked(TextModel):
    """Answers with the lines ``body``, and keeps the specification of the last answer. slow: whole buffers take long."""

    def __init__(self, body, *, edit_format="messages", slow=True):
        super().__init__("m", [f"```python\n{body}```\n"], "stop", edit_format)
        self.slow = slow

    def seconds(self, prompt_tokens, answer_tokens):
        return answer_tokens * 1.0 if self.slow else 0.0

    def begin(self, spec, on_text):
        self.asked = spec
        return super().begin(spec, on_text)


def request_of(instruction, **fields):
    return EditRequest("1", CODE, instruction, "a.py", **fields)


def turns(spec):
    return [turn.content for turn in spec.prompt.messages]


@pytest.mark.parametrize(
    ("fields", "slow", "region", "asked"),
    [
        # Only the function that is named was rewritten: once more all of it.
        ({}, True, "def name():\n    return os.name\n", ""),
        # The whole file was: only the function that changed.
        ({}, False, "def name():\n    return os.name\n", "Rewrite only this part:\n\n```python\ndef name():\n" + FIRST + "```\n\n"),
        # Selected lines were.
        ({"start_line": 4, "end_line": 5}, True, "    return os.name\n", ""),
    ],
)  # fmt: skip
def test_the_lines_of_the_earlier_turn_are_written_once_more(fields, slow, region, asked):
    whole = CODE.replace("    return os.name\n", FIRST)
    start, end = (4, 6) if fields else (3, 6)
    body = whole if not slow else "".join(whole.splitlines(keepends=True)[start:end])
    first = Asked(body, slow=slow)
    request = request_of("add a docstring to name", **fields)
    result, _ = answered(request, first)
    assert result.text == whole

    head = "" if fields else "def name():\n"
    second = Asked(head + BETTER, slow=slow)
    refined, _ = answered(follow_up(request, result, "say more"), second)
    assert refined.text == CODE.replace("    return os.name\n", BETTER)
    assert second.asked.parts.region == region
    assert second.asked.expected == head + FIRST
    assert turns(second.asked)[:2] == turns(first.asked)
    assert turns(second.asked)[2] == f"```python\n{body}```"
    assert turns(second.asked)[3] == f"{asked}Instruction: say more"


def test_a_second_refinement_has_both_instructions_before_it():
    whole = CODE.replace("    return os.name\n", FIRST)
    request = request_of("add a docstring to name")
    result, _ = answered(request, Asked("def name():\n" + FIRST))
    again = follow_up(request, result, "say more")
    answer, _ = answered(again, Asked("def name():\n" + BETTER))
    third = Asked("def name():\n" + FIRST)
    refined, _ = answered(follow_up(again, answer, "say less"), third)
    assert refined.text == whole
    assert turns(third.asked)[1].endswith("Instruction: add a docstring to name\nsay more")


@pytest.mark.parametrize(
    "fields",
    [
        {"earlier": None},
        {"based_on": CODE.replace("os.name", "os.sep").replace("pass", "...")},  # changed elsewhere, too
        {"start_line": 3, "end_line": 9},  # more than the earlier region
    ],
)  # fmt: skip
def test_without_the_earlier_turn_its_answer_is_quoted(fields):
    request = request_of("add a docstring to name")
    result, _ = answered(request, Asked("def name():\n" + FIRST))
    model = Asked(CODE)
    answered(replace(follow_up(request, result, "say more"), **fields), model)
    assert len(turns(model.asked)) == 2
    assert "An earlier answer, to be improved on:" in turns(model.asked)[1]


def chatml(messages):
    shown = "".join(f"<{x['role']}>{x['content']}</{x['role']}>" for x in messages)
    return shown + "<assistant>"


def test_the_chat_prompt_begins_with_the_earlier_one_and_its_answer():
    request = request_of("add a docstring to name")
    first, second = Asked("def name():\n" + FIRST), Asked("def name():\n" + BETTER)
    result, _ = answered(request, first)
    answered(follow_up(request, result, "say more"), second)
    chat = format_for("chat", chatml)
    before, after = chat.prompt(first.asked.parts), chat.prompt(second.asked.parts)
    assert after.segments[: len(before.segments)] == before.segments
    assert after.text.startswith(before.text + "def name():\n" + FIRST + "```</assistant><user>")
    assert after.text.endswith("</user><assistant>```python\n")


def test_a_template_that_takes_one_turn_gets_one():
    request = request_of("add a docstring to name")
    second = Asked("def name():\n" + BETTER)
    result, _ = answered(request, Asked("def name():\n" + FIRST))
    answered(follow_up(request, result, "say more"), second)
    last_alone = format_for("chat", lambda messages: chatml([messages[0], messages[-1]]))
    text = last_alone.prompt(second.asked.parts).text
    assert "An earlier answer, to be improved on:" in text
