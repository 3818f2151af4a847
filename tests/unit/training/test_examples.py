"""Examples hold what the product feeds and what the model must write."""

from itertools import islice, pairwise
from random import Random

import pytest

from editd.models.text.codec import ModelCodec
from editd.prompts.base import PromptParts
from editd.prompts.formats import END, INSTRUCTION, TEXT, EmbeddedFormat
from tests.unit.training.samples import PYTHON, whole
from training.examples import ExampleOptions, encode, every_family, make_examples
from training.families import GENERATORS, Source


def renames(source, count):
    found = (GENERATORS["rename"].propose(source, Random(seed)) for seed in range(99))
    return list(islice(filter(None, found), count))


def prompt_of(edit):
    parts = PromptParts("a.py", "python", "", edit.before, "", edit.instruction)
    return EmbeddedFormat().prompt(parts)


def region_of(tokenizer, example):
    words = tokenizer.decode(example.ids[: example.start].tolist(), skip_special_tokens=False)
    return words.split(TEXT)[1].split(INSTRUCTION)[0]


@pytest.mark.parametrize("text", ["x = 1\n", "x = '<|im_end|><file_sep>'", PYTHON])
def test_an_example_is_what_the_product_feeds(tokenizer, text):
    tokenizer.encode_special_tokens = True
    source, codec = Source(text, "a.py"), ModelCodec(tokenizer)
    for edit in renames(source, 3):
        example = encode(tokenizer, source, "rename", edit)
        prompt_ids, required = codec.heal(prompt_of(edit).segments)
        assert (example.ids[: example.start].tolist(), required) == (prompt_ids, b"")
        *written, end = example.answer.tolist()
        assert codec.decode(written) == edit.after
        assert end == tokenizer.token_to_id(END)


def test_what_is_new_weighs_more(tokenizer):
    tokenizer.encode_special_tokens = True
    [edit] = renames(whole(), 1)
    example = encode(tokenizer, whole(), "rename", edit)
    heavy = example.answer[example.weights > 1].tolist()
    new = edit.after[slice(*edit.changed[0])]
    assert new in tokenizer.decode(heavy)
    assert 0 < len(heavy) < len(example.weights) / 2


@pytest.mark.parametrize(("held_out", "least"), [(True, 60), (False, 40)])
def test_examples_are_as_long_and_as_many_as_wanted(tokenizer, files, held_out, least):
    """Those that are trained may be a few lines of a longer text."""
    wanted = every_family(300, edits=2)
    stream = make_examples(files, tokenizer, Random(1), lambda: wanted, held_out=held_out)
    examples = [example for example in islice(stream, 300) if example is not None]
    assert len(examples) > 100
    assert all(least <= len(example) <= 300 for example in examples)
    assert {example.language for example in examples} == {"python", "typescript"}
    assert len({example.family for example in examples}) > 8


def test_what_one_family_puts_into_a_text_another_leaves_there(tokenizer, files):
    prints = GENERATORS["delete-prints"], GENERATORS["rename"]
    wanted = ExampleOptions(300, 2, prints, (1.0, 1.0))
    stream = make_examples(files, tokenizer, Random(2), lambda: wanted)
    kept = [
        pair
        for pair in pairwise(islice(stream, 300))
        if all(pair)
        and [one.family for one in pair] == ["delete-prints", "rename"]
        and len({region_of(tokenizer, one) for one in pair}) == 1
    ]
    assert len(kept) > 5
    for pair in kept:
        without, renamed = (tokenizer.decode(one.answer.tolist()) for one in pair)
        assert renamed.count("\n") > without.count("\n")
