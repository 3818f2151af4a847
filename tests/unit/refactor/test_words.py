"""What the words alone make of a text, in several languages; and which requests they decide."""

import asyncio
import sys

import pytest

from editd.frontends.planning_client import PlanningClient
from editd.intent import parse
from editd.messages import EditRequest, EditResult
from editd.messages.options import EditOptions
from editd.refactor.computed import compute_edit
from editd.refactor.readings import candidates_for

PYTHON = '''\
"""Loads max_size items."""
import os


class Store:
    def load(self, path):
        total = 0
        for line in open(path):  # total of all
            print(line)
            total += len(line)
        return f"{total} lines", "total"


def helper(total):
    return os.total, dict(total=total), helper(total=1)


print("done")
'''
TYPESCRIPT = """\
class Cart {
  total = 0; // total so far
  add(price: number): void {
    this.total += price;
    log(`total ${this.total}`, other.total, "total");
  }
}
"""
GO = """\
package main

// parse it
func parse(text string) int {
	return len(text) + 2
}

var n = parse("parse") + 2
"""
RUST = """\
fn area(w: u32, h: u32) -> u32 {
    // area of it
    w * h + 20
}
fn main() {
    println!("area {}", area(20, 3));
}
"""
JAVA = """\
class Point {
    int x;
    int getX() { return x; }
    void log() { System.out.println("x" + getX()); }
}
"""
C = """\
/* adds */
int add(int a, int b) {
    return a + b; /* sum */
}
int main(void) { return add(1, 2); }
"""


def check(text, path, instruction, *changed):
    """``changed``: old lines (stripped) and what each becomes; "" where it goes."""
    result = compute_edit(EditRequest("1", text, instruction, path=path))
    assert result is not None, instruction
    old, new = text.splitlines(), result.text.splitlines()
    gone = [line.strip() for line in old if line not in new and line.strip()]
    come = [line.strip() for line in new if line not in old and line.strip()]
    assert (gone, come) == (
        [before for before, _ in changed],
        [after for _, after in changed if after],
    )
    assert result.stats.written_by == "words"
    return result


@pytest.mark.parametrize(
    ("text", "path", "instruction", "changed"),
    [
        (GO, "a.go", "rename parse to read",
         [("func parse(text string) int {", "func read(text string) int {"),
          ('var n = parse("parse") + 2', 'var n = read("parse") + 2')]),
        (TYPESCRIPT, "a.ts", "rename the attribute total to sum",
         [("total = 0; // total so far", "sum = 0; // total so far"),
          ("this.total += price;", "this.sum += price;"),
          ('log(`total ${this.total}`, other.total, "total");',
           'log(`total ${this.sum}`, other.sum, "total");')]),
        (RUST, "a.rs", "Please rename the function area to size everywhere",
         [("fn area(w: u32, h: u32) -> u32 {", "fn size(w: u32, h: u32) -> u32 {"),
          ("// area of it", "// size of it"),
          ('println!("area {}", area(20, 3));', 'println!("area {}", size(20, 3));')]),
        (JAVA, "A.java", "rename getX to getLeft",
         [("int getX() { return x; }", "int getLeft() { return x; }"),
          ('void log() { System.out.println("x" + getX()); }',
           'void log() { System.out.println("x" + getLeft()); }')]),
        (C, "a.c", "rename add to plus",
         [("int add(int a, int b) {", "int plus(int a, int b) {"),
          ("int main(void) { return add(1, 2); }", "int main(void) { return plus(1, 2); }")]),
        (RUST, "a.rs", "replace 20 with 30",
         [("w * h + 20", "w * h + 30"),
          ('println!("area {}", area(20, 3));', 'println!("area {}", area(30, 3));')]),
        (GO, "a.go", 'replace the string "parse" with "read"',
         [('var n = parse("parse") + 2', 'var n = parse("read") + 2')]),
        (PYTHON, "a.py", "delete the print statements", [("print(line)", ""), ('print("done")', "")]),
        (PYTHON, "a.py", "remove all comments",
         [("for line in open(path):  # total of all", "for line in open(path):")]),
        ("x = 1  # noqa\n# y\n", "a.py", "remove all comments", [("# y", "")]),
        ("/** Doc. */\nf(); // why\n", "a.ts", "remove all comments", [("f(); // why", "f();")]),
        (C, "a.c", "remove all comments",
         [("/* adds */", ""), ("return a + b; /* sum */", "return a + b;")]),
        (PYTHON, "a.py", "delete the function helper",
         [("def helper(total):", ""), ("return os.total, dict(total=total), helper(total=1)", "")]),
        (GO, "a.go", 'delete all lines that contain "var n"', [('var n = parse("parse") + 2', "")]),
    ],
)  # fmt: skip
def test_the_words_decide(text, path, instruction, changed):
    check(text, path, instruction, *changed)


