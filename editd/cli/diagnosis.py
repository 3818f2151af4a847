"""What ``editd doctor`` looks at: one function a question, each answered in plain words.

A question looks and never mends; it loads no model, but may import torch, which takes seconds.
"""

from __future__ import annotations

import os
import platform
import shutil
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path
from typing import Literal

import editd
from editd import interrupts
from editd.config import Config
from editd.errors import DaemonUnreachable, EditdError, ModelError, ProtocolError

Verdict = Literal["ok", "warning", "problem"]

_MIN_DISK_BYTES = 2e9
_MIN_MEMORY_BYTES = 1e9


@dataclass(frozen=True, slots=True)
class Finding:
    """One answer. ``remedy``: what to do, unless all is well."""

    subject: str
    verdict: Verdict
    text: str
    remedy: str = ""


def examine(config: Config, warnings: list[str]) -> Iterator[Finding]:
    """Every finding, in the order in which one thing needs another."""
    yield _system()
    yield _python()
    yield _packages()
    yield from _configuration(warnings)
    if config.model.engine == "remote":
        yield _server(config)
    else:
        if _needs_torch(config.model.name):
            yield _torch()
            if find_spec("torch"):
                yield _device(config)
        yield _memory()
        yield _disk()
        yield _model(config)
    yield _parsers()
    yield _socket_directory()
    yield _log()
    yield _cache()
    yield _daemon()
    yield _terminal()


def _system() -> Finding:
    text = f"{platform.system()} {platform.release()}, {platform.machine()}"
    if sys.platform == "win32":
        return Finding("System", "problem", text, "Run editd inside WSL (wsl --install).")
    if "microsoft" in platform.release().lower():
        if Path.cwd().as_posix().startswith("/mnt/"):
            return Finding(
                "System",
                "warning",
                f"{text} (WSL, below /mnt)",
                "Keep projects in the Linux file system: files of Windows are slow from WSL.",
            )
        text += " (WSL)"
    return Finding("System", "ok", text)


def _python() -> Finding:
    text = f"Python {platform.python_version()} at {sys.executable}"
    if sys.version_info < (3, 11):  # noqa: UP036  # pip can be told to ignore requires-python
        return Finding("Python", "problem", text, "editd needs Python 3.11 or newer.")
    return Finding("Python", "ok", text)


def _packages() -> Finding:
    """Whether everything that the installation asked for is there."""
    for distribution in ("editd", "editd-core"):
        try:
            requirements = metadata.requires(distribution) or []
            break
        except metadata.PackageNotFoundError:
            continue
    else:
        return Finding(
            "Packages",
            "warning",
            f"editd {editd.__version__} runs from {Path(editd.__file__).parent}, not installed",
            "Install it: pip install editd, or pip install -e . in its folder.",
        )
    missing = []
    for requirement in requirements:
        if "extra ==" not in requirement:
            name = requirement.split(";")[0].strip()
            for mark in "<>=!~[ ":
                name = name.split(mark)[0]
            try:
                metadata.version(name)
            except metadata.PackageNotFoundError:
                missing.append(name)
    if missing:
        return Finding(
            "Packages",
            "problem",
            f"editd {editd.__version__} lacks {', '.join(missing)}",
            f"Install them: {sys.executable} -m pip install {' '.join(missing)}",
        )
    return Finding("Packages", "ok", f"editd {editd.__version__} and all that it needs")


def _configuration(warnings: list[str]) -> Iterator[Finding]:
    from editd.settings import config_path

    path = config_path()
    for warning in warnings:
        yield Finding("Settings", "warning", warning, "Correct it: editd config set KEY VALUE.")
    if not warnings:
        text = f"{path} is fine" if path.exists() else f"the defaults hold (no {path})"
        yield Finding("Settings", "ok", text)


def _needs_torch(model: str) -> bool:
    """Where torch is left out (editd-core), GGUF models are all there is and need no word about it."""
    from editd.backends.registry import DEFAULT, backend_name

    if find_spec("torch"):
        return True
    try:
        return backend_name(model) == DEFAULT
    except EditdError:  # told where the model is looked at
        return False


