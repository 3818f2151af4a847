import random

import pytest

from editd.decode.drafters.base import ProjectMatch
from editd.workspace.index import LONGEST, SHORTEST
from tests.unit.workspace.projects import ids, index_of, text


def brute_force(files: dict[str, str], tail: str, count: int) -> ProjectMatch | None:
    """The definition: every place of every file that has something behind it."""
    best, longest = None, SHORTEST
    for path, said in files.items():
        for place in range(SHORTEST, len(said)):
            length = 0
            while length < min(LONGEST, place, len(tail)):
                if said[place - 1 - length] != tail[-1 - length]:
                    break
                length += 1
            if length >= longest:
                end = min(place + count, len(said))
                lines = [1 + said[:at].count("\n") for at in range(place, end)]
                best, longest = ProjectMatch(length, ids(said[place:end]), path, lines), length
    return best


@pytest.mark.parametrize("seed", range(60))
def test_longest_match_is_that_of_brute_force(seed):
    rng = random.Random(seed)
    alphabet = "ab\n"[: rng.randrange(1, 4)] + "cd"[: rng.randrange(0, 3)]
    files = {
        f"{n}.py": "".join(rng.choice(alphabet) for _ in range(rng.randrange(1, 90)))
        for n in range(rng.randrange(1, 8))
    }
    index = index_of(files)
    for _ in range(40):
        said = rng.choice([*files.values()])
        end = rng.randrange(len(said) + 1)
        tail = rng.choice(["", "e", "a"]) + said[max(0, end - rng.randrange(50)) : end]
        tail += rng.choice(["", "", "a", "b"])
        count = rng.choice([0, 1, 5, 100])
        assert index.longest_match(ids(tail), count) == brute_force(files, tail, count)


def test_no_match_reaches_across_the_border_of_files():
    index = index_of({"a.py": "xabc", "b.py": "defy", "c.py": "defz"})
    assert index.longest_match(ids("abcdef"), 9) == ProjectMatch(3, ids("z"), "c.py", [1])
    for tail in ("xabc", "bcd", "ef", ""):  # with nothing behind it, across a border, too short
        assert index.longest_match(ids(tail), 9) is None


def test_the_file_changed_last_wins_a_tie():
    index = index_of({"old.py": "def f: 1", "new.py": "def f: 2 def f: 3"})
    match = index.longest_match(ids("def f: "), 1)
    assert match is not None
    assert text(match.token_ids) == "3"


@pytest.mark.parametrize("files", [{}, {"a.py": "x"}, {"empty.py": ""}])
def test_a_project_without_matches_has_none(files):
    index = index_of(files)
    assert index.longest_match(ids("xxxx"), 1) is None
    assert index.longest_match([], 1) is None


def test_it_costs_no_more_than_twenty_bytes_a_token():
    rng = random.Random(0)
    index = index_of({f"f{n}.py": "".join(rng.choices("abc\n", k=2000)) for n in range(20)})
    assert index.num_tokens == 40_000
    assert index.nbytes / index.num_tokens < 20.1
