"""How one edit is decoded: the request's own options, else the configuration."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, cast

from editd.backends.pool import ModelPool
from editd.backends.round_costs import MOST_ROWS, clock_of, round_costs
from editd.backends.torch.load import LoadedModel, ModelSpec
from editd.config import Config, DecodeConfig
from editd.decode.drafters.companion import ACCEPTANCES, Acceptance
from editd.decode.speculative import Window
from editd.decode.target import Sampling
from editd.decode.window import FixedWindow, WindowPolicy
from editd.errors import UsageError
from editd.messages import EditOptions


@dataclass(frozen=True, slots=True)
class Settings:
    """How one edit is decoded: its own options where it has them, else the configuration.

    draft_spec: the draft model, ``None`` for none. drafter_was_chosen: somebody named it; one that
    nobody named may be joined by the draft model. extra: a drafter's own options, unread.
    """

    spec: ModelSpec
    draft_spec: ModelSpec | None
    drafter: str
    drafter_was_chosen: bool
    window: int
    sampling: Sampling
    max_new_tokens: int
    timeout: float
    extra: dict[str, Any]
    configured_acceptance: str = "rejection"

    @property
    def acceptance(self) -> Acceptance:
        """How sampled drafts are judged; raises ``UsageError`` for what is no way."""
        value = self.extra.get("acceptance", self.configured_acceptance)
        if value not in ACCEPTANCES:
            allowed = " or ".join(ACCEPTANCES)
            raise UsageError(f"acceptance is {value!r}, but must be {allowed} (--acceptance).")
        return cast(Acceptance, value)

    @property
    def draft_replace(self) -> tuple[tuple[str, str], ...]:
        """Pairs: what the model's prompt says, what the draft model's says instead."""
        try:
            pairs = tuple((target, draft) for target, draft in self.extra.get("draft_replace", ()))
        except (TypeError, ValueError):
            pairs = (("", ""),)
        texts = [text for pair in pairs for text in pair]
        if not all(isinstance(text, str) for text in texts) or not all(first for first, _ in pairs):
            raise UsageError(
                "draft_replace must be pairs of texts: what the model's prompt says, and what the "
                "draft model's says instead (--draft-replace TARGET DRAFT)."
            )
        return pairs

    def window_on(self, model: LoadedModel) -> Window:
        """The window that was set, else the one that pays best, by what rounds cost here."""
        if self.window:
            return FixedWindow(self.window)
        return WindowPolicy(round_costs(model), MOST_ROWS - 1, clock_of(model))

    @classmethod
    def of(cls, pool: ModelPool, config: Config, options: EditOptions) -> Settings:
        """The settings of a request with these ``options``."""
        decode = config.decode

        def of(name: str) -> Any:
            own = getattr(options, name)
            return getattr(decode, name) if own is None else own

        model = replace(
            config.model,
            name=options.model or config.model.name,
            draft=config.model.draft if options.draft_model is None else options.draft_model,
            allow_remote_code=options.allow_remote_code or config.model.allow_remote_code,
        )
        return cls(
            spec=pool.spec(model),
            draft_spec=pool.draft_spec(model),
            drafter=of("drafter"),
            drafter_was_chosen=of("drafter") != DecodeConfig().drafter
            or options.drafter is not None,
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
            extra=options.extra,
            configured_acceptance=decode.acceptance,
        )
