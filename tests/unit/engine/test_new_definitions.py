"""What an edit with a model brings beyond the answer: its place among definitions, its imports, the texts that it was shown."""

import pytest

from editd.messages import ContextItem, EditRequest
from tests.written_answer import TextModel, answered

CODE = "import os\n\n\nclass Store:\n    def load(self):\n        return os.name\n\n\ndef last():\n    pass\n"
NEW = "```python\ndef twice(x):\n    return 2 * x\n```\n"


@pytest.mark.parametrize(
    ("instruction", "where", "start", "new"),
    [
        ("write a function twice below this one", {"cursor": 9}, 10, "\n\ndef twice(x):\n    return 2 * x\n"),
        ("add a method twice after this one", {"cursor": 5}, 6, "\n    def twice(x):\n        return 2 * x\n"),
        ("add a function twice above last", {}, 8, "def twice(x):\n    return 2 * x\n\n\n"),
        ("add a function twice below this", {"start_line": 8, "end_line": 10}, 10, "\n\ndef twice(x):\n    return 2 * x\n"),
    ],
)  # fmt: skip
def test_a_new_definition_is_one_hunk_at_its_place(instruction, where, start, new):
    request = EditRequest("1", CODE, instruction, "a.py", **where)
    result, _ = answered(request, TextModel("m", [NEW], "stop", "messages"))
    (hunk,) = result.hunks
    assert (hunk.start, hunk.old_count, "".join(hunk.new_lines)) == (start, 0, new)
    assert hunk.suspect is None


def test_the_embedded_model_refuses_a_new_definition_in_a_sentence():
    model = TextModel("embedded", [NEW], "stop", "messages")
    model.manifest = {"kind": "trained", "families": ["rename"]}
    request = EditRequest("1", CODE, "write a function twice below this one", "a.py", cursor=9)
    result, _ = answered(request, model)
    assert (result.finish_reason, result.text) == ("refused", None)
    assert result.error.message.startswith(
        "The embedded model writes no new functions: choose a larger"
    )


def test_an_import_that_is_missing_is_a_hunk_of_its_own():
    answer = "```python\n" + CODE.replace("    pass", "    return json.dumps(1)") + "```\n"
    request = EditRequest("1", CODE, "let last return JSON", "a.py")
    result, _ = answered(request, TextModel("m", [answer], "stop", "messages"))
    assert ["".join(hunk.new_lines) for hunk in result.hunks] == [
        "import json\n",
        "    return json.dumps(1)\n",
    ]
    assert result.text.startswith("import json\n")


def test_a_text_that_is_mentioned_is_named():
    item = ContextItem("mention", "a\nb\n", "util.py", 0, 2)
    request = EditRequest("1", CODE, "use util.py in last", "a.py", context=(item,))
    result, _ = answered(request, TextModel("m", [f"```python\n{CODE}```\n"], "stop", "messages"))
    assert "With util.py (2 lines)." in result.notices
