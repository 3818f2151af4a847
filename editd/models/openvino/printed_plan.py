"""The printed plan of a model on OpenVINO: its memory on this machine. Reads headers alone."""

from __future__ import annotations

import psutil

from editd.models.model import ModelSpec
from editd.models.openvino.loading import WORKSPACE, find, kv_bytes, refusal
from editd.models.plan_report import Report


def plan_on_openvino(name: str, spec: ModelSpec, draft_bytes: int, why: str = "") -> Report:
    """The plan of what ``spec`` names, which a user calls ``name``. draft_bytes: of a draft model beside it.

    why: it runs on this engine.
    """
    shape, weights = find(spec).read()
    size = sum(weight.nbytes for weight in weights)
    needed = size + kv_bytes(shape) + WORKSPACE + draft_bytes
    free = psutil.virtual_memory().available
    context = min(shape.context, spec.max_context or shape.context)
    because = f" ({why})" if why else ""
    return Report(
        name=name,
        runs=f"on OpenVINO{because}",
        refusal=refusal(name, needed, free, "free some memory"),
        device="cpu",
        weights_bytes=size,
        kv_bytes_per_token=shape.token_bytes,
        draft_bytes=draft_bytes,
        needed_bytes=needed,
        free_bytes=free,
        context=max(0, min(context, (free - size - WORKSPACE) // shape.token_bytes)),
        context_limit=shape.context,
        sizes=(
            ("weights", size, "as OpenVINO reads them, and as much in the cache on the disk"),
            ("KV cache", 1000 * shape.token_bytes, "for 1,000 tokens"),
            ("draft model", draft_bytes, ""),
            ("together", needed, "with a usual edit"),
            ("free", free, "of RAM"),
        ),
        rest=[("runs on", f"OpenVINO{because}")],
        more={"runs": "OpenVINO"},
    )
