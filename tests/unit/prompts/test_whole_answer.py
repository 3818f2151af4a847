"""Answers that are read when they are complete: which of their lines are the new text, and what is in doubt."""

import pytest

from editd.prompts.old_text import OldText, with_ends
from editd.prompts.whole_answer import read_whole

OLD = "a = 1\nb = 2\nc = 3\n"
NEW = "a = 3\nb = 2\nc = 3\n"
DRAFT = "a = 4\nb = 2\nc = 3\n"


def fenced(text, info="python", run="```"):
    return f"{run}{info}\n{text}{run}\n"


def check(answer, body, doubt="", old=OLD, **settings):
    found = read_whole(with_ends(answer), OldText(old, **settings))
    assert found.body == body
    assert doubt in found.doubt
    assert bool(found.doubt) is bool(doubt)
    return found


@pytest.mark.parametrize(
    "answer",
    [
        f"I rename it.\n\n{fenced(NEW)}",
        f"I rename it.\n\n{fenced(NEW)}\nUsage:\n\n{fenced('run it', 'bash')}",
        f"Original:\n{fenced(OLD)}\nUpdated:\n{fenced(NEW)}",
        f"Original:\n{fenced(OLD, '')}\nUpdated:\n{fenced(NEW, '')}",
        f"1. {fenced(NEW)[:-1]}\n",
        "1. " + fenced(NEW).replace("\n", "\n   "),
        "- " + fenced(NEW).replace("\n", "\n  "),
        fenced(NEW, "a = 3").replace("\na = 3", ""),
        f"以下是修改后的文件：\n{fenced(NEW, '')}",
        f"好的。\n{fenced(NEW)}\n已完成。",
        f"text\n{fenced(chr(10) + NEW + chr(10))}",
    ],
)
def test_the_first_block_counts_that_is_no_quotation(answer):
    assert check(answer, NEW).closed


def test_a_quotation_alone_changes_nothing():
    check(f"The file:\n{fenced(OLD)}\nIt is fine.", OLD)
    check(
        f"The file:\n{fenced('x = 0' + chr(10) + OLD)}\n", "x = 0\n" + OLD, document="x = 0\n" + OLD
    )


@pytest.mark.parametrize(
    "answer",
    [
        NEW,
        f"Here is the updated code:\n\n{NEW}",
        f"{NEW}\nI have changed a to 3, as you asked.\n",
        f"{NEW}```\nThis sets it.\n",
    ],
)
def test_an_answer_in_no_block_counts_without_talk(answer):
    check(answer, NEW)


def test_an_unfenced_text_may_have_blocks_of_its_own():
    old = "# Notes\n\n```bash\nmake\n```\n\nBye\n"
    new = old.replace("make", "make all")
    check(new, new, old=old)
    check("# Notes\n\n```bash\nmake\n```\n\na is 3\nb is 2\n", "# Notes\n\n```bash\nmake\n```\n\na is 3\nb is 2\n",
          old="# Notes\n\na is 1\nb is 2\n")  # fmt: skip


def test_markdown_may_stand_in_a_fence_that_is_no_longer_than_its_own():
    old = "# Notes\n\nRun:\n\n```\nmake\n```\n\nBye\n"
    new = old.replace("make", "make all")
    check(f"I edit it.\n{fenced(new, 'markdown')}", new, old=old, may_have_fences=True)


@pytest.mark.parametrize(
    ("answer", "body", "doubt"),
    [
        ("```python\na = 3\nb", "a = 3\nb", "never closed"),
        (
            f"Okay, the user wants a to be 3.\n{fenced(DRAFT)}but\n",
            DRAFT,
            "a thought that has no end",
        ),
        (f"text\n{fenced('run it')}", "run it\n", "no line of the old text"),
        ("Updated co", "Updated co", "no code block"),
        (f"Fertig ist die Datei\n{NEW}", f"Fertig ist die Datei\n{NEW}", "first lines may be"),
        (f"{NEW}Das war alles\n", f"{NEW}Das war alles\n", "last lines may be"),
        ("a = 3\nb = 2\n", "a = 3\nb = 2\n", "ends where the old text goes on"),
        ("a = 3\nb = 2\nc", "a = 3\nb = 2\nc", "ends where the old text goes on"),
    ],
)
def test_what_may_be_something_else_is_doubted(answer, body, doubt):
    check(answer, body, doubt)


@pytest.mark.parametrize(
    "answer",
    ["I'm sorry, I can't.", f"Hm:\n{fenced('I cannot do that.')}", "The value is fine as it is.\n"],
)
def test_words_alone_are_no_text(answer):
    assert check(answer, "").talk
