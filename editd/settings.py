"""Combines files, environment variables and flags into one ``Config``.

Later places win: the defaults in ``config``, the user's TOML file, environment variables, LSP
initialization options, flags of the command line. For a wrong value, a warning names its place and
the allowed values, and the value of the previous place is used.

No file of a workspace is ever read. But initialization options often come from one
(``.vscode/settings.json``, ``.zed/settings.json``, ``.helix/languages.toml``), so they may choose
among the models that the user pulled, but not name a folder.
"""

from __future__ import annotations

import dataclasses
import difflib
import functools
import os
import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import platformdirs

from editd.config import Config
from editd.errors import ConfigError
from editd.messages import EditOptions, Loading
from editd.setting_values import (
    check_value,
    did_you_mean,
    known_settings,
    parse_value,
    sections,
    show,
)

__all__ = [
    "KEY_VARIABLE",
    "Resolved",
    "config_path",
    "model_reference",
    "read_table",
    "resolve",
    "show",
]

CONFIG_VARIABLE = "EDITD_CONFIG"  # the path of the configuration file
DEBUG_VARIABLE = "EDITD_DEBUG"  # show tracebacks
KEY_VARIABLE = "EDITD_MODEL_KEY"  # the key of a remote engine's server

MODEL_KEYS = ("model.name", "model.draft")
_VARIABLE = "environment variable"  # an origin begins so
_MOST_BYTES = 1 << 20  # of a configuration file
_SHORT_VARIABLES = {"EDITD_MODEL": "model.name"}

Table = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Resolved:
    """A configuration, and where each of its values came from (missing keys: the default)."""

    config: Config
    origins: Mapping[str, str]
    warnings: tuple[str, ...]

    def edit_options(self, *, file_is_fresh: bool = True) -> EditOptions:
        """The options of a request that make a running daemon use these values.

        Only values that were set are sent; for the rest, the daemon's own configuration decides.
        file_is_fresh: the file was read just now. An editor's process read it when it started, and
        the daemon's settings may be newer.
        """
        config = self.config
        loading = {
            field.name: getattr(config.model, field.name)
            for field in dataclasses.fields(Loading)
            if (origin := self.origins.get(f"model.{field.name}"))
            and (file_is_fresh or origin.startswith(_VARIABLE))
        }
        options: dict[str, Any] = {
            field.name: getattr(config.decode, field.name)
            for field in dataclasses.fields(config.decode)
            if f"decode.{field.name}" in self.origins
        }
        if "model.name" in self.origins:
            options["model"] = config.model.name
        if "model.draft" in self.origins:
            options["draft_model"] = config.model.draft
        return EditOptions(loading=Loading(**loading), **options)


def resolve(
    overrides: Table | None = None,
    initialization_options: Table | None = None,
    environ: Mapping[str, str] = os.environ,
) -> Resolved:
    """The configuration of this process, where each value came from, and warnings.

    ``overrides`` (flags) and ``initialization_options`` are nested as the TOML file is:
    ``{"model": {"name": "demo"}}``.
    """
    layers = _Layers()
    path = config_path(environ)
    table, problem = read_table(path)
    if problem is None and environ.get(CONFIG_VARIABLE) and not path.exists():
        problem = f"{path}: no such file, though {CONFIG_VARIABLE} names it; the defaults are used."
    if problem is not None:
        layers.warnings.append(problem)
    layers.add_table(str(path), table, base=path.parent)
    layers.add_environment(environ)
    if initialization_options:
        layers.add_table(
            "initialization options", initialization_options, base=None, refuse=not_from_editors
        )
    layers.add_table("command line", overrides or {}, base=Path())
    return Resolved(_build(layers.values), layers.origins, tuple(layers.warnings))


def config_path(environ: Mapping[str, str] = os.environ) -> Path:
    """The path of the user's configuration file, which may not exist."""
    named = environ.get(CONFIG_VARIABLE)
    if named:
        return Path(os.path.expanduser(named)).absolute()  # noqa: PTH111  # Path's raises
    return platformdirs.user_config_path("editd", appauthor=False) / "config.toml"


def read_table(path: Path) -> tuple[dict[str, Any], str | None]:
    """The TOML file's content, and a message if it cannot be read; a missing file is empty."""
    try:
        with path.open("rb") as file:
            data = file.read(_MOST_BYTES + 1)  # some devices never end
        if len(data) > _MOST_BYTES:
            return {}, (
                f"{path}: larger than {_MOST_BYTES >> 10} KiB, too large for a configuration; "
                "the defaults are used."
            )
        return tomllib.loads(data.decode("utf-8-sig")), None
    except FileNotFoundError:
        return {}, None
    except OSError as error:
        return {}, f"{path}: cannot be read ({error.strerror}); the defaults are used."
    except RecursionError:
        return {}, f"{path}: not valid TOML (nested too deeply); the defaults are used."
    except ValueError as error:  # not TOML, or not UTF-8
        return {}, f"{path}: not valid TOML ({error}); the defaults are used."


