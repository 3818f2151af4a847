"""``editd doctor``: what is wrong, and how to fix it.

One function a question, each answered in plain words. A question looks and never mends; it loads no model,
but may import torch, which takes seconds. It returns what is well, and raises ``_Trouble`` for what is not.
"""

from __future__ import annotations

import dataclasses
import errno
import os
import platform
import re
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Literal

import editd
from editd import config_sources, interrupts
from editd.config import EMBEDDED, Config, ModelConfig, presets_with
from editd.config_sources import config_path
from editd.errors import DaemonUnreachable, EditdError, ProtocolError
from editd.frontends.cli.console import make_console, write_json
from editd.frontends.cli.daemon import ask, is_running
from editd.frontends.cli.linters_here import describe_linters
from editd.frontends.cli.machine import this_machine
from editd.frontends.cli.options import option
from editd.installed import distribution, with_packages
from editd.stores.hub import cache_folder, gigabytes, nearest_existing

_MARKS = {"ok": "✓", "warning": "!", "problem": "✗"}
_STYLES = {"ok": "green", "warning": "yellow", "problem": "red"}
_MIN_DISK_BYTES = 2e9
_MIN_MEMORY_BYTES = 1e9
_TORCH = "https://pytorch.org/get-started/locally"


def doctor(
    *, json: Annotated[bool, option("--json", about="Print one JSON object.")] = False
) -> int:
    """Check the installation, and say how to fix each problem.

    Exits with 1 if there is a problem, with 0 if there are only warnings.
    """
    resolved = config_sources.resolve()
    findings: list[Finding] = []
    for finding in examine(resolved.config, list(resolved.warnings)):
        findings.append(finding)
        if not json:
            _print(finding)
    problems = sum(finding.verdict == "problem" for finding in findings)
    if json:
        write_json(
            {"ok": not problems, "findings": [dataclasses.asdict(found) for found in findings]}
        )
    return int(problems > 0)


def _print(finding: Finding) -> None:
    """Write a finding to standard output, with its mark, and its remedy, if any, on a line below."""
    from rich.text import Text

    line = Text()
    line.append(_MARKS[finding.verdict], _STYLES[finding.verdict])
    line.append(f" {finding.subject}: {finding.text}")
    if finding.remedy:
        line.append(f"\n    → {finding.remedy}")
    make_console().print(line, soft_wrap=not sys.stdout.isatty())


@dataclass(frozen=True, slots=True)
class Finding:
    """The answer to one question. remedy: what to do; empty if all is well."""

    subject: str
    verdict: Literal["ok", "warning", "problem"]
    text: str
    remedy: str = ""


class _Trouble(Exception):
    """Raised by a question whose answer is bad. mild: editd works all the same."""

    def __init__(self, text: str, remedy: str, *, mild: bool = False) -> None:
        super().__init__(text)
        self.remedy = remedy
        self.mild = mild


def examine(config: Config, warnings: list[str]) -> Iterator[Finding]:
    """Make all checks that the configuration gives cause for, and yield each finding as soon as it is made; a check
    may rely on those before it. ``warnings``, sentences about settings, become warnings among them.

    May import torch, load libraries, read model files' headers and connect to the daemon and the configured server.
    Raises, in the midst, ``OSError`` without a file's name and what no check foresees.
    """
    yield _answer("System", _system)
    yield _answer("Packages", _packages)
    for warning in warnings:
        remedy = (
            "Ask for the right to read it"
            if os.strerror(errno.EACCES) in warning
            else "Correct it with: editd config set KEY VALUE"
        )
        yield Finding("Settings", "warning", warning, remedy)
    if not warnings:
        yield _answer("Settings", _settings)
    if config.model.engine == "remote":
        yield _answer("Model", partial(_server, config))
    else:
        if _needs_torch(config.model.name):
            yield _answer("torch", _torch)
            if find_spec("torch"):
                yield _answer("Device", partial(_device, config.model))
        if _runs_on_llama_cpp(config.model.name):
            yield _answer("llama.cpp", partial(_llama_cpp, config.model))
            yield _answer("Engine", partial(_engine, config.model))
        yield _answer("Memory", _memory)
        yield _answer("Disk", _disk)
        yield _answer("Model", partial(_model, config.model))
    yield _answer("Linters", partial(_linters, config))
    yield _answer("Presets", partial(_presets, config))
    yield _answer("Socket", _socket_directory)
    yield _answer("Log", _log)
    yield _answer("Cache", _cache)
    yield _answer("Daemon", _daemon)


