"""Settings: who wins, and what is said of what is wrong."""

import dataclasses
from pathlib import Path

import pytest

from editd import config_sources
from editd.config import Config
from editd.errors import ConfigError
from editd.messages.options import EditOptions


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    """A home without a configuration file."""
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    return tmp_path / "home"


def resolved(environ):
    found = config_sources.resolve(environ=environ)
    return found.config, list(found.warnings)


@pytest.fixture
def load(tmp_path):
    """Settings from a file's text, variables and initialization options."""
    file = tmp_path / "config.toml"

    def call(text="", variables=None, options=None):
        file.write_text(text)
        environ = {"EDITD_CONFIG": str(file), **(variables or {})}
        return config_sources.resolve(options, environ)

    call.file = file
    return call


def test_without_anything_the_documented_defaults_hold(home):
    assert config_sources.config_path({}).is_relative_to(home)
    assert resolved({}) == (Config(), [])


def test_later_places_win(load):
    places = [
        {"text": "[decode]\nseed = 1"},
        {"variables": {"EDITD_DECODE_SEED": "2"}},
        {"options": {"decode": {"seed": 3}}},
    ]
    given = {}
    for expected, place in enumerate(places, start=1):
        given |= place
        resolved = load(**given)
        assert (resolved.config.decode.seed, resolved.warnings) == (expected, ())
    assert resolved.origins == {"decode.seed": "initialization options"}


def test_every_setting_has_a_description_and_a_variable():
    known = config_sources.known_settings()
    fields = [
        f"{section.name}.{field.name}"
        for section in dataclasses.fields(Config)
        for field in dataclasses.fields(getattr(Config(), section.name))
    ]
    assert list(known) == fields
    for setting in known.values():
        assert setting.about.text.endswith("."), setting.key
        assert config_sources.check_value(setting, setting.default) == setting.default
        if setting.type is not dict:
            text = config_sources.show(setting.default).strip('"')
            assert config_sources.parse_value(setting, text) == setting.default


@pytest.mark.parametrize(
    ("text", "key", "value"),
    [
        ('[model]\ndevice = "cuda:1"', "model.device", "cuda:1"),
        ("[decode]\ntemperature = 1", "decode.temperature", 1.0),
        ("[edit]\nwords = false", "edit.words", False),
        ('[edit.presets]\nfix = "Fix it."', "edit.presets", {"fix": "Fix it."}),
        ('\ufeff[model]\r\nname = "org/m"', "model.name", "org/m"),
        ('[model]\nname = "./m"', "model.name", "{folder}/m"),
        ('[model]\nname = "~/m"', "model.name", "{home}/m"),
        ('[model]\nname = "org/m"', "model.name", "org/m"),
    ],
)
def test_a_file_sets(load, home, text, key, value):
    resolved = load(text)
    section, _, name = key.partition(".")
    if isinstance(value, str):
        value = value.format(folder=load.file.parent, home=home)
    found = getattr(getattr(resolved.config, section), name)
    assert (found, type(found), resolved.warnings) == (value, type(value), ())
    assert resolved.origins[key] == str(load.file)


@pytest.mark.parametrize(
    ("text", "warning"),
    [
        ("[model]\ndevice = 'gpu'", 'model.device is "gpu", but must be auto, cpu, mps, metal, cuda, cuda:N, rocm or vulkan; using "auto".'),
        ("[decode]\nwindow = 'big'", 'decode.window is "big", but must be a whole number at least 0; using 0.'),
        ("[decode]\nwindow = 1.5", "decode.window is 1.5, but must be a whole number at least 0; using 0."),
        ("[decode]\nwindow = true", "decode.window is true, but must be"),
        ("[decode]\ntop_p = 0", "decode.top_p is 0.0, but must be a number above 0 and at most 1; using 1.0."),
        (f"[decode]\nseed = {1 << 63}", f"decode.seed is {1 << 63}, but must be less than 2**63; using 0."),
        ("[model]\nthreads = 99999", "model.threads is 99999, but must be a whole number at least 0 and at most 1024"),
        ("[decode]\ntemperature = nan", "decode.temperature is NaN, but must be"),
        ("[edit]\nwords = 1", "edit.words is 1, but must be true or false"),
        ("[model]\nname = ' '", "model.name is"),
        ("[edit.presets]\nfix = 1", "edit.presets is"),
        ("model = 'x'", 'model is "x", but must be a table; it is ignored.'),
        ("[modle]\nname = 'x'", "modle is not known (did you mean model?); it is ignored."),
        ("[model]\nnmae = 'x'", "model.nmae is not known (did you mean model.name?); it is ignored."),
        ("[model]\ntemperature = 1", "model.temperature is not known (did you mean decode.temperature?)"),
        ("temperature = 1", "temperature is not known (did you mean decode.temperature?)"),
        ("[model\n", "not valid TOML"),
    ],
)  # fmt: skip
def test_what_is_wrong_in_a_file_is_named_and_the_default_holds(load, text, warning):
    resolved = load(text)
    (said,) = resolved.warnings
    assert said.startswith(f"{load.file}: ")
    assert warning in said
    assert resolved.config == Config()


def test_a_wrong_value_leaves_the_one_of_the_place_before(load):
    resolved = load("[decode]\nseed = 5", {"EDITD_DECODE_SEED": "five"})
    assert resolved.config.decode.seed == 5
    (warning,) = resolved.warnings
    assert warning.startswith('environment variable EDITD_DECODE_SEED: decode.seed is "five", but')
    assert warning.endswith("; using 5.")


