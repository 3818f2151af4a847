"""One setting at a time: its name, its allowed values, and how its text is read.

Everything is derived from the dataclasses in ``config``. ``settings`` decides which of several values
applies.
"""

from __future__ import annotations

import dataclasses
import difflib
import functools
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, get_args, get_origin, get_type_hints

from editd.config import About, Config, DecodeConfig
from editd.errors import ConfigError


@dataclass(frozen=True, slots=True)
class Setting:
    """One value that a user may set, as ``config`` declares it."""

    key: str  # "model.name"
    type: type  # str, int, float, bool or dict (of text)
    default: Any
    about: About

    @property
    def variable(self) -> str:
        """Its environment variable; empty for tables, which have none."""
        return "" if self.type is dict else "EDITD_" + self.key.upper().replace(".", "_")

    @property
    def allowed(self) -> str:
        """A description of the values that it may have."""
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
    """Every setting by its key, in the order in which ``config`` declares them."""
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
    """The setting that ``key`` names; raises ``ConfigError`` with the nearest one otherwise."""
    try:
        return known_settings()[key]
    except KeyError:
        raise ConfigError(f"There is no setting {key!r}{did_you_mean(key)}.") from None


def check_value(setting: Setting, value: object) -> Any:
    """``value`` as the setting's type; raises ``ConfigError`` saying what is allowed."""
    wanted = setting.type
    if wanted is float and type(value) is int:
        value = float(value)
    fits = type(value) is wanted
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
    """Raise ``ConfigError`` for a name or a value that is no text."""
    if not all(map(_is_text, values)):
        raise ConfigError(f"{key} is not valid UTF-8.")


@functools.cache
def request_options() -> Mapping[str, Setting]:
    """The settings that a request may override, by the names of ``messages.EditOptions``."""
    named = {"model": "model.name", "draft_model": "model.draft"}
    named |= {field.name: f"decode.{field.name}" for field in dataclasses.fields(DecodeConfig)}
    return {name: known_settings()[key] for name, key in named.items()}


def check_option(name: str, value: object, called: str = "") -> Any:
    """As ``check_value`` of a request's option; ``called`` so in an error, or as its setting."""
    setting = request_options()[name]
    return check_value(dataclasses.replace(setting, key=called or setting.key), value)


def parse_value(setting: Setting, text: str) -> Any:
    """The value that ``text`` spells, as environment variables and ``config set`` give it."""
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
    """``value`` as the TOML file would spell it."""
    return json.dumps(value, ensure_ascii=False, default=str)


def did_you_mean(key: str) -> str:
    """What was probably meant by ``key``, in brackets; empty if nothing is near."""
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
    """Whether ``value`` is Unicode text: no half of a surrogate pair, no byte of another encoding."""
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True


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
