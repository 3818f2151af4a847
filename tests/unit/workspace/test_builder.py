import json
import os
import random
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest

from editd.workspace import cache as caches
from editd.workspace.builder import Built, build
from editd.workspace.index import Index
from editd.workspace.rules import Limits
from tests.unit.workspace.projects import CharacterCodec, ids, text, write

LONG_AGO = 1_500_000_000


class CountingCodec(CharacterCodec):
    def __init__(self) -> None:
        self.encoded: list[str] = []

    def encode(self, text: str, after: str = "") -> list[int]:
        self.encoded.append(text)
        return super().encode(text, after)


def built(root: Path, path: Path, codec=None, **options) -> Built:
    return build(root, path, "characters", lambda: codec or CharacterCodec(), **options)


def age(root: Path, hours: float = 1) -> None:
    """Let all files look as if they had last changed so long ago."""
    for file in root.rglob("*"):
        os.utime(file, (time.time() - 3600 * hours,) * 2)


def long_since_built(path: Path, monkeypatch) -> None:
    """Let the next look at an index believe that it was built well after its files had changed."""
    monkeypatch.setattr("editd.workspace.builder._RACY_NS", -(10**12))


def content(index: Index) -> dict[str, str]:
    return {
        file.path: text(index.tokens(file.start, file.num_tokens).tolist())
        for file in index.files()
        if file.num_tokens
    }


def test_it_indexes_what_counts_and_nothing_else(root, cache):
    write(root, {"a.py": "x = 1\n", "b/c.py": "y = 2\r\n", ".env": "KEY=1", "d.bin": b"\0\1"})
    write(root, {".gitignore": "ignored.py\n", "ignored.py": "z", "node_modules/e.js": "e"})
    outcome = built(root, cache / "x.index")
    index = Index.open(cache / "x.index", "characters")
    assert content(index) == {
        ".gitignore": "ignored.py\n",
        "a.py": "x = 1\n",
        "b/c.py": "y = 2\n",
    }
    assert (outcome.state, outcome.files, outcome.tokens) == ("built", 3, index.num_tokens)


def test_the_cache_is_private_and_the_project_untouched(root, cache):
    write(root, {"a.py": "x = 1\n"})
    before = sorted(root.rglob("*"))
    (cache / "workspace").mkdir(parents=True)
    (cache / "workspace").chmod(0o777)
    path = caches.index_path(cache, root, "characters")
    built(root, path)
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert sorted(root.rglob("*")) == before
    assert {file.suffix for file in path.parent.iterdir()} == {".index", ".lock"}


def test_the_key_tells_roots_and_tokenizers_apart(cache, tokenizer):
    keys = {
        caches.index_path(cache, Path(root), identity)
        for root in ("/a", "/b")
        for identity in ("1", "2")
    }
    assert len(keys) == 4
    first = caches.tokenizer_identity(tokenizer)
    (tokenizer / "tokenizer.json").write_text("{}")
    assert caches.tokenizer_identity(tokenizer) != first


def test_only_changed_files_are_read_again(root, cache, monkeypatch):
    path = cache / "x.index"
    write(root, {"a.py": "aaa\n", "b.py": "bbb\n", "c.py": "ccc\n", "d.bin": b"\0"})
    built(root, path)
    long_since_built(path, monkeypatch)
    write(root, {"b.py": "new\n", "e.py": "eee\n"})
    (root / "c.py").unlink()
    codec = CountingCodec()
    outcome = built(root, path, codec)
    assert sorted(codec.encoded) == ["eee\n", "new\n"]
    assert outcome.tokenised == 2
    assert content(Index.open(path)) == {"a.py": "aaa\n", "b.py": "new\n", "e.py": "eee\n"}


def test_nothing_new_writes_nothing(root, cache):
    path = cache / "x.index"
    write(root, {"a.py": "aaa\n", "d.bin": b"\0"})
    built(root, path)
    before = path.stat().st_ino
    codec = CountingCodec()
    assert built(root, path, codec).state == "unchanged"
    assert codec.encoded == []
    assert path.stat().st_ino == before


def test_a_change_within_the_file_systems_tick_is_found(root, cache):
    path = cache / "x.index"
    write(root, {"a.py": "aaa\n"})
    stamp = (root / "a.py").stat()
    built(root, path)
    write(root, {"a.py": "bbb\n"})
    os.utime(root / "a.py", ns=(stamp.st_atime_ns, stamp.st_mtime_ns))
    built(root, path)
    assert content(Index.open(path)) == {"a.py": "bbb\n"}


@pytest.mark.parametrize("seed", range(8))
def test_incremental_equals_full(root, tmp_path, monkeypatch, seed):
    rng = random.Random(seed)
    path = tmp_path / "step" / "x.index"
    names = [f"{folder}{n}.py" for folder in ("", "a/", "a/b/") for n in range(4)]
    for step in range(6):
        for name in rng.sample(names, rng.randrange(1, 6)):
            if rng.random() < 0.3:
                (root / name).unlink(missing_ok=True)
            else:
                write(root, {name: "".join(rng.choices("ab\n", k=rng.randrange(1, 60))) + "x"})
                when = LONG_AGO + rng.randrange(1000)
                os.utime(root / name, (when, when))
        if rng.random() < 0.3:
            write(root, {".gitignore": rng.choice(["a/\n", "*1.py\n", "#\n"])})
        built(root, path)
        built(root, tmp_path / f"full{step}" / "x.index")
        step_index = Index.open(path)
        full_index = Index.open(tmp_path / f"full{step}" / "x.index")
        assert content(step_index) == content(full_index)
        for said in content(full_index).values():
            end = rng.randrange(len(said) + 1)
            tail = ids(said[:end])
            # Files are in the order of their last change, so ties are broken alike.
            ours, theirs = step_index.longest_match(tail), full_index.longest_match(tail)
            if step_index.paths == full_index.paths:
                assert ours == theirs
            assert (ours and ours.length) == (theirs and theirs.length)


