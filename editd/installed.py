"""How this editd was installed, so that a message can say how to add an extra or a package to it.

Knows the notes that installers leave: uv's receipt, pipx's metadata, and where a checkout was
installed from (PEP 610). Runs nothing.
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


def with_extra(extra: str, *, prefix: Path | None = None) -> str:
    """The command that installs this editd again with ``extra`` beside the extras that it has.

    prefix: the environment; default: the one that runs.
    """
    prefix = prefix or Path(sys.prefix)
    uv, pipx = _uv_extras(prefix), _pipx_extras(prefix)
    extras = ",".join(sorted({*(uv or ()), *(pipx or ()), extra}))
    requirement = f"'{source()}[{extras}]'"
    if uv is not None:
        return f"uv tool install --reinstall {requirement}{_with(_uv_beside(prefix))}"
    if pipx is not None:
        return f"pipx install --force {requirement}"
    return f"{_pip(prefix)} {requirement}"


def with_packages(*packages: str, prefix: Path | None = None) -> str:
    """The command that installs ``packages`` beside this editd.

    prefix: the environment; default: the one that runs.
    """
    prefix = prefix or Path(sys.prefix)
    if (extras := _uv_extras(prefix)) is not None:
        own = f"'{source()}[{','.join(sorted(set(extras)))}]'" if extras else f"'{source()}'"
        beside = dict.fromkeys((*_uv_beside(prefix), *packages))
        return f"uv tool install --reinstall {own}{_with(beside)}"
    if _pipx_extras(prefix) is not None:
        return f"pipx inject {distribution()} {' '.join(packages)}"
    return f"{_pip(prefix)} {' '.join(packages)}"


def _pip(prefix: Path) -> str:
    """The command of this environment's pip."""
    return f"{prefix / 'bin' / 'python'} -m pip install"


def _with(packages: Iterable[str]) -> str:
    """The options ``--with`` of uv for these packages."""
    return "".join(f" --with {shlex.quote(package)}" for package in packages)


def _uv_extras(prefix: Path) -> list[str] | None:
    """The extras that ``uv tool install`` was given; ``None`` if it did not make this environment."""
    needs = _uv_needs(prefix)
    if needs is None:
        return None
    return [extra for need in needs if _is_editd(need) for extra in need.get("extras", ())]


def _uv_beside(prefix: Path) -> list[str]:
    """The packages that ``uv tool install`` was given by ``--with``, which a new installation would drop."""
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
    """The requirements in uv's receipt; ``None`` without one."""
    try:
        receipt = tomllib.loads((prefix / "uv-receipt.toml").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    needs: list[dict[str, Any]] = receipt.get("tool", {}).get("requirements", [])
    return needs


def _is_editd(need: dict[str, Any]) -> bool:
    """Whether a requirement of the receipt is editd."""
    return need.get("name") in _DISTRIBUTIONS


def _pipx_extras(prefix: Path) -> list[str] | None:
    """The extras that ``pipx install`` was given; ``None`` if it did not make this environment."""
    notes = prefix / "pipx_metadata.json"
    if not notes.is_file():
        return None
    main = json_object(notes).get("main_package")
    named = str(main.get("package_or_url")) if isinstance(main, dict) else ""
    extras = re.search(r"\[([\w,. -]*)\]$", named)
    return [extra.strip() for extra in extras[1].split(",")] if extras else []


_DISTRIBUTIONS = ("editd", "editd-core")


def distribution() -> str:
    """The name of the installed distribution: "editd", or "editd-core", which lacks torch."""
    for name in _DISTRIBUTIONS:
        try:
            metadata.distribution(name)
        except metadata.PackageNotFoundError:
            continue
        return name
    return _DISTRIBUTIONS[0]


def source() -> Path | str:
    """The folder or wheel that editd was installed from (PEP 610), else its distribution's name."""
    name = distribution()
    try:
        record = metadata.distribution(name).read_text("direct_url.json")
    except metadata.PackageNotFoundError:
        return name
    address = urlsplit(json.loads(record)["url"] if record else "")
    return Path(unquote(address.path)) if address.scheme == "file" else name
