"""What is rewritten and what is shown, for small and for large buffers."""

import random
from itertools import pairwise

import pytest

from editd.errors import ScopeTooLarge, UsageError
from editd.prompts.base import Region
from editd.prompts.budget import LineMeter, expected_answer_tokens, max_new_tokens
from editd.prompts.scope import BLOCK, choose_scope, parts_of


def count(text):
    """A tokenizer of four bytes a token."""
    return (len(text.encode()) + 3) // 4


def module(functions=200, extra=""):
    """A Python file of functions f0, f1, …, each six lines; "total" in each tenth."""
    parts = ["import os\nimport sys\n\n" + extra]
    for n in range(functions):
        name = "total" if n % 10 == 0 else "value"
        parts.append(f"# Number {n}.\ndef f{n}(x):\n    {name} = x + {n}\n    return {name}\n\n\n")
    return "".join(parts).splitlines(keepends=True)


def scope_of(lines, instruction, max_context=1200, **kwargs):
    defaults = {"count_tokens": count, "overhead": 100, "path": "a/big.py", "language": "python"}
    return choose_scope(lines, instruction, max_context=max_context, **defaults | kwargs)


def check(lines, instruction, *expected, **kwargs):
    """``expected``: the regions as 1-based inclusive ``"10-20"``."""
    scope = scope_of(lines, instruction, **kwargs)
    assert [f"{region.start + 1}-{region.end}" for region in scope.regions] == list(expected)
    for region, (start, end) in zip(scope.regions, scope.shown, strict=True):
        assert 0 <= start <= region.start <= region.end <= end <= len(lines)
        if (start, end) != (region.start, region.end):
            assert any(is_border(lines, number, start) for number in range(start + 1))
            assert any(is_border(lines, number, end) for number in range(end, len(lines) + 1))
    return scope


def is_border(lines, number, shown):
    """Whether windows may end at line ``number``, and only blank lines are left out up to there."""
    left_out = lines[min(number, shown) : max(number, shown)]
    return (number % BLOCK == 0 or number == len(lines)) and not "".join(left_out).strip()


def test_a_buffer_that_fits_is_rewritten_whole():
    scope = check(module(10), "anything", "1-61")
    assert scope.shown == ((0, 61),)
    assert scope.notice == ""


def test_blank_lines_at_the_ends_are_not_the_models_to_rewrite():
    lines = ["\n", "  \n", "a\n", "\n", "b\n", "\n"]
    scope = check(lines, "anything", "3-5")
    parts = parts_of(scope, 0, lines, path="a.py", language="python", instruction="x")
    assert (parts.before, parts.region, parts.after) == ("", "a\n\nb\n", "")
    assert parts.first_line == 1  # there is nothing before it that a model could count
    check(lines, "anything", "5-5", start_line=3, end_line=6)
    check(lines, "anything", "4-4", start_line=3, end_line=4)
    check(["\n", "\n"], "write hello world", "1-2")
    check(lines, "remove the blank lines at the top", "1-6")


def test_an_empty_buffer_is_rewritten_whole():
    assert scope_of([], "write hello world").regions == (Region(0, 0),)


def test_a_selection_is_rewritten_alone_and_the_whole_buffer_shown():
    scope = check(module(10), "anything", "4-6", start_line=3, end_line=6)
    assert scope.shown == ((0, 61),)
    assert scope.notice == ""
    assert scope.regions[0].label == "lines 4 to 6"


def test_selecting_everything_selects_nothing():
    scope = scope_of(module(10), "anything", start_line=0, end_line=63)
    assert scope.regions == (Region(0, 61),)


def test_half_a_selection_and_one_past_the_end_are_completed():
    check(module(10), "anything", "61-61", start_line=60)
    check(module(10), "anything", "1-2", end_line=3)
    check(module(10), "anything", "61-61", start_line=60, end_line=999)


def test_an_empty_selection_is_a_place_to_insert():
    scope = scope_of(module(10), "anything", start_line=5, end_line=5)
    assert (scope.regions[0].start, scope.regions[0].end) == (5, 5)


@pytest.mark.parametrize(("start", "end"), [(64, 70), (5, 4), (-1, 3)])
def test_lines_that_do_not_exist_are_refused(start, end):
    with pytest.raises(UsageError, match="the buffer has 63 lines"):
        scope_of(module(10), "anything", start_line=start, end_line=end)


