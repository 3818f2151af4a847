"""Every setting through every door, every option of every command: a right edit, or one sentence.

The tables are generated from what ``config`` and the commands declare, so whatever is added there
is tried here, or fails for want of a value to be tried with.
"""

import json
import re

import pytest
import tomlkit
import typer

from editd import config_sources
from editd.config import Config, ModelConfig
from editd.daemon.framing import pack, unpack
from editd.engine import Engine
from editd.engine.answer_settings import answer_settings, check_settings
from editd.errors import UsageError
from editd.frontends.cli.app import app
from editd.frontends.cli.options import REQUEST_OPTIONS
from editd.frontends.lsp.session_options import SessionOptions, merged_options
from editd.messages import EditRequest, EditResult
from editd.messages.options import EditOptions, Loading
from editd.models.pool import ModelPool
from tests.fixtures.solved.edits import demo_folder, load_edits

KNOWN = config_sources.known_settings()

# Values of texts that are no choice among words.
_TEXTS = {
    "model.url": "https://models.example/v1",
    "model.key_file": "/nowhere/key",
    "model.name": "org/m",
    "model.draft": "org/s",
    "decode.drafter": "none",
}
_NOT_FROM_EDITORS = {key for key, one in KNOWN.items() if one.about.daemons or one.about.file_only}


def another(setting):
    """A value that is allowed and is not the default."""
    match setting.default:
        case bool():
            return not setting.default
        case int():
            return setting.default + 1
        case float():
            return 0.5
        case dict():
            return {"shout": "Write in capitals."}
        case _ if setting.key in _TEXTS:
            return _TEXTS[setting.key]
        case _ if setting.about.file_only:
            return "lint --of {path} -"
        case _:
            words = re.findall(r"(?:^|\|)([a-z]\w*)(?=\||$)", setting.about.pattern)
            return next(word for word in words if word != setting.default)


def cases(*kinds):
    """Each setting with its default, another value, or both."""
    return [
        pytest.param(
            setting, kind(setting), id=f"{setting.key}={config_sources.show(kind(setting))}"
        )
        for setting in KNOWN.values()
        for kind in kinds
    ]


def default(setting):
    return setting.default


CASES = cases(default, another)
BY_DOOR = [
    pytest.param(*case.values, door, id=f"{door}-{case.id}")
    for door, kinds in (
        ("file", (default, another)),
        ("variable", (another,)),
        ("config set", (another,)),
    )
    for case in cases(*kinds)
]


def sentence(text):
    """Whether ``text`` is one sentence for a person, and shows nothing of Python's."""
    return (
        text.endswith((".", ")", "?"))
        and "\n" not in text
        and not re.search(r"Traceback|internal error|Error\b|<class|object at|None", text)
    )


@pytest.fixture(autouse=True)
def a_file():
    config_sources.config_path().touch()


# --- settings ------------------------------------------------------------------------------------


def nested(setting, value):
    section, _, name = setting.key.partition(".")
    return {section: {name: value}}


def of(config, setting):
    section, _, name = setting.key.partition(".")
    return getattr(getattr(config, section), name)


def check_in_daemon(options, setting, value):
    """What a daemon without any configuration makes of a request with ``options``."""
    request = EditRequest("r", "a\n", "x", options=options)
    assert unpack(pack(request)) == request
    found = answer_settings(ModelPool(Config()), Config(), options)
    if setting.about.daemons and value != setting.default and setting.key.startswith("model."):
        with pytest.raises(UsageError) as refused:
            check_settings(found)
        assert setting.key in str(refused.value)
        assert sentence(str(refused.value))
        return
    check_settings(found)
    name = setting.key.partition(".")[2]
    assert {
        "model.name": found.spec.name,
        "model.draft": found.draft_spec.name if found.draft_spec else "",
    }.get(
        setting.key,
        getattr(found, name, getattr(found.sampling, name, getattr(found.spec, name, value))),
    ) == value


def test_the_table_tries_what_is_allowed():
    for setting in KNOWN.values():
        value = another(setting)
        assert value != setting.default
        assert config_sources.check_value(setting, value) == value


