"""What is asked for in one definition changes that alone, and only where nothing else hangs on it."""

import pytest

from editd.embedded.families import refuse
from editd.intent import parse
from editd.messages import EditRequest
from editd.refactor.computed import compute_edit

MANIFEST = {"kind": "trained", "families": ["rename", "replace-string", "delete-prints"]}
TEXT = """\
def total(items):
    result = len(items)  # 2
    print(result, "left", 'x')
    return result


class Item:
    def load(self):
        result = 2
        print(result, "left", 'x')  # 2
        h = open("left")
        x = h.read()
        h.close()
        return x % result
"""


def check(instruction, path, before, after):
    """after: ``None`` where it is left to a model."""
    result = compute_edit(EditRequest("1", before, instruction, path=path))
    assert (result and result.text) == after


def in_load(old, new):
    head, mark, tail = TEXT.partition("    def load")
    assert old in tail
    return head + mark + tail.replace(old, new)


@pytest.mark.parametrize(
    "instruction",
    [
        "rename result to amount in load",
        "rename result to amount in load()",
        "rename result to amount only in load",
        "rename result to amount, but only in load",
        "rename result to amount (in load)",
        "rename result to amount in load only",
        "rename result to amount inside `load`",
        "rename result to amount within Item.load",
        "rename result to amount in the function load",
        "rename result to amount in the load method",
        "rename result to amount in the method load of Item",
        "rename the variable result in load to amount",
        "in load, rename result to amount",
        "in load rename result to amount",
    ],
)
def test_where_is_said_in_many_ways(instruction):
    check(instruction, "a.py", TEXT, in_load("result", "amount"))


@pytest.mark.parametrize(
    ("instruction", "old", "new"),
    [
        ('replace "left" with "right" in load', '"left"', '"right"'),
        ("replace 2 with 4 in load", "= 2", "= 4"),
        ("set result to 5 in load", "= 2", "= 5"),
        ("delete the prints in load", "        print(result, \"left\", 'x')  # 2\n", ""),
        ("remove prints from load", "        print(result, \"left\", 'x')  # 2\n", ""),
        ("delete the comments in load", "  # 2", ""),
        ("use double quotes in load", "'x'", '"x"'),
        ("delete the lines with `h.read` in Item.load", "        x = h.read()\n", ""),
        *((f"{said} in load", 'h = open("left")\n        x = h.read()\n        h.close()\n', 'with open("left") as h:\n            x = h.read()\n')
          for said in ("use with open", "use a with statement", "use a context manager", "use a with block")),
    ],
)  # fmt: skip
def test_each_kind_that_can_be_asked_for_in_a_place(instruction, old, new):
    check(instruction, "a.py", TEXT, in_load(old, new))


def test_an_import_that_the_place_needs_comes_along():
    text = "def f():\n    print(1)\n\n\ndef g():\n    print(2)\n"
    new = "import logging\n\n" + text.replace("print(2)", "logging.info(2)")
    check("replace print with logging in g", "a.py", text, new)


@pytest.mark.parametrize(
    ("path", "before", "after"),
    [
        ("a.py", "def load(data):\n    g(data=data)\nload(data=1)\nm.load(data=2)\n",
         "def load(rows):\n    g(data=rows)\nload(rows=1)\nm.load(data=2)\n"),
        ("a.ts", "const data = 1;\nfunction load() {\n  const data = 2;\n  return data;\n}\n",
         "const data = 1;\nfunction load() {\n  const rows = 2;\n  return rows;\n}\n"),
        ("a.go", "package a\nvar data = 1\nfunc load(data int) int {\n\treturn data\n}\n",
         "package a\nvar data = 1\nfunc load(rows int) int {\n\treturn rows\n}\n"),
        ("a.rs", "fn load() {\n    let data = 1;\n}\nfn g() {\n    let data = 1;\n}\n",
         "fn load() {\n    let rows = 1;\n}\nfn g() {\n    let data = 1;\n}\n"),
        ("A.java", "class A {\n  int data;\n  int load(int data) {\n    return data;\n  }\n}\n",
         "class A {\n  int data;\n  int load(int rows) {\n    return rows;\n  }\n}\n"),
        ("a.c", "int data;\nint load(int data) {\n  return data;\n}\n", "int data;\nint load(int rows) {\n  return rows;\n}\n"),
        ("a.py", "class load(data.data):\n    pass\n", None),
        ("a.py", "def load(data, data):\n    return data\n", None),
        # What else is called so has other uses.
        ("a.py", "data = 1\ndef load():\n    return data\n", None),
        ("a.py", "def load(data=data):\n    return data\n", None),
        ("a.py", "class A:\n    def load(self):\n        self.data = 1\n    def save(self):\n        return self.data\n", None),
        ("a.ts", "const data = 1;\nfunction load() {\n  return data;\n}\n", None),
        ("A.java", "class A {\n  int data;\n  int load() {\n    return data;\n  }\n}\n", None),
        ("a.py", "class A:\n    def load(self, data): pass\nclass B:\n    def load(self, data): pass\n", None),
        ("a.py", "def save(data):\n    return data\n", None),
    ],
)  # fmt: skip
def test_a_name_is_another_in_one_place_if_it_is_its_own(path, before, after):
    check("rename data to rows in load", path, before, after)


