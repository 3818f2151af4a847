"""A rename of one of several things of a name: only that is renamed, or which is meant is asked; other objects' members stay."""

from textwrap import dedent

import pytest

from editd.messages import EditRequest
from editd.refactor.computed import compute_edit

PY = """
def f(rows):
    total = 0
    for row in rows:
        total += row
    return total


def g(items):
    total = len(items)
    return total
"""
JS = """
function f(rows) {
  let total = 0;
  return total;
}

const g = (total) => {
  return total;
};
"""
GO = """
package a

func f(rows []int) int {
\ttotal := 0
\treturn total
}

func g(total int) int {
\treturn total
}
"""
RUST = """
fn f(rows: &[i32]) -> i32 {
    let total = 0;
    total
}

fn g(rows: Option<i32>) -> i32 {
    if let Some(total) = rows { total } else { 0 }
}
"""
JAVA = """
class A {
    int f(int[] rows) {
        int total = 0;
        return total;
    }

    int g(List<Integer> total) {
        return total.size();
    }
}
"""
CSHARP = """
public class A {
    public int F(int[] rows) {
        var total = 0;
        return total;
    }

    int G(List<int> total) {
        return total.Count;
    }
}
"""
SHELL = """
f() {
  local total=0
  echo "$total"
}

g() {
  local total=1
  echo "$total"
}
"""
PHP = """
<?php
function f($rows) {
    $total = 0;
    return $total;
}

function g($total) {
    return $total;
}
"""
TEXTS = [("a.py", PY), ("a.js", JS), ("a.ts", JS), ("a.go", GO), ("a.rs", RUST), ("A.java", JAVA), ("A.cs", CSHARP), ("a.sh", SHELL), ("a.php", PHP)]  # fmt: skip


def changed(instruction, path, text, **pointed):
    """Numbers of the lines that change, the refusal, or ``None``."""
    text = dedent(text).lstrip("\n")
    result = compute_edit(EditRequest("1", text, instruction, path=path, **pointed))
    if result is None or result.error:
        return result and result.error.message
    lines = zip(text.splitlines(), result.text.splitlines(), strict=True)
    return [number for number, (old, new) in enumerate(lines, start=1) if old != new]


def lines_of(text):
    """The lines of ``total`` above the first blank line behind it, and the others."""
    lines = dedent(text).lstrip("\n").splitlines()
    found = [number for number, line in enumerate(lines, start=1) if "total" in line]
    border = next(n for n, line in enumerate(lines, start=1) if n > found[0] and not line)
    return [n for n in found if n < border], [n for n in found if n > border]


@pytest.mark.parametrize(("path", "text"), TEXTS)
def test_two_variables_of_a_name(path, text):
    first, second = lines_of(text)
    asked = changed("rename total to amount", path, text)
    assert all(f"(line {number})" in asked for number in (first[0], second[0]))
    assert changed("rename total to amount everywhere", path, text) == first + second
    assert changed("s/total/amount/g", path, text) == first + second
    assert changed("rename total to amount", path, text, cursor=first[-1] - 1) == first
    assert changed("rename total to amount", path, text, cursor=second[0] - 1) == second
    assert changed("rename total to amount", path, text, start_line=first[0] - 1, end_line=first[-1]) == first  # fmt: skip


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (PY, "“total” is a variable of “f” (line 2) and a variable of “g” (line 9); say which, such as “in f”, or “everywhere”."),
        ("total = 1\n\n\ndef f(total):\n    return total\n", "“total” is a variable of the file (line 1) and a parameter of “f” (line 4); say which, such as “in f”, or “everywhere”."),
        ("def total():\n    return 1\n\n\ndef f(total):\n    return total\n", "“total” is a function (line 1) and a parameter of “f” (line 5); say which, such as “the function total”, or “everywhere”."),
        ("class A:\n    def f(self):\n        self.total = 1\n\n\ndef f(total):\n    return total\n", "“total” is a member of “A” (line 3) and a parameter of “f” (line 6); say which, such as “A.total”, or “everywhere”."),
        ("def f(a):\n    total = a\n\n\ndef g(a):\n    total = a\n\n\ndef h(a):\n    total = a\n", "“total” is a variable of “f” (line 2) and a variable of “g” (line 6) and 1 more; say which, such as “in f”, or “everywhere”."),
    ],
)  # fmt: skip
def test_which_is_meant_is_asked(text, sentence):
    assert changed("rename total to amount", "a.py", text) == sentence


