"""How Ollama, LM Studio, llama.cpp and Hugging Face's cache lay out GGUF files, and the names of the models there.

Nothing is written there, and no model's file is opened. Looking a name up is left to the package, reading the files to
``models``; ``hub`` knows more of Hugging Face's cache.

Layouts: Ollama's ``manifest/paths.go`` (both kinds of manifests), LM Studio's page on importing models and
``settings.json``, llama.cpp's ``common/download.cpp``, and the cache of ``huggingface_hub``.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from editd.files.local_cache import json_object
from editd.stores import hub

_PART = re.compile(r"-00001-of-(\d{5})\.gguf$")
_LATER_PART = re.compile(r"-(?!00001)\d{5}-of-\d{5}\.gguf$")  # small letters

_QUANTISATION = re.compile(
    r"(?i)(?<![a-z0-9])(?:(?:UD-)?I?Q\d(?:_[A-Z0-9]+)*|BF16|F16|F32|MXFP4)(?![a-z0-9])"
)

OLLAMA_SERVICES = (
    "/usr/share/ollama/.ollama/models",
    "/var/lib/ollama/.ollama/models",
    "/var/lib/ollama",
)

_LIST = os.R_OK | os.X_OK

_PUBLIC = {"registry.ollama.ai", "ollama.com"}
_DIGEST = re.compile(r"sha256[:-]([0-9a-fA-F]{64})")
_MODEL = "application/vnd.ollama.image.model"
_ADAPTER = "application/vnd.ollama.image.adapter"

LEAVES = "its link leads out of the store"
UNREADABLE = "it may not be read"
MISSING = "its file is missing"
ADAPTED = "it has an adapter"


@dataclass(frozen=True, slots=True)
class StoredModel:
    """A model in another program's store.

    names: by which the program knows it, the preferred first; another model may have some of them, too.
    file: of a model in parts the first. trouble: why it cannot be loaded, one of ``LEAVES``, ``UNREADABLE``, ``MISSING`` and
    ``ADAPTED``; empty if it can, as far as its store shows.
    """

    program: str
    names: tuple[str, ...]
    file: Path
    trouble: str = ""

    @property
    def bytes(self) -> int:
        """Bytes of all its files on the disk."""
        return sum(part.stat().st_size for part in model_files(self.file))


def stored_models(program: str | None = None) -> Iterator[StoredModel]:
    """The models in all stores, or in that of ``program``, store by store, with those that cannot be loaded
    (``trouble``). Lists folders and reads manifests; no model's file is opened. Raises nothing for what cannot be read.

    A manifest that names no weights is none of a model. Of a store that may not be read see ``unreadable_stores``.
    """
    for name, list_models in PROGRAMS.items():
        if program in (None, name):
            yield from list_models()


def unreadable_stores() -> list[Path]:
    """The existing folders of stores that this user may not list."""
    return [root for root in (*_ollama_roots(), *_lm_studio_roots()) if not os.access(root, _LIST)]


def quantisations(name: str) -> list[str]:
    """The words in a file's name that name a quantisation, such as ``Q4_K_M`` or ``UD-Q4_K_XL``."""
    return _QUANTISATION.findall(name)


def begins_model(name: str) -> bool:
    """Whether a GGUF file of that name is a model or its first part: no later part, projector for pictures, importance matrix or macOS's shadow of a file."""
    lower = name.lower()
    is_beside = lower.startswith("._") or "mmproj" in lower or "imatrix" in lower
    return not is_beside and not _LATER_PART.search(lower)


def part_names(name: str) -> list[str]:
    """The names of all parts of a model whose first part has the path or name ``name``, which ends in
    ``-00001-of-N.gguf``, in order; empty for any other ending.
    """
    split = _PART.search(name)
    if split is None:
        return []
    count = split[1]
    return [f"{name[: split.start()]}-{n:05}-of-{count}.gguf" for n in range(1, int(count) + 1)]


def model_files(file: Path) -> list[Path]:
    """The existing files of the model whose first, or only, file is ``file``, in order: all parts if the name ends in
    ``-00001-of-N.gguf``. A file in one part is returned whether or not it exists.
    """
    names = part_names(file.name)
    if not names:
        return [file]
    return [part for name in names if (part := file.with_name(name)).is_file()]