def test_what_there_is_no_time_for_is_left_to_the_next_build(root, cache, monkeypatch):
    path = cache / "x.index"
    for n in range(4):
        write(root, {f"{n}.py": f"{n}\n"})
        os.utime(root / f"{n}.py", (LONG_AGO + n, LONG_AGO + n))
    first = built(root, path, seconds=0)
    assert (first.left, list(content(Index.open(path)))) == (3, ["3.py"])
    long_since_built(path, monkeypatch)
    lefts = [built(root, path, seconds=0).left for _ in range(3)]
    assert lefts == [2, 1, 0]
    assert sorted(content(Index.open(path))) == ["0.py", "1.py", "2.py", "3.py"]


def test_limits_hold_and_are_told(root, cache):
    write(root, {f"{n}.py": "x" * 100 for n in range(5)} | {"large.py": "y" * 2000})
    limits = Limits(file_bytes=1000, total_bytes=250)
    outcome = built(root, cache / "x.index", limits=limits)
    assert (outcome.files, outcome.left_out) == (2, 3)
    assert "3 files stayed out" in outcome.message
    outcome = built(root, cache / "y.index", limits=Limits(entries=3))
    assert "more than 3 names" in outcome.message
    assert built(root, cache / "z.index").message == ""


@pytest.mark.parametrize(
    "harm", [lambda b: b[: len(b) // 2], lambda b: b"", lambda b: b[:-4] + b"xxxx"]
)
def test_a_damaged_index_is_built_again(root, cache, harm):
    path = cache / "x.index"
    write(root, {"a.py": "aaa\n"})
    built(root, path)
    path.write_bytes(harm(path.read_bytes()))
    assert built(root, path).state == "built"
    assert content(Index.open(path)) == {"a.py": "aaa\n"}


def test_old_indexes_and_unfinished_files_go_away(tmp_path):
    now = time.time()
    for n in range(20):
        write(tmp_path, {f"{n}.index": "x", f"{n}.lock": ""})
        os.utime(tmp_path / f"{n}.index", (now - n, now - n))
    write(tmp_path, {"stale.index": "x", ".1.index.abc": "x", ".2.index.def": "x"})
    os.utime(tmp_path / "stale.index", (now - 90 * 86400,) * 2)
    os.utime(tmp_path / ".1.index.abc", (now - 86400,) * 2)
    caches.forget_old(tmp_path, now)
    left = {path.name for path in tmp_path.iterdir() if path.suffix != ".lock"}
    assert left == {f"{n}.index" for n in range(12)} | {".2.index.def"}


def command(root: Path, tokenizer: Path, path: Path, *flags: str) -> list[str]:
    return [
        sys.executable,
        "-m",
        "editd.workspace.builder",
        *flags,
        str(root),
        str(tokenizer),
        str(path),
    ]


def test_two_processes_at_once_leave_one_whole_index(root, cache, tokenizer):
    write(root, {f"{n}.py": f"def f{n}():\n    return {n}\n" for n in range(30)})
    path = caches.index_path(cache, root, caches.tokenizer_identity(tokenizer))
    running = [
        subprocess.Popen(command(root, tokenizer, path), stdout=subprocess.PIPE) for _ in range(2)
    ]
    outcomes = [Built(**json.loads(process.communicate()[0])) for process in running]
    assert sorted(outcome.state for outcome in outcomes) == ["built", "unchanged"]
    index = Index.open(path, caches.tokenizer_identity(tokenizer))
    assert len(index.paths) == 30
    assert {file.suffix for file in path.parent.iterdir()} == {".index", ".lock"}


def test_the_process_says_what_went_wrong_and_quotes_nothing(root, cache, tokenizer):
    write(root, {"a.py": "very private\n"})
    (tokenizer / "tokenizer.json").write_text('{"broken": "very private"}')
    done = subprocess.run(
        command(root, tokenizer, cache / "x.index"), capture_output=True, text=True
    )
    assert done.returncode == 1
    assert Built(**json.loads(done.stdout)).state == "failed"
    assert "a.py" not in done.stdout + done.stderr
    assert done.stderr == ""


def test_an_attended_process_ends_with_its_parent(root, cache, tokenizer):
    # A pipe for an ignore file's sake is not read; for an index's lock it waits for ever.
    path = cache / "x.index"
    caches.make_private(cache)
    with caches.only_builder(path):
        process = subprocess.Popen(
            command(root, tokenizer, path, "--attended"),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        with process:
            assert process.stdin is not None
            process.stdin.close()
            assert process.wait(20) == 1


def test_it_needs_neither_torch_nor_transformers():
    code = (
        "import sys, editd.workspace.builder, editd.workspace.pool, editd.decode.drafters;"
        "import editd.models.text.codec;"
        "sys.exit(bool({'torch', 'transformers'} & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0
