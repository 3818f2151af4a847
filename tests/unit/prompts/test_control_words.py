"""The table of what model families write around their answers, and what is made of it."""

import pytest

from editd.prompts import control_words
from editd.prompts.control_words import (
    closing_of,
    is_named,
    is_ordinary,
    may_go_on,
    thinks,
    word_patterns,
)

PAIRS = [*control_words._all_thought_pairs(), *control_words._ANSWERS]


def test_every_row_says_which_families_write_it():
    assert all(pair.families for pair in PAIRS)
    assert all({**control_words._BEGINNINGS, **control_words._ENDS}.values())


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: pair.opening)
def test_a_row_is_found_in_any_case(pair):
    stripped = pair.opening[0].isalpha()
    for opening in {pair.opening, pair.opening if stripped else pair.opening.upper()}:
        text = opening.replace("…", "") + "We"
        found = word_patterns().thought.match(text) or word_patterns().beginning.match(text)
        assert found
        if pair.closing:
            assert closing_of(found[0]).search(
                pair.closing.replace("…", " <|constrain|>json").upper()
            )


def test_an_end_of_turn_closes_what_has_no_closing():
    assert closing_of("<|start|>assistant") is None


@pytest.mark.parametrize(
    ("text", "goes_on"),
    [
        ("<thi", True),
        ("<", True),
        ("<|any_w", True),
        ("[THI", True),
        ("analysis", True),
        ("<|channel|>final <|constrain|>js", True),
        ("<|channel|>final<|message|>", False),
        ("<think>", False),
        ("< b", False),
        ("<div", False),
        ("[1", False),
        ("analysis =", False),
    ],
)
def test_a_beginning_is_told_from_text(text, goes_on):
    assert may_go_on(text) is goes_on


@pytest.mark.parametrize(
    ("model", "is_thinker"),
    [
        ("Qwen3-8B", True),
        ("qwen/qwen3-coder-30b", False),
        ("Qwen3-30B-A3B-Instruct-2507", False),
        ("Qwen3-30B-A3B-Thinking-2507", True),
        ("qwen2.5-coder:7b", False),
        ("gpt-oss:20b", True),
        ("DeepSeek-R1-Distill-Qwen-7B", True),
        ("deepseek-v3.1", True),
        ("Magistral-Small-2509", True),
        ("Seed-OSS-36B-Instruct", True),
        ("EXAONE-4.0-32B", True),
        ("GLM-4.6", True),
        ("Kimi-K2-Thinking", True),
        ("gemma4:12b", True),
        ("gemma-3-4b-it", False),
        ("granite-3.3-8b", True),
        ("Phi-4-reasoning-plus", True),
        ("gpt-4o", False),
        ("Llama-3.1-8B-Instruct", False),
        ("embedded", False),
    ],
)
def test_thinking_families_are_known_by_name(model, is_thinker):
    assert thinks(model) is is_thinker


@pytest.mark.parametrize(
    ("word", "text", "named"),
    [
        ("<|im_end|>", "Append <|IM_END|> to each turn.", True),
        ("<|im_end|>", "append im_end", True),
        ("</think>", "I think we should rename it", False),
        ("</think>", "split at </think>", True),
    ],
)
def test_a_word_is_named_by_itself_or_by_an_unusual_name(word, text, named):
    assert is_named(word, text.lower()) is named


@pytest.mark.parametrize(
    ("word", "ordinary"),
    [("<s>", True), ("</answer>", True), ("</think>", False), ("<|s|>", False)],
)
def test_some_words_are_elements_of_markup_too(word, ordinary):
    assert is_ordinary(word) is ordinary
