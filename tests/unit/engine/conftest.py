"""What tests of the engine share."""

import pytest

from editd.decode.costs import RoundCosts, Sample


class SettledCosts(RoundCosts):
    """Costs that no busy machine changes: windows and trees are the same in every run."""

    def __init__(self):
        super().__init__(samples=[Sample(k, 0, max(1.0, k / 16)) for k in (1, 16, 64, 256)])

    def learn(self, *_, **__):
        """Nothing."""


@pytest.fixture
def settled_costs(monkeypatch):
    """For modules that count rounds; ``test_windows.py`` measures."""
    monkeypatch.setattr("editd.engine.settings.round_costs", lambda _model: SettledCosts())