def model_reference(name: str, base: Path | None) -> str:
    """A model's name as any process understands it: folders absolute, hub ids and names unchanged.

    Only a name written as a path is a folder, so that a folder in the current directory cannot
    replace the hub id that a configuration names.
    """
    if name.startswith("~"):
        return os.path.expanduser(name)  # noqa: PTH111  # Path's raises for an unknown user's home
    if base is not None and name.startswith("."):
        return os.path.abspath(base / name)  # noqa: PTH100  # Path's leaves .. in it
    return name


class _Layers:
    """Values from several places, the later ones overriding."""

    def __init__(self) -> None:
        self.values = {key: setting.default for key, setting in known_settings().items()}
        self.origins: dict[str, str] = {}
        self.warnings: list[str] = []

    def add_table(
        self,
        place: str,
        table: Table,
        base: Path | None,
        refuse: Callable[[str, object], str] = lambda _key, _value: "",
    ) -> None:
        for key, value in self._flatten(place, table):
            if reason := refuse(key, value):
                self.warnings.append(f"{place}: {key} {reason}.")
                continue
            self._take(place, key, functools.partial(_checked, key, value), base)

    def add_environment(self, environ: Mapping[str, str]) -> None:
        variables = dict(_SHORT_VARIABLES)
        variables |= {s.variable: s.key for s in known_settings().values() if s.variable}
        for variable, key in variables.items():
            if variable in environ:
                text = environ[variable]
                self._take(
                    f"{_VARIABLE} {variable}",
                    key,
                    functools.partial(parse_value, known_settings()[key], text),
                    Path(),
                )
        known = {*variables, CONFIG_VARIABLE, DEBUG_VARIABLE, KEY_VARIABLE}
        for variable in environ:
            # Other programs may use variables with this prefix. So a variable that names no section
            # gets a warning only if it looks like a typing error.
            if variable.startswith("EDITD_") and variable not in known:
                near = difflib.get_close_matches(variable, known, n=1, cutoff=0.85)
                if near:
                    self.warnings.append(
                        f"{_VARIABLE} {variable} is not known; did you mean {near[0]}?"
                    )
                elif variable.startswith(tuple(f"EDITD_{name.upper()}_" for name in sections())):
                    self.warnings.append(
                        f"{_VARIABLE} {variable} is not known; `editd config list` names all "
                        "settings."
                    )

    def _take(self, place: str, key: str, read: Callable[[], Any], base: Path | None) -> None:
        try:
            value = read()
        except ConfigError as error:
            problem = str(error).removesuffix(".")
            self.warnings.append(f"{place}: {problem}; using {show(self.values[key])}.")
            return
        if key in MODEL_KEYS:
            value = model_reference(value, base)
        if isinstance(value, dict):
            value = self.values[key] | value
        self.values[key] = value
        self.origins[key] = place

    def _flatten(self, place: str, table: Table) -> Iterator[tuple[str, Any]]:
        """The known ``section.key`` pairs of a nested table; for others, a warning."""
        for section, content in table.items():
            if section not in sections():
                self.warnings.append(
                    f"{place}: {section} is not known{did_you_mean(section)}; it is ignored."
                )
            elif not isinstance(content, Mapping):
                self.warnings.append(
                    f"{place}: {section} is {show(content)}, but must be a table; it is ignored."
                )
            else:
                for name, value in content.items():
                    key = f"{section}.{name}"
                    if key in known_settings():
                        yield key, value
                    else:
                        self.warnings.append(
                            f"{place}: {key} is not known{did_you_mean(key)}; it is ignored."
                        )


def _checked(key: str, value: object) -> Any:
    if isinstance(value, Mapping):
        value = dict(value)
    return check_value(known_settings()[key], value)


def not_from_editors(key: str, value: object) -> str:
    """Why initialization options may not set this; empty if they may."""
    remedy = "set it in your own configuration file or environment"
    if known_settings()[key].about.daemons:
        return f"is not taken from an editor, because all of them share one daemon; {remedy}"
    if key in MODEL_KEYS and isinstance(value, str) and _may_be_anywhere(value):
        return f"names a folder, which is not taken from an editor; {remedy}"
    return ""


def _may_be_anywhere(name: str) -> bool:
    """Whether it can name a folder or file outside the hub's cache and the stores of other programs."""
    from editd.stores import is_stored_name  # here, because most processes have no use for it

    if is_stored_name(name):  # looked up in a store, never a path
        return False
    return name.startswith(("/", "~", ".")) or "\\" in name or name.count("/") > 1 or ":" in name


def _build(values: Mapping[str, Any]) -> Config:
    return Config(
        **{
            name: cls(
                **{field.name: values[f"{name}.{field.name}"] for field in dataclasses.fields(cls)}
            )
            for name, cls in sections().items()
        }
    )
