"""Where definitions begin and end, in every language that has a parser and in some that have none."""

import ast
import random
from pathlib import Path

import pytest

import editd
from editd.syntax.outline import outline, tiles


def check(language, text, *expected):
    """``expected``: ``"name 1-4"`` with 1-based inclusive lines, in order."""
    lines = text.splitlines(keepends=True)
    found = [f"{d.qualified} {d.start + 1}-{d.end}" for d in outline(lines, language)]
    assert found == list(expected)


def test_python():
    check(
        "python",
        "import os\n"
        "MAX: int = 3\n"
        "\n"
        "# Reads.\n"
        "@cache\n"
        "def read(path):\n"
        "    def inner():\n"
        "        return 1\n"
        "    return inner()\n"
        "\n"
        "class Reader(\n"
        "    Base,\n"
        "):\n"
        '    """Docs."""\n'
        "    size = 1\n"
        "\n"
        "    async def run(self):\n"
        "        pass\n"
        "if True:\n"
        "    def late(): pass\n",
        "MAX 2-2",
        "read 4-9",
        "Reader 11-18",
        "Reader.size 15-15",
        "Reader.run 17-18",
        "late 20-20",
    )


def test_python_that_does_not_parse_is_read_by_indentation():
    check(
        "python",
        "def broken(:\n    pass\n\nclass A:\n    def f(self):\n        x = (\n\nx = 1\n",
        "broken 1-2",
        "A 4-6",
        "f 5-6",
    )


def test_go():
    check(
        "go",
        "package a\n"
        "\n"
        "const Max = 3\n"
        "\n"
        "// Reader reads.\n"
        "type Reader struct {\n"
        "\tn int\n"
        "}\n"
        "\n"
        "func (r *Reader) Run(x int) error {\n"
        "\treturn nil\n"
        "}\n"
        "func main() {}\n",
        "Max 3-3",
        "Reader 5-8",
        "Reader.Run 10-12",
        "main 13-13",
    )


def test_c():
    check(
        "c",
        "#include <stdio.h>\n"
        "#define MAX 3\n"
        "struct point { int x; };\n"
        "/* Adds. */\n"
        "static int *add(int a,\n"
        "                int b)\n"
        "{\n"
        "    return 0;\n"
        "}\n"
        "int main(void) { return 0; }\n",
        "MAX 2-2",
        "point 3-3",
        "point.x 3-3",
        "add 4-9",
        "main 10-10",
    )


def test_rust():
    check(
        "rust",
        "const MAX: u8 = 3;\n"
        "/// A point.\n"
        "#[derive(Debug)]\n"
        "pub struct Point<T> { x: T }\n"
        "impl<T> Point<T> {\n"
        "    pub fn new() -> Self {\n"
        "        todo!()\n"
        "    }\n"
        "}\n"
        "fn main() {}\n",
        "MAX 1-1",
        "Point 2-4",
        "Point.x 4-4",
        "Point 5-9",
        "Point.new 6-8",
        "main 10-10",
    )


def test_java():
    check(
        "java",
        "package a;\n"
        "/**\n"
        " * Reads. */\n"
        "public class Reader {\n"
        "  private int n = 1;\n"
        "  @Override\n"
        "  public void run(int x) {\n"
        "  }\n"
        "  Reader() {}\n"
        "}\n",
        "Reader 2-10",
        "Reader.n 5-5",
        "Reader.run 6-8",
        "Reader.Reader 9-9",
    )


@pytest.mark.parametrize("language", ["javascript", "jsx", "typescript", "tsx"])
def test_javascript_and_its_kin(language):
    check(
        language,
        "const MAX = 3;\n"
        "export function read(path) {\n"
        "  return 1;\n"
        "}\n"
        "export const run = async (x) => {\n"
        "  return x;\n"
        "};\n"
        "class Reader {\n"
        "  size = 1;\n"
        "  go() {\n"
        "  }\n"
        "}\n",
        "MAX 1-1",
        "read 2-4",
        "run 5-7",
        "Reader 8-12",
        "Reader.size 9-9",
        "Reader.go 10-11",
    )


