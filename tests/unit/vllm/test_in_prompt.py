"""Where a request says no prediction: the text that its prompt shows."""

import pytest

from editd.messages import ContextItem
from editd.models.text.codec import ModelCodec
from editd.prompts.base import PromptParts
from editd.prompts.formats import ChatFormat, EditCoderFormat, EmbeddedFormat, PlainFormat
from editd_vllm.in_prompt import find
from tests import tiny

WORDS = ["<|im_start|>", "<|im_end|>", "<file_sep>"]
CODE = "def f(r):\n    return 3 * r\n"


@pytest.fixture(scope="module")
def codec():
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_str(tiny.byte_level_tokenizer().to_str())
    tokenizer.add_special_tokens(WORDS)
    return ModelCodec(tokenizer)


def parts(before="", after="", **more):
    return PromptParts("a.py", "python", before, CODE, after, "Rename f to g.", **more)


def render_chat(messages):
    turns = [f"<|im_start|>{m['role']}\n{m['content']}<|im_end|>\n" for m in messages]
    return "".join([*turns, "<|im_start|>assistant\n"])


@pytest.mark.parametrize(
    ("made", "asked", "expected"),
    [
        (EmbeddedFormat(), parts(), (CODE, "", "")),
        (EditCoderFormat(), parts(), (CODE, "## Code After:\n", "")),
        (PlainFormat(), parts(), (CODE, "```python\n", "```")),
        (PlainFormat(), parts("import math\n" * 9, "f(2)\n"), (CODE, "```python\n", "```")),
        (PlainFormat(), parts(based_on="def g(r): 1\n"), ("def g(r): 1\n", "```python\n", "```")),
        ("chat", parts(), (CODE, "```python\n", "```")),
        ("chat", parts("import math\n" * 9, "f(2)\n"), (CODE, "```python\n", "```")),
        (
            "chat",
            parts(context=(ContextItem("diagnostic", "f: bad", "a.py"),)),
            (CODE, "```python\n", "```"),
        ),
        ("chat", parts(based_on="def g(r): 1\n"), ("def g(r): 1\n", "```python\n", "```")),
    ],
)
def test_editds_own_formats(codec, made, asked, expected):
    if made == "chat":
        made = ChatFormat(render_chat)
    prompt = made.prompt(asked)
    found = find(codec, codec.prompt_ids(prompt.segments))
    got = found.prediction, found.prediction_opening, found.prediction_closing
    assert got == expected


@pytest.mark.parametrize(
    ("prompt", "expected"),
    [
        (f"<code>{CODE}</code>\n<update>g</update>", CODE.strip("\n")),
        (f"<original_code>\n{CODE}</original_code> <edit>g</edit>", CODE.strip("\n")),
        (f"<instruction>Do</instruction><code>{CODE}</code><update>g</update>", CODE.strip("\n")),
        ("<code>never closed <update>g</update>", None),
        ("</code><code><update>g</update>", None),
        (f"Please:\n```py\n{CODE}```\nDo it.", f"```py\n{CODE}```"),
        (f"A:\n~~~\nx\n~~~\nB:\n~~~\n{CODE}~~~\n", f"~~~\n{CODE}~~~"),
        (f"````md\n```\n{CODE}```\n````\n", f"````md\n```\n{CODE}```\n````"),
        ("```py\nnever closed", None),
        ("What is the time?", None),
        ("", None),
    ],
)
def test_what_others_send(codec, prompt, expected):
    found = find(codec, codec.prompt_ids(prompt))
    assert (found and found.prediction) == expected


def test_the_last_turn_with_a_block_counts(codec):
    turns = [
        {"role": "user", "content": f"```\n{CODE * 3}```"},
        {"role": "assistant", "content": f"```\n{CODE}```"},
        {"role": "user", "content": "Again, shorter."},
    ]
    found = find(codec, codec.prompt_ids(render_chat(turns)))
    assert found.prediction == f"```\n{CODE}```"


def test_words_of_control_tokens_in_a_buffer_are_text(codec):
    text = f"x = '{EmbeddedFormat().prompt(parts()).text}'\n"
    asked = PromptParts("a.py", "python", "", text, "", "Do it.")
    found = find(codec, codec.prompt_ids(EmbeddedFormat().prompt(asked).segments))
    assert found.prediction == text


@pytest.mark.parametrize(
    "line", ["```a\n", "<code>", "</code><update>", "## Code Before:\n", "~~~\n"]
)
def test_it_takes_no_longer_than_its_prompt_is_long(codec, line):
    """What could be searched again and again: twenty thousand lines stay below a second."""
    import time

    ids = codec.encode(line) * 20_000
    start = time.process_time()
    find(codec, ids)
    assert time.process_time() - start < 1.0
