"""The files of a release work by themselves: a fresh environment and fresh editors that know no checkout.

`make release` runs this after it has built them; EDITD_RELEASE names their folder.
"""

import hashlib
import os
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

FOLDER = Path(os.environ.get("EDITD_RELEASE", ""))
ROOT = Path(__file__).resolve().parents[2]
TEXT, RENAMED = "def load(x):\n    return x\n", "def load(item):\n    return item\n"

pytestmark = pytest.mark.skipif(
    "EDITD_RELEASE" not in os.environ, reason="EDITD_RELEASE names no folder: `make release` does"
)


def only(pattern):
    (found,) = FOLDER.glob(pattern)
    return found.resolve()


def run(*command, cwd, home=None, **variables):
    """Run a program that sees no checkout; its standard output."""
    environment = {key: os.environ[key] for key in ("PATH", "LANG") if key in os.environ}
    environment |= {"HOME": str(home or cwd), "XDG_RUNTIME_DIR": str(cwd), **variables}
    done = subprocess.run(
        [str(part) for part in command], cwd=cwd, env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """A folder with an environment in which the wheel of ``editd-core`` is the only editd."""
    folder = tmp_path_factory.mktemp("fresh")
    subprocess.run([sys.executable, "-m", "venv", folder / "venv"], check=True)
    pip = [folder / "venv/bin/python", "-m", "pip", "install", "--quiet", "--no-compile"]
    wheel = f"{only('editd_core-*.whl')}[llama]"
    constraints = ["--constraint", ROOT / "constraints.txt"]
    subprocess.run([*pip, *constraints, wheel], check=True, cwd=folder)
    yield folder
    subprocess.run([folder / "venv/bin/editd", "stop"], cwd=folder, check=False, env={"HOME": str(folder), "XDG_RUNTIME_DIR": str(folder)})  # fmt: skip


def test_every_file_has_its_checksum():
    lines = (FOLDER / "SHA256SUMS").read_text().splitlines()
    stated = {name: digest for digest, name in (line.split("  ") for line in lines)}
    assert set(stated) == {path.name for path in FOLDER.iterdir()} - {"SHA256SUMS"}
    for name, digest in stated.items():
        assert hashlib.sha256((FOLDER / name).read_bytes()).hexdigest() == digest


def test_the_wheel_edits_a_file_and_merges_an_answer(installed):
    file = installed / "a.py"
    file.write_text(TEXT)
    editd = installed / "venv/bin/editd"
    run(editd, "edit", file, "-i", "Rename x to item.", "--in-place", cwd=installed)
    assert file.read_text() == RENAMED
    (installed / "answer.md").write_text("```python\ndef load(item):\n    return item + 1\n```\n")
    run(editd, "apply", file, "--sketch", "answer.md", "--in-place", cwd=installed)
    assert file.read_text() == RENAMED.replace("return item", "return item + 1")
    where = "import editd; print(editd.__file__)"
    assert str(ROOT) not in run(installed / "venv/bin/python", "-c", where, cwd=installed)


def test_the_plugin_rewrites_a_buffer_in_neovim(installed, tmp_path):
    nvim = next(iter(ROOT.glob(".testenv/nvim-0.12/usr/bin/nvim")), None) or shutil.which("nvim")
    if not nvim:
        pytest.skip("no Neovim: `make test-editors` unpacks one")
    with tarfile.open(only("editd-nvim-*.tar.gz")) as archive:
        archive.extractall(tmp_path / "plugin", filter="data")
    file, script = tmp_path / "a.py", tmp_path / "edit.lua"
    file.write_text(TEXT)
    script.write_text(f"""
        require("editd").setup({{ cmd = {{ "{installed}/venv/bin/editd", "lsp" }} }})
        vim.cmd.edit("{file}")
        vim.bo.filetype = "python"
        local ended = false
        vim.api.nvim_create_autocmd("User", {{ pattern = "EditdFinished", callback = function() ended = true end }})
        vim.cmd("Editd Rename x to item.")
        assert(vim.wait(60000, function() return ended end, 50), "no answer")
        vim.cmd("EditdAccept!")
        assert(vim.wait(10000, function() return vim.bo.modified end, 50), "nothing accepted")
        vim.cmd("write")
        vim.cmd("qall!")
    """)
    run(nvim, "--clean", "--headless", "--cmd", f"set rtp^={tmp_path}/plugin", "-c", f"luafile {script}", cwd=tmp_path, home=installed)  # fmt: skip
    assert file.read_text() == RENAMED


def test_the_extension_installs_in_vs_code(tmp_path):
    vsix = only("editd-*.vsix")
    with zipfile.ZipFile(vsix) as files:
        assert {"extension/package.json", "extension/dist/extension.js"} <= set(files.namelist())
    code = next(
        iter(ROOT.glob(".testenv/vscode/node_modules/.bin/code-server")), None
    ) or shutil.which("code")
    if not code:
        pytest.skip("no VS Code: `make test-editors` installs one")
    folders = [f"--extensions-dir={tmp_path}/extensions", f"--user-data-dir={tmp_path}/data"]
    run(code, *folders, "--install-extension", vsix, cwd=tmp_path, PATH=f"{ROOT}/.testenv/vscode/bin:{os.environ['PATH']}")  # fmt: skip
    assert "editd" in run(code, *folders, "--list-extensions", cwd=tmp_path, PATH=f"{ROOT}/.testenv/vscode/bin:{os.environ['PATH']}")  # fmt: skip
