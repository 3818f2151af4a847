"""What a model leaves around its answer is suspect, in every language, unless it belongs there."""

import pytest

from editd.checks import check_hunks
from editd.checks.leftovers import _FENCES_BELONG
from editd.diff.document import Document
from editd.diff.streaming import StreamingDiff
from editd.syntax.language import extension_of, language_names, language_of

WORD, FENCE = "which models write around their answers", "is a code fence"


def doubts_of(old, new, path, instruction="make a 3", **settings):
    document = Document.of(old)
    diff = StreamingDiff(document)
    diff.push(new)
    diff.finish()
    _, doubts = check_hunks(document, diff.hunks, instruction, language_of(path), **settings)
    return [x for x in doubts if WORD in x or FENCE in x or "code block" in x or "as a string" in x]


def check(old, new, path, doubt, instruction="make a 3"):
    found = doubts_of(old, new, path, instruction)
    assert (doubt in "".join(found)) if doubt else not found


@pytest.mark.parametrize("language", language_names())
@pytest.mark.parametrize(
    "line",
    [
        "<think>",
        "text</think>",
        "<|channel|>final<|message|>x",
        "x<|im_end|>",
        "[/THINK]",
        "◁think▷",
        "assistantfinal",
        "<|any_word|>",
    ],
)
def test_a_control_word_is_suspect_in_every_language(language, line):
    document = Document.of("one\n")
    diff = StreamingDiff(document)
    diff.push(f"{line}\none\n")
    diff.finish()
    hunks, doubts = check_hunks(document, diff.hunks, "make a 3", language)
    assert any(WORD in doubt for doubt in doubts)
    assert all(hunk.suspect for hunk in hunks)


@pytest.mark.parametrize("language", sorted({*language_names(), ""} - _FENCES_BELONG))
@pytest.mark.parametrize(
    "line", ["```", "```python", "~~~", "  ```", "\u200b```md", "b: 2```", "```</x>"]
)
def test_a_fence_is_suspect_where_it_does_not_belong(language, line):
    document = Document.of("one\n")
    diff = StreamingDiff(document)
    diff.push(f"one\n{line}\n")
    diff.finish()
    _, doubts = check_hunks(document, diff.hunks, "make a 3", language)
    assert any(FENCE in doubt for doubt in doubts)


@pytest.mark.parametrize(
    ("old", "new", "path", "doubt", "instruction"),
    [
        # what the text has, or the instruction names
        ("x = '<think>'\ny\n", "x = '<think>'\ny = '<think>'\n", "a.py", "", ""),
        ("x\n", "x = '<|im_end|>'\n", "a.py", "", "append <|im_end|> to x"),
        ("x\n", "x = '<|im_end|>'\n", "a.py", "", "append im_end"),
        ("x\n", "x = '<|eot_id|>'\n", "a.py", WORD, "append <|im_end|> to x"),
        ("x\n", "```\nx\n```\n", "a.txt", "", "put it in a code block"),
        # elements of markup
        ("<p>a</p>\n", "<p><s>a</s></p>\n", "a.html", "", ""),
        ("<p>a</p>\n", "<p>a</p></s>\n", "a.html", WORD, ""),
        ("a\n", "<s>a</s>\n", "a.md", "", ""),
        ("<a/>\n", "<answer>a</answer>\n", "a.xml", "", ""),
        ("<a/>\n", "<think>a</think>\n", "a.xml", WORD, ""),
        ("a: 1\n", "a: 1</s>\n", "a.yaml", WORD, ""),
        ("a: 1\n", "<answer>\na: 1\n</answer>\n", "a.yaml", WORD, ""),
        # what only looks like one
        ("x\n", "List<S> x; Result<Answer> y;\n", "a.java", "", ""),
        ("x\n", "y = '<s>' + x + '</s>'\n", "a.py", "", ""),
        ("x\n", "let y = a <|> b |> c\n", "a.hs", "", ""),
        ("x\n", "[think]\nx = 1\n", "a.ini", "", ""),
        ("x\n", "See [Thinking](a.md).\n", "a.md", "", ""),
        # fences that belong where they stand
        ("x\n", "x\n\n```sh\nmake\n```\n", "a.md", "", ""),
        ("x\n", "x\n\n```{r}\nmake\n```\n", "a.Rmd", "", ""),
        ("x\n", "x\n\n```{python}\nmake\n```\n", "a.qmd", "", ""),
        ("x\n", "x\n\n```js\nmake\n```\n", "a.mdx", "", ""),
        ('def f():\n    """Do."""\n', 'def f():\n    """Do.\n\n    ```\n    f()\n    ```\n    """\n', "a.py", "", ""),
        ("x = 1\n", '"""Doc.\n\n```python\nx\n```\n"""\nx = 1\n', "a.py", "", ""),
        ("x();\n", "/**\n * ```js\n * x();\n * ```\n */\nx();\n", "a.js", "", ""),
        ("x();\n", "/*\n```js\nx();\n```\n*/\nx();\n", "a.js", "", ""),
        ("fn x() {}\n", "/// ```\n/// x();\n/// ```\nfn x() {}\n", "a.rs", "", ""),
        ("fn x() {}\n", "/*!\n```\nx();\n```\n*/\nfn x() {}\n", "a.rs", "", ""),
        ("f(x) = 1\n", '"""\nDo.\n\n```julia\nf(1)\n```\n"""\nf(x) = 1\n', "a.jl", "", ""),
        ("x\n", '@doc """\n```\nx\n```\n"""\nx\n', "a.ex", "", ""),
        # fences that do not
        ("x();\n", "```js\nx();\n```\n", "a.js", FENCE, ""),
        ("x = 1\n", "x = 1\n```\n", "a.py", FENCE, ""),
        ("fn x() {}\n", "fn x() {}\n```\n", "a.rs", FENCE, ""),
        ('"""Doc.\n\n```\nx\n```\n"""\ny\n', '"""Doc.\n\n```\nx\n```\n"""\ny\n```\n', "a.py", FENCE, ""),
        ("x\n", "x\n```\n", "a.md", "opened and not closed", ""),
        ("x\n", "```md\nx\n```\n", "a.md", "put into a code block", ""),
        ("```\nx\n```\n", "```\nx\n", "a.md", "opened and not closed", ""),
        # a text in JSON
        ('{\n  "a": 1\n}\n', '{"code": "{\\n  \\"a\\": 3\\n}"}\n', "a.json", "as a string", ""),
        ('{\n  "a": 1\n}\n', '{\n  "code": "x"\n}\n', "a.json", "", ""),
    ],
)  # fmt: skip
def test_what_belongs_to_the_text_is_not_suspect(old, new, path, doubt, instruction):
    check(old, new, path, doubt, instruction or "make a 3")


def test_a_pasted_text_is_looked_at_as_well():
    assert doubts_of("x\n", "x<|im_end|>\n", "a.css", pasted=True)


def test_a_moved_fence_is_no_new_one():
    old = "one\n```\ntwo\nthree\nfour\nfive\nsix\n"
    assert doubts_of(old, "one\ntwo\nthree\nfour\nfive\nsix\n```\n", "a.txt") == []


def test_the_extensions_of_markdown_are_known():
    assert {extension_of(language) for language in ("mdx", "quarto", "rmarkdown")} == {
        "mdx",
        "qmd",
        "rmd",
    }
