"""Models that other programs store on this disk, by names that people know (``ollama:qwen2.5-coder:7b``).

Knows how Ollama, LM Studio, llama.cpp and Hugging Face's cache lay out their GGUF files, and the names of the models
there. A name is looked up among the models in a store; it never becomes part of a path. So wherever it comes from, it
can only denote a file inside these stores. Nothing is written there. ``hub`` knows Hugging Face's cache, and how
``editd models pull`` downloads into it, GGUF files by ``gguf_pull``. Reading the files is left to ``models``.

Layouts: Ollama's ``manifest/paths.go`` (both kinds of manifests), LM Studio's page on importing models and
``settings.json``, llama.cpp's ``common/download.cpp``, and the cache of ``huggingface_hub``.
"""

from __future__ import annotations

import difflib
import os
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from editd.errors import ModelNotFound
from editd.files.local_cache import json_object
from editd.stores import hub

_PART = re.compile(r"-00001-of-(\d{5})\.gguf$")
_LATER_PART = re.compile(r"-(?!00001)\d{5}-of-\d{5}\.gguf$")

_QUANTISATION = re.compile(
    r"(?i)(?<![a-z0-9])(?:(?:UD-)?I?Q\d(?:_[A-Z0-9]+)*|BF16|F16|F32|MXFP4)(?![a-z0-9])"
)

OLLAMA_SERVICES = (
    "/usr/share/ollama/.ollama/models",
    "/var/lib/ollama/.ollama/models",
    "/var/lib/ollama",
)

_PUBLIC = {"registry.ollama.ai", "ollama.com"}
_DIGEST = re.compile(r"sha256[:-]([0-9a-fA-F]{64})")
_MODEL = "application/vnd.ollama.image.model"


@dataclass(frozen=True, slots=True)
class StoredModel:
    """A model in another program's store.

    names: by which the program knows it, the preferred first; another model may have some of them, too.
    file: of a model in parts the first.
    """

    program: str
    names: tuple[str, ...]
    file: Path

    @property
    def bytes(self) -> int:
        """Bytes of all its files on the disk."""
        return sum(part.stat().st_size for part in model_files(self.file))


def stored_models(program: str | None = None) -> Iterator[StoredModel]:
    """The models in all stores, or in that of one program; no file is opened.

    Files that cannot be read, and files whose links lead out of their store, are left out.
    """
    for name, list_models in PROGRAMS.items():
        if program in (None, name):
            yield from list_models()


def model_files(file: Path) -> list[Path]:
    """The existing files of the model whose first, or only, file is ``file``."""
    split = _PART.search(file.name)
    if split is None:
        return [file]
    count = int(split[1])
    every = (file.with_name(f"{file.name[: split.start()]}-{n:05}-of-{count:05}.gguf")
             for n in range(1, count + 1))  # fmt: skip
    return [part for part in every if part.is_file()]


# --- Ollama --------------------------------------------------------------------------------------


def _ollama_models() -> Iterator[StoredModel]:
    """The models of ``manifests*/HOST/NAMESPACE/MODEL/TAG``, which name blobs; a newer manifest wins over an older."""
    known_names = set()
    for root in _ollama_roots():
        for folder in ("manifests-v2", "manifests"):
            for manifest in _files(root / folder, "*/*/*/*"):
                names = _ollama_names(*manifest.relative_to(root / folder).parts)
                file = _ollama_file(root, manifest)
                if (
                    file is not None
                    and names[0] not in known_names
                    and not manifest.name.startswith(".")
                ):
                    known_names.add(names[0])
                    yield StoredModel("ollama", names, file)


def _ollama_roots() -> list[Path]:
    """Ollama's existing store folders: this user's, and those of the services that its installers make."""
    configured = os.environ.get("OLLAMA_MODELS")
    return _existing_folders(configured, Path.home() / ".ollama" / "models", *OLLAMA_SERVICES)


def _ollama_names(host: str, namespace: str, model: str, tag: str) -> tuple[str, ...]:
    """The names of a model by the path of its manifest; that without a tag, too, for ``latest``."""
    host = host.replace("%3A", ":")
    name = model if namespace == "library" else f"{namespace}/{model}"
    if host not in _PUBLIC:
        name = f"{host}/{namespace}/{model}"
    return (f"{name}:{tag}", name) if tag == "latest" else (f"{name}:{tag}",)


def _ollama_file(root: Path, manifest: Path) -> Path | None:
    """The weights that a manifest names, or one in its list of manifests for several runners; ``None`` if it names
    none.
    """
    manifest_content = json_object(manifest) if _is_inside(manifest, root) else {}
    runners = {
        str(entry.get("runner")): entry for entry in _dicts(manifest_content.get("manifests"))
    }
    if listed := runners.get("llamacpp") or runners.get("ggml"):
        child = _blob(root, listed.get("digest"))
        manifest_content = json_object(child) if child is not None else {}
    for layer in _dicts(manifest_content.get("layers")):
        if layer.get("mediaType") == _MODEL:
            return _blob(root, layer.get("digest"))
    return None


def _blob(root: Path, digest: object) -> Path | None:
    """The file of a digest; ``None`` if there is none in the store."""
    found = _DIGEST.fullmatch(digest) if isinstance(digest, str) else None
    file = root / "blobs" / f"sha256-{found[1]}" if found else None
    return file if file is not None and _is_inside(file, root) else None


# --- LM Studio -----------------------------------------------------------------------------------


