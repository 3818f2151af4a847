"""The command line in this process, with an engine that follows a script instead of a daemon."""

from __future__ import annotations

import io
import json
import sys
from dataclasses import dataclass, field
from typing import Any

import pytest

from editd.frontends.cli import edit as edit_command
from editd.frontends.cli.app import run
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
