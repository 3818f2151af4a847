"""Models on this disk: those that other programs keep, by names people know (``ollama:qwen2.5-coder:7b``).

Knows how Ollama, LM Studio, llama.cpp and Hugging Face's cache lay out their GGUF files
and what a name means. A name is looked up among what lies there; it never
becomes part of a path. So wherever one comes from, it can only mean a file inside these stores. Nothing is
written there. ``hub`` knows Hugging Face's cache, and how ``editd models pull`` downloads into it. What is
in a file is ``models``' to read.

Layouts: Ollama's ``manifest/paths.go`` (both kinds of manifests), LM Studio's page on importing models
and ``settings.json``, llama.cpp's ``common/download.cpp``, and the cache of ``huggingface_hub``.
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


@dataclass(frozen=True, slots=True)
class Stored:
    """A model that a program keeps. names: what it may be called there, the shortest first.

    One of them may mean another model as well. file: of a model in parts the first.
    """

    program: str
    names: tuple[str, ...]
    file: Path

    @property
    def bytes(self) -> int:
        """What its files take on the disk."""
        return sum(part.stat().st_size for part in parts(self.file))


def stored_models(program: str | None = None) -> Iterator[Stored]:
    """What is in the stores, or in that of one program; none of it is opened.

    A file whose links lead out of its store is left out, as is what cannot be read.
    """
    for name, look in PROGRAMS.items():
        if program in (None, name):
            yield from look()


def parts(file: Path) -> list[Path]:
    """The files of a model that begins with ``file``."""
    split = _PART.search(file.name)
    if split is None:
        return [file]
    count = int(split[1])
    every = (file.with_name(f"{file.name[: split.start()]}-{n:05}-of-{count:05}.gguf")
             for n in range(1, count + 1))  # fmt: skip
    return [part for part in every if part.is_file()]


_PART = re.compile(r"-00001-of-(\d{5})\.gguf$")
_LATER_PART = re.compile(r"-(?!00001)\d{5}-of-\d{5}\.gguf$")
_QUANTISATION = re.compile(
    r"(?i)(?<![a-z0-9])(?:(?:UD-)?I?Q\d(?:_[A-Z0-9]+)*|BF16|F16|F32|MXFP4)(?![a-z0-9])"
)


# --- Ollama --------------------------------------------------------------------------------------

OLLAMA_SERVICES = (
    "/usr/share/ollama/.ollama/models",
    "/var/lib/ollama/.ollama/models",
    "/var/lib/ollama",
)
_PUBLIC = {"registry.ollama.ai", "ollama.com"}
_DIGEST = re.compile(r"sha256[:-]([0-9a-fA-F]{64})")
_MODEL = "application/vnd.ollama.image.model"


def _ollama() -> Iterator[Stored]:
    """``manifests*/HOST/NAMESPACE/MODEL/TAG`` names blobs; a newer manifest wins over an older."""
    told = set()
    for root in _ollama_roots():
        for folder in ("manifests-v2", "manifests"):
            for manifest in _files(root / folder, "*/*/*/*"):
                names = _ollama_names(*manifest.relative_to(root / folder).parts)
                file = _ollama_file(root, manifest)
                if file is not None and names[0] not in told and not manifest.name.startswith("."):
                    told.add(names[0])
                    yield Stored("ollama", names, file)


def _ollama_roots() -> list[Path]:
    """Of this user, and of the services that its installers make."""
    given = os.environ.get("OLLAMA_MODELS")
    return _folders(given, Path.home() / ".ollama" / "models", *OLLAMA_SERVICES)


def _ollama_names(host: str, namespace: str, model: str, tag: str) -> tuple[str, ...]:
    host = host.replace("%3A", ":")
    name = model if namespace == "library" else f"{namespace}/{model}"
    if host not in _PUBLIC:
        name = f"{host}/{namespace}/{model}"
    return (f"{name}:{tag}", name) if tag == "latest" else (f"{name}:{tag}",)


def _ollama_file(root: Path, manifest: Path) -> Path | None:
    """The weights of a manifest, or of one in a list of them for several runners."""
    told = json_object(manifest) if _is_inside(manifest, root) else {}
    runners = {str(one.get("runner")): one for one in _dicts(told.get("manifests"))}
    if listed := runners.get("llamacpp") or runners.get("ggml"):
        child = _blob(root, listed.get("digest"))
        told = json_object(child) if child is not None else {}
    for layer in _dicts(told.get("layers")):
        if layer.get("mediaType") == _MODEL:
            return _blob(root, layer.get("digest"))
    return None


def _blob(root: Path, digest: object) -> Path | None:
    found = _DIGEST.fullmatch(digest) if isinstance(digest, str) else None
    file = root / "blobs" / f"sha256-{found[1]}" if found else None
    return file if file is not None and _is_inside(file, root) else None


# --- LM Studio -----------------------------------------------------------------------------------


def _lm_studio() -> Iterator[Stored]:
    """``PUBLISHER/MODEL/FILE.gguf``."""
    for root in _lm_studio_roots():
        for file in _files(root, "*/*/*.gguf"):
            publisher, model, name = file.relative_to(root).parts
            yield from _in_repository("lmstudio", root, f"{publisher}/{model}", name, file)


def _lm_studio_roots() -> list[Path]:
    home = Path.home() / ".lmstudio"
    with suppress(OSError, ValueError):  # LM Studio's own word for where it moved to
        home = Path((Path.home() / ".lmstudio-home-pointer").read_text(encoding="utf-8").strip())
    settings = [place / "settings.json" for place in (home, _application_data() / "LM Studio")]
    chosen = [json_object(file).get("downloadsFolder") for file in settings]
    before = Path.home() / ".cache" / "lm-studio" / "models"  # until 0.3.6
    return _folders(*(place for place in chosen if isinstance(place, str)), home / "models", before)


def _application_data() -> Path:
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Application Support"
    return Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config")


# --- llama.cpp and Hugging Face ------------------------------------------------------------------


def _llama_cpp() -> Iterator[Stored]:
    """``OWNER_MODEL_FILE.gguf`` in one folder, where newer builds use Hugging Face's cache."""
    default = Path.home() / ".cache" / "llama.cpp"
    if sys.platform == "darwin":
        default = Path.home() / "Library" / "Caches" / "llama.cpp"
    elif base := os.environ.get("XDG_CACHE_HOME"):
        default = Path(base) / "llama.cpp"
    for root in _folders(os.environ.get("LLAMA_CACHE"), default):
        for file in _files(root, "*.gguf"):
            if _is_model(file, root):
                yield Stored("llama-cache", (file.name.removesuffix(".gguf"), file.name), file)