@pytest.mark.parametrize(
    ("path", "text", "lines"),
    [
        # Handed as an argument, as a result, to a member and from one
        ("a.py", "def f(total):\n    return total\n\n\ndef g():\n    total = 1\n    return f(total)\n", [1, 2, 6, 7]),
        ("a.py", "def f():\n    total = 1\n    return total\n\n\ndef g():\n    total = f()\n    return total\n", [2, 3, 7, 8]),
        ("a.py", "class A:\n    def __init__(self, total):\n        self.total = total\n\n    def f(self):\n        total = self.total\n        return total\n", [2, 3, 6, 7]),
        ("a.py", "def f(total):\n    return total\n\n\ntotal = 1\nf(total)\n", [1, 2, 5, 6]),
        ("a.js", "function f(total) { return total; }\n\nfunction g() {\n  const total = 1;\n  return f(total);\n}\n", [1, 4, 5]),
        ("a.go", "package a\n\nfunc f() (int, error) {\n\ttotal := 1\n\treturn total, nil\n}\n\nfunc g() int {\n\ttotal, _ := f()\n\treturn total\n}\n", [4, 5, 9, 10]),
        ("a.go", "package a\n\ntype A struct{ total int }\n\nfunc newA(total int) *A {\n\treturn &A{total: total}\n}\n", [3, 5, 6]),
        ("a.rs", "struct A { total: u8 }\n\nfn f(total: u8) -> A {\n    A { total: total }\n}\n", [1, 3, 4]),
        ("A.java", "class A {\n    int total;\n\n    A(int total) {\n        this.total = total;\n    }\n}\n", [2, 4, 5]),
        ("a.ts", "class A {\n  constructor(private total: number) {}\n  f() { return this.total; }\n}\n", [2, 3]),
        # One function, written several times
        ("A.java", "class A {\n    int f(int total) { return total; }\n    int f(String total) { return total.size(); }\n}\n", [2, 3]),
        ("a.py", "class A:\n    def f(self, total):\n        return total\n\n\nclass B(A):\n    def f(self, total):\n        return total\n", [2, 3, 7, 8]),
        # A fixture
        ("a.py", "@pytest.fixture\ndef total():\n    return 1\n\n\ndef test_a(total):\n    assert total\n", [2, 6, 7]),
        ("A.cs", "class A {\n    int total;\n    void F(int total) { this.total = total; }\n    int G() { return total; }\n}\n", [2, 3, 4]),
        # One in another
        ("a.py", "def f():\n    total = 1\n\n    def g():\n        return total\n\n    return [total for total in g()]\n", [2, 5, 7]),
    ],
)  # fmt: skip
def test_what_is_handed_on_is_one_thing(path, text, lines):
    assert changed("rename total to amount", path, text) == lines


USERS = [
    ("a.py", "def user(id):\n    user = find(id)\n    return user.name\n\n\nprint(user(3))\n", [2, 3], [1, 6]),
    ("a.js", "function user(id) {\n  const user = find(id);\n  return user.name;\n}\n\nprint(user(3));\n", [2, 3], [1, 6]),
    ("a.ts", "const user = (id: number) => {\n  const user = find(id);\n  return user.name;\n};\n\nprint(user(3));\n", [2, 3], [1, 6]),
    ("a.go", "package a\n\nfunc user(id int) string {\n\tuser := find(id)\n\treturn user.name\n}\n\nvar a = user(3)\n", [4, 5], [3, 8]),
    ("a.rs", "fn user(id: i32) -> String {\n    let user = find(id);\n    user.name\n}\n\nfn main() {\n    print(user(3));\n}\n", [2, 3], [1, 7]),
]  # fmt: skip


@pytest.mark.parametrize(("path", "text", "variable", "function"), USERS)
def test_a_variable_in_the_function_of_its_name(path, text, variable, function):
    for sentence in (
        "Rename the variable user inside function user to person",
        "rename user to person in user",
        "rename the variable user to person",
    ):
        assert changed(sentence, path, text) == variable
    assert changed("rename the function user to person", path, text) == function
    assert changed("rename user to person everywhere", path, text) == sorted(variable + function)


CLIENT = """
class Client:
    def __init__(self):
        self.session = requests.Session()

    def post(self, url):
        return self.session.post(url)

    def login(self, url):
        return self.post(url)


def main(other, clients, typed: Client):
    client = Client()
    client.post("a")
    other.post("b")
    requests.post("c")
    typed.post("d")
    clients[0].post("e")
    Client().post("f")
    for each in clients:
        each.post("g")
    with Session() as c:
        c.post("h")
"""


