"""The models on this machine, from any program, and whether this installation can run them.

Reads headers and configurations, no weights. What a GGUF file says is kept in editd's cache: reading
a vocabulary takes some tenths of a second.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from editd import stores
from editd.config import EMBEDDED
from editd.files.local_cache import json_object, keep, recall
from editd.frontends.cli.machine import Machine
from editd.stores import hub

_TYPE = "general.type"  # or an adapter, a projector, a vocabulary
_NO_WRITERS = ("clip", "t5encoder", "diffusion")


@dataclass(frozen=True, slots=True)
class Here:
    """A model on this machine.

    size_bytes: of its weights on the disk. memory_bytes: what it needs. quantisation, context: in words; empty if
    unknown. edits: which edits it can do, if not all. unusable: why it cannot be used; empty if it can.
    """

    name: str
    size_bytes: int
    memory_bytes: int
    fits: bool
    quantisation: str = ""
    context: int = 0
    edits: str = ""
    unusable: str = ""


def models_here(machine: Machine) -> list[Here]:
    """The pulled models and those of other programs, the smaller first."""
    found = [*_pulled(machine), *_stored(machine)]
    return sorted(found, key=lambda model: (bool(model.unusable), model.size_bytes, model.name))


def embedded_here(machine: Machine) -> list[Here]:
    """The embedded model as a list of one; an empty list if its base weights are not on this machine. It is not among
    ``models_here``, from which setup chooses.
    """
    from editd.embedded import base_model

    if not base_model.is_downloaded():
        return []
    needs = machine.needs_bytes(base_model.BYTES)
    return [
        Here(
            EMBEDDED,
            base_model.BYTES,
            round(needs),
            machine.has_room(needs),
            "Q4_1",
            edits="a few kinds, of short texts",
        )
    ]


def _pulled(machine: Machine) -> Iterator[Here]:
    """The models with safetensors in Hugging Face's cache, with the size of their files and the memory that they need
    by it; ``unusable`` without torch. A repository without a usable folder is left out.
    """
    for name in hub.pulled_models():
        folder = hub.local_folder(name)
        if folder is None:
            continue
        weights = sum(file.stat().st_size for file in folder.glob("*.safetensors"))
        config = json_object(folder / "config.json")
        kind = str(config.get("dtype") or config.get("torch_dtype") or "")
        parameters = weights / (4 if kind == "float32" else 2)
        needs = machine.needs(parameters)
        yield Here(
            name,
            weights,
            round(needs),
            machine.fits(parameters),
            kind,
            _whole(config.get("max_position_embeddings")),
            unusable="" if has_torch() else "needs PyTorch",
        )


def has_torch() -> bool:
    """Whether models in safetensors format can run here."""
    return find_spec("torch") is not None


def runs_gguf() -> bool:
    """Whether GGUF models can run here: llama.cpp or OpenVINO is installed."""
    from editd.models.llama_cpp.library import is_library_installed
    from editd.models.openvino import is_library_installed as is_openvino_installed

    return is_library_installed() or is_openvino_installed()


def file_here(machine: Machine, file: Path, name: str) -> Here:
    """The GGUF model of ``file`` (all parts of a split one count), under ``name``; ``unusable`` says why if it is
    damaged, writes no text, or no engine for it is installed. Keeps the facts of its header in editd's cache. Raises
    ``OSError`` if the file cannot be looked at.
    """
    size = sum(part.stat().st_size for part in stores.model_files(file))
    facts = _facts(file)
    needs = machine.needs_bytes(size)
    return Here(
        name,
        size,
        round(needs),
        machine.has_room(needs),
        facts.get("quantisation", ""),
        facts.get("context", 0),
        unusable=facts.get("unusable", "") or ("" if runs_gguf() else "needs llama.cpp"),
    )


def _stored(machine: Machine) -> Iterator[Here]:
    """The models in other programs' stores, by a unique name; those that cannot be loaded with the reason and without
    figures. Files that cannot be looked at are left out.
    """
    for stored, name in stores.with_unique_names(stores.stored_models()):
        if stored.trouble:
            yield Here(name, 0, 0, fits=False, unusable=stored.trouble)
            continue
        with suppress(OSError):  # it is being deleted
            yield file_here(machine, stored.file, name)


def _facts(file: Path) -> dict[str, Any]:
    """The facts in a GGUF file's header, from editd's cache if the file was read before with the same size and time;
    else read and stored there. Raises ``OSError`` if the file is gone.
    """
    seen = file.stat()
    key = f"{file} {seen.st_size} {seen.st_mtime_ns}"
    known = recall(key, "gguf")
    if isinstance(known, dict):
        return known
    facts = _read(file)
    keep(key, "gguf", facts)
    return facts


def _read(file: Path) -> dict[str, Any]:
    """Read the facts in a GGUF file's header: ``quantisation`` (empty if unknown) and ``context`` (tokens, 0 if
    unknown); only ``unusable``, with the reason, for a file that cannot be read and a model that writes no text.
    Never raises an ``Exception``.
    """
    from gguf import LlamaFileType

    from editd.models.llama_cpp.header import read_header

    try:
        fields = read_header(file)
    except Exception:  # noqa: BLE001  the reader raises whatever a damaged file makes of it
        return {"unusable": "damaged"}
    architecture = str(fields.get("general.architecture", ""))
    if (
        "bert" in architecture
        or architecture in _NO_WRITERS
        or fields.get(_TYPE, "model") != "model"
    ):
        return {"unusable": "does not write"}
    try:
        kind = LlamaFileType(_whole(fields.get("general.file_type"), -1)).name
    except ValueError:
        kind = ""
    return {
        "quantisation": kind.removeprefix("MOSTLY_").removeprefix("ALL_"),
        "context": _whole(fields.get(f"{architecture}.context_length")),
    }


def _whole(value: object, otherwise: int = 0) -> int:
    """The value if it is a whole number, else ``otherwise``."""
    return value if isinstance(value, int) and not isinstance(value, bool) else otherwise
