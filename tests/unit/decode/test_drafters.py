"""What every drafter promises: found by name, harmless whatever the text."""

import random

import pytest

from editd.decode.drafters import DRAFTERS, Draft, check_spec, drafter_names, make_drafter
from editd.decode.drafters.guesses import ComposedDrafter
from editd.errors import UsageError
from tests.model_free_codec import PseudoCodec
from tests.unit.decode.drafting import decode, task

SPECS = [
    "none",
    "prompt-lookup",
    "prompt-lookup:saxena",
    "prompt-lookup:transformers",
    "prediction",
    "prediction:1",
    "buffer",
    "buffer:tree",
    "suffix",
    "suffix:tree",
    "buffer+suffix",
    "buffer:tree+suffix",
    "buffer+prompt-lookup",
    "none+prediction+suffix",
]


@pytest.mark.parametrize("spec", SPECS)
def test_a_drafter_is_found_by_its_name(spec):
    check_spec(spec)
    drafter = make_drafter(spec, task(PseudoCodec(), "a b c\n"))
    assert len(drafter.propose([], 8)) <= 8
    assert len(drafter.propose([], 0)) == 0


@pytest.mark.parametrize("spec", ["bufer", "buffer+nothing", "", "buffer:big", "prompt-lookup:x"])
def test_an_unknown_name_lists_the_names(spec):
    with pytest.raises(UsageError) as error:
        make_drafter(spec, task(PseudoCodec(), "a\n"))
    assert "buffer" in str(error.value) or "tuned" in str(error.value)
    with pytest.raises(UsageError):
        check_spec(spec)


def test_the_list_of_names_shows_presets_and_leaves_out_none():
    names = drafter_names()
    assert len(names) == len(DRAFTERS)
    assert "prompt-lookup[:tuned|:saxena|:transformers]" in names


def _edits():
    """Small files under all kinds of edits, from a seed."""
    rng = random.Random(20)
    lines = [f"    {name}_{i % 7} = call({name}, {i})\n" for i, name in enumerate("abcdefgh" * 2)]
    before = "".join(lines)
    yield "unchanged", before, before
    yield "empty before", "", "x = 1\ny = 2\n"
    yield "empty after", before, ""
    yield "no final newline", before[:-1], before[:-1] + " # 你好 🙂"
    yield "repeated lines", "x = 0\n" * 40, "x = 0\n" * 12 + "x = 1\n" + "x = 0\n" * 40
    for seed in range(6):
        edited = list(lines)
        for _ in range(rng.randrange(1, 8)):
            at = rng.randrange(len(edited))
            kind = rng.randrange(4)
            if kind == 0:
                del edited[at : at + rng.randrange(1, 5)]
            elif kind == 1:
                edited.insert(at, f"    new_{seed}(value)\n")
            elif kind == 2:
                edited[at] = edited[at].replace("call", "invoke")
            else:
                edited.append(edited.pop(at))
        yield f"mixed {seed}", before, "".join(edited)


@pytest.mark.parametrize("window", [1, 64])
@pytest.mark.parametrize("spec", SPECS)
def test_no_drafter_changes_the_text(spec, window):
    for _name, before, after in _edits():
        decode(spec, before, after, window=window)


class AlwaysWrong:
    name = "always wrong"

    def propose(self, output_ids, max_tokens):
        return Draft([10**6] * max_tokens)


def test_what_stands_behind_is_asked_in_doubt_only():
    codec = PseudoCodec()
    before = "".join(f"line_{i} = f({i % 3})\n" for i in range(60))
    known = task(codec, before)
    composed = ComposedDrafter(known, [make_drafter("buffer", known), AlwaysWrong()])
    buffer = codec.encode(before)
    assert list(composed.propose(buffer[:9], 8).token_ids) == buffer[9:17]
    new = [*buffer[:9], *codec.encode("nothing of this stands there")]
    assert list(composed.propose(new, 8).token_ids) == [10**6] * 8


@pytest.mark.parametrize("spec", ["buffer+suffix", "buffer:tree+suffix"])
def test_drafts_keep_to_their_form(spec):
    codec = PseudoCodec()
    before = "".join(f"line_{i} = f({i % 3})\n" for i in range(60))
    drafter = make_drafter(spec, task(codec, before))
    answer = codec.encode(before.replace("f(1)", "g(1, x)"))
    done = 0
    while done < len(answer):
        draft = drafter.propose(answer[:done], 32)
        assert len(draft) <= 32
        parents = draft.parents or range(-1, len(draft) - 1)
        assert all(-1 <= parent < index for index, parent in enumerate(parents))
        siblings = list(zip(parents, draft.token_ids, strict=True))
        assert len(set(siblings)) == len(siblings)
        assert draft.sources is None or len(draft.sources) == len(draft)
        added = answer[done : done + 3]
        drafter.observe(added)
        done += len(added)