def test_an_import_goes_to_the_others():
    result = compute_edit(EditRequest("1", PYTHON, "we need json, import it", path="a.py"))
    assert "import json\nimport os\n" in result.text


def test_what_resembles_it_stays_and_is_named_and_another_way_takes_it_along():
    text = "def total():\n    # total of it\n    return other.total, 'total', total()\n"
    narrow = EditRequest("1", text, "rename the function total to sum", path="a.py")
    result = compute_edit(narrow)
    assert result.text == "def sum():\n    # total of it\n    return other.total, 'total', sum()\n"
    assert result.summary.endswith(
        "It stays in comments: line 2; in strings: line 3; in members of other objects: line 3."
    )
    assert [way.name for way in result.ways] == ["resembling", "model"]
    wide = EditRequest(
        "1", text, narrow.instruction, path="a.py", options=EditOptions(way="resembling")
    )
    assert compute_edit(wide).text == text.replace("total", "sum")


@pytest.mark.parametrize(
    ("path", "text", "new"),
    [
        ("a.ts", "interface A { total: number }\nf(a.total);\n", "interface A { sum: number }\nf(a.sum);\n"),
        ("a.go", "package a\n\ntype A struct{ total int }\n\nvar b = a.total\n", "package a\n\ntype A struct{ sum int }\n\nvar b = a.sum\n"),
        ("a.c", "struct a { int total; };\nint f(struct a *x) { return x->total; }\n", "struct a { int sum; };\nint f(struct a *x) { return x->sum; }\n"),
        ("a.js", "let total = 1;\nf({ total: total }, b.total);\n", "let sum = 1;\nf({ total: sum }, b.total);\n"),
        ("a.py", "def f(total):\n    return g(total=total), f(total=1)\n", "def f(sum):\n    return g(total=sum), f(sum=1)\n"),
        ("a.py", "__all__ = [\n    'total',\n]\ntotal = 1\nx = 'total'\n", "__all__ = [\n    'sum',\n]\nsum = 1\nx = 'total'\n"),
        ("a.py", "class A:\n    total = 0\n\nprint(A().total, x.total)\n", "class A:\n    sum = 0\n\nprint(A().sum, x.sum)\n"),
    ],
)  # fmt: skip
def test_members_are_renamed_where_one_is_declared_here(path, text, new):
    assert compute_edit(EditRequest("1", text, "rename total to sum", path=path)).text == new


