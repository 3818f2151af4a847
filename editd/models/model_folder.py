"""The part of a model folder that every backend reads, checked for completeness before anything is loaded.

Knows ``editd.json`` (the maker's statement on edits) and the files of a Hugging Face checkpoint: ``config.json``, the
tokenizer, the weights. Finds a hub id in the local hub cache and never downloads. Of the weights it reads safetensors
headers and never the data, and refuses every other kind of file; loading them is left to ``torch.read_weights`` and
``openvino.reading``. Every possible error of such a folder is reported in one sentence.
"""

from __future__ import annotations

import json
import re
import stat
from collections.abc import Iterable
from dataclasses import dataclass, field
from math import prod
from pathlib import Path
from typing import Any

from editd import stores
from editd.errors import ModelDamaged, ModelNotFound, ModelUnsupported
from editd.stores import hub

FILE_NAME = "editd.json"
_TOKENIZER_FILES = ("tokenizer.json", "tokenizer.model", "vocab.json", "spiece.model")
_PICKLES = (".bin", ".pt", ".pth", ".ckpt")

Stamp = tuple[tuple[str, int, int, int], ...]
"""Path, inode, size and time of each of a model's files; zeros for a missing file."""

_PART_OF_MODEL = frozenset(
    (".safetensors", ".json", ".jinja", ".model", ".txt", ".tiktoken", ".gguf", ".xml", ".bin")
)

_CUT_SHORT = ("header too small", "invalid header length", "not fully covered")


def check_regular(*places: Path) -> None:
    """Raise ``ModelDamaged`` if a path, or anything right in a folder, is neither a regular file
    nor a folder, links followed.

    Paths that do not exist or cannot be read are ignored.
    """
    for place in places:
        try:
            files = [place, *place.iterdir()] if place.is_dir() else [place]
        except (OSError, ValueError):
            continue
        for file in files:
            try:
                mode = file.stat().st_mode
            except (OSError, ValueError):
                continue
            if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
                raise ModelDamaged(
                    f"{file} is a pipe or a device, not a regular file: pull or copy the model again."
                )


def edit_format(manifest: dict[str, Any]) -> str | None:
    """The edit format that a manifest names; ``None`` if it names none."""
    format_name = manifest.get("format")
    return format_name if isinstance(format_name, str) else None


