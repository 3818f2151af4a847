"""The licence at a file's head and comments that tools read stay when a pasted file leaves them out; others go."""

import pytest

from editd.apply.resolve import merge_request
from editd.messages import EditRequest, EditResult

PYTHON = '''\
#!/usr/bin/env python3
# Copyright 2020 A. Person
# All rights reserved.

"""Sums."""

import os  # noqa: F401


# about area
def area(w, h):
    total = w * h  # type: ignore
    # pylint: disable=no-member
    print(total)
    return total


def half(w):
    return w / 2
'''
SCRIPT = """\
/* Copyright 2020 A. Person */
// @ts-nocheck
import { a } from "./a";

export function area(w, h) {
  // eslint-disable-next-line no-console
  console.log(w);
  return w * h; // NOSONAR
}

export function half(w) {
  return w / 2;
}
"""
GO = "//go:build linux\n\npackage a\n\nfunc F() int {\n\treturn 1 //nolint:gomnd\n}\n\nfunc G() int {\n\treturn 2\n}\n"


def without(text, *parts):
    for part in parts:
        assert part in text
        text = text.replace(part, "")
    return text


def merged(path, text, answer, instruction=""):
    found = merge_request(EditRequest("1", text, instruction, path=path, sketch=answer))
    assert isinstance(found, EditResult), found
    return found


HEAD = "#!/usr/bin/env python3\n# Copyright 2020 A. Person\n# All rights reserved.\n\n"
DISABLED = "    # pylint: disable=no-member\n"


@pytest.mark.parametrize(
    ("path", "text", "lost"),
    [
        ("a.py", PYTHON, [HEAD]),
        ("a.py", PYTHON, ["  # noqa: F401", "  # type: ignore"]),
        ("a.py", PYTHON, [DISABLED]),
        ("a.py", PYTHON, [HEAD, DISABLED, "  # noqa: F401"]),
        ("a.ts", SCRIPT, ["/* Copyright 2020 A. Person */\n", "// @ts-nocheck\n"]),
        ("a.ts", SCRIPT, ["  // eslint-disable-next-line no-console\n", " // NOSONAR"]),
        ("a.go", GO, ["//go:build linux\n\n", " //nolint:gomnd"]),
    ],
)
@pytest.mark.parametrize("ends", ["\n", "\r\n"])
def test_they_stay_and_that_is_said(path, text, lost, ends):
    answer = without(text, *lost).replace("w / 2", "w / 4").replace("return 2", "return 3")
    expected = text.replace("w / 2", "w / 4").replace("return 2", "return 3").replace("\n", ends)
    result = merged(path, text.replace("\n", ends), f"```\n{answer}```\n")
    assert result.text.split() == expected.split()
    assert len(result.notices) == 1
    assert result.notices[0].startswith("The answer leaves out ")


@pytest.mark.parametrize(
    ("lost", "instruction"),
    [
        ([DISABLED, "    print(total)\n"], ""),  # with its line
        (["  # noqa: F401"], "remove the noqa comments"),
    ],
)
def test_others_go(lost, instruction):
    answer = without(PYTHON, *lost).replace("w / 2", "w / 4")
    result = merged("a.py", PYTHON, f"```python\n{answer}```\n", instruction)
    assert result.text == answer
    assert result.notices == ()


def test_a_diff_means_what_it_deletes():
    diff = "--- a/a.py\n+++ b/a.py\n@@ -7 +7 @@\n-import os  # noqa: F401\n+import os\n"
    assert merged("a.py", PYTHON, diff).text == without(PYTHON, "  # noqa: F401")


def test_another_licence_takes_the_place_of_the_old_one():
    answer = PYTHON.replace("2020 A. Person", "2021 B. Person").replace("w / 2", "w / 4")
    assert merged("a.py", PYTHON, f"```python\n{answer}```\n").text == answer
