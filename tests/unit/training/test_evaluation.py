"""What counts as right, and what the card says of it."""

import json

import torch

from editd.embedded.families import FAMILIES
from tests.unit.training.samples import whole
from tests.unit.training.test_examples import renames
from training.card import learned, overall, write_card
from training.evaluate import OTHERS, evaluate, held_out_examples, is_exact
from training.examples import encode
from training.families import GENERATORS


def sayer(mistake=None):
    """Says the right answer, but for one token."""

    def logits(example):
        said = torch.nn.functional.one_hot(example.answer, 512).float()
        if mistake is not None:
            said[mistake] = said[mistake].roll(1)
        return said

    return logits


def test_an_answer_is_right_to_the_last_token_or_wrong(tokenizer):
    tokenizer.encode_special_tokens = True
    example = encode(tokenizer, whole(), "rename", *renames(whole(), 1))
    assert is_exact(sayer(), example, tokenizer)
    assert not is_exact(sayer(mistake=0), example, tokenizer)
    assert not is_exact(sayer(mistake=-1), example, tokenizer)


def test_the_text_counts_not_how_it_is_cut_into_tokens(tokenizer):
    tokenizer.encode_special_tokens = True
    example = encode(tokenizer, whole(), "rename", *renames(whole(), 1))
    ids = example.answer.tolist()
    [(cut, pieces)] = [
        (n, pieces)
        for n, token in enumerate(ids[:-1])
        if len(pieces := letters(tokenizer, token)) > 1
    ][:1]
    otherwise = [*ids[:cut], *pieces, *ids[cut + 1 :]]

    def logits(example):
        """Of ``otherwise`` wherever it was followed so far, the given token elsewhere."""
        given = example.answer.tolist()
        said = [
            otherwise[n] if given[:n] == otherwise[:n] and n < len(otherwise) else token
            for n, token in enumerate(given)
        ]
        return torch.nn.functional.one_hot(torch.tensor(said), 512).float()

    assert is_exact(logits, example, tokenizer)
    otherwise[cut + 1 :] = otherwise[cut:]  # a letter twice
    assert not is_exact(logits, example, tokenizer)


def letters(tokenizer, token):
    """The same text in tokens of one character."""
    text = tokenizer.decode([token])
    return [tokenizer.encode(letter, add_special_tokens=False).ids[0] for letter in text]


def test_evaluation_uses_held_out_files_only_and_lengths_as_told(tokenizer, files):
    examples = held_out_examples(files, tokenizer, 400, 20, [GENERATORS["rename"]])
    assert len(examples) == 20
    assert all(200 < len(example) <= 400 for example in examples)
    assert held_out_examples([], tokenizer, 400, 20, [GENERATORS["rename"]]) == []

    shown = []

    def logits(example):
        shown.append(tokenizer.decode(example.ids.tolist()))
        return torch.zeros(len(example.answer), 512)

    figures = evaluate(logits, files, tokenizer, {400: 2}, report=lambda _line: None)
    assert set(figures) == {*FAMILIES, OTHERS}
    assert figures["rename"]["400"] == figures[OTHERS]["400"] == (0, 2)
    # Of four like files of each language the first is held out.
    assert not any(f"shop{n}" in text or f"most{n}" in text for text in shown for n in (1, 2, 3))


def test_the_card_offers_what_holds_and_says_what_does_not(tmp_path):
    figures = {name: {"256": (5, 10), "512": (9, 10)} for name in FAMILIES}
    figures |= {"rename": {"256": (6, 10), "512": (0, 0)}, OTHERS: {"256": (10, 10), "512": (1, 2)}}
    assert learned(figures) == ["rename"]
    assert overall(figures, "256") == (6 + 5 * (len(FAMILIES) - 1), 10 * len(FAMILIES))
    packages = [{"name": "p", "version": "1", "licence": "MIT", "held_out": True}]
    progress = {"step": 1000, "seen": 2000, "examples": 30, "cpu_seconds": 600}
    write_card(tmp_path, figures, progress, packages, "bfloat16")
    assert json.loads((tmp_path / "families.json").read_text()) == {"families": ["rename"]}
    card = (tmp_path / "CARD.md").read_text()
    assert "| rename | 60% (10) | – |" in card
    assert "| all families, Python | 50% (140) | 90% (130) |" in card.replace("51%", "50%")
    assert "1,000 steps, 2,000 tokens in 30 edits, 10 minutes" in card
    assert "p 1 (MIT, held out)" in card