def _hugging_face() -> Iterator[Stored]:
    """``models--OWNER--MODEL/snapshots/REVISION/FILE.gguf``, links into the blobs beside them."""
    for root in _folders(str(hub.cache_folder())):
        for repository in _entries(root, "models--*"):
            if (snapshot := hub.snapshot_of(repository)) is None:
                continue
            name = repository.name.removeprefix("models--").replace("--", "/")
            for file in _files(snapshot, "*.gguf") + _files(snapshot, "*/*.gguf"):
                within = file.relative_to(snapshot).as_posix()
                yield from _in_repository("hf", root, name, within, file)


def _in_repository(
    program: str, root: Path, repository: str, within: str, file: Path
) -> Iterator[Stored]:
    if not _is_model(file, root):
        return
    found = _QUANTISATION.findall(file.name)
    short = (f"{repository}:{found[-1].upper()}",) if found else ()
    yield Stored(program, (*short, repository, f"{repository}/{within}"), file)


PROGRAMS: dict[str, Callable[[], Iterator[Stored]]] = {
    "ollama": _ollama,
    "lmstudio": _lm_studio,
    "llama-cache": _llama_cpp,
    "hf": _hugging_face,
}


# --- files ---------------------------------------------------------------------------------------


def _folders(*named: str | Path | None) -> list[Path]:
    """Those that are there, each once."""
    places = [Path(place).expanduser() for place in named if place]
    found: dict[Path, None] = {}
    for place in places:
        with suppress(OSError, ValueError):
            if place.is_dir():
                found.setdefault(place.resolve())
    return list(found)


def _entries(folder: Path, pattern: str) -> list[Path]:
    with suppress(OSError):
        return sorted(folder.glob(pattern))
    return []


def _files(folder: Path, pattern: str) -> list[Path]:
    return [
        file for file in _entries(folder, pattern) if os.access(file, os.R_OK) and file.is_file()
    ]


def _is_model(file: Path, root: Path) -> bool:
    """Not a later part of a model, nor what lets one see pictures."""
    name = file.name.lower()
    return "mmproj" not in name and not _LATER_PART.search(name) and _is_inside(file, root)


def _is_inside(file: Path, root: Path) -> bool:
    """Whether ``file`` is in ``root``, with every link on the way followed, and can be read."""
    try:
        return file.resolve(strict=True).is_relative_to(root.resolve()) and os.access(file, os.R_OK)
    except (OSError, ValueError):
        return False


def _dicts(value: object) -> list[dict[str, Any]]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def is_stored_name(name: str) -> bool:
    """Whether ``name`` says that it is one of a store, whether or not it is there."""
    program, colon, _ = name.partition(":")
    return bool(colon) and program in PROGRAMS


def find(name: str) -> Path:
    """The file that ``name`` means. Raises ``ModelNotFound`` where it means none or several."""
    program, _, wanted = name.partition(":")
    models = list(stored_models(program))
    files = {
        one.file for one in models if wanted.casefold() in map(str.casefold, one.names)
    }  # fmt: skip
    if len(files) == 1:
        return files.pop()
    if files:
        meant = [told for one, told in shown(models) if one.file in files]
        raise ModelNotFound(f"{name} matches {len(files)} models: use one of {', '.join(meant)}.")
    there = [told for _, told in shown(models)]
    near = difflib.get_close_matches(name, there, n=3, cutoff=0.4)
    hint = f" Do you mean {' or '.join(near)}?" if near else ""
    raise ModelNotFound(
        f"There is no {name} on this machine: `editd models` lists the models here.{hint}"
    )


def shown(models: Iterable[Stored]) -> list[tuple[Stored, str]]:
    """Each with the shortest name that means it alone."""
    models = list(models)
    meant = Counter(
        (one.program, told) for one in models for told in {name.casefold() for name in one.names}
    )
    return [
        (one, f"{one.program}:{name}")
        for one in models
        for name in [
            next((n for n in one.names if meant[one.program, n.casefold()] == 1), one.names[-1])
        ]
    ]
