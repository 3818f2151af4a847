"""How one edit is decoded: the request's own options, else the configuration."""

from __future__ import annotations

import dataclasses
import zlib
from dataclasses import dataclass, replace
from typing import Any

from editd.config import Config, DecodeConfig, ModelConfig
from editd.decode.drafters.draft_session import ACCEPTANCES, Acceptance
from editd.decode.speculative import Window
from editd.decode.target import Sampling
from editd.decode.window import FixedWindow, WindowPolicy
from editd.errors import UsageError
from editd.messages import EditOptions, Loading
from editd.models.model import Model, ModelSpec
from editd.models.pool import ModelPool
from editd.models.round_costs import MOST_ROWS, round_costs

_WARM = 0.7  # the temperature of another answer, where the first was greedy


@dataclass(frozen=True, slots=True)
class Settings:
    """How one edit is decoded: its own options where it has them, else the configuration.

    draft_spec: the draft model, ``None`` for none. drafter_was_chosen: by the user; one that
    was not may be joined by the draft model. differs: in one sentence, how the request wants
    its models loaded otherwise than they are here.
    """

    spec: ModelSpec
    draft_spec: ModelSpec | None
    drafter: str
    drafter_was_chosen: bool
    window: int
    sampling: Sampling
    max_new_tokens: int
    timeout: float
    acceptance: Acceptance
    differs: str

    def check(self) -> None:
        """Raise ``UsageError`` for unsupported settings."""
        if self.differs:
            raise UsageError(self.differs)
        if self.acceptance not in ACCEPTANCES:
            raise UsageError(
                f"acceptance is {self.acceptance!r}, but must be {' or '.join(ACCEPTANCES)} "
                "(--acceptance)."
            )

    def window_on(self, model: Model) -> Window:
        """The window that was set, else the best one for the cost of rounds on this machine."""
        if self.window:
            return FixedWindow(self.window, round_costs(model), model.timing.clock)
        return WindowPolicy(round_costs(model), MOST_ROWS - 1, model.timing.clock)

    @classmethod
    def of(
        cls, pool: ModelPool, config: Config, options: EditOptions, request_id: str = ""
    ) -> Settings:
        """The settings of a request with these ``options``. Another answer is drawn for each id."""
        decode = config.decode

        def of(name: str) -> Any:
            own = getattr(options, name)
            return getattr(decode, name) if own is None else own

        model = replace(
            config.model,
            name=options.model or config.model.name,
            draft=config.model.draft if options.draft_model is None else options.draft_model,
        )
        sampling = Sampling(
            temperature=of("temperature"),
            top_p=of("top_p"),
            top_k=of("top_k"),
            min_p=of("min_p"),
            repetition_penalty=of("repetition_penalty"),
            seed=of("seed"),
        )
        if options.way == "again":
            sampling = replace(
                sampling,
                temperature=_WARM if sampling.greedy else sampling.temperature,
                seed=zlib.crc32(request_id.encode()) if options.seed is None else options.seed,
            )
        return cls(
            spec=pool.spec(model),
            draft_spec=pool.draft_spec(model),
            drafter=of("drafter"),
            drafter_was_chosen=of("drafter") != DecodeConfig().drafter
            or options.drafter is not None,
            window=of("window"),
            sampling=sampling,
            max_new_tokens=of("max_new_tokens"),
            timeout=of("timeout"),
            acceptance=of("acceptance"),
            differs=_difference(options.loading, config.model),
        )


def _difference(wanted: Loading, here: ModelConfig) -> str:
    """How models are loaded here otherwise than the request wants, and what to do; else empty."""
    default = ModelConfig()
    for name, value in dataclasses.asdict(wanted).items():
        if value not in (None, getattr(here, name), getattr(default, name)):
            return (
                f"model.{name} is {value!r} in your settings, but {getattr(here, name)!r} in those that "
                "the running daemon was started with. Run `editd stop`: the next edit starts a daemon "
                "with yours."
            )
    return ""
