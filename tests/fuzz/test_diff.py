"""Seeded round trips of the diff: whatever the texts and the pieces, hunks say what the answer says.

A failing seed is a test case by itself: ``check_seed(seed)``.
"""

import random
import re
from difflib import SequenceMatcher

import pytest

from editd.diff.document import BOM, Document, split_lines
from editd.diff.edits import apply, to_replacements, unified
from editd.diff.hunk import Keep
from editd.diff.streaming import StreamingDiff
from tests.replacements import apply_replacements

CONTENTS = [
    "",
    "",
    "    ",
    "}",
    "    return result",
    "\tindented = 1",
    "def f(x):",
    "form\ffeed",
    "line\u2028separator",
    "next\x85line",
    "vertical\vtab \x1c\x1d\x1e",
    "😀 emoji",
    "👩‍👩‍👧 family 🇩🇪",
    "漢字かな交じり文",
    "e\u0301 combining a\u0308",
    "\ufeffnot a mark in here",
    "```",
    "trailing   ",
]
ENDS = ["\n", "\r\n", "\r"]


def random_document(rng):
    """A text of one kind of line end, or of all of them; sometimes odd at its borders."""
    shape = rng.random()
    count = 0 if shape < 0.05 else rng.randrange(1, 40)
    if shape > 0.95:
        lines = [""] * count
    elif shape > 0.6:
        lines = [rng.choice(["", "", "a", "b"]) for _ in range(count)]
    else:
        lines = [
            rng.choice(CONTENTS) if rng.random() < 0.4 else f"line {rng.randrange(60)}"
            for _ in range(count)
        ]
    ends = rng.choice([["\n"], ["\n"], ["\r\n"], ["\r"], ENDS, ["\n", "\r"], ["\n", "\r\n"]])
    text = (BOM if rng.random() < 0.15 else "") + "".join(f"{x}{rng.choice(ends)}" for x in lines)
    return text if rng.random() < 0.7 else text.rstrip("\r\n")


def edited(rng, lines):
    """``lines`` after some edits such as a model makes, or something else altogether."""
    lines = list(lines)
    if rng.random() < 0.05:
        return [f"other {rng.randrange(9)}" for _ in range(rng.randrange(30))]
    for _ in range(rng.choice([0, 1, 1, 2, 3, 8])):
        start = rng.randrange(len(lines) + 1)
        end = min(start + rng.choice([0, 1, 1, 2, 5, 15]), len(lines))
        block = lines[start:end]
        match rng.choice(["insert", "delete", "replace", "copy", "move"]):
            case "insert":
                lines[start:start] = fresh(rng)
            case "delete":
                del lines[start:end]
            case "replace":
                lines[start:end] = fresh(rng)
            case "copy":
                lines[start:start] = block
            case "move":
                del lines[start:end]
                target = rng.randrange(len(lines) + 1)
                lines[target:target] = block
    return lines


def fresh(rng):
    return [
        rng.choice(CONTENTS) if rng.random() < 0.5 else f"new {rng.randrange(20)}"
        for _ in range(rng.choice([1, 1, 2, 6]))
    ]


def random_pieces(rng, text):
    size = rng.choice([1, 3, 10, 1000])
    while text:
        cut = rng.randrange(1, size + 1)
        yield text[:cut]
        text = text[cut:]


def check_seed(seed):
    rng = random.Random(seed)
    before = random_document(rng)
    document = Document.of(before)
    total = len(document.lines)
    start, end = 0, total
    if rng.random() < 0.3:
        start, end = sorted((rng.randrange(total + 1), rng.randrange(total + 1)))
    answer = edited(rng, [line.rstrip("\n") for line in document.model_lines[start:end]])
    text = "\n".join(answer) + "\n" * (bool(answer) and rng.random() < 0.8)
    final_newline = rng.choice([None, None, None, True, False])
    options = {"start": start, "end": end, "final_newline": final_newline}

    hunks = check_walk(rng, document, text, options)
    whole = StreamingDiff(document, first_id=5, **options)
    whole.push(text)
    whole.finish()
    assert whole.hunks == hunks  # pieces make no difference

    check_spacing(document, text, options)
    result = apply(hunks, before)
    check_result(document, result, expected(document, text, **options), start, end)
    assert apply_replacements(to_replacements(hunks, before), before) == result
    assert patched(before, unified(hunks, before, "x", context=rng.randrange(4))) == result


def check_spacing(document, text, options):
    """With the buffer's spacing kept, nothing but white space differs from what comes without."""
    plain, kept = (StreamingDiff(document, keeps_spacing=kept, **options) for kept in (False, True))
    for diff in (plain, kept):
        diff.push(text)
        diff.finish()
    assert words(apply(plain.hunks, document.text)) == words(apply(kept.hunks, document.text))
    for hunk in kept.hunks if options["final_newline"] is None else ():
        old = document.lines[hunk.start : hunk.start + hunk.old_count]
        assert words("".join(old)) != words("".join(hunk.new_lines)), "a hunk of white space"


def words(text):
    """The lines that say something, without what stands at their ends."""
    return [
        bare for line in split_lines(text.removeprefix(BOM)) if (bare := line.rstrip(" \t\r\n"))
    ]