@pytest.mark.parametrize(
    ("path", "text", "new"),
    [
        ("a.py", "from m import total, total as a, b as total\ntotal(a)\n", "from m import total as sum, total as a, b as sum\nsum(a)\n"),
        ("a.py", "import total\nfrom .total import x\ntotal.x()\n", "import total as sum\nfrom .total import x\nsum.x()\n"),
        ("a.py", "class A:\n    __slots__ = ('total', 'x')\n    def f(self): self.total\n", "class A:\n    __slots__ = ('sum', 'x')\n    def f(self): self.sum\n"),
        ("a.py", "@mark.parametrize('a, total', ['total'])\ndef test(a, total): pass\n", "@mark.parametrize('a, sum', ['total'])\ndef test(a, sum): pass\n"),
        ("a.py", "f(x, lambda a, total=1: total, total=2)\ntotal = 3\n", "f(x, lambda a, sum=1: sum, total=2)\nsum = 3\n"),
        ("a.c", '#define F(x) total(x, "total")\nint total(int a) { return a; }\n', '#define F(x) sum(x, "total")\nint sum(int a) { return a; }\n'),
        ("a.rs", 'fn f(total: u8) {\n    println!("é {total:?} {{total}} total");\n}\n', 'fn f(sum: u8) {\n    println!("é {sum:?} {{total}} total");\n}\n'),
        ("a.tsx", "const total = 1;\nconst a = <A total={total} />;\n", "const sum = 1;\nconst a = <A total={sum} />;\n"),
        ("A.java", "class A {\n  @B(total = 1) void f() { int total = 2; }\n}\n", "class A {\n  @B(total = 1) void f() { int sum = 2; }\n}\n"),
        ("a.py", "class total: pass\ndef f(x: 'total | a.total') -> List['total']:\n    return 'total'\n", "class sum: pass\ndef f(x: 'sum | a.total') -> List['sum']:\n    return 'total'\n"),
        ("a.ts", "import { total, b } from './m';\ntotal(b.total);\n", "import { total as sum, b } from './m';\nsum(b.total);\n"),
        ("a.ts", "import { total as a, b as total } from './m';\ntotal(a);\n", "import { total as a, b as sum } from './m';\nsum(a);\n"),
        ("a.ts", "import total from './m';\ntotal();\n", "import sum from './m';\nsum();\n"),
        ("a.js", "const { total, a = 1 } = require('m');\nf({ total }, { total: total });\n",
         "const { total: sum, a = 1 } = require('m');\nf({ total: sum }, { total: sum });\n"),
        ("a.js", "function total() {}\nexport { total };\n", "function sum() {}\nexport { sum as total };\n"),
        ("a.rs", "use m::{self, total, total::x};\nuse m::total as k;\nfn f() { total(k()); }\n",
         "use m::{self, total as sum, total::x};\nuse m::total as k;\nfn f() { sum(k()); }\n"),
        ("a.rs", "struct total { x: u8 }\nfn f() -> total { total { x: 1 } }\n", "struct sum { x: u8 }\nfn f() -> sum { sum { x: 1 } }\n"),
        ("a.rs", "struct A { total: u8 }\nimpl A {}\nfn f() -> A { A { total: 1 } }\n", "struct A { sum: u8 }\nimpl A {}\nfn f() -> A { A { sum: 1 } }\n"),
        ("a.go", "package a\n\ntype A struct{ total int }\n\nvar b = A{total: 1}\n", "package a\n\ntype A struct{ sum int }\n\nvar b = A{sum: 1}\n"),
        ("a.rs", "fn f(P { total }: P) -> P { P { total } }\n", "fn f(P { total: sum }: P) -> P { P { total: sum } }\n"),
        ("a.py", "def f(total): pass\nf(total=1)\nh.f(total=2)\n", "def f(sum): pass\nf(sum=1)\nh.f(total=2)\n"),
        ("a.py", "class A:\n    total: int\nclass C(A): pass\nC(total=1)\nD(total=2)\n", "class A:\n    sum: int\nclass C(A): pass\nC(sum=1)\nD(total=2)\n"),
    ],
)  # fmt: skip
def test_what_others_call_so_stays(path, text, new):
    result = compute_edit(EditRequest("1", text, "rename total to sum", path=path))
    assert result.text == new


def test_keywords_follow_the_parameters_of_all_functions():
    text = "class A(B):\n    def __init__(self, total):\n        super().__init__(total=total)\n    def f(self, total): pass\nA(total=1).f(total=2)\nx.f(total=3)\ng(total=4)\n"
    new = "class A(B):\n    def __init__(self, sum):\n        super().__init__(total=sum)\n    def f(self, sum): pass\nA(sum=1).f(sum=2)\nx.f(sum=3)\ng(total=4)\n"
    request = EditRequest("1", text, "rename total to sum everywhere", path="a.py")
    assert compute_edit(request).text == new


