"""``editd setup``: sets up a model and an editor after a fresh installation, with at most four questions.

Knows the editors' programs, folders and commands; the plugins are in ``clients/``. Existing files are not
replaced.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import editd
from editd import config_sources
from editd.config import EMBEDDED
from editd.errors import EditdError, UsageError
from editd.frontends.cli.config import checked_model, write_setting
from editd.frontends.cli.console import progress_bar, say, write_text
from editd.frontends.cli.doctor import examine
from editd.frontends.cli.linters_here import offer_linters
from editd.frontends.cli.machine import this_machine
from editd.frontends.cli.models import fetch
from editd.frontends.cli.options import option
from editd.frontends.cli.setup_model import Offer, ask, choose_model, first_edit, keeping
from editd.installed import source
from editd.stores import hub, is_stored_name
from editd.stores.gguf_pull import is_gguf_reference
from editd.stores.hub import gigabytes

_SECONDS = 600.0  # that one command may take; npm fetches packages
_VS_CODES = ("code", "codium", "code-insiders", "code-oss")
_OLDEST_NEOVIM = (0, 10)


def setup(
    *,
    model: Annotated[
        str | None,
        option(
            "--model",
            metavar="NAME",
            about="Use this model instead of asking; OWNER/REPO:FILE.gguf is downloaded.",
        ),
    ] = None,
    editor: Annotated[
        str,
        option(
            "--editor",
            metavar="E",
            about="Set up this editor instead of asking: vscode, neovim, all or none.",
        ),
    ] = "",
    yes: Annotated[
        bool, option("--yes", about="Accept all defaults without asking, including downloads.")
    ] = False,
) -> int:
    """Choose a model and an editor, set both up, and check the result.

    A model that is set already stays unless another is chosen. Offers the models on this machine, including those of other
    programs, and downloads that fit its memory; takes the path of a .gguf file, too. Offers a llama.cpp for this machine's GPU or
    processor, where that is faster than the one that is installed, and says which engine the processor should have. With
    OpenVINO it measures and converts the model, which takes a minute or more. Exits with 1 if doctor finds a problem.
    """
    if model is not None and not model.strip():
        raise UsageError('--model is "", but must be a name or a path.')
    resolved = config_sources.resolve()
    set_model = _set_model(resolved)
    is_remote = resolved.config.model.engine == "remote"
    if model is None:
        chosen = choose_model(this_machine(), set_model, yes=yes)
    else:
        name = model if is_gguf_reference(model) else _existing_model(model)
        chosen = Offer(name, name, is_here=name != EMBEDDED and not is_gguf_reference(name))
    library = "" if is_remote else _choose_library(chosen.name if chosen else "", yes=yes)
    editors_to_set_up = _choose_editors(editor, yes=yes)
    if not (yes or (model is not None and editor)):  # options answer all questions
        offer_linters(resolved.config.checks, lambda text, lines: int(ask(text, lines, 0)))
    failed = bool(library) and _fetch(library) is None
    if chosen is not None:
        used = chosen.name if chosen.is_here or is_remote else _fetch(chosen.name)
        if used is None:
            failed = True
        else:
            _use(used, is_kept=model is None and used == set_model)
    for found in editors_to_set_up:
        say(f"Setting up {found.title} …")  # building the extension may take minutes
        try:
            say(found.install())
        except EditdError as error:
            say(f"{found.title}: {error}")
            failed = True
    if editors_to_set_up and (sentence := make_editd_found()):
        say(sentence)
    problems = _problems()
    if problems or failed:
        write_text("".join(f"{line}\n" for line in problems))
        return 1
    write_text("All is well: `editd doctor` found no problem.\n")
    command, doing = first_edit(_examples(), config_sources.resolve().config.model.name)
    write_text(f"Try it; this {doing}:\n    {command}\n")
    return 0


def _use(name: str, *, is_kept: bool) -> None:
    """Write the model's name into the settings unless it is there already (``is_kept``), and say so. Then, unless the
    settings name a server, say which engine this machine should have, if llama.cpp could run the model, and do once
    what takes long (``_prepare``). Raises ``UsageError`` if the settings cannot be written.
    """
    if is_kept:
        say(keeping(name))
    else:
        write_setting(["model", "name"], name)
        say(f"The model is {name}.")
    config = config_sources.resolve().config
    if config.model.engine == "remote":
        return
    if _runs_on_llama_cpp(name):
        from editd.frontends.cli.machine import engine_advice

        text, remedy = engine_advice(config.model.device)
        say(f"The engine for this machine is {text}{f': {remedy}' if remedy else '.'}")
    _prepare()


def _existing_model(name: str) -> str:
    """A model's name or path as the setting takes it: paths to GGUF files made absolute (``~`` expanded), and
    checked. Raises ``UsageError`` if there is no such GGUF file, ``ModelNotFound`` for a name that its store does not
    have; other names are not checked.
    """
    name = checked_model(name)
    place = hub.expand_home(name)
    if place.suffix.lower() == ".gguf" and not is_stored_name(name) and ":" not in name:
        if not place.is_file():
            raise UsageError(f"There is no file {name}.")
        return str(place.absolute())
    return name


def _examples() -> Path | None:
    """The checkout's folder of examples; ``None`` if there is no checkout."""
    checkout = _installed_from() or Path(editd.__file__).parents[1]
    return checkout / "examples" if (checkout / "examples").is_dir() else None


