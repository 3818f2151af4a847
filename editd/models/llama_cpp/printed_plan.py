"""The printed plan of a GGUF file: its memory on this machine, and the device of each layer."""

from __future__ import annotations

from pathlib import Path

from editd.errors import OutOfMemory
from editd.models.llama_cpp.plan import Plan, make_plan
from editd.models.plan_report import Report
from editd.stores.hub import expanded


def plan_file(name: str, file: Path | str, device: str, draft_bytes: int) -> Report:
    """The plan of ``file``, which a user calls ``name``. draft_bytes: of a draft model beside it."""
    plan = make_plan(expanded(file), device)
    try:
        plan.check(beside=draft_bytes)
    except OutOfMemory as error:
        return _report(name, plan, draft_bytes, str(error))
    return _report(name, plan, draft_bytes)


def _report(name: str, plan: Plan, draft_bytes: int, refusal: str = "") -> Report:
    needed = plan.needed_bytes + draft_bytes
    return Report(
        name=name,
        runs=f"on llama.cpp ({plan.where})",
        refusal=refusal,
        device="+".join(one.name for one in plan.devices) or "cpu",
        weights_bytes=plan.weights_bytes,
        kv_bytes_per_token=plan.kv_bytes_per_token,
        draft_bytes=draft_bytes,
        needed_bytes=needed,
        free_bytes=plan.free_bytes,
        context=plan.context,
        context_limit=plan.context_length,
        sizes=(
            ("weights", plan.weights_bytes, "as stored in the file"),
            ("KV cache", 1000 * plan.kv_bytes_per_token, "for 1,000 tokens"),
            ("draft model", draft_bytes, ""),
            ("together", needed, "with a usual edit"),
            ("free", plan.free_bytes, "of RAM"),
            *(("free", device.free, f"on {device.name}") for device in plan.devices),
        ),
        rest=[("runs on", f"llama.cpp, {plan.where}")],
        more={
            "runs": "llama.cpp",
            "layers": plan.layers,
            "layers_on_device": min(plan.layers_on_gpu, plan.layers),
        },
    )
