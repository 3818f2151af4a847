from __future__ import annotations

import os
from pathlib import Path

import pytest


@pytest.fixture
def every_delta(monkeypatch):
    """Each delta is told at once."""
    monkeypatch.setattr("editd.frontends.lsp.requests.edit.DELTA_SECONDS", 0.0)


@pytest.fixture(autouse=True)
def patience(monkeypatch):
    """A busy machine is no editor that tells of its changes late, and no engine that is deaf."""
    monkeypatch.setattr("editd.frontends.lsp.requests.accept.CONFIRM_SECONDS", 60.0)
    monkeypatch.setattr("editd.frontends.lsp.requests.edit.CANCEL_SECONDS", 60.0)


@pytest.fixture
def a_deaf_engine_is_soon_left(monkeypatch):
    """As it is for users: its answer is not waited for."""
    monkeypatch.setattr("editd.frontends.lsp.requests.edit.CANCEL_SECONDS", 0.01)


@pytest.fixture(autouse=True)
def empty_configuration(own_folders, monkeypatch):
    """The configuration file that ``own_folders`` names exists and says nothing."""
    Path(os.environ["EDITD_CONFIG"]).touch()
    for name in ("EDITD_MODEL", "EDITD_DECODE_DRAFTER"):
        monkeypatch.delenv(name, raising=False)
