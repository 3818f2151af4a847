"""What the libraries of the backends find in the environment when they are imported."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest


@pytest.mark.parametrize(
    ("given", "name", "expected"),
    [
        ({}, "HF_HUB_OFFLINE", "1"),
        ({"HF_HUB_OFFLINE": "0"}, "HF_HUB_OFFLINE", "0"),
        ({}, "GOMP_SPINCOUNT", "1000"),
        ({"GOMP_SPINCOUNT": "7"}, "GOMP_SPINCOUNT", "7"),
        ({"OMP_WAIT_POLICY": "active"}, "GOMP_SPINCOUNT", "None"),
    ],
)
def test_the_user_has_the_last_word(given: dict[str, str], name: str, expected: str) -> None:
    bare = {
        key: value
        for key, value in os.environ.items()
        if not key.startswith(("GOMP", "OMP", "HF_"))
    }
    program = f"import editd.models, os; print(os.environ.get({name!r}))"
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={**bare, **given},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == expected
