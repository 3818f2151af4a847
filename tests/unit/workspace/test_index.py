import random

import pytest

from editd.workspace.index import SEPARATOR, Index, IndexDamaged, Match
from editd.workspace.suffix_array import DEPTH
from tests.unit.workspace.projects import ids, index_of, text


def brute_force(files: list[str], tail: str, max_length: int, near: int | None) -> Match | None:
    """The definition: every place of every file that has something behind it."""
    best: list[Match] = []
    start = 1
    for said in files:
        for place in range(1, len(said)):
            length = 0
            while length < min(max_length, place, len(tail)):
                if said[place - 1 - length] != tail[-1 - length]:
                    break
                length += 1
            best.append(Match(start + place, length))
        start += len(said) + 1
    longest = max((match.length for match in best), default=0)
    if longest == 0:
        return None
    tied = [match for match in best if match.length == longest]
    if near is None:
        return max(tied)
    return min(tied, key=lambda match: (abs(match.position - near), -match.position))


@pytest.mark.parametrize("seed", range(60))
def test_longest_match_is_that_of_brute_force(seed):
    rng = random.Random(seed)
    alphabet = "ab\n"[: rng.randrange(1, 4)] + "cd"[: rng.randrange(0, 3)]
    files = [
        "".join(rng.choice(alphabet) for _ in range(rng.randrange(1, 90)))
        for _ in range(rng.randrange(1, 8))
    ]
    index = index_of({f"{n}.py": said for n, said in enumerate(files)})
    for _ in range(40):
        said = rng.choice(files)
        end = rng.randrange(len(said) + 1)
        tail = rng.choice(["", "e", "a"]) + said[max(0, end - rng.randrange(50)) : end]
        tail += rng.choice(["", "", "a", "b"])
        max_length = rng.choice([DEPTH, DEPTH, 1, 3, 8])
        near = rng.choice([None, rng.randrange(len(files) * 50)])
        expected = brute_force(files, tail, max_length, near)
        assert index.longest_match(ids(tail), max_length, near) == expected


def test_no_match_reaches_across_the_border_of_files():
    index = index_of({"a.py": "xab", "b.py": "cdy"})
    match = index.longest_match(ids("abcd"))
    assert match is not None
    assert match.length == 2
    assert text(index.following(match.position, 9)) == "y"
    assert index.longest_match(ids("xab")) is None  # nothing follows it
    assert index.longest_match([SEPARATOR - 1]) is None


def test_nothing_follows_beyond_the_end_of_a_file():
    index = index_of({"a.py": "one\n", "b.py": "two\n"})
    for tail, behind in (("on", "e\n"), ("one", "\n"), ("t", "wo\n"), ("tw", "o\n")):
        match = index.longest_match(ids(tail))
        assert match is not None
        assert text(index.following(match.position, 100)) == behind
        assert text(index.following(match.position, 1)) == behind[:1]
        assert index.following(match.position, 0) == []
    for nowhere in (0, -1, 10, 1000):
        assert index.following(nowhere, 5) == []


def test_the_file_changed_last_wins_a_tie_and_the_nearest_place_over_it():
    index = index_of({"old.py": "def f: 1", "new.py": "def f: 2 def f: 3"})
    match = index.longest_match(ids("def f: "))
    assert match is not None
    assert text(index.following(match.position, 1)) == "3"
    for near, follower in ((0, "1"), (8, "1"), (17, "2"), (40, "3")):
        match = index.longest_match(ids("def f: "), near=near)
        assert match is not None
        assert text(index.following(match.position, 1)) == follower


def test_sources_name_file_and_line():
    files = {"a.py": "one\ntwo\n\nthree", "b/c.py": "\n\nx\ny\n", "d.py": "z"}
    index = index_of(files)
    start = 1
    for path, said in files.items():
        lines = [1 + said[:place].count("\n") for place in range(len(said))]
        assert index.sources(start, len(said)) == (path, lines)
        for place, line in enumerate(lines):
            assert index.source(start + place) == (path, line)
        start += len(said) + 1
    with pytest.raises(IndexError):
        index.source(start)


@pytest.mark.parametrize("files", [{}, {"a.py": "x"}, {"empty.py": ""}])
def test_a_project_without_matches_has_none(files):
    index = index_of(files)
    assert index.longest_match(ids("x")) is None
    assert index.longest_match([]) is None
    assert index.following(1, 1) == ids(files.get("a.py", ""))


def test_it_costs_less_than_forty_bytes_a_token():
    rng = random.Random(0)
    said = {f"f{n}.py": "".join(rng.choices("abc\n", k=2000)) for n in range(20)}
    index = index_of(said)
    assert index.num_tokens == 40_000
    assert index.nbytes / index.num_tokens < 10


def test_any_damage_is_noticed(tmp_path):
    whole = index_of({"a.py": "some text\n" * 20})._buffer
    path = tmp_path / "x.index"
    path.write_bytes(whole)
    assert Index.open(path, "characters").paths == ("a.py",)
    rng = random.Random(0)
    damaged = [b"", whole[:10], whole[:-1], whole + b"x", b"no index at all" * 9]
    places = [*range(28), *rng.sample(range(32, len(whole)), 30)]  # four bytes are padding
    damaged += [whole[:n] + bytes([whole[n] ^ 1]) + whole[n + 1 :] for n in places]
    for content in damaged:
        path.write_bytes(content)
        with pytest.raises(IndexDamaged):
            Index.open(path, "characters")
    path.write_bytes(whole)
    with pytest.raises(IndexDamaged):
        Index.open(path, "another tokenizer")
    with pytest.raises(IndexDamaged):
        Index.open(tmp_path / "missing.index")
