"""``editd/presets``: the named instructions."""

from __future__ import annotations

from typing import Any

from editd.frontends.lsp.methods import PresetList
from editd.frontends.lsp.session import Session


def presets(session: Session, _: Any) -> PresetList:
    """The presets in the order of a menu."""
    return PresetList(tuple(session.options.presets.values()))
