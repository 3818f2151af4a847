"""A rename to a name that is taken, or is none, is refused in a sentence; one that is taken elsewhere is computed."""

import asyncio

import pytest

from editd.frontends.planning_client import PlanningClient
from editd.messages import EditRequest
from editd.refactor.computed import compute_edit

AREA = "def area(w, h):\n    result = w * h\n    return result\n"
GO = "package a\n\nfunc f(a int) int {\n\tresult := a\n\treturn result\n}\n"
JS = "function f(a) {\n  const result = a;\n  return result;\n}\n"


@pytest.mark.parametrize(
    ("instruction", "path", "text", "sentence"),
    [
        ("rename result to w", "a.py", AREA, "“w” is taken (line 1), and “result” would become the same; choose another name."),
        ("rename result to class", "a.py", AREA, "“class” is a keyword and cannot be a name; choose another one."),
        ("rename result to len", "a.py", AREA.replace("w *", "len(w) *"), "“len” is taken (line 2)"),
        ("rename load to save", "a.py", "def load(): pass\ndef save(): pass\n", "“save” is taken (line 2)"),
        # A scope in between would hide it.
        ("rename x to y", "a.py", "def f():\n    y = 1\n    return lambda: x + y\nx = 1\n", "“y” is taken (line 2)"),
        ("rename x to y", "a.py", "def f():\n    x = 1\n    def g():\n        return y\n    return g\ny = 1\n", "“y” is taken (line 4)"),
        ("rename the method total of Cart to amount", "a.py",
         "class Cart:\n    def total(self):\n        return self.amount\n    def __init__(self):\n        self.amount = 1\n", "“amount” is taken (line 3)"),
        ("rename total to n in f", "a.py", "def f(n):\n    total = n\n    return total\n", "“n” is taken (line 1)"),
        ("rename result to w and delete the prints", "a.py", AREA, "“w” is taken (line 1)"),
        ("rename result to a", "a.go", GO, "“a” is taken (line 3)"),
        ("rename result to func", "a.go", GO, "“func” is a keyword"),
        ("rename result to var", "a.js", JS, "“var” is a keyword"),
        ("rename result to a", "a.js", JS, "“a” is taken (line 1)"),
        ("rename result to fn", "a.rs", "fn f() {\n    let result = 1;\n    g(result);\n}\n", "“fn” is a keyword"),
    ],
)  # fmt: skip
def test_a_name_that_cannot_be(instruction, path, text, sentence):
    result = compute_edit(EditRequest("1", text, instruction, path=path))
    assert (result.finish_reason, result.text, result.hunks) == ("refused", None, ())
    assert result.error.message.startswith(sentence)


@pytest.mark.parametrize(
    ("instruction", "text"),
    [
        ("rename result to size", AREA + "\n\ndef f():\n    size = 1\n    return size\n"),
        ("rename total to n in f", "def f():\n    total = 1\n    return total\n\n\ndef g(n):\n    return n\n"),
        ("rename result to len", AREA),  # Python's own is not used here
        ("rename x to y", "class A:\n    y = 1\n\n    def f(self):\n        x = 1\n        return x\n"),
    ],
)  # fmt: skip
def test_a_name_that_is_taken_elsewhere(instruction, text):
    result = compute_edit(EditRequest("1", text, instruction, path="a.py"))
    old, name = instruction.split()[1], instruction.split()[3]
    assert result.text == text.replace(old, name)


def test_no_engine_is_connected_for_a_refusal():
    async def connect():
        raise AssertionError("connected")

    async def edit():
        request = EditRequest("1", AREA, "rename result to w", path="a.py")
        return [m async for m in PlanningClient(connect).ask(request)]

    (result,) = asyncio.run(edit())
    assert result.error.code == "refused"
