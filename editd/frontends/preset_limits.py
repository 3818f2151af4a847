"""The presets that the configured model cannot carry out in any file, so that a menu can say so before one is chosen; and
the kinds of edits that it can.

Which instructions a model refuses by the words alone is left to ``embedded.families``.
"""

from __future__ import annotations

from collections.abc import Iterable

from editd.config import ModelConfig, Preset

REASON = "needs a larger model than the embedded one"


def refused_presets(presets: Iterable[Preset], model: ModelConfig) -> dict[str, str]:
    """The names of the presets that ``model`` refuses whatever the file is, each with the reason as a sentence for
    the user, in the words for a terminal; in the order of ``presets``.

    Empty for a model that takes any instruction, and for a server's. A preset that words may decide without a model
    is not among them.
    """
    # Reading words takes a third of a second to load, and a language server answers before it is asked for presets.
    from editd.embedded.families import families_of_model, refuse_anywhere

    families = None if model.engine == "remote" else families_of_model(model.name)
    if families is None:
        return {}
    refusals = {preset.name: refuse_anywhere(families, preset.instruction) for preset in presets}
    return {name: sentence for name, sentence in refusals.items() if sentence is not None}


def kinds_of_edits(model: ModelConfig) -> list[str]:
    """The kinds of edits that ``model`` knows, as lines for the user, with the languages of those that are for some alone;
    empty for a model that takes any instruction, and for a server's.
    """
    from editd.embedded.families import FAMILIES, families_of_model

    names = () if model.engine == "remote" else families_of_model(model.name) or ()
    known = [FAMILIES[name] for name in names if FAMILIES[name].brief]
    return [
        f"{family.title} ({', '.join(sorted(family.languages)).title()})"
        if family.languages
        else family.title
        for family in known
    ]
