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


def test_a_list_in_a_terminal_is_done_as_a_whole_or_not_at_all(shell):  # noqa: F811
    shell.environment["EDITD_EDIT_WORDS"] = "true"
    shell.environment["EDITD_MODEL"] = "there/is-no-such-model"
    (shell.folder / "a.go").write_text(GO.replace("\n\nvar", " // old\n\nvar"))
    wishes = "Please do this:\n- rename parse to read\n- delete the comments\n"
    code, _, err = shell.run("edit", "a.go", "-i", wishes, "--in-place")
    assert code == 0, err
    assert (shell.folder / "a.go").read_text() == GO.replace("parse", "read")
    before = (shell.folder / "a.go").read_text()
    for more in ("- not in main\n", "Leave n alone.\n", "- make it faster\n"):
        code, _, _ = shell.run(
            "edit", "a.go", "-i", f"- rename read to parse\n{more}", "--in-place"
        )
        assert code != 0
        assert (shell.folder / "a.go").read_text() == before


def test_a_name_that_is_taken_is_refused_in_a_terminal(shell):  # noqa: F811
    shell.environment["EDITD_EDIT_WORDS"] = "true"
    shell.environment["EDITD_MODEL"] = "there/is-no-such-model"
    (shell.folder / "a.py").write_text("def area(w):\n    result = w\n    return result\n")
    code, out, err = shell.run("edit", "a.py", "-i", "rename result to w")
    assert (code, out) == (1, "")
    assert "“w” is taken (line 1)" in err
    assert shell.run("status")[0] == 3
