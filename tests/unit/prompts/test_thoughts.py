"""From a model's text to its answer, without a reader of fences: thoughts and control words fall away."""

import random

import pytest

from editd.prompts.thoughts import Mark, Thoughts

T = "Okay, let me think.\nLine one.\n"


def read(pieces, **settings):
    """What is left of the text, and what was said of it; a ``NO_ANSWER`` drops what came before."""
    thoughts, left, marks = Thoughts(**settings), "", []
    for step in [*pieces, None]:
        for item in thoughts.finish() if step is None else thoughts.feed(step):
            if isinstance(item, Mark):
                marks.append(item)
                left = "" if item is Mark.NO_ANSWER else left
                if item is Mark.END:
                    return left, marks, thoughts
            else:
                left += item
    return left, marks, thoughts


def check(answer, expected, position="before", marks=None, **settings):
    rng = random.Random(answer)
    cuts = [answer], list(answer), [answer[:7], answer[7:]]
    at = rng.randrange(len(answer) + 1)
    for pieces in (*cuts, [answer[:at], answer[at:]]):
        left, seen, thoughts = read(pieces, position=lambda: position, **settings)
        assert left == expected
        assert marks is None or seen == marks
        assert not thoughts.thinking


@pytest.mark.parametrize(
    "answer",
    [
        "A",
        f"<think>\n{T}</think>\n\nA",
        f"<think>\n\n</think>\n\n<THINK>{T}</THINK>A",
        f"  \n<thinking>{T}</thinking>A",
        f"[THINK]{T}[/THINK]A",
        f"◁think▷{T}◁/think▷A",
        f"<seed:think>{T}<seed:cot_budget_reflect>x</seed:cot_budget_reflect></seed:think>A",
        f"<|START_THINKING|>{T}<|END_THINKING|><|START_RESPONSE|>A<|END_RESPONSE|>",
        f"<|channel>thought\n{T}<channel|>A<turn|>",
        f"<|channel|>analysis<|message|>{T}<|end|><|start|>assistant<|channel|>final<|message|>A<|return|>",
        f"<|channel|>analysis<|message|>{T}<|end|><|start|>assistant<|channel|>commentary<|message|>I see.<|end|><|start|>assistant<|channel|>final <|constrain|>json<|message|>A",
        f"analysis{T}assistantfinalA",
        f"analysis\n{T}assistantcommentaryI edit.assistantfinalA",
        f"<think>{T}</think>\n<answer>\nA\n</answer>",
        f"Here is my thought process:\n{T}\nHere is my response:\nA",
        f"<|think|>{T}<|end|><|begin|>assistant<|content|>A<|end|>",
        "<|im_start|>assistant\nA<|im_end|>",
        "<|start_header_id|>assistant<|end_header_id|>\n\nA<|eot_id|>",
        "]~b]ai\nA[e~[",
        "<s>A</s>",
        "A<|a_word_of_tomorrow|>",
        "A\n<|im_end|>\n<|im_start|>user\nThanks",
    ],
)
def test_what_stands_around_an_answer_is_no_part_of_it(answer):
    left, marks, _ = read([answer])
    check(answer, left)
    assert left.strip() == "A"
    assert Mark.INSIDE not in marks


@pytest.mark.parametrize(
    "answer",
    [
        f"{T}</think>\n\nA",
        f"{T}[/THINK]A",
        f"{T}<|END_THINKING|>A",
        f"{T}assistantfinalA",
        f"{T}<|end|><|start|>assistant<|channel|>final<|message|>A",
        f"Sure!\n<think>{T}</think>\nA",
        f"{T}more </thought>\nA",
    ],
)
def test_half_a_pair_says_that_all_before_it_was_a_thought(answer):
    check(answer, "A", marks=[Mark.NO_ANSWER])


@pytest.mark.parametrize("answer", ["<think>", f"<think>{T}", f"[THINK]{T}", f"analysis{T}A"])
def test_a_thought_may_never_come_to_its_end(answer):
    left, _, thoughts = read([answer])
    assert left == ""
    assert thoughts.thinking


@pytest.mark.parametrize(
    ("answer", "region", "instruction"),
    [
        ("a.split('</think>')\n", "", ""),
        ("<think>\nx\n", "<think>\ny\n", ""),
        ("<thought>x</thought>\n", "", ""),
        ("{{ x }}<|im_end|>\nmore\n", "{{ y }}<|im_end|>\n", ""),
        ("x<|im_end|>\nmore\n", "", "end each turn with <|im_end|>"),
        ("analysisWidth = 3\n", "", ""),
        ("List<S> x;\n", "", ""),
        ("<s>old</s>\nmore\n", "", ""),
        ("a <|> b <b c\n", "", ""),
    ],
)
def test_text_keeps_its_own_words(answer, region, instruction):
    settings = {"region": region, "instruction": instruction, "in_text": True}
    left, _, _ = read([answer], position=lambda: "inside", **settings)
    assert left == answer


@pytest.mark.parametrize(
    ("answer", "position", "marks"),
    [
        ("a\n</think>\nb", "inside", [Mark.INSIDE]),
        ("a\n<think>\nb", "inside", [Mark.INSIDE]),
        ("a\n</think>\nb", "waiting", [Mark.INSIDE, Mark.NO_ANSWER]),
        ("a = '</think>' + b", "waiting", [Mark.INSIDE]),
    ],
)
def test_a_thought_inside_of_an_answer_is_told(answer, position, marks):
    assert read([answer], position=lambda: position)[1] == marks


def test_an_end_of_turn_ends_an_answer_that_was_begun():
    left, marks, _ = read(["a\n<|im_end|>\nmore"], position=lambda: "inside")
    assert (left, marks) == ("a\n", [Mark.END])


def test_plain_text_is_given_out_at_once():
    thoughts = Thoughts(position=lambda: "inside")
    assert [*thoughts.feed("x = a")] == ["x = a"]
    assert [*thoughts.feed(" < b")] == [" < b"]
    assert [*thoughts.feed(" <")] == [" "]
    assert [*thoughts.feed("p>")] == ["<p>"]