# --- Ollama --------------------------------------------------------------------------------------


def _ollama_models() -> Iterator[StoredModel]:
    """The models of ``manifests*/HOST/NAMESPACE/MODEL/TAG`` in Ollama's stores, which name blobs; of manifests with the
    same name the one in ``manifests-v2``, or in an earlier store, wins.
    """
    known_names = set()
    for root in _ollama_roots():
        for folder in ("manifests-v2", "manifests"):
            for manifest in _entries(root / folder, "*/*/*/*"):
                if manifest.name.startswith("."):
                    continue
                names = _ollama_names(*manifest.relative_to(root / folder).parts)
                if names[0] not in known_names and (found := _ollama_file(root, manifest)):
                    known_names.add(names[0])
                    yield StoredModel("ollama", names, *found)


def _ollama_roots() -> list[Path]:
    """Ollama's existing store folders: this user's, and those of the services that its installers make."""
    configured = os.environ.get("OLLAMA_MODELS")
    return _existing_folders(configured, Path.home() / ".ollama" / "models", *OLLAMA_SERVICES)


def _ollama_names(host: str, namespace: str, model: str, tag: str) -> tuple[str, ...]:
    """The names of a model by the path of its manifest, the namespace ``library`` left out, the host only if it is
    not Ollama's own (then with any namespace); for the tag ``latest`` also the name without a tag.
    """
    host = host.replace("%3A", ":")
    name = model if namespace == "library" else f"{namespace}/{model}"
    if host not in _PUBLIC:
        name = f"{host}/{namespace}/{model}"
    return (f"{name}:{tag}", name) if tag == "latest" else (f"{name}:{tag}",)


def _ollama_file(root: Path, manifest: Path) -> tuple[Path, str] | None:
    """The weights that a manifest names, or one in its list of manifests for several runners, and why they cannot be
    loaded (empty if they can).

    ``None`` if it names none, or is missing. For a manifest that may not be read or lies outside of the store: itself,
    and why. root: the store.
    """
    if trouble := _trouble(manifest, root):
        return None if trouble == MISSING else (manifest, trouble)
    manifest_content = json_object(manifest)
    runners = {
        str(entry.get("runner")): entry for entry in _dicts(manifest_content.get("manifests"))
    }
    if listed := runners.get("llamacpp") or runners.get("ggml"):
        child = _blob(root, listed.get("digest"))
        is_good = child is not None and not _trouble(child, root)
        manifest_content = json_object(child) if child is not None and is_good else {}
    layers = {
        str(layer.get("mediaType")): layer for layer in _dicts(manifest_content.get("layers"))
    }
    file = _blob(root, layers[_MODEL].get("digest")) if _MODEL in layers else None
    if file is None:
        return None
    return file, ADAPTED if _ADAPTER in layers else _trouble(file, root)


def _blob(root: Path, digest: object) -> Path | None:
    """The path of a digest in a store, whether or not there is a file; ``None`` for anything but a digest."""
    found = _DIGEST.fullmatch(digest) if isinstance(digest, str) else None
    return root / "blobs" / f"sha256-{found[1]}" if found else None


# --- LM Studio -----------------------------------------------------------------------------------


def _lm_studio_models() -> Iterator[StoredModel]:
    """The models of ``PUBLISHER/MODEL/FILE.gguf`` in LM Studio's stores, sorted within each store."""
    for root in _lm_studio_roots():
        for file in _entries(root, "*/*/*.gguf"):
            publisher, model, name = file.relative_to(root).parts
            yield from _in_repository("lmstudio", root, f"{publisher}/{model}", name, file)


def _lm_studio_roots() -> list[Path]:
    """LM Studio's existing store folders: those of its settings, its home, and where older versions had theirs. Reads
    its settings.
    """
    home = Path.home() / ".lmstudio"
    with suppress(OSError, ValueError):  # LM Studio's own word for where it moved to
        home = Path((Path.home() / ".lmstudio-home-pointer").read_text(encoding="utf-8").strip())
    settings = [place / "settings.json" for place in (home, _application_data() / "LM Studio")]
    configured = [json_object(file).get("downloadsFolder") for file in settings]
    before = Path.home() / ".cache" / "lm-studio" / "models"  # until 0.3.6
    return _existing_folders(
        *(place for place in configured if isinstance(place, str)), home / "models", before
    )