def check_walk(rng, document, text, options):
    """Push in pieces; every operation stands where the walk is, and nothing is taken back."""
    diff = StreamingDiff(document, first_id=5, **options)
    position, next_id, opened = diff.start, 5, None
    pieces = [*random_pieces(rng, text), None]
    done = []
    for piece in pieces:
        for op in diff.finish() if piece is None else diff.push(piece):
            if isinstance(op, Keep):
                assert op.count > 0
                assert opened is None
                position += op.count
                continue
            assert op.id == next_id
            assert op.start == position
            if opened is not None:
                assert op.old_count >= opened.old_count
            assert tuple(document.lines[position : position + op.old_count]) != op.new_lines
            if op.done:
                position += op.old_count
                next_id += 1
                done.append(op)
                opened = None
            else:
                assert op.new_lines
                opened = op
        assert diff.hunks == tuple(done)
    assert opened is None
    assert position == diff.end
    return diff.hunks


def expected(document, text, start, end, final_newline):
    """The model text that must come out, told without any diff."""
    lines = document.model_lines
    after_unended = start == end == len(lines) and not document.ends_with_newline
    if after_unended:
        start -= 1
        text = lines[start] + "\n" + text
    wanted = document.ends_with_newline if final_newline is None else final_newline
    if end < len(lines) or wanted:
        if text and not text.endswith("\n"):
            text += "\n"
    else:
        text = text.rstrip("\n")
    if start == 0:
        text = text.removeprefix(BOM)
    return "".join(lines[:start]) + text + "".join(lines[end:])


def check_result(document, result, expected_model_text, start, end):
    after = Document.of(result)
    ends = {re.search(r"[\r\n]*$", line).group() for line in document.lines} - {""}
    if len(ends) <= 1:
        end_of_line = ends.pop() if ends else "\n"
        assert result == document.bom + expected_model_text.replace("\n", end_of_line)
    elif end == len(document.lines):
        assert after.bom == document.bom
        assert after.model_text == expected_model_text
    assert after.lines[: start - 1] == document.lines[: max(start - 1, 0)] or start == 0
    assert result.endswith("".join(document.lines[end:]))


def patched(text, patch):
    """What ``patch`` makes of ``text``: the format as its manual tells it, without fuzz."""
    old = re.findall(r"[^\n]*\n|[^\n]+", text)
    new = []
    position = 0
    lines = re.findall(r"[^\n]*\n", patch)
    assert len(lines) != 2
    for index, line in enumerate(lines[2:], 2):
        unended = index + 1 < len(lines) and lines[index + 1].startswith("\\")
        content = line[1:-1] if unended else line[1:]
        if line.startswith("@@"):
            first, count = re.match(r"@@ -(\d+)(?:,(\d+))? ", line).groups()
            target = int(first) - (count != "0")
            new += old[position:target]
            position = target
        elif line[0] in " -":
            assert old[position] == content
            position += 1
            if line[0] == " ":
                new.append(content)
        elif line[0] == "+":
            new.append(content)
    return "".join(new + old[position:])


@pytest.mark.parametrize("block", range(8))
def test_hunks_say_what_the_answer_says(block):
    for seed in range(block * 60, block * 60 + 60):
        check_seed(seed)


def test_hunks_are_about_as_small_as_difflibs():
    ours = theirs = 0
    for seed in range(150):
        rng = random.Random(seed)
        before = [line + "\n" for line in program(rng, 80)]
        after = [line + "\n" for line in edited(rng, [line[:-1] for line in before])]
        diff = StreamingDiff(Document.of("".join(before)))
        diff.push("".join(after))
        diff.finish()
        ours += sum(hunk.old_count + len(hunk.new_lines) for hunk in diff.hunks)
        matcher = SequenceMatcher(None, before, after, autojunk=False)
        kept = sum(block.size for block in matcher.get_matching_blocks())
        theirs += len(before) + len(after) - 2 * kept
    assert ours < 1.1 * theirs


def program(rng, num_lines):
    """Lines as a program has them: most are unique, some stand everywhere."""
    for index in range(num_lines):
        yield rng.choice(
            [f"    name_{index} = {rng.random()}"] * 4 + ["", "}", "    return result"]
        )


@pytest.mark.timeout(20)
@pytest.mark.parametrize(
    ("make_line", "answer"),
    [
        (lambda i: f"line {i}", lambda lines: lines[:5000] + lines[12000:]),
        (lambda i: f"line {i}", lambda lines: [f"{line} new" for line in lines]),
        (lambda i: f"line {i}", lambda lines: lines[::-1]),
        (lambda i: f"line {i}", lambda lines: lines + lines),
        (lambda _: "x", lambda lines: ["y" if i % 3 else line for i, line in enumerate(lines)]),
        (lambda i: "abcdef"[i * i % 11 % 6], lambda lines: lines[::-1]),
    ],
    ids=["half deleted", "all changed", "reversed", "doubled", "equal lines", "few lines"],
)
def test_cost_grows_with_the_lines_and_not_with_their_square(make_line, answer):
    lines = [make_line(index) for index in range(15_000)]
    diff = StreamingDiff(Document.of("\n".join(lines) + "\n"))
    for line in answer(lines):
        diff.push(f"{line}\n")
    diff.finish()


@pytest.mark.slow
@pytest.mark.parametrize("block", range(10))
def test_hunks_say_what_the_answer_says_for_long(block):
    for seed in range(1000 + block * 1000, 2000 + block * 1000):
        check_seed(seed)
