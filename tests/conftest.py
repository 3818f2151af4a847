"""What every test may count on: no accelerator, one thread, nothing of the user's touched."""

import pytest

pytest_plugins = ["tests.demo_model"]


@pytest.fixture(autouse=True)
def own_folders(tmp_path_factory, monkeypatch):
    """Configuration, sockets and logs of a test are its own."""
    home = tmp_path_factory.mktemp("home")
    monkeypatch.setenv("EDITD_CONFIG", str(home / "config.toml"))
    monkeypatch.setenv("EDITD_STATE_DIR", str(home / "state"))
