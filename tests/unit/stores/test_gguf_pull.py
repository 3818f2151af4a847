"""A GGUF file is pulled from a hub on loopback: named, checked while it is read, continued, or deleted."""

import os
import subprocess
import sys

import pytest
from huggingface_hub import constants

from editd.errors import ModelDamaged, ModelError, ModelNotFound, ModelUnsupported
from editd.stores import gguf_pull, hub
from tests.hub import COMMIT, LoopbackHub, serve
from tests.stores import Home

REPOSITORY = "org/Coder-GGUF"
LARGE = b"GGUF" + bytes(range(256)) * 100_000  # more than two chunks of the hub's library
FILES = {
    "README.md": b"x",
    "coder-q4_k_m.gguf": LARGE,
    "Coder-UD-Q4_K_XL.gguf": b"GGUF ud",
    "coder-q8_0-00001-of-00002.gguf": b"GGUF eins",
    "coder-q8_0-00002-of-00002.gguf": b"GGUF zwei",
    "both-Q6_K.gguf": b"GGUF whole",
    "both-Q6_K-00001-of-00001.gguf": b"GGUF part",
    "twice/a-Q5_0.gguf": b"GGUF a",
    "twice/b-Q5_0.gguf": b"GGUF b",
    "mmproj-F16.gguf": b"GGUF picture",
    "../out-Q2_K.gguf": b"GGUF out",
}


@pytest.fixture
def home(tmp_path, monkeypatch):
    return Home(tmp_path / "home").use(monkeypatch)


@pytest.fixture
def loopback(home, monkeypatch):
    served = LoopbackHub(REPOSITORY, dict(FILES))
    with serve(served) as address:
        monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
        monkeypatch.setattr(constants, "ENDPOINT", address)
        template = f"{address}/{{repo_id}}/resolve/{{revision}}/{{filename}}"
        monkeypatch.setattr(constants, "HUGGINGFACE_CO_URL_TEMPLATE", template)
        yield served


def plan(file, requested="main"):
    return gguf_pull.plan_gguf(f"{REPOSITORY}:{file}", requested)


@pytest.mark.parametrize(
    ("wanted", "files", "name"),
    [
        ("coder-q4_k_m.gguf", ["coder-q4_k_m.gguf"], "hf:org/Coder-GGUF:Q4_K_M"),
        ("CODER-Q4_K_M.GGUF", ["coder-q4_k_m.gguf"], "hf:org/Coder-GGUF:Q4_K_M"),
        ("ud-q4_k_xl", ["Coder-UD-Q4_K_XL.gguf"], "hf:org/Coder-GGUF:UD-Q4_K_XL"),
        ("Q8_0", ["coder-q8_0-00001-of-00002.gguf", "coder-q8_0-00002-of-00002.gguf"], "hf:org/Coder-GGUF:Q8_0"),
        ("Q6_K", ["both-Q6_K.gguf"], "hf:org/Coder-GGUF:Q6_K"),
        ("twice/b-Q5_0.gguf", ["twice/b-Q5_0.gguf"], "hf:org/Coder-GGUF:Q5_0"),
    ],
)  # fmt: skip
def test_what_is_named_is_fetched_and_has_a_name(loopback, wanted, files, name):
    found = plan(wanted)
    assert [file.name for file in found.files] == files
    sizes = []
    first = gguf_pull.pull_gguf(found, sizes.append)
    assert [found.link(file).read_bytes() for file in found.files] == [FILES[n] for n in files]
    assert sizes[-1] == found.nbytes == sum(len(FILES[n]) for n in files)
    assert gguf_pull.name_of(first) == name
    assert (found.root / "refs" / "main").read_text() == COMMIT
    loopback.requests.clear()
    again = plan(wanted)
    assert again.missing_nbytes == 0
    assert gguf_pull.pull_gguf(again) == first
    assert len(loopback.requests) == 1  # the plan's


def test_a_file_has_its_name_in_a_cache_behind_a_link(home, tmp_path):
    home.hub.parent.mkdir(parents=True)
    (tmp_path / "disk").mkdir()
    home.hub.symlink_to(tmp_path / "disk")
    file = home.hub / "models--org--m" / "snapshots" / COMMIT / "m-Q4_K_M.gguf"
    file.parent.mkdir(parents=True)
    file.write_bytes(b"GGUF")
    assert gguf_pull.name_of(file) == "hf:org/m:Q4_K_M"


