"""The printed plan: what a configured model will take on this machine, before it is loaded.

Reads headers and asks the device how much is free; loads no weight. For ``editd models plan`` and
``editd doctor``.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from editd.backends.plan_lines import drawn
from editd.backends.torch.device import choose_device, choose_dtype, free_memory, other_cards
from editd.backends.torch.files.checkpoint import open_checkpoint
from editd.backends.torch.files.memory_plan import Plan, choose_plan, make_plan
from editd.config import ModelConfig
from editd.errors import OutOfMemory
from editd.hub import gigabytes


@dataclass(frozen=True, slots=True)
class Report:
    """A plan. refusal: why it does not fit, empty if it does."""

    name: str
    plan: Plan
    refusal: str = ""

    @property
    def context(self) -> int:
        """Tokens of prompt and answer that there is room for."""
        return self.plan.usable_context(self.plan.free_bytes)

    @property
    def needed_bytes(self) -> int:
        """Weights, caches, working space and the draft model."""
        return self.plan.needed_bytes

    def summary(self) -> str:
        """One line."""
        plan = self.plan
        return (
            f"{self.name}, {gigabytes(plan.weights_bytes)} of weights; "
            f"{gigabytes(plan.needed_bytes)} of memory as {plan.words()}, room for "
            f"{self.context:,} tokens"
        )

    def lines(self) -> list[str]:
        """For a terminal."""
        plan = self.plan
        sizes = [
            ("weights", plan.weights_bytes, plan.words()),
            ("KV cache", 1000 * plan.kv_bytes_per_token, "for 1,000 tokens"),
            ("recorded passes", plan.graphs_bytes, "reckoned, not measured"),
            ("draft model", plan.draft_bytes, ""),
            ("working space", plan.workspace_bytes, ""),
            ("together", plan.needed_bytes, f"with {plan.planned_tokens:,} tokens"),
            ("free", plan.free_bytes, f"on {' and '.join(map(str, plan.devices))}"),
        ]
        room = f"{self.context:,} of {plan.context_length:,} tokens of prompt and answer"
        rest = [("room for", room)]
        if plan.spread is not None:
            rest.append(("spread", plan.spread.words()))
        return drawn(self.name, sizes, rest, self.refusal)

    def figures(self) -> dict[str, object]:
        """For scripts."""
        plan = self.plan
        return {
            "model": self.name,
            "fits": not self.refusal,
            "refusal": self.refusal,
            "device": "+".join(map(str, plan.devices)),
            "layers": plan.spread.counts if plan.spread is not None else (),
            "dtype": str(plan.dtype).removeprefix("torch."),
            "quantize": plan.quantize,
            "weights_bytes": plan.weights_bytes,
            "kv_bytes_per_token": plan.kv_bytes_per_token,
            "graphs_bytes": plan.graphs_bytes,
            "draft_bytes": plan.draft_bytes,
            "workspace_bytes": plan.workspace_bytes,
            "needed_bytes": plan.needed_bytes,
            "free_bytes": plan.free_bytes,
            "context": self.context,
            "context_limit": plan.context_length,
        }


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
        return Report(config.name, replace(plan, free_bytes=free), str(error))
    return Report(config.name, plan)