def _answer(subject: str, look: Callable[[], str]) -> Finding:
    """Make one check by calling ``look`` and return the finding: ``ok`` with the text that it returns. ``_Trouble``
    becomes a warning if mild, else a problem; ``DaemonUnreachable``, and an ``OSError`` with a file's name, a
    problem. Other exceptions are passed on.
    """
    try:
        return Finding(subject, "ok", look())
    except _Trouble as trouble:
        verdict: Literal["warning", "problem"] = "warning" if trouble.mild else "problem"
        return Finding(subject, verdict, str(trouble), trouble.remedy)
    except DaemonUnreachable as error:
        return Finding(subject, "problem", str(error), "Follow the advice, then try again.")
    except OSError as error:
        if not error.filename:
            raise
        text = f"{error.filename}: {error.strerror}"
        return Finding(
            subject,
            "problem",
            text,
            "Ask for the right to use it, or set HOME to a folder of your own.",
        )


def _system() -> str:
    """The system's name, release and processor. Raises ``_Trouble`` on Windows, and a mild one if the current folder
    is below ``/mnt`` under WSL.
    """
    text = f"{platform.system()} {platform.release()}, {platform.machine()}"
    if sys.platform == "win32":
        raise _Trouble(text, "Run editd inside WSL (wsl --install).")
    if "microsoft" not in platform.release().lower():
        return text
    if Path.cwd().as_posix().startswith("/mnt/"):
        raise _Trouble(
            f"{text} (WSL, below /mnt)",
            "Keep projects in the Linux file system: Windows files are slow in WSL.",
            mild=True,
        )
    return f"{text} (WSL)"


def _packages() -> str:
    """The versions of editd and Python. Raises ``_Trouble`` if a distribution that editd requires (extras aside) is
    not installed, whatever its version, and a mild one if editd itself runs without being installed.
    """
    try:
        requirements = metadata.requires(distribution()) or []
    except metadata.PackageNotFoundError:
        folder = Path(editd.__file__).parent.parent
        raise _Trouble(
            f"editd {editd.__version__} runs from {folder}, not installed",
            f"Install it: uv tool install '{folder}', or pipx install '{folder}'.",
            mild=True,
        ) from None
    names = [
        re.split(r"[^\w.-]", requirement)[0]
        for requirement in requirements
        if "extra ==" not in requirement
    ]
    if missing := [name for name in names if not _is_installed(name)]:
        raise _Trouble(
            f"editd {editd.__version__} lacks {', '.join(missing)}",
            f"Install them: {with_packages(*missing)}",
        )
    python = f"Python {platform.python_version()} at {sys.executable}"
    return f"editd {editd.__version__} and its dependencies, {python}"


def _is_installed(name: str) -> bool:
    """Whether a distribution is installed."""
    try:
        metadata.version(name)
    except metadata.PackageNotFoundError:
        return False
    return True


def _settings() -> str:
    """The configuration file's path."""
    path = config_path()
    return f"{path} is fine" if path.exists() else f"defaults, as there is no {path}"


def _needs_torch(model: str) -> bool:
    """Whether torch is worth a finding: it is installed, or the configured model runs on it. False for the embedded
    model if llama.cpp's library is installed and torch is not, and for a model whose engine cannot be told.
    """
    from editd.models.llama_cpp.library import is_library_installed
    from editd.models.registry import DEFAULT, backend_name

    if find_spec("torch"):
        return True
    if model == EMBEDDED and is_library_installed():  # it is made into a GGUF file
        return False
    with suppress(EditdError):  # reported by the model's check
        return backend_name(model) == DEFAULT
    return False


