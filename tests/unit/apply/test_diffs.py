"""Diffs as tools, models, mails and web pages have them: heads, anchors, newlines at the end, signatures."""

from difflib import unified_diff
from random import Random

import pytest

from editd.apply import Merged, merge

GO = """\
package cart

func (c *Cart) Add(n int) {
	c.n += n
	c.log()
}

func (c *Bag) Add(n int) {
	c.n += n
	c.log()
}
"""
HUNK = "-\tc.n += n\n+\tc.n += 2 * n\n \tc.log()\n"
FIRST = GO.replace("c.n += n", "c.n += 2 * n", 1)
SECOND = GO[::-1].replace("n =+ n.c", "n * 2 =+ n.c", 1)[::-1]


def check(paste, wanted, least="certain", *, text=GO, path="cart.go"):
    """wanted: the new text, ``None``: none is shown, or it is marked. least: how sure it is."""
    result = merge(text, paste, path=path)
    if isinstance(result, Merged):
        kind, shown = "certain", result.text
    elif result.reading is None:
        kind, shown = "none", None
    else:
        kind = "sure" if result.reading.is_confident else "marked"
        shown = result.reading.merged.text
    if wanted is None:
        assert kind in ("none", "marked")
        return
    assert shown == wanted, (kind, getattr(result, "reason", ""))
    kinds = ["marked", "sure", "certain"]
    assert kinds.index(kind) >= kinds.index(least)


@pytest.mark.parametrize(
    ("head", "wanted"),
    [
        ("@@ -90,2 +90,2 @@ func (c *Bag) Add(n int) {", SECOND),
        ("@@ -90,2 +90,2 @@ func (c *Cart) Add(n int) {", FIRST),
        ("@@ func (c *Bag) Add(n int) {", SECOND),
        ("@@ func (c *Bag) Add(n int) { @@", SECOND),
        ("@@ @@ func (c *Bag) Add(n int) {", SECOND),
        ("@@ package cart\n@@ func (c *Bag) Add(n int) {", SECOND),
        ("@@ -9,2 +9,2 @@", SECOND),
        ("@@ -9,2 +9,2 @@ func (c *Bag) Add(n int) {", SECOND),
        ("@@ -4,2 +4,2 @@ func (c *Bag) Add(n int) {", None),  # the line says the one, the heading the other
        ("@@ -90,2 +90,2 @@ package cart", None),
        ("@@ -90,2 +90,2 @@", None),
        ("@@ ... @@", None),
        ("@@", None),
        ("@@ func (c *Tin) Add(n int) {", None),
    ],
)  # fmt: skip
def test_the_head_of_a_hunk_decides_between_equal_places(head, wanted):
    check(f"--- a/cart.go\n+++ b/cart.go\n{head}\n{HUNK}", wanted)
    check(f"*** Begin Patch\n*** Update File: cart.go\n{head}\n{HUNK}*** End Patch\n", wanted)


def test_anchors_one_inside_the_other_and_one_that_git_has_cut_off():
    text = "class A:\n    def run(self):\n        return 1\n\n\nclass B:\n    def run(self):\n        return 1\n"
    paste = "*** Update File: k.py\n@@ class B:\n@@     def run(self):\n-        return 1\n+        return 2\n"
    check(paste, text[:-2] + "2\n", text=text, path="k.py")
    check(paste.replace("class B", "class A"), text.replace("1", "2", 1), text=text, path="k.py")
    long = "static int a_function_with_a_long_name(struct some_type *first, struct other_type *second, int n) {"
    text = f"int f(int n) {{\n  return n;\n}}\n\n{long}\n  return n;\n}}\n"
    paste = f"@@ -90,1 +90,1 @@ {long[:80]}\n-  return n;\n+  return 0;\n"
    check(paste, text.replace(f"{long}\n  return n", f"{long}\n  return 0"), text=text, path="x.c")