@pytest.mark.parametrize(
    ("path", "text", "lines", "stay"),
    [
        ("a.py", CLIENT, [5, 9, 14, 17, 18, 19, 21], "lines 6, 15, 16, 23"),
        ("a.ts", "class Client {\n  s = new Session();\n  post(u: string) {\n    return this.s.post(u);\n  }\n  login() {\n    return this.post(a);\n  }\n}\n\nfunction f(other: Other, c: Client) {\n  other.post(1);\n  c.post(2);\n}\n", [3, 7, 13], "lines 4, 12"),
        ("A.java", "class Client {\n    Session s = new Session();\n\n    String post(String u) {\n        return this.s.post(u);\n    }\n\n    void f(Other other, Client c) {\n        other.post(1);\n        c.post(2);\n        post(3);\n    }\n}\n", [4, 10, 11], "lines 5, 9"),
        ("a.go", "package a\n\ntype Client struct {\n\ts Session\n}\n\nfunc (c *Client) post(u string) string {\n\treturn c.s.post(u)\n}\n\nfunc f(other Other, d *Client) {\n\tother.post(1)\n\td.post(2)\n}\n", [7, 13], "lines 8, 12"),
        ("a.rs", "impl Client {\n    fn post(&self, u: u8) -> u8 {\n        self.s.post(u)\n    }\n}\n\nfn f(other: &Other, c: &Client) {\n    other.post(1);\n    c.post(2);\n}\n", [2, 9], "lines 3, 8"),
    ],
)  # fmt: skip
def test_a_method_of_another_object_stays(path, text, lines, stay):
    assert changed("rename the method post to submit", path, text) == lines
    request = EditRequest("1", dedent(text).lstrip("\n"), "rename the method post to submit", path=path)  # fmt: skip
    assert f"It stays in members of other objects: {stay}." in compute_edit(request).summary


@pytest.mark.parametrize(
    ("path", "text", "lines"),
    [
        ("a.ts", "interface Row { total: number }\n\nclass A {\n  entries: Row[] = [];\n\n  f(total: number) {\n    const x = this.entries.find((e) => e.ok);\n    x.total = total;\n    return this.entries.reduce((sum, y) => sum + y.total, 0);\n  }\n}\n", [1, 6, 8, 9]),
        ("a.ts", "interface Row { total: number }\n\nconst known = new Map<string, Row>();\n\nfunction f(total: number) {\n  const x = known.get('a');\n  x.total = total;\n}\n", [1, 5, 7]),
        ("A.java", "class Row {\n    int total;\n}\n\nclass A {\n    Map<String, Row> known = new HashMap<>();\n\n    void f(int total) {\n        var x = known.get(1);\n        x.total = total;\n    }\n}\n", [2, 8, 10]),
        ("A.cs", "class Row\n{\n    public int total;\n}\n\nclass A\n{\n    List<Row> known = new();\n\n    void F(int total)\n    {\n        var x = known.First();\n        x.total = total;\n    }\n}\n", [3, 10, 13]),
        ("a.rs", "struct Row { total: u8 }\nstruct A { known: Vec<Row> }\n\nimpl A {\n    fn f(&mut self, total: u8) {\n        let x = self.known.get(0).unwrap();\n        x.total = total;\n    }\n}\n", [1, 5, 7]),
        ("a.py", "class Row:\n    total: int = 0\n\n\nclass A:\n    def __init__(self):\n        self.known: dict[str, Row] = {}\n\n    def f(self, total):\n        x = self.known.get(1)\n        x.total = total\n", [2, 9, 11]),
        # What a collection holds that the text does not say counts as the class's, what another module gives does not
        ("a.py", "class Row:\n    total: int = 0\n\n\nknown = {}\n\n\ndef f():\n    x = known.get(1)\n    return x.total\n", [2, 10]),
        ("a.py", "import requests\n\n\nclass Row:\n    total: int = 0\n\n\ndef f():\n    x = requests.get(1)\n    return x.total\n", [5]),
        ("a.ts", "class Row { total = 0 }\nclass A {\n  known: Other[] = [];\n  f() { const x = this.known.pop(); return x.total; }\n}\n", [1]),
    ],
)  # fmt: skip
def test_a_field_of_elements(path, text, lines):
    assert changed("rename total to amount", path, text) == lines


