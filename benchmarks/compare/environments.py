"""Where an engine is installed: beside editd, or in an environment of its own.

vLLM's CPU build, for one, asks for another transformers than editd. A worker reads nothing of editd
but a few modules without dependencies, so it runs in any environment that is shown this package.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import benchmarks
import editd
from editd.errors import UsageError

_PATIENCE = 120  # seconds; the first start of a large environment reads much
_ASK = """
import json, sys
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
modules, packages = json.loads(sys.argv[1])
versions = {}
for package in packages:
    try:
        versions[package] = version(package)
    except PackageNotFoundError:
        pass
print(json.dumps([[name for name in modules if find_spec(name) is None], versions]))
"""


@dataclass(frozen=True, slots=True)
class Environment:
    """A Python. shown: a folder that holds this package and nothing else; empty: it is there."""

    python: str
    shown: str = ""

    def variables(self) -> dict[str, str]:
        """Of a process in it."""
        return {**os.environ, "PYTHONPATH": self.shown} if self.shown else dict(os.environ)

    def lacks(self, modules: Sequence[str]) -> list[str]:
        """Those of ``modules`` that it cannot import. Raises ``UsageError`` if it is no Python."""
        return _asked(self.python, tuple(modules), ())[0]

    def versions(self, packages: Sequence[str]) -> dict[str, str]:
        """Those of ``packages`` that it has."""
        return _asked(self.python, (), tuple(packages))[1]


HERE = Environment(sys.executable)


def environments(
    given: Sequence[str], engines: Collection[str], folder: Path
) -> dict[str, Environment]:
    """By name out of ``engines``, what ``--python ENGINE=PROGRAM`` says. ``folder``: for a link."""
    found = {}
    for words in given:
        engine, _, python = words.partition("=")
        if engine not in engines or not python:
            raise UsageError(
                f"--python {words}: write ENGINE=PROGRAM, such as vllm=env/bin/python, with an "
                f"engine of {', '.join(engines)}."
            )
        found[engine] = Environment(str(Path(python).expanduser().absolute()), str(folder))
    if found:
        for package in (editd, benchmarks):
            home = Path(str(package.__file__)).parent
            (folder / home.name).symlink_to(home, target_is_directory=True)
    return found


@cache
def _asked(
    python: str, modules: tuple[str, ...], packages: tuple[str, ...]
) -> tuple[list[str], dict[str, str]]:
    try:
        told = subprocess.run(
            [python, "-c", _ASK, json.dumps([modules, packages])],
            capture_output=True,
            text=True,
            timeout=_PATIENCE,
            check=True,
        )
        absent, versions = json.loads(told.stdout)
    except (OSError, subprocess.SubprocessError, ValueError) as error:
        raise UsageError(
            f"--python: {python} does not run as a Python: name one, such as env/bin/python."
        ) from error
    return absent, versions