def test_the_end_of_the_file_decides_between_equal_places():
    note = "\\ No newline at end of file\n"
    check(f"@@ @@\n-b\n{note}+c\n{note}", "b\na\nc", text="b\na\nb", path="x.txt")
    text = "x\nfoo\ny\nfoo\n"
    hunk = "*** Begin Patch\n*** Update File: l.txt\n@@\n foo\n+added\n{}*** End Patch\n"
    check(hunk.format("*** End of File\n"), text + "added\n", text=text, path="l.txt")
    check(hunk.format(""), None, text=text, path="l.txt")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        *(("a/cart.go", "b/cart.go"), ("i/cart.go", "w/cart.go"), ("cart.go", "cart.go"), ("./cart.go", "./cart.go")),
        *(("cart.go.orig", "cart.go"), ("cart.go", "cart.go.new"), ("cart.go~", "cart.go"), ("cart.go-v1", "cart.go-v2")),
        *(("cart.go.bak", "cart_v2.go"), ("cart.go", "cart-new.go"), ("old/cart.go", "new/cart.go")),
        *(('"a/cart.go"', '"b/cart.go"'), ("cart.go (original)", "cart.go (modified)"), ("cart.go", "renamed.go")),
        *(("cart.go\t2026-01-01 10:00:00.0 +0200", "cart.go\t2026-01-01"), ("cart.go 2026-01-01 10:00:00", "cart.go")),
        *(("a/cart.go\t(revision 3)", "b/cart.go\t(working copy)"), ("cart.go    (revision 12)", "cart.go")),
        # names that are of no project
        *(("/dev/fd/63", "/dev/fd/62"), ("/tmp/a.go", "/tmp/b.go"), ("/tmp/cart.go", "cart.go"), ("-", "-"), ("a", "b")),
        *(("original", "modified"), ("before.go", "after.go"), ("C:\\Users\\k\\AppData\\Local\\Temp\\1.go", "a")),
    ],
)  # fmt: skip
def test_names_in_the_head_of_a_diff_for_this_file(old, new):
    check(f"--- {old}\n+++ {new}\n@@ -9,2 +9,2 @@\n{HUNK}", SECOND)


@pytest.mark.parametrize(
    ("old", "new", "path"),
    [
        ("a/other.go", "b/other.go", "cart.go"),
        ("bag.go.orig", "bag.go", "cart.go"),
        ("a/src/b/cart.go", "b/src/b/cart.go", "src/a/cart.go"),
        ("b/cart.go", "b/cart.go", "a/cart.go"),  # folders, since both are the same
        ("a/my cart.go", "b/my cart.go", "cart.go"),
        ("/dev/null", "b/new.go", "cart.go"),
        ("/dev/null", "b/other/cart.go", "src/cart.go"),
    ],
)
def test_names_in_the_head_of_a_diff_for_another_file(old, new, path):
    result = merge(GO, f"--- {old}\n+++ {new}\n@@ -9,2 +9,2 @@\n{HUNK}", path=path)
    assert not isinstance(result, Merged)
    assert result.reading is None
    assert result.final
    assert "not for this file" in result.reason


def test_names_that_git_quotes():
    for name in (
        '"a/caf\\303\\251.txt"',
        '"a/tab\\there.txt"',
        "a/my file.txt",
        '"a/quo\\"te.txt"',
    ):
        path = {
            "o": "old new file.txt",
            "c": "café.txt",
            "t": "tab\there.txt",
            "m": "my file.txt",
            "q": 'quo"te.txt',
        }
        own = path[name.strip('"').removeprefix("a/")[0]]
        paste = f"--- {name}\n+++ {name.replace('a/', 'b/')}\n@@ -1,2 +1,2 @@\n-a\n+c\n b\n"
        check(paste, "c\nb\n", text="a\nb\n", path=own)


def test_a_file_that_is_deleted_and_one_that_is_not():
    gone = "diff --git a/{0} b/{0}\ndeleted file mode 100644\n--- a/{0}\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-a\n-b\n"
    own = "diff --git a/x.txt b/x.txt\n--- a/x.txt\n+++ b/x.txt\n@@ -1,2 +1,2 @@\n-a\n+c\n b\n"
    check(gone.format("y.txt") + own, "c\nb\n", text="a\nb\n", path="x.txt")
    result = merge("a\nb\n", gone.format("x.txt"), path="x.txt")
    assert result.reason == "The diff deletes the file; delete it yourself."


