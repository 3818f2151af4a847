"""What models of many families write around and instead of a text, through the whole engine, in files of many kinds.

The answer comes in small pieces and through a model that writes itself, as a server's does (``tests.written_answer``).
"""

import json

import pytest

from editd.diff.hunk import Hunk
from tests.written_answer import edited

KINDS = {
    "a.py": "a = 1\nb = 2\n",
    "a.md": "# Notes\n\na is 1\nb is 2\n",
    "b.md": "# Notes\n\n```bash\nmake 1\n```\n\nb is 2\n",
    "a.yaml": "a: 1\nb: 2\n",
    "a.css": ".a { order: 1; }\n.b { order: 2; }\n",
    "a.sh": "A=1\nB=2\n",
    "a.html": "<ul>\n  <li>a 1</li>\n  <li>b 2</li>\n</ul>\n",
    "a.sql": "UPDATE t SET a = 1;\nUPDATE t SET b = 2;\n",
    "a.ini": "[main]\na = 1\nb = 2\n",
    "Dockerfile": "FROM x\nENV A=1\nENV B=2\n",
    "a.vue": "<template>\n  <p>a 1</p>\n  <p>b 2</p>\n</template>\n",
    "a.tsx": "export const a = <b>1</b>;\nexport const b = <b>2</b>;\n",
    "a.toml": "[t]\na = 1\nb = 2\n",
    "a.rst": "Notes\n=====\n\na is 1\nb is 2\n",
    "a.txt": "a is 1\nb is 2\n",
    "a.rs": "fn main() {\n    let a = 1;\n    let b = 2;\n}\n",
    "a.json": '{\n  "a": 1,\n  "b": 2\n}\n',
}
T = "Okay, the user wants a to be 3. Line one is `a = 1`. Let me write it.\nWait, check b. Fine.\n"
Q = "I could write\n"


def fenced(text, info="text"):
    run = "````" if "```" in text else "```"
    return f"{run}{info}\n{text}{run}"


# By name, the answer: {F} the new text in a fence, {N} the new text, {O} the old one in a fence, {D} a draft in one.
RIGHT = {
    "plain": "{F}",
    "Qwen": "<think>\n{T}</think>\n\n{F}<|im_end|>",
    "Qwen, opening in the template": "{T}</think>\n\n{F}",
    "with the file and a draft": "{T}{O}\n" + Q + "{D}\nNo.\n</think>\n\n{F}",
    "gpt-oss": "<|channel|>analysis<|message|>{T}<|end|><|start|>assistant<|channel|>final<|message|>{F}<|return|>",
    "gpt-oss, final alone": "<|channel|>final<|message|>{F}<|return|>",
    "gpt-oss, half": "{T}<|end|><|start|>assistant<|channel|>final<|message|>{F}",
    "gpt-oss, stripped": "analysis{T}assistantfinal{F}",
    "gpt-oss, stripped, half": "{T}assistantfinal{F}",
    "Magistral": "[THINK]{T}[/THINK]{F}</s>",
    "Seed": "<seed:think>{T}</seed:think>{F}<seed:eos>",
    "EXAONE": "<thought>\n{T}</thought>\n\n{F}[|endofturn|]",
    "Gemma 4": "<|channel>thought\n{T}<channel|>{F}<turn|>",
    "Gemma 3": "{F}<end_of_turn>\n",
    "Kimi": "◁think▷{T}◁/think▷{F}",
    "Cohere": "<|START_THINKING|>{T}<|END_THINKING|><|START_RESPONSE|>{F}<|END_RESPONSE|>",
    "Granite 3.2": "Here is my thought process:\n{T}\nHere is my response:\n{F}",
    "ERNIE": "<think>\n{T}</think>\n\n<response>\n{F}\n</response>",
    "Hunyuan": "<think>\n{T}</think>\n<answer>\n{N}</answer>",
    "GLM": "\n<think>{T}</think>\n<|begin_of_box|>{F}<|end_of_box|>",
    "Phi": "<think>{T}</think>{F}<|end|>",
    "Nemotron": "<think>\n\n</think>\n\n{F}<SPECIAL_12>",
    "Llama": "{F}<|eot_id|><|start_header_id|>assistant<|end_header_id|>\n\nMore",
    "DeepSeek": "<think>\n{T}</think>\n{F}<｜end▁of▁sentence｜>",
    "OpenThinker": "<|begin_of_thought|>{T}<|end_of_thought|>\n<|begin_of_solution|>\n{F}\n<|end_of_solution|>",
    "MiniMax": "]~b]ai\n<think>\n{T}</think>\n\n{F}[e~[",
    "a family of tomorrow": "<|tomorrow|>{F}<|end_of_tomorrow|>",
    "a thought after talk": "Sure!\n<think>\n{T}</think>\n{F}",
    "headings": "**Thinking**\n\n{T}\n**Answer**\n\n{F}",
    "a blank first": " {F}",
    "a byte order mark first": "\ufeff{F}",
    "two blocks": "Original:\n{O}\nUpdated:\n{F}",
    "two blocks, then use": "{O}\n\n{F}\n\nUsage:\n```bash\nrun it\n```\n",
    "another language": "好的，以下是修改后的文件：\n\n{F}\n\n已完成。",
    "a file's name": "**a.x**\n\n{F}",
    "talk behind the fence": "{F} That is all.\n",
    "no fence": "{N}",
    "no fence, end of turn": "{N}<|im_end|>\n<|im_start|>user\nThanks",
    "a tag": "<updated_code>\n{N}</updated_code>",
    "a tag around a fence": "<code>\n{F}\n</code>",
    "a diff": "```diff\n{P}```",
    "a diff in no fence": "--- a/{K}\n+++ b/{K}\n@@ -1,9 +1,9 @@\n{P}",
}
REFUSED = {
    "a thought without an end": ("<think>\n{T}{D}", "end of its thought"),
    "analysis alone": ("<|channel|>analysis<|message|>{T}{D}", "end of its thought"),
    "stripped analysis alone": ("analysis{T}{D}", "end of its thought"),
    "a thought alone": ("<think>{T}</think>", "is empty"),
    "the end of a turn alone": ("<|im_end|>", "is empty"),
    "words": ("I'm sorry, I can't do that.", "declined"),
}