@pytest.mark.parametrize(("setting", "value", "door"), BY_DOOR)
def test_on_the_command_line(editd, tmp_path, monkeypatch, setting, value, door):
    (tmp_path / "a.py").write_text("one\n")
    text = value if isinstance(value, str) else config_sources.show(value)
    if door == "file":
        config_sources.config_path().write_text(tomlkit.dumps(nested(setting, value)))
    elif setting.type is dict:
        key, given = next(iter(value.items()), ("fix", ""))
        if door == "variable":
            pytest.skip("tables have no variable")
        outcome = editd("config", "set", f"{setting.key}.{key}", given)
        assert (outcome.code, outcome.err) == (0, "")
    elif door == "variable":
        if setting.about.file_only:
            pytest.skip("a command has no variable")
        monkeypatch.setenv(setting.variable, text)
    else:
        outcome = editd("config", "set", setting.key, "--", text)
        is_missing = setting.key in config_sources.MODEL_KEYS and text.startswith(
            "org/"
        )  # worth a warning
        assert (outcome.code, "there is no model" in outcome.err) == (0, is_missing)
        assert outcome.err.count("\n") == is_missing
        assert editd("config", "get", setting.key).text == f"{text}\n"
    outcome = editd("edit", "a.py", "-i", "shout")
    assert (outcome.code, outcome.text) == (0, "ONE\n"), outcome.err
    resolved = config_sources.resolve()
    assert resolved.warnings == ()
    if setting.type is not dict:
        assert of(resolved.config, setting) == value
    check_in_daemon(outcome.client.requests[0].options, setting, value)


@pytest.mark.parametrize(("setting", "value"), CASES)
def test_from_an_editor(setting, value):
    session = SessionOptions.of(nested(setting, value))
    if setting.key in _NOT_FROM_EDITORS:
        (warning,) = session.warnings
        assert setting.key in warning
        assert sentence(warning)
        assert of(session.config, setting) == setting.default
        check_in_daemon(session.requests, setting, setting.default)
    else:
        assert session.warnings == ()
        assert of(session.config, setting) == value
        check_in_daemon(session.requests, setting, value)


@pytest.mark.parametrize(("setting", "value"), CASES)
def test_with_one_request_of_an_editor(setting, value):
    section, _, name = setting.key.partition(".")
    if section == "model":
        name = {"name": "model", "draft": "draft_model"}.get(name, "")
    if not hasattr(EditOptions(), name):
        return  # no option of a request: unknown fields are ignored, as LSP asks
    options = merged_options(SessionOptions().requests, EditOptions(**{name: value}))
    assert getattr(options, name) == value
    check_in_daemon(options, setting, value)


@pytest.mark.parametrize("key", [key for key, one in KNOWN.items() if one.about.daemons])
@pytest.mark.parametrize("place", ["file", "variable"])
def test_an_editor_s_requests_say_how_models_are_loaded_only_where_it_cannot_be_stale(
    monkeypatch, place, key
):
    """A file is read again by each new daemon, and an editor's process lives longer than that."""
    setting = KNOWN[key]
    value = another(setting)
    if place == "file":
        config_sources.config_path().write_text(tomlkit.dumps(nested(setting, value)))
    else:
        monkeypatch.setenv(setting.variable, str(value))
    told = SessionOptions.of(None).requests.loading
    expected = value if place == "variable" and key.startswith("model.") else None
    assert getattr(told, key.partition(".")[2], None) == expected


def test_what_is_loaded_as_it_was_asked_for_is_used():
    config = Config(model=ModelConfig(exactness="bitwise", threads=1))
    for loading in ({"exactness": "bitwise", "threads": 1}, {"exactness": "auto"}, {}):
        options = EditOptions(loading=Loading(**loading))
        check_settings(answer_settings(ModelPool(config), config, options))
    options = EditOptions(loading=Loading(exactness="fast"))
    with pytest.raises(
        UsageError, match=r"model.exactness is 'fast' in your settings, but 'bitwise'"
    ):
        check_settings(answer_settings(ModelPool(config), config, options))