@pytest.mark.parametrize(
    ("instruction", "text", "new"),
    [
        # Bare words, of which the text says that they are names.
        ("change count to amount", "def f(count):\n    return count\n", "def f(amount):\n    return amount\n"),
        ("replace count with amount", "count = 1\n", "amount = 1\n"),
        ("count -> amount in f", "def f(count): pass\ndef g(count): pass\n", "def f(amount): pass\ndef g(count): pass\n"),
        ("use amount instead of count", "count = 1\n", "amount = 1\n"),
        ("use amount instead of count", "from m import count\ncount()\n", None),
        ("load should be documented", "def load(): pass\n", None),
        ("change count to amount", "count = 1  # count of it\n", None),
        ("change json to yaml", "import json\njson.load(f)\n", None),
        ("change count to amount", "print(count)\n", None),
        ("delete load", "def load(): pass\nx = 1\n", "x = 1\n"),
        ("delete load", "load = 1\n", None),
        ("comment out load", "def load():\n    pass\nx = 1\n", "# def load():\n#     pass\nx = 1\n"),
        ("comment out load", "load()\n", None),
        ("comment out nothing", "x = 1  # one\n", None),
        ("set the timeout to 20", "TIMEOUT = 10\n", "TIMEOUT = 20\n"),
        ("set LIMIT to 20", "LIMIT = 10 * 60\n", None),
        ("set LIMIT to 20", "f(LIMIT=10, x=1)\n", "f(LIMIT=20, x=1)\n"),
        ("set the timeout to 20", "TIMEOUT = 10\ntimeout = 30\n", "TIMEOUT = 10\ntimeout = 20\n"),
        # What is the same in name only.
        ("rename the method add to append", "class A:\n    def add(self):\n        self.x.append(1)\n", "class A:\n    def append(self):\n        self.x.append(1)\n"),
        ("rename the method add to append", "class A:\n    def add(self): pass\n    def append(self): pass\n", None),
        ("rename the method add to put", "class A:\n    def add(self):\n        seen.add(1)\n", None),
        ("rename n to count everywhere", "n = 1  # of n\nx = 'a\\n'\n", "count = 1  # of count\nx = 'a\\n'\n"),
        ("rename the method add to put", "class A:\n    def add(self): pass\nx = A()\nx.add()\n", "class A:\n    def put(self): pass\nx = A()\nx.put()\n"),
        # Of one class
        *((said, "class Box:\n    def fill(self, size):\n        self.size = size\nb.size\n", "class Box:\n    def fill(self, size):\n        self.width = size\nb.width\n")
          for said in ("rename Box.size to width", "rename Box.size to Box.width", "rename the attribute size of Box to width", "rename self.size to self.width")),
        ("rename Box.fill to pour", "class Box:\n    async def fill(self): pass\ndef fill(): pass\nb.fill(fill())\n", "class Box:\n    async def pour(self): pass\ndef fill(): pass\nb.pour(fill())\n"),
        ("rename Box.fill to pour", "class Box:\n    def fill(self): pass\nclass Bag:\n    def fill(self): pass\n", "class Box:\n    def pour(self): pass\nclass Bag:\n    def fill(self): pass\n"),
        ("rename box.fill to box.pour", "class Box:\n    def fill(self): pass\n", None),
        ("replace 'left' with 'right'", "x = 'left %s'\n", "x = 'right %s'\n"),
        ("replace 'left' with 'right'", "x = 'lefty'\n", None),
        ("replace 'left' with 'right'", "x = 'left %s'  # left\n", None),
        ("delete the lines with `x=1`", "f(x=1)\ny = 2\n", "y = 2\n"),
        ("import pathlib.Path", "import abc\n", "import abc\nfrom pathlib import Path\n"),
        ("import xml.etree.ElementTree as ET", "import abc\n", "import abc\nimport xml.etree.ElementTree as ET\n"),
    ],
)  # fmt: skip
def test_the_text_says_what_a_word_is(instruction, text, new):
    result = compute_edit(EditRequest("1", text, instruction, path="a.py"))
    assert (result and result.text) == new


def test_many_mentions_take_no_more_than_their_number():
    def calls(count):
        text = "x = [x, 'x', y.x]  # x\n" * count
        total = 0

        def counted(_frame, event, _argument):
            nonlocal total
            total += event in ("call", "c_call")

        sys.setprofile(counted)
        try:
            assert compute_edit(EditRequest("1", text, "rename x to z", path="a.py")) is not None
        finally:
            sys.setprofile(None)
        return total

    assert calls(2000) < 5 * calls(500)


def test_names_in_the_fields_of_a_string_are_code():
    text = 'def f(size):\n    return f"{size} {{size}} {size!r:>{size}} size"\n'
    result = compute_edit(EditRequest("1", text, "rename size to count", path="a.py"))
    assert "{count} {{size}} {count!r" in result.text
    assert ' size"' in result.text


def test_the_text_of_a_string_with_fields_is_a_string():
    text = "r = 1\nx = f'left {r!r} {y[\"left\"]}', 'left'\n"
    result = compute_edit(EditRequest("1", text, "replace 'left' with 'right'", path="a.py"))
    assert result.text == text.replace(", 'left'", ", 'right'")
    assert result.summary.endswith("It stays in longer strings: line 2.")
    result = compute_edit(EditRequest("1", text, "rename r to q", path="a.py"))
    assert result.text == text.replace("r = 1", "q = 1").replace("{r!r}", "{q!r}")