def test_a_selection_in_a_large_buffer_is_shown_in_whole_blocks_and_said():
    lines = module()
    scope = check(lines, "anything", "601-606", start_line=600, end_line=606, context_lines=40)
    assert scope.shown == ((513, 703),)  # the lines around are blank
    assert "lines 513 to 704" in scope.notice
    moved = check(lines, "anything", "611-616", start_line=610, end_line=616, context_lines=40)
    assert moved.shown == scope.shown  # so that its prefix is found in the cache


def test_context_shrinks_until_it_fits():
    # 150 lines of some 400 tokens: with their answer they leave no room for more.
    scope = check(module(), "anything", "601-750", start_line=600, end_line=750)
    assert scope.shown == ((600, 750),)


def test_a_selection_that_is_too_large_is_refused_with_numbers():
    with pytest.raises(ScopeTooLarge) as caught:
        scope_of(module(), "anything", start_line=0, end_line=900)
    assert str(caught.value) == (
        "Lines 1 to 900 (about 2,408 tokens) and the rewritten text do not fit the model's context "
        "of 1,200 tokens: select fewer with --range START:END (about 171 lines fit)."
    )


def test_as_many_lines_as_the_message_says_do_fit():
    check(module(), "anything", "1-169", start_line=0, end_line=171)


def test_a_large_buffer_and_an_instruction_that_names_nothing_are_refused_with_numbers():
    with pytest.raises(ScopeTooLarge) as caught:
        scope_of(module(), "make it better")
    assert str(caught.value) == (
        "big.py with its 1,203 lines (about 3,241 tokens) and the rewritten text do not fit the "
        "model's context of 1,200 tokens: name a function in the instruction, or select lines with "
        "--range START:END (about 170 lines fit)."
    )


def test_a_long_instruction_is_refused_by_itself():
    with pytest.raises(ScopeTooLarge, match=r"take 1,190 of the model's 1,200 tokens"):
        scope_of(module(), "long", overhead=1190)


@pytest.mark.parametrize(
    ("instruction", "expected"),
    [
        ("add a docstring to f7", ["46-49"]),
        ("add a docstring to `f7`", ["46-49"]),
        ("add a docstring to f7()", ["46-49"]),
        ("add docstrings to f7 and f100", ["46-49", "604-607"]),
        ("document the function f7 and import json", ["1-2", "46-49"]),
        ("add import json", ["1-2"]),
    ],
)
def test_functions_that_the_instruction_names_are_rewritten(instruction, expected):
    scope = check(module(), instruction, *expected)
    assert "does not fit" in scope.notice


def test_the_notice_names_them():
    scope = scope_of(module(), "add docstrings to f7 and f100")
    assert scope.notice == (
        "big.py (about 3,241 tokens) does not fit the model's context of 1,200 tokens, so only "
        "what the instruction names is rewritten: f7 (lines 46 to 49), f100 (lines 604 to 607)."
    )


@pytest.mark.parametrize(
    "instruction",
    ["rename total to amount", "replace `total` by `amount`", "total -> amount", "s/total/amount/"],
)
def test_a_rename_reaches_every_part_that_mentions_it(instruction):
    lines = module()
    scope = scope_of(lines, instruction)
    inside = {n for region in scope.regions for n in range(region.start, region.end)}
    mentions = {n for n, line in enumerate(lines) if "total" in line}
    assert mentions <= inside
    assert len(scope.regions) > 1
    starts = [region.start for region in scope.regions]
    assert starts == sorted(starts)


def test_a_rename_takes_whole_words():
    lines = module(extra="subtotal = 1\n" * 3)
    scope = scope_of(lines, "rename total to amount in f0")
    assert [(region.start, region.end) for region in scope.regions] == [(6, 10)]
    assert scope.regions[0].label == "f0 (lines 7 to 12)"


def test_a_rename_of_what_is_not_there_says_so():
    with pytest.raises(ScopeTooLarge, match="nothing in it reads absent"):
        scope_of(module(), "rename absent to present everywhere")


def test_a_function_too_long_for_the_context_is_renamed_piece_by_piece():
    lines = ["def big():\n", *(f"    total = {n} + total\n" for n in range(500))]
    scope = scope_of(lines, "rename total to amount")
    assert scope.regions[0].start == 0
    ends = [region.end for region in scope.regions]
    assert ends[-1] == 501
    assert ends[:-1] == [region.start for region in scope.regions[1:]]


def test_a_function_too_long_for_the_context_is_not_cut_for_other_edits():
    lines = ["def big():\n", *(f"    total = {n} + total\n" for n in range(500))]
    with pytest.raises(ScopeTooLarge, match=r"big \(about [\d,]+ tokens\)"):
        scope_of(lines, "add a docstring to big")


