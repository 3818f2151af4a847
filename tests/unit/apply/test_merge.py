"""Pastes put into texts without a model: what is certain, and what is in doubt."""

from difflib import SequenceMatcher
from random import Random

import pytest

from editd.apply import InDoubt, Merged, merge

BUFFER = """\
import os
import sys


class Cart:
    def __init__(self):
        self.items = []

    def total(self):
        amount = 0
        for item in self.items:
            amount += item.price
        return amount

    def clear(self):
        self.items = []


def main():
    cart = Cart()
    print(cart.total())
"""
MARK = "# ... existing code ...\n"


def check(sketch, wanted, text=BUFFER, path="cart.py"):
    """``wanted``: replacements in ``text``, or a part of the sentence of a doubt."""
    result = merge(text, sketch, path=path)
    if isinstance(wanted, str):
        assert isinstance(result, InDoubt), result
        assert wanted in result.reason
        assert result.reason.endswith((".", "?"))
        return
    after = text
    for old, new in wanted:
        assert after.count(old) == 1
        after = after.replace(old, new)
    assert isinstance(result, Merged), result
    assert result.text == after


LOOP = "        for item in self.items:\n            amount += item.net\n        return amount\n"
LOOP_CHANGE = [("amount += item.price", "amount += item.net")]


@pytest.mark.parametrize(
    ("sketch", "wanted"),
    [
        (MARK + LOOP + MARK, LOOP_CHANGE),
        ("\n" + MARK + LOOP + MARK, LOOP_CHANGE),
        ("    // ...\n" + LOOP + "<!-- rest of the file unchanged ... -->\n", LOOP_CHANGE),
        ("…\n" + LOOP + "/* … unchanged … */\n", LOOP_CHANGE),
        # in a fence, with talk around it
        (f"Sure! Here is the updated code:\n\n```python\n{MARK}{LOOP}{MARK}```\nEnjoy.\n", LOOP_CHANGE),
        # indented otherwise as a whole, tabs for spaces, blanks at the ends of lines
        (MARK + LOOP.replace("\n        ", "\n").removeprefix("        ") + MARK, LOOP_CHANGE),
        (MARK + LOOP.replace("    ", "\t") + MARK, LOOP_CHANGE),
        (MARK + LOOP.replace("\n", "  \n") + MARK, LOOP_CHANGE),
        # adjacent lines delete what is between them; lines between them are new
        (f"{MARK}        amount = 0\n        return amount\n{MARK}",
         [("        for item in self.items:\n            amount += item.price\n", "")]),
        (f"{MARK}        amount = 0\n        tax = 0\n        for item in self.items:\n{MARK}",
         [("        amount = 0\n", "        amount = 0\n        tax = 0\n")]),
        # without any marker a whole function replaces the one of its name
        ("def total(self):\n    amount = 1\n    return amount\n",
         [("        amount = 0\n        for item in self.items:\n            amount += item.price\n",
           "        amount = 1\n")]),
        # parts in another order than the file
        (f"{MARK}    cart = Cart()\n    cart.clear()\n    print(cart.total())\n{MARK}{LOOP}{MARK}",
         [*LOOP_CHANGE, ("    cart = Cart()\n", "    cart = Cart()\n    cart.clear()\n")]),
    ],
)  # fmt: skip
def test_what_is_certain_is_merged(sketch, wanted):
    check(sketch, wanted)


