import dataclasses
import os
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import torch
from safetensors import SafetensorError
from safetensors.torch import save_file

from editd.errors import ModelError
from tests.fixtures.solved import cache, checkpoint
from tests.fixtures.solved.shape import DEMO
from tests.unit.solved.tiny_edits import EDITS, TINY


@pytest.fixture(autouse=True)
def cache_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("EDITD_CACHE_DIR", str(tmp_path))
    return tmp_path / "solved"


@pytest.fixture
def builds(monkeypatch):
    """Stands in for ``build``: records each call and writes next to nothing."""
    calls = []

    def build(folder, edits, _shape, report):
        calls.append(folder)
        report("half", 0.5)
        save_file({"weight": torch.zeros(4)}, folder / "model.safetensors")
        (folder / "editd.json").touch()

    monkeypatch.setattr(checkpoint, "build", build)
    return calls


def test_it_is_solved_once(builds):
    told = []
    first = cache.solved_model_dir(EDITS, TINY, lambda message, done: told.append((message, done)))
    again = cache.solved_model_dir(EDITS, TINY)
    assert first == again
    assert (first / "editd.json").is_file()
    assert len(builds) == 1
    assert told == [("half", 0.5)]


def test_other_edits_and_other_sizes_get_their_own_folders(builds):
    changed = [dataclasses.replace(EDITS[0], after="x\n"), EDITS[1]]
    folders = {
        cache.solved_model_dir(EDITS, TINY),
        cache.solved_model_dir(changed, TINY),
        cache.solved_model_dir(EDITS, DEMO),
    }
    assert len(folders) == len(builds) == 3


def test_callers_at_once_share_one_solve(builds, monkeypatch):
    everybody, a_second_build = threading.Barrier(4), threading.Event()
    write = checkpoint.build

    def build(*arguments):
        if builds:
            a_second_build.set()
        write(*arguments)
        a_second_build.wait(timeout=0.3)  # leave time for one that should not be there

    monkeypatch.setattr(checkpoint, "build", build)

    def call(_):
        everybody.wait(timeout=60)
        return cache.solved_model_dir(EDITS, TINY)

    with ThreadPoolExecutor(4) as pool:
        folders = set(pool.map(call, range(4)))
    assert len(folders) == len(builds) == 1
    assert not a_second_build.is_set()


def test_a_solve_that_fails_leaves_nothing_behind(cache_folder, monkeypatch):
    def build(folder, *_):
        (folder / "model.safetensors").touch()
        raise checkpoint.NotSolved("no")

    monkeypatch.setattr(checkpoint, "build", build)
    with pytest.raises(checkpoint.NotSolved):
        cache.solved_model_dir(EDITS, TINY)
    assert not [path for path in cache_folder.iterdir() if path.is_dir()]


@pytest.mark.parametrize("damage", [Path.unlink, lambda file: os.truncate(file, 80)])
def test_a_damaged_folder_is_solved_again(builds, damage):
    folder = cache.solved_model_dir(EDITS, TINY)
    damage(folder / "model.safetensors")
    assert cache.solved_model_dir(EDITS, TINY) == folder
    assert (folder / "model.safetensors").is_file()
    assert len(builds) == 2


@pytest.mark.parametrize(
    "refused", [OSError(28, "No space left"), SafetensorError("No space left")]
)
def test_without_a_place_for_it_one_sentence_says_what_to_do(cache_folder, monkeypatch, refused):
    def build(*_):
        raise refused

    monkeypatch.setattr(checkpoint, "build", build)
    with pytest.raises(ModelError, match=r"kept in .*solved \(No space left\): .* EDITD_CACHE_DIR"):
        cache.solved_model_dir(EDITS, TINY)
    monkeypatch.setenv("EDITD_CACHE_DIR", __file__)
    with pytest.raises(ModelError, match="Not a directory"):
        cache.solved_model_dir(EDITS, TINY)


def test_old_folders_go(builds, cache_folder):
    for turn in range(6):
        edit = dataclasses.replace(EDITS[0], after=str(turn))
        newest = cache.solved_model_dir([edit], TINY)
    left = [path for path in cache_folder.iterdir() if path.is_dir()]
    assert len(left) == 3
    assert newest in left
