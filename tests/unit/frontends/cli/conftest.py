"""The command line in this process, with an engine that follows a script instead of a daemon."""

from __future__ import annotations

import io
import json
import sys
from dataclasses import dataclass, field
from typing import Any

import pytest

from editd.frontends.cli import edit as edit_command
from editd.frontends.cli import machine, models
from editd.frontends.cli import setup as setup_command
from editd.frontends.cli.app import run
from editd.models.llama_cpp import builds
from editd.stores import hub
from tests.stores import Home, put
from tests.unit.frontends.cli.fake_client import DEFAULT, FakeClient


@dataclass
class Outcome:
    code: int
    out: bytes
    err: str
    client: FakeClient
    records: list[dict[str, Any]] = field(default_factory=list)

    @property
    def text(self) -> str:
        return self.out.decode()


class Terminal(io.TextIOWrapper):
    """Standard input or output that says it is a terminal."""

    def isatty(self) -> bool:
        return True


@pytest.fixture
def editd(monkeypatch, tmp_path, capsysbinary):
    """Run one command line; the client and the script can be given."""
    monkeypatch.chdir(tmp_path)
    config = tmp_path / "settings" / "config.toml"
    config.parent.mkdir()
    config.touch()
    monkeypatch.setenv("EDITD_CONFIG", str(config))
    for name in ("EDITD_MODEL", "EDITD_DEBUG"):
        monkeypatch.setenv(name, "")  # what a command sets is taken back, too
        monkeypatch.delenv(name)

    def call(*arguments, stdin=b"", script=DEFAULT, client=None, error=None, terminal=False):
        client = client or FakeClient(script)

        client.error = error
        monkeypatch.setattr(edit_command, "make_client", lambda config, *, in_process: client)
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        capsysbinary.readouterr()
        if terminal:
            monkeypatch.setenv("TERM", "xterm-256color")
            screen = Terminal(io.BytesIO(), encoding="utf-8")
            with monkeypatch.context() as patch:
                patch.setattr(sys, "stdout", screen)
                code = run([str(argument) for argument in arguments])
            screen.flush()
            out, err = screen.buffer.getvalue(), capsysbinary.readouterr().err
        else:
            code = run([str(argument) for argument in arguments])
            out, err = capsysbinary.readouterr()
        outcome = Outcome(code, out, err.decode(), client)
        if "--json" in arguments or "--stream" in arguments:
            outcome.records = [json.loads(line) for line in out.splitlines() if line]
        return outcome

    return call


@pytest.fixture
def home(tmp_path, monkeypatch):
    """An empty home on a machine of 16 GB without a GPU."""
    home = Home(tmp_path / "home").use(monkeypatch)
    monkeypatch.setenv("EDITD_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.delenv("XDG_DATA_HOME", raising=False)
    monkeypatch.setattr(hub, "_pins_file", lambda: tmp_path / "data" / "pulled.json")
    monkeypatch.setattr(machine, "has_fast_bytes", lambda: False)
    for module in (setup_command, models):
        monkeypatch.setattr(module, "this_machine", lambda: machine.Machine("cpu", "CPU", 16e9))
    monkeypatch.setattr(machine, "gpus", list)
    monkeypatch.setattr(machine, "_outdoes_avx2", lambda: False)
    monkeypatch.delenv("EDITD_LLAMA_CPP", raising=False)
    return home


class Programs:
    """A PATH with programs that note what they are asked, and with nothing else."""

    def __init__(self, folder, monkeypatch):
        self.folder, self.log = folder, folder / "log"
        folder.mkdir()
        monkeypatch.setenv("PATH", f"{folder}:/bin:/usr/bin")

    def add(self, name, *, says="", code=0):
        script = f'#!/bin/sh\necho {name} "$@" >> {self.log}\necho "{says}"\nexit {code}\n'
        put(self.folder / name, script.encode()).chmod(0o755)

    @property
    def asked(self):
        return self.log.read_text().splitlines() if self.log.exists() else []


@pytest.fixture
def programs(tmp_path, monkeypatch):
    programs = Programs(tmp_path / "bin", monkeypatch)
    programs.add("editd")
    return programs


@pytest.fixture
def linux(monkeypatch):
    """A PC with Linux, without CUDA."""
    monkeypatch.setattr(builds.sys, "platform", "linux")
    monkeypatch.setattr(builds.platform, "machine", lambda: "x86_64")
    monkeypatch.setattr(machine, "_has_cuda", lambda: False)
