"""Combines files, environment variables and initialization options into one ``Config``.

Later sources win: the defaults in ``config``, the user's TOML file, environment variables, LSP initialization
options. For a wrong value, a warning names its source and the allowed values, and the value of the previous source is
used. Flags of the command line are laid over the options of a request.

No file of a workspace is ever read. But initialization options often come from one (``.vscode/settings.json``,
``.zed/settings.json``, ``.helix/languages.toml``), so they may choose among the models that the user pulled, but not
name a folder.

At the end is one setting at a time: its name, its allowed values, and how its text is read. Everything is derived
from the dataclasses in ``config``, where the keys are defined.
"""

from __future__ import annotations

import dataclasses
import difflib
import functools
import json
import os
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args, get_origin, get_type_hints

import platformdirs

from editd.config import About, Config, DecodeConfig
from editd.errors import ConfigError
from editd.messages.options import EditOptions, Loading

CONFIG_VARIABLE = "EDITD_CONFIG"  # the path of the configuration file
DEBUG_VARIABLE = "EDITD_DEBUG"  # show tracebacks
KEY_VARIABLE = "EDITD_MODEL_KEY"  # the key of a remote engine's server

MODEL_KEYS = ("model.name", "model.draft")
_VARIABLE = "environment variable"  # an origin begins so
_MOST_BYTES = 1 << 20  # of a configuration file
_SHORT_VARIABLES = {"EDITD_MODEL": "model.name"}

Table = Mapping[str, Any]

_LONGEST_TEXT = 4096  # characters; no path can be longer
_TOO_LARGE = 1 << 63  # for TOML, and for a message

_BOOLEANS = {
    "true": True,
    "yes": True,
    "on": True,
    "1": True,
    "false": False,
    "no": False,
    "off": False,
    "0": False,
}


@dataclass(frozen=True, slots=True)
class Resolved:
    """A configuration, and the source of each of its values (missing keys: the default)."""

    config: Config
    origins: Mapping[str, str]
    warnings: tuple[str, ...]

    def edit_options(self, *, file_is_fresh: bool = True) -> EditOptions:
        """The options of a request that make a running daemon use these values: the models' names,
        the settings of ``decode``, and how a model is loaded.

        Only values that were set by some source are sent; for the rest, the daemon's own
        configuration decides. file_is_fresh: the file was read just now. If not (an editor's
        process read it when it started), the values that say how a model is loaded are sent only if
        they come from environment variables.
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
    initialization_options: Table | None = None, environ: Mapping[str, str] = os.environ
) -> Resolved:
    """The configuration of this process, with the source of each value, and warnings. Reads the user's file; never
    raises for a wrong value, which becomes a warning, as does a file that ``CONFIG_VARIABLE`` names and that is
    missing.

    initialization_options: an editor's, nested as the TOML file is: ``{"model": {"name": "demo"}}``. They win over
    ``environ``, and that over the file; those that an editor may not set (``not_from_editors``) are left out, with a
    warning.
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
    return Resolved(_build(layers.values), layers.origins, tuple(layers.warnings))


def config_path(environ: Mapping[str, str] = os.environ) -> Path:
    """The absolute path of the user's configuration file, which may not exist: the one that ``CONFIG_VARIABLE`` names,
    else the system's usual one.
    """
    path = environ.get(CONFIG_VARIABLE)
    if path:
        return Path(os.path.expanduser(path)).absolute()  # noqa: PTH111  # Path's raises
    return platformdirs.user_config_path("editd", appauthor=False) / "config.toml"


def read_table(path: Path) -> tuple[dict[str, Any], str | None]:
    """The TOML file's content, and a message if it is unreadable, no TOML or above 1 MiB, with an empty content; a
    missing file is empty, without a message. Never raises.
    """
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
    """A model's name as any process understands it: names that begin with ``~`` or, if there is a
    ``base``, with ``.`` become absolute paths (not ``~`` with an unknown user's name); hub ids and
    other names stay.

    base: the folder for relative paths; ``None`` leaves them as they are. Only a name written as a
    path is a folder, so that a folder in the current directory cannot replace the hub id that a
    configuration names.
    """
    if name.startswith("~"):
        return os.path.expanduser(name)  # noqa: PTH111  # Path's raises for an unknown user's home
    if base is not None and name.startswith("."):
        return os.path.abspath(base / name)  # noqa: PTH100  # Path's leaves .. in it
    return name


