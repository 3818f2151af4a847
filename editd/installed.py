"""The way in which this editd was installed, so that a message can tell how to add an extra or a package.

Knows the notes that installers leave: uv's receipt, pipx's metadata, and the folder that a checkout was installed
from (PEP 610). Runs nothing.
"""

from __future__ import annotations

import json
import re
import shlex
import sys
import tomllib
from collections.abc import Iterable
from importlib import metadata
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from editd.files.local_cache import json_object

_DISTRIBUTIONS = ("editd", "editd-core")


def with_extra(extra: str, *, prefix: Path | None = None) -> str:
    """The shell command that installs this editd again with ``extra`` and the extras that it has: with uv or pipx if
    one of them made the environment, else with pip. Reads their notes, runs nothing.

    prefix: the environment; default: the one that runs.
    """
    prefix = prefix or Path(sys.prefix)
    uv, pipx = _uv_extras(prefix), _pipx_extras(prefix)
    extras = ",".join(sorted({*(uv or ()), *(pipx or ()), extra}))
    requirement = f"'{source()}[{extras}]'"
    if uv is not None:
        return f"uv tool install --reinstall {requirement}{_with_flags(_uv_others(prefix))}"
    if pipx is not None:
        return f"pipx install --force {requirement}"
    return f"{_pip(prefix)} {requirement}"


def with_packages(*packages: str, prefix: Path | None = None) -> str:
    """The shell command that installs ``packages`` into the environment of this editd, by the tool
    that made it: with uv by installing editd again, with its extras and packages and these; else
    pipx's ``inject``, else pip. Reads their notes, runs nothing.

    prefix: the environment; default: the one that runs.
    """
    prefix = prefix or Path(sys.prefix)
    if (extras := _uv_extras(prefix)) is not None:
        requirement = (
            f"'{source()}[{','.join(sorted(set(extras)))}]'" if extras else f"'{source()}'"
        )
        others = dict.fromkeys((*_uv_others(prefix), *packages))
        return f"uv tool install --reinstall {requirement}{_with_flags(others)}"
    if _pipx_extras(prefix) is not None:
        return f"pipx inject {distribution()} {' '.join(packages)}"
    return f"{_pip(prefix)} {' '.join(packages)}"


def _pip(prefix: Path) -> str:
    """The beginning of a command with an environment's pip."""
    return f"{prefix / 'bin' / 'python'} -m pip install"


def _with_flags(packages: Iterable[str]) -> str:
    """``--with`` flags for packages."""
    return "".join(f" --with {shlex.quote(package)}" for package in packages)


def _uv_extras(prefix: Path) -> list[str] | None:
    """The extras of ``uv tool install``; ``None`` if uv did not make this environment."""
    needs = _uv_needs(prefix)
    if needs is None:
        return None
    return [extra for need in needs if _is_editd(need) for extra in need.get("extras", ())]


def _uv_others(prefix: Path) -> list[str]:
    """The packages installed with ``--with``, which a new installation would drop."""
    return [
        str(
            need.get("directory")
            or need.get("path")
            or f"{need.get('name')}{need.get('specifier', '')}"
        )
        for need in _uv_needs(prefix) or ()
        if not _is_editd(need)
    ]


def _uv_needs(prefix: Path) -> list[dict[str, Any]] | None:
    """The requirements in uv's receipt in the environment ``prefix``; ``None`` if there is no readable receipt; empty
    if it names none.
    """
    try:
        receipt = tomllib.loads((prefix / "uv-receipt.toml").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    needs: list[dict[str, Any]] = receipt.get("tool", {}).get("requirements", [])
    return needs


def _is_editd(need: dict[str, Any]) -> bool:
    """Whether a requirement is editd."""
    return need.get("name") in _DISTRIBUTIONS


def _pipx_extras(prefix: Path) -> list[str] | None:
    """The extras of ``pipx install``, empty if it had none; ``None`` if pipx did not make this environment (``prefix``)."""
    notes = prefix / "pipx_metadata.json"
    if not notes.is_file():
        return None
    main = json_object(notes).get("main_package")
    requirement = str(main.get("package_or_url")) if isinstance(main, dict) else ""
    extras = re.search(r"\[([\w,. -]*)\]$", requirement)
    return [extra.strip() for extra in extras[1].split(",")] if extras else []


def distribution() -> str:
    """The name of the installed distribution: "editd", else "editd-core", which lacks torch; "editd" if neither is
    installed.
    """
    for name in _DISTRIBUTIONS:
        try:
            metadata.distribution(name)
        except metadata.PackageNotFoundError:
            continue
        return name
    return _DISTRIBUTIONS[0]


def source() -> Path | str:
    """The folder or wheel on this disk that editd was installed from (PEP 610), else its distribution's name."""
    name = distribution()
    try:
        origin = metadata.distribution(name).read_text("direct_url.json")
    except metadata.PackageNotFoundError:
        return name
    address = urlsplit(json.loads(origin)["url"] if origin else "")
    return Path(unquote(address.path)) if address.scheme == "file" else name
