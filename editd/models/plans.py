"""The memory that a configured model needs on this machine, by its backend; loads no weights.

For ``editd models plan`` and ``editd doctor``.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from editd.config import ModelConfig
from editd.errors import ModelUnsupported
from editd.models.model import ModelSpec
from editd.models.plan_report import Report
from editd.models.registry import backend_name, gguf_file, without_scheme


def plan_model(config: ModelConfig) -> Report:
    """The plan for ``config.name`` as it would be loaded now.

    Raises what loading would raise, but for too little memory, which is in the report.
    """
    draft = config.of_draft()
    beside = bool(draft.name) and draft.device == config.device
    backend = backend_name(config.name)
    if backend == "torch" and config.engine != "openvino":
        from editd.models.torch.files.memory_plan import plan_model as plan_torch

        if not beside or backend_name(draft.name) == "torch":
            return plan_torch(config)
        return plan_torch(replace(config, draft=""), plan_model(draft).needed_bytes)
    draft_bytes = plan_model(draft).needed_bytes if beside else 0
    spec = ModelSpec(
        without_scheme(config.name),
        config.device,
        max_context=config.max_context,
        engine=config.engine,
        quantize=config.quantize,
    )
    if backend in ("torch", "openvino"):
        from editd.models.openvino.loading import plan_on_openvino

        return plan_on_openvino(config.name, spec, draft_bytes)
    if backend == "llama_cpp":
        return _plan_file(config.name, spec, gguf_file(config.name), draft_bytes)
    raise ModelUnsupported(f"The memory that {config.name} needs is known only to its own package.")


def _plan_file(name: str, spec: ModelSpec, file: Path | None, draft_bytes: int) -> Report:
    """Of a GGUF file, on the engine that is chosen for it. file: ``None`` where the name says it."""
    from editd.models.engines import Choice, known_choice
    from editd.models.llama_cpp.placement import plan_file
    from editd.models.openvino.loading import plan_on_openvino

    if file is None:
        return plan_file(name, spec.name, spec.device, draft_bytes)
    spec = replace(spec, name=str(file.expanduser()))
    unknown = Choice("llama_cpp", "or OpenVINO, which the first edit measures")
    choice = known_choice(spec) or unknown
    if choice.backend == "openvino":
        return plan_on_openvino(name, spec, draft_bytes, choice.why)
    report = plan_file(name, file, spec.device, draft_bytes)
    if not choice.why:
        return report
    rest = [*report.rest, ("because", choice.why)] if choice != unknown else report.rest
    return replace(report, runs=f"{report.runs} ({choice.why})", rest=rest)
