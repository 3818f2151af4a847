"""Containers that a paste shows whole, in part, or without a member that is to go: JSON to SQL."""

import json
import random
from collections import Counter
from pathlib import Path

import pytest

from editd.apply import Merged, merge
from editd.apply.resolve import merge_request
from editd.messages import EditRequest, EditResult
from editd.messages.options import EditOptions

TABLE = Path("tests/fixtures/containers.jsonl")
ROWS = [json.loads(line) for line in TABLE.read_text(encoding="utf-8").splitlines()]


def read(path, text, paste):
    """The text that is shown, whether it is certain, and what *Accept all* makes of the file."""
    result = merge(text, paste, path=path)
    if isinstance(result, Merged):
        return result.text, True, result.text
    if result.reading is None:
        return None, False, text
    merged = result.reading.merged
    rows = text.splitlines(keepends=True)
    for hunk in reversed(merged.hunks):
        if not hunk.suspect:
            rows[hunk.start : hunk.start + hunk.old_count] = hunk.new_lines
    return merged.text, False, "".join(rows)


def test_a_hundred_containers_are_read_as_their_writer_meant_them():
    found = Counter()
    for row in ROWS:
        shown, certain, taken = read(row["path"], row["file"], row["answer"])
        found["right"] += shown in row["accepted"]
        found["certain and wrong"] += certain and shown not in row["accepted"]
        found["taken and wrong"] += taken not in (row["file"], *row["accepted"])
        found["goes and is certain"] += certain and row["kind"] == "member-goes"
    assert len(ROWS) == 100
    assert found["right"] >= 98
    assert not (+found).keys() - {"right"}


