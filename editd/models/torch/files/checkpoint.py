"""Checks a model folder before anything is loaded.

Knows the files of a Hugging Face checkpoint: ``config.json``, the tokenizer, ``editd.json``, and
through ``weight_files`` its weights. Finds a hub id in the local hub cache and never downloads.
Every possible error of such a folder is reported in one sentence.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from editd.errors import ModelDamaged, ModelNotFound, ModelUnsupported
from editd.models.manifest import read_manifest
from editd.models.regular_files import check_regular
from editd.models.torch.files.weight_files import TensorGroup, read_json, read_weights
from editd.stores import hub

_TOKENIZER_FILES = ("tokenizer.json", "tokenizer.model", "vocab.json", "spiece.model")


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A folder that looks whole.

    config: ``config.json``. groups: the weights by stored dtype, from the safetensors headers.
    remote_code: whether only the folder's own Python code can build this model.
    manifest: ``editd.json``, empty where there is none.
    """

    name: str
    folder: Path
    config: dict[str, Any]
    groups: tuple[TensorGroup, ...]
    remote_code: bool
    manifest: dict[str, Any] = field(default_factory=dict)


def open_checkpoint(name: str) -> Checkpoint:
    """The checkpoint that ``name`` means: a folder, or a hub id pulled before.

    Raises ``ModelNotFound``, ``ModelDamaged`` or ``ModelUnsupported``, each with a remedy.
    """
    folder = _find(name)
    check_regular(folder)
    config = read_json(folder / "config.json")
    groups = read_weights(folder)
    remote_code = _check_architecture(name, config)
    if not any((folder / file).is_file() for file in _TOKENIZER_FILES):
        raise ModelDamaged(
            f"{folder} has no tokenizer (tokenizer.json): copy the tokenizer files of the model "
            "next to its weights, or pull it again."
        )
    return Checkpoint(name, folder, config, groups, remote_code, read_manifest(folder))


# --- finding -------------------------------------------------------------------------------------


def _find(name: str) -> Path:
    path = hub.expanded(name)
    # Written as a path or not at all: a folder that happens to be called like a hub id, in whatever
    # directory this process runs, is not what a configuration means.
    is_folder, is_file = _is_there(path)
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


def _is_there(path: Path) -> tuple[bool, bool]:
    """Whether ``path`` is a folder, and whether it is a file; neither if nothing can be
    called so.
    """
    try:
        return path.is_dir(), path.is_file()
    except (OSError, ValueError):
        return False, False


def _looks_like_path(name: str) -> bool:
    return not name or name.startswith((".", "/", "~")) or "\\" in name or name.count("/") > 1


def _find_in_hub_cache(name: str) -> Path:
    folder = hub.local_folder(name) if hub.is_model_id(name) else None
    if folder is not None:
        return folder
    if not hub.is_model_id(name):
        raise ModelNotFound(
            f"{name!r} is neither a folder nor a hub id: give an existing model folder, or an id "
            "such as Qwen/Qwen2.5-Coder-1.5B-Instruct."
        )
    raise ModelNotFound(
        f"{name} is neither a folder nor a pulled model: run `editd models pull {name}` "
        "first (an edit never downloads)."
    )


# --- configuration -------------------------------------------------------------------------------


def _check_architecture(name: str, config: dict[str, Any]) -> bool:
    """Whether the folder's own code is needed; raises ``ModelUnsupported`` for no causal LM."""
    from transformers import CONFIG_MAPPING
    from transformers.models.auto.modeling_auto import MODEL_FOR_CAUSAL_LM_MAPPING_NAMES

    model_type = str(config.get("model_type", ""))
    named = config.get("architectures")
    architecture = str(named[0]) if isinstance(named, list) and named else ""
    causal = set(MODEL_FOR_CAUSAL_LM_MAPPING_NAMES.values())
    if architecture in causal or (
        not architecture and model_type in MODEL_FOR_CAUSAL_LM_MAPPING_NAMES
    ):
        return False
    if "AutoModelForCausalLM" in (config.get("auto_map") or {}):
        return True
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
