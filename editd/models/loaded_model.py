"""A model loaded in this process: the shared part of ``models.model.Model``.

A backend adds how its passes are timed, and its own status.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from editd.messages import ModelStatus
from editd.models.manifest import edit_format
from editd.models.text.chat_template import RenderChat
from editd.models.text.codec import ModelCodec


@dataclass(eq=False)
class LoadedModel:
    """target: opens sequences. tokenizer_folder: where its tokenizer can be read. dtype: its
    numbers, for a person. manifest: ``editd.json``. why: it runs on this engine, and notice: a sentence
    for the user who loaded it; empty if there is nothing to say.
    """

    name: str
    target: Any
    codec: ModelCodec
    stop_ids: frozenset[int]
    render_chat: RenderChat | None
    tokenizer_folder: Path
    device: str
    dtype: str
    parameters: int
    weights_bytes: int
    manifest: dict[str, Any] = field(default_factory=dict, kw_only=True)
    why: str = field(default="", kw_only=True)
    notice: str = field(default="", kw_only=True)

    @property
    def edit_format(self) -> str | None:
        """The format of edits that its maker names (``editd.json``)."""
        return edit_format(self.manifest)

    @property
    def memory_bytes(self) -> int:
        """Weights and caches now; asked by other threads too, also while the model is closed."""
        return self.weights_bytes + int(self.target.cache_bytes)

    def status(self) -> ModelStatus:
        """Its description for users."""
        target = self.target
        return ModelStatus(
            name=self.name,
            state="ready",
            device=self.device,
            dtype=self.dtype,
            parameters=self.parameters,
            memory_bytes=self.memory_bytes,
            kv_bytes=target.cache_bytes,
            kv_limit_bytes=target.kv_limit_bytes,
            exactness=target.exactness,
            runs=f"{target.runs} ({self.why})" if self.why else target.runs,
        )

    def drop_caches(self) -> None:
        """Forget what closed sequences left for later prompts."""
        self.target.drop_caches()

    def close(self) -> None:
        """Give all memory back; the model cannot be used any more. Safe to call twice."""
        self.target.close()