class _Layers:
    """Values from several sources, the later ones overriding; with the source of each, and warnings."""

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
        """Take the values of a nested table, with ``place`` as their source; a warning is noted for each unknown key,
        wrong value and value that is refused.

        base: the folder for relative models' paths. refuse: returns a reason against a value, or an empty text.
        """
        for key, value in self._flatten(place, table):
            if reason := refuse(key, value):
                self.warnings.append(f"{place}: {key} {reason}.")
                continue
            self._set(place, key, functools.partial(_checked_value, key, value), base)

    def add_environment(self, environ: Mapping[str, str]) -> None:
        """Take the values of environment variables (``EDITD_…``), relative models' paths from the
        current directory; a wrong value, and a variable that is not known but looks meant for
        editd, gets a warning.
        """
        variables = dict(_SHORT_VARIABLES)
        variables |= {s.variable: s.key for s in known_settings().values() if s.variable}
        for variable, key in variables.items():
            if variable in environ:
                text = environ[variable]
                self._set(
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

    def _set(self, place: str, key: str, read: Callable[[], Any], base: Path | None) -> None:
        """Set a value and its source, models' paths made absolute, tables merged into the value before; if ``read``
        raises ``ConfigError``, note a warning instead.
        """
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
        """The known ``section.key`` pairs of a nested table, in its order; notes a warning for each unknown section or
        key, and for a section that is no table.
        """
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


def _checked_value(key: str, value: object) -> Any:
    """The value of a known setting, parsed from TOML or JSON, in the setting's type (see ``check_value``).

    Raises ``ConfigError`` if it is not allowed, ``KeyError`` if there is no setting ``key``.
    """
    if isinstance(value, Mapping):
        value = dict(value)
    return check_value(known_settings()[key], value)


def not_from_editors(key: str, value: object) -> str:
    """Why initialization options may not set a value, as a sentence's rest after the setting's
    name; empty if they may. Settings of the file alone or of the daemon are refused, and models'
    names that may be paths. Raises ``KeyError`` for an unknown setting.
    """
    if known_settings()[key].about.file_only:
        return "names a program, which is not taken from an editor; set it in your own configuration file"
    remedy = "set it in your own configuration file or environment"
    if known_settings()[key].about.daemons:
        return f"is not taken from an editor, because all of them share one daemon; {remedy}"
    if key in MODEL_KEYS and isinstance(value, str) and _may_be_path(value):
        return f"names a folder, which is not taken from an editor; {remedy}"
    return ""


def _may_be_path(name: str) -> bool:
    """Whether a model's name can denote a folder or file outside the hub's cache and the stores of
    other programs: it begins with "/", "~" or ".", or holds a backslash, a colon or two slashes,
    and is no name in such a store (``ollama:…``).
    """
    from editd.stores import is_stored_name  # here, because most processes have no use for it

    if is_stored_name(name):  # looked up in a store, never a path
        return False
    return name.startswith(("/", "~", ".")) or "\\" in name or name.count("/") > 1 or ":" in name


def _build(values: Mapping[str, Any]) -> Config:
    """The configuration with these values, by their keys."""
    return Config(
        **{
            name: cls(
                **{field.name: values[f"{name}.{field.name}"] for field in dataclasses.fields(cls)}
            )
            for name, cls in sections().items()
        }
    )


@dataclass(frozen=True, slots=True)
class Setting:
    """A value that a user may set, as ``config`` declares it."""

    key: str  # "model.name"
    type: type  # str, int, float, bool or dict (of text)
    default: Any
    about: About

    @property
    def variable(self) -> str:
        """The environment variable; empty for tables and for what only the file sets, which have none."""
        has_none = self.type is dict or self.about.file_only
        return "" if has_none else "EDITD_" + self.key.upper().replace(".", "_")

    @property
    def allowed(self) -> str:
        """A description of the allowed values for an error: the setting's own words or its type, and its bounds."""
        about = self.about
        words = about.allowed or {
            str: "text",
            int: "a whole number",
            float: "a number",
            bool: "true or false",
            dict: "a table of texts",
        }.get(self.type, "")
        bounds = [
            f"{word} {bound:g}"
            for word, bound in (
                ("at least", about.at_least),
                ("above", about.above),
                ("at most", about.at_most),
            )
            if bound is not None
        ]
        return " ".join([words, " and ".join(bounds)]).strip()


@functools.cache
def known_settings() -> Mapping[str, Setting]:
    """The settings by key, in the order in which ``config`` declares them."""
    found = {}
    for section, cls in sections().items():
        hints = get_type_hints(cls, include_extras=True)
        for field in dataclasses.fields(cls):
            kind, about = get_args(hints[field.name])
            default = (
                field.default_factory()
                if field.default_factory is not dataclasses.MISSING
                else field.default
            )
            key = f"{section}.{field.name}"
            found[key] = Setting(key, get_origin(kind) or kind, default, about)
    return found


def setting_for(key: str) -> Setting:
    """The setting of a key. Raises ``ConfigError``, with the nearest key, if there is none."""
    try:
        return known_settings()[key]
    except KeyError:
        raise ConfigError(f"There is no setting {key!r}{did_you_mean(key)}.") from None


def check_value(setting: Setting, value: object) -> Any:
    """``value`` in the setting's type (a whole number as a float where one is wanted). Raises
    ``ConfigError`` with the allowed values if it has another type, is out of bounds, does not match
    the pattern, is no Unicode text, is too long, or a whole number of 2**63 or more.
    """
    kind = setting.type
    if kind is float and type(value) is int:
        value = float(value)
    fits = type(value) is kind
    if fits and isinstance(value, dict):
        fits = all(isinstance(text, str) for text in value.values())
    if fits and isinstance(value, int | float):
        about = setting.about
        fits = (
            value == value  # not NaN  # noqa: PLR0124
            and (about.at_least is None or value >= about.at_least)
            and (about.above is None or value > about.above)
            and (about.at_most is None or value <= about.at_most)
        )
    if isinstance(value, str) and len(value) > _LONGEST_TEXT:
        raise ConfigError(
            f"{setting.key} is a text of {len(value):,} characters, but must have at most "
            f"{_LONGEST_TEXT:,}."
        )
    if fits and isinstance(value, str):
        fits = (
            _is_text(value) and re.fullmatch(setting.about.pattern or "(?s).*", value) is not None
        )
    if not fits:
        raise ConfigError(f"{setting.key} is {show(value)}, but must be {setting.allowed}.")
    if isinstance(value, int) and value >= _TOO_LARGE:
        raise ConfigError(f"{setting.key} is {show(value)}, but must be less than 2**63.")
    return value


def check_text(key: str, *values: str) -> None:
    """Raise ``ConfigError`` for a value that is no Unicode text. key: for the sentence."""
    if not all(map(_is_text, values)):
        raise ConfigError(f"{key} is not valid UTF-8.")


@functools.cache
def request_options() -> Mapping[str, Setting]:
    """The settings that a request may override, by the names of ``EditOptions``."""
    keys = {"model": "model.name", "draft_model": "model.draft"}
    keys |= {field.name: f"decode.{field.name}" for field in dataclasses.fields(DecodeConfig)}
    return {name: known_settings()[key] for name, key in keys.items()}


def check_option(name: str, value: object, shown_as: str = "") -> Any:
    """As ``check_value``, for a request's option by its name in ``EditOptions``. shown_as: its name in an error; by
    default that of its setting. Raises ``KeyError`` for an unknown option.
    """
    setting = request_options()[name]
    return check_value(dataclasses.replace(setting, key=shown_as or setting.key), value)


def parse_value(setting: Setting, text: str) -> Any:
    """The value that ``text`` spells, from an environment variable or ``config set``: ``yes``,
    ``on`` and ``1`` are true, for example, in any case; white space around numbers and these does
    not count. Raises ``ConfigError`` if it is not allowed; always for a table.
    """
    value: object = text
    try:
        if setting.type is bool:
            value = _BOOLEANS.get(text.strip().lower(), text)
        elif setting.type in (int, float):
            value = setting.type(text.strip())
    except ValueError:
        pass  # stays text, which check_value refuses with a message
    return check_value(setting, value)


def show(value: object) -> str:
    """The value as the TOML file would spell it."""
    return json.dumps(value, ensure_ascii=False, default=str)


def did_you_mean(key: str) -> str:
    """The nearest known setting or section as `` (did you mean …?)`` with a blank before it; empty if none is near. For
    a section, its first key.
    """
    known = known_settings()
    if key in sections():
        near = [name for name in known if name.startswith(f"{key}.")]
    elif "." not in key:
        near = difflib.get_close_matches(key, sections(), n=1)
        near += [name for name in known if name.partition(".")[2] == key]
    else:
        near = difflib.get_close_matches(key, known, n=1)
        last = key.rpartition(".")[2]
        near += [name for name in known if name.partition(".")[2] == last]
    return f" (did you mean {near[0]}?)" if near else ""


def sections() -> dict[str, type]:
    """The classes of ``Config``'s sections, by name."""
    return {field.name: type(getattr(Config(), field.name)) for field in dataclasses.fields(Config)}


def _is_text(value: str) -> bool:
    """Whether the value is Unicode text: no half of a surrogate pair, no byte of another encoding."""
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True
