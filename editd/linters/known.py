"""Ready-made commands for linters that are on the PATH; which of them run is left to the user's settings."""

from __future__ import annotations

import shlex
import shutil

from editd.files.local_cache import cache_dir

_ESLINT = "eslint --format json --stdin --stdin-filename {path}"
# By language, the program on the PATH and its command; the first that is found is offered.
_KNOWN = (
    ("python", "ruff", "ruff check --output-format json --stdin-filename {path} -"),
    ("javascript", "eslint", _ESLINT),
    ("typescript", "eslint", _ESLINT),
    ("typescript", "tsc", "tsc --noEmit --pretty false -p ."),
    ("go", "gofmt", "gofmt -d"),
    ("rust", "cargo-clippy", "cargo clippy --offline --message-format json --target-dir {cache}"),
)


def found_commands() -> dict[str, str]:
    """The command line for each language of which a linter is on the PATH, the first of them in ``_KNOWN``. Runs
    nothing.
    """
    # Compiled dependencies are used again, and nothing is written into the project.
    cache = shlex.quote(str(cache_dir() / "clippy"))
    found: dict[str, str] = {}
    for language, program, line in _KNOWN:
        if language not in found and shutil.which(program):
            found[language] = line.replace("{cache}", cache)
    return found