# name: path, file, paste, the text that is shown
CASES = {
    "json on one line": ("package.json", '{\n  "name": "a",\n  "scripts": {\n    "build": "x",\n    "test": "y"\n  }\n}\n', '{"scripts": {"lint": "z"}}\n', '{\n  "name": "a",\n  "scripts": {\n    "build": "x",\n    "test": "y",\n    "lint": "z"\n  }\n}\n'),
    "an object on one line": ("a.json", '{\n  "a": { "b": 1, "c": 2 },\n  "d": 1,\n  "e": 2\n}\n', '```json\n{\n  "a": {\n    "b": 3\n  }\n}\n```\n', '{\n  "a": { "b": 3, "c": 2 },\n  "d": 1,\n  "e": 2\n}\n'),
    "an empty object": ("a.json", '{\n  "a": {},\n  "b": 1\n}\n', '```json\n{\n  "a": {\n    "c": 1\n  }\n}\n```\n', '{\n  "a": {\n    "c": 1\n  },\n  "b": 1\n}\n'),
    "a comment behind the last member": ("tsconfig.json", '{\n  "a": {\n    "b": 1, // c\n    "d": 2 // e\n  },\n  "f": 1\n}\n', '```jsonc\n{\n  "a": {\n    "g": 3\n  }\n}\n```\n', '{\n  "a": {\n    "b": 1, // c\n    "d": 2, // e\n    "g": 3\n  },\n  "f": 1\n}\n'),
    "another unit of indentation": ("a.js", "module.exports = {\n\ta: {\n\t\tb: 1,\n\t\tc: 2,\n\t},\n\td: [],\n};\n", "```js\nmodule.exports = {\n  a: {\n    b: {\n      e: 1,\n    },\n  },\n};\n```\n", "module.exports = {\n\ta: {\n\t\tb: {\n\t\t\te: 1,\n\t\t},\n\t\tc: 2,\n\t},\n\td: [],\n};\n"),
    "an import and part of an object": ("vite.config.ts", 'import { a } from "a";\nimport b from "b";\n\nexport default a({\n  plugins: [b()],\n  build: {\n    outDir: "c",\n  },\n});\n', '```ts\nimport d from "d";\n\nexport default a({\n  plugins: [b(), d()],\n});\n```\n', 'import { a } from "a";\nimport b from "b";\nimport d from "d";\n\nexport default a({\n  plugins: [b(), d()],\n  build: {\n    outDir: "c",\n  },\n});\n'),
    "methods of an object": ("a.js", "const a = b({\n  c: 1,\n  d: {\n    e(f) {\n      g();\n    },\n  },\n});\n", "```js\nconst a = b({\n  d: {\n    h(i) {\n      j();\n    },\n  },\n});\n```\n", "const a = b({\n  c: 1,\n  d: {\n    e(f) {\n      g();\n    },\n    h(i) {\n      j();\n    },\n  },\n});\n"),
    "a script in a page": ("a.vue", '<template>\n  <p>a</p>\n</template>\n\n<script>\nexport default {\n  name: "A",\n  props: {},\n  methods: {\n    b() {\n      return 1;\n    },\n  },\n};\n</script>\n', "```vue\n<script>\nexport default {\n  methods: {\n    c() {\n      return 2;\n    },\n  },\n};\n</script>\n```\n", '<template>\n  <p>a</p>\n</template>\n\n<script>\nexport default {\n  name: "A",\n  props: {},\n  methods: {\n    b() {\n      return 1;\n    },\n    c() {\n      return 2;\n    },\n  },\n};\n</script>\n'),
    "an enum with methods": ("A.java", "public enum A {\n    B(1),\n    C(2);\n\n    private final int d;\n\n    A(int d) {\n        this.d = d;\n    }\n}\n", "```java\npublic enum A {\n    E(3),\n}\n```\n", "public enum A {\n    B(1),\n    C(2),\n    E(3);\n\n    private final int d;\n\n    A(int d) {\n        this.d = d;\n    }\n}\n"),
    "fields in the head of a class": ("A.kt", "data class A(\n    val b: Int,\n    val c: Int = 1,\n    val d: List<E>\n)\n", "```kotlin\ndata class A(\n    val c: Int = 2\n)\n```\n", "data class A(\n    val b: Int,\n    val c: Int = 2,\n    val d: List<E>\n)\n"),
    "a field above methods": ("a.dart", "class A {\n  final int b;\n  String? c;\n\n  A(this.b);\n}\n", "```dart\nclass A {\n  int d = 0;\n}\n```\n", "class A {\n  final int b;\n  String? c;\n  int d = 0;\n\n  A(this.b);\n}\n"),
    "a decorator that is not shown": ("a.py", "@a\nclass B:\n    c: int = 1\n    # d\n    e: int = 2\n    f: int = 3\n", '```python\nclass B:\n    e: str = "2"\n```\n', '@a\nclass B:\n    c: int = 1\n    # d\n    e: str = "2"\n    f: int = 3\n'),
    "named arguments": ("setup.py", 'a(\n    name="b",\n    version="1",\n    c=["d"],\n)\n', '```python\na(\n    c=["d", "e"],\n)\n```\n', 'a(\n    name="b",\n    version="1",\n    c=["d", "e"],\n)\n'),
    "an import among sorted ones": ("a.go", 'package a\n\nimport (\n\t"b"\n\t"d"\n\t"e"\n)\n', '```go\nimport (\n\t"c"\n)\n```\n', 'package a\n\nimport (\n\t"b"\n\t"c"\n\t"d"\n\t"e"\n)\n'),
    "directives of one name": ("build.gradle.kts", 'dependencies {\n    api("a.b:c:1")\n    api("a.b:d:1")\n    test("e:f:1")\n}\n', '```kotlin\ndependencies {\n    api("a.b:d:2")\n}\n```\n', 'dependencies {\n    api("a.b:c:1")\n    api("a.b:d:2")\n    test("e:f:1")\n}\n'),
    "two blocks of one name": ("nginx.conf", "server {\n    listen 80;\n    server_name a;\n    root /a;\n}\n\nserver {\n    listen 81;\n    server_name b;\n    root /b;\n}\n", "```nginx\nserver {\n    server_name b;\n    root /c;\n}\n```\n", "server {\n    listen 80;\n    server_name a;\n    root /a;\n}\n\nserver {\n    listen 81;\n    server_name b;\n    root /c;\n}\n"),
    "columns of a table": ("a.sql", "CREATE TABLE a (\n  b INT,\n  c TEXT,\n  d TEXT\n);\n", "```sql\nCREATE TABLE a (\n  c VARCHAR(9)\n);\n```\n", "CREATE TABLE a (\n  b INT,\n  c VARCHAR(9),\n  d TEXT\n);\n"),
    "attributes of a tag": ("a.xml", '<a b="1">\n  <c d="2" e="3" />\n  <f>4</f>\n  <g>5</g>\n</a>\n', '```xml\n<a b="1" h="6">\n  <f>7</f>\n</a>\n```\n', '<a b="1" h="6">\n  <c d="2" e="3" />\n  <f>7</f>\n  <g>5</g>\n</a>\n'),
    "a list, as it is shown": ("a.yml", "a:\n  b:\n    - c\n    - d\n  e: 1\nf: 2\n", "```yaml\na:\n  b:\n  - g\n```\n", "a:\n  b:\n    - g\n  e: 1\nf: 2\n"),
    "documents of one file": ("a.yaml", "kind: A\nmetadata:\n  name: b\nspec:\n  c: 1\n  d: 2\n---\nkind: E\nspec:\n  c: 1\n", "```yaml\nkind: A\nmetadata:\n  name: b\nspec:\n  c: 3\n```\n", "kind: A\nmetadata:\n  name: b\nspec:\n  c: 3\n  d: 2\n---\nkind: E\nspec:\n  c: 1\n"),
    "tables": ("a.toml", "[a]\nb = 1\nc = 2\n\n[d]\ne = 3\n\n[f]\ng = 4\n", "```toml\n[a]\nc = 5\n\n[f]\nh = 6\n```\n", "[a]\nb = 1\nc = 5\n\n[d]\ne = 3\n\n[f]\ng = 4\nh = 6\n"),
    # where a container is named by the prose, or by its like
    "a key for a container in prose": ("package.json", '{\n  "a": {\n    "b": 1\n  },\n  "scripts": {\n    "c": "d"\n  }\n}\n', 'Add this to the scripts:\n\n```json\n"e": "f"\n```\n', '{\n  "a": {\n    "b": 1\n  },\n  "scripts": {\n    "c": "d",\n    "e": "f"\n  }\n}\n'),
    "an element beside its like": ("a.xml", '<a>\n  <b c="d" />\n\n  <e>\n    <f g="h" />\n  </e>\n</a>\n', '```xml\n<f g="i" />\n```\n', '<a>\n  <b c="d" />\n\n  <e>\n    <f g="h" />\n    <f g="i" />\n  </e>\n</a>\n'),
    # what goes
    "most are shown": ("a.json", '{\n  "a": 1,\n  "b": 2,\n  "c": 3,\n  "d": 4\n}\n', '```json\n{\n  "a": 1,\n  "c": 3,\n  "d": 5\n}\n```\n', '{\n  "a": 1,\n  "c": 3,\n  "d": 5\n}\n'),
    "nothing else changes": ("a.json", '{\n  "a": 1,\n  "b": 2,\n  "c": 3\n}\n', '```json\n{\n  "a": 1\n}\n```\n', '{\n  "a": 1\n}\n'),
    "the prose says so": ("a.go", 'package a\n\nimport (\n\t"b"\n\t"c"\n)\n', 'Replace `b`, which is no longer used:\n\n```go\nimport (\n\t"c"\n\t"d"\n)\n```\n', 'package a\n\nimport (\n\t"c"\n\t"d"\n)\n'),
    "all of the file": ("a.json", '{\n  "a": 1,\n  "b": 2,\n  "c": 3\n}\n', 'The complete file:\n\n```json\n{\n  "a": 4\n}\n```\n', '{\n  "a": 4\n}\n'),
}  # fmt: skip
GO = ("most are shown", "nothing else changes", "the prose says so", "all of the file")


