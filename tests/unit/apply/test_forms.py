"""The forms in which answers are pasted: which of them are read, and how sure a merge is of each."""

from typing import Any

import pytest

from editd.apply import Merged, merge
from editd.apply.paste.markers import says_stays

FILE = '''\
import os


class Cart:
    """What a customer buys."""

    def __init__(self, items):
        self.items = items

    def total(self):
        amount = 0
        for item in self.items:
            amount += item.price
        return amount

    def clear(self):
        self.items = []


def main():
    cart = Cart([])
    print(cart.total())
'''
TOTAL = """\
    def total(self):
        amount = 0
        for item in self.items:
            amount += item.net
        return amount
"""
NET = [("amount += item.price", "amount += item.net")]
BOTH = [("import os\n", "import os\nimport sys\n"), *NET]
DIFF = """\
         for item in self.items:
-            amount += item.price
+            amount += item.net
         return amount
"""
FENCE = f"```python\n{TOTAL}```\n"
LOOP = TOTAL.split("\n", 2)[2]
ORDER = "```python\nclass Order:\n    pass\n```\n"
SEARCH = "<<<<<<< SEARCH\n{0}=======\n{1}>>>>>>> REPLACE\n"
OLD, NEW = "            amount += item.price\n", "            amount += item.net\n"


KINDS = ("none", "marked", "sure", "certain")


def check(
    paste: str, least: str, wanted: Any = NET, *, path: str = "src/cart.py", text: str = FILE
) -> str:
    """That the text is right, and at least so sure; returns which of ``KINDS`` it is. wanted: replacements."""
    result = merge(text, paste, path=path)
    kind, shown = "certain", text
    if isinstance(result, Merged):
        shown = result.text
    elif result.reading is None:
        kind = "none"
    else:
        kind = "sure" if result.reading.is_confident else "marked"
        shown = result.reading.merged.text
    for old, new in wanted if kind != "none" else ():
        assert text.count(old) == 1
        text = text.replace(old, new)
    assert shown == text
    assert KINDS.index(kind) >= KINDS.index(least)
    return kind


@pytest.mark.parametrize("path", ["cart.xyz", "cart", "src/cart.py"])
@pytest.mark.parametrize("info", ["", "xyz", "python"])
def test_a_fence_is_one_whatever_the_language(path, info):
    kind = "certain" if path.endswith(".py") else "sure"
    check(f"```{info}\n{TOTAL}```\n", kind, path=path)


@pytest.mark.parametrize(
    ("paste", "kind"),
    [
        (f"~~~python\n{TOTAL}~~~\n", "certain"),
        (f"````python\n{TOTAL}````\n", "certain"),
        (f"```python\n{TOTAL}", "certain"),
        (FENCE.replace("\n", "\r\n"), "certain"),
        ("1. Change it:\n\n" + "".join(f"   {x}\n" for x in FENCE.splitlines()) + "2. Run it.\n", "certain"),
        (f"<details>\n<summary>cart.py</summary>\n\n{FENCE}\n</details>\n", "certain"),
        (f"python\nCopy code\n{TOTAL}", "certain"),
        (f"python\nCopy\nEdit\n{TOTAL}", "certain"),
        # blocks that are no part of the change
        (f"{FENCE}\nThen run:\n\n```bash\npytest -q\n```\n", "certain"),
        (f"{FENCE}\nUsage:\n\n```python\ncart = Cart([])\nprint(cart.total())\n```\n", "certain"),
        # the whole file
        (f"```python\n{FILE.replace('item.price', 'item.net')}```\n", "certain"),
    ],
)  # fmt: skip
def test_what_is_around_the_code_is_left_out(paste, kind):
    check(paste, kind)


def test_several_blocks_for_one_file_with_prose_between():
    imports = "First the import:\n\n```python\nimport os\nimport sys\n```\n\n"
    check(f"{imports}Then use `net`:\n\n{FENCE}\nThat's all!\n", "marked", BOTH)


@pytest.mark.parametrize(
    "paste",
    [
        f"```python\n# src/cart.py\n{TOTAL}```\n",
        f"```python\n# File: src/cart.py\n\n{TOTAL}```\n",
        f"```python:src/cart.py\n{TOTAL}```\n",
        f"```python src/cart.py\n{TOTAL}```\n",
        f'```python title="src/cart.py"\n{TOTAL}```\n',
        f"```src/cart.py\n{TOTAL}```\n",
        f"```10:14:src/cart.py\n{TOTAL}```\n",
        f"**src/cart.py**\n\n{FENCE}",
        f"### 1. `src/cart.py`\n\n{FENCE}",
        # several files in one answer
        f"**src/cart.py**\n{FENCE}\n**src/order.py**\n{ORDER}",
        f"### 1. `src/order.py`\n{ORDER}\n### 2. `src/cart.py`\n{FENCE}",
        f"In `src/cart.py`, use the net price:\n\n{FENCE}\nIn `src/order.py`, add:\n\n{ORDER}",
        f"**src/cart.py**\n{FENCE}\n**src/order.py**\n{ORDER}\nand below that\n\n```python\nTAX = 1\n```\n",
    ],
)
def test_a_block_is_for_the_file_that_is_named(paste):
    check(paste, "certain")


