"""An edit that the words alone decide needs no model and starts no daemon, in a terminal and in an editor."""

import json

from tests.e2e.test_cli import Shell, shell  # noqa: F401 - a fixture

GO = "package main\n\nfunc parse() int { return 1 }\n\nvar n = parse()\n"


def test_a_rename_in_a_terminal(shell):  # noqa: F811
    assert isinstance(shell, Shell)
    shell.environment["EDITD_EDIT_WORDS"] = "true"
    shell.environment["EDITD_MODEL"] = "there/is-no-such-model"
    (shell.folder / "a.go").write_text(GO)
    code, out, err = shell.run("edit", "a.go", "-i", "Rename parse to read.", "--json")
    assert code == 0, err
    answer = json.loads(out)
    assert answer["text"] == GO.replace("parse", "read")
    assert answer["stats"]["written_by"] == "words"
    assert shell.run("status")[0] == 3  # nothing was started
    shell.environment["EDITD_EDIT_WORDS"] = "false"
    code, _, err = shell.run("edit", "a.go", "-i", "Rename parse to read.")
    assert code == 4, err
