"""The two distributions, with and without torch: the same code, lists that differ by torch's."""

import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]
OF_TORCH = {"torch>=2.6", "transformers>=5.23", "safetensors>=0.4.3", "gguf>=0.17"}


def project(folder):
    return tomllib.loads((ROOT / folder / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def test_editd_core_needs_what_editd_needs_but_torch():
    whole, core = project("."), project("packages/core")
    assert set(whole["dependencies"]) - set(core["dependencies"]) == OF_TORCH
    assert set(core["dependencies"]) < set(whole["dependencies"])
    for name, packages in core["optional-dependencies"].items():
        assert whole["optional-dependencies"][name] == packages
    for key in ("scripts", "requires-python", "license"):
        assert whole[key] == core[key]
