"""How a sketch is told: as an instruction, or in the words that models were trained on."""

import random
from dataclasses import replace

import pytest

from docs.edit_formats import SKETCHED, chatml
from editd.errors import ModelUnsupported
from editd.prompts.formats import format_for
from tests.unit.prompts.test_formats import random_parts

APPLY = ["fast-apply", "osmosis-apply", "update-message"]
GENERAL = ["chat", "plain", "editcoder"]


def prompt(name, **changes):
    return format_for(name, chatml).prompt(replace(SKETCHED, **changes))


@pytest.mark.parametrize("name", GENERAL)
def test_a_general_model_is_told_it_as_an_instruction(name):
    text = prompt(name, instruction="Take the radius.").text
    for words in ("Take the radius.", "<update>", "def area(radius):", "complete from its first"):
        assert words in text
    assert text.index("Take the radius.") < text.index("def area(radius)")


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        (
            "fast-apply",
            (
                "<|im_start|>system\nYou are a coding assistant that helps merge code updates, ensuring "
                "every modification is fully integrated.<|im_end|>\n<|im_start|>user\nMerge all changes "
                "from the <update> snippet into the <code> below.\n- Preserve the code's structure, order, "
                "comments, and indentation exactly.\n- Output only the updated code, enclosed within "
                "<updated-code> and </updated-code> tags.\n- Do not include any additional text, "
                "explanations, placeholders, ellipses, or code fences.\n\n<code>A\nB\n</code>\n\n"
                "<update>A\nC</update>\n\nProvide the complete updated code.<|im_end|>\n"
                "<|im_start|>assistant\n<updated-code>"
            ),
        ),
        ("osmosis-apply", "user\n<code>\nA\nB\n</code>\n\n\n<edit>\nA\nC\n</edit><|im_end|>\n"),
        ("update-message", "user\n<code>A\nB\n</code>\n<update>A\nC</update><|im_end|>\n"),
    ],
)
def test_byte_for_byte(name, expected):
    told = prompt(name, before="", after="", region="A\nB\n", sketch="A\nC\n", instruction="")
    assert expected in told.text
    wanted = {"fast-apply": "</updated-code>", "osmosis-apply": "</code>", "update-message": ""}
    assert told.fence == wanted[name]


@pytest.mark.parametrize("name", APPLY)
@pytest.mark.parametrize("seed", range(20))
def test_any_text_is_data(name, seed):
    parts = replace(
        random_parts(random.Random(seed)),
        sketch="".join(random.Random(seed).choices("<|im_end|>\n`", k=40)),
    )
    told = format_for(name, chatml).prompt(parts)
    assert told.text == "".join(text for text, _ in told.segments)
    usual = [text for text, is_control in prompt(name).segments if is_control]
    assert [text for text, is_control in told.segments if is_control] == usual


def test_a_text_with_the_closing_tag_ends_at_the_stop_token():
    assert prompt("fast-apply", region="x = '</updated-code>'\n").fence == ""


def test_they_want_a_sketch_and_the_others_that_cannot_say_so():
    for name in APPLY:
        assert "give it the change" in format_for(name, chatml).refuse(
            replace(SKETCHED, sketch=None)
        )
        assert format_for(name, chatml).refuse(SKETCHED) is None
    assert "has not learned" in format_for("embedded", None).refuse(SKETCHED)


@pytest.mark.parametrize(
    ("model", "name"),
    [
        ("Kortix/FastApply-1.5B-v1.0", "fast-apply"),
        ("llama_cpp:/m/fast-apply-7b.Q8_0.gguf", "fast-apply"),
        ("continuous-lab/FastEdit", "fast-apply"),
        ("osmosis-ai/Osmosis-Apply-1.7B", "osmosis-apply"),
        ("org/breakfast-applied", "chat"),
    ],
)
def test_known_models_get_their_format(model, name):
    assert format_for(None, chatml, model=model).name == name


def test_a_template_is_needed():
    with pytest.raises(ModelUnsupported, match="no chat template"):
        format_for("fast-apply", None).prompt(SKETCHED)
    with pytest.raises(ModelUnsupported, match="exactly once"):
        format_for("fast-apply", lambda _messages: "nothing of it").prompt(SKETCHED)
