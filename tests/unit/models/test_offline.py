"""What the libraries of the backends find in the environment when they are imported."""

from __future__ import annotations

import os

import pytest

from editd.models.offline import prepare_imports


@pytest.mark.parametrize(
    ("given", "name", "expected"),
    [
        ({}, "HF_HUB_OFFLINE", "1"),
        ({"HF_HUB_OFFLINE": "0"}, "HF_HUB_OFFLINE", "0"),
        ({}, "GOMP_SPINCOUNT", "1000"),
        ({"GOMP_SPINCOUNT": "7"}, "GOMP_SPINCOUNT", "7"),
        ({"OMP_WAIT_POLICY": "active"}, "GOMP_SPINCOUNT", None),
    ],
)
def test_the_user_has_the_last_word(
    monkeypatch: pytest.MonkeyPatch, given: dict[str, str], name: str, expected: str | None
) -> None:
    monkeypatch.setattr(os, "environ", dict(given))
    prepare_imports()
    assert os.environ.get(name) == expected