@pytest.mark.parametrize(
    ("text", "path", "instruction"),
    [
        (PYTHON, "a.py", "make it faster"),
        (PYTHON + "(", "a.py", "rename total to sum"),  # does not parse
        (PYTHON, "a.md", "rename total to sum"),  # no parser
        ("import json\n", "a.py", "add an import of json"),
        ("struct P { x: u8 }\nfn f(x: u8) -> P { P { x } }\n", "a.rs", "rename x to y"),
        ("class A {\n  B b;\n  int add() { return b.add(); }\n}\n", "A.java", "rename add to put"),
        ("struct A { x: u8 }\nfn f() -> B { B { x: 1 } }\n", "a.rs", "rename x to y"),
        ("import a.total;\nclass A { total x; }\n", "A.java", "rename total to sum"),
        ("import total.b\ntotal.b()\n", "a.py", "rename total to sum"),
        (PYTHON, "a.py", "Replace tabs with spaces"),
        # Python's own names
        ("def f(x):\n    return str(x)\n", "a.py", "rename str to text"),
        ("class A:\n    def open(self):\n        open(self.x)\n", "a.py", "rename open to start"),
        (
            "from __future__ import annotations\ndef f(x: int): pass\n",
            "a.py",
            "rename int to number",
        ),
        ("print(__file__)\n", "a.py", "rename __file__ to path"),
        ("def f(id, id): pass\n", "a.py", "rename id to key"),
    ],
)
def test_a_model_is_asked_where_they_do_not(text, path, instruction):
    assert compute_edit(EditRequest("1", text, instruction, path=path)) is None


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("bom", ["", "\ufeff"])
@pytest.mark.parametrize("last", ["", "end"])
def test_line_ends_and_all_else_are_kept(end, bom, last):
    text = bom + "größe = 1\nx = '🙂', größe\n".replace("\n", end) + ("größe" if last else "")
    result = compute_edit(EditRequest("1", text, "rename größe to höhe", path="a.py"))
    assert result.text == text.replace("größe", "höhe")


ONLY = '# max of w\ndef f(w):\n    """The max."""\n    max = w\n    print("max")\n    return max\n'


@pytest.mark.parametrize(
    ("where", "lines"),
    [
        ("only in the comments", [0]), ("in comments", [0]), ("(only in docstrings)", [2]), ("in strings only", [4]),
        ("but only in code", [3, 5]), (", not in the comments", [3, 5]), ("except in strings or comments", [3, 5]),
        (", also in the comments", [0, 2, 3, 5]), ("in comments too", [0, 2, 3, 5]), ("including the comments", [0, 2, 3, 5]),
    ],
)  # fmt: skip
def test_in_what_kind_of_text_alone(where, lines):
    result = compute_edit(EditRequest("1", ONLY, f"rename max to top {where}", path="a.py"))
    changed = zip(ONLY.splitlines(), result.text.splitlines(), strict=True)
    assert [number for number, (old, new) in enumerate(changed) if old != new] == lines


def test_a_definition_that_is_named_is_the_only_one_that_changes():
    text = "def f(n):\n    return n\n\n\ndef g(n):\n    return n\n"
    result = compute_edit(
        EditRequest("1", text, "in the function g, n should be num_rows", path="a.py")
    )
    assert result.text == text[:27] + text[27:].replace("(n)", "(num_rows)").replace(
        " n\n", " num_rows\n"
    )
    vague = EditRequest("1", text, "use num_rows instead of n in the second function", path="a.py")
    assert compute_edit(vague) is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("port = 80\n", "port = 90\n"),
        ("port = 80\nwidth = 80\n", "port = 90\nwidth = 80\n"),
        ("start(80)\nwidth = 80\n", None),
        ("port = 80\nother_port = 80\n", None),
    ],
)
def test_which_of_two_numbers_is_meant_is_for_the_model_unless_one_has_the_name(text, expected):
    result = compute_edit(EditRequest("1", text, "use port 90 instead of 80", path="a.py"))
    assert (result and result.text) == expected


def test_a_selection_that_does_not_hold_all_of_it_is_for_the_model():
    selected = {"start_line": 0, "end_line": 3}
    request = EditRequest("1", PYTHON, "rename the class Store to Shop", path="a.py")
    assert compute_edit(request) is not None
    assert (
        compute_edit(EditRequest("1", PYTHON, "delete the prints", path="a.py", **selected)) is None
    )


@pytest.mark.parametrize("way", ["model", "again", "whole"])
def test_the_model_is_asked_if_that_is_the_way(way):
    request = EditRequest("1", GO, "rename parse to read", "a.go", options=EditOptions(way=way))
    assert compute_edit(request) is None


def test_a_huge_text_is_not_looked_at():
    assert candidates_for(parse("rename x to y"), "x = 1\n" * 100_000, "python") is None


def test_no_engine_is_connected_for_what_the_words_decide():
    async def connect():
        raise AssertionError("connected")

    async def edit():
        client = PlanningClient(connect)
        return [m async for m in client.ask(EditRequest("1", GO, "rename parse to read", "a.go"))]

    delta, result = asyncio.run(edit())
    assert isinstance(result, EditResult)
    assert sum(getattr(op, "count", 0) or op.old_count for op in delta.ops) == len(GO.splitlines())