def test_an_edit_of_each_part_alone_takes_the_parts_in_turn():
    lines = module(60)
    scope = scope_of(lines, "remove all comments")
    assert scope.regions[0].start == 0
    assert scope.regions[-1].end == len(lines) - 2  # blank ones
    assert 1 < len(scope.regions) < 10


def test_but_not_without_end():
    with pytest.raises(ScopeTooLarge):
        scope_of(module(2000), "remove all comments")


def test_methods_are_told_apart_by_their_class():
    body = "".join(f"        x = {n}\n" for n in range(40))
    text = "".join(f"class {name}:\n    def run(self):\n{body}\n" for name in "ABCDEF")
    lines = text.splitlines(keepends=True)
    check(lines, "add a docstring to the method run of class B", "45-85", max_context=1000)
    check(lines, "add a docstring to B.run", "45-85", max_context=1000)


@pytest.mark.parametrize(
    ("path", "language", "text"),
    [
        ("a.go", "go", "package a\n\n" + "func f%d(x int) int {\n\treturn x\n}\n\n" * 300),
        ("a.lua", "lua", "local M = {}\n\n" + "function f%d(x)\n  return x\nend\n\n" * 300),
    ],
)
def test_other_languages_have_functions_too(path, language, text):
    lines = (text % tuple(range(300))).splitlines(keepends=True)
    check(lines, "add a comment to f20", "83-85", path=path, language=language)


def test_a_file_of_50_000_lines_is_judged_without_counting_it():
    lines = module(8334)
    assert len(lines) > 50_000
    counted = []

    def slow_count(text):
        counted.append(len(text))
        return count(text)

    with pytest.raises(ScopeTooLarge):
        scope_of(lines, "make it better", max_context=8192, count_tokens=slow_count)
    scope_of(lines, "x", max_context=8192, count_tokens=slow_count, start_line=9, end_line=99)
    assert sum(counted) < 200_000


@pytest.mark.parametrize("seed", range(20))
def test_every_region_fits_with_what_is_shown(seed):
    rng = random.Random(seed)
    lines = module(rng.randrange(20, 400), extra="x = 1\n" * rng.randrange(50))
    max_context = rng.randrange(400, 4000)
    start = rng.randrange(len(lines))
    selection = {"start_line": start, "end_line": rng.randrange(start, len(lines) + 1)}
    instruction = rng.choice(["rename total to amount", "fix f3", "remove comments", "import re"])
    kwargs = rng.choice([{}, selection])
    try:
        scope = scope_of(lines, instruction, max_context, context_lines=rng.randrange(90), **kwargs)
    except ScopeTooLarge:
        return
    for region, (start, end) in zip(scope.regions, scope.shown, strict=True):
        region_tokens = count("".join(lines[region.start : region.end]))
        shown_tokens = count("".join(lines[start:end]))
        again = 0 if (start, end) == (region.start, region.end) else region_tokens
        assert 100 + shown_tokens + again + expected_answer_tokens(region_tokens) <= max_context
    ordered = [(region.start, region.end) for region in scope.regions]
    assert all(a[1] <= b[0] for a, b in pairwise(ordered))


def test_parts_are_cut_from_the_lines():
    lines = module(10)
    scope = scope_of(lines, "x", start_line=3, end_line=6)
    parts = parts_of(scope, 0, lines, path="a.py", language="python", instruction="x")
    assert parts.before + parts.region + parts.after == "".join(lines).rstrip("\n") + "\n"
    assert parts.region == "".join(lines[3:6])
    assert parts.first_line == 4


def test_answers_are_bounded():
    assert max_new_tokens(100) == 1224
    assert max_new_tokens(100, tokens_left=50) == 50
    assert max_new_tokens(100, tokens_left=5000, configured=7) == 7
    assert max_new_tokens(100, tokens_left=0) == 1


def test_chunks_add_up():
    lines = [f"{n}\n" * (n % 3) for n in range(300)]
    meter = LineMeter(lines, lambda text: len(text.encode()))
    for start, end in [(0, 300), (5, 5), (31, 33), (64, 128), (1, 299)]:
        assert meter.tokens(start, end) == len("".join(lines[start:end]).encode())


def slowly(prompt, answer):
    """A machine that reads 100 tokens a second and writes 50."""
    return prompt / 100 + answer / 50


def test_a_part_is_rewritten_where_all_of_it_takes_long():
    lines = module(100)
    scope = check(lines, "make `f7` faster", "46-49", max_context=20_000, seconds=slowly)
    assert scope.shown == ((45, 49),)
    assert scope.notice == (
        "Only what the instruction names is rewritten: f7 (lines 46 to 49). All of big.py would take "
        "about 49 s (--way whole)."
    )
    assert scope.in_parts