@pytest.fixture(scope="module")
def engines(demo_model):
    """``engines(**model)``: an engine with the solved model, loaded as the settings say."""
    made = {}

    def get(**model):
        key = json.dumps(model)
        if key not in made:
            config = Config(model=ModelConfig(**{"name": str(demo_model), "threads": 1, **model}))
            made[key] = Engine(config)
        return made[key]

    yield get
    for engine in made.values():
        engine.close()


DECODED = {key: another(one) for key, one in KNOWN.items() if key.startswith("decode.")} | {
    "decode.drafter": "suffix",
    "decode.timeout": 60.0,
    "model.draft": "org/s",
    "model.exactness": "bitwise",
}
CUT_OFF = ("decode.max_new_tokens",)


@pytest.mark.parametrize("key", DECODED)
def test_the_engine_edits_with_it(engines, key):
    case = next(one for one in load_edits(demo_folder()) if one.name == "report-range")
    section, _, name = key.partition(".")
    asked, loaded = {}, {}
    if section == "decode":
        asked = {name: DECODED[key]}
    elif name == "draft":
        asked = {"draft_model": DECODED[key]}
    else:
        loaded = {name: DECODED[key]}
    engine = engines(**loaded)
    request = EditRequest(
        "r", case.before, case.instruction, path=case.path, options=EditOptions(**asked)
    )
    *_, result = engine.edit(request)
    assert isinstance(result, EditResult)
    if key in CUT_OFF:
        assert result.finish_reason == "length"
        assert sentence(result.error.message)
    else:
        assert (result.text, result.error) == (case.after, None)
        assert len(result.notices) <= 1


# --- options of commands -------------------------------------------------------------------------

# What is needed besides the option that is tried.
ARGUMENTS = {
    "": [],
    "edit": ["a.py", "-i", "shout"],
    "apply": ["a.py", "--sketch", "sketch"],
    "explain": [],
    "daemon": [],
    "status": [],
    "stop": [],
    "logs": [],
    "lsp": [],
    "mcp": [],
    "serve": [],
    "doctor": [],
    "presets": [],
    "setup": ["--yes", "--model", "org/m", "--editor", "none"],
    "models": [],
    "models clean": [],
    "models list": [],
    "models pull": ["org/m"],
    "config": [],
    "config list": [],
    "config get": ["model.name"],
    "config set": ["model.name", "org/m"],
    "config unset": ["model.name"],
    "config path": [],
}

# A good and, where there is one, a wrong value of an option with this metavar.
VALUES = {
    "TEXT": (["shout"], [" "]),
    "LIST": (["list"], ["nowhere"]),
    "START:END": (["1:1"], ["3"]),
    "NAME": (["b.py"], []),
    "--path": (["b.py"], []),
    "--drafter": (["none"], [""]),
    "M": (["org/m"], []),
    "--model": (["org/m"], [""]),
    "--prediction": (["a.py"], ["nowhere"]),
    "--html": (["a.html"], []),
    "--json": (["a.json"], []),
    "[DIR]": (["."], ["nowhere"]),
    "RULE": (["coupled"], ["always"]),
    "N": (["1"], ["-1"]),
    "T": (["0.5"], ["warm"]),
    "P": (["0.5"], ["2"]),
    "K": (["2"], ["-2"]),
    "S": (["1"], ["-1"]),
    "KIND": (["none"], ["int3"]),
    "REV": (["main"], []),
    "WHEN": (["text"], ["maybe"]),
    "WAY": (["model"], ["maybe"]),
    "--sketch": (["sketch"], ["nowhere"]),
    "apply --instruction": (["shout"], []),
    "H": (["127.0.0.1"], ["192.0.2.1"]),
    "--port": (["0"], ["65536"]),
    "PATH": (["socket"], []),
    "FILE": (["list"], ["nowhere"]),
    "ORIGIN": (["http://localhost:3000"], []),
    "E": (["none"], ["emacs"]),
}