def _application_data() -> Path:
    """The folder for settings of applications: ``~/Library/Application Support`` on macOS, XDG's everywhere else."""
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Application Support"
    return Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config")


# --- llama.cpp and Hugging Face ------------------------------------------------------------------


def _llama_cpp_models() -> Iterator[StoredModel]:
    """The models of ``OWNER_MODEL_FILE.gguf`` in llama.cpp's cache folders, which newer builds no longer use; named by
    the file with and without its ending.
    """
    default = Path.home() / ".cache" / "llama.cpp"
    if sys.platform == "darwin":
        default = Path.home() / "Library" / "Caches" / "llama.cpp"
    elif base := os.environ.get("XDG_CACHE_HOME"):
        default = Path(base) / "llama.cpp"
    for root in _existing_folders(os.environ.get("LLAMA_CACHE"), default):
        for file in _entries(root, "*.gguf"):
            if begins_model(file.name):
                names = (file.name.removesuffix(".gguf"), file.name)
                yield StoredModel("llama-cache", names, file, _trouble(file, root))


def _hugging_face_models() -> Iterator[StoredModel]:
    """The models of ``models--OWNER--MODEL/snapshots/REVISION/FILE.gguf`` in the hub's cache, which are links to blobs;
    a file that several revisions have counts once, from ``main`` or the newest.
    """
    for root in _existing_folders(str(hub.cache_folder())):
        for repository in _entries(root, "models--*"):
            name = repository.name.removeprefix("models--").replace("--", "/")
            known_files = set()
            for snapshot in hub.snapshots_of(repository):
                for file in _entries(snapshot, "*.gguf") + _entries(snapshot, "*/*.gguf"):
                    within = file.relative_to(snapshot).as_posix()
                    if within not in known_files:
                        known_files.add(within)
                        yield from _in_repository("hf", root, name, within, file)


def _in_repository(
    program: str, root: Path, repository: str, within: str, file: Path
) -> Iterator[StoredModel]:
    """The model of a file in a repository, named by its quantisation (if the name has one), its repository and its
    path; none if the file begins no model.

    within: the file's path in the repository.
    """
    if not begins_model(file.name):
        return
    found = quantisations(file.name)
    short = (f"{repository}:{found[-1].upper()}",) if found else ()
    names = (*short, repository, f"{repository}/{within}")
    yield StoredModel(program, names, file, _trouble(file, root))


PROGRAMS: dict[str, Callable[[], Iterator[StoredModel]]] = {
    "ollama": _ollama_models,
    "lmstudio": _lm_studio_models,
    "llama-cache": _llama_cpp_models,
    "hf": _hugging_face_models,
}


# --- files ---------------------------------------------------------------------------------------


def _existing_folders(*paths: str | Path | None) -> list[Path]:
    """Existing folders among ``paths`` in their order, with ``~`` and links resolved and without duplicates; empty
    paths, and those that cannot be looked at, are left out. Raises ``RuntimeError`` for ``~name`` of an unknown
    user.
    """
    places = [Path(place).expanduser() for place in paths if place]
    found: dict[Path, None] = {}
    for place in places:
        with suppress(OSError, ValueError):
            if place.is_dir():
                found.setdefault(place.resolve())
    return list(found)


def _entries(folder: Path, pattern: str) -> list[Path]:
    """The sorted paths that match a pattern; empty if the folder cannot be read."""
    with suppress(OSError):
        return sorted(folder.glob(pattern))
    return []


def _trouble(file: Path, root: Path) -> str:
    """Why a file of a store cannot be loaded, with every link on the way followed: it leads out of ``root``, is
    missing, or is no readable file; empty if it can. Opens nothing.
    """
    try:
        real = file.resolve(strict=True)
        if not real.is_relative_to(root.resolve()):
            return LEAVES
        return "" if real.is_file() and os.access(real, os.R_OK) else UNREADABLE
    except PermissionError:
        return UNREADABLE
    except (OSError, ValueError):
        return MISSING


def _dicts(value: object) -> list[dict[str, Any]]:
    """The objects in a JSON array; empty for anything else."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []
