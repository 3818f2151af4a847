"""Pastes and files that nobody would choose: a right answer or one sentence, never a byte that nobody asked for."""

from random import Random

import pytest

from editd.apply import InDoubt, Merged, merge
from tests.fixtures.pasted import LATER, read_answers

MARK = "# ... existing code ...\n"
TEXT = "".join(f"def f{n}(a):\n    b = a * {n}\n    return b + {n}\n\n\n" for n in range(6))
SKETCH = f"{MARK}def f2(a):\n    b = a * 2\n    b += 1\n    return b + 2\n{MARK}"
AFTER = TEXT.replace("    return b + 2\n", "    b += 1\n    return b + 2\n")


def check(text, sketch, after=None):
    """``after``: the whole new text; ``None``: one sentence."""
    result = merge(text, sketch, path="a.py")
    if after is None:
        assert isinstance(result, InDoubt), result
        assert result.reason.endswith((".", "?"))
        assert "\n" not in result.reason
    else:
        assert isinstance(result, Merged), result
        assert result.text == after


@pytest.mark.parametrize(
    ("text", "sketch", "after"),
    [
        (TEXT, SKETCH, AFTER),
        # nothing, or nothing of this file
        (TEXT, "", None),
        (TEXT, " \n\n\t\n", None),
        (TEXT, MARK * 3, None),
        (TEXT, "fn main() {\n    todo!()\n}\n", None),
        (TEXT, "\x7fELF\0\0\0", None),
        ("", SKETCH, None),
        ("\n\n\n", SKETCH, None),
        # line ends of one kind in one, of the other in the other; a byte order mark; no last newline
        (TEXT.replace("\n", "\r\n"), SKETCH, AFTER.replace("\n", "\r\n")),
        (TEXT, SKETCH.replace("\n", "\r\n"), AFTER),
        ("\ufeff" + TEXT, SKETCH, "\ufeff" + AFTER),
        (TEXT, "\ufeff" + SKETCH, AFTER),
        (TEXT.rstrip("\n"), SKETCH, AFTER.rstrip("\n")),
        (TEXT, SKETCH.rstrip("\n"), AFTER),
        # pieces that overlap, pieces in another order
        (TEXT, SKETCH + "    b = a * 2\n    b -= 1\n    return b + 2\n" + MARK, None),
        (TEXT, f"{MARK}    b = a * 4\n    c = b\n    return b + 4\n{SKETCH}",
         AFTER.replace("    return b + 4\n", "    c = b\n    return b + 4\n")),
        # in a file of 100,000 lines
        ("".join(f"line {n}\n" for n in range(100_000)), f"{MARK}line 7\nnew\nline 8\n{MARK}",
         "".join(f"line {n}\n" + "new\n" * (n == 7) for n in range(100_000))),
        ("same\n" * 100_000, f"{MARK}same\nnew\nsame\n{MARK}", None),
    ],
)  # fmt: skip
def test_bad_input_has_a_right_answer_or_one_sentence(text, sketch, after):
    check(text, sketch, after)


@pytest.mark.parametrize("seed", range(80))
def test_an_edit_sketched_with_context_gives_its_text_or_doubt(seed):
    """Also of code that stands twice, where the neighbours are alike but for a name."""
    random = Random(seed)
    functions = [
        f"def f{n}(a):\n    x = a + {random.randrange(3)}\n    if x:\n        y = {random.randrange(4)}\n"
        f"        return y\n    return x\n\n\n"
        for n in range(8)
    ]
    before = "".join(functions).split("\n")[:-1]
    start = random.randrange(1, len(before) - 1)
    end = min(len(before) - 1, start + random.choice((0, 0, 1, 1, 2, 6)))
    new = random.choice(([], ["        z = 1"], ["    x = a + 9", ""], before[start - 1 : end + 1]))
    context = random.choice((1, 2, 3))
    top, bottom = max(0, start - context), min(len(before), end + context)
    piece = [*before[top:start], *new, *before[end:bottom]]
    marks = [["# ..."] * (top > 0), ["# ..."] * (bottom < len(before))]
    sketch = "\n".join([*marks[0], *piece, *marks[1]]) + "\n"
    result = merge("\n".join(before) + "\n", sketch, path="a.py")
    if isinstance(result, Merged):
        assert result.text == "\n".join([*before[:start], *new, *before[end:]]) + "\n"


SCRAPS = [
    "",
    "}",
    "{",
    "# ...",
    "```",
    "@@",
    "    ",
    "@classmethod",
    "import x",
    "Copy",
    "Edit",
    "def f(",
    "/**",
    "[x]",
]


@pytest.mark.parametrize("seed", range(8))
def test_no_mutilated_paste_is_an_error(seed):
    draw = Random(seed)
    answers = [*read_answers(LATER)]
    for _ in range(60):
        answer = draw.choice(answers)
        pasted = draw.choice([answer, answer, draw.choice(answers)]).paste.split("\n")
        for _ in range(draw.randrange(12)):
            at = draw.randrange(len(pasted) + 1)
            change = draw.randrange(5)
            if change == 0:
                del pasted[at : at + 1]
            elif change == 1:
                pasted.insert(at, draw.choice([*SCRAPS, draw.choice(answer.before.split("\n"))]))
            elif change == 2:
                pasted = [line.lstrip() for line in pasted]
            elif change == 3:
                pasted = pasted[at:] + pasted[:at]
            else:
                pasted[at : at + 1] = [line.strip() for line in pasted[at : at + 1]]
        merge(
            answer.before,
            "\n".join(pasted),
            path=draw.choice([answer.path, "", "a.toml", "b.py", "c.json"]),
        )