def commands(name, command):
    yield name, command
    for child in command.list_commands(None) if hasattr(command, "list_commands") else ():
        if child != "bench":  # it runs a model
            yield from commands(f"{name} {child}".strip(), command.get_command(None, child))


def options():
    for name, command in commands("", typer.main.get_command(app)):
        for parameter in command.params:
            flags = getattr(parameter, "opts", [])
            if parameter.param_type_name != "option" or "completion" in parameter.name:
                continue
            flag = flags[-1] if flags[-1].startswith("--") else flags[0]
            if parameter.is_flag:
                yield pytest.param(name, [flag], True, id=f"editd {name} {flag}")
                continue
            good, wrong = next(
                VALUES[key] for key in (f"{name} {flag}", flag, parameter.metavar) if key in VALUES
            )
            for values, is_good in ((good, True), (wrong, False)):
                if values:
                    yield pytest.param(
                        name, [flag, *values], is_good, id=f"editd {name} {flag} {values}"
                    )


@pytest.fixture
def nothing_outside(monkeypatch):
    """No network, no process, no end that does not come."""
    from editd.errors import DaemonUnreachable, ModelNotFound
    from editd.frontends.cli import doctor, machine

    def fail(kind):
        def call(*arguments, **named):
            raise kind("Nothing is there.")

        return call

    monkeypatch.setattr("editd.daemon.lifecycle.spawn", fail(DaemonUnreachable))
    monkeypatch.setattr("editd.daemon.server.run", lambda config: None)
    monkeypatch.setattr("editd.frontends.lsp.server.main", lambda: None)
    monkeypatch.setattr("editd.frontends.mcp.server.main", lambda folders, options: None)
    monkeypatch.setattr("uvicorn.Server.run", lambda server, sockets=None: None)
    monkeypatch.setattr("editd.stores.hub.plan_pull", fail(ModelNotFound))
    monkeypatch.setattr("editd.models.openvino.converting.converted_models", list)
    found = doctor.Finding("ok", "Python", "It is there.")
    a_machine = machine.Machine("cpu", "a machine", 1 << 34)
    for module in ("doctor", "setup"):
        monkeypatch.setattr(
            f"editd.frontends.cli.{module}.examine", lambda config, warnings: [found]
        )
    for module in ("models", "setup"):
        monkeypatch.setattr(f"editd.frontends.cli.{module}.this_machine", lambda: a_machine)


@pytest.mark.parametrize(("command", "option", "is_good"), list(options()))
def test_every_option_of_every_command(editd, nothing_outside, tmp_path, command, option, is_good):
    (tmp_path / "a.py").write_text("one\n")
    (tmp_path / "list").write_text("a.py\n")
    (tmp_path / "sketch").write_text("--- a.py\n+++ a.py\n@@ -1 +1 @@\n-one\n+ONE\n")
    arguments = [*command.split(), *ARGUMENTS[command], *option]
    if (command, option[0]) == ("edit", "--instruction"):
        arguments = ["edit", "a.py", *option]
    outcome = editd(*arguments)
    said = [line for line in outcome.err.splitlines() if line.startswith("editd: ")]
    assert outcome.code in (0, 1, 2, 3, 4, 5)
    assert all(map(sentence, said)), said
    assert len(said) == len(outcome.err.splitlines()) <= 2
    if outcome.code not in (0, 1):
        assert len(said) == 1 or json.loads(outcome.out)["error"]["message"]
    if not is_good:
        assert outcome.code == 2
        assert not outcome.client.requests
        assert option[0] in said[0] or option[1] in said[0]
    elif command in ("edit", "apply"):
        assert outcome.code == (1 if option == ["--check"] else 0), outcome.err


def test_every_flag_of_a_request_has_a_setting_and_reaches_the_engine():
    for flag in REQUEST_OPTIONS:
        setting = config_sources.request_options()[flag]
        value = another(setting)
        check_in_daemon(EditOptions(**{flag: value}), setting, value)