@pytest.mark.parametrize(
    ("wanted", "sentence"),
    [
        ("Q2_K", "has no file Q2_K; it has coder-q4_k_m.gguf, Coder-UD-Q4_K_XL.gguf, coder-q8_0-00001"),
        ("Q5_0", "has several files Q5_0; it has twice/a-Q5_0.gguf, twice/b-Q5_0.gguf."),
        ("mmproj-F16.gguf", "has no file mmproj-F16.gguf"),
        ("../out-Q2_K.gguf", r"has no file \.\./out-Q2_K.gguf"),
    ],
)  # fmt: skip
def test_what_is_not_there_is_answered_with_what_is(loopback, wanted, sentence):
    with pytest.raises(ModelNotFound, match=sentence):
        plan(wanted)


@pytest.mark.parametrize("ranges", [True, False])
def test_a_download_that_broke_off_goes_on_where_it_was(loopback, monkeypatch, ranges):
    loopback.ranges, loopback.breaks_after = ranges, 11 << 20

    def give_up(_seconds):
        raise ConnectionError("the network is gone")

    with monkeypatch.context() as patch:
        patch.setattr("time.sleep", give_up)
        with pytest.raises(ModelError, match="what was fetched is kept"):
            gguf_pull.pull_gguf(plan("Q4_K_M"))
    rest = plan("Q4_K_M")
    here = rest.nbytes - rest.missing_nbytes
    assert 0 < here < rest.nbytes
    assert gguf_pull.pull_gguf(rest).read_bytes() == LARGE
    assert loopback.requests[-1][2] == f"bytes={here}-"


def test_other_content_than_the_hub_names_is_deleted(loopback):
    loopback.digests["coder-q4_k_m.gguf"] = "0" * 64
    found = plan("Q4_K_M")
    with pytest.raises(ModelDamaged, match="other content than the hub names"):
        gguf_pull.pull_gguf(found)
    assert not found.link(found.files[0]).exists()
    assert plan("Q4_K_M").missing_nbytes == found.nbytes
    loopback.digests["coder-q4_k_m.gguf"] = ""
    with pytest.raises(ModelUnsupported, match="names no SHA-256"):
        plan("Q4_K_M")


def test_a_full_disk_is_seen_before_anything_is_fetched(loopback, monkeypatch):
    found = plan("Q4_K_M")
    loopback.requests.clear()
    monkeypatch.setattr(hub, "free_bytes", lambda _folder: 1000)
    with pytest.raises(ModelError, match="1 kB are free"):
        gguf_pull.pull_gguf(found)
    assert loopback.requests == []


def test_only_an_owner_a_repository_and_a_file_are_a_reference():
    for name in ("org/m:f.gguf", "org/m-GGUF:Q4_K_M", "org/m:sub/f.gguf"):
        assert gguf_pull.is_gguf_reference(name)
    for name in (
        "hf:org/m:Q4_K_M",
        "ollama:m",
        "llama.cpp:cpu",
        "org/m",
        "/a:b.gguf",
        "org/m:",
        "a/b/c:d",
    ):
        assert not gguf_pull.is_gguf_reference(name)  # fmt: skip


@pytest.mark.parametrize("forbidden", [False, True])
def test_the_command_may_use_the_network_unless_the_user_forbids_it(loopback, tmp_path, forbidden):
    """``editd.models`` takes every process off it, and the command has imported that."""
    environment = {
        **os.environ,
        "HF_ENDPOINT": constants.ENDPOINT,
        "HF_HOME": str(tmp_path / "hf"),
        "EDITD_CONFIG": str(tmp_path / "config.toml"),
    }
    environment.pop("HF_HUB_OFFLINE", None)
    environment.pop("TRANSFORMERS_OFFLINE", None)
    environment |= {"HF_HUB_OFFLINE": "1"} if forbidden else {}
    command = [sys.executable, "-m", "editd", "models", "pull", f"{REPOSITORY}:UD-Q4_K_XL"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert ("HF_HUB_OFFLINE forbids" in done.stderr) == forbidden
    assert (
        "`editd config set model.name hf:org/Coder-GGUF:UD-Q4_K_XL`" in done.stderr
    ) != forbidden
