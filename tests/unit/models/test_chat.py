"""Chat templates render as their models were trained, with thinking off."""

from __future__ import annotations

import json
import random
import subprocess
import sys

import pytest

from editd.models.text.chat_template import load_chat

MESSAGES = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Hi {{x}}"}]
PLAIN = (
    "{{ bos_token }}{% for m in messages %}<|{{ m.role }}|>{{ m.content }}{% endfor %}"
    "{% if add_generation_prompt %}<|assistant|>{% endif %}"
)
NO_SYSTEM = "{% if messages[0].role == 'system' %}{{ raise_exception('no') }}{% endif %}" + PLAIN
RENDERED = "<s><|system|>Be brief.<|user|>Hi {{x}}<|assistant|>"


def rendered(tmp_path, settings, files=None):
    (tmp_path / "tokenizer_config.json").write_text(json.dumps(settings))
    for name, text in (files or {}).items():
        (tmp_path / name).write_text(text)
    render = load_chat(tmp_path)
    return render and render(MESSAGES)


@pytest.mark.parametrize(
    ("settings", "files", "expected"),
    [
        ({"bos_token": "<s>", "chat_template": PLAIN}, {}, RENDERED),
        ({"bos_token": {"content": "<s>"}, "chat_template": PLAIN}, {}, RENDERED),
        ({"bos_token": "<s>"}, {"chat_template.jinja": PLAIN}, RENDERED),
        (
            {"bos_token": "<s>"},
            {"chat_template.json": json.dumps({"chat_template": PLAIN})},
            RENDERED,
        ),
        (
            {
                "bos_token": "<s>",
                "chat_template": [
                    {"name": "tool_use", "template": "no"},
                    {"name": "default", "template": PLAIN},
                ],
            },
            {},
            RENDERED,
        ),
        (
            {"bos_token": "<s>", "chat_template": NO_SYSTEM},
            {},
            "<s><|user|>Be brief.\n\nHi {{x}}<|assistant|>",
        ),
        (
            {"chat_template": PLAIN + "{% if enable_thinking is false %}<none>{% endif %}"},
            {},
            RENDERED.removeprefix("<s>") + "<none>",
        ),
        (
            {"chat_template": PLAIN + "<think>\n"},
            {},
            RENDERED.removeprefix("<s>") + "<think>\n\n</think>\n\n",
        ),
        (
            {"chat_template": PLAIN + "{{ '<think>\n\n</think>\n\n' }}"},
            {},
            RENDERED.removeprefix("<s>") + "<think>\n\n</think>\n\n",
        ),
        ({}, {}, None),
    ],
)
def test_templates(tmp_path, settings, files, expected):
    assert rendered(tmp_path, settings, files) == expected


CLOCKS = {
    "{{ strftime_now('%Y-%m-%d') }}": "2024-07-26",
    "{{- 'Current date: ' + strftime_now(\"%d %B %Y\") + '.' }}": "Current date: 26 July 2024.",
    "{% set day = strftime_now('%d') | int - 1 %}{{ day }}": "25",
    "{{ strftime_now(format='%A, %b %-d, %H:%M') }}": "Friday, Jul 26, 00:00",
    "{% if strftime_now is defined %}{{ strftime_now('%m') }}{% endif %}": "07",
    "{% macro day() %}{{ strftime_now('%j') }}{% endmacro %}{{ day() }}": "208",
    "\n{{ strftime_now('%y') }}": "\n24",
}


@pytest.mark.parametrize("clock", CLOCKS)
def test_a_template_that_looks_at_the_clock_sees_the_same_day(tmp_path, clock):
    assert rendered(tmp_path, {"chat_template": clock + PLAIN}) == CLOCKS[clock] + RENDERED[3:]


def test_a_template_that_draws_gets_the_same_each_time(tmp_path):
    """And draws of other code go on as if it had not."""
    drawing = "{{ range(9 ** 5) | random }} {{ lipsum(n=1, html=False) }}" + PLAIN
    random.seed(7)
    before = random.getstate()
    texts = {rendered(tmp_path, {"chat_template": drawing}) for _ in range(3)}
    assert len(texts) == 1
    assert random.getstate() == before


def test_no_settings_file_is_no_template(tmp_path):
    assert load_chat(tmp_path) is None


def test_a_template_is_rendered_in_silence_where_there_is_no_torch(tmp_path):
    (tmp_path / "tokenizer_config.json").write_text(json.dumps({"chat_template": PLAIN}))
    code = (
        "import sys; sys.modules['torch'] = None\n"
        "from pathlib import Path\n"
        "from editd.models.text.chat_template import load_chat\n"
        f"print(load_chat(Path(sys.argv[1]))({MESSAGES!r}))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path)], check=False, capture_output=True, text=True
    )
    assert (done.stdout.strip(), done.stderr) == (RENDERED.removeprefix("<s>"), "")