def _set_model(resolved: config_sources.Resolved) -> str:
    """The name that ``model.name`` has by the user's own word; empty if it is the default.

    The name of a server's model always counts: nothing on this machine can take its place.
    """
    model = resolved.config.model
    return model.name if "model.name" in resolved.origins or model.engine == "remote" else ""


def _choose_library(model: str, *, yes: bool) -> str:
    """Ask whether to pull a build of llama.cpp that suits this machine better; returns its name (``llama.cpp:KIND``),
    empty if there is none, the user keeps the installed one, or the model does not run by llama.cpp. Downloads
    nothing.

    model: its name, empty if none was chosen. yes: take it without asking. Without npm, only says that there is one,
    and returns an empty string. Raises ``UsageError`` at the end of the input.
    """
    from editd.frontends.cli import machine
    from editd.models.llama_cpp.builds import NAME

    if not _runs_on_llama_cpp(model) or (offer := machine.to_offer()) is None:
        return ""
    build, why = offer
    name = f"{NAME}:{build.kind}"
    offered = f"{name}, which {why}: {gigabytes(build.nbytes)}"
    if shutil.which("npm") is None:
        say(f"There is a build of {offered}; `editd models pull {name}` fetches it with npm.")
        return ""
    if yes:
        say(f"Fetching {offered}.")
    lines = [f"download {offered}, with npm", "the one that is installed"]
    return name if yes or ask("Which llama.cpp?", lines, 0) == 0 else ""


def _runs_on_llama_cpp(model: str) -> bool:
    """Whether llama.cpp would run the model of that name, which may be one to download; true for the embedded one,
    false for an empty name and for a model whose engine cannot be told.
    """
    from editd.models.registry import backend_name

    if model == EMBEDDED or is_gguf_reference(model):
        return True
    try:
        return bool(model) and backend_name(model) == "llama_cpp"
    except EditdError:
        return False  # what is set is not here any more, which doctor says


def _fetch(name: str) -> str | None:
    """Download a model or a library (network); returns the name under which it is then used (empty for a library),
    ``None`` if that failed, which is said on standard error.
    """
    try:
        return fetch(name)
    except EditdError as error:
        say(str(error))
        return None


def _prepare() -> None:
    """Measure engines for, and convert, the model that is set, so that no edit waits for that; with a progress bar.
    Says on standard error what was chosen, if anything, or why it failed; raises no ``EditdError``.
    """
    from editd.models.pool import ModelPool
    from editd.models.registry import prepare

    config = config_sources.resolve().config
    spec = ModelPool(config).spec(config.model)
    try:
        with progress_bar() as report:
            sentence = prepare(spec, report)
    except EditdError as error:
        sentence = str(error)
    if sentence:
        say(sentence)


