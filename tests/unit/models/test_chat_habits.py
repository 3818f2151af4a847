"""Chat templates with the habits that are found in the wild, and what becomes of a prompt there."""

import subprocess
import sys

import jinja2
import pytest

from editd.errors import ModelUnsupported
from editd.models.text.chat_template import chat_renderer

MESSAGES = [{"role": "system", "content": "Rules."}, {"role": "user", "content": " Words.\n"}]

PLAIN = (
    "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
NO_SYSTEM = (
    "{{ bos_token }}{% for m in messages %}{% if m.role == 'system' %}"
    "{{ raise_exception('System role not supported') }}{% endif %}"
    "<start_of_turn>{{ m.role }}\n{{ m.content | trim }}<end_of_turn>\n{% endfor %}"
    "<start_of_turn>model{{ '\\n' }}"
)
DROPS_SYSTEM = (
    "{% for m in messages %}{% if m.role == 'user' %}[INST] {{ m.content }} [/INST]{% endif %}"
    "{% endfor %}"
)
CAN_THINK = PLAIN + "{% if enable_thinking is false %}<think>\n\n</think>\n\n{% endif %}"
MUST_THINK = PLAIN + "<think>\n"
CHANNELS = "{% for m in messages %}{{ m.content }}{% endfor %}<|start|>assistant"
DATED = "{{ date_string }}\n" + PLAIN


def template_of(source):
    """``source``, rendered in the way of transformers."""
    environment = jinja2.Environment(trim_blocks=True, lstrip_blocks=True)

    def raise_exception(message):
        raise jinja2.exceptions.TemplateError(message)

    environment.globals["raise_exception"] = raise_exception
    return lambda messages, settings: environment.from_string(source).render(
        messages=messages, add_generation_prompt=True, bos_token="<bos>", **settings
    )


def check(template, expected):
    assert chat_renderer(template_of(template))(MESSAGES) == expected


@pytest.mark.parametrize(
    ("template", "expected"),
    [
        (
            PLAIN,
            "<|im_start|>system\nRules.<|im_end|>\n<|im_start|>user\n Words.\n<|im_end|>\n<|im_start|>assistant\n",
        ),
        (
            NO_SYSTEM,
            "<bos><start_of_turn>user\nRules.\n\n Words.<end_of_turn>\n<start_of_turn>model\n",
        ),
        (DROPS_SYSTEM, "[INST] Rules.\n\n Words.\n [/INST]"),
        (CHANNELS, "Rules. Words.\n<|start|>assistant<|channel|>final<|message|>"),
    ],
)
def test_templates_render(template, expected):
    check(template, expected)


@pytest.mark.parametrize("template", [CAN_THINK, MUST_THINK])
def test_thinking_is_off_or_over_at_once(template):
    text = chat_renderer(template_of(template))(MESSAGES)
    assert text.endswith("<|im_start|>assistant\n<think>\n\n</think>\n\n")


TURNS = (
    "{{% for m in messages %}}<|{{{{ m.role }}}}|>\n"
    "{{% if m.role == 'assistant' %}}{0}{{{{ '{1}' }}}}{{% endif %}}{{{{ m.content | trim }}}}"
    "{{% endfor %}}{{% if add_generation_prompt %}}<|assistant|>\n{0}{{% endif %}}"
)  # blanks behind the empty thought, but not where the model shall go on


@pytest.mark.parametrize(
    ("source", "end"),
    [
        (TURNS.format("<think></think>", "\n"), "\n<think></think>\n"),
        (TURNS.format("[THINK][/THINK]", "\n"), "\n[THINK][/THINK]\n"),
        (TURNS.format("<seed:think></seed:think>", "\n\n"), "</seed:think>\n\n"),
        (TURNS.format("<think></think>", ""), "\n<think></think>"),
        (TURNS.format("", "\n"), "<|assistant|>\n"),
        (TURNS.format("<think></think>", "\n") + " ", "\n<think></think> "),
        (PLAIN + "</think>", "<|im_start|>assistant\n</think>"),
    ],
)
def test_an_empty_thought_ends_as_in_the_templates_own_turns(source, end):
    """GLM-4.5 leaves the line end out in the prompt alone."""
    assert chat_renderer(template_of(source))(MESSAGES).endswith(end)


def test_the_date_is_always_the_same():
    assert chat_renderer(template_of(DATED))(MESSAGES).startswith("26 Jul 2024\n")


@pytest.mark.parametrize(
    "template",
    ["", "{{ raise_exception('tools only') }}", "{{ messages[7].content }}", "nothing"],
)
def test_without_a_usable_template_there_is_no_renderer(template):
    assert chat_renderer(template_of(template)) is None


ENDLESS = "{% for a in range(90000) %}{% for b in range(90000) %}{% endfor %}{% endfor %}"
TWICE = "{% macro m(n) %}{% if n %}{{ m(n - 1) }}{{ m(n - 1) }}{% endif %}{% endmacro %}{{ m(60) }}"


@pytest.mark.parametrize("endless", [ENDLESS, TWICE])
def test_a_template_that_never_ends_is_no_use(endless):
    assert chat_renderer(template_of(CAN_THINK + endless)) is None


def test_a_template_that_never_ends_for_some_messages_is_one_sentence():
    when = "{% if messages[0].content == 'now' %}" + ENDLESS + "{% endif %}"
    render = chat_renderer(template_of(CAN_THINK + when))
    with pytest.raises(ModelUnsupported, match="does not come to an end"):
        render([{"role": "user", "content": "now"}])
    assert render(MESSAGES)


def test_a_long_conversation_is_no_endless_one():
    render = chat_renderer(template_of(CAN_THINK))
    assert render(MESSAGES * 3000).count("Words.") == 3000


def test_system_messages_anywhere_are_folded():
    render = chat_renderer(template_of(DROPS_SYSTEM))
    assert render([{"role": "system", "content": "a"}]) == "[INST] a [/INST]"
    messages = [{"role": "system", "content": "a"}, {"role": "system", "content": "b"}, *MESSAGES]
    assert render(messages) == "[INST] a\n\nb\n\nRules.\n\n Words.\n [/INST]"


def test_prompts_load_neither_torch_nor_transformers():
    code = (
        "import sys, editd.prompts.formats, editd.models.text.chat_template, editd.prompts.scope\n"
        "print([name for name in ('torch', 'transformers', 'pygls') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout == "[]\n", done.stderr
