import itertools
import os
import random
import shutil
import subprocess
from pathlib import Path

import pytest

from editd.workspace.ignore import IgnoreFile, read_ignore_file
from editd.workspace.walk import DEFAULT_LIMITS, find_files
from tests.unit.workspace.projects import write


def files_of(root: Path) -> set[str]:
    return {file.path for file in find_files(root, DEFAULT_LIMITS).files}


@pytest.mark.parametrize(
    ("files", "counted"),
    [
        ({".gitignore": "*.txt\n", "a.txt": "a", "b/c.txt": "a", "d.py": "a"}, {"d.py"}),
        ({".gitignore": "/a.py\n", "a.py": "a", "b/a.py": "a"}, {"b/a.py"}),
        ({".gitignore": "out/\n", "out/a.py": "a", "b/out": "a"}, {"b/out"}),
        ({".gitignore": "*.py\n!a.py\n", "a.py": "a", "b.py": "a"}, {"a.py"}),
        ({".gitignore": "out/\n!out/a.py\n", "out/a.py": "a"}, set()),
        ({".gitignore": "out/*\n!out/a.py\n", "out/a.py": "a", "out/b.py": "a"}, {"out/a.py"}),
        ({".gitignore": "*.py\n", "b/.gitignore": "!a.py\n", "b/a.py": "a"}, {"b/a.py"}),
        ({"b/.gitignore": "a.py\n", "a.py": "a", "b/a.py": "a", "b/c/a.py": "a"}, {"a.py"}),
        ({"b/.gitignore": "/a.py\n", "b/a.py": "a", "b/c/a.py": "a"}, {"b/c/a.py"}),
        ({".gitignore": "a/**/d.py\n", "a/d.py": "a", "a/b/c/d.py": "a", "e.py": "a"}, {"e.py"}),
        ({".gitignore": "# a\n\n\\#b.py\n", "#b.py": "a", "a": "a"}, {"a"}),
        ({".gitignore": "[invalid\n*.txt\n", "a.txt": "a", "b.py": "a"}, {"b.py"}),
        ({".gitignore": b"\xff\xfe\n*.txt\r\n", "a.txt": "a", "b.py": "a"}, {"b.py"}),
        (
            {".gitignore": b"\xef\xbb\xbfa.py\nb.py\n", "a.py": "a", "b.py": "a", "c.py": "a"},
            {"c.py"},
        ),
        ({".gitignore": b"\xef\xbb\xbf# a\n*.txt", "a.txt": "a", "c.py": "a"}, {"c.py"}),
        ({".gitignore": "[[:alpha:]].py\n", "a.py": "a", "1.py": "a"}, {"1.py"}),
        ({".gitignore": "#" * (1 << 20) + "\na.py\n", "a.py": "a", "b/c.py": "a"}, set()),
    ],
)
def test_ignore_files_are_respected(root, files, counted):
    write(root, files)
    assert files_of(root) - {path for path in files if path.endswith(".gitignore")} == counted


def test_exclude_file_and_the_users_own_are_respected(root, tmp_path):
    write(root, {".git/info/exclude": "a.py\n", "a.py": "a", "b.py": "b", "c.py": "c"})
    write(tmp_path / "config", {"git/ignore": "b.py\n"})
    assert files_of(root) == {"c.py"}


def test_a_root_inside_a_repository_obeys_the_files_above_it(root):
    write(root, {".git/info/exclude": "c.py\n", ".gitignore": "/sub/a.py\n*.txt\n"})
    write(root / "sub", {"a.py": "a", "b.py": "b", "c.py": "c", "d.txt": "d"})
    assert files_of(root / "sub") == {"b.py"}


def test_a_root_that_its_repository_ignores_is_read_all_the_same(root):
    write(root, {".git/HEAD": "", ".gitignore": "/sub/\n", "sub/a.py": "a"})
    assert files_of(root / "sub") == {"a.py"}


EVIL = [
    "*a" * 100 + "*b",
    "**/a/" * 18 + "b",
    "**/*a*a/" * 15 + "b",
    "*" * 90_000,
    "[a-z]*" * 60 + "1",
]


@pytest.mark.parametrize("pattern", EVIL)
def test_no_pattern_takes_long(root, pattern):
    """With expressions that backtrack, this would not end."""
    deep = "/".join(["a" * 50] * 25)
    write(root, {".gitignore": f"{pattern}\n!*.gitignore\n", "a" * 250: "a", f"{deep}/a": "a"})
    everything = pattern.startswith("**" * 9)
    assert files_of(root) == {".gitignore"} | (set() if everything else {"a" * 250, f"{deep}/a"})