def _torch() -> str:
    """Torch's version, build and number of threads; imports it. Raises ``_Trouble`` if it is missing or cannot be
    imported, and a mild one if ``nvidia-smi`` is on the PATH and torch cannot use CUDA (except on macOS).
    """
    if find_spec("torch") is None:
        raise _Trouble(
            "PyTorch is not installed, and the chosen model needs it",
            "Choose a GGUF model (editd setup), or install editd in place of editd-core.",
        )
    try:
        import torch
    except Exception as error:  # a broken installation raises anything
        raise _Trouble(
            f"torch cannot be imported: {type(error).__name__}: {error}",
            f"Install it again; {_TORCH} has the command.",
        ) from error
    built = f"CUDA {torch.version.cuda}" if torch.version.cuda else "CPU"
    text = f"torch {torch.__version__} built for {built}, {torch.get_num_threads()} threads"
    if shutil.which("nvidia-smi") and not torch.cuda.is_available() and sys.platform != "darwin":
        raise _Trouble(
            f"{text}, which cannot use this machine's NVIDIA card",
            f"Install a torch built for CUDA, or update the driver: {_TORCH}",
            mild=True,
        )
    return text


def _device(model: ModelConfig) -> str:
    """The device and number type that torch would use for the configured model. Raises ``_Trouble`` if that device
    cannot be used, or torch is broken.
    """
    try:
        from editd.models.torch.device import choose_device, choose_dtype

        device = choose_device(model.device)
        dtype = str(choose_dtype(model.dtype, device)).removeprefix("torch.")
    except EditdError as error:
        raise _Trouble(str(error), "editd config set model.device auto") from error
    except Exception as error:  # torch is broken: reported above
        raise _Trouble(f"cannot be chosen: {error}", "See torch.") from error
    return f"models run on {device} as {dtype}"


def _runs_on_llama_cpp(model: str) -> bool:
    """Whether llama.cpp's library is installed and runs the configured model, or the embedded one; false for a model
    whose engine cannot be told.
    """
    from editd.models.llama_cpp.library import is_library_installed
    from editd.models.registry import backend_name

    with suppress(EditdError):  # reported by the model's check
        return is_library_installed() and (model == EMBEDDED or backend_name(model) == "llama_cpp")
    return False


def _llama_cpp(model: ModelConfig) -> str:
    """A line about llama.cpp's library and the device that it would use, found by loading it. Raises ``_Trouble`` if
    it does not work, and a mild one if there is something to do about it (``machine.verdict``): it leaves a GPU idle
    or another build suits better.
    """
    from editd.frontends.cli.machine import verdict

    try:
        text, remedy = verdict(model.device)
    except EditdError as error:
        raise _Trouble(str(error), "To choose another model: editd setup") from error
    if remedy:
        raise _Trouble(text, remedy, mild=True)
    return text


def _engine(model: ModelConfig) -> str:
    """The engine that suits this machine (``engine_advice``); raises a mild ``_Trouble`` if a faster one is not installed."""
    from editd.frontends.cli.machine import engine_advice

    text, remedy = engine_advice(model.device)
    if remedy:
        raise _Trouble(text, remedy, mild=True)
    return text


def _linters(config: Config) -> str:
    """A line about the linters that judge edits, and those that could. Raises a mild ``_Trouble`` if one that is set
    cannot run; runs none.
    """
    text, remedy = describe_linters(config.checks)
    if remedy:
        raise _Trouble(text, remedy, mild=True)
    return text


def _memory() -> str:
    """A line about the machine's memory (a GPU's, if it has one) and the free RAM; raises a mild ``_Trouble`` if less
    than 1 GB of RAM is free.
    """
    import psutil

    machine = this_machine()
    free = psutil.virtual_memory().available
    text = f"{gigabytes(machine.memory)} on {machine.name}, {gigabytes(free)} of RAM free"
    if free < _MIN_MEMORY_BYTES:
        raise _Trouble(text, "Close other programs, or use a smaller model.", mild=True)
    return text


def _disk() -> str:
    """A line about the free space on the disk of Hugging Face's cache folder; raises a mild ``_Trouble`` if it is
    less than 2 GB.
    """
    free = shutil.disk_usage(nearest_existing(cache_folder())).free
    text = f"{gigabytes(free)} free for models in {cache_folder()}"
    if free < _MIN_DISK_BYTES:
        raise _Trouble(text, "Free some space, or set HF_HOME to another disk.", mild=True)
    return text


