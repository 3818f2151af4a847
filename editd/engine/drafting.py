"""Chooses the drafter of an edit: the configured one, with the draft model if there is one.

``job`` loads the draft model, the drafters call it. If a draft model fails, only speed is
lost: the user gets one sentence about it, and the edit continues without it.
"""

from __future__ import annotations

from collections.abc import Callable

from editd.decode.drafters.draft_session import DraftSession, spell_alike
from editd.engine.settings import Settings
from editd.models.model import Model
from editd.models.round_costs import round_costs

MODEL_DRAFTERS = frozenset({"draft-model", "universal"})


def asks_model(drafter: str) -> bool:
    """Whether a drafter's spec names one that asks a draft model."""
    return bool(_names(drafter) & MODEL_DRAFTERS)


def begins_with_model(drafter: str) -> bool:
    """Whether the draft model is asked in every round, so that it should read the prompt at once."""
    return _names(drafter.partition("+")[0]) <= MODEL_DRAFTERS


def may_ask_model(settings: Settings) -> bool:
    """Whether a draft model, if set, should be loaded."""
    return asks_model(settings.drafter) or not (
        settings.drafter_was_chosen or _names(settings.drafter) == {"none"}
    )


def asks_project(drafter: str) -> bool:
    """Whether a drafter's spec names the one that drafts from a project's files."""
    return "suffix" in _names(drafter)


def drafter_beside(settings: Settings, target: Model, draft: Model | None) -> str:
    """The spec of the drafter, with the draft model last where there is one."""
    drafter = settings.drafter
    if draft is None:
        if asks_model(drafter) and settings.draft_spec is not None:
            # It could not be loaded, and the user knows why: the others draft without it.
            return _without_models(drafter)
        return drafter
    if asks_model(drafter):
        return drafter
    alike = spell_alike(target.codec, draft.codec)
    return f"{drafter}+{'draft-model' if alike else 'universal'}"


def draft_session(
    settings: Settings, target: Model, draft: Model, note: Callable[[str], None]
) -> DraftSession:
    """The drafters' session with ``draft``, for one answer.

    With a window that the user set, rounds are the same on every machine.
    """
    measured = not settings.window
    return DraftSession(
        draft,
        target,
        sampling=settings.sampling,
        acceptance=settings.acceptance,
        replacements=settings.draft_replace,
        # A pass of a small batch takes as long as its weights take to be read.
        cost=draft.weights_bytes / max(target.weights_bytes, 1),
        costs=round_costs(draft) if measured else None,
        target_costs=round_costs(target) if measured else None,
        clock=draft.timing.clock,
        note=note,
    )


def _names(drafter: str) -> set[str]:
    return {part.strip().partition(":")[0] for part in drafter.split("+")}


def _without_models(drafter: str) -> str:
    kept = [part for part in drafter.split("+") if not asks_model(part)]
    return "+".join(kept) or "none"
