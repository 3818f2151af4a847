"""What tests of the engine share."""

import pytest

from editd.decode.costs import RoundCosts


class SettledCosts(RoundCosts):
    """Costs that know nothing and learn nothing: windows and trees are the same in every run."""

    def learn(self, *_, **__):
        """Nothing."""


@pytest.fixture
def settled_costs(monkeypatch):
    """For modules that count rounds; ``test_windows.py`` measures."""
    for user in ("answer_settings", "local_text_source"):
        monkeypatch.setattr(f"editd.engine.{user}.round_costs", lambda _model: SettledCosts())