def _torch() -> Finding:
    if find_spec("torch") is None:
        return Finding(
            "torch",
            "problem",
            "PyTorch is not installed, and this model runs on it",
            "Choose a GGUF model (editd setup), or install editd in place of editd-core.",
        )
    try:
        import torch
    except Exception as error:  # noqa: BLE001  # a broken installation raises anything
        return Finding(
            "torch",
            "problem",
            f"torch cannot be imported: {type(error).__name__}: {error}",
            "Install it again; https://pytorch.org/get-started/locally tells the command.",
        )
    built = f"CUDA {torch.version.cuda}" if torch.version.cuda else "CPU"
    text = f"torch {torch.__version__} built for {built}, {torch.get_num_threads()} threads"
    if shutil.which("nvidia-smi") and not torch.cuda.is_available() and sys.platform != "darwin":
        return Finding(
            "torch",
            "warning",
            f"{text}, which cannot use this machine's NVIDIA card",
            "Install a torch built for CUDA, or update the driver: "
            "https://pytorch.org/get-started/locally",
        )
    return Finding("torch", "ok", text)


def _device(config: Config) -> Finding:
    try:
        from editd.backends.torch.device import choose_device, choose_dtype

        device = choose_device(config.model.device)
        dtype = str(choose_dtype(config.model.dtype, device)).removeprefix("torch.")
    except EditdError as error:
        return Finding("Device", "problem", str(error), "editd config set model.device auto")
    except Exception as error:  # noqa: BLE001  # torch is broken: told above
        return Finding("Device", "problem", f"cannot be chosen: {error}", "See torch.")
    return Finding("Device", "ok", f"models run on {device} as {dtype}")


def _memory() -> Finding:
    import psutil

    from editd.cli.machine import this_machine
    from editd.hub import gigabytes

    machine = this_machine()
    free = psutil.virtual_memory().available
    text = f"{gigabytes(machine.memory)} on {machine.name}, {gigabytes(free)} of RAM free"
    if free < _MIN_MEMORY_BYTES:
        return Finding("Memory", "warning", text, "Close other programs, or use a smaller model.")
    return Finding("Memory", "ok", text)


def _disk() -> Finding:
    from huggingface_hub import constants

    from editd.hub import gigabytes

    folder = Path(constants.HF_HUB_CACHE)
    while not folder.exists():
        folder = folder.parent
    free = shutil.disk_usage(folder).free
    text = f"{gigabytes(free)} free for models in {constants.HF_HUB_CACHE}"
    if free < _MIN_DISK_BYTES:
        return Finding("Disk", "warning", text, "Free some space, or set HF_HOME to another disk.")
    return Finding("Disk", "ok", text)


def _model(config: Config) -> Finding:
    """Whether the configured model is here and whole, as its files' headers tell."""
    name = config.model.name
    try:
        from editd.backends.registry import DEMO, EMBEDDED

        if name == DEMO:
            return _demo()
        if name == EMBEDDED:
            return _embedded()
        from editd.backends.plans import plan_model

        report = plan_model(config.model)
    except EditdError as error:
        text = str(error) if name in str(error) else f"{name}: {error}"
        return Finding("Model", "problem", text, "editd models lists others.")
    except Exception as error:  # noqa: BLE001  # torch may be broken, which is told above
        return Finding(
            "Model",
            "problem",
            f"{name} cannot be looked at: {error}",
            "If torch is fine, choose another model: editd models.",
        )
    if report.refusal:
        return Finding("Model", "problem", report.refusal, "editd models plan tells more.")
    return Finding("Model", "ok", report.summary())


def _server(config: Config) -> Finding:
    """Where text goes, and whether somebody answers there."""
    from editd.backends.pool import ModelPool
    from editd.pieces import whole

    spec = ModelPool(config).spec(config.model)
    try:
        from editd import remote

        model = remote.load(spec)
        try:
            abilities = whole(model.asking())
        finally:
            model.close()
    except EditdError as error:
        return Finding("Model", "problem", str(error), "editd config list shows what is set.")
    return Finding(
        "Model",
        "ok",
        f"{spec.name} on {model.address.origin}, where the text of your edits goes: {abilities.told()}",
    )


def _embedded() -> Finding:
    """Asking for the merged model's folder would make it, so only the base weights are looked for."""
    from editd.embedded import base_model

    if base_model.is_here():
        return Finding("Model", "ok", "the embedded model, whose base weights are here")
    return Finding(
        "Model",
        "problem",
        "the embedded model, whose base weights are not on this machine",
        "editd models pull embedded fetches them.",
    )


