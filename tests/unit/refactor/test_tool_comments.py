"""Comments that programs read stay when the comments are deleted, and it is said; all others go."""

import pytest

from editd.messages import EditRequest
from editd.refactor.computed import compute_edit


@pytest.mark.parametrize(
    ("path", "text", "new", "summary"),
    [
        ("a.py", "#!/usr/bin/python\n# coding: latin-1\nx = 1  # noqa\ny = 2  # old\n",
         "#!/usr/bin/python\n# coding: latin-1\nx = 1  # noqa\ny = 2\n", "It stays in comments for tools: lines 2, 3."),
        ("a.js", "// Copyright 2020 Me\n// @ts-check\nf(/* a */ 1, 2 /* b */); // c\n",
         "// Copyright 2020 Me\n// @ts-check\nf(1, 2);\n", "It stays in the licence: line 1; in comments for tools: line 2."),
        ("a.go", "//go:build linux\n\npackage a\n\n// old\nvar x = 1 // y\n", "//go:build linux\n\npackage a\n\nvar x = 1\n",
         "It stays in comments for tools: line 1."),
    ],
)  # fmt: skip
def test_deleting_the_comments(path, text, new, summary):
    result = compute_edit(EditRequest("1", text, "delete the comments", path=path))
    assert result.text == new
    assert result.summary.endswith(summary)
