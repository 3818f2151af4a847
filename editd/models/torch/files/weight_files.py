"""A model's weight files: which there are, whether they are complete, and their sizes.

Reads safetensors headers and never the data; refuses every other kind of file.
"""

from __future__ import annotations

import json
import struct
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import Any

from editd.errors import ModelDamaged, ModelUnsupported

GROUP = 128  # weights of a row that share a scale as int4; rows of broken groups stay as they are

_PICKLES = (".bin", ".pt", ".pth", ".ckpt")


@dataclass(frozen=True, slots=True)
class TensorGroup:
    """All weights stored in one safetensors dtype (``"BF16"``, ``"I32"``, …).

    matrices: elements in weights of linear layers, which is what can be quantised. grouped: those of
    them whose rows are whole groups (``GROUP``).
    """

    dtype: str
    elements: int
    bytes: int
    matrices: int = 0
    grouped: int = 0


@dataclass(frozen=True, slots=True)
class _Tensor:
    """What a header says of one."""

    dtype: str
    shape: tuple[int, ...]
    data_offsets: tuple[int, int]


def read_weights(folder: Path) -> tuple[TensorGroup, ...]:
    """Sizes by dtype, each file checked against its own header.

    safetensors: eight bytes of header length, a JSON header with offsets, then the data
    (https://huggingface.co/docs/safetensors). A download that broke off is found without reading
    the data.
    """
    sizes: dict[str, list[int]] = {}
    for file in _weight_files(folder):
        for name, tensor in _read_header(file).items():
            start, end = tensor.data_offsets
            elements = prod(tensor.shape)
            group = sizes.setdefault(tensor.dtype, [0, 0, 0, 0])
            group[0] += elements
            group[1] += end - start
            if _is_matrix(name, tensor.shape):
                group[2] += elements
                group[3] += elements * (tensor.shape[1] % GROUP == 0)
    return tuple(TensorGroup(dtype, *size) for dtype, size in sorted(sizes.items()))


def _is_matrix(name: str, shape: tuple[int, ...]) -> bool:
    """Whether a weight belongs to a linear layer, as far as its name tells.

    transformers joins the experts of a mixture into one block, which no quantiser here takes.
    """
    apart = ("embed", ".wte.", ".wpe.", ".experts.")
    return name.endswith(".weight") and len(shape) == 2 and not any(word in name for word in apart)


def _weight_files(folder: Path) -> list[Path]:
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


def _read_header(file: Path) -> dict[str, _Tensor]:
    size = file.stat().st_size
    damaged = f"{file} is damaged (its header cannot be read): pull or copy the model again."
    with file.open("rb") as stream:
        prefix = stream.read(8)
        if len(prefix) < 8:
            raise ModelDamaged(f"{file} is cut short ({size} bytes): pull or copy the model again.")
        (length,) = struct.unpack("<Q", prefix)
        if length > size - 8:
            if length > 100_000_000:  # the format's own limit
                raise ModelDamaged(damaged)
            raise ModelDamaged(
                f"{file} is cut short ({size:,} bytes, not even its header is whole): pull or "
                "copy the model again."
            )
        try:
            header: dict[str, Any] = json.loads(stream.read(length))
            header.pop("__metadata__", None)
            tensors = {name: _tensor(entry) for name, entry in header.items()}
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            raise ModelDamaged(damaged) from error
    end = max((tensor.data_offsets[1] for tensor in tensors.values()), default=0)
    promised = 8 + length + end
    if size < promised:
        raise ModelDamaged(
            f"{file} is cut short ({size:,} of {promised:,} bytes): pull or copy the model again."
        )
    return tensors


def _tensor(entry: dict[str, Any]) -> _Tensor:
    """Raises ``ValueError``, ``KeyError`` or ``TypeError`` for what describes no tensor."""
    dtype, shape, (start, end) = entry["dtype"], entry["shape"], entry["data_offsets"]
    numbers = [*shape, start, end - start]
    if type(dtype) is not str or any(type(n) is not int or n < 0 for n in numbers):
        raise ValueError("no tensor")
    return _Tensor(dtype, tuple(shape), (start, end))


def read_json(file: Path) -> dict[str, Any]:
    """The JSON object in ``file``; raises ``ModelDamaged`` for anything else."""
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
