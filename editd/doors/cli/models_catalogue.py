"""Models that are known to work well, smallest first. Facts from their model cards; no network.

``parameters`` in billions, all experts included; ``context`` as the checkpoint is configured
(some can be extended); ``remark`` says if a licence is not open source.
"""

from __future__ import annotations

from dataclasses import dataclass

_APACHE = "Apache-2.0"


@dataclass(frozen=True, slots=True)
class Suggestion:
    """One model of the catalogue."""

    model_id: str
    parameters: float
    licence: str
    context: str
    remark: str = ""
    url_needed: bool = False  # its licence is accepted on its page before it can be pulled

    @property
    def download_bytes(self) -> float:
        """About this much: these checkpoints hold two bytes a parameter."""
        return self.parameters * 2e9


CATALOGUE = (
    Suggestion("Qwen/Qwen2.5-Coder-0.5B-Instruct", 0.49, _APACHE, "32k", "drafts for larger ones"),
    Suggestion("Qwen/Qwen2.5-Coder-1.5B-Instruct", 1.54, _APACHE, "32k", "check every edit"),
    Suggestion("HuggingFaceTB/SmolLM2-1.7B-Instruct", 1.71, _APACHE, "8k", "general"),
    Suggestion("HuggingFaceTB/SmolLM3-3B", 3.08, _APACHE, "64k", "general"),
    Suggestion(
        "Qwen/Qwen2.5-Coder-3B-Instruct", 3.09, "Qwen Research", "32k", "not for commercial use"
    ),
    Suggestion("Qwen/Qwen3-4B-Instruct-2507", 4.02, _APACHE, "256k", "general, follows closely"),
    Suggestion("Qwen/Qwen2.5-Coder-7B-Instruct", 7.61, _APACHE, "32k", "a good first choice"),
    Suggestion("microsoft/NextCoder-7B", 7.61, "MIT", "32k", "the same, trained further on edits"),
    Suggestion("ibm-granite/granite-3.3-8b-instruct", 8.17, _APACHE, "128k", "general and code"),
    Suggestion("ByteDance-Seed/Seed-Coder-8B-Instruct", 8.25, "MIT", "32k"),
    Suggestion("Qwen/Qwen2.5-Coder-14B-Instruct", 14.7, _APACHE, "32k"),
    Suggestion(
        "deepseek-ai/DeepSeek-Coder-V2-Lite-Instruct",
        15.7,
        "DeepSeek License",
        "128k",
        "2.4 B active; licence with use restrictions",
    ),
    Suggestion(
        "bigcode/starcoder2-15b-instruct-v0.1",
        16.0,
        "BigCode OpenRAIL-M",
        "16k",
        "licence with use restrictions",
    ),
    Suggestion(
        "mistralai/Codestral-22B-v0.1",
        22.2,
        "Mistral Non-Production",
        "32k",
        "not for commercial use; accept its licence first",
        url_needed=True,
    ),
    Suggestion("Qwen/Qwen3-Coder-30B-A3B-Instruct", 30.5, _APACHE, "256k", "3.3 B active"),
    Suggestion("Qwen/Qwen2.5-Coder-32B-Instruct", 32.5, _APACHE, "32k"),
)
