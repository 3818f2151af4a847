"""The buffer drafter by example: how many rounds an edit costs."""

from math import ceil

import pytest

from editd.decode.drafters import buffer, make_drafter
from tests.model_free_codec import PseudoCodec
from tests.unit.decode.drafting import decode, task

LINES = [f"    total_{i} = compute(total_{i}, weight={i % 5})\n" for i in range(40)]
BEFORE = "def run(self):\n" + "".join(LINES)
TWIN = "    parser.add_argument('--flag', default=None)\n"


def replaced(old, new):
    return BEFORE.replace(old, new)


@pytest.mark.parametrize("window", [16, 64, 256])
@pytest.mark.parametrize("spec", ["buffer", "buffer+suffix", "buffer:tree+suffix"])
def test_an_unchanged_file_costs_its_length_in_windows(spec, window):
    num_tokens = len(PseudoCodec().encode(BEFORE)) + 1
    assert len(decode(spec, BEFORE, BEFORE, window=window)) <= ceil(num_tokens / window) + 1


def test_the_closing_fence_is_drafted_behind_the_buffer():
    with_closing = decode("buffer", BEFORE, BEFORE + "```", closing="```", window=1024)
    assert len(with_closing) == 1
    assert len(decode("buffer", BEFORE, BEFORE + "```", window=1024)) > 1


@pytest.mark.parametrize(
    ("name", "after", "most"),
    [
        # Ten new tokens cost a round each, then the copy is taken up where it broke off.
        ("insertion", replaced(LINES[9], LINES[9] + "    log('half way')\n"), 14),
        # A deletion costs the round in which it shows, and one to find the place.
        ("deletion", replaced("".join(LINES[9:19]), ""), 5),
        ("replacement", replaced("total_9 =", "sum_nine ="), 8),
        ("start deleted", "".join(LINES), 5),
    ],
)
def test_one_change_costs_a_few_rounds(name, after, most):
    assert len(decode("buffer", BEFORE, after, window=1024)) <= most


def test_a_moved_block_costs_a_few_rounds():
    names = [f"{a}{b}" for a in ("ash", "oak", "elm", "fir") for b in ("leaf", "bark", "root")]
    lines = [f"    {name} = compute({name}, weight=1)\n" for name in names]
    rounds = decode("buffer", "".join(lines), "".join(lines[6:] + lines[:6]), window=1024)
    assert len(rounds) <= 12  # lines as alike as these need a name each to be told apart


def test_a_rename_is_learned_from_its_first_place(monkeypatch):
    after = BEFORE.replace("compute", "accumulate")
    learned = decode("buffer", BEFORE, after, window=1024)
    assert len(learned) <= 5
    assert any("substitution" in one.sources for one in learned)
    monkeypatch.setattr(buffer.BufferDrafter, "_learn", lambda *_: None)
    assert len(decode("buffer", BEFORE, after, window=1024)) > 40


def test_a_refuted_rename_is_dropped_at_once():
    half = len(BEFORE) // 2
    at = BEFORE.index("compute", half)
    after = BEFORE[:at].replace("compute", "accumulate") + BEFORE[at:]
    learned = len(decode("buffer", BEFORE, BEFORE.replace("compute", "accumulate"), window=1024))
    assert len(decode("buffer", BEFORE, after, window=1024)) <= learned + 1


def test_a_block_that_is_indented_is_learned_from_its_first_line(monkeypatch):
    before = "def run():\n" + "".join(f"    step_{i}(first, second)\n" for i in range(30))
    after = before.replace("def run():\n", "def run():\n    with lock:\n").replace(
        "    step", "        step"
    )
    learned = decode("buffer", before, after, window=1024)
    assert len(learned) <= 12
    monkeypatch.setattr(buffer, "shift_of", lambda *_: None)
    assert len(decode("buffer", before, after, window=1024)) > 30


def test_an_insertion_before_a_word_is_repeated():
    before = "".join(f"result_{i} = client.get({i})\n" for i in range(30))
    after = before.replace("client", "await client")
    assert len(decode("buffer", before, after, window=1024)) <= 8


def test_names_that_merely_contain_the_word_stay():
    before = "".join(f"user, user_id, superuser = load({i})\n" for i in range(20))
    after = "".join(f"account, user_id, superuser = load({i})\n" for i in range(20))
    assert len(decode("buffer", before, after, window=1024)) <= 5


def test_of_repeated_lines_the_nearest_is_meant():
    lines = [TWIN, TWIN.replace("flag", "name")] * 30
    after = [*lines[:20], "    # a note\n", *lines[20:]]
    rounds = decode("buffer", "".join(lines), "".join(after), window=1024)
    # Seven new tokens, a round until the place is beyond doubt, and no twin taken for another.
    assert len(rounds) <= 7 + 8


def test_a_passed_place_is_still_there():
    block = "".join(LINES[:8])
    after = BEFORE + "\ndef again(self):\n" + block
    assert len(decode("buffer", BEFORE, after, window=1024)) <= 14


def test_unlikely_guesses_are_not_drafted():
    """Far from anything known, a short draft is a good draft."""
    codec = PseudoCodec()
    drafter = make_drafter("buffer", task(codec, BEFORE))
    output = codec.encode("def run(self):\n    one = two three four five six seven eight\n")
    drafter.propose([], 64)
    assert len(drafter.propose(output[:-3], 64)) < 32
