"""``editd models`` and the hub: what is here, what would be fetched, and what went wrong."""

import errno
import json
import os
import re
import shutil
import subprocess
import sys
from types import SimpleNamespace

import huggingface_hub
import pytest
from huggingface_hub import constants, errors

from editd.embedded import base_model
from editd.frontends.cli import catalogue, machine, models, models_here
from editd.frontends.cli.catalogue import GGUF_MODELS, SAFETENSORS_MODELS
from editd.stores import gguf_pull, hub

SHA = "a" * 40
FILES = {
    "config.json": 600,
    "generation_config.json": 100,
    "tokenizer.json": 7_000_000,
    "tokenizer_config.json": 7_000,
    "merges.txt": 1_000,
    "model-00001-of-00002.safetensors": 5_000_000,
    "model-00002-of-00002.safetensors": 3_000_000,
    "model.safetensors.index.json": 30_000,
    "LICENSE": 11_000,
    "README.md": 5_000,
    "modeling_evil.py": 10,
    "pytorch_model.bin": 8_000_000,
    "consolidated.safetensors": 8_000_000,
    "onnx/model.onnx": 9_000_000,
    "onnx/model.safetensors": 9_000_000,
    "original/params.json": 10,
}
WANTED = {
    "config.json", "generation_config.json", "tokenizer.json", "tokenizer_config.json",
    "merges.txt", "model-00001-of-00002.safetensors", "model-00002-of-00002.safetensors",
    "model.safetensors.index.json", "LICENSE",
}  # fmt: skip


@pytest.fixture
def cache(tmp_path, monkeypatch):
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path / "hub"))
    monkeypatch.setattr(hub, "_pins_file", lambda: tmp_path / "data" / "pulled.json")
    return tmp_path / "hub"


@pytest.fixture
def fake_hub(cache, monkeypatch):
    """A hub with one model. ``fails`` raises instead; ``fetched`` is what was asked for."""
    state = SimpleNamespace(files=dict(FILES), fetched=[], fails=None, revisions=[], sha=SHA)

    class Api:
        def model_info(self, model_id, *, revision, files_metadata):
            assert files_metadata
            state.revisions.append(revision)
            if state.fails:
                raise state.fails
            siblings = [
                SimpleNamespace(rfilename=name, size=size) for name, size in state.files.items()
            ]
            return SimpleNamespace(sha=state.sha, siblings=siblings)

    def download(model_id, name, *, revision):
        assert revision == state.sha
        path = cache / ("models--" + model_id.replace("/", "--")) / "snapshots" / revision / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"x")
        state.fetched.append(name)
        return str(path)

    monkeypatch.setattr(huggingface_hub, "HfApi", Api)
    monkeypatch.setattr(huggingface_hub, "hf_hub_download", download)
    return state


def test_pull_fetches_weights_tokenizer_and_licence_and_never_code(editd, fake_hub, cache):
    outcome = editd("models", "pull", "org/m")
    assert outcome.code == 0, outcome.err
    assert set(fake_hub.fetched) == WANTED
    first = outcome.err.splitlines()[0]
    assert f"org/m at {SHA[:12]}: 9 files, 15 MB" in first
    assert "free" in first
    root = cache / "models--org--m"
    assert (root / "refs" / "main").read_text() == SHA
    assert hub.local_folder("org/m") == root / "snapshots" / SHA
    assert hub.pulled_models() == ["org/m"]


def test_the_pulled_revision_stays_until_it_is_pulled_again(editd, fake_hub, cache):
    editd("models", "pull", "org/m", "--revision", "v1")
    assert fake_hub.revisions == ["v1"]
    pinned = hub.local_folder("org/m")
    other = pinned.parent / ("b" * 40)
    shutil.copytree(pinned, other)
    (cache / "models--org--m" / "refs" / "main").write_text("b" * 40)
    assert hub.local_folder("org/m") == pinned
    assert hub.local_folder("org/m@main") == other
    assert hub.local_folder("org/m@" + "b" * 40) == other
    assert hub.local_folder("org/m@v2") is None


def test_what_is_here_is_not_fetched_again(fake_hub, cache):
    hub.pull(hub.plan_pull("org/m"))
    plan = hub.plan_pull("org/m")
    assert (plan.bytes > 0, plan.bytes_missing) == (True, 0)