NOTES = (
    "\\ No newline at end of file",
    "\\\\ No newline at end of file",
    " \\ No newline at end of file",
    "\\No newline at end of the file",
)


@pytest.mark.parametrize("note", NOTES)
@pytest.mark.parametrize(
    ("text", "hunk", "wanted"),
    [
        ("a\nb", " a\n-b\n{}\n+c\n{}\n", "a\nc"),
        ("a\nb", " a\n-b\n{}\n+c\n", "a\nc\n"),
        ("a\nb\n", " a\n-b\n+c\n{}\n", "a\nc"),
        ("a\nb", " a\n-b\n{}\n+b\n", "a\nb\n"),
        ("a\nb\n", " a\n-b\n+b\n{}\n", "a\nb"),
        ("a\nb", "-a\n+c\n b\n{}\n", "c\nb"),
        (
            "a\nb\n",
            "-a\n+c\n b\n{}\n",
            "c\nb\n",
        ),  # the file has one, whatever the diff says of what stays
        ("a\nb", " a\n-b\n{}\n+b\n+c\n{}\n", "a\nb\nc"),
        ("a\nb", " a\n-b\n{}\n+b\n+c\n", "a\nb\nc\n"),
        ("a\nb\nb", " a\n b\n-b\n{}\n+c\n{}\n", "a\nb\nc"),
        ("a\r\nb", " a\n-b\n{}\n+c\n", "a\r\nc\r\n"),
    ],
)
def test_the_newline_at_the_end(note, text, hunk, wanted):
    check(f"@@ -1,2 +1,2 @@\n{hunk.replace('{}', note)}", wanted, text=text, path="x.txt")


MAIL = (
    "From 12ab Mon Sep 17 00:00:00 2001\nFrom: K <k@example.org>\nSubject: [PATCH] Change other.txt\n\n---\n x.txt | 2 +-\n\n"
    "diff --git a/x.txt b/x.txt\nindex 1..2 100644\n--- a/x.txt\n+++ b/x.txt\n@@ -1,3 +1,3 @@\n a\n-b\n+d\n c\n"
)
TEXT, CHANGED = "a\nb\nc\n", "a\nd\nc\n"


@pytest.mark.parametrize(
    "end",
    [
        "-- \n2.39.2 (Apple Git-143)\n\n",
        "-- \n2.43.0\n",
        "--\n2.43.0\n",
        "-- \n",
        "\n-- \n2.43.0\n",
        "",
    ],
)
def test_the_signature_of_a_mail(end):
    check(MAIL + end, CHANGED, text=TEXT, path="x.txt")
    second = MAIL.replace("-b\n+d", "-d\n+e")  # what the first one wrote
    check(MAIL + end + second + end, "a\ne\nc\n", text=TEXT, path="x.txt")


@pytest.mark.parametrize(
    ("text", "hunk", "wanted"),
    [
        ("a\n-- b\nc\n", " a\n--- b\n c\n", "a\nc\n"),
        ("a\n-\nc\n", " a\n--\n c\n", "a\nc\n"),
        ("a\n--\nc\n", " a\n---\n c\n", "a\nc\n"),
        ("a\n++ b\nc\n", " a\n-++ b\n+++ d\n c\n", "a\n++ d\nc\n"),
    ],
)
def test_dashes_of_the_text_are_no_signature(text, hunk, wanted):
    check(f"--- a/x.sql\n+++ b/x.sql\n@@ -1,3 +1,2 @@\n{hunk}", wanted, text=text, path="x.sql")


