"""Comments that stand for code that stays: by their shape in any language, by their words in many."""

import pytest

from editd.apply import Merged, merge
from editd.apply.readers.placeholders import is_worded

FILES = {
    "a.js": (
        "export function load(p) {\n  return read(p);\n}\n\nexport function save(p, t) {\n  write(p, t);\n}\n\nexport function main() {\n  load(1);\n}\n",
        "```js\nexport function load(p) {{\n  return read(p, 8);\n}}\n\n// {}\n```\n",
        ("read(p)", "read(p, 8)"),
    ),
    "b.js": (
        "function run(a) {\n  const x = a + 1;\n  const y = x * 2;\n  log(x, y);\n  return y;\n}\n",
        "```js\nfunction run(a) {{\n  if (a == null) return 0;\n  // {}\n}}\n```\n",
        ("function run(a) {\n", "function run(a) {\n  if (a == null) return 0;\n"),
    ),
    "c.py": (
        'def run(a):\n    """Run."""\n    x = a + 1\n    y = x * 2\n    return y\n\n\ndef other():\n    return 1\n',
        '```python\ndef run(a):\n    """Run."""\n    if a is None:\n        return 0\n    # {}\n```\n',
        ('"""Run."""\n', '"""Run."""\n    if a is None:\n        return 0\n'),
    ),
    "d.css": (
        ".a {\n  color: red;\n  margin: 0;\n  padding: 0;\n}\n\n.b {\n  color: blue;\n}\n",
        "```css\n.a {{\n  color: green;\n  /* {} */\n}}\n```\n",
        ("color: red", "color: green"),
    ),
    "e.yaml": (
        "a:\n  b: 1\n  c: 2\n  d: 3\ne: 4\n",
        "```yaml\na:\n  b: 5\n  # {}\n```\n",
        ("b: 1", "b: 5"),
    ),
    "f.html": (
        '<head>\n  <title>a</title>\n  <link rel="b" href="c">\n  <script src="d"></script>\n</head>\n',
        "```html\n<head>\n  <title>e</title>\n  <!-- {} -->\n</head>\n```\n",
        ("<title>a", "<title>e"),
    ),
    "g.go": (
        "package a\n\nfunc A() int {\n\treturn 1\n}\n\nfunc B() int {\n\treturn 2\n}\n\nfunc C() int {\n\treturn 3\n}\n",
        "```go\npackage a\n\nfunc A() int {{\n\treturn 4\n}}\n\n// {}\n\nfunc C() int {{\n\treturn 5\n}}\n```\n",
        ("return 1", "return 4", "return 3", "return 5"),
    ),
}  # fmt: skip

WORDS = [
    "其余代码保持不变", "（后续代码不变）", "省略其余代码", "既存のコードはそのまま", "以下省略", "나머지 코드는 동일", "остальной код без изменений",
    "Rest wie bisher", "restlicher Code bleibt gleich", "unverändert", "le reste du code est inchangé", "la suite ne change pas",
    "el resto sigue igual", "resto do código inalterado", "resto del codice invariato", "rest van de code ongewijzigd", "reszta kodu bez zmian",
    "geri kalan kod aynı", "resten av koden är oförändrad", "zbytek kódu beze změny", "решта коду без змін", "phần còn lại giữ nguyên",
    "the remainder stays as it was", "more code", "etc.", "and so on",
]  # fmt: skip
OTHERS = [
    "de rest volgt",
    "kaj la cetero",
    "loput ennallaan",
    "ceteris paribus",
    "ostatak je isti",
    "το υπόλοιπο ίδιο",
]  # no list has them


def shown(path, words):
    text, paste, changed = FILES[path]
    wanted = text
    for old, new in zip(changed[::2], changed[1::2], strict=True):
        wanted = wanted.replace(old, new, 1)
    result = merge(text, paste.format(words), path=path)
    merged = result if isinstance(result, Merged) else result.reading and result.reading.merged
    return result, merged, wanted


@pytest.mark.parametrize(
    ("path", "words"),
    [
        *((path, words) for path in FILES for words in (*OTHERS[:2], *WORDS[:2])),
        *(("b.js", words) for words in (*OTHERS[2:], *WORDS[2:])),
    ],
)
def test_a_comment_that_stands_for_code_is_a_marker(path, words):
    result, merged, wanted = shown(path, words)
    assert merged is not None
    assert merged.text == wanted
    if words in OTHERS:
        assert not isinstance(result, Merged)


@pytest.mark.parametrize("words", WORDS)
def test_what_says_that_something_stays(words):
    assert is_worded(f"// {words}")
    assert is_worded(f"    # ({words})")
    assert is_worded(f"<!-- {words} -->")


@pytest.mark.parametrize(
    "line",
    [
        "// keep the cache warm", "# the rest of the division", "// other methods call this", "/* resto de la división */", "# 其他",
        "// Rest der Division", "# previous values are averaged", "// die anderen Werte sind kleiner als der Mittelwert aller Werte",
    ],
)  # fmt: skip
def test_what_does_not(line):
    assert not is_worded(line)


@pytest.mark.parametrize(
    ("path", "text", "paste", "wanted"),
    [
        # it describes the code below it
        ("a.js", "function f(a) {\n  return a;\n}\n", "```js\nfunction f(a) {\n  // no negative ones\n  return Math.max(a, 0);\n}\n```\n", "function f(a) {\n  // no negative ones\n  return Math.max(a, 0);\n}\n"),
        # a directive of a tool, a private field, a word of the preprocessor
        ("a.js", "function f(a) {\n  a();\n  b();\n}\n", "```js\nfunction f(a) {\n  a();\n  b();\n  // eslint-disable-line\n}\n```\n", "function f(a) {\n  a();\n  b();\n  // eslint-disable-line\n}\n"),
        ("a.c", "#include <a.h>\n\nint f(void) {\n    return 1;\n}\n", "```c\n#include <a.h>\n#include <b.h>\n```\n", "#include <a.h>\n#include <b.h>\n\nint f(void) {\n    return 1;\n}\n"),
        # the file has it
        ("a.py", "def f():\n    a()\n    # and so on\n", "```python\ndef f():\n    b()\n    # and so on\n```\n", "def f():\n    b()\n    # and so on\n"),
    ],
)  # fmt: skip
def test_other_comments_are_comments(path, text, paste, wanted):
    result = merge(text, paste, path=path)
    merged = result if isinstance(result, Merged) else result.reading.merged
    assert merged.text == wanted


def test_a_comment_for_which_code_goes_is_never_certain():
    text = "function f(a) {\n  const b = a + 1;\n  const c = b * 2;\n  return c;\n}\n"
    paste = "function f(a) {\n  // kaj la cetero\n  return c;\n}\n"
    result = merge(text, paste, path="a.js")
    assert not isinstance(result, Merged)
    assert result.reading is None or all(hunk.suspect for hunk in result.reading.merged.hunks)
