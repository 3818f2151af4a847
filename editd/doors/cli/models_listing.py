"""What ``editd models`` prints: the models on this machine, and others to download."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from editd.doors.cli.machine import Machine
from editd.doors.cli.models_catalogue import CATALOGUE, Suggestion
from editd.doors.cli.models_here import EMBEDDED, Here, has_torch
from editd.doors.cli.right_edits import word_for
from editd.models.hub import gigabytes

if TYPE_CHECKING:
    from editd.models.openvino.converted import Kept


def lines(
    machine: Machine, here: Sequence[Here], used: str, built: Sequence[Kept] = ()
) -> list[str]:
    """For a terminal."""
    names = {model.name for model in here}
    suggested = [one for one in CATALOGUE if one.model_id not in names] if has_torch() else []
    width = max(map(len, (EMBEDDED, *names, *(one.model_id for one in suggested))))
    told = [f"This machine: {machine.name}, {gigabytes(machine.memory)} of memory.", ""]
    if here:
        told.append(f"  {'here':{width}}  {'size':>6}  {'kind':8}  context  fits  edits")
        told += [_here(model, used, width) for model in here]
        told += [
            "",
            "“edits”: how often an edit is right, where measured (docs/explanation/answers.md).",
            "",
        ]
    if suggested or EMBEDDED not in names:
        told.append(
            f"  {'to pull':{width}}  {'size':>6}  {'fetched':8}  context  fits  edits   licence"
        )
    if EMBEDDED not in names:
        told.append(
            f"  {EMBEDDED:{width}}  0.13 B  {'98 MB':8}  {'':7}  yes           Apache-2.0 "
            "(a few kinds of edits, of short texts)"
        )
    told += [_suggestion(one, machine, width) for one in suggested]
    if built:
        told += ["", "  converted for OpenVINO (editd models clean deletes it)"]
        told += [f"  {one.source.name:{width}}  {gigabytes(one.size_bytes):>6}" for one in built]
    told += [
        "",
        *([] if has_torch() else [_WITHOUT_TORCH]),
        f"In use: {used}. To use another: editd config set model.name NAME,",
        "or once: editd edit --model NAME … To download one: editd models pull NAME",
        "Any other causal language model works too: a folder, a hub id or a .gguf file.",
    ]
    return told


_WITHOUT_TORCH = (
    "Without PyTorch editd runs GGUF models, for example after: ollama pull qwen2.5-coder:7b"
)


def figures(
    machine: Machine, here: Sequence[Here], used: str, built: Sequence[Kept] = ()
) -> dict[str, Any]:
    """For scripts and editors."""
    there = {model.name for model in here}
    return {
        "machine": {"device": machine.device, "name": machine.name, "memory_bytes": machine.memory},
        "used": used,
        "here": [asdict(model) for model in here],
        "converted": [
            {"source": str(one.source), "size_bytes": one.size_bytes, "folder": str(one.folder)}
            for one in built
        ],
        "models": [
            {
                "id": one.model_id,
                "parameters": round(one.parameters * 1e9),
                "download_bytes": round(one.download_bytes),
                "memory_bytes": round(machine.needs(one.parameters * 1e9)),
                "licence": one.licence,
                "context": one.context,
                "remark": one.remark,
                "fits": machine.fits(one.parameters * 1e9),
                "edits": word_for(one.model_id),
                "pulled": one.model_id in there,
            }
            for one in CATALOGUE
        ],
    }


def _here(model: Here, used: str, width: int) -> str:
    mark = "*" if model.name == used else " "
    context = f"{model.context // 1024}k" if model.context >= 1024 else str(model.context or "")
    fits = "yes" if model.fits else "no"
    rest = model.unusable or f"{context:>7}  {fits:4}  {model.edits}"
    size = gigabytes(model.size_bytes)
    return f"{mark} {model.name:{width}}  {size:>6}  {model.quantisation:8}  {rest}".rstrip()


def _suggestion(one: Suggestion, machine: Machine, width: int) -> str:
    fits = "yes" if machine.fits(one.parameters * 1e9) else "no"
    remark = f" ({one.remark})" if one.remark else ""
    fetched = gigabytes(one.download_bytes)
    return (
        f"  {one.model_id:{width}}  {one.parameters:>4g} B  {fetched:8}  {one.context:>7}  "
        f"{fits:4}  {word_for(one.model_id):6}  {one.licence}{remark}"
    )
