"""Answers that hold the new text in another form: JSON, a diff, tags."""

import json

import pytest

from editd.prompts.answer_forms import Content, content_of, may_have_form

OLD = "a = 1\nb = 2\n"
NEW = "a = 3\nb = 2\n"


def content(body, old=OLD, language="python", instruction=""):
    return content_of(body, old, language, instruction)


@pytest.mark.parametrize(
    "body",
    [
        json.dumps({"code": NEW}),
        json.dumps(
            {"updated_code": NEW, "explanation": "It is 3 now.", "language": "python"}, indent=2
        ),
        json.dumps({"name": "edit", "arguments": {"path": "a.py", "content": NEW}}),
        f"<code>\n{NEW}</code>",
        f'<file path="a.py">\n{NEW}</file>\n',
        f"<content><![CDATA[\n{NEW}]]></content>",
        f"<updated>{NEW}</updated>",
        f"<tool_call>\n{json.dumps({'arguments': {'content': NEW}})}\n</tool_call>",
    ],
)
def test_the_text_is_taken_out_of_its_form(body):
    assert content(body) == Content(text=NEW)


@pytest.mark.parametrize(
    "body",
    [
        '{"edits": [{"old": "1", "new": "3"}]}',
        '{"code": "x", "content": "y"}',
        '{"name": "search", "query": "a"}',
        '[{"old": "1", "new": "3"}]',
    ],
)
def test_json_that_holds_no_one_text_is_refused(body):
    assert "answered in JSON" in content(body).refusal


@pytest.mark.parametrize(
    "body",
    [
        "-a = 1\n+a = 3\n b = 2\n",
        "--- a/a.py\n+++ b/a.py\n@@ -1,2 +1,2 @@\n-a = 1\n+a = 3\n b = 2\n",
        "@@ -1,2 +1,2 @@\n-a = 1\n+a = 3\n",
        "<<<<<<< SEARCH\na = 1\n=======\na = 3\n>>>>>>> REPLACE\n",
        "*** Begin Patch\n*** Update File: a.py\n-a = 1\n+a = 3\n*** End Patch\n",
    ],
)
def test_a_diff_is_recognised(body):
    assert content(body) == Content(diff=body)


@pytest.mark.parametrize(
    ("body", "old", "language", "instruction"),
    [
        (NEW, OLD, "python", ""),
        ("- a: 3\n- b: 2\n", "- a: 1\n- b: 2\n", "yaml", ""),
        ("---\na: 3\n", "a: 1\n", "yaml", ""),
        ('{\n  "content": 3\n}\n', '{\n  "content": 1\n}\n', "json", ""),
        ("{ return 3; }\n", "{ return 1; }\n", "c", ""),
        ("[1, 2]\n", "", "python", ""),
        ("<div>\n  b\n</div>\n", "", "html", ""),
        ("<main>\n<p>b</p>\n</main>\n", "<p>a</p>\n", "html", ""),
        ("<code>b</code>\n", "<code>a</code>\n", "html", ""),
        ("<document>\n<p/>\n</document>\n", "<p/>\n", "xml", "wrap it in <document>"),
        ("+a\n-b\n", "+a\n-c\n", "diff", ""),
        ("", OLD, "python", ""),
    ],
)
def test_text_that_looks_like_a_form_is_text(body, old, language, instruction):
    assert content(body, old, language, instruction) is None


@pytest.mark.parametrize(
    ("info", "line", "old", "language", "kept"),
    [
        ("python", "a = 3", OLD, "python", False),
        ("json", '{"code": "a"}', OLD, "python", True),
        ("", '{"code": "a"}', OLD, "python", True),
        ("json", "{", '{\n  "a": 1\n}\n', "json", False),
        ("json", '{"code": "{\\n  \\"a\\": 3\\n}"}', '{\n  "a": 1\n}\n', "json", True),
        ("diff", "-a = 1", OLD, "python", True),
        ("diff", "-a = 1", "-a\n", "diff", False),
        ("", "--- a/a.py", OLD, "python", True),
        ("yaml", "---", "a: 1\n", "yaml", False),
    ],
)
def test_only_what_may_be_a_form_is_kept_back(info, line, old, language, kept):
    assert may_have_form(info, line, old, language) is kept