@pytest.mark.parametrize("name", CASES)
def test_a_container_that_is_shown_in_part_keeps_the_rest(name):
    path, text, paste, wanted = CASES[name]
    shown, certain, taken = read(path, text, paste)
    assert shown == wanted
    assert not certain
    assert taken == (text if name in GO else wanted) or name in DOUBTED


DOUBTED = ("a decorator that is not shown", "a key for a container in prose")


@pytest.mark.parametrize("name", GO)
def test_the_other_way_keeps_what_goes_and_the_other_way_round(name):
    path, text, paste, wanted = CASES[name]
    request = EditRequest("1", text, "", path=path, sketch=paste, merge="text")
    result = merge_request(request)
    assert isinstance(result, EditResult)
    assert result.suspects
    if name != "nothing else changes":
        other = merge_request(replace_way(request))
        assert other.text != wanted
        assert all(line.strip(" ,") in other.text for line in text.split("\n") if "c" in line)


def replace_way(request):
    return EditRequest(
        "2", request.text, "", path=request.path, sketch=request.sketch, merge="text",
        options=EditOptions(way="reading"),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("path", "text", "paste"),
    [
        ("a.py", "def f():\n    a = 1\n    b = 2\n    return a\n", "def f():\n    a = 1\n    return a\n"),
        ("a.js", "function f() {\n  const a = 1;\n  const b = 2;\n  return a;\n}\n", "function f() {\n  const a = 1;\n  return a;\n}\n"),
        ("a.go", "package a\n\nfunc f() int {\n\ta := 1\n\tb := 2\n\treturn a\n}\n", "func f() int {\n\ta := 1\n\treturn a\n}\n"),
    ],
)  # fmt: skip
def test_statements_of_a_body_are_no_members(path, text, paste):
    result = merge(text, paste, path=path)
    assert isinstance(result, Merged)


def test_a_diff_and_a_search_block_say_themselves_what_goes():
    text = '{\n  "a": 1,\n  "b": 2,\n  "c": 3\n}\n'
    diff = '@@ -1,5 +1,4 @@\n {\n   "a": 1,\n-  "b": 2,\n   "c": 3\n }\n'
    block = '<<<<<<< SEARCH\n  "a": 1,\n  "b": 2,\n=======\n  "a": 1,\n>>>>>>> REPLACE\n'
    for paste in (diff, block):
        assert isinstance(merge(text, paste, path="a.json"), Merged)


@pytest.mark.parametrize("seed", range(3))
def test_no_mutilated_container_is_an_error_or_certain_and_loses_a_member(seed):
    draw = random.Random(seed)
    for _ in range(40):
        row = draw.choice(ROWS)
        rows = row["answer"].split("\n")
        for _ in range(draw.randrange(1, 4)):
            at = draw.randrange(len(rows))
            rows[at : at + draw.randrange(3)] = draw.choice(
                [[], [""], [draw.choice(row["file"].split("\n"))]]
            )
        request = EditRequest(
            "1", row["file"], "", path=row["path"], sketch="\n".join(rows), merge="text"
        )
        result = merge_request(request)
        if isinstance(result, EditResult) and not result.suspects:
            lost = Counter(row["file"].split("\n")) - Counter(result.text.split("\n"))
            fresh = Counter(result.text.split("\n")) - Counter(row["file"].split("\n"))
            assert lost.total() <= fresh.total()