@pytest.mark.parametrize(
    ("sketch", "reason"),
    [
        ("", "empty"),
        ("```python\n```\n", "empty"),
        ("a\0b", "NUL"),
        (MARK + MARK, "only markers"),
        ("fn other() {\n    todo();\n}\n", "None of the sketch's lines"),
        (BUFFER, "changes nothing"),
        # an anchor that stands twice, and much that would go
        (f"{MARK}        self.items = []\n        self.tax = 0\n{MARK}", "is not in the file"),
        (f"{MARK}        self.items = []\n        self.tax = 0\n    def clear(self):\n{MARK}", "“total” (line 9) would go"),
        # no second anchor: how far does the change go?
        (f"{MARK}        amount = 0\n        tax = 0\n{MARK}", "is not in the file"),
        (f"{MARK}        amuont = 0\n        return amount\n{MARK}", "the nearest is line 10"),
        # indented otherwise, but not at the margin: it may be meant to stand there
        (MARK + LOOP.replace("\n    ", "\n").removeprefix("    ") + MARK, "indented otherwise"),
        (MARK + "    " + LOOP.replace("\n", "\n    ").rstrip(" ") + MARK, "indented otherwise"),
        # a missing marker: do the last lines stay or go?
        (MARK + LOOP, "no marker below"),
        # blank lines at an end without a marker: layout, new, or what goes ends with one
        ("    def total(self):\n        amount = 1\n        return amount\n\n", "ends with a blank line"),
        ("def total(self):\n    amount = 1\n    return amount\n\n\n", "ends with a blank line"),
        ("\n\ndef total(self):\n    amount = 1\n    return amount\n", "begins with a blank line"),
        (f"{MARK}def main():\n    cart = Cart()\n    cart.clear()\n    print(cart.total())\n\n", "ends with a blank line"),
        (f"{MARK}    x = 1  # ... existing code ...\n", "line of its own"),
        # two parts that change the same lines
        (f"{MARK}{LOOP}{MARK}{LOOP.replace('net', 'gross')}{MARK}", "does not say for certain"),
    ],
)  # fmt: skip
def test_what_leaves_a_choice_is_in_doubt(sketch, reason):
    check(sketch, reason)


# Blank lines stand everywhere, and what goes may end with one. Who shows three lines above the change
# and three below does not mean that the first of them is another blank line.
FRAMED = (
    "\n    def total(self):\n        amount = 0\n        tax = 0\n"
    "        for item in self.items:\n            amount += item.price\n"
)


@pytest.mark.parametrize(
    ("sketch", "wanted"),
    [
        (f"{MARK}{FRAMED}        return amount\n{MARK}", [("amount = 0\n", "amount = 0\n        tax = 0\n")]),
        (f"{MARK}{FRAMED}{MARK}", "could also replace lines 3 to 12"),
    ],
)  # fmt: skip
def test_as_many_lines_above_as_below_tell_where_the_piece_begins(sketch, wanted):
    check(sketch, wanted)


SHOP = """\
class Cart:
    def total(self):
        if self.empty:
            return 0
        return self.sum

    def label(self):
        name = "cart"

        return name


class Order:
    def label(self):
        name = "order"
        return name

    def paid(self):
        return self.sum
"""


@pytest.mark.parametrize(
    ("sketch", "wanted"),
    [
        # one row has one line: the text would not parse, or a definition would lose its beginning
        (f"{MARK}        if self.empty:\n        return self.sum\n{MARK}", "could also replace lines 3 to 19"),
        (f'{MARK}            return 0\n        name = "order"\n{MARK}', "would go"),
        (f'{MARK}        name = "cart"\n        name += "2"\n    def paid(self):\n{MARK}', "“Order” (line 13) would go"),
        # a blank line that is not shown
        (f'{MARK}            return 0\n        return self.sum\n    def label(self):\n        name = "cart"\n{MARK}', "leaves out a blank line"),
        # moved to the margin, and what stood less deep there is clipped
        (f'{MARK}name = "order"\nif name:\nreturn name\n{MARK}', "indented otherwise"),
        (f'{MARK}name = "order"\nif name:\n    name += "!"\nreturn name\n{MARK}', "indented otherwise"),
        # the first piece takes the lines that the second one could be about
        ((f'{MARK}class Order:\n    tax = 1\n    def label(self):\n        name = "order"\n{MARK}        '
         f"return self.sum\n\n    limit = 3\n    def label(self):\n{MARK}"),
         "“def label(self):” (line 10 of the sketch) does not say for certain"),
    ],
)  # fmt: skip
def test_on_the_word_of_one_line_nothing_is_broken(sketch, wanted):
    check(sketch, wanted, SHOP)


LIST = """\
from typing import (
    Any,
    Callable,
    Mapping,
    Optional,
)


class Table:
    def __init__(
        self,
        name: str,
    ) -> None:
        self.name = name

    def close(self, force: bool) -> None:
        if force:
            self.rows = []
        self.done = True

    def __repr__(self) -> str:
        row = {
            "name": self.name,
            "rows": [1, 2]
        }
        more = {
            "rows": [1, 2],
        }

        return str(row) + str(more)
"""


