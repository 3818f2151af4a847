"""A training's state on disk: small files, whole or not there, enough to go on from.

Weights in fp32, the optimizer's moments in bf16, each in parts of at most 15 MB so that they travel
through anything that carries files.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import load_file, save_file
from torch import Tensor

from editd.errors import ModelNotFound
from training.network import Network
from training.shape import Shape

_PART_BYTES = 15_500_000


def save(
    folder: Path, network: Network, optimizer: torch.optim.Optimizer | None, state: dict[str, Any]
) -> None:
    """Replace the checkpoint in ``folder``; a reader sees the old one or the new one."""
    new, old = folder.with_name(folder.name + ".new"), folder.with_name(folder.name + ".old")
    shutil.rmtree(new, ignore_errors=True)
    new.mkdir(parents=True)
    weights = {name: value.detach().cpu() for name, value in network.named_parameters()}
    _save_parts(new, "weights", weights)
    if optimizer is not None:
        moments = {}
        for name, parameter in network.named_parameters():
            for key in ("exp_avg", "exp_avg_sq"):
                if key in optimizer.state.get(parameter, {}):
                    moment = optimizer.state[parameter][key]
                    moments[f"{name}.{key}"] = moment.to(torch.bfloat16).cpu()
        _save_parts(new, "moments", moments)
    told = {"shape": asdict(network.shape), **state}
    (new / "state.json").write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")
    shutil.rmtree(old, ignore_errors=True)
    if folder.exists():
        folder.rename(old)
    new.rename(folder)
    shutil.rmtree(old, ignore_errors=True)


def load(folder: Path) -> tuple[Network, dict[str, Any]]:
    """The network and the state; raises ``ModelNotFound`` if there is none."""
    if not (folder / "state.json").is_file():
        raise ModelNotFound(f"{folder} holds no training checkpoint: train first.")
    state = json.loads((folder / "state.json").read_text(encoding="utf-8"))
    network = Network(Shape(**state["shape"]))
    network.load_state_dict(_load_parts(folder, "weights"), strict=True)
    return network, state


def load_moments(
    folder: Path, network: Network, optimizer: torch.optim.Optimizer, steps: int
) -> None:
    """Put the optimizer where it was."""
    moments = _load_parts(folder, "moments")
    for name, parameter in network.named_parameters():
        if f"{name}.exp_avg" in moments:
            optimizer.state[parameter] = {
                "step": torch.tensor(float(steps), device=parameter.device),
                **{
                    key: moments[f"{name}.{key}"].float().to(parameter.device)
                    for key in ("exp_avg", "exp_avg_sq")
                },
            }


def _save_parts(folder: Path, name: str, tensors: Mapping[str, Tensor]) -> None:
    part: dict[str, Tensor] = {}
    number, size = 1, 0
    for key, tensor in tensors.items():
        if part and size + tensor.nbytes > _PART_BYTES:
            save_file(part, folder / f"{name}-{number}.safetensors")
            part, size, number = {}, 0, number + 1
        part[key] = tensor.contiguous()
        size += tensor.nbytes
    if part:
        save_file(part, folder / f"{name}-{number}.safetensors")
    for path in folder.iterdir():
        path.chmod(0o644)  # safetensors writes 0600


def _load_parts(folder: Path, name: str) -> dict[str, Tensor]:
    tensors: dict[str, Tensor] = {}
    for path in sorted(folder.glob(f"{name}-*.safetensors")):
        tensors.update(load_file(path))
    return tensors
