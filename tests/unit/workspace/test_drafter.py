"""What ``suffix`` drafts from a project."""

import random
from time import thread_time

import pytest

from editd.decode.drafters import DraftTask, make_drafter
from editd.errors import UsageError
from editd.workspace.index import Index
from tests.unit.workspace.projects import CharacterCodec, ids, index_of, text

LIBRARY = "def connect(host, port):\n    return Socket(host, port, timeout=30)\n"


def drafter(index: Index | None, spec: str = "suffix:tree"):
    return make_drafter(
        spec,
        DraftTask(
            prompt_ids=ids("prompt"),
            prediction="",
            answer_opening="",
            codec=CharacterCodec(),
            project=index,
        ),
    )


def from_project(draft) -> str:
    """The tokens of a draft that the project's files gave."""
    sources = zip(draft.token_ids, draft.sources or (), strict=True)
    return text([token_id for token_id, source in sources if source.startswith("project:")])


def rounds(drafter, answer: str, window: int = 64) -> int:
    """Rounds until a target that writes ``answer`` has written it."""
    output: list[int] = []
    wanted = ids(answer)
    count = 0
    while len(output) < len(wanted):
        draft = drafter.propose(output, window)
        assert len(draft) <= window
        parents = draft.parents or range(-1, len(draft) - 1)
        coming, node, accepted = wanted[len(output) :], -1, 0
        for place, token_id in enumerate(draft.token_ids):
            follows = (parents[place], token_id) == (node, coming[accepted])
            if follows and accepted < len(coming) - 1:
                node, accepted = place, accepted + 1
        output += coming[: accepted + 1]
        count += 1
    return count


def test_a_long_match_is_continued_with_its_source():
    index = index_of({"net/lib.py": LIBRARY, "other.py": "x = 1\n"})
    draft = drafter(index).propose(ids("def connect(host, port):\n    ret"), 64)
    assert from_project(draft).startswith("urn Socket(host,")
    assert {s for s in draft.sources if s.startswith("project")} == {"project:net/lib.py:2"}


@pytest.mark.parametrize("output", ["", "zz", "(", "\n    ", "):", "  "])
def test_weak_evidence_drafts_nothing(output):
    assert not from_project(drafter(index_of({"lib.py": LIBRARY})).propose(ids(output), 64))


def test_the_draft_is_longer_the_longer_the_match():
    index = index_of({"lib.py": LIBRARY})
    lengths = [
        len(from_project(drafter(index).propose(ids("?" + LIBRARY[4 : 4 + length]), 64)))
        for length in (3, 9, 12)
    ]
    assert lengths == sorted(set(lengths))


def test_it_saves_rounds_also_beside_others():
    index = index_of({"lib.py": LIBRARY * 3})
    for spec in ("suffix", "buffer+suffix"):
        assert rounds(drafter(index, spec), LIBRARY) < 0.5 * rounds(drafter(None, spec), LIBRARY)


def test_the_name_that_it_had_is_told():
    with pytest.raises(UsageError, match="suffix drafts from the project's files"):
        drafter(None, "buffer+workspace")


@pytest.mark.parametrize("seed", range(20))
def test_any_output_is_survived(seed):
    rng = random.Random(seed)
    files = {f"{n}.py": "".join(rng.choices("ab(\n", k=200)) for n in range(3)}
    said = "".join(rng.choices("abc(\n", k=150)) + files["1.py"]
    window = rng.choice([1, 5, 64])
    assert rounds(drafter(index_of(files)), said, window) <= len(said)


def test_a_lookup_does_not_hold_up_a_round():
    rng = random.Random(0)
    words = ["".join(rng.choices("abcdefgh", k=4)) for _ in range(50)]
    index = index_of({f"{n}.py": " ".join(rng.choices(words, k=5000)) for n in range(8)})
    tails = [ids(" ".join(rng.choices(words, k=6))) for _ in range(300)]
    taken = []
    for tail in tails:
        started = thread_time()
        index.longest_match(tail, 64)
        taken.append(thread_time() - started)
    assert sorted(taken)[len(taken) // 2] < 0.0005