@pytest.mark.parametrize(
    ("text", "paste", "wanted", "least"),
    [
        # quotes of a chat
        ("a = \"x\"\nb = 'y'\n", "@@ -1,2 +1,2 @@\n-a = “x”\n+a = “z”\n b = ‘y’\n", "a = \"z\"\nb = 'y'\n", "certain"),
        ("He said “no”.\n\nEnd.\n", '@@ -1 +1 @@\n-He said "no".\n+He said "yes".\n', "He said “yes”.\n\nEnd.\n", "certain"),
        # numbers of a web page
        ("f:\n    a = 1\n    b = 2\n", "@@ -1,3 +1,3 @@\n1\t1\t f:\n2\t\t-    a = 1\n\t2\t+    a = 3\n3\t3\t     b = 2\n",
         "f:\n    a = 3\n    b = 2\n", "certain"),
        # words
        ("port = 80\nhost = a\n", "@@ -1,2 +1,2 @@\nport = [-80-]{+90+}\nhost = a\n", "port = 90\nhost = a\n", "certain"),
        ("x:\n  host = a\n", "@@ -1,2 +1,2 @@\nx:\n  host = a{+.org+}\n", "x:\n  host = a.org\n", "certain"),
        # lines of context without their blank; a line that is none
        ("f:\na = 1\nb = 2\nc = 3\n", "@@ -1,4 +1,4 @@\nf:\n-a = 1\n+a = 2\nb = 2\n-c = 3\n+c = 4\n",
         "f:\na = 2\nb = 2\nc = 4\n", "certain"),
        ("f:\na = 1\nb = 2\nc = 3\n", "@@ -1,4 +1,4 @@\n f:\n-a = 1\n+a = 2\nother\n-c = 3\n+c = 4\n", None, ""),
        # a list in a diff without a head
        ("# T\n\n- one\n- two\n", "```diff\n - one\n-- two\n+- three\n```\n", "# T\n\n- one\n- three\n", "certain"),
        # a list of the answer is no diff
        ("one\ntwo\n", "- `x.md`:\n```diff\n@@ @@\n-two\n+three\n```\n", "one\nthree\n", "certain"),
        ("a\nb\n", "This changes it:\n\n```diff\n@@ @@\n-a\n+c\n```\n\n- It is shorter.\n- It is right.\n", "c\nb\n", "certain"),
    ],
)  # fmt: skip
def test_what_pages_chats_and_models_do_to_diffs(text, paste, wanted, least):
    check(paste, wanted, least, text=text, path="x.md")


def test_class_variables_of_ruby_are_no_heads():
    text = "class A\n  @@n = 0\n\n@@m = 1\n  def f\n    1\n  end\nend\n"
    new = text.replace("@@m = 1", "@@m = 2")
    check(new, new, "marked", text=text, path="a.rb")


@pytest.mark.parametrize("seed", range(120))
def test_a_diff_of_random_texts_gives_the_new_one_or_is_in_doubt(seed):
    """With wrong numbers, no numbers, in a mail, without last newlines, with typographic quotes, blanks cut off."""
    draw = Random(seed)
    pool = ["a", "  b", "", "-", "-- ", "+c", "@@ d", '"e"', "\\ f", "g", "h", "i"]
    old = [draw.choice(pool) for _ in range(draw.randrange(4, 14))]
    new = [x for x in old if draw.random() > 0.15]
    for _ in range(draw.randrange(3)):
        new.insert(draw.randrange(len(new) + 1), draw.choice([*pool, "new"]))
    ended = [draw.random() > 0.3, draw.random() > 0.3]
    texts = ["\n".join(x) + "\n" * y for x, y in zip((old, new), ended, strict=True)]
    sides = [x.splitlines(keepends=True) for x in texts]
    lines = list(unified_diff(*sides, "a/x.txt", "b/x.txt", n=draw.choice((0, 1, 3, 9))))
    diff = "".join(x if x.endswith("\n") else f"{x}\n\\ No newline at end of file\n" for x in lines)
    habit = draw.randrange(5)
    if habit == 1:
        diff = diff.replace("@@ -", "@@ -9")
    elif habit == 2:
        diff = MAIL.partition("diff --git")[0] + diff + "-- \n2.43.0\n"
    elif habit == 3:
        diff = "\n".join(x.rstrip() for x in diff.split("\n"))
    result = merge(texts[0], diff, path="x.txt")
    if isinstance(result, Merged) and habit != 3:
        assert result.text == texts[1]
