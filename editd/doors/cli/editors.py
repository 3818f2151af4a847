"""The editors on this machine, and how to install editd's plugin in each.

Knows the editors' programs, folders and commands; the plugins are in ``clients/``. Existing files are not
replaced.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import editd
from editd.errors import UsageError
from editd.installed import source

_SECONDS = 600.0  # that one command may take; npm fetches packages


@dataclass(frozen=True, slots=True)
class Editor:
    """An editor that was found. install: installs the plugin and returns a sentence about it."""

    name: str
    title: str
    install: Callable[[], str]


def editors() -> list[Editor]:
    """Those on the PATH, each kind once."""
    found = []
    if code := next(filter(None, map(shutil.which, _VS_CODES)), None):
        found.append(Editor("vscode", f"VS Code ({code})", lambda: _install_in_vs_code(code)))
    if nvim := shutil.which("nvim"):
        found.append(Editor("neovim", f"Neovim ({nvim})", lambda: _install_in_neovim(nvim)))
    return found


def make_editd_found() -> str:
    """Let editors find ``editd`` on the PATH. Returns a sentence if something was done or is left to do."""
    if shutil.which("editd"):
        return ""
    program = Path(sys.executable).with_name("editd")
    folder = Path.home() / ".local" / "bin"
    link = folder / "editd"
    if not program.exists():
        return "Editors look for `editd` on the PATH, and it is not there: install editd."
    if str(folder) not in os.get_exec_path() or link.is_symlink() or link.exists():
        return f"Editors look for `editd` on the PATH: link {program} into a folder that is on it."
    folder.mkdir(parents=True, exist_ok=True)
    link.symlink_to(program)
    return f"{link} now points to {program}, so editors find editd."


_VS_CODES = ("code", "codium", "code-insiders", "code-oss")
_OLDEST_NEOVIM = (0, 10)


def _install_in_vs_code(code: str) -> str:
    extension = _extension()
    _run(code, "--install-extension", str(extension), "--force")
    return f"The extension {extension.name} is installed in VS Code."


def _extension() -> Path:
    """The packaged extension, built first if only its source is here."""
    folder = _clients() / "vscode"
    if not (folder / "package.json").is_file() and (checkout := _installed_from()):
        folder = checkout / "clients" / "vscode"
    if not (folder / "package.json").is_file():
        raise UsageError(
            "The VS Code extension is not part of this installation: run `make editors` in a "
            "checkout, then `code --install-extension dist/editd.vsix`."
        )
    built = folder / "editd.vsix"
    if not built.is_file():
        npm = shutil.which("npm")
        if npm is None:
            raise UsageError(
                "Building the VS Code extension needs Node and npm: install them and run "
                "`editd setup` again."
            )
        _run(npm, "ci", "--no-audit", "--no-fund", cwd=folder)
        _run(npm, "run", "package", cwd=folder)
    return built


def _install_in_neovim(nvim: str) -> str:
    found = re.search(r"NVIM v(\d+)\.(\d+)", _run(nvim, "--version"))
    if found is None or (int(found[1]), int(found[2])) < _OLDEST_NEOVIM:
        raise UsageError("The plugin needs Neovim 0.10 or newer: update it.")
    plugin = _clients() / "nvim"
    base = os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share"
    link = Path(base) / "nvim" / "site" / "pack" / "editd" / "start" / "editd"
    was_there = link.exists()
    if was_there and link.resolve() != plugin.resolve():
        raise UsageError(f"Another plugin is in {link}: remove it, then run `editd setup` again.")
    if not was_there:
        link.unlink(missing_ok=True)  # it may point to a folder that no longer exists
        link.parent.mkdir(parents=True, exist_ok=True)
        link.symlink_to(plugin, target_is_directory=True)
    # Neovim finds no help without an index of it, which plugin managers make, too.
    _run(nvim, "--clean", "--headless", "-c", "helptags doc", "-c", "qa", cwd=link)
    told = f"The plugin was in {link} already" if was_there else f"The plugin is in {link}"
    return f"{told}; `:help editd` says how to use it."


def _clients() -> Path:
    """Beside the package in a checkout, inside it where it was installed."""
    package = Path(editd.__file__).parent
    inside = package / "clients"
    return inside if inside.is_dir() else package.parent / "clients"


def _installed_from() -> Path | None:
    """The checkout that pip, pipx or uv installed from, if it still exists."""
    folder = source()
    if isinstance(folder, str):
        return None
    checkout = folder.parents[1] if folder.name == "core" else folder
    return checkout if (checkout / "clients").is_dir() else None


def _run(*command: str, cwd: Path | None = None) -> str:
    """The output of a program; raises ``UsageError`` with its last line if it fails."""
    shown = f"{Path(command[0]).name} {' '.join(command[1:])}"
    try:
        done = subprocess.run(
            command, cwd=cwd, capture_output=True, text=True, timeout=_SECONDS, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise UsageError(f"`{shown}` did not run: {error}.") from error
    if done.returncode:
        said = (done.stderr or done.stdout).strip().splitlines() or ["it said nothing"]
        raise UsageError(f"`{shown}` failed: {said[-1].rstrip('.')}.")
    return done.stdout