@pytest.mark.parametrize(
    ("sketch", "wanted"),
    [
        # of a list one line may be put there, and what is below it not shown
        (f"{MARK}    Any,\n    Mapping,\n{MARK}", "may be new or may stay"),
        (f"{MARK}from typing import (\n    Any,\n    Mapping,\n    Optional,\n{MARK}",
         [("    Callable,\n", "")]),
        # the last line may be the new form of a line that goes
        (f'{MARK}        row = {{\n            "label": self.name,\n            "rows": [1, 2],\n{MARK}',
         "would go, and the paste does not mention it"),
        # another unit: what is at the margin stands there in any
        (f"{MARK}class Table:\n  kind = 1\n  def __init__(\n{MARK}", [("class Table:\n", "class Table:\n    kind = 1\n")]),
        (f"{MARK}    def close(self, force: bool) -> None:\n      if force:\n        self.stop()\n        self.done = True\n{MARK}",
         "read otherwise"),
        # a part that changes nothing: what it is about is not shown, or it is the head of the next one
        (f'{MARK}            self.rows = []\n{MARK}        more = {{\n            "x": 1,\n            "rows": [1, 2],\n{MARK}',
         "changes nothing"),
        (f"{MARK}class Table:\n{MARK}            self.rows = []\n        self.done = 1\n        self.done = True\n{MARK}",
         [("        self.done = True\n", "        self.done = 1\n        self.done = True\n")]),
        # few lines go between two that stay
        (f"{MARK}from typing import (\n    Mapping,\n    Optional,\n{MARK}", [("    Any,\n    Callable,\n", "")]),
        # the same marker twice: something between them may be meant to go
        (f"{MARK}            self.rows = []\n        self.stop()\n        self.done = True\n{MARK}\n{MARK}", "the same marker"),
        # what is put there stands right below: it may be meant to move up
        (f"{MARK}    Any,\n    Mapping,\n    Optional,\n    Callable,\n{MARK}", "meant to move"),
        # what other lines say, broken otherwise
        (f"{MARK}    def __init__(\n        self, name: str\n    ) -> None:\n{MARK}", [
            ("        self,\n        name: str,\n", "        self, name: str\n")]),
    ],
)  # fmt: skip
def test_what_could_mean_something_else_is_in_doubt(sketch, wanted):
    check(sketch, wanted, LIST)


DAYS = 'sat = [\n    "sa",\n    "sb",\n    "Sab"\n]\nsun = [\n    "ne",\n    "nd",\n    "Ned"\n]\n'
DAYS += 'far = {\n        "k": 1,\n        "l": 2,\n}\n'
EXPORTS = (
    "let a;\n/* all */\nexports.Command = Command;\nexports.Option = Option;\nexports.Err = Err;\n"
    + "\n".join(f"f({n});" for n in range(70))
    + "\n"
)
GUARDS = "/* Licence */\n\n#define VERSION 1\n\n#ifdef GLIBC\n#define SOURCE 2\n#endif\n\n#include <t.h>\n#include <u.h>\n"
SKIP = 'skip = [\n    "a",\n    "b",\n    "c",\n    "d",\n    "e",\n]\n'
FLUSH = "def flush(self):\n    data = join(self.rows)\n    try:\n"
FLUSH += "".join(f"        self.write{number}(data)\n" for number in range(12))
FLUSH += "    finally:\n        self.close()\n    self.rows = []\n\n\nx = 1\n"
TAP = "function tap(next) {\n  const found =\n    isFunction(next) ? { next: next as Next, error } : next;\n\n  // to do: use it\n"
TAP += "  return found\n    ? operate((source) => {\n        go(source);\n      })\n    : identity;\n}\n"
TRIM = "/**\n * Helpers\n */\nconst a = 1;\n\n// Cut the ends.\nexport function trim(text) {\n  return text;\n}\n"
WIDTHS = "".join(
    f"  /**\n   * The widest {name}.\n   */\n  {name}(all) {{\n    return all.reduce((max, one) => {{\n"
    f"      return Math.max(max, {call});\n    }}, 0);\n  }}\n\n"
    for name, call in (("word", "one.length"), ("line", "helper.width(one)"), ("page", "one.pages"))
)
UNION = "type A = string;\nexport type Kind = 'ip' | {\n    starts: string;\n} | {\n    ends: string;\n};\n"


