"""Linters on the PATH are offered and named, and off until they are chosen."""

import pytest

from editd.config import ChecksConfig
from editd.config_sources import config_path, read_table
from editd.frontends.cli.linters_here import describe_linters, offer_linters


@pytest.fixture
def programs(tmp_path, monkeypatch):
    """Ruff and gofmt are on the PATH, and the user's settings are empty."""
    for name in ("ruff", "gofmt"):
        (tmp_path / name).write_text("#!/bin/sh\n")
        (tmp_path / name).chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("EDITD_CONFIG", str(tmp_path / "config.toml"))


@pytest.mark.parametrize(
    ("checks", "answer", "written"),
    [
        (ChecksConfig(), 0, set()),
        (ChecksConfig(), 1, {"python"}),
        (ChecksConfig(), 2, {"go"}),
        (ChecksConfig(), 3, {"python", "go"}),
        (ChecksConfig(go="gofmt -d"), 1, {"python"}),
        (ChecksConfig(python="pylint -", go="gofmt -d"), None, set()),
    ],
)
def test_what_is_offered(programs, checks, answer, written):
    asked = []

    def ask(question, lines):
        asked.append(lines)
        return answer

    offer_linters(checks, ask)
    assert bool(asked) == (answer is not None)
    table, _ = read_table(config_path())
    assert table.get("checks", {}).keys() == written


@pytest.mark.parametrize(
    ("checks", "words", "remedy"),
    [
        (ChecksConfig(), "found and off: ruff for python, gofmt for go", ""),
        (ChecksConfig(python="ruff -"), "ruff for python; found and off: gofmt for go", ""),
        (
            ChecksConfig(python="pylint -"),
            "the check for python, pylint, is not installed",
            "Correct it with: editd config set checks.python COMMAND",
        ),
    ],
)
def test_what_doctor_names(programs, checks, words, remedy):
    text, found = describe_linters(checks)
    assert words in text
    assert found == remedy