def _lm_studio_models() -> Iterator[StoredModel]:
    """The models of ``PUBLISHER/MODEL/FILE.gguf``."""
    for root in _lm_studio_roots():
        for file in _files(root, "*/*/*.gguf"):
            publisher, model, name = file.relative_to(root).parts
            yield from _in_repository("lmstudio", root, f"{publisher}/{model}", name, file)


def _lm_studio_roots() -> list[Path]:
    """LM Studio's existing store folders."""
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
    """The models of ``OWNER_MODEL_FILE.gguf`` in one folder, which newer builds no longer use."""
    default = Path.home() / ".cache" / "llama.cpp"
    if sys.platform == "darwin":
        default = Path.home() / "Library" / "Caches" / "llama.cpp"
    elif base := os.environ.get("XDG_CACHE_HOME"):
        default = Path(base) / "llama.cpp"
    for root in _existing_folders(os.environ.get("LLAMA_CACHE"), default):
        for file in _files(root, "*.gguf"):
            if _is_model(file, root):
                yield StoredModel("llama-cache", (file.name.removesuffix(".gguf"), file.name), file)


def _hugging_face_models() -> Iterator[StoredModel]:
    """The models of ``models--OWNER--MODEL/snapshots/REVISION/FILE.gguf``, which are links to blobs."""
    for root in _existing_folders(str(hub.cache_folder())):
        for repository in _entries(root, "models--*"):
            if (snapshot := hub.snapshot_of(repository)) is None:
                continue
            name = repository.name.removeprefix("models--").replace("--", "/")
            for file in _files(snapshot, "*.gguf") + _files(snapshot, "*/*.gguf"):
                within = file.relative_to(snapshot).as_posix()
                yield from _in_repository("hf", root, name, within, file)


def _in_repository(
    program: str, root: Path, repository: str, within: str, file: Path
) -> Iterator[StoredModel]:
    """The model of a file in a repository, named by its quantisation, its repository or its path; none if it is no
    model.
    """
    if not _is_model(file, root):
        return
    found = quantisations(file.name)
    short = (f"{repository}:{found[-1].upper()}",) if found else ()
    yield StoredModel(program, (*short, repository, f"{repository}/{within}"), file)


PROGRAMS: dict[str, Callable[[], Iterator[StoredModel]]] = {
    "ollama": _ollama_models,
    "lmstudio": _lm_studio_models,
    "llama-cache": _llama_cpp_models,
    "hf": _hugging_face_models,
}


# --- files ---------------------------------------------------------------------------------------


def _existing_folders(*paths: str | Path | None) -> list[Path]:
    """Existing folders among ``paths``, without duplicates (links resolved)."""
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


def _files(folder: Path, pattern: str) -> list[Path]:
    """The readable files that match a pattern."""
    return [
        file for file in _entries(folder, pattern) if os.access(file, os.R_OK) and file.is_file()
    ]


def _is_model(file: Path, root: Path) -> bool:
    """Whether ``file`` lies in its store and is neither a later part of a model nor a projector for pictures."""
    return begins_model(file.name) and _is_inside(file, root)


def begins_model(name: str) -> bool:
    """Whether a file of that name is neither a later part of a model nor a projector for pictures."""
    name = name.lower()
    return "mmproj" not in name and not _LATER_PART.search(name)


def quantisations(name: str) -> list[str]:
    """The words in a file's name that name a quantisation, such as ``Q4_K_M`` or ``UD-Q4_K_XL``."""
    return _QUANTISATION.findall(name)


def _is_inside(file: Path, root: Path) -> bool:
    """Whether ``file`` is in ``root``, with every link on the way followed, and can be read."""
    try:
        return file.resolve(strict=True).is_relative_to(root.resolve()) and os.access(file, os.R_OK)
    except (OSError, ValueError):
        return False


def _dicts(value: object) -> list[dict[str, Any]]:
    """The objects in a JSON array; empty for anything else."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def is_stored_name(name: str) -> bool:
    """Whether ``name`` begins with a program's prefix (``ollama:``), whether or not that model exists."""
    program, colon, _ = name.partition(":")
    return bool(colon) and program in PROGRAMS


def find_model_file(name: str) -> Path:
    """The file of the model ``name``. Raises ``ModelNotFound`` if no model or several have that name."""
    program, _, short_name = name.partition(":")
    models = list(stored_models(program))
    files = {
        model.file for model in models if short_name.casefold() in map(str.casefold, model.names)
    }  # fmt: skip
    if len(files) == 1:
        return files.pop()
    if files:
        matching = [unique for model, unique in with_unique_names(models) if model.file in files]
        raise ModelNotFound(
            f"{name} matches {len(files)} models: use one of {', '.join(matching)}."
        )
    available = [unique for _, unique in with_unique_names(models)]
    near = difflib.get_close_matches(name, available, n=3, cutoff=0.4)
    hint = f" Do you mean {' or '.join(near)}?" if near else ""
    raise ModelNotFound(
        f"There is no {name} on this machine: `editd models` lists the models here.{hint}"
    )


def with_unique_names(models: Iterable[StoredModel]) -> list[tuple[StoredModel, str]]:
    """The models, each with ``program:name``: the first of its names that no other model of its program has, in whatever case;
    its last name if there is none.
    """
    models = list(models)
    owners = Counter(
        (model.program, folded)
        for model in models
        for folded in {name.casefold() for name in model.names}
    )
    return [
        (model, f"{model.program}:{name}")
        for model in models
        for name in [
            next(
                (n for n in model.names if owners[model.program, n.casefold()] == 1),
                model.names[-1],
            )
        ]
    ]