def test_typescript_types():
    check(
        "typescript",
        "export interface Options {\n  size: number;\n}\ntype Id = string;\nenum Color { Red }\n",
        "Options 1-3",
        "Id 4-4",
        "Color 5-5",
    )


def test_a_language_without_a_parser_is_read_by_keywords():
    check(
        "lua",
        "local x = 1\n\n-- Reads.\nlocal function read(path)\n  return 1\nend\n"
        "function M.run()\n  if x then\n  end\nend\n",
        "read 3-6",
        "run 7-10",
    )
    check("ruby", "class A\n  def run\n    1\n  end\nend\n", "A 1-5", "run 2-4")
    check("ruby", "def run\n  1\nrescue\n  2\nensure\n  3\nend\n", "run 1-7")
    check(
        "csharp",
        "public class A\n{\n    public int Size => 1;\n    protected override async Task<List<int>> Run(\n        int a)\n"
        "    {\n        return new(a);\n    }\n    private readonly object _lock = new();\n}\n",
        "A 1-10",
        "Size 3-3",
        "Run 4-8",
    )
    check("swift", "extension Cart: Sized {\n    var size: Int { 1 }\n}\n", "Cart 1-3")
    check("", "nothing here\nto see\n")


@pytest.mark.parametrize("language", ["python", "go", "c", "rust", "java", "typescript", "tsx", ""])
def test_any_text_has_an_outline_within_its_lines(language):
    rng = random.Random(language)
    words = [
        "def f():\n",
        "  x\n",
        "func f() {\n",
        "}\n",
        "\n",
        "class A {",
        "é\u2028\0",
        "fn g",
        "`",
    ]
    for _ in range(60):
        text = "".join(rng.choices(words, k=rng.randrange(12)))
        lines = text.splitlines(keepends=True) if "\u2028" not in text else text.split("\n")
        definitions = outline(lines, language)
        assert all(0 <= d.start < d.end <= len(lines) for d in definitions)
        pieces = tiles(lines, definitions)
        assert [number for start, end in pieces for number in range(start, end)] == list(
            range(len(lines))
        )


def test_tiles_are_functions_class_heads_and_what_is_between():
    lines = (
        "import a\n\nclass A:\n    x = 1\n\n    def f(self): pass\n\n    def g(self): pass\ny = 2\n"
    )
    lines = lines.splitlines(keepends=True)
    assert tiles(lines, outline(lines, "python")) == (
        (0, 2),
        (2, 5),
        (5, 7),
        (7, 8),
        (8, 9),
    )
    assert tiles([], ()) == ()


@pytest.mark.parametrize(
    "file", sorted(Path(editd.__file__).parent.rglob("*.py"))[::10], ids=lambda f: f.stem
)
def test_python_read_line_by_line_has_the_outline_that_its_parser_sees(file):
    lines = file.read_text().splitlines(keepends=True)
    found = {(d.name, d.end, d.owner) for d in outline(lines, "python")}
    assert found == set(parsed("".join(lines)))


def parsed(text):
    def walk(body, owner):
        for node in body:
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                yield node.name, node.end_lineno, owner
                if isinstance(node, ast.ClassDef):
                    yield from walk(node.body, node.name)
            elif isinstance(node, ast.Assign | ast.AnnAssign):
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                names = (target.id for target in targets if isinstance(target, ast.Name))
                yield from ((name, node.end_lineno, owner) for name in names)
            elif isinstance(node, ast.If | ast.Try | ast.With):
                yield from walk([*node.body, *getattr(node, "orelse", ())], owner)
                for handler in getattr(node, "handlers", ()):
                    yield from walk(handler.body, owner)

    return walk(ast.parse(text).body, "")