def test_a_file_that_is_only_mentioned_keeps_no_block_from_this_one():
    check(f"As in `src/order.py`, use the net price:\n\n{FENCE}", "certain")


@pytest.mark.parametrize(
    ("paste", "wanted"),
    [
        (DIFF, NET),
        (f"```diff\n{DIFF}```\n", NET),
        (f"```python\n{DIFF}```\n", NET),
        (f"```diff\n--- src/cart.py\n+++ src/cart.py\n{DIFF}```\n", NET),
        ("```diff\n- amount += item.price\n+ amount += item.net\n```\n", NET),
        (f"```diff\n import os\n+import sys\n...\n{DIFF}```\n", BOTH),
        (f"```diff\n@@\n import os\n+import sys\n@@ def total(self):\n{DIFF}```\n", BOTH),
        # OpenAI's patches
        (f"*** Begin Patch\n*** Update File: src/cart.py\n@@ def total(self):\n{DIFF}*** End Patch\n", NET),
        (f"*** Begin Patch\n*** Update File: src/cart.py\n{DIFF}*** End Patch\n", NET),
        (("*** Begin Patch\n*** Update File: src/order.py\n@@\n-a\n+b\n"
          f"*** Update File: src/cart.py\n@@\n{DIFF}*** End Patch\n"), NET),
    ],
)  # fmt: skip
def test_a_diff_without_hunk_headers(paste, wanted):
    check(paste, "certain", wanted)


def test_a_diff_with_its_sign_before_the_line_and_context_as_it_is_in_the_file():
    context = DIFF.replace("         ", "        ", 1)[:-23]
    check(f"```diff\n{context}        return amount\n```\n", "marked")


JAVA = "class A {\n  /**\n   * Old.\n   */\n  int x;\n  int y;\n}\n"


def test_a_diff_of_lines_with_odd_indentation_is_read_as_it_is():
    check("```diff\n    * Old.\n    */\n-  int x;\n+  long x;\n```\n", "certain",
          [("  int x;", "  long x;")], path="A.java", text=JAVA)  # fmt: skip


@pytest.mark.parametrize(
    ("paste", "kind"),
    [
        (SEARCH.format(OLD.replace("\n", "  \n"), NEW), "certain"),
        (SEARCH.format(OLD.strip() + "\n", NEW.strip() + "\n"), "certain"),
        # a stale line
        (SEARCH.format(TOTAL.replace(".net", ".price").replace("= 0", "= 0.0"), TOTAL.replace("= 0", "= 0.0")), "marked"),
        # not read yet: another unit of indentation, a line that is missing
        (SEARCH.format(*(f"   for item in self.items:\n      {x.strip()}\n" for x in (OLD, NEW))), "none"),
        (SEARCH.format(*(f"        amount = 0\n{x}" for x in (OLD, NEW))), "none"),
    ],
)  # fmt: skip
def test_search_blocks_with_small_differences(paste, kind):
    check(paste, kind)


@pytest.mark.parametrize(
    ("paste", "wanted"),
    [
        (f"Replace this:\n\n```python\n{OLD}```\n\nwith this:\n\n```python\n{NEW}```\n", NET),
        (f"**Before:**\n```python\n{OLD}```\n**After:**\n```python\n{NEW}```\n", NET),
        ("Change\n```\namount += item.price\n```\nto\n```\namount += item.net\n```\nNo more.\n", NET),
        (("Replace\n```\nimport os\n```\nwith\n```\nimport os\nimport sys\n```\n"
          f"and this\n```\n{OLD}```\nby\n```\n{NEW}```\n"), BOTH),
    ],
)  # fmt: skip
def test_replace_this_with_this(paste, wanted):
    check(paste, "certain", wanted)


def test_new_lines_that_show_more_than_the_old_ones_replace_no_line():
    paste = f"Change this:\n\n```python\n{OLD}```\n\nto:\n\n```python\n{TOTAL}```\n"
    result = merge(FILE, paste, path="src/cart.py")
    assert isinstance(result, Merged)
    assert result.text == FILE.replace(OLD, NEW)  # no second method


@pytest.mark.parametrize(
    "form", ["{}: {}", "{:>3} | {}", "{}\t{}", "{:>4} │ {}", "{}. {}", "L{}: {}"]
)
def test_numbered_lines(form):
    lines = "".join(form.format(*pair) + "\n" for pair in enumerate(TOTAL.splitlines(), 10))
    check(f"```\n{lines}```\n", "certain")