def _model(model: ModelConfig) -> str:
    """A line about the configured model, by its files' headers; nothing is loaded. Raises ``_Trouble`` if it cannot
    be loaded here: missing, damaged, refused by this machine, or any other error while looking.
    """
    name = model.name
    try:
        if name == EMBEDDED:
            return _embedded()
        from editd.models.registry import plan_model

        report = plan_model(model)
    except EditdError as error:
        text = str(error) if name in str(error) else f"{name}: {error}"
        raise _Trouble(text, "To list others: editd models") from error
    except _Trouble:
        raise
    except Exception as error:  # torch may be broken, which is reported above
        raise _Trouble(
            f"{name} cannot be looked at: {error}",
            "If torch is fine, choose another model: editd models.",
        ) from error
    if report.refusal:
        raise _Trouble(report.refusal, "To list others: editd models")
    return report.summary()


def _server(config: Config) -> str:
    """The configured server, the name of its model and its abilities, by asking it over the network. Raises
    ``_Trouble`` if it does not answer, or its settings are wrong.
    """
    from editd.models.pool import ModelPool

    spec = ModelPool(config).spec(config.model)
    try:
        from editd.models import remote

        model = remote.load(spec)
        try:
            abilities = model.fetch_abilities()
        finally:
            model.close()
    except EditdError as error:
        raise _Trouble(str(error), "To see your settings: editd config list") from error
    where = f"{spec.name} on {model.address.origin}, where the text of your edits goes"
    return f"{where}: {abilities.description()}"


def _embedded() -> str:
    """A sentence that the embedded model's base weights are here; raises ``_Trouble`` if they were not downloaded. The
    merged model's folder is not asked for, since that would make it.
    """
    from editd.embedded import base_model

    if base_model.is_downloaded():
        return "the embedded model, whose base weights are here"
    raise _Trouble(
        "the embedded model, whose base weights are not on this machine",
        "To download them: editd models pull embedded",
    )


def _presets(config: Config) -> str:
    """The names of the presets of the editors' menus, or ``none`` without any; if the configured model refuses some
    in any file, only these, with the reason.
    """
    from editd.frontends.preset_limits import REASON, refused_presets

    known = presets_with(config.edit.presets)
    refused = refused_presets(known.values(), config.model)
    if not refused:
        return ", ".join(known) or "none"
    return f"{', '.join(refused)}: each {REASON} (editd setup offers those that run here)"


def _socket_directory() -> str:
    """A sentence that the folder of the daemon's socket is private; creates it if it is missing. Raises
    ``DaemonUnreachable`` if other users could get into it.
    """
    from editd.daemon import transport

    return f"{transport.socket_path().parent} is private"


def _log() -> str:
    """The log's folder; raises ``_Trouble`` if it does not exist or cannot be written."""
    from editd.daemon.logs import ENV_STATE_DIR, log_path

    folder = log_path().parent
    if not os.access(folder, os.W_OK):
        remedy = f"Set {ENV_STATE_DIR} to a directory of your own."
        raise _Trouble(f"{folder} is not writable", remedy)
    return f"in {folder}"


def _cache() -> str:
    """The cache's folder; raises a mild ``_Trouble`` if it, or the nearest folder above that exists, cannot be written."""
    from editd.files.local_cache import cache_dir

    folder = cache_dir()
    nearest = nearest_existing(folder.absolute())
    if not (nearest.is_dir() and os.access(nearest, os.W_OK)):
        remedy = "Set EDITD_CACHE_DIR to a folder of your own."
        raise _Trouble(f"{folder} is not writable", remedy, mild=True)
    return f"in {folder}"


def _daemon() -> str:
    """A line about the running daemon, or that none runs; starts none. Raises ``_Trouble`` if it runs and does not
    answer, or its socket cannot be looked at, and ``ProtocolError`` if it is another version or program.
    """
    try:
        report = interrupts.run(ask(lambda client: client.status(), "doctor"))
    except ProtocolError:
        raise  # it runs, and says what to do
    except DaemonUnreachable as error:
        try:
            running = is_running()
        except EditdError:
            raise _Trouble("cannot be reached", "See Socket.") from error
        if running:
            raise _Trouble(str(error), "editd stop --force; then see editd logs.") from error
        return "not running; the next edit starts it"
    models = ", ".join(model.name for model in report.models) or "no model in memory"
    return f"version {report.editd_version} is {report.state} (process {report.pid}, {models})"