def _demo() -> Finding:
    """Asking for the demo model's folder would make it, so its cache is looked at."""
    from editd.backends.torch.files.checkpoint import open_checkpoint
    from editd.local_cache import cache_dir

    folders = list(cache_dir().glob("solved/demo-*/model.safetensors"))
    if not folders:
        return Finding(
            "Model", "ok", "the demo model, which the first edit makes, in a minute or less"
        )
    newest = max(folders, key=lambda file: file.stat().st_mtime).parent
    try:
        open_checkpoint(str(newest))
    except ModelError:
        return Finding("Model", "ok", "the demo model, damaged, which the next edit makes anew")
    return Finding("Model", "ok", f"the demo model, in {newest}")


def _parsers() -> Finding:
    """Whether answers can be checked for syntax in the languages that come with parsers."""
    import importlib

    languages = ("c", "go", "java", "javascript", "rust", "typescript")
    missing = []
    for language in languages:
        try:
            importlib.import_module(f"tree_sitter_{language}")
        except Exception:  # noqa: BLE001  # a wheel for another machine raises anything
            missing.append(f"tree-sitter-{language}")
    if missing:
        return Finding(
            "Parsers",
            "warning",
            f"{', '.join(missing)} cannot be loaded, so such answers are not checked for syntax",
            f"{sys.executable} -m pip install --force-reinstall {' '.join(missing)}",
        )
    return Finding("Parsers", "ok", f"Python, {', '.join(languages)}")


def _socket_directory() -> Finding:
    from editd.daemon import transport

    try:
        path = transport.socket_path()
    except DaemonUnreachable as error:
        return Finding("Socket", "problem", str(error), "Do what it says, then try again.")
    return Finding("Socket", "ok", f"{path.parent} is private")


def _log() -> Finding:
    from editd.daemon.logs import ENV_STATE_DIR, log_path

    try:
        folder = log_path().parent
    except DaemonUnreachable as error:
        return Finding("Log", "problem", str(error), "Do what it says, then try again.")
    if not os.access(folder, os.W_OK):
        remedy = f"Set {ENV_STATE_DIR} to a directory of your own."
        return Finding("Log", "problem", f"nothing can be written in {folder}", remedy)
    return Finding("Log", "ok", f"in {folder}")


def _cache() -> Finding:
    from editd.local_cache import cache_dir

    folder = cache_dir()
    there = next(place for place in (folder, *folder.absolute().parents) if place.exists())
    if not (there.is_dir() and os.access(there, os.W_OK)):
        remedy = "Set EDITD_CACHE_DIR to a folder of your own."
        return Finding("Cache", "warning", f"nothing can be kept in {folder}", remedy)
    return Finding("Cache", "ok", f"in {folder}")


def _daemon() -> Finding:
    from editd.daemon.client import SocketEngineClient

    async def ask() -> str:
        client = await SocketEngineClient.connect(start=False, client="doctor")
        try:
            report = await client.status()
        finally:
            await client.aclose()
        models = ", ".join(model.name for model in report.models) or "no model in memory"
        return f"version {report.editd_version} is {report.state} (process {report.pid}, {models})"

    try:
        return Finding("Daemon", "ok", interrupts.run(ask()))
    except DaemonUnreachable as error:
        return _silent_daemon(error)


def _silent_daemon(error: DaemonUnreachable) -> Finding:
    from editd.cli.daemon import is_running

    if isinstance(error, ProtocolError):
        return Finding("Daemon", "problem", str(error), "Do what it says, then try again.")
    try:
        running = is_running()
    except EditdError:
        return Finding("Daemon", "problem", "cannot be reached", "See Socket.")
    if running:
        return Finding("Daemon", "problem", str(error), "editd stop --force; then see editd logs.")
    return Finding("Daemon", "ok", "not running; the next edit starts it")


def _terminal() -> Finding:
    if not sys.stdout.isatty():
        return Finding("Terminal", "ok", "output is not a terminal: no colour")
    encoding = (sys.stdout.encoding or "").lower()
    if "utf" not in encoding:
        return Finding(
            "Terminal",
            "warning",
            f"its encoding is {encoding or 'unknown'}",
            "Set LANG to a UTF-8 locale, for example C.UTF-8.",
        )
    colour = "no colour (NO_COLOR)" if os.environ.get("NO_COLOR") else "colour"
    return Finding("Terminal", "ok", f"{os.environ.get('TERM', 'unknown')}, UTF-8, {colour}")
