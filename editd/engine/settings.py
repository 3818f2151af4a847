"""How one edit is decoded: the request's own options, else the configuration."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from editd.config import Config
from editd.decode.target import Sampling
from editd.decode.window import FixedWindow
from editd.messages import EditOptions
from editd.model.loader import LoadedModel, ModelSpec
from editd.model.pool import ModelPool


@dataclass(frozen=True, slots=True)
class Settings:
    """How one edit is decoded: its own options where it has them, else the configuration."""

    spec: ModelSpec
    drafter: str
    window: int
    sampling: Sampling
    max_new_tokens: int
    timeout: float

    def window_on(self, model: LoadedModel) -> FixedWindow:
        """The window that was set, else one that suits the device: a CPU pays for each row."""
        return FixedWindow(self.window or (64 if model.device == "cpu" else 128))

    @classmethod
    def of(cls, pool: ModelPool, config: Config, options: EditOptions) -> Settings:
        """The settings of a request with these ``options``."""
        decode = config.decode

        def of(name: str) -> Any:
            own = getattr(options, name)
            return getattr(decode, name) if own is None else own

        return cls(
            spec=pool.spec(
                replace(
                    config.model,
                    name=options.model or config.model.name,
                    allow_remote_code=options.allow_remote_code or config.model.allow_remote_code,
                )
            ),
            drafter=of("drafter"),
            window=of("window"),
            sampling=Sampling(
                temperature=of("temperature"),
                top_p=of("top_p"),
                top_k=of("top_k"),
                min_p=of("min_p"),
                repetition_penalty=of("repetition_penalty"),
                seed=of("seed"),
            ),
            max_new_tokens=of("max_new_tokens"),
            timeout=of("timeout"),
        )