@pytest.mark.skipif(shutil.which("git") is None, reason="compares with git")
@pytest.mark.parametrize("seed", range(10))
def test_a_pattern_matches_what_it_matches_for_git(root, seed):
    rng = random.Random(seed)
    names = ["".join(rng.choice("abc*-].") for _ in range(rng.randint(1, 3))) for _ in range(60)]
    names = [name for name in names if name not in (".", "..")]
    paths = {"/".join(rng.choices(names, k=rng.randint(1, 4))) for _ in range(150)}
    subprocess.run(["git", "init", "-q", root], check=True)
    for _ in range(15):
        pattern = "/" + "".join(rng.choices(PIECES, k=rng.randint(1, 6))).rstrip("/")
        (root / ".gitignore").write_text(f"{pattern}\n")
        command = ["git", "-C", root, "check-ignore", "--no-index", "-z", "--stdin"]
        asked = "\0".join(paths).encode()
        listed = subprocess.run(command, check=False, capture_output=True, input=asked).stdout
        rule = IgnoreFile(f"{pattern}\n".encode())

        def ignored(path, rule=rule):
            *folders, _ = itertools.accumulate(path.split("/"), "{}/{}".format)
            return any(rule.ignores(folder, is_folder=True) for folder in folders) or bool(
                rule.ignores(path, is_folder=False)
            )

        assert {path for path in paths if ignored(path)} == set(listed.decode().split("\0")) - {""}


PIECES = [
    "a", "b", "*", "**", "/", "?", "[ab]", "[!a]", "[a-c]", "[]b]", "[[:alpha:]]", "[^b-]", "\\a", "\\*",
    "[a", "**/", "/**", "[b-a]", "[\\]b]", "[[:foo:]]", "-", "[a-]", ".",
]  # fmt: skip
PATTERNS = [
    "*.log", "foo", "foo/", "/foo", "a/b", "a/b/", "**/b", "b/**", "a/**/b", "*", "*/", "/*",
    "/*/", "!foo", "!foo/", "!*.py", "!a/", "!/a", "lib/*", "!lib/x.log", "*.p?", "[ab]", "\\!x",
    "#c", "", "a/*", "!a/b", "**/foo/bar.py", "foo/**", "!bar.py", "**", "a ", "x.lo[g", "/", "!",
]  # fmt: skip


@pytest.mark.skipif(shutil.which("git") is None, reason="compares with git")
@pytest.mark.parametrize("seed", range(20))
def test_agrees_with_git(root, seed):
    rng = random.Random(seed)
    folders = [""]
    for _ in range(6):
        folder = f"{rng.choice(folders)}{rng.choice(['a', 'b', 'foo', 'lib'])}/"
        (root / folder).mkdir(exist_ok=True)
        folders.append(folder)
    for _ in range(14):
        path = root / (
            rng.choice(folders) + rng.choice(["a", "b", "foo", "bar.py", "x.txt", "x.l"])
        )
        if not path.exists():
            path.write_text("x")
    for folder in folders:
        if not folder or rng.random() < 0.4:
            lines = [rng.choice(PATTERNS) for _ in range(rng.randrange(1, 6))]
            (root / folder / ".gitignore").write_text("\n".join(lines) + "\n")
    clean = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    for name in ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"):
        clean.pop(name, None)
    subprocess.run(["git", "init", "-q", root], check=True, env=clean)
    command = ["git", "-C", root, "ls-files", "-co", "--exclude-standard", "-z"]
    listed = subprocess.run(command, check=True, capture_output=True, env=clean).stdout.decode()
    assert files_of(root) == {path for path in listed.split("\0") if path}


def test_an_ignore_file_that_is_none_has_no_rules(tmp_path):
    (tmp_path / "folder").mkdir()
    (tmp_path / "link").symlink_to("file")
    (tmp_path / "file").write_bytes(b"a\n")
    (tmp_path / "large").write_bytes(b"a\n" * (1 << 20))
    wanted = {"folder": b"", "link": b"", "missing": b"", "file": b"a\n", "large": b"*"}
    descriptors = Path("/proc/self/fd")
    before = len([*descriptors.glob("*")])
    assert {name: read_ignore_file(tmp_path / name) for name in wanted} == wanted
    assert len([*descriptors.glob("*")]) == before
