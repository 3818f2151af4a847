"""Texts as ids, examples as the product feeds them, shards and batches."""

from itertools import islice
from random import Random

import numpy as np
import pytest
from transformers import AutoTokenizer

from editd.backends.text.codec import ModelCodec
from editd.prompts.formats.embedded import CONTROL_TOKENS, END
from tests.unit.training.samples import PYTHON, whole
from training.examples import (
    Batches,
    collate,
    encode,
    make_examples,
    make_shard,
    permutable_words,
    prompt_segments,
    read_shard,
    shard_path,
    write_shard,
)
from training.families import GENERATORS, Source
from training.tokenizer import write_tokenizer


def test_any_text_comes_back(tokenizer):
    for text in [PYTHON, "\r\n\t\x00 größe 漢字 👩‍👧 \u2028<|end|>", "", "   ", "\n\n\n  x"]:
        tokenizer.encode_special_tokens = True
        assert tokenizer.decode(tokenizer.encode(text).ids, skip_special_tokens=False) == text


def test_ids_are_equal_after_reload(tokenizer, tmp_path):
    write_tokenizer(tokenizer, tmp_path, 4096)
    tokenizer.encode_special_tokens = False
    reloaded = AutoTokenizer.from_pretrained(tmp_path, local_files_only=True)
    assert reloaded.eos_token == END
    for text in [PYTHON, "  unseen\n\n\t  текст 123 <|end|> 👩‍👧"]:
        assert reloaded(text).input_ids == tokenizer.encode(text).ids


def test_control_tokens_are_the_first_ids(tokenizer):
    assert [tokenizer.token_to_id(token) for token in CONTROL_TOKENS] == list(range(7))


@pytest.mark.parametrize(
    ("part", "text"),
    [("name", "name_new"), ("12", "12345"), ("items", "self.items"), ("name", "(name, name)")],
)
def test_a_name_keeps_its_tokens_in_other_company(tokenizer, part, text):
    own, whole_text = (tokenizer.encode(item).tokens for item in (part, text))
    assert any(whole_text[at : at + len(own)] == own for at in range(len(whole_text)))


@pytest.mark.parametrize("text", ["x = 1\n", "x = '<|end|><|buffer|>'\n"])
def test_an_example_is_what_the_product_feeds(tokenizer, text):
    source = Source(text, "a.py")
    tokenizer.encode_special_tokens = True
    edit = next(
        edit
        for seed in range(50)
        if (edit := GENERATORS["rename"].propose(source, Random(seed))) is not None
    )
    example = encode(tokenizer, source, edit, "rename")
    codec = ModelCodec(tokenizer)
    prompt_ids, required = codec.heal(prompt_segments("a.py", "python", edit))
    assert required == b""
    assert example.ids[: example.start].tolist() == prompt_ids
    assert codec.decode(example.ids[example.start : -1].tolist()) == edit.after
    assert example.ids[-1] == CONTROL_TOKENS.index(END)
    said = [
        codec.decode([int(token_id)])
        for token_id, new in zip(example.ids[example.start :], example.changed, strict=True)
        if new
    ]
    assert len(said) < len(example.changed)
    assert set("".join(said).split()) & (set(edit.after.split()) - set(text.split()))


def test_the_same_seed_makes_the_same_examples(files, tokenizer):
    first, again, other = (
        [
            item.ids.tolist()
            for item in islice(make_examples(files, tokenizer, Random(seed), 256), 20)
        ]
        for seed in (1, 1, 2)
    )
    assert first == again != other
    assert all(64 <= len(ids) <= 256 for ids in first)


def test_shards_come_back_and_are_not_made_twice(files, tokenizer, tmp_path, monkeypatch):
    monkeypatch.setattr("training.examples._SHARD_TOKENS", 4000)
    path = make_shard(tmp_path, 0, files, tokenizer)
    assert path == shard_path(tmp_path, 0)
    shard = read_shard(path)
    assert shard.index[:, 2].sum() == len(shard.ids) == len(shard.changed) >= 4000
    path.write_bytes(b"kept")
    assert make_shard(tmp_path, 0, files, tokenizer).read_bytes() == b"kept"


def test_batches_ask_for_every_token_of_every_answer(files, tokenizer):
    examples = list(islice(make_examples(files, tokenizer, Random(3), 256), 5))
    batch = collate([(item.ids, item.start, item.changed) for item in examples], multiple=8)
    assert batch.ids.shape[1] % 8 == 0
    flat = batch.ids.reshape(-1)
    assert len(batch.targets) == sum(len(item.ids) - item.start for item in examples)
    # What is to be said after a position is what stands at the next one, or the end.
    for where, target in zip(batch.where, batch.targets, strict=True):
        if target != CONTROL_TOKENS.index(END):
            assert flat[where + 1] == target


def test_batches_come_from_the_lengths_asked_for(files, tokenizer, tmp_path):
    examples = list(islice(make_examples(files, tokenizer, Random(4), 256), 40))
    write_shard(examples, tmp_path / "256-00000.npy")
    batches = Batches(tmp_path, tokenizer, tokens=1000, permuted=0.0, seed=0)
    assert batches.next({512: 1.0}) is None
    known = {tuple(item.ids.tolist()) for item in examples}
    for _ in range(60):  # more than the shard has: it is read again
        batch = batches.next({256: 1.0})
        assert batch.ids.size <= 1000 + 64 * len(batch.ids)
        for row in batch.ids:
            assert any(tuple(row[: len(ids) - 1]) == ids[:-1] for ids in known)


def test_random_copying_copies(files, tokenizer, tmp_path):
    batch = Batches(tmp_path, tokenizer, tokens=600, permuted=0.0, seed=0).next({0: 1.0})
    row = batch.ids[0].tolist()
    buffer = row[row.index(3) + 1 : row.index(4)]
    assert batch.targets[: len(buffer) + 1].tolist() == [*buffer, CONTROL_TOKENS.index(END)]


def test_exchanged_words_keep_an_example_consistent(files, tokenizer, tmp_path):
    examples = list(islice(make_examples(files, tokenizer, Random(5), 256, only=["no-change"]), 9))
    write_shard(examples, tmp_path / "256-00000.npy")
    batches = Batches(tmp_path, tokenizer, tokens=400, permuted=1.0, seed=0)
    words = set(permutable_words(tokenizer).tolist())
    assert words
    batch = batches.next({256: 1.0})
    row = batch.ids[0].tolist()
    region = row[row.index(3) + 1 : row.index(4)]
    count = len(region) + 1
    assert batch.targets[:count].tolist() == [*region, CONTROL_TOKENS.index(END)]
    assert not any(np.array_equal(region, item.ids[item.start : -1]) for item in examples)


def test_words_of_instructions_are_never_exchanged(tokenizer):
    words = set(permutable_words(tokenizer).tolist())
    said = tokenizer.encode("rename the function to add a docstring", add_special_tokens=False).ids
    assert not words & set(said)


def test_lines_of_the_whole_sample_survive(tokenizer):
    assert tokenizer.decode(tokenizer.encode(whole().text).ids) == PYTHON
