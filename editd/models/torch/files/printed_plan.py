"""The printed plan: what a configured model needs on this machine, before it is loaded.

Reads headers and asks the device how much is free; loads no weights. For ``editd models plan`` and
``editd doctor``.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from editd.config import ModelConfig
from editd.errors import OutOfMemory
from editd.models.plan_report import Report
from editd.models.torch.device import choose_device, choose_dtype, free_memory, other_cards
from editd.models.torch.files.checkpoint import open_checkpoint
from editd.models.torch.files.memory_plan import MemoryPlan, choose_plan, make_plan


def plan_model(config: ModelConfig, draft_bytes: int = 0) -> Report:
    """The plan for ``config.name`` as it would be loaded now.

    draft_bytes: of a draft model of another backend, where ``config`` names none.
    Raises what loading would raise, but for too little memory, which is in the report.
    """
    checkpoint = open_checkpoint(config.name)
    device = choose_device(config.device)
    dtype = choose_dtype(config.dtype, device)
    draft = draft_bytes
    own = config.of_draft()
    if own.name and own.device == config.device:
        theirs = make_plan(
            open_checkpoint(own.name),
            device,
            choose_dtype(own.dtype, device),
            "none" if own.quantize == "auto" else own.quantize,
        )
        draft = theirs.needed_bytes - theirs.workspace_bytes
    free = free_memory(device)
    options: dict[str, Any] = {
        "graphs": device.type == "cuda" and config.capture != "off",
        "draft_bytes": draft,
    }
    try:
        plan = choose_plan(
            checkpoint,
            device,
            dtype,
            config.quantize,
            free,
            others=lambda: other_cards(config.device, device, dtype),
            **options,
        )
    except OutOfMemory as error:
        kind = "none" if config.quantize == "auto" else config.quantize
        plan = make_plan(checkpoint, device, dtype, kind, **options)
        return _report(config.name, replace(plan, free_bytes=free), str(error))
    return _report(config.name, plan)


def _report(name: str, plan: MemoryPlan, refusal: str = "") -> Report:
    sizes = (
        ("weights", plan.weights_bytes, plan.words()),
        ("KV cache", 1000 * plan.kv_bytes_per_token, "for 1,000 tokens"),
        ("recorded passes", plan.graphs_bytes, "reckoned, not measured"),
        ("draft model", plan.draft_bytes, ""),
        ("working space", plan.workspace_bytes, ""),
        ("together", plan.needed_bytes, f"with {plan.planned_tokens:,} tokens"),
        ("free", plan.free_bytes, f"on {' and '.join(map(str, plan.devices))}"),
    )
    spread = plan.spread
    return Report(
        name=name,
        runs=f"as {plan.words()}",
        refusal=refusal,
        device="+".join(map(str, plan.devices)),
        weights_bytes=plan.weights_bytes,
        kv_bytes_per_token=plan.kv_bytes_per_token,
        draft_bytes=plan.draft_bytes,
        needed_bytes=plan.needed_bytes,
        free_bytes=plan.free_bytes,
        context=plan.usable_context(plan.free_bytes),
        context_limit=plan.context_length,
        sizes=sizes,
        rest=[("spread", spread.words())] if spread is not None else (),
        more={
            "layers": spread.counts if spread is not None else (),
            "dtype": str(plan.dtype).removeprefix("torch."),
            "quantize": plan.quantize,
            "graphs_bytes": plan.graphs_bytes,
            "workspace_bytes": plan.workspace_bytes,
        },
    )
