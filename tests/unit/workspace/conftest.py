"""A project, a private cache folder and a tokenizer's folder for each test."""

import json
from pathlib import Path

import pytest

from editd.models.text.token_bytes import byte_alphabet


@pytest.fixture
def root(tmp_path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    return folder


@pytest.fixture
def cache(tmp_path) -> Path:
    return tmp_path / "cache"


@pytest.fixture
def tokenizer(tmp_path) -> Path:
    """A byte-level tokenizer without merges."""
    folder = tmp_path / "model"
    folder.mkdir()
    byte_level = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True}
    spec = {
        "version": "1.0",
        "added_tokens": [],
        "normalizer": None,
        "pre_tokenizer": {**byte_level, "use_regex": True},
        "post_processor": None,
        "decoder": byte_level,
        "model": {
            "type": "BPE",
            "vocab": byte_alphabet(),
            "merges": [],
        },
    }
    (folder / "tokenizer.json").write_text(json.dumps(spec))
    return folder


@pytest.fixture(autouse=True)
def no_ignore_file_of_the_user(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