@pytest.mark.parametrize(
    ("second", "overhead", "parts"),
    [
        (62, 100, ["48-67"]),  # reading a second prompt would take longer than the lines between
        (62, 10, ["48-53", "64-67"]),
        (140, 100, ["48-53", "142-145"]),
    ],
)
def test_neighbours_are_one_part_where_that_takes_no_longer(second, overhead, parts):
    lines = module(100)
    for at in (49, 50, second + 1, second + 2):
        lines[at] = "    wide_name = 1\n"
    instruction = "rename `wide_name` to `narrow_name`"
    check(lines, instruction, *parts, max_context=20_000, seconds=slowly, overhead=overhead)


def test_a_part_is_rewritten_where_all_of_it_is_longer_than_the_model_was_taught():
    lines = module(100)
    scope = check(lines, "make `f7` faster", "46-49", max_context=20_000, longest=512)
    assert scope.shown == ((45, 49),)
    assert scope.notice == (
        "Only what the instruction names is rewritten: f7 (lines 46 to 49). All of big.py is longer than "
        "this model was taught."
    )
    assert not scope.in_parts  # it would spoil the whole


def test_what_may_be_anywhere_is_rewritten_in_parts_of_the_length_that_the_model_was_taught():
    lines = module(100)
    scope = scope_of(lines, "remove all comments", max_context=20_000, longest=512)
    assert len(scope.regions) == 8
    assert "and 3 more parts. All of big.py is longer than this model was taught" in scope.notice
    covered = {at for region in scope.regions for at in range(region.start, region.end)}
    assert {at for at, line in enumerate(lines) if "#" in line} <= covered
    for region in scope.regions:
        text = "".join(lines[region.start : region.end])
        assert 100 + 2 * count(text) <= 512
        assert text.startswith("#")
        assert text.rstrip().splitlines()[-1].startswith("    return")


def test_lines_without_what_is_looked_for_are_in_no_part():
    lines = [*module(50), "print(1)\n", "\n", "\n", *module(50)]
    scope = scope_of(lines, "delete the print statements", max_context=20_000, longest=512)
    assert len(scope.regions) == 1
    assert any(region.start <= 303 < region.end for region in scope.regions)


def test_a_definition_is_deleted_from_between_its_neighbours_by_a_model_that_does_only_that():
    lines = module(100)
    scope = check(lines, "delete the function f7", "42-53", max_context=20_000, longest=512)
    assert "Number 7" in "".join(lines[slice(*scope.shown[0])])


@pytest.mark.parametrize("instruction", ["rename nothing_here to x", "delete the function g"])
def test_what_is_not_there_is_no_reason_to_rewrite_more_than_the_model_was_taught(instruction):
    with pytest.raises(ScopeTooLarge, match=r"names nothing in it: .*about 78 lines"):
        scope_of(module(100), instruction, max_context=20_000, longest=512)


@pytest.mark.parametrize(
    ("instruction", "functions", "told"),
    [
        ("make `f7` faster", 5, {"longest": 2000}),  # it was taught such lengths
        ("remove all comments", 5, {"longest": 2000}),
        ("make `f7` faster", 5, {"seconds": slowly}),  # little to be gained
        ("make `f7` faster", 100, {}),  # nobody knows how long it takes
        ("make `f7` faster", 100, {"seconds": lambda prompt, answer: (prompt + answer) / 1e5}),
        ("remove all comments", 100, {"seconds": slowly}),
        ("rename x to y", 100, {"seconds": slowly}),  # it stands nearly everywhere
    ],
)
def test_all_is_rewritten_where_that_is_quick_or_what_was_asked(instruction, functions, told):
    lines = module(functions)
    last = len(lines) - 2
    scope = check(lines, instruction, f"1-{last}", max_context=20_000, **told)
    assert scope.notice == ""


def test_around_a_selection_no_more_is_shown_than_is_worth_reading():
    lines = module(200)
    selected = {"max_context": 40_000, "start_line": 600, "end_line": 606}
    assert check(lines, "x", "601-606", **selected).shown == ((0, len(lines) - 2),)
    scope = check(lines, "x", "601-606", seconds=slowly, **selected)
    (start, end) = scope.shown[0]
    assert start <= 600
    assert end >= 606
    assert end - start <= 2 * BLOCK
    assert scope.notice.endswith("in all (--way whole).")
    assert not scope.in_parts