def read_manifest(folder: Path) -> dict[str, Any]:
    """The content of ``editd.json`` in ``folder``; empty if there is none.

    Raises ``ModelDamaged`` for anything but a JSON object.
    """
    file = folder / FILE_NAME
    return read_json(file) if file.is_file() else {}


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A complete folder of a Hugging Face model.

    config: the content of ``config.json``.
    groups: the weights by stored dtype, from the safetensors headers.
    manifest: the content of ``editd.json``; empty if there is none.
    """

    name: str
    folder: Path
    config: dict[str, Any]
    groups: tuple[TensorGroup, ...]
    manifest: dict[str, Any] = field(default_factory=dict)


def open_checkpoint(name: str) -> Checkpoint:
    """Read and check the checkpoint that ``name`` denotes: a folder, or a hub id pulled before.
    Only headers of weights are read.

    Raises ``ModelNotFound``, ``ModelDamaged`` (configuration, weights or tokenizer missing or
    damaged) or ``ModelUnsupported`` (no causal language model of transformers, other kinds of
    weights), each with a remedy.
    """
    folder = _folder_of(name)
    check_regular(folder)
    config = read_json(folder / "config.json")
    groups = read_weights(folder)
    _check_architecture(name, config)
    if not any((folder / file).is_file() for file in _TOKENIZER_FILES):
        raise ModelDamaged(
            f"{folder} has no tokenizer (tokenizer.json): copy the tokenizer files of the model "
            "next to its weights, or pull it again."
        )
    return Checkpoint(name, folder, config, groups, read_manifest(folder))


def stamp_of(files: Iterable[Path]) -> Stamp:
    """The stamp of ``files`` as they are now, in their order: path, inode, size and time, zeros for
    a file that cannot be found. Links are followed.
    """
    stamp = []
    for file in files:
        try:
            status = file.stat()
        except (OSError, ValueError):
            stamp.append((str(file), 0, 0, 0))
        else:
            stamp.append((str(file), status.st_ino, status.st_size, status.st_mtime_ns))
    return tuple(stamp)


def files_in(name: str) -> list[Path]:
    """The files right in the folder that ``name`` denotes whose suffix may be part of a model,
    sorted.

    Raises ``ModelNotFound`` if there is no such folder or pulled hub id.
    """
    folder = _folder_of(name)
    return [file for file in sorted(folder.iterdir()) if file.suffix in _PART_OF_MODEL]


# --- finding -------------------------------------------------------------------------------------


def _folder_of(name: str) -> Path:
    """The folder that ``name`` denotes: an existing folder by its path, links resolved, else a
    pulled hub id.

    A relative path counts only if it cannot be a hub id (``./…``). Raises ``ModelNotFound``, also
    for a file.
    """
    path = hub.expand_home(name)
    # Written as a path or not at all: a folder that happens to be called like a hub id, in whatever
    # directory this process runs, is not what a configuration means.
    is_folder, is_file = _folder_or_file(path)
    if name and is_folder and (path.is_absolute() or _looks_like_path(name)):
        return path.resolve()
    if is_file:
        raise ModelNotFound(
            f"{path} is a file: give the folder that holds config.json and *.safetensors, or a "
            ".gguf file by its path (./…, ~/… or /…)."
        )
    if _looks_like_path(name):
        raise ModelNotFound(
            f"There is no folder {name or 'without a name'}: give an existing model folder, or a hub id that was "
            "pulled (`editd models list` lists them)."
        )
    return _find_in_hub_cache(name)


def _folder_or_file(path: Path) -> tuple[bool, bool]:
    """Whether ``path`` is a folder, and whether it is a file; neither if no file can have that name."""
    try:
        return path.is_dir(), path.is_file()
    except (OSError, ValueError):
        return False, False


def _looks_like_path(name: str) -> bool:
    """Whether ``name`` cannot be a hub id."""
    return not name or name.startswith((".", "/", "~")) or "\\" in name or name.count("/") > 1


def _find_in_hub_cache(name: str) -> Path:
    """The folder of a hub id in the local hub cache. Raises ``ModelNotFound``, with a suggestion,
    if it was not pulled, or is no hub id.
    """
    folder = hub.local_folder(name) if hub.is_model_id(name) else None
    if folder is not None:
        return folder
    if not hub.is_model_id(name):
        raise ModelNotFound(
            f"{name!r} is neither a folder nor a hub id: `editd models` lists the models here, and `editd setup` offers "
            f"others.{stores.suggestion(name)}"
        )
    raise ModelNotFound(
        f"{name} is neither a folder nor a pulled model: run `editd models pull {name}` "
        f"first (an edit never downloads).{stores.suggestion(name)}"
    )


# --- configuration -------------------------------------------------------------------------------


def _check_architecture(name: str, config: dict[str, Any]) -> None:
    """Raise ``ModelUnsupported`` unless the first of ``architectures`` in the configuration is a
    causal language model of transformers.

    Without ``architectures`` the model type decides. Imports transformers. name: of the model, for
    the error.
    """
    from transformers import CONFIG_MAPPING
    from transformers.models.auto.modeling_auto import MODEL_FOR_CAUSAL_LM_MAPPING_NAMES

    model_type = str(config.get("model_type", ""))
    named = config.get("architectures")
    architecture = str(named[0]) if isinstance(named, list) and named else ""
    causal = set(MODEL_FOR_CAUSAL_LM_MAPPING_NAMES.values())
    if architecture in causal or (
        not architecture and model_type in MODEL_FOR_CAUSAL_LM_MAPPING_NAMES
    ):
        return
    if "AutoModelForCausalLM" in (config.get("auto_map") or {}):
        raise ModelUnsupported(
            f"{name} runs only with the Python code in its own folder, which editd does not run: choose "
            "another model."
        )
    if model_type in CONFIG_MAPPING:
        raise ModelUnsupported(
            f"{name} is not a causal language model (it is a {architecture or model_type}): "
            f"choose a "
            "model that writes text, such as those of `editd models list`."
        )
    import transformers

    raise ModelUnsupported(
        f"{name} has the architecture {architecture or model_type or 'unknown'}, which "
        f"transformers {transformers.__version__} does not know: update transformers or choose "
        "another model."
    )


@dataclass(frozen=True, slots=True)
class TensorGroup:
    """The weights stored in one safetensors dtype (``"BF16"``, ``"I32"``, …)."""

    dtype: str
    elements: int
    bytes: int


def read_weights(folder: Path) -> tuple[TensorGroup, ...]:
    """The sizes of the weights by dtype, sorted by its name, from the headers alone, so that the
    data need not be read.

    Raises ``ModelDamaged`` for a file shorter than its header says (a download that broke off) or
    with a header that cannot be read, and as ``weight_files``.
    """
    sizes: dict[str, list[int]] = {}
    for file in weight_files(folder):
        for dtype, shape in _read_header(file):
            elements = prod(shape)
            group = sizes.setdefault(dtype, [0, 0])
            group[0] += elements
            group[1] += elements * _bits(dtype) // 8
    return tuple(TensorGroup(dtype, *size) for dtype, size in sorted(sizes.items()))


def _bits(dtype: str) -> int:
    """The bits of an element: the first number in ``BF16``, ``F8_E4M3`` and the like; 8 for ``BOOL``, which has none."""
    found = re.search(r"\d+", dtype)
    return int(found[0]) if found else 8


def weight_files(folder: Path) -> list[Path]:
    """The safetensors files with weights, all of which exist: those that the index names, sorted,
    else ``model.safetensors``.

    Raises ``ModelDamaged`` if the index names none or one is missing, or there are no weights;
    ``ModelUnsupported`` if there are pickled weights or an adapter in their place.
    """
    index = folder / "model.safetensors.index.json"
    if index.is_file():
        places = read_json(index).get("weight_map")
        names = places.values() if isinstance(places, dict) else ()
        shards = sorted({str(name) for name in names})
        missing = [shard for shard in shards if not (folder / shard).is_file()]
        if missing or not shards:
            raise ModelDamaged(
                f"{folder} lacks {len(missing)} of {len(shards)} weight files (first "
                f"{missing[0] if missing else 'of all'}): pull or copy the model again."
            )
        return [folder / shard for shard in shards]
    single = folder / "model.safetensors"
    if single.is_file():
        return [single]
    _refuse_other_weights(folder)
    raise ModelDamaged(
        f"{folder} has no weights (model.safetensors): pull or copy the model again."
    )


def _refuse_other_weights(folder: Path) -> None:
    """Raise ``ModelUnsupported`` if ``folder`` contains pickled weights (``.bin``, ``.pt``,
    ``.pth``, ``.ckpt``) or an adapter.
    """
    files = [file.name for file in folder.iterdir() if file.is_file()]
    pickles = sorted(name for name in files if name.endswith(_PICKLES))
    if pickles:
        raise ModelUnsupported(
            f"{folder} contains only pickled weights ({pickles[0]}), which can run code when they "
            "are opened: use a safetensors version of the model."
        )
    if any(name.startswith("adapter_") for name in files):
        raise ModelUnsupported(
            f"{folder} contains an adapter (LoRA), not a model: merge it into its base model first."
        )


def _read_header(file: Path) -> list[tuple[str, list[int]]]:
    """The dtype and shape of each tensor in a safetensors file. Raises ``ModelDamaged`` if the file
    is cut short or its header cannot be read.
    """
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(file, framework="np") as opened:
            slices = (opened.get_slice(name) for name in opened.keys())  # noqa: SIM118
            return [(tensor.get_dtype(), tensor.get_shape()) for tensor in slices]
    except (SafetensorError, OSError) as error:
        size = file.stat().st_size
        problem = (
            f"is cut short ({size:,} bytes)"
            if not size or any(words in str(error) for words in _CUT_SHORT)
            else "is damaged (its header cannot be read)"
        )
        raise ModelDamaged(f"{file} {problem}: pull or copy the model again.") from error


def read_json(file: Path) -> dict[str, Any]:
    """The JSON object in ``file``. Raises ``ModelDamaged`` if the file is missing, unreadable or
    holds no object.
    """
    try:
        value = json.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise ModelDamaged(
            f"{file.parent} holds no {file.name}, so it is no whole model: give the folder that "
            "has it, or pull the model again."
        ) from None
    except (OSError, ValueError, RecursionError) as error:
        raise ModelDamaged(
            f"{file} cannot be read ({error}): pull or copy the model again."
        ) from error
    if not isinstance(value, dict):
        raise ModelDamaged(f"{file} holds no JSON object: pull or copy the model again.")
    return value
