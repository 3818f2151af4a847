"""A message says how to add an extra or a package to the editd that is installed."""

import json

import pytest

from editd import installed

RECEIPT = """
[tool]
requirements = [{ name = "other", specifier = ">=2" }, { name = "editd-core", extras = ["llama"], directory = "/src" }]
"""
PIPX = json.dumps({"main_package": {"package_or_url": "/src/packages/core[llama, mcp]"}})


@pytest.mark.parametrize(
    ("notes", "command"),
    [
        ({}, "{prefix}/bin/python -m pip install '/a b/core[http]'"),
        (
            {"uv-receipt.toml": RECEIPT},
            "uv tool install --reinstall '/a b/core[http,llama]' --with 'other>=2'",
        ),
        ({"uv-receipt.toml": "damaged ["}, "{prefix}/bin/python -m pip install '/a b/core[http]'"),
        ({"pipx_metadata.json": PIPX}, "pipx install --force '/a b/core[http,llama,mcp]'"),
        ({"pipx_metadata.json": "{}"}, "pipx install --force '/a b/core[http]'"),
    ],
)
def test_the_command_is_that_of_the_installer(tmp_path, monkeypatch, notes, command):
    monkeypatch.setattr(installed, "source", lambda: "/a b/core")
    for name, text in notes.items():
        (tmp_path / name).write_text(text)
    assert installed.with_extra("http", prefix=tmp_path) == command.format(prefix=tmp_path)


@pytest.mark.parametrize(
    ("notes", "command"),
    [
        ({}, "{prefix}/bin/python -m pip install a b"),
        (
            {"uv-receipt.toml": RECEIPT},
            "uv tool install --reinstall '/a b/core[llama]' --with 'other>=2' --with a --with b",
        ),
        ({"pipx_metadata.json": PIPX}, "pipx inject editd-core a b"),
    ],
)
def test_a_package_is_put_beside_it(tmp_path, monkeypatch, notes, command):
    monkeypatch.setattr(installed, "source", lambda: "/a b/core")
    monkeypatch.setattr(installed, "distribution", lambda: "editd-core")
    for name, text in notes.items():
        (tmp_path / name).write_text(text)
    told = installed.with_packages("a", "b", prefix=tmp_path)
    assert told == command.format(prefix=tmp_path)


@pytest.mark.parametrize(
    ("name", "told", "folder"),
    [
        ("editd", '{"url": "file:///my%20code/editd"}', "/my code/editd"),
        ("editd-core", '{"url": "file:///code/editd/packages/core"}', "/code/editd/packages/core"),
        ("editd", '{"url": "https://example.org/editd.whl"}', "editd"),
        ("editd-core", None, "editd-core"),
        ("neither", None, "editd"),
    ],
)
def test_the_source_is_the_folder_if_there_is_one(monkeypatch, name, told, folder):
    class Distribution:
        def read_text(self, _file):
            return told

    def find(wanted):
        if wanted != name:
            raise installed.metadata.PackageNotFoundError(wanted)
        return Distribution()

    monkeypatch.setattr(installed.metadata, "distribution", find)
    assert str(installed.source()) == folder