def test_a_full_disk_is_seen_before_anything_is_fetched(editd, fake_hub, monkeypatch):
    usage = SimpleNamespace(total=0, used=0, free=10_000_000)
    monkeypatch.setattr(shutil, "disk_usage", lambda path: usage)
    outcome = editd("models", "pull", "org/m")
    assert (outcome.code, fake_hub.fetched) == (4, [])
    assert "org/m needs 15 MB more" in outcome.err
    assert "10 MB are free" in outcome.err


def response(status):
    """Enough of an HTTP response for the library's errors."""
    return SimpleNamespace(
        status_code=status,
        headers={},
        request=SimpleNamespace(url="", method="GET"),
        json=dict,
        url="",
    )


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (lambda: errors.GatedRepoError("x", response=response(403)), "is gated: accept its licence at https://huggingface.co/org/m"),
        (lambda: errors.RepositoryNotFoundError("x", response=response(404)), "There is no model org/m on the hub"),
        (lambda: errors.RevisionNotFoundError("x", response=response(404)), "org/m has no revision 'main'"),
        (lambda: errors.OfflineModeIsEnabled("x"), "HF_HUB_OFFLINE forbids"),
        (lambda: ConnectionError("Name or service\nnot known"), "(Name or service not known); check the network"),
        (lambda: RuntimeError("SSL"), "could not be fetched from the hub (SSL)"),
        (lambda: OSError(errno.ENOSPC, "No space left"), "is full"),
    ],
)  # fmt: skip
def test_each_failure_is_one_sentence(editd, fake_hub, error, sentence):
    fake_hub.fails = error()
    outcome = editd("models", "pull", "org/m")
    assert (outcome.code, len(outcome.err.splitlines())) == (4, 1), outcome.err
    assert sentence in outcome.err


@pytest.mark.parametrize(
    ("files", "sentence"),
    [
        ({"config.json": 1, "pytorch_model.bin": 1}, "neither safetensors weights"),
        ({"m-Q4_0.gguf": 1}, "name one of them, such as `editd models pull org/m:m-Q4_0.gguf`"),
        ({"adapter_config.json": 1, "adapter_model.safetensors": 1}, "contains an adapter"),
    ],
)
def test_what_editd_cannot_load_is_not_fetched(editd, fake_hub, files, sentence):
    fake_hub.files = files
    outcome = editd("models", "pull", "org/m")
    assert (outcome.code, fake_hub.fetched) == (4, [])
    assert sentence in outcome.err


def test_a_name_that_is_no_hub_id_is_a_usage_error(editd, fake_hub):
    assert editd("models", "pull", "not a model").code == 2
    assert fake_hub.revisions == []


def test_the_list_knows_what_is_here_and_what_fits(editd, fake_hub, monkeypatch):
    here = machine.Machine("cpu", "CPU", 16_000_000_000)
    monkeypatch.setattr("editd.frontends.cli.models.this_machine", lambda: here)
    hub.pull(hub.plan_pull("Qwen/Qwen2.5-Coder-0.5B-Instruct"))
    hub.pull(hub.plan_pull("org/other"))
    listed = json.loads(editd("models", "list", "--json").out)
    assert listed["used"] == "embedded"
    assert {"org/other", "Qwen/Qwen2.5-Coder-0.5B-Instruct"} <= {m["name"] for m in listed["here"]}
    text = editd("models").text
    assert "16 GB of memory" in text
    assert "  org/other" in text
    here, _, to_pull = text.partition("to pull")
    assert "Qwen2.5-Coder-0.5B-Instruct" in here
    assert "Qwen2.5-Coder-0.5B-Instruct " not in to_pull
    assert re.search(r"Qwen2.5-Coder-1.5B-Instruct-GGUF:Q4_K_M .* yes +check every edit\n", to_pull)
    assert re.search(r"Qwen2.5-Coder-1.5B-Instruct .* yes +check every edit\n", to_pull)
    assert re.search(r"Qwen2.5-Coder-14B-Instruct .* no +untried\n", to_pull)
    assert "Untried: nobody has fetched" in text