def answered(form, kind):
    old = KINDS[kind]
    new, draft = old.replace("1", "3", 1), old.replace("1", "4", 1)
    pairs = zip(old.splitlines(), new.splitlines(), strict=True)
    patch = "".join(f" {was}\n" if was == now else f"-{was}\n+{now}\n" for was, now in pairs)
    words = {
        "T": T,
        "F": fenced(new),
        "N": new,
        "O": fenced(old),
        "D": fenced(draft),
        "P": patch,
        "K": kind,
    }
    for name, text in words.items():
        form = form.replace(f"{{{name}}}", text)
    pieces = [form[at : at + 5] for at in range(0, len(form), 5)]
    result, deltas = edited(old, pieces, path=kind)
    return result, deltas, old, new


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", RIGHT)
def test_what_is_written_is_the_text(name, kind):
    result, _, _, new = answered(RIGHT[name], kind)
    assert (result.text, result.suspects) == (new, ()), result.error


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", REFUSED)
def test_what_is_no_text_is_refused_in_a_sentence(name, kind):
    form, words = REFUSED[name]
    result, _, _, _ = answered(form, kind)
    assert result.text is None
    assert words in result.error.message


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "a.json"])
def test_json_is_read_or_refused(kind):
    new = KINDS[kind].replace("1", "3", 1)
    for answer in (
        json.dumps({"code": new}),
        f"```json\n{json.dumps({'content': new}, indent=1)}\n```",
    ):
        assert answered(answer, kind)[0].text == new
    assert answered('{"edits": []}', kind)[0].text is None


def test_a_quotation_alone_changes_nothing():
    result, _, old, _ = answered("The file:\n{O}\nIt is fine.", "a.py")
    assert result.text == old
    assert result.notices


@pytest.mark.parametrize("kind", KINDS)
def test_a_thought_in_the_middle_makes_all_of_it_suspect(kind):
    old = KINDS[kind]
    new = old.replace("1", "3", 1).replace("b", "c")
    result, _ = edited(old, [*fenced(new[:-3] + "\n</think>\n" + new[-3:])], path=kind)
    assert all(hunk.suspect for hunk in result.hunks)
    assert any("thought on in the middle" in doubt for doubt in result.suspects)


def hunk_count(deltas):
    return sum(isinstance(op, Hunk) for delta in deltas for op in delta.ops)


def test_plain_answers_are_shown_as_they_grow():
    lines = [f"a{i} = {i}\n" for i in range(50)]
    new = "".join(line.replace("= 1", "= x1") for line in lines)
    for answer in (
        fenced(new),
        f"Here is the updated code:\n\n{fenced(new)}",
        f"<think>\n{T}</think>\n{fenced(new)}",
    ):
        _, deltas = edited("".join(lines), answer.splitlines(keepends=True), path="a.py")
        assert sum(bool(hunk_count([delta])) for delta in deltas) > 5


@pytest.mark.parametrize(
    ("model", "before"),
    [("qwen3-8b", "Here is the updated code:\n"), ("a model", "I will set it to 3.\n")],
)
def test_nothing_is_shown_while_it_may_be_a_thought(model, before):
    answer = before + fenced("a = 4\nb = 2\n") + "\nWait, no.\n"
    _, deltas = edited(
        "a = 1\nb = 2\n", [answer, "</think>\n", fenced("a = 3\nb = 2\n")], model=model
    )
    assert [op.new_lines for delta in deltas for op in delta.ops if isinstance(op, Hunk)][-1:] == [
        ("a = 3\n",)
    ]
    assert ("a = 4\n",) not in [
        op.new_lines for delta in deltas for op in delta.ops if isinstance(op, Hunk)
    ]


@pytest.mark.parametrize(
    ("answer", "is_whole"),
    [
        (fenced("a = 3\nb = 2\n"), True),
        ("```python\na = 3\nb = 2\n", False),
        ("a = 3\nb = 2\n", False),
        (f"{T}{fenced('a = 4' + chr(10))}", False),
        (f"<think>{T}", False),
    ],
)
def test_a_limit_does_not_matter_behind_the_closing_fence(answer, is_whole):
    result, _ = edited("a = 1\nb = 2\n", [answer], end="length")
    assert result.finish_reason == ("stop" if is_whole else "length")
