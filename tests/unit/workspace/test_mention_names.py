"""Names that complete ``@…``: files that may be read and definitions, the better fit first."""

import os

import pytest

from editd.messages import EditRequest
from editd.workspace import mention_names
from editd.workspace.mention_names import MOST_NAMES, find_mention_names
from editd.workspace.mentions import read_mentions

OWN = "def load_own(): pass\n\n\ndef load_twice(): pass\n"
FILES = {
    "main.py": OWN,
    "src/util.py": "def load_settings(): pass\n\n\ndef load_twice(): pass\n\n\ndef Ähnlich(): pass\n",
    "src/users/table.ts": "export function loadUsers() {}\n",
    "two words.py": "class Same: pass\n",
    "tests/other.py": "class Same: pass\n",
    "Makefile": "all:\n",
    ".gitignore": "ignored.py\n",
    "ignored.py": "def load_ignored(): pass\n",
    ".env": "LOAD=1\n",
    "node_modules/util.js": "function load_vendored() {}\n",
}


@pytest.fixture
def project(tmp_path):
    for age, (name, text) in enumerate(FILES.items()):
        path = tmp_path / "project" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        os.utime(path, (1e9 - age, 1e9 - age))
    return tmp_path / "project"


def names(project, prefix, root=True):
    found = find_mention_names(prefix, str(project) if root else "", OWN, str(project / "main.py"))
    return [x.name for x in found]


@pytest.mark.parametrize(
    ("prefix", "wanted"),
    [
        ("uti", ["src/util.py"]),
        ("src/ut", ["src/util.py"]),
        ("UTIL", ["src/util.py"]),
        ("us", ["src/users/table.ts"]),
        ("users/t", ["src/users/table.ts"]),
        ("make", ["Makefile"]),
        ("two", ['"two words.py"']),
        ('"two w', ['"two words.py"']),
        ("load", ["load_own", "load_twice", "load_settings", "loadUsers"]),
        ("l", ["load_own", "load_twice"]),  # one letter: of this file alone
        ("Sam", []),  # two files define it
        ("ähn", ["Ähnlich"]),
        ("main", []),  # the edited file itself
        ("ignored", []),
        (".env", []),
        ("util.py:4", []),
        ("../", []),
        ("/etc/pass", []),
        ("", ["src/util.py", "src/users/table.ts", '"two words.py"', "tests/other.py", "Makefile",
              ".gitignore", "load_own", "load_twice"]),
    ],
)  # fmt: skip
def test_what_fits(project, prefix, wanted):
    assert names(project, prefix) == wanted


@pytest.mark.parametrize("prefix", ["", "load", "uti"])
def test_every_name_that_is_offered_can_be_mentioned(project, prefix):
    for name in names(project, prefix):
        request = EditRequest("1", OWN, f"as @{name} does", "main.py", workspace_root=str(project))
        found = read_mentions(request)
        assert found.notices == ()
        assert "@" not in found.full.instruction
        assert bool(found.full.context) == (name not in OWN)


def test_of_a_project_that_is_not_trusted_or_has_gone_only_the_text_is_read(project):
    assert names(project, "load", root=False) == ["load_own", "load_twice"]
    assert names(project / "gone", "load") == ["load_own", "load_twice"]


def test_there_are_not_too_many_and_definitions_have_their_share(project):
    for number in range(40):
        (project / f"load{number}.py").write_text("x = 1\n")
    found = names(project, "load")
    assert len(found) == MOST_NAMES
    assert "load_settings" in found


def test_files_are_read_for_a_bounded_time(project, monkeypatch):
    monkeypatch.setattr(mention_names, "_SECONDS", -1)
    assert names(project, "load") == ["load_own", "load_twice"]
