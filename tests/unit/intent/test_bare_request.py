"""What people say around a request is taken away, and pronouns get the noun they stand for; what narrows it or is not understood leaves it."""

import pytest

from editd.intent.bare_request import bare_requests
from editd.intent.bare_request.clause_roles import role_of, without_courtesy
from editd.messages import EditRequest
from editd.refactor.computed import compute_edit


@pytest.mark.parametrize(
    ("clause", "role"),
    [
        ("can you throw them out", "asks"),
        ("please import java.util.Set", "asks"),
        ("the port should be 80", "asks"),
        ("console.logs gotta go", "asks"),
        ("can the message be a template string", "asks"),
        ("I need the time module in a minute", "wish"),
        ("we want a second parameter", "wish"),
        ("cargo warns about an unused import", "reason"),
        ("none of our tests depend on it now", "reason"),
        ("set ¤0 makes so much noise", "reason"),
        ("because it fails", "reason"),
        ("so that the output is short", "reason"),
        ("hey", "courtesy"),
        ("thanks a lot", "courtesy"),
        ("could you do that for me", "courtesy"),
        ("and don't forget to import logging", "courtesy"),
        ("only the parameter", "courtesy"),
        ("leave the require", "limit"),
        ("don't touch the tests", "limit"),
        ("unless it is used", "limit"),
        ("only in main", "limit"),
        ("should we remove it", "unclear"),
        ("what do you think", "unclear"),
        ("the debug print", "unclear"),
        ("explain it", "unclear"),
    ],
)
def test_a_clause_has_a_role(clause, role):
    assert role_of(clause) == role


@pytest.mark.parametrize(
    ("clause", "bare"),
    [
        ("hey, could you please sort the imports for me", "sort the imports"),
        ("would you mind annotating total", "annotate total"),
        ("would you mind removing the print", "remove the print"),
        ("I'd like you to rename it", "rename it"),
        ("can the title be a constant", "the title should be a constant"),
        ("it would be great if you could delete f", "delete f"),
        ("string f", "string f"),
    ],
)
def test_courtesy_is_taken_away(clause, bare):
    assert without_courtesy(clause) == bare


@pytest.mark.parametrize(
    ("text", "requests"),
    [
        ("please import java.util.Set, I want to use one for the reserved books later", ["import java.util.Set"]),
        ("comment out the lint step for now please, it only fails because of my branch", ["comment out the lint step"]),
        ("hi! the tests are slow. could you raise the timeout to 30? thanks", ["raise the timeout to 30"]),
        ("cargo warns about an unused import, would you remove it?", ["remove the cargo", "remove the unused import"]),
        ("set -x makes so much noise, take it out please", ["take the set -x out", "take the noise out"]),
        ("there's one deprecated method in this class, could you delte it?", ["delete the deprecated method in this class"]),
        ("neither of the comments helps anybody, so delete them both", ["delete the comments"]),
        ("load crashes when there is no file. Put a try around it", ["Put a try around the load"]),
        ("read_all crashes at once. Put a try around everything in it", ["Put a try around everything in read_all"]),
        ("I'll need the time module in a minute, could you import it for me?", ["import the time module"]),
        ("something from typing isn't used, could you remove those imports?", ["remove the unused imports"]),
        ("eslint flags two imports as unused, out with them", ["out with the unused eslint", "out with the eslint", "out with the unused imports", "out with the imports"]),
        ("console.logs out before I open the PR :)", ["console.logs out"]),
        ("for today's deploy I need to skip the migrations: comment out the call to migrate", ["comment out the call to migrate"]),
        ("take out the app.use for cors, leave the require", ["take out the app.use for cors"]),
        ("hey, uncoment the line please", ["uncomment the line"]),
        ("please remvoe the imports everywere", ["remove the imports everywhere"]),
        ("change the remote setting please", ["change the remote setting"]),
        ("rename f to remvoe please", ["rename f to remvoe"]),
        ("please delete dump, nobody needs it. the print stays", ["delete dump"]),
        # Nothing is said around it
        ("rename a to b", []),
        # Narrowed, asked twice, taken back, or not understood
        ("remove the prints, it is noise except in main", []),
        ("remove the print, then nobody knows, rename f to g", []),
        ("should we remove the print? it is noise", []),
        ("explain the print, it is noise", []),
        ("the print is noise", []),
        ("somebody should look at it, or delete it", []),
        ("we moved to port 9090, change the port", []),  # the value is in the reason
        ("the print is noise, refactor it and write a test for it", []),
        ("don't remove the print, it helps me", []),
    ],
)  # fmt: skip
def test_the_bare_requests(text, requests):
    assert [x.text for x in bare_requests(text)] == requests


PY = 'import os\nimport json\n\n\ndef load(path):\n    # old note\n    print("debug", path)\n    return json.load(open(path))\n\n\ndef dump(x):\n    return json.dumps(x)\n'


PARTS = ("import os", "# old note", "print(", "def dump")


@pytest.mark.parametrize(
    ("sentence", "gone"),
    [
        ("hello, pylint is unhappy about the unused import, could you throw it out for me? thanks!", "import os"),
        ("I don't need the old comment in load any more, so would you delte it please", "# old note"),
        ("nobody calls dump, so can you get rid of it?", "def dump"),
        ("the debug print was only for me. kill it, thanks", "print("),
    ],
)  # fmt: skip
def test_an_edit_by_its_bare_request(sentence, gone):
    result = compute_edit(EditRequest("1", PY, sentence, path="a.py"))
    assert [part for part in PARTS if part not in result.text] == [gone]


@pytest.mark.parametrize(
    ("sentence", "gone"),
    [
        ("the old comment is wrong now, delete it, but leave the import of json", "# old note"),
        ("please delete dump, nobody needs it. the print stays", "def dump"),
        ("please delete dump, nobody needs it. the logger stays", None),  # there is none
        ("remove the prints for me, but leave the one in load", None),
        ("could you please throw out the unused import, keep import os", None),
        ("please delete all comments, but keep the first", None),
    ],
)
def test_what_is_said_to_stay_stays(sentence, gone):
    result = compute_edit(EditRequest("1", PY, sentence, path="a.py"))
    text = result.text if result is not None and result.hunks else PY
    assert [part for part in PARTS if part not in text] == ([gone] if gone else [])


@pytest.mark.parametrize(
    "sentence",
    [
        "hello, pylint is unhappy about the unused import, what do you think?",
        "nobody calls dump, so can you get rid of it or not?",
        "nobody calls dump, but my boss wants it, I would delete it",
        "I always delete the debug print by hand, it is silly",
        "I wanted to remove the print in load, then I needed it again",
        "the linter told me to remove the unused import, it is wrong",
        "dump is dead, I will delete it",
        "I don't like dump, call it better",
        "rename dump to something shorter",
    ],
)
def test_what_is_no_request(sentence):
    result = compute_edit(EditRequest("1", PY, sentence, path="a.py"))
    assert result is None or not result.hunks
