"""The memory that a configured model needs on this machine, by its backend; loads no weights.

For ``editd models plan`` and ``editd doctor``.
"""

from __future__ import annotations

from dataclasses import replace

from editd.backends.plan_report import Report
from editd.backends.registry import backend_name, gguf_file, without_scheme
from editd.config import ModelConfig
from editd.errors import ModelUnsupported


def plan_model(config: ModelConfig) -> Report:
    """The plan for ``config.name`` as it would be loaded now.

    Raises what loading would raise, but for too little memory, which is in the report.
    """
    draft = config.of_draft()
    beside = bool(draft.name) and draft.device == config.device
    name, device = without_scheme(config.name), config.device
    backend = backend_name(config.name)
    if backend == "torch":
        from editd.backends.torch.files.printed_plan import plan_model as plan_torch

        if not beside or backend_name(draft.name) == "torch":
            return plan_torch(config)
        return plan_torch(replace(config, draft=""), plan_model(draft).needed_bytes)
    if backend == "llama_cpp":
        from editd.backends.llama_cpp.printed_plan import plan_file

        draft_bytes = plan_model(draft).needed_bytes if beside else 0
        return plan_file(config.name, gguf_file(name) or name, device, draft_bytes)
    raise ModelUnsupported(f"The memory that {config.name} needs is known only to its own package.")