def _choose_editors(named: str, *, yes: bool) -> Sequence[Editor]:
    """The editors to set up: the named ones (``all``, ``none`` or one), else, if ``named`` is empty, those that the
    user chooses, with ``yes`` all without asking. None, with a sentence on standard error, if it is empty and no
    editor is on the PATH.

    Raises ``UsageError`` for a name that is unknown or not on the PATH, and at the end of the input.
    """
    found = editors()
    if named in ("none", "all"):
        return found if named == "all" else []
    if named:
        if named not in ("vscode", "neovim"):
            raise UsageError(f'--editor is "{named}", but must be vscode, neovim, all or none.')
        if not (chosen := [editor for editor in found if editor.name == named]):
            raise UsageError(f"{named} is not on the PATH.")
        return chosen
    if not found:
        say("Neither VS Code nor Neovim is on the PATH; `editd lsp` serves other editors.")
        return []
    every = ["all of these"] if len(found) > 1 else []
    lines = [*every, *(editor.title for editor in found), "none"]
    answer = 0 if yes else int(ask("Which editor?", lines, 0))
    if answer == len(lines) - 1:
        return []
    return found if every and answer == 0 else [found[answer - len(every)]]


def _problems() -> list[str]:
    """The problems that doctor finds, each with its remedy."""
    resolved = config_sources.resolve()
    return [
        f"{found.subject}: {found.text}\n    → {found.remedy}"
        for found in examine(resolved.config, list(resolved.warnings))
        if found.verdict == "problem"
    ]


@dataclass(frozen=True, slots=True)
class Editor:
    """An editor that was found. install: installs the plugin and returns a sentence about it."""

    name: str
    title: str
    install: Callable[[], str]


def editors() -> list[Editor]:
    """The editors on the PATH: the first program of VS Code, then Neovim, each with a function that installs the
    plugin. Empty if there are none.
    """
    found = []
    if code := next(filter(None, map(shutil.which, _VS_CODES)), None):
        found.append(Editor("vscode", f"VS Code ({code})", lambda: _install_in_vs_code(code)))
    if nvim := shutil.which("nvim"):
        found.append(Editor("neovim", f"Neovim ({nvim})", lambda: _install_in_neovim(nvim)))
    return found


def make_editd_found() -> str:
    """Link ``editd`` of this installation into ``~/.local/bin`` (made if missing), unless ``editd`` is on the PATH or
    not installed, that folder is not on the PATH, or it has the name already. Returns a sentence on what was done or
    is left to do, empty if ``editd`` is on the PATH. Raises ``OSError``.
    """
    if shutil.which("editd"):
        return ""
    program = Path(sys.executable).with_name("editd")
    folder = Path.home() / ".local" / "bin"
    link = folder / "editd"
    if not program.exists():
        return "Editors look for `editd` on the PATH, and it is not there: install editd."
    if str(folder) not in os.get_exec_path() or link.is_symlink() or link.exists():
        return f"Editors look for `editd` on the PATH: link {program} into a folder that is on it."
    folder.mkdir(parents=True, exist_ok=True)
    link.symlink_to(program)
    return f"{link} now points to {program}, so editors find editd."


def _install_in_vs_code(code: str) -> str:
    """Install the extension, replacing an older one, by VS Code's command (``code``), after building it if necessary;
    returns a sentence about it. Raises ``UsageError`` if either fails.
    """
    extension = _extension()
    _run(code, "--install-extension", str(extension), "--force")
    return f"The extension {extension.name} is installed in VS Code."


def _extension() -> Path:
    """The path of the packaged extension: built by npm (network) in the checkout, unless one is there that is not older than
    its source; without a checkout the file of the release that editd was installed from. Raises ``UsageError`` if there is
    neither, or npm is missing or fails.
    """
    folder = _clients() / "vscode"
    if not (folder / "package.json").is_file() and (checkout := _installed_from()):
        folder = checkout / "clients" / "vscode"
    if not (folder / "package.json").is_file():
        return _released_extension()
    built = folder / "editd.vsix"
    if not built.is_file() or _is_older(built, [folder / "package.json", *folder.glob("src/*")]):
        npm = shutil.which("npm")
        if npm is None:
            raise UsageError(
                "Building the VS Code extension needs Node and npm: install them and run "
                "`editd setup` again."
            )
        _run(npm, "ci", "--no-audit", "--no-fund", cwd=folder)
        _run(npm, "run", "package", cwd=folder)
    return built


