"""``editd config``: settings as they hold, and a file that keeps its comments."""

import json

import pytest

FILE = """# mine
[model]
name = "org/a"  # the small one

[decode]
window = 5
"""


@pytest.fixture
def file(editd, tmp_path):
    path = tmp_path / "settings" / "config.toml"
    path.write_text(FILE)
    return path


def test_list_says_where_a_value_comes_from(editd, file, monkeypatch):
    monkeypatch.setenv("EDITD_DECODE_SEED", "3")
    lines = editd("config", "list").text.splitlines()
    assert f'model.name = "org/a"  # {file}' in lines
    assert "decode.seed = 3  # environment variable EDITD_DECODE_SEED" in lines
    assert 'model.device = "auto"' in lines
    table = json.loads(editd("config", "list", "--json").out)
    assert table["decode.window"] == {"value": 5, "origin": str(file)}


def test_get_prints_the_value_alone(editd, file):
    assert editd("config", "get", "model.name").text == "org/a\n"
    assert editd("config", "get", "decode.top_p").text == "1.0\n"


def test_path(editd, file):
    assert editd("config", "path").text == f"{file}\n"


def test_set_changes_one_value_and_keeps_the_rest(editd, file):
    assert editd("config", "set", "model.name", "org/b").code == 0
    assert file.read_text() == FILE.replace("org/a", "org/b")
    assert editd("config", "set", "daemon.unload_after", "60").code == 0
    assert file.read_text().startswith(FILE.replace("org/a", "org/b"))
    assert editd("config", "get", "daemon.unload_after").text == "60.0\n"
    assert editd("config", "set", "edit.presets.shout", "Make it -- LOUD").code == 0
    presets = editd("config", "get", "edit.presets").text
    assert json.loads(presets) == {"shout": "Make it -- LOUD"}
    assert editd("config", "unset", "edit.presets.shout").code == 0
    assert editd("config", "unset", "decode.window").code == 0
    assert editd("config", "get", "decode.window").text == "0\n"


def test_set_makes_the_file_and_its_folder(editd, tmp_path, monkeypatch):
    path = tmp_path / "new" / "deep" / "config.toml"
    monkeypatch.setenv("EDITD_CONFIG", str(path))
    assert editd("config", "set", "model.device", "cpu").code == 0
    assert path.read_text() == '[model]\ndevice = "cpu"\n'


def test_a_folder_is_stored_as_an_absolute_path(editd, file, tmp_path):
    assert editd("config", "set", "model.name", "./weights").code == 0
    assert editd("config", "get", "model.name").text == f"{tmp_path / 'weights'}\n"


@pytest.mark.parametrize(
    ("name", "warned"),
    [
        ("./weights", "there is no model {}/weights on this machine; `editd models`"),
        ("./there", ""),
        (
            "no/such-model",
            "there is no model no/such-model on this machine; `editd models pull no/such",
        ),
        ("~nobody-here/m", "there is no model ~nobody-here/m"),
        ("utter nonsense", "there is no model utter nonsense"),
        ("x" * 300, "there is no model xxx"),
        ("./no.gguf", "there is no model {}/no.gguf"),
        ("embedded", ""),
    ],
)
@pytest.mark.parametrize("key", ["model.name", "model.draft"])
def test_a_model_that_is_not_here_is_set_with_a_warning(
    editd, tmp_path, monkeypatch, key, name, warned
):
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "hub"))
    (tmp_path / "there").mkdir()
    outcome = editd("config", "set", key, name)
    assert outcome.code == 0
    assert (warned.format(tmp_path) in outcome.err) if warned else outcome.err == ""
    assert editd("config", "get", key).text == f"{name.replace('./', f'{tmp_path}/')}\n"


def test_a_server_s_model_is_not_looked_for_here(editd):
    assert editd("config", "set", "model.engine", "remote").code == 0
    assert editd("config", "set", "model.name", "nowhere/here").err.count("no model") == 0


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["set", "model.device", "gpu"], 'model.device is "gpu", but must be auto, cpu'),
        (
            ["set", "decode.window", "-1"],
            "decode.window is -1, but must be a whole number at least 0.",
        ),
        (["set", "decode.windw", "1"], "did you mean decode.window?"),
        (["set", "edit.presets", "x"], "is a table"),
        (["set", "edit.presets.x", "\udcff"], "edit.presets.x is not valid UTF-8"),
        (["set", "edit.presets.\udcff", "x"], "is not valid UTF-8"),
        (["set", "decode.seed", "9" * 30], "but must be less than 2**63."),
        (["get", "nothing"], "There is no setting"),
        (["unset", "nothing.at_all"], "There is no setting"),
    ],
)
def test_what_is_wrong_is_said_and_nothing_is_written(editd, file, arguments, sentence):
    outcome = editd("config", *arguments)
    assert (outcome.code, len(outcome.err.splitlines())) == (2, 1)
    assert sentence in outcome.err
    assert file.read_text() == FILE


def test_a_broken_file_is_not_overwritten(editd, file):
    file.write_text("[model\n")
    outcome = editd("config", "set", "model.device", "cpu")
    assert (outcome.code, file.read_text()) == (2, "[model\n")
    assert "cannot be read" in outcome.err


def test_a_mark_at_the_file_s_beginning_is_no_part_of_it(editd, file):
    file.write_text("\ufeff" + FILE, encoding="utf-8")
    assert editd("config", "get", "decode.window").text == "5\n"
    assert editd("config", "set", "model.name", "org/b").code == 0
    assert file.read_text() == FILE.replace("org/a", "org/b")


def test_a_link_to_the_file_stays_a_link(editd, file, tmp_path):
    real = tmp_path / "dotfiles.toml"
    file.rename(real)
    file.symlink_to(real)
    assert editd("config", "set", "model.name", "org/b").code == 0
    assert file.is_symlink()
    assert "org/b" in real.read_text()


def test_presets_say_which_the_model_in_use_cannot_do(editd):
    editd("config", "set", "edit.presets.sort", "Sort the imports.")
    listed = {preset["name"]: preset for preset in json.loads(editd("presets", "--json").out)}
    assert listed["sort"] == {
        "name": "sort", "title": "Sort", "instruction": "Sort the imports.", "refused": "",
    }  # fmt: skip
    assert listed["fix"]["refused"] == "needs a larger model than the embedded one"
    text = editd("presets").text
    assert "Fix problems (needs a larger model than the embedded one)\n" in text
    assert text.endswith("Larger models that run here: editd setup\n")
    editd("config", "set", "model.name", "llama_cpp:/m.gguf")
    assert "larger" not in editd("presets").text


def test_a_device_is_not_replaced_by_a_file(editd, tmp_path, monkeypatch):
    device = tmp_path / "null"
    device.symlink_to("/dev/null")
    monkeypatch.setenv("EDITD_CONFIG", str(device))
    outcome = editd("config", "set", "model.name", "org/b")
    assert (outcome.code, device.is_symlink(), device.is_char_device()) == (2, True, True)
    assert "is no regular file" in outcome.err
