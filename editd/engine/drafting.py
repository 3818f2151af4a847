"""Chooses the drafter of an edit: the configured one, with the draft model and the project if there are any.

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
PROJECT_DRAFTER = "workspace"


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


def names_project(drafter: str) -> bool:
    """Whether a drafter's spec names the one that drafts from a project's files."""
    return PROJECT_DRAFTER in _names(drafter)


def may_ask_project(settings: Settings) -> bool:
    """Whether a project's files, if there are any, should be used."""
    return names_project(settings.drafter) or not settings.drafter_was_chosen


def drafter_beside(
    settings: Settings, target: Model, draft: Model | None, *, project: bool = False
) -> str:
    """The spec of the drafter; a default one is followed by the project's drafter and the draft model.

    project: whether there is an index of one.
    """
    drafter = settings.drafter
    if project and not settings.drafter_was_chosen:
        drafter = _before_project(drafter)
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
        # A pass of a small batch takes as long as its weights take to be read.
        cost=draft.weights_bytes / max(target.weights_bytes, 1),
        costs=round_costs(draft) if measured else None,
        target_costs=round_costs(target) if measured else None,
        clock=draft.timing.clock,
        note=note,
    )


def _names(drafter: str) -> set[str]:
    return {part.strip().partition(":")[0] for part in drafter.split("+")}


def _before_project(drafter: str) -> str:
    """With the project's files last, after the prompt and the answer."""
    missing = [name for name in ("suffix", PROJECT_DRAFTER) if name not in _names(drafter)]
    return "+".join([drafter, *missing])


def _without_models(drafter: str) -> str:
    kept = [part for part in drafter.split("+") if not asks_model(part)]
    return "+".join(kept) or "none"
