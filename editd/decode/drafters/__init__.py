"""The drafters by name, one short file each. To add one: write its file, add its line to ``DRAFTERS``.

A spec is a name, perhaps with a preset (``prompt-lookup:tuned``), or several composed with ``+``, left first
(``buffer+suffix``).
"""

from __future__ import annotations

from collections.abc import Callable

from editd.decode.drafters.base import EMPTY, Codec, Draft, Drafter, DraftTask
from editd.decode.drafters.baselines import NoDrafter, PredictionDrafter, PromptLookupDrafter
from editd.decode.drafters.buffer import BufferDrafter
from editd.decode.drafters.draft_model import DraftModelDrafter
from editd.decode.drafters.guesses import PRESETS, ComposedDrafter
from editd.decode.drafters.sketch import SketchDrafter
from editd.decode.drafters.suffix import SuffixDrafter
from editd.decode.drafters.universal import UniversalDrafter
from editd.errors import UsageError

__all__ = [
    "EMPTY",
    "Codec",
    "Draft",
    "DraftTask",
    "Drafter",
    "check_spec",
    "drafter_names",
    "make_drafter",
]

Factory = Callable[[DraftTask, str], Drafter]

# name → (presets, the first one being the default; what builds it)
DRAFTERS: dict[str, tuple[tuple[str, ...], Factory]] = {
    "none": (("",), lambda _task, _preset: NoDrafter()),
    "buffer": (PRESETS, BufferDrafter),
    "suffix": (PRESETS, SuffixDrafter),
    "sketch": (PRESETS, SketchDrafter),
    "prompt-lookup": (("tuned", "saxena", "transformers"), PromptLookupDrafter),
    "prediction": (("16", "1"), PredictionDrafter),
    "draft-model": (("",), DraftModelDrafter),
    "universal": (("",), UniversalDrafter),
}


def drafter_names() -> list[str]:
    """The names that ``make_drafter`` knows, with its presets, default preset first."""
    return [
        name if presets == ("",) else f"{name}[:{'|:'.join(presets)}]"
        for name, (presets, _factory) in DRAFTERS.items()
    ]


def make_drafter(spec: str, task: DraftTask) -> Drafter:
    """The drafter that ``spec`` names, built for one edit. Raises ``UsageError`` for an unknown name or preset."""
    parts = [factory(task, preset) for factory, preset in _factories_of(spec)]
    return parts[0] if len(parts) == 1 else ComposedDrafter(task, parts)


def check_spec(spec: str) -> None:
    """Raise ``UsageError`` if ``make_drafter`` would not know ``spec``."""
    _factories_of(spec)


def _factories_of(spec: str) -> list[tuple[Factory, str]]:
    """The factory and the preset (the drafter's first, if none is given) of each part of ``spec``,
    in its order: parts are joined by "+", each ``NAME`` or ``NAME:PRESET``. Raises ``UsageError``
    for an unknown name or preset.
    """
    found = []
    for part in spec.split("+"):
        name, _, preset = part.strip().partition(":")
        if name == "workspace":
            raise UsageError(
                "There is no drafter workspace any more: suffix drafts from the project's files."
            )
        if name not in DRAFTERS:
            raise UsageError(
                f"There is no drafter “{part.strip()}”. Drafters are "
                f"{', '.join(drafter_names())}; join several with “+”, in order of precedence."
            )
        presets, factory = DRAFTERS[name]
        if preset and preset not in presets:
            known = ", ".join(known for known in presets if known) or "none"
            raise UsageError(f"The drafter {name} has no preset “{preset}”; its presets: {known}.")
        found.append((factory, preset or presets[0]))
    return found
