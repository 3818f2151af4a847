"""Models of the Hugging Face hub: those on this machine, and downloads of others.

Knows repositories, revisions and the hub's cache on this disk, which other programs share. Only ``plan_pull``, ``pull``
and those of ``gguf_pull`` use the network, and only ``editd models pull`` and ``editd setup`` call them. The contents of
a model's files are left to ``models.model_folder``.
"""

from __future__ import annotations

import contextlib
import errno
import json
import os
import re
import shutil
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import platformdirs

from editd.errors import ConfigError, EditdError, ModelError, ModelNotFound, ModelUnsupported
from editd.files.local_cache import json_object

_MODEL_ID = re.compile(r"(?=.{1,96}$)([\w.-]+/)?[\w.-]+")  # the hub allows no longer ones
# Weights as safetensors, tokenizer, configuration and the licence; never code, never pickles.
_WEIGHTS = re.compile(r"model(-\d+-of-\d+)?\.safetensors")
_SMALL_FILES = re.compile(
    r".*\.json|.*\.jinja|merges\.txt|vocab\.txt|tokenizer\.model|spiece\.model|LICEN[CS]E.*"
)
_SPARE_BYTES = 1 << 30  # left free on the disk for everything else


@dataclass(frozen=True, slots=True)
class PullPlan:
    """The files that ``pull`` would fetch.

    requested: a branch, tag or commit.
    revision: the commit that it stands for now.
    bytes_missing: less than ``bytes`` if some files are in the cache already.
    """

    model_id: str
    requested: str
    revision: str
    files: tuple[str, ...]
    bytes: int
    bytes_missing: int
    bytes_free: int
    folder: Path


def expand_home(name: str | Path) -> Path:
    """``name`` as a path, with the home folder for ``~``; the path of an unknown user's home stays as it is."""
    return Path(os.path.expanduser(name))  # noqa: PTH111  # Path's raises


def is_model_id(name: str) -> bool:
    """Whether ``name``, less a revision after ``@``, has the form of a model's id on the hub (``OWNER/NAME`` or
    ``NAME``, 96 characters at most). Asks nobody.
    """
    return _MODEL_ID.fullmatch(name.partition("@")[0]) is not None


def local_folder(model_id: str) -> Path | None:
    """The folder of a model that was pulled; ``None`` if it was not, has no ``config.json``, or the cache may not be
    read. Uses no network.

    The revision that ``editd models pull`` recorded, else the one that the cache calls ``main``, else the folder
    changed last. ``ID@REVISION`` selects that revision (commit, branch or tag) alone.
    """
    repository, _, revision = model_id.partition("@")
    root = repository_folder(repository)
    recorded = _read_pins().get(repository, {}).get("revision")
    for candidate in (
        (revision, _ref(root, revision)) if revision else (recorded, _ref(root, "main"))
    ):
        # Not pathlib's, which raises where a folder may not be entered.
        if candidate and os.path.isfile(root / "snapshots" / candidate / "config.json"):  # noqa: PTH113
            return root / "snapshots" / candidate
    if revision:
        return None
    with contextlib.suppress(OSError):
        return _newest(file.parent for file in root.glob("snapshots/*/config.json"))
    return None


def pulled_models() -> list[str]:
    """The ids of all models with safetensors in the hub's cache, from any program, sorted, without those that have no
    ``config.json``; empty if the cache may not be read.
    """
    names = []
    roots: list[Path] = []
    with contextlib.suppress(OSError):
        roots = sorted(cache_folder().glob("models--*"))
    for root in roots:
        model_id = root.name.removeprefix("models--").replace("--", "/")
        folder = local_folder(model_id)
        if folder is not None and any(folder.glob("*.safetensors")):
            names.append(model_id)
    return names


def cache_folder() -> Path:
    """The folder of the hub's library for downloads; it may not exist."""
    from huggingface_hub import constants

    return Path(constants.HF_HUB_CACHE)


def snapshots_of(root: Path) -> list[Path]:
    """The folders of a repository's revisions in the cache: the one that ``main`` names first, then the newest; empty if none can be listed."""
    snapshots = root / "snapshots"
    main = _ref(root, "main")
    try:
        folders = [folder for folder in snapshots.iterdir() if folder.is_dir()]
        return sorted(
            folders, key=lambda folder: (folder.name == main, folder.stat().st_mtime), reverse=True
        )
    except OSError:
        return []


