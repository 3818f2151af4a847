"""GGUF files: what is in one, said in the words of a model folder, and when it is refused.

transformers unpacks the weights into ordinary ones and reads the shape; the tokenizer
(``gguf_tokenizer``) is kept, with the configuration and the chat template, in a folder of the
user's cache, so that the rest of editd sees a model folder like any other. Weights are never copied.

A GGUF file names its architecture instead of holding it. So only what was compared with the original
is accepted: the families in ``_FAMILIES`` with plain rotary positions. Anything in the header that
transformers passes over in silence is a refusal: it would be another model.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from editd.backends.gguf_header import read_header, without_long_arrays
from editd.backends.torch.files.gguf_tokenizer import (
    INSTEAD,
    check_tokenizer,
    end_ids,
    make_tokenizer,
    tokenizer_config,
)
from editd.backends.torch.files.weight_files import TensorGroup
from editd.backends.torch.quiet_transformers import quiet_loading
from editd.errors import ModelDamaged, ModelUnsupported, first_line
from editd.local_cache import cache_dir

_FAMILIES = {"llama": "llama", "qwen2": "qwen2", "qwen3": "qwen3"}  # GGUF's name → transformers'
_HARMLESS = {"attention.key_length", "attention.value_length", "rope.dimension_count", "vocab_size"}
_FORMAT = 2  # of the folders in the cache


@dataclass(frozen=True, slots=True)
class Described:
    """folder: configuration, tokenizer and template. groups: the weights as they will be."""

    folder: Path
    groups: tuple[TensorGroup, ...]


def quiet_unpacking() -> None:
    """The bar that transformers draws while it unpacks is made the one that ``quiet_transformers`` hears."""
    from transformers import modeling_gguf_pytorch_utils
    from transformers.utils import logging

    vars(modeling_gguf_pytorch_utils)["tqdm"] = logging.tqdm


def only_gguf(folder: Path) -> Path | None:
    """The GGUF file of a folder without other weights; ``None`` if there is none.

    Raises ``ModelUnsupported`` where there are several.
    """
    if any(folder.glob("*.safetensors*")):
        return None
    files = sorted(folder.glob("*.gguf"))
    if len(files) > 1:
        raise ModelUnsupported(
            f"{folder} holds {len(files)} GGUF files: name the one to load, such as {files[0]}."
        )
    return files[0] if files else None


def describe(file: Path) -> Described:
    """What ``file`` holds, read from its header now or found in the cache.

    Raises ``ModelDamaged``, or ``ModelUnsupported`` with the reason.
    """
    if find_spec("gguf") is None or find_spec("accelerate") is None:
        raise ModelUnsupported(
            f"{file} is a GGUF file, which other packages read: pip install 'editd[gguf]', or "
            f"{INSTEAD}."
        )
    import transformers

    seen = file.stat()
    stamp = [_FORMAT, transformers.__version__, seen.st_size, seen.st_mtime_ns]
    key = hashlib.sha256(str(file).encode(errors="surrogateescape")).hexdigest()[:16]
    folder = cache_dir() / "gguf" / key
    elements = _kept(folder, stamp)
    if not elements:
        try:
            elements = _keep(file, folder, stamp)
        except OSError as error:
            raise ModelUnsupported(
                f"What {file} holds cannot be written down in {folder.parent} "
                f"({first_line(error)}): make room there, or set EDITD_CACHE_DIR."
            ) from error
    return Described(folder, (TensorGroup("F32", elements, 4 * elements),))


def _kept(folder: Path, stamp: list[Any]) -> int:
    """How many weights the file described in ``folder`` has; 0 if it is not, or was another."""
    try:
        kept = json.loads((folder / "gguf.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return 0
    return int(kept["elements"]) if kept.get("stamp") == stamp else 0


def _keep(file: Path, folder: Path, stamp: list[Any]) -> int:
    folder.parent.mkdir(parents=True, exist_ok=True)
    unfinished = Path(tempfile.mkdtemp(prefix=".unfinished-", dir=folder.parent))
    try:
        elements = _write(file, unfinished)
        _save(unfinished / "gguf.json", {"stamp": stamp, "elements": elements})
        shutil.rmtree(folder, ignore_errors=True)
        try:
            unfinished.rename(folder)
        except OSError:  # another process may have been quicker
            if not _kept(folder, stamp):
                raise
        return elements
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)


def _write(file: Path, folder: Path) -> int:
    """Fill ``folder`` from the header of ``file``; returns how many weights it has."""
    try:
        fields, tensors = read_header(file)
    except Exception as error:  # the reader raises whatever its arrays raise
        raise ModelDamaged(
            f"{file} is cut short or no GGUF file ({first_line(error)}): pull or copy it again."
        ) from error
    _check_shape(file, fields, [name for name, _ in tensors])
    cut = check_tokenizer(file, fields)
    try:
        with quiet_loading():
            config = _config(file, fields, folder)
            words = make_tokenizer(file, fields, folder, cut)
            wanted = _weights_of(config)
    except ModelUnsupported:
        raise
    except Exception as error:  # whatever transformers makes of a header
        raise ModelUnsupported(
            f"transformers cannot read {file} ({first_line(error)}): {INSTEAD}."
        ) from error
    elements = sum(size for _, size in tensors)
    if elements != wanted:
        raise ModelUnsupported(
            f"{file} holds {elements:,} weights, but the {config.model_type} model that transformers "
            f"makes of it has {wanted:,}, so it would be another model: {INSTEAD}."
        )
    config.save_pretrained(folder)
    _save(folder / "tokenizer.json", words)
    _save(folder / "tokenizer_config.json", tokenizer_config(fields))
    _save(folder / "generation_config.json", {"eos_token_id": end_ids(fields)})
    return elements


# --- what is refused -----------------------------------------------------------------------------


def _check_shape(file: Path, fields: dict[str, Any], names: Iterable[str]) -> None:
    architecture = fields.get("general.architecture", "unnamed")
    if architecture not in _FAMILIES:
        raise ModelUnsupported(
            f"{file} has the architecture {architecture}, and editd reads GGUF files of "
            f"{', '.join(_FAMILIES)}: {INSTEAD}."
        )
    if "split.count" in fields and fields["split.count"] > 1:
        raise ModelUnsupported(
            f"{file} is one part of {fields['split.count']}: join them with `llama-gguf-split "
            f"--merge`, or {INSTEAD}."
        )
    from transformers.integrations.ggml import GGUF_CONFIG_MAPPING

    scaling = fields.get(f"{architecture}.rope.scaling.type", "none") != "none"
    if scaling or any(name.startswith("rope_f") for name in names):
        raise ModelUnsupported(
            f"{file} stretches its rotary positions, which transformers does not read from GGUF: "
            f"{INSTEAD}."
        )
    read: Any = GGUF_CONFIG_MAPPING[architecture]
    known = {*read, *_HARMLESS, "rope.scaling.type"}
    keys = [key.partition(".")[2] for key in fields if key.startswith(f"{architecture}.")]
    unread = sorted(set(keys) - known)
    if unread:
        raise ModelUnsupported(
            f"{file} sets {architecture}.{unread[0]}, which transformers does not read from GGUF: "
            f"{INSTEAD}."
        )


# --- what is made --------------------------------------------------------------------------------
# From an empty folder, not the file's own: nothing that lies beside a GGUF file belongs to it.


def _config(file: Path, fields: dict[str, Any], empty: Path) -> Any:
    """As transformers reads it, with the width of a head, which it leaves to its defaults."""
    from transformers import AutoConfig

    with without_long_arrays():
        config = AutoConfig.from_pretrained(
            str(empty), gguf_file=str(file), local_files_only=True, trust_remote_code=False
        )
    architecture = fields["general.architecture"]
    if config.model_type != _FAMILIES[architecture]:  # it goes by the model's name as well
        raise ModelUnsupported(f"transformers takes {file} for {config.model_type}: {INSTEAD}.")
    width = config.hidden_size // config.num_attention_heads
    widths = {
        int(fields[key])
        for part in ("attention.key_length", "attention.value_length", "rope.dimension_count")
        if (key := f"{architecture}.{part}") in fields
    } or {width}
    if len(widths) > 1:
        raise ModelUnsupported(
            f"{file} has heads of more than one width, which transformers does not read from GGUF: "
            f"{INSTEAD}."
        )
    config.head_dim = widths.pop()
    # It would count the words, which it did not see.
    words = fields["tokenizer.ggml.tokens"]
    config.vocab_size = int(fields.get(f"{architecture}.vocab_size", len(words)))
    return config


def _weights_of(config: Any) -> int:
    """How many weights the model has."""
    from editd.backends.torch.files.empty_model import empty_model

    return sum(parameter.numel() for parameter in empty_model(config).parameters())


def _save(path: Path, values: dict[str, Any]) -> None:
    path.write_text(json.dumps(values, ensure_ascii=False), encoding="utf-8")
