"""``@file``, ``@file:lines`` and ``@symbol`` in an instruction: what is read, what is refused, what is a word."""

import pytest

from editd.errors import EditRefused
from editd.messages import EditRequest
from editd.workspace import mentions
from editd.workspace.mentions import has_mentions, read_mentions

UTIL = "import os\n\n\ndef helper(x):\n    return x\n\n\ndef other():\n    pass\n"
HELPER = "def helper(x):\n    return x\n"


@pytest.fixture
def project(tmp_path):
    root = tmp_path / "project"
    (root / "src").mkdir(parents=True)
    (root / "sub").mkdir()
    (root / ".gitignore").write_text("ignored.py\n")
    for name in ("src/util.py", "ignored.py", ".env", "two words.py"):
        (root / name).write_text(UTIL.replace("helper", "helper" if "util" in name else "alone"))
    for folder in ("src", "sub"):
        (root / folder / "same.py").write_text("def twice(): pass\n")
    (root / "Makefile").write_text("all:\n")
    (root / "data.py").write_bytes(b"\0\1")
    (root / "long.py").write_text("x = 1\n" * 100_000)
    (tmp_path / "outside.py").write_text("x = 1\n")
    (root / "link.py").symlink_to(tmp_path / "outside.py")
    (root / "main.py").write_text("x = 1\n")
    return root


def request(root, instruction, text="x = 1\n"):
    return EditRequest(
        "1", text, instruction, "main.py", workspace_root=str(root or ""), file=str(root / "main.py") if root else ""
    )  # fmt: skip


@pytest.mark.parametrize(
    ("instruction", "path", "lines", "full", "plain"),
    [
        ("Use @src/util.py here.", "src/util.py", (0, 9), "Use util.py here.", "Use here."),
        ("rename x to y, as in @util.py", "src/util.py", (0, 9), "rename x to y, as in util.py", "rename x to y"),
        ("Like @src/util.py:4-5", "src/util.py", (3, 5), "Like util.py", "Like"),
        ("Like @util.py:4", "src/util.py", (3, 4), "Like util.py", "Like"),
        ("call @helper", "src/util.py", (3, 5), "call helper", "call"),
        ('see @"two words.py".', "two words.py", (0, 9), "see two words.py.", "."),
        ("see @ignored.py", "ignored.py", (0, 9), "see ignored.py", ""),  # named exactly
        ("see @.env", ".env", (0, 9), "see .env", ""),
        ("see @Makefile", "Makefile", (0, 1), "see Makefile", ""),
    ],
)  # fmt: skip
def test_a_text_that_is_named_is_context(project, instruction, path, lines, full, plain):
    found = read_mentions(request(project, instruction))
    (item,) = found.full.context
    assert (item.kind, item.path, (item.start_line, item.end_line)) == ("mention", path, lines)
    assert item.text == "".join(
        (project / path).read_text().splitlines(keepends=True)[slice(*lines)]
    )
    assert (found.full.instruction, found.notices) == (full, ())
    assert " ".join(found.plain.instruction.split()) == plain


def test_a_text_that_is_named_twice_is_context_once(project):
    found = read_mentions(request(project, "call @helper, not the @helper of @util.py"))
    assert [item.text for item in found.full.context] == [HELPER, UTIL]
    assert found.full.instruction == "call helper, not the helper of util.py"


@pytest.mark.parametrize(
    ("instruction", "bare"),
    [
        ("rename @area to size", "rename area to size"),
        ("call @area from @helper", "call area from helper"),
        ("remove @cached from @area", "remove @cached from area"),  # the text has it with its @
    ],
)
def test_a_definition_of_the_edited_text_is_its_name(project, instruction, bare):
    text = "def cached(f): ...\n@cached\ndef area(): ...\n"
    found = read_mentions(request(project, instruction, text))
    assert (found.full.instruction, found.notices) == (bare, ())
    assert len(found.full.context) == ("helper" in bare)
    assert found.plain.instruction == bare.replace(" from helper", "")


def test_a_link_that_comes_after_the_look_is_not_followed(project, monkeypatch):
    def exact(_name, root, _request):
        (root / "src" / "util.py").unlink()
        (root / "src" / "util.py").symlink_to(root.parent / "outside.py")
        return root / "src" / "util.py"

    monkeypatch.setattr(mentions, "_exact", exact)
    with pytest.raises(EditRefused, match="was not read"):
        read_mentions(request(project, "see @src/util.py"))


@pytest.mark.parametrize(
    ("instruction", "sentence"),
    [
        ("see @../outside.py", "lies outside of the project"),
        ("see @link.py", "lies outside of the project"),
        ("see @/etc/passwd:1", "lies outside of the project"),
        ("see @same.py", "several files: say which (@src/same.py, @sub/same.py)"),
        ("call @twice", "several files: say which (@src/same.py, @sub/same.py)"),
        ("see @src/util.py:8-99", "has lines 1 to 9"),
        ("see @src/util.py:0-2", "has lines 1 to 9"),
        ("see @data.py", "is no text"),
        ("see @long.py", "longer than 512 kB"),
    ],
)
def test_what_is_refused_in_one_sentence(project, instruction, sentence):
    with pytest.raises(EditRefused) as error:
        read_mentions(request(project, instruction))
    assert sentence in str(error.value)


def test_nothing_is_read_of_a_project_that_is_not_trusted(project):
    with pytest.raises(EditRefused, match="in no trusted folder"):
        read_mentions(request(None, "see @src/util.py"))
    assert read_mentions(request(None, "call @helper")) is None


def test_what_git_ignores_or_looks_secret_is_not_found_by_a_part_of_its_name(project):
    (project / "ignored.py").rename(project / "src" / "ignored.py")
    (project / ".env").rename(project / "sub" / ".env")
    for name in ("ignored.py", ".env"):
        assert read_mentions(request(project, f"see @{name}")).full.context == ()
    assert read_mentions(request(project, "call @alone")).full.context[0].path == "two words.py"


@pytest.mark.parametrize("path", [".env", ".hidden/a.py", "src/secret_keys.py", "key.pem"])
def test_whoever_may_not_edit_a_secret_does_not_get_it_by_its_name(project, path):
    (project / path).parent.mkdir(exist_ok=True)
    (project / path).write_text("x = 1\n")
    asked = request(project, f"see @{path}")
    assert read_mentions(asked).full.context[0].path == path
    with pytest.raises(EditRefused, match="it is hidden or looks like a secret"):
        read_mentions(asked, secrets=False)
    assert read_mentions(request(project, "see @src/util.py"), secrets=False).full.context


@pytest.mark.parametrize(
    "instruction",
    [
        "add @property to area",
        "use @pytest.fixture",
        "import it from @types/node",
        "import it from @/components/button.tsx",
        "mail me@example.py",
        "keep @cached",
        "wrap in @media (print)",
        f"import it from @/{'a' * 300}",  # longer than a name can be
    ],
)
def test_words_stay_words(project, instruction):
    assert read_mentions(request(project, instruction, "@cached\ndef f(): ...\n")) is None


@pytest.mark.parametrize(
    ("name", "notice"),
    [
        ("nowhere", "“@nowhere” is not defined in the project, so it was read as a word."),
        (
            "no/where.py",
            "There is no no/where.py in the project, so “@no/where.py” was read as a word.",
        ),
    ],
)
def test_what_the_project_has_not_is_said(project, name, notice):
    found = read_mentions(request(project, f"call @{name}"))
    assert (found.notices, found.full.instruction) == ((notice,), f"call @{name}")


def test_an_address_is_no_mention():
    assert not has_mentions("mail me@example.py")
    assert has_mentions("see @a.py")