@pytest.mark.parametrize(
    ("instruction", "is_asked"),
    [
        ("rename result to amount in load", True),
        ("rename result to amount in production", False),
        ('replace "left" with "right" in Item', True),
        ("delete the prints in load", False),  # which no model was taught
    ],
)
def test_the_embedded_model_is_asked_where_the_text_has_the_place(instruction, is_asked):
    assert (refuse(MANIFEST, instruction, "python", TEXT) is None) is is_asked


def test_what_is_meant_by_this_function_is_not_known_without_a_selection():
    check("rename result to amount in this function", "a.py", TEXT, None)
    assert parse("rename result to amount in this function").renames


TWO = """\
class Cart:
    def __init__(self):
        self.total = 0

    def add(self, price):
        result = price
        self.total += result


class Bill:
    def __init__(self):
        self.total = 0

    def add(self, price):
        result = price
        self.total += result


cart, bill = Cart(), Bill()
cart = Cart()


def show(one, other: Cart):
    return one.total + other.total + cart.total + bill.total
"""


def changed(instruction, text=TWO, path="a.py", **selected):
    """Numbers of the lines that change, or the refusal."""
    result = compute_edit(EditRequest("1", text, instruction, path=path, **selected))
    if result is None or result.error:
        return result and result.error.message
    lines = zip(text.splitlines(), result.text.splitlines(), strict=True)
    return [number for number, (old, new) in enumerate(lines, start=1) if old != new]


@pytest.mark.parametrize(
    "instruction",
    [
        "rename Cart.total to amount", "rename total of Cart to amount", "rename total to amount in Cart",
        "in Cart, rename total to amount", "of Cart rename total to amount", "rename total in Cart to amount",
        "rename the attribute total of Cart to amount", "rename Cart's total to amount",
    ],
)  # fmt: skip
def test_a_member_that_another_class_has_too(instruction):
    """Its own where the object is known to be of the class; the others are named."""
    assert changed(instruction) == [3, 7, 24]
    result = compute_edit(EditRequest("1", TWO, instruction, path="a.py"))
    assert "It stays in members of other classes: lines 12, 16, 24." in result.summary


@pytest.mark.parametrize(
    ("instruction", "selected", "expected"),
    [
        ("rename result to x in Cart.add", {}, [6, 7]),
        ("rename result of Bill.add to x", {}, [15, 16]),
        ("inside of Bill.add, rename result to x", {}, [15, 16]),
        ("rename result to x in add", {}, "Several definitions are called “add” (lines 5 and 14); say which, such as “Cart.add”."),
        ("rename result to x in add", {"start_line": 13, "end_line": 16}, [15, 16]),
        ("rename result to x", {"start_line": 4, "end_line": 7}, [6, 7]),
        ("rename total to amount", {"start_line": 9, "end_line": 16}, [12, 16]),
        ("rename result to x", {"start_line": 5, "end_line": 6}, None),  # a part of what would change
        ("rename total of Cart to add", {}, "“add” is taken (line 5), and “total” would become the same; choose another name."),
    ],
)  # fmt: skip
def test_which_of_several_places_is_meant(instruction, selected, expected):
    assert changed(instruction, **selected) == expected


@pytest.mark.parametrize(
    ("instruction", "cursor", "expected"),
    [
        ("rename total to amount", 6, [3, 7, 24]),
        ("rename total to amount", 12, [12, 16]),
        ("rename total to amount everywhere", None, [3, 7, 12, 16, 24]),
        ("rename total to amount", None, "“total” is a member of “Cart” (line 3) and a member of “Bill” (line 12); say which, such as “Cart.total”, or “everywhere”."),
        ("rename self.total to self.amount", 2, [3, 7, 24]),
        ("rename self.total to self.amount", 20, "Several classes have “total” (Cart, Bill); say which, such as “Cart.total”."),
        ("rename total to amount in Bill", 2, [12, 16]),
        ("rename add to put", 4, [5]),
        ("rename price to cost", 4, [5, 6]),
        ("rename price to cost", 14, [14, 15]),
        ("rename price to cost in both methods", 4, [5, 6, 14, 15]),
    ],
)  # fmt: skip
def test_the_cursor_chooses_one_of_several_classes(instruction, cursor, expected):
    assert changed(instruction, cursor=cursor) == expected


def test_a_class_shares_its_members_with_those_that_inherit_from_it():
    text = "class A:\n    def f(self): self.x = 1\nclass B(A):\n    def g(self): return self.x\nclass C:\n    x = 2\n    def h(self): return self.x\n"
    assert changed("rename A.x to y", text) == [2, 4]
    text = "class A { f() { this.x = 1; } }\nclass B extends A { g() { return this.x; } }\nclass C { h() { this.x = 2; } }\n"
    assert changed("rename B.x to y", text, "a.js") == [1, 2]


@pytest.mark.parametrize(
    ("instruction", "name"),
    [
        ("rename foo to bar", "foo"), ("rename Cart.foo to bar", "foo"), ("rename Box.total to bar", "Box"),
        ("rename total of Box to bar", "Box"), ("delete the prints in Box", "Box"), ("rename foo to bar in Cart", "foo"),
    ],
)  # fmt: skip
def test_a_name_that_is_not_there_is_named(instruction, name):
    result = compute_edit(EditRequest("1", TWO, instruction, path="a.py"))
    assert result.text == TWO
    assert result.summary == f"There is nothing to change: “{name}” is not in this text."