@pytest.mark.parametrize(
    ("text", "path", "sketch", "reason"),
    [
        # of words in a list one may be put there that stands farther below
        (SKIP, "a.py", f'{MARK}skip = [\n    "a",\n    "x",\n    "d",\n{MARK}', "may be new or may stay"),
        # what is put there stands right above, although more is changed below
        (DAYS, "a.py", f'{MARK}    "sb",\n    "sa",\n    "Sab"\n]\nsun = [\n    "nd",\n    "ne",\n    "Ned"\n{MARK}', "meant to move"),
        # so does one of several lines that are put there; below it much would go that is not shown
        (EXPORTS, "a.js", "// ...\n/* all */\nexports.Arg = Arg;\nexports.Command = Command;\nexports.Err = Err;\nexports.Help = Help;\nexports.Option = Option;\n",
         "no marker below line 7"),
        # one of many is no head of what is shown next: it may be meant to be put there
        (DAYS, "a.py", f'{MARK}    "sb",\n{MARK}        "k": 1,\n        "m": 3,\n        "l": 2,\n{MARK}', "changes nothing"),
        # its last lines are those of a block that is new, too: the file's block need not go
        (GUARDS, "a.c", "// ...\n#define VERSION 1\n\n#ifdef APPLE\n#include <a.h>\n#endif\n\n#ifdef LINUX\n#include <f.h>\n#endif\n\n// ...\n", "could also"),
        # the last line stands again far below: all of the function between them is not meant to go
        (FLUSH, "a.py", f"{MARK}def flush(self):\n    data = ''.join(self.rows)\n    self.rows = []\n{MARK}", "“try:” (line 3) would go"),
        # what parts one thing from the next may be put there with a new one
        (UNION, "a.ts", "type A = string;\nexport type Kind = 'ip' | 'url' | {\n    includes: number;\n} | {\n// ...\n",
         "may be new or may stay"),
        # at the margin each line lost another indentation: moved back alike, the third one is not where it was
        (TAP, "a.ts", "// ...\nisFunction(next) ? { next: next as Next, error } : next;\n\nreturn found\n? operate((source) => {\n// ...\n",
         "indented otherwise"),
        # the marks of a comment are those of any other one
        (TRIM, "a.js", "// ...\n/**\n * Cut the ends.\n * @param {string} text\n */\n// ...\nexport function trim(text) {\n  return text.trim();\n}\n",
         "could stand elsewhere"),
        # what is put there ends like the function that stands there: that one need not go
        (WIDTHS, "a.js", ("// ...\n    }, 0);\n  }\n\n  /**\n   * The widest of all.\n   */\n  every(all) {\n    return all.reduce((max, one) => {\n"
         "      return Math.max(max, helper.width(one));\n    }, 0);\n  }\n\n  /**\n   * The widest page.\n// ...\n"),
         "could also replace lines 16 to 20"),
    ],
)  # fmt: skip
def test_an_edge_that_says_little_may_be_new_or_all_that_is_left(text, path, sketch, reason):
    check(sketch, reason, text, path)


def test_only_a_line_that_is_indented_shows_that_indentation_is_meant():
    text = (
        "def f():\n    if a:\n        b = 1\n        c = 2\n    return b\n\n\nx = 1\ny = 2\nz = 3\n"
    )
    meant = f"{MARK}        b = 1\n    c = 2\n    return b\n{MARK}"
    check(meant, [("        c = 2\n", "    c = 2\n")], text)
    check(f"{MARK}x = 1\n    y = 2\nz = 3\n{MARK}", "indented otherwise", text)


PATCH = """\
--- a/shop/cart.py
+++ b/shop/cart.py
@@ -9,4 +9,4 @@ class Cart:
         amount = 0
         for item in self.items:
-            amount += item.price
+            amount += item.net
         return amount
"""
SEARCH = "            amount += item.price\n=======\n            amount += item.net\n"