def _newest(folders: Iterable[Path]) -> Path | None:
    """The folder changed last; ``None`` if there is none."""
    return max(folders, key=lambda folder: folder.stat().st_mtime, default=None)


def plan_pull(model_id: str, requested: str = "main") -> PullPlan:
    """Ask the hub, over the network, for the files of a model; downloads nothing.

    requested: a branch, tag or commit. Raises ``ConfigError`` if ``model_id`` is no model id, ``ModelNotFound`` if the
    hub has no such model or revision, ``ModelUnsupported`` if it has no safetensors weights, and ``ModelError`` if the
    hub cannot be reached or wants a login; each with a remedy.
    """
    if not _MODEL_ID.fullmatch(model_id):
        raise ConfigError(f"{model_id!r} is not a hub id; an example is Qwen/Qwen2.5-Coder-7B.")
    with in_sentences(model_id, requested):
        from huggingface_hub import HfApi

        info = HfApi().model_info(model_id, revision=requested, files_metadata=True)
    sizes = {file.rfilename: file.size or 0 for file in info.siblings or []}
    files = _choose(model_id, sizes)
    root = repository_folder(model_id)
    folder = root / "snapshots" / str(info.sha)
    missing = sum(sizes[name] for name in files if not (folder / name).exists())
    return PullPlan(
        model_id=model_id,
        requested=requested,
        revision=str(info.sha),
        files=tuple(files),
        bytes=sum(sizes[name] for name in files),
        bytes_missing=missing,
        bytes_free=free_bytes(root),
        folder=folder,
    )


def pull(plan: PullPlan) -> Path:
    """Download the plan's files that are missing; record the revision in the cache and in editd's own file. Returns the
    folder.

    Raises ``ModelError`` (or ``ModelNotFound``) with a remedy if the disk is too full (1 GiB stays free) or the
    download fails; files that are complete stay. Raises ``OSError`` if the revision cannot be recorded.
    """
    check_space(plan.model_id, plan.bytes_missing, plan.folder)
    with in_sentences(plan.model_id, plan.requested):
        from huggingface_hub import hf_hub_download

        # File by file, always the same commit: the branch may move meanwhile.
        for name in plan.files:
            hf_hub_download(plan.model_id, name, revision=plan.revision)
    set_branch(repository_folder(plan.model_id), plan.requested, plan.revision)
    pins = _read_pins()
    pins[plan.model_id] = {
        "revision": plan.revision,
        "asked": plan.requested,
        "bytes": plan.bytes,
        "pulled": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
    }
    _write_pins(pins)
    return plan.folder


def check_space(name: str, nbytes: int, folder: Path) -> None:
    """Raise ``ModelError`` if the disk of ``folder``, which may not exist yet, would not have 1 GiB left with
    ``nbytes`` more. name: the model's, for the error.
    """
    free = free_bytes(folder)
    if nbytes + _SPARE_BYTES > free:
        raise ModelError(
            f"{name} needs {gigabytes(nbytes)} more in {cache_folder()}, where {gigabytes(free)} are free; free some, "
            "or set HF_HOME to another disk."
        )


def free_bytes(folder: Path) -> int:
    """Bytes that are free on the disk that ``folder`` is on, or will be."""
    return shutil.disk_usage(nearest_existing(folder)).free


def set_branch(root: Path, branch: str, commit: str) -> None:
    """Write into a repository's folder in the cache that ``branch`` stands for ``commit``, so that other programs find
    its files. No effect if ``branch`` is itself that commit. Raises ``OSError``.
    """
    if branch == commit:
        return
    ref = root / "refs" / branch
    ref.parent.mkdir(parents=True, exist_ok=True)
    ref.write_text(commit, encoding="ascii")


def gigabytes(number: float) -> str:
    """Bytes in a unit of a thousand for people: ``3.1 GB``, ``12 MB``; one decimal below ten of a unit, none for kB."""
    for unit, size in (("TB", 1e12), ("GB", 1e9), ("MB", 1e6)):
        if number >= size:
            return f"{number / size:.{0 if number >= 10 * size else 1}f} {unit}"
    return f"{number / 1e3:.0f} kB"