@pytest.mark.parametrize(
    "marker",
    [
        *("# ... existing code ...", "// ...", "-- ... rest unchanged ...", "; ...", "% ...", "<!-- ... -->"),
        *("/* ... existing code ... */", "{/* ... */}", "(* ... *)", "' ...", '" ...', "REM ...", "# …"),
        *("...", "…", "[...]", "# ⋮", "#...", "# ... imports ...", "# [... rest of the file ...]"),
        *("# rest of the code", "// rest of file stays the same", "# other methods remain unchanged"),
        *("# Existing code here", "# existing methods"),
    ],
)  # fmt: skip
def test_a_marker_in_any_comment_syntax_and_in_words(marker):
    check(f"{marker}\n{LOOP}{marker}\n", "certain")


@pytest.mark.parametrize(
    "marker",
    [
        *("# (unchanged)", "# -- unchanged --", "# --- snip ---", "# same as before", "# <existing code>"),
        *("# (body unchanged)", "# What a cart can do (unchanged)", "# keep the rest as is", "[existing code unchanged]", "(rest of the class unchanged)"),
    ],
)  # fmt: skip
def test_words_that_may_be_a_comment_are_never_certain(marker):
    assert check(f"{marker}\n{LOOP}{marker}\n", "marked") != "certain"


def test_a_question_in_a_comment_is_no_marker():
    check(f"# ...\n        # keep as is?\n{LOOP}# ...\n", "none",
          [("        for item", "        # keep as is?\n        for item"), *NET])  # fmt: skip
    assert not says_stays("# keep as is?")
    assert says_stays("# keep the rest as is")


def test_a_word_for_what_stays_is_not_written_into_the_file():
    paste = "# ...\n        amount = 0\n        # (unchanged)\n        return int(amount)\n# ...\n"
    check(paste, "none", [("return amount", "return int(amount)")])


def test_tabs_pasted_as_blanks_and_blanks_as_tabs():
    check(TOTAL.replace("    ", "\t"), "sure")
    check(TOTAL, "sure", text=FILE.replace("    ", "\t"))
    check(TOTAL.replace("    ", "\u00a0   "), "sure")


FENCED = 'FORM = """\n```%s\n```\n"""\n\n\ndef shown(x):\n    return FORM % x\n'


def test_a_fence_around_code_of_a_file_with_fences():
    check("So:\n\n```python\ndef shown(x):\n    return FORM % str(x)\n```\n", "sure",
          [("FORM % x", "FORM % str(x)")], path="a.py", text=FENCED)  # fmt: skip


@pytest.mark.parametrize(
    "paste", ["Change `item.price` to `item.net`.\n", "> " + FENCE.replace("\n", "\n> ")]
)
def test_what_is_not_read(paste):
    check(paste, "none")


OLD, NEW = "            amount += item.price\n", "            amount += item.net\n"


@pytest.mark.parametrize(
    "paste",
    [
        f"<search>\n{OLD}</search>\n<replace>\n{NEW}</replace>\n",
        f"<edit>\n<file>src/cart.py</file>\n<FIND>\n{OLD}</FIND>\n<REPLACE>\n{NEW}</REPLACE>\n</edit>\n",
        f"<old_str>{OLD.rstrip()}</old_str>\n<new_str>{NEW.rstrip()}</new_str>\n",
        f"<<<<<<< SEARCH\n:start_line:13\n-------\n{OLD}=======\n{NEW}>>>>>>> REPLACE\n",
        "Kim wrote:\n" + "".join(f"> {line}".rstrip() + "\n" for line in FENCE.split("\n")),
        "".join(f"> {line}\n" for line in f"@@ @@\n-{OLD}+{NEW}".splitlines()),
        f"```python\n# filepath: /home/me/src/cart.py\n{TOTAL}```\n",
    ],
)
def test_forms_of_agents_and_mails_are_read(paste):
    check(paste, "sure")


SIZE = "    def size(self):\n        return len(self.items)\n"


@pytest.mark.parametrize(
    ("told", "wanted"),
    [
        ("Add it below `total`:", [("        return amount\n", f"        return amount\n\n{SIZE}")]),
        ("Add it above `clear()`:", [("    def clear(", f"{SIZE}\n    def clear(")]),
        ("Add it to the `Cart` class:", [("    def clear(self):\n        self.items = []\n",
                                          f"    def clear(self):\n        self.items = []\n\n{SIZE}")]),
    ],
)  # fmt: skip
def test_prose_says_where_new_lines_belong(told, wanted):
    check(f"{told}\n\n```python\n{SIZE}```\n", "marked", wanted)


def test_a_line_that_is_a_version_of_one_in_the_file_has_its_place():
    check("Change the head:\n\n```python\n    def total(self, tax):\n```\n", "marked",
          [("def total(self)", "def total(self, tax)")])  # fmt: skip


def test_an_empty_search_block_is_told():
    result = merge(FILE, "<<<<<<< SEARCH\n=======\nx = 1\n>>>>>>> REPLACE\n", path="cart.py")
    assert "shows no line of the file" in result.reason
