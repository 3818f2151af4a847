"""A method that a class has from elsewhere, and a parameter that a decorator knows, are not renamed as if they were the file's."""

import pytest

from editd.messages import EditRequest
from editd.refactor.computed import compute_edit

ASSUMED = "This assumes that what the class inherits from elsewhere has no such method: line {}."


def answer(path, text, instruction="rename load to fetch"):
    return compute_edit(EditRequest("1", text, instruction, path=path))


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.py", "class A(Base):\n    def load(self):\n        return super().load()\n"),
        ("a.py", "class A(Base):\n    @override\n    def load(self):\n        return 1\n"),
        ("A.java", "class A extends B {\n    @Override\n    void load() {}\n}\n"),
        ("A.cs", "class A : B {\n    public override int load() {\n        return 1;\n    }\n}\n"),
        ("a.ts", "class A extends B {\n  override load() {}\n}\n"),
        ("a.rs", "struct A;\n\nimpl Loader for A {\n    fn load(&self) {}\n}\n"),
        ("a.py", "@click.option('--load')\ndef main(load):\n    print(load)\n"),
        ("a.py", "@app.route('/<x>', defaults={'load': 1})\ndef main(x, load):\n    print(load)\n"),
    ],
)
def test_what_comes_from_elsewhere_is_left(path, text):
    assert answer(path, text) is None


@pytest.mark.parametrize(
    ("path", "text", "line"),
    [
        ("a.py", "import x\n\n\nclass A(Base):\n    def load(self):\n        return 1\n", 4),
        ("A.java", "class A implements Loader {\n    void load() {}\n}\n", 1),
        ("a.ts", "class A extends B {\n  load() {}\n}\n", 1),
    ],
)
def test_what_may_come_from_elsewhere_is_said(path, text, line):
    result = answer(path, text)
    assert result.text == text.replace("load", "fetch")
    assert result.summary.endswith(ASSUMED.format(line))


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.py", "class A:\n    def load(self):\n        return 1\n\n\nclass B(A):\n    def load(self):\n        return super().load()\n"),
        ("a.py", "class A(ABC):\n    def load(self):\n        return 1\n"),
        ("A.java", "class A {\n    void load() {}\n}\n\nclass B extends A {\n    @Override\n    void load() {}\n}\n"),
        ("a.rs", "trait Loader {\n    fn load(&self);\n}\n\nstruct A;\n\nimpl Loader for A {\n    fn load(&self) {}\n}\n"),
        ("a.rs", "struct A;\n\nimpl Clone for A {}\n\nimpl A {\n    fn load(&self) {}\n}\n"),
        ("a.py", "@cache\ndef load(x):\n    return x\n"),
    ],
)  # fmt: skip
def test_what_the_file_has_alone_is_renamed(path, text):
    result = answer(path, text)
    assert result.text == text.replace("load", "fetch")
    assert "assumes" not in result.summary