def _is_older(file: Path, sources: Sequence[Path]) -> bool:
    """Whether one of ``sources`` was written after ``file``."""
    written = file.stat().st_mtime
    return any(source.stat().st_mtime > written for source in sources)


def _released_extension() -> Path:
    """The extension's file beside the wheel that editd was installed from. Raises ``UsageError`` if there is no such file."""
    name = f"editd-{editd.__version__}.vsix"
    wheel = source()
    if isinstance(wheel, Path) and (file := wheel.with_name(name)).is_file():
        return file
    raise UsageError(
        f"The VS Code extension is not part of this installation: take {name} of the release, or run `make editors` in a "
        "checkout, which makes dist/editd.vsix; then `code --install-extension` with that file."
    )


def _install_in_neovim(nvim: str) -> str:
    """Link the plugin into Neovim's packages, unless it is there (a broken link is replaced), and index its help;
    returns a sentence about it. nvim: Neovim's program.

    Raises ``UsageError`` if Neovim is older than 0.10, another plugin is in that place, or Neovim fails, and
    ``OSError``.
    """
    found = re.search(r"NVIM v(\d+)\.(\d+)", _run(nvim, "--version"))
    if found is None or (int(found[1]), int(found[2])) < _OLDEST_NEOVIM:
        raise UsageError("The plugin needs Neovim 0.10 or newer: update it.")
    plugin = _clients() / "nvim"
    base = os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share"
    link = Path(base) / "nvim" / "site" / "pack" / "editd" / "start" / "editd"
    was_there = link.exists()
    if was_there and link.resolve() != plugin.resolve():
        raise UsageError(f"Another plugin is in {link}: remove it, then run `editd setup` again.")
    if not was_there:
        link.unlink(missing_ok=True)  # it may point to a folder that no longer exists
        link.parent.mkdir(parents=True, exist_ok=True)
        link.symlink_to(plugin, target_is_directory=True)
    # Neovim finds no help without an index of it, which plugin managers make, too.
    _run(nvim, "--clean", "--headless", "-c", "helptags doc", "-c", "qa", cwd=link)
    place = f"The plugin was in {link} already" if was_there else f"The plugin is in {link}"
    return f"{place}; `:help editd` says how to use it."


def _clients() -> Path:
    """The folder of the editors' plugins: inside the package if it is there, as when installed, else beside it, as in
    a checkout. It may not exist.
    """
    package = Path(editd.__file__).parent
    inside = package / "clients"
    return inside if inside.is_dir() else package.parent / "clients"


def _installed_from() -> Path | None:
    """The checkout with plugins that editd was installed from; ``None`` if it was installed from elsewhere, or the
    checkout has no plugins.
    """
    folder = source()
    if isinstance(folder, str):
        return None
    checkout = folder.parents[1] if folder.name == "core" else folder
    return checkout if (checkout / "clients").is_dir() else None


def _run(*command: str, cwd: Path | None = None) -> str:
    """Run a program and return its standard output. Raises ``UsageError`` if it cannot be run or takes more than ten
    minutes, and, with the last line of its output, if its exit code is not 0. cwd: the folder to run in; ``None`` for
    the current one.
    """
    shown = f"{Path(command[0]).name} {' '.join(command[1:])}"
    try:
        done = subprocess.run(
            command, cwd=cwd, capture_output=True, text=True, timeout=_SECONDS, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise UsageError(f"`{shown}` did not run: {error}.") from error
    if done.returncode:
        output = (done.stderr or done.stdout).strip().splitlines() or ["it said nothing"]
        raise UsageError(f"`{shown}` failed: {output[-1].rstrip('.')}.")
    return done.stdout
