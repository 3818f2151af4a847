"""``editd/presets``: the named instructions, and which of them the present model refuses."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from editd.frontends.lsp.methods import PresetEntry, PresetList
from editd.frontends.lsp.session import Session
from editd.frontends.preset_limits import refused_presets
from editd.wording import worded


def presets(session: Session, _: Any) -> PresetList:
    """The presets in the order of a menu."""
    return PresetList(tuple(preset_entries(session)))


def preset_entries(session: Session) -> list[PresetEntry]:
    """The presets in the order of a menu, each with the reason, in the words of the editor, if the client's model,
    else the configured one, refuses it in any file, else ``None``.
    """
    options = session.options
    model = options.config.model
    model = replace(model, name=options.requests.model or model.name)
    refused = refused_presets(options.presets.values(), model)
    return [
        PresetEntry(
            preset.name,
            preset.title,
            preset.instruction,
            worded(refused[preset.name], session.features.door) if preset.name in refused else None,
        )
        for preset in options.presets.values()
    ]
