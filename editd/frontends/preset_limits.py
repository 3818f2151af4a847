"""The presets that the configured model cannot carry out in any file, so that a menu can say so before one is chosen.

Only the embedded model refuses by the words alone (``embedded.families``); each other model is asked for anything.
"""

from __future__ import annotations

from collections.abc import Iterable

from editd.config import ModelConfig, Preset
from editd.embedded.families import family_of
from editd.intent import parse
from editd.intent.intents import Open

REASON = "needs a larger model than the embedded one"


def refused_presets(presets: Iterable[Preset], model: ModelConfig) -> dict[str, str]:
    """The names of the presets that ``model`` refuses whatever the file is, each with the reason in words.

    Empty for all models but the embedded one. A preset that words may decide without a model is not among them.
    """
    from editd.models.registry import EMBEDDED, REMOTE  # it loads numpy

    if model.engine == REMOTE or model.name != EMBEDDED:
        return {}
    return {preset.name: REASON for preset in presets if not _may_work(preset.instruction)}


def _may_work(instruction: str) -> bool:
    """Whether the embedded model knows such edits, or words may decide the instruction in some file."""
    parsed = parse(instruction)
    is_by_words = not isinstance(parsed.intent, Open) or bool(parsed.guesses or parsed.clauses)
    return is_by_words or family_of(instruction) is not None
