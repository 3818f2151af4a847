"""The settings of one request: its own options where it has them, else the configuration."""

from __future__ import annotations

import dataclasses
import zlib
from dataclasses import replace
from typing import Any

from editd.config import Config, DecodeConfig, ModelConfig
from editd.decode.drafters.draft_session import ACCEPTANCES
from editd.decode.speculative import Window
from editd.decode.target import Sampling
from editd.decode.window import FixedWindow, WindowPolicy
from editd.errors import UsageError
from editd.messages.options import EditOptions, Loading
from editd.models.model import Model
from editd.models.pool import ModelPool
from editd.models.round_costs import MOST_ROWS, round_costs
from editd.models.text_source import AnswerSettings

_WARM = 0.7  # the temperature of another answer, where the first was greedy


def answer_settings(
    pool: ModelPool, config: Config, options: EditOptions, request_id: str = ""
) -> AnswerSettings:
    """The settings of a request with these ``options``: each option that is set, else the configuration's. Checks
    nothing, and loads no model; see ``check_settings``.

    With ``options.way`` ``again`` an answer that would be greedy is sampled (temperature 0.7), and any gets a seed
    that is made of ``request_id``, unless the options name one.
    """
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
        seed=of("seed"),
    )
    if options.way == "again":
        sampling = replace(
            sampling,
            temperature=_WARM if sampling.greedy else sampling.temperature,
            seed=zlib.crc32(request_id.encode()) if options.seed is None else options.seed,
        )
    return AnswerSettings(
        spec=pool.spec(model),
        draft_spec=pool.draft_spec(model),
        drafter=of("drafter"),
        drafter_was_chosen=of("drafter") != DecodeConfig().drafter or options.drafter is not None,
        window=of("window"),
        sampling=sampling,
        max_new_tokens=of("max_new_tokens"),
        timeout=of("timeout"),
        acceptance=of("acceptance"),
        loading_conflict=_loading_conflict(options.loading, config.model),
    )


def check_settings(settings: AnswerSettings) -> None:
    """Raise ``UsageError`` if the request asks for models loaded otherwise than the running daemon loads them, and
    for an unknown acceptance rule.
    """
    if settings.loading_conflict:
        raise UsageError(settings.loading_conflict)
    if settings.acceptance not in ACCEPTANCES:
        raise UsageError(
            f"acceptance is {settings.acceptance!r}, but must be {' or '.join(ACCEPTANCES)} "
            "(--acceptance)."
        )


def window_for(settings: AnswerSettings, model: Model) -> Window:
    """The rule for how many tokens are drafted each round: the fixed number that was set, else one that chooses by
    the cost of rounds on this machine.
    """
    costs, clock = round_costs(model), model.timing.clock
    if settings.window:
        return FixedWindow(settings.window, costs, clock)
    return WindowPolicy(costs, MOST_ROWS - 1, clock)


def _loading_conflict(requested: Loading, running: ModelConfig) -> str:
    """A sentence on the first setting by which the daemon (``running``) loads models otherwise than ``requested``,
    and what to do.

    Empty if there is no such setting. A requested value that is ``None`` or the setting's default conflicts with
    nothing.
    """
    default = ModelConfig()
    for name, value in dataclasses.asdict(requested).items():
        if value not in (None, getattr(running, name), getattr(default, name)):
            return (
                f"model.{name} is {value!r} in your settings, but {getattr(running, name)!r} in those that "
                "the running daemon was started with. Run `editd stop`: the next edit starts a daemon "
                "with yours."
            )
    return ""
