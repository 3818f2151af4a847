"""Prompt lookup and predicted outputs: the published rules, to the letter."""

import pytest

from editd.decode.drafters.base import DraftTask
from editd.decode.drafters.baselines import PredictionDrafter, PromptLookupDrafter
from tests.unit.decode.drafting import decode


class Letters:
    """One character, one token."""

    vocab_size = 1 << 20

    def encode(self, text, after=""):
        return [ord(char) for char in text]

    def decode(self, token_ids):
        return "".join(map(chr, token_ids))

    def token_bytes(self, token_id):
        return chr(token_id).encode()


def ids(text):
    return [ord(char) for char in text]


def build(kind, preset, prompt="", prediction=""):
    return kind(
        DraftTask(
            prompt_ids=ids(prompt),
            prediction=prediction,
            answer_opening="",
            codec=Letters(),
        ),
        preset,
    )


@pytest.mark.parametrize(
    ("preset", "prompt", "output", "drafted"),
    [
        # the most recent of two places, the longest match first
        ("tuned", "xab1 yab2 ", "ab", "2 ab"),
        ("tuned", "xab1 yab2 ", "xab", "1 yab2 xab"),
        # the first place, whatever is nearer or longer
        ("transformers", "xab1 yab2 ", "ab", "1 yab2 ab"),
        ("transformers", "pab1 qab2 ", "qab", "1 qab2 qab"),
        ("saxena", "pab1 qab2 ", "qab", "2 qab"),
        # ten tokens at most
        ("saxena", "abc0123456789012345 ", "abc", "0123456789"),
        # nothing like it before
        ("tuned", "xyz", "q", ""),
    ],
)
def test_prompt_lookup(preset, prompt, output, drafted):
    draft = build(PromptLookupDrafter, preset, prompt).propose(ids(output), 64)
    assert "".join(map(chr, draft.token_ids)) == drafted


def test_prompt_lookup_finds_the_output_itself():
    drafter = build(PromptLookupDrafter, "tuned", "--")
    drafter.propose(ids("abc"), 8)
    assert "".join(map(chr, drafter.propose(ids("abcab"), 8).token_ids)) == "cab"


def test_the_prediction_is_used_up_as_it_is_found():
    drafter = build(PredictionDrafter, "1", prediction="abcdef")
    assert drafter.propose([], 64).token_ids == ids("a")
    drafter.observe(ids("ab"))  # all accepted: the window doubles
    assert drafter.propose(ids("ab"), 64).token_ids == ids("cd")
    drafter.observe(ids("ce"))  # a miss: back to the start
    assert drafter.propose(ids("abce"), 64).token_ids == ids("f")
    drafter.observe(ids("a"))
    assert len(drafter.propose(ids("abcea"), 64)) == 0  # "a" stands only in what is used up


def test_a_drifting_prediction_is_what_the_buffer_drafter_mends():
    """An inserted token that stands far down uses the prediction up; the buffer keeps it."""
    before = "".join(f"value_{i} = read()\n" for i in range(60)) + "close()\n"
    after = before.replace("value_3 = read()\n", "value_3 = read()\nclose()\n")
    assert len(decode("prediction", before, after)) > 3 * len(decode("buffer", before, after))
