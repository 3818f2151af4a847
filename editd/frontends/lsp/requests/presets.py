"""``editd/presets``: the named instructions, and which of them the present model refuses."""

from __future__ import annotations

from typing import Any

from editd.embedded.families import families_of_model, refuse_anywhere
from editd.frontends.lsp.methods import PresetEntry, PresetList
from editd.frontends.lsp.session import Session
from editd.wording import worded


def presets(session: Session, _: Any) -> PresetList:
    """The presets in the order of a menu."""
    return PresetList(tuple(preset_entries(session)))


def preset_entries(session: Session) -> list[PresetEntry]:
    """The presets in the order of a menu, each with the sentence of a model that refuses it, in the words of the editor."""
    config = session.options.config
    name = session.options.requests.model or config.model.name
    families = None if config.model.engine == "remote" else families_of_model(name)
    entries = []
    for preset in session.options.presets.values():
        refusal = None if families is None else refuse_anywhere(families, preset.instruction)
        sentence = refusal and worded(refusal, session.features.door)
        entries.append(PresetEntry(preset.name, preset.title, preset.instruction, sentence))
    return entries
