"""What is said of a model is what was measured, and what the page says."""

import re
from pathlib import Path

import pytest

from editd.how_well import MEASURED, how_well

PAGE = Path(__file__).parents[2] / "docs" / "explanation" / "answers.md"


@pytest.mark.parametrize(
    ("name", "word"),
    [
        ("Qwen/Qwen2.5-Coder-0.5B-Instruct", "replaces words, little more"),
        ("~/models/qwen2.5-coder-0.5b-instruct-q4_k_m.gguf", "replaces words, little more"),
        ("smollm2-135m-instruct.Q4_1.gguf", "no editor"),
        ("Qwen/Qwen2.5-Coder-7B-Instruct", ""),
        ("Qwen/Qwen2.5-Coder-0.5B", ""),  # the base model is another
        ("demo", ""),
    ],
)
def test_in_a_word(name, word):
    assert how_well(name) == word


@pytest.mark.parametrize("measured", MEASURED, ids=lambda one: one.name)
def test_the_figures_are_those_of_the_page(measured):
    text = " ".join(PAGE.read_text(encoding="utf-8").split())
    said = re.search(rf"{re.escape(measured.name)}.{{0,1500}}?\b{measured.edits}\b", text)
    assert said
    row = rf"\| all \| {measured.edits} \| {measured.exact} \|"
    sentence = rf"on the {measured.edits} [\w ]+: {measured.exact} exact"
    assert re.search(row, text) or re.search(sentence, text)
