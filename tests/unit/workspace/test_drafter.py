import random
from time import thread_time

import pytest

from editd.decode.drafters import DraftTask, make_drafter
from editd.decode.drafters.composed import ComposedDrafter
from editd.decode.drafters.workspace import WorkspaceDrafter
from editd.workspace.index import Index
from tests.unit.workspace.projects import CharacterCodec, ids, index_of, text

LIBRARY = "def connect(host, port):\n    return Socket(host, port, timeout=30)\n"


def task(index: Index | None, window: int = 64) -> DraftTask:
    return DraftTask(
        prompt_ids=ids("prompt"),
        prediction="",
        answer_opening="",
        instruction="",
        codec=CharacterCodec(),
        window=window,
        project=index,
    )


def rounds(drafter, answer: str, window: int = 64) -> int:
    """Rounds until a target that writes ``answer`` has written it."""
    output: list[int] = []
    wanted = ids(answer)
    count = 0
    while len(output) < len(wanted):
        draft = drafter.propose(output, window)
        assert len(draft) <= window
        coming = wanted[len(output) :]
        accepted = 0
        while accepted < min(len(draft), len(coming) - 1):
            if draft.token_ids[accepted] != coming[accepted]:
                break
            accepted += 1
        added = coming[: accepted + 1]
        output += added
        drafter.observe(added, added)
        count += 1
    return count


def test_a_long_match_is_continued_with_its_source():
    drafter = WorkspaceDrafter(task(index_of({"net/lib.py": LIBRARY, "other.py": "x = 1\n"})))
    draft = drafter.propose(ids("def connect(host, port):\n    ret"), 16)
    assert text(draft.token_ids) == "urn Socket(host,"
    assert draft.parents is None
    assert draft.sources == ["project:net/lib.py:2"] * 16


@pytest.mark.parametrize("output", ["", "zz", "(", "\n    ", "):", "  "])
def test_weak_evidence_drafts_nothing(output):
    drafter = WorkspaceDrafter(task(index_of({"lib.py": LIBRARY})))
    assert len(drafter.propose(ids(output), 64)) == 0


def test_the_draft_is_longer_the_longer_the_match():
    index = index_of({"lib.py": LIBRARY})
    lengths = [
        len(WorkspaceDrafter(task(index)).propose(ids("?" + LIBRARY[4 : 4 + length]), 64))
        for length in (3, 6, 9, 12)
    ]
    assert lengths == sorted(set(lengths))
    assert lengths[0] < 8 < lengths[-1]


def test_without_an_index_or_a_window_it_drafts_nothing():
    for options in ({}, {"workspace": None}, {"workspace": "/some/folder"}):
        drafter = WorkspaceDrafter(DraftTask([1], "", "", "", CharacterCodec(), 64, options))
        assert len(drafter.propose(ids("def connect(host"), 64)) == 0
    drafter = WorkspaceDrafter(task(index_of({"lib.py": LIBRARY})))
    assert len(drafter.propose(ids("def connect(host"), 0)) == 0


def test_a_copy_is_taken_up_again_behind_another_name(monkeypatch):
    said = "".join(f"    self.assertEqual(call({n}), '{n * n} things')\n" for n in range(12))
    renamed = said.replace("call", "calx")
    index = index_of({"tests.py": said})
    assert rounds(WorkspaceDrafter(task(index)), said) < 20
    taken_up = rounds(WorkspaceDrafter(task(index)), renamed)
    monkeypatch.setattr("editd.decode.drafters.workspace._LONG_LOST", 0)
    assert taken_up < 0.7 * rounds(WorkspaceDrafter(task(index)), renamed)


def test_it_adds_to_what_stands_left_of_it():
    index = index_of({"lib.py": LIBRARY * 3})
    alone = task(index)
    composed = ComposedDrafter(alone, [make_drafter("buffer", alone), WorkspaceDrafter(alone)])
    assert composed.name.endswith("+workspace")
    plain = rounds(make_drafter("buffer", alone), LIBRARY)
    assert rounds(composed, LIBRARY) < plain / 2


@pytest.mark.parametrize("seed", range(20))
def test_any_output_is_survived(seed):
    rng = random.Random(seed)
    files = {f"{n}.py": "".join(rng.choices("ab(\n", k=200)) for n in range(3)}
    drafter = WorkspaceDrafter(task(index_of(files)))
    said = "".join(rng.choices("abc(\n", k=150)) + files["1.py"]
    assert rounds(drafter, said, window=rng.choice([1, 5, 64])) <= len(said)


def test_a_lookup_does_not_hold_up_a_round():
    rng = random.Random(0)
    words = ["".join(rng.choices("abcdefgh", k=4)) for _ in range(50)]
    said = {f"{n}.py": " ".join(rng.choices(words, k=5000)) for n in range(8)}
    index = index_of(said)
    tails = [ids(" ".join(rng.choices(words, k=6))) for _ in range(300)]
    taken = []
    for tail in tails:
        started = thread_time()
        index.longest_match(tail)
        taken.append(thread_time() - started)
    assert sorted(taken)[len(taken) // 2] < 0.0002