TWO_CLASSES = [
    ("a.go", "package a\n\ntype A struct{ total int }\n\ntype B struct{ total int }\n\nfunc f(a A) int {\n\treturn a.total\n}\n\nfunc g(b B, c C) int {\n\treturn b.total + c.total\n}\n\nvar x = A{total: 1}\n", [3, 8, 15], [5, 12]),
    ("a.rs", "struct A { total: u8 }\nstruct B { total: u8 }\n\nfn f(a: A) -> u8 {\n    a.total\n}\n\nfn g(b: B, c: C) -> A {\n    b.total + c.total;\n    A { total: 1 }\n}\n", [1, 5, 10], [2, 9]),
    ("A.java", "class A {\n    int total;\n    int f() { return total; }\n}\n\nclass B {\n    int total;\n    int g() { return this.total; }\n    int h(A a, C c) { return c.total + a.total; }\n}\n", [2, 3, 9], [7, 8]),
    ("a.ts", "interface A { total: number }\ninterface B { total: string }\n\nfunction f(a: A) {\n  return a.total;\n}\n\nfunction g(b: B) {\n  return b.total;\n}\n", [1, 5], [2, 9]),
    ("a.py", "class A:\n    total: int\n\n\nclass B:\n    total: int\n\n\ndef f(a: A):\n    return a.total\n\n\ndef g(b: B):\n    return b.total\n", [2, 10], [6, 14]),
]  # fmt: skip


@pytest.mark.parametrize(("path", "text", "first", "second"), TWO_CLASSES)
def test_a_member_of_two_classes_that_have_nothing_to_do_with_each_other(path, text, first, second):
    assert "say which, such as “A.total”" in changed("rename total to amount", path, text)
    for sentence in ("rename the field total of A to amount", "rename total in A to amount"):
        assert changed(sentence, path, text) == first
    if path != "a.ts":
        assert changed("rename A.total to amount", path, text) == first
        assert changed("rename B.total to amount", path, text) == second


@pytest.mark.parametrize(
    ("path", "text", "lines"),
    [
        ("A.java", "class A {\n    int total;\n}\n\nclass B extends A {\n    int total;\n}\n", [2, 6]),
        ("a.go", "package a\n\ntype T interface{ total() int }\n\ntype A struct{}\n\nfunc (a A) total() int { return 1 }\n", [3, 7]),
        ("a.rs", "trait T {\n    fn total(&self);\n}\n\nstruct A;\n\nimpl T for A {\n    fn total(&self) {}\n}\n", [2, 8]),
        ("a.py", "class A:\n    @property\n    def total(self):\n        return 1\n\n    @total.setter\n    def total(self, value):\n        self.x = value\n", [3, 6, 7]),
    ],
)  # fmt: skip
def test_members_of_related_classes_are_one(path, text, lines):
    assert changed("rename total to amount", path, text) == lines


STYLE = ".card { color: red; }\n#card { margin: 0; }\na.card { margin: 1px; }\n"


@pytest.mark.parametrize(
    ("path", "text", "instruction", "expected"),
    [
        ("a.css", STYLE, "rename card to panel", "“card” is a class (line 1) and an id (line 2); say which, such as “the class card”, or “everywhere”."),
        ("a.css", STYLE, "rename the class card to panel", [1, 3]),
        ("a.css", STYLE, "rename card to panel everywhere", [1, 2, 3]),
        ("a.css", ".color { color: red; }\n", "rename the class color to tint", [1]),
        ("a.css", STYLE.replace("#", "."), "rename card to panel", [1, 2, 3]),
        ("a.scss", "$gap: 1px;\n.gap { margin: $gap; }\n", "rename gap to space", "“gap” is a variable (line 1) and a class (line 2); say which, such as “the class gap”, or “everywhere”."),
        ("a.json", '{\n  "name": "x",\n  "author": {\n    "name": "y"\n  }\n}\n', "rename name to title", None),
        ("a.json", '{\n  "name": "x",\n  "author": {\n    "name": "y"\n  }\n}\n', "rename name to title everywhere", [2, 4]),
        ("a.yaml", "name: x\nauthor:\n  name: y\n", "rename name to title", None),
        ("a.yaml", "a:\n  name: name\nb:\n  name: y\n", "rename name to title", [2, 4]),
    ],
)  # fmt: skip
def test_names_of_styles_and_keys(path, text, instruction, expected):
    assert changed(instruction, path, text) == expected
