"""``editd config``: shows settings, and changes them in the user's file, keeping its comments."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated, Any

import typer

from editd import config_sources, stores
from editd.config import EMBEDDED
from editd.config_sources import check_text, known_settings, parse_value, setting_for, show
from editd.errors import ConfigError, UsageError
from editd.files.replacing import FileChange, replace_files
from editd.frontends.cli.console import say, write_json, write_text
from editd.frontends.cli.inputs import resolved_settings
from editd.frontends.cli.options import option
from editd.stores import hub

app = typer.Typer(
    help="Show and change settings.",
    context_settings={"help_option_names": ["-h", "--help"]},
)

_Key = Annotated[str, typer.Argument(metavar="KEY", help="Name of a setting, such as model.name.")]


@app.callback(invoke_without_command=True)
def config(context: typer.Context) -> None:
    """Show and change settings."""
    if context.invoked_subcommand is None:
        list_settings()


@app.command("list")
def list_settings(*, json: Annotated[bool, option("--json", about="Print JSON.")] = False) -> None:
    """List every setting with its value and where the value comes from."""
    resolved = resolved_settings()
    rows = [
        (key, _value(resolved.config, key), resolved.origins.get(key, "default"))
        for key in known_settings()
    ]
    if json:
        write_json({key: {"value": value, "origin": origin} for key, value, origin in rows})
    else:
        write_text(
            "".join(
                f"{key} = {show(value)}" + ("" if origin == "default" else f"  # {origin}") + "\n"
                for key, value, origin in rows
            )
        )


@app.command("get")
def get(key: _Key) -> None:
    """Print the value of a setting."""
    setting = setting_for(key)
    value = _value(resolved_settings().config, setting.key)
    write_text((value if isinstance(value, str) else show(value)) + "\n")


@app.command("set", context_settings={"ignore_unknown_options": True})
def set_value(
    key: _Key, value: Annotated[str, typer.Argument(metavar="VALUE", help="The new value.")]
) -> None:
    """Change a setting in your configuration file; comments and other settings are kept.

    For a preset: editd config set edit.presets.NAME "INSTRUCTION".
    """
    table, _, name = key.rpartition(".")
    in_table = known_settings().get(table)
    if in_table is not None and in_table.type is dict:
        check_text(key, name, value)
        write_setting([*table.split("."), name], value)
        return
    setting = setting_for(key)
    if setting.type is dict:
        raise ConfigError(f"{key} is a table; set one of its entries, for example {key}.NAME.")
    parsed = parse_value(setting, value)
    if key in config_sources.MODEL_KEYS:
        parsed = checked_model(parsed)
    write_setting(key.split("."), parsed)
    if (
        key in config_sources.MODEL_KEYS
        and parsed
        and config_sources.resolve().config.model.engine == "local"
    ):
        _warn_of_missing(parsed)


@app.command("unset")
def unset(key: _Key) -> None:
    """Remove a setting from your configuration file."""
    if not known_settings().get(key.rpartition(".")[0]):
        setting_for(key)
    write_setting(key.split("."), None)


@app.command("path")
def path() -> None:
    """Print the path of your configuration file, even if it does not exist yet."""
    write_text(f"{config_sources.config_path()}\n")


def checked_model(name: str) -> str:
    """A model's name for the settings file: relative paths made absolute from the current folder, other names as they
    are. Raises ``ModelNotFound`` for the name of a model in another program's store (``ollama:…``) that is not there
    or cannot be loaded; other names are not looked for.
    """
    if stores.is_stored_name(name):
        stores.find_model_file(name)
    return config_sources.model_reference(name, Path())


def _warn_of_missing(name: str) -> None:
    """Write a warning to standard error if there is no file or folder of that name (``~`` expanded) and it is not the
    name of a model in Hugging Face's cache. Does nothing for the embedded model, and for names of other engines than
    torch and llama.cpp. Raises what ``backend_name`` raises for a name that it cannot place.
    """
    from editd.models.registry import backend_name, gguf_file

    if name == EMBEDDED or backend_name(name) not in ("torch", "llama_cpp"):
        return
    place = gguf_file(name) or hub.expand_home(name)
    # Not pathlib's, which raises for what no file can be called.
    if os.path.exists(place) or (hub.is_model_id(name) and hub.local_folder(name)):  # noqa: PTH110
        return
    pull = f"; `editd models pull {name}` downloads it" if hub.is_model_id(name) else ""
    say(
        f"warning: there is no model {name} on this machine{pull}; `editd models` lists those that are."
    )


def _value(config: Any, key: str) -> Any:
    """The value of a setting."""
    section, _, name = key.partition(".")
    return getattr(getattr(config, section), name)


def write_setting(keys: list[str], value: Any) -> None:
    """Set a value in the user's file (created, with its folder, if missing), or remove it with ``None``, atomically;
    comments and other settings stay.

    keys: the tables from outer to inner, then the setting's name, all unchecked; tables that are missing are added.
    Removing a setting that is not there changes nothing. Raises ``UsageError`` if the file cannot be read or written,
    is no regular file or no TOML, has something else in a table's place, or was changed meanwhile.
    """
    import tomlkit
    import tomlkit.items
    from tomlkit.exceptions import TOMLKitError

    file = config_sources.config_path()
    if file.exists() and not file.is_file():  # /dev/null would become a file
        raise UsageError(f"{file} is no regular file, so no setting can be kept there.")

    def content() -> bytes:
        return file.read_bytes() if file.exists() else b""

    def unchanged() -> None:
        if content() != before:
            raise UsageError(f"{file} was changed by another program; try again.")

    try:
        before = content()
        document = tomlkit.parse(before.decode("utf-8-sig"))
    except (TOMLKitError, OSError, ValueError) as error:
        reason = str(getattr(error, "strerror", None) or error).removesuffix(".")
        raise UsageError(
            f"{file} cannot be changed, because it cannot be read: {reason}."
        ) from error
    table: Any = document
    for key in keys[:-1]:
        if key not in table:
            if value is None:
                return
            table[key] = tomlkit.table()
        table = table[key]
        if not isinstance(table, dict):
            raise UsageError(f"{file} cannot be changed: {key} is not a table there.")
    if value is None:
        table.pop(keys[-1], None)
    else:
        table[keys[-1]] = value
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        replace_files([FileChange(file.resolve(), tomlkit.dumps(document).encode(), unchanged)])
    except OSError as error:
        raise UsageError(f"{file} cannot be written: {error.strerror or error}.") from error
