"""Packs hold what the product feeds and what the model must write."""

from itertools import islice
from random import Random

import pytest

from editd.backends.text.codec import ModelCodec
from editd.prompts.base import PromptParts
from editd.prompts.formats.embedded import END, EmbeddedFormat
from tests.unit.training.samples import PYTHON, whole
from training.examples import Wanted, encode, every_family, make_packs
from training.families import GENERATORS, Source


def renames(source, count):
    found = (GENERATORS["rename"].propose(source, Random(seed)) for seed in range(99))
    return [("rename", edit) for edit in islice(filter(None, found), count)]


def prompt_of(edit):
    parts = PromptParts("a.py", "python", "", edit.before, "", edit.instruction)
    return EmbeddedFormat().prompt(parts)


@pytest.mark.parametrize("text", ["x = 1\n", "x = '<|im_end|><file_sep>'", PYTHON])
def test_every_edit_of_a_pack_is_what_the_product_feeds(tokenizer, text):
    tokenizer.encode_special_tokens = True
    edits = renames(Source(text, "a.py"), 3)
    pack = encode(tokenizer, Source(text, "a.py"), edits)
    codec = ModelCodec(tokenizer)
    assert len(pack.answers) == len(edits) == 3
    for branch, (answer, (_, edit)) in enumerate(zip(pack.answers, edits, strict=True)):
        mine = [index for index, own in enumerate(pack.branches.tolist()) if own == branch]
        fed = pack.ids[mine].tolist()
        length = answer.end - answer.start
        prompt_ids, required = codec.heal(prompt_of(edit).segments)
        assert (fed[:-length], required) == (prompt_ids, b"")
        assert codec.decode(fed[-length:-1]) == edit.after
        assert fed[-1] == tokenizer.token_to_id(END)
        assert pack.positions[mine].tolist() == list(range(len(mine)))


def test_what_is_new_weighs_more(tokenizer):
    tokenizer.encode_special_tokens = True
    [(_, edit)] = edits = renames(whole(), 1)
    [answer] = (pack := encode(tokenizer, whole(), edits)).answers
    heavy = pack.ids[answer.start : answer.end][answer.weights > 1].tolist()
    new = edit.after[slice(*edit.changed[0])]
    assert new in tokenizer.decode(heavy)
    assert 0 < len(heavy) < len(answer.weights) / 2


def test_packs_are_as_long_and_as_many_as_wanted(tokenizer, files):
    stream = make_packs(files, tokenizer, Random(1), lambda: every_family(300, edits=2))
    packs = [pack for pack in islice(stream, 200) if pack is not None]
    assert len(packs) > 50
    assert {len(pack.answers) for pack in packs} == {1, 2}
    assert all(60 <= int(pack.positions.max()) + 1 <= 300 for pack in packs)
    assert {pack.language for pack in packs} == {"python", "typescript"}
    assert len({answer.family for pack in packs for answer in pack.answers}) > 8


def test_what_one_family_puts_into_a_text_another_leaves_there(tokenizer, files):
    prints = GENERATORS["delete-prints"], GENERATORS["rename"]
    wanted = Wanted(300, 2, prints, (1.0, 1.0))
    stream = make_packs(files, tokenizer, Random(2), lambda: wanted)
    pairs = [pack for pack in islice(stream, 300) if pack and len(pack.answers) == 2]
    kept = [
        pack for pack in pairs if [a.family for a in pack.answers] == ["delete-prints", "rename"]
    ]
    assert len(kept) > 5
    for pack in kept:
        texts = [tokenizer.decode(pack.ids[a.start : a.end].tolist()) for a in pack.answers]
        assert texts[1].count("\n") > texts[0].count("\n")