def test_a_missing_or_unreadable_file_is_named(tmp_path):
    config, warnings = resolved({"EDITD_CONFIG": str(tmp_path / "none.toml")})
    assert (config, len(warnings)) == (Config(), 1)
    assert "none.toml: no such file" in warnings[0]
    config, warnings = resolved({"EDITD_CONFIG": str(tmp_path)})
    assert "cannot be read (Is a directory)" in warnings[0]
    (tmp_path / "latin.toml").write_bytes(b"a = '\xe4'")
    config, warnings = resolved({"EDITD_CONFIG": str(tmp_path / "latin.toml")})
    assert "not valid TOML" in warnings[0]


@pytest.mark.parametrize(
    ("variable", "text", "key", "value"),
    [
        ("EDITD_MODEL", "org/m", "model.name", "org/m"),
        ("EDITD_MODEL_NAME", "/m", "model.name", "/m"),
        ("EDITD_MODEL_ALLOW_PLAIN_HTTP", "Yes", "model.allow_plain_http", True),
        ("EDITD_EDIT_WORDS", "0", "edit.words", False),
        ("EDITD_DAEMON_UNLOAD_AFTER", "1e3", "daemon.unload_after", 1000.0),
    ],
)
def test_variables_set(load, variable, text, key, value):
    resolved = load(variables={variable: text})
    section, _, name = key.partition(".")
    assert getattr(getattr(resolved.config, section), name) == value
    assert resolved.origins == {key: f"environment variable {variable}"}


def test_a_misspelt_variable_is_named_and_others_are_left_alone(load):
    resolved = load(variables={"EDITD_MODEL_DEVCE": "cpu", "EDITD_SOMETHING_ELSE": "x"})
    assert resolved.warnings == (
        "environment variable EDITD_MODEL_DEVCE is not known; did you mean EDITD_MODEL_DEVICE?",
    )


def test_a_variable_of_a_section_is_named_though_nothing_is_near(load):
    (warning,) = load(variables={"EDITD_DECODE_NONSENSE": "1"}).warnings
    assert warning.startswith("environment variable EDITD_DECODE_NONSENSE is not known; ")


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="there is no /dev/zero")
def test_a_file_that_never_ends_is_not_read_on():
    config, (warning,) = resolved({"EDITD_CONFIG": "/dev/zero"})
    assert config == Config()
    assert warning == (
        "/dev/zero: larger than 1024 KiB, too large for a configuration; the defaults are used."
    )


@pytest.mark.parametrize("key", ["model.name", "model.draft", "decode.drafter", "model.device"])
@pytest.mark.parametrize(
    ("value", "words"),
    [("m" * 10_000, "a text of 10,000 characters"), ("\udcff", ", but must be ")],
)
def test_a_text_that_nothing_can_be_called_is_refused(key, value, words):
    with pytest.raises(ConfigError, match=words):
        config_sources.check_value(config_sources.setting_for(key), value)


@pytest.mark.parametrize("name", ["/m", "~/m", "./m", "../m", "a/b/c", "C:\\m"])
@pytest.mark.parametrize("key", ["name", "draft"])
def test_an_editor_names_no_folder(load, name, key):
    resolved = load(options={"model": {key: name}})
    assert resolved.config == Config()
    assert f"model.{key} names a folder, which is not taken from an editor" in resolved.warnings[0]


@pytest.mark.parametrize(
    "name",
    [
        "org/m",
        "ollama:qwen2.5-coder:7b",
        "ollama:hf.co/org/m:Q4_K_M",
        "lmstudio:me/mine:Q8_0",
        "llama-cache:org_m",
        "hf:org/m",
    ],
)
def test_an_editor_chooses_among_what_other_programs_keep(load, name):
    resolved = load(options={"model": {"name": name}})
    assert (resolved.config.model.name, resolved.warnings) == (name, ())


def test_a_workspace_file_is_never_read(tmp_path, monkeypatch):
    for name in ("editd.toml", ".editd.toml", "config.toml", "pyproject.toml"):
        (tmp_path / name).write_text(
            "[model]\nname = '/evil'\n[tool.editd.model]\nname = '/evil'\n"
        )
    monkeypatch.chdir(tmp_path)
    config, _ = resolved({})
    assert config == Config()


def test_a_folder_of_the_workspace_cannot_pose_as_a_hub_id(tmp_path, monkeypatch):
    (tmp_path / "org" / "m").mkdir(parents=True)
    monkeypatch.chdir(tmp_path)
    config, _ = resolved({"EDITD_MODEL": "org/m"})
    assert config.model.name == "org/m"


def test_presets_of_all_places_are_joined(load):
    resolved = load('[edit.presets]\na = "1"\nb = "2"', options={"edit": {"presets": {"b": "3"}}})
    assert resolved.config.edit.presets == {"a": "1", "b": "3"}
    assert Config().edit.presets == {}


def test_a_request_says_only_what_somebody_set(load):
    assert load().edit_options() == EditOptions()
    resolved = load(
        "[model]\nname = 'demo'\n[decode]\ntemperature = 0\n", {"EDITD_MODEL_DRAFT": "org/s"}
    )
    assert resolved.edit_options() == EditOptions(
        model="demo", draft_model="org/s", temperature=0.0
    )


def test_an_unknown_setting_is_named_with_its_nearest():
    with pytest.raises(ConfigError, match=r"no setting 'model.nam' \(did you mean model.name\?\)"):
        config_sources.setting_for("model.nam")
    with pytest.raises(ConfigError, match=r"no setting 'model' \(did you mean model.name\?\)"):
        config_sources.setting_for("model")