@pytest.mark.parametrize(
    ("paste", "wanted"),
    [
        (PATCH, LOOP_CHANGE),
        (f"```diff\n{PATCH}```\n", LOOP_CHANGE),
        (PATCH.replace("-9,4 +9,4", "-1,1 +1,1"), LOOP_CHANGE),
        (PATCH.replace("cart.py", "other.py"), "not for this file"),
        (PATCH.replace("for item in self.items", "for thing in things"), "not in the file"),
        (f"cart.py\n<<<<<<< SEARCH\n{SEARCH}>>>>>>> REPLACE\n", LOOP_CHANGE),
        (f"------- SEARCH\n{SEARCH}+++++++ REPLACE\n", LOOP_CHANGE),
        (f"other.py\n<<<<<<< SEARCH\n{SEARCH}>>>>>>> REPLACE\n", "not for this file"),
        (PATCH.replace("-            amount", "-            x"), "is not in the file"),
        (PATCH.replace("-            amount += item.price", "-            amount += 0").replace("item.net", "item.price"),
         "already in the file, at line 10"),
        (f"<<<<<<< SEARCH\n{SEARCH}", "has no end"),
        ("<<<<<<< SEARCH\n        self.items = []\n=======\n        pass\n>>>>>>> REPLACE\n", "occur 2 times"),
    ],
)  # fmt: skip
def test_patches_and_search_replace_blocks(paste, wanted):
    check(paste, wanted)


@pytest.mark.parametrize(
    ("text", "sketch", "after"),
    [
        ("\ufeffa = 1\r\nb = 2\r\nc = 3\r\n", "a = 1\nb = 5\nc = 3\n", "\ufeffa = 1\r\nb = 5\r\nc = 3\r\n"),
        ("a = 1\nb = 2\nc = 3\n", "a = 1\r\nb = 5\r\nc = 3\r\n", "a = 1\nb = 5\nc = 3\n"),
        ("a = 1\nb = 2\nc = 3", "a = 1\nb = 5\nc = 3\n", "a = 1\nb = 5\nc = 3"),
        ("a 漢\nb = 2\nc 🧾\n", "a 漢\nb 5\nc 🧾", "a 漢\nb 5\nc 🧾\n"),
    ],
)  # fmt: skip
def test_line_ends_mark_and_last_newline_stay(text, sketch, after):
    result = merge(text, sketch)
    assert isinstance(result, Merged), result
    assert result.text == after


def test_only_the_lines_that_were_named_may_change():
    sketch = MARK + LOOP + MARK
    assert isinstance(merge(BUFFER, sketch, lines=(8, 13)), Merged)
    assert isinstance(merge(BUFFER, sketch, lines=(0, 5)), InDoubt)


def sketch_of(before, after, context):
    """The changed lines with ``context`` lines around them, by difflib alone."""
    lines = []
    matcher = SequenceMatcher(None, before, after, autojunk=False)
    for tag, start, end, new_start, new_end in matcher.get_opcodes():
        if tag == "equal":
            kept = before[start:end]
            head = kept[:context] if start else []
            tail = kept[max(len(head), len(kept) - context) :] if end < len(before) else []
            gap = len(kept) > len(head) + len(tail)
            lines += [*head, *(["# ..."] if gap else []), *tail]
        else:
            lines += after[new_start:new_end]
    return "\n".join(lines) + "\n"


def random_edit(random):
    words = ["x", "yy", "zzz", "return x", "}", "", "    pass", "def f():", "if x:", "    y = 1"]
    before = [
        f"{random.choice(words)}" + (f" {n}" if random.random() < 0.6 else "") for n in range(24)
    ]
    after = list(before)
    for _ in range(random.randrange(1, 4)):
        at = random.randrange(len(after))
        after[at : at + random.randrange(3)] = [f"new {random.random()}"] * random.randrange(3)
    return before, after


@pytest.mark.parametrize("seed", range(300))
def test_random_edits_give_the_text_or_doubt(seed):
    random = Random(seed)
    before, after = random_edit(random)
    result = merge("\n".join(before) + "\n", sketch_of(before, after, random.choice((1, 2, 3))))
    if isinstance(result, Merged):
        assert result.text == "\n".join(after) + "\n"


@pytest.mark.parametrize("seed", range(100))
def test_nothing_that_is_pasted_raises(seed):
    random = Random(seed)
    parts = [
        *BUFFER,
        "```",
        "<<<<<<< SEARCH\n",
        "=======\n",
        "@@ -1 +1 @@\n",
        MARK,
        "\r",
        "\u2028",
        "\t",
    ]
    paste = "".join(random.choices(parts, k=random.randrange(200)))
    assert isinstance(merge(BUFFER, paste, path="a.py"), Merged | InDoubt)
