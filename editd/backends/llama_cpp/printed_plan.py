"""The printed plan of a GGUF file: what it will take on this machine, and which layers go where."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from editd.backends.llama_cpp.plan import Plan, make_plan
from editd.backends.plan_lines import drawn
from editd.errors import OutOfMemory
from editd.hub import gigabytes


@dataclass(frozen=True, slots=True)
class Report:
    """``plans.Report`` of a file. draft_bytes: what a draft model takes beside it."""

    name: str
    plan: Plan
    draft_bytes: int = 0
    refusal: str = ""

    @property
    def needed_bytes(self) -> int:
        return self.plan.needed_bytes + self.draft_bytes

    def summary(self) -> str:
        """One line."""
        plan = self.plan
        return (
            f"{self.name}, {gigabytes(plan.weights_bytes)} of weights; "
            f"{gigabytes(self.needed_bytes)} of memory on llama.cpp ({plan.where}), room for "
            f"{plan.context:,} tokens"
        )

    def lines(self) -> list[str]:
        """For a terminal."""
        plan = self.plan
        sizes = [
            ("weights", plan.weights_bytes, "as they lie in the file"),
            ("KV cache", 1000 * plan.kv_bytes_per_token, "for 1,000 tokens"),
            ("draft model", self.draft_bytes, ""),
            ("together", self.needed_bytes, "with a usual edit"),
            ("free", plan.free_bytes, "of RAM"),
            *(("free", device.free, f"on {device.name}") for device in plan.devices),
        ]
        room = f"{plan.context:,} of {plan.context_length:,} tokens of prompt and answer"
        rest = [("room for", room), ("runs on", f"llama.cpp, {plan.where}")]
        return drawn(self.name, sizes, rest, self.refusal)

    def figures(self) -> dict[str, object]:
        """For scripts."""
        plan = self.plan
        return {
            "model": self.name,
            "fits": not self.refusal,
            "refusal": self.refusal,
            "runs": "llama.cpp",
            "device": "+".join(one.name for one in plan.devices) or "cpu",
            "layers": plan.layers,
            "layers_on_device": min(plan.layers_on_gpu, plan.layers),
            "weights_bytes": plan.weights_bytes,
            "kv_bytes_per_token": plan.kv_bytes_per_token,
            "draft_bytes": self.draft_bytes,
            "needed_bytes": self.needed_bytes,
            "free_bytes": plan.free_bytes,
            "context": plan.context,
            "context_limit": plan.context_length,
        }


def plan_file(name: str, file: Path | str, device: str, draft_bytes: int) -> Report:
    """The plan of ``file``, which a user calls ``name``."""
    plan = make_plan(Path(file).expanduser(), device)
    try:
        plan.check(beside=draft_bytes)
    except OutOfMemory as error:
        return Report(name, plan, draft_bytes, str(error))
    return Report(name, plan, draft_bytes)