def test_what_was_converted_is_listed_and_cleaned(editd, fake_hub, tmp_path, monkeypatch):
    monkeypatch.setenv("EDITD_CACHE_DIR", str(tmp_path))
    there, gone = tmp_path / "there.gguf", tmp_path / "gone.gguf"
    there.touch()
    for source in (there, gone):
        folder = tmp_path / "openvino" / f"{source.stem}-1-2"
        folder.mkdir(parents=True)
        folder.with_name(f"{folder.name}.lock").touch()
        (folder / "editd.json").write_text(json.dumps({"source": str(source)}))
        (folder / "model.safetensors").write_bytes(bytes(3_000_000))
    (tmp_path / "openvino" / ".unfinished-x").mkdir()
    listed = json.loads(editd("models", "list", "--json").out)["converted"]
    assert [one["source"] for one in listed] == [str(gone), str(there)]
    assert "  there.gguf" in editd("models").text
    for option, left in (("--unused", ["there-1-2", "there-1-2.lock"]), (None, [])):
        told = editd("models", "clean", *filter(None, [option]))
        assert "3.0 MB freed." in told.err
        assert sorted(path.name for path in (tmp_path / "openvino").glob("[!.]*")) == left


@pytest.mark.parametrize(
    ("torch", "gguf"), [(True, True), (True, False), (False, True), (False, False)]
)
@pytest.mark.parametrize("embedded", [True, False])
def test_only_what_this_installation_runs_is_offered(
    editd, cache, monkeypatch, torch, gguf, embedded
):
    folder = cache / "models--org--m" / "snapshots" / SHA
    folder.mkdir(parents=True)
    (folder / "model.safetensors").write_bytes(b"x")
    (folder / "config.json").write_text("{}")
    monkeypatch.setattr(hub, "pulled_models", lambda: ["org/m"])
    monkeypatch.setattr(hub, "local_folder", lambda _name: folder)
    monkeypatch.setattr(base_model, "is_downloaded", lambda: embedded)
    for module in (models_here, models):
        monkeypatch.setattr(module, "has_torch", lambda: torch)
        monkeypatch.setattr(module, "runs_gguf", lambda: gguf)
    told = editd("models").out.decode()
    here, _, to_pull = told.partition("to pull")
    assert ("* embedded " in here, "  embedded " in to_pull) == (embedded, not embedded)
    assert ("org/m" in here, "needs PyTorch" in here) == (True, not torch)
    assert (f"  {SAFETENSORS_MODELS[0].name}  " in told) == torch
    assert (GGUF_MODELS[0].short_name in told) == gguf
    assert ("safetensors.\n" in told, "a .gguf file" in told) == (torch, gguf)
    assert ("on a server" in told) == (not (torch or gguf))
    figures = json.loads(editd("models", "list", "--json").out)
    assert ("embedded" in {model["name"] for model in figures["here"]}) == embedded


def test_the_catalogue_goes_from_small_to_large_and_names_each_once():
    for models_of_kind in (GGUF_MODELS, SAFETENSORS_MODELS):
        names = [model.name for model in models_of_kind]
        assert len(set(names)) == len({model.short_name for model in models_of_kind}) == len(names)
        sizes = [model.nbytes for model in models_of_kind]
        assert sizes == sorted(sizes)
    for model in GGUF_MODELS:
        assert gguf_pull.is_gguf_reference(model.name)
        assert gguf_pull.is_gguf_reference(model.short_name)
        assert model.is_fetched or model.measured == catalogue.NOT_MEASURED
    offered = [model for model in GGUF_MODELS if "cpu" in model.offered]
    assert [round(model.parameters) for model in offered] == [2, 8, 35]
    largest = machine.Machine("cpu", "CPU", 24 << 30)
    assert all(largest.has_room(largest.needs_bytes(model.nbytes)) for model in offered)


@pytest.mark.parametrize(
    ("number", "text"), [(999, "1 kB"), (12e6, "12 MB"), (3.14e9, "3.1 GB"), (2e13, "20 TB")]
)
def test_bytes_are_readable(number, text):
    assert hub.gigabytes(number) == text


def test_what_pulls_has_not_taken_itself_off_the_network():
    """``editd.models`` does that when it is imported, for the whole process."""
    code = "import editd.frontends.cli.app, editd.stores.hub, os; print(os.environ.get('HF_HUB_OFFLINE'))"
    environment = {name: value for name, value in os.environ.items() if name != "HF_HUB_OFFLINE"}
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, env=environment)
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, b"None\n", b"")
