"""Named instructions for common requests.

A leaf: imports nothing of editd's. ``config.edit.presets`` adds to these, changes them by giving
the same name another instruction, and removes one by giving it an empty instruction.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Preset:
    """One named instruction; ``title`` is what a menu shows."""

    name: str
    title: str
    instruction: str


BUILT_IN = (
    Preset(
        "docstring",
        "Write docstrings",
        "Add a short docstring or documentation comment, in the style of this file, to every "
        "function, method and class that has none. Change nothing else.",
    ),
    Preset(
        "types",
        "Add type hints",
        "Add type annotations to the parameters and return values that lack them, with the "
        "imports that they need. Change nothing else.",
    ),
    Preset(
        "fix",
        "Fix problems",
        "Fix the problems that the diagnostics name or, where there are none, the bugs in this "
        "code. Change as little as possible.",
    ),
    Preset(
        "simplify",
        "Simplify",
        "Simplify this code and make it easier to read without changing what it does.",
    ),
    Preset(
        "tests",
        "Add tests",
        "Add tests for this code, in the style of the tests in this file if there are any. "
        "Change nothing else.",
    ),
    Preset(
        "translate",
        "Translate comments to English",
        "Translate all comments and docstrings to English. Change no code.",
    ),
)


def presets_with(configured: Mapping[str, str]) -> dict[str, Preset]:
    """The built-in presets and the user's, by name, in the order of a menu."""
    presets = {preset.name: preset for preset in BUILT_IN}
    for name, instruction in configured.items():
        if not instruction.strip():
            presets.pop(name, None)
            continue
        title = presets[name].title if name in presets else _title(name)
        presets[name] = Preset(name, title, instruction)
    return presets


def _title(name: str) -> str:
    return name.replace("-", " ").replace("_", " ").capitalize()