def nearest_existing(folder: Path) -> Path:
    """``folder``, or the nearest folder above it that exists; looks at the disk."""
    while not folder.exists():
        folder = folder.parent
    return folder


def _choose(model_id: str, names: Sequence[str] | dict[str, int]) -> list[str]:
    """The files that loading takes: weights as safetensors, and JSON, tokenizer, templates and licence at the top of
    the repository; never code. Raises ``ModelUnsupported`` if it has no weights, with another sentence for an adapter.
    """
    weights = [name for name in names if _WEIGHTS.fullmatch(name)]
    if not weights:
        if "adapter_config.json" in names:
            raise ModelUnsupported(
                f"{model_id} contains an adapter, not a whole model; merge it into its base model."
            )
        if files := [name for name in names if name.endswith(".gguf")]:
            raise ModelUnsupported(
                f"{model_id} has GGUF files: name one of them, such as `editd models pull {model_id}:{files[0]}`."
            )
        raise ModelUnsupported(
            f"{model_id} has neither safetensors weights (model.safetensors) nor GGUF files, the kinds that editd loads: "
            "choose another model or a converted copy."
        )
    return [name for name in names if "/" not in name and _SMALL_FILES.fullmatch(name)] + weights


@contextlib.contextmanager
def in_sentences(model_id: str, revision: str) -> Iterator[None]:
    """A context that turns any error within it but an ``EditdError``, which passes, into a ``ModelError`` or
    ``ModelNotFound`` with a remedy; also errors of other kinds than the hub's library's, since its HTTP clients have
    errors of their own.
    """
    from huggingface_hub import errors

    try:
        yield
    except EditdError:  # a sentence already
        raise
    except errors.GatedRepoError as error:
        raise ModelError(
            f"{model_id} is gated: accept its licence at https://huggingface.co/{model_id}, put a "
            "token of yours in HF_TOKEN (or `hf auth login`), and pull again."
        ) from error
    except errors.RevisionNotFoundError as error:
        raise ModelNotFound(f"{model_id} has no revision {revision!r} on the hub.") from error
    except errors.RepositoryNotFoundError as error:
        raise ModelNotFound(
            f"There is no model {model_id} on the hub, or it is private and needs a token of yours "
            "(HF_TOKEN, or `hf auth login`)."
        ) from error
    except errors.OfflineModeIsEnabled as error:
        raise ModelError("HF_HUB_OFFLINE forbids the network; unset it to pull a model.") from error
    except OSError as error:
        if error.errno == errno.ENOSPC:
            raise ModelError(
                f"The disk of {cache_folder()} is full; free some and pull again."
            ) from error
        raise ModelError(_unreachable(model_id, error)) from error
    except Exception as error:
        # The library uses different HTTP clients, each with its own errors.
        raise ModelError(_unreachable(model_id, error)) from error


def _unreachable(model_id: str, error: Exception) -> str:
    """The sentence for a failed download."""
    reason = " ".join(str(error).split()) or type(error).__name__
    return (
        f"{model_id} could not be fetched from the hub ({reason[:200]}); check the network and try "
        "again: what was fetched is kept."
    )


def repository_folder(model_id: str) -> Path:
    """The folder of a repository in the cache."""
    return cache_folder() / ("models--" + model_id.replace("/", "--"))


def _ref(root: Path, name: str) -> str | None:
    """The commit that the cache records for a branch or tag; ``None`` if there is none, or it cannot be read. root: the
    repository's folder in the cache.
    """
    try:
        return (root / "refs" / name).read_text(encoding="ascii").strip()
    except (OSError, ValueError):
        return None


def _pins_file() -> Path:
    """The file with the revisions that editd has pulled."""
    return platformdirs.user_data_path("editd", appauthor=False) / "pulled.json"


def _read_pins() -> dict[str, dict[str, Any]]:
    """The recorded revisions, by model id; empty if there are none."""
    return json_object(_pins_file())  # without it the cache itself says what is there


def _write_pins(pins: dict[str, dict[str, Any]]) -> None:
    """Replace the file of recorded revisions by ``pins``, creating its folder. Raises ``OSError``."""
    file = _pins_file()
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(pins, indent=2) + "\n", encoding="utf-8")
