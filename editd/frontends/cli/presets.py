"""``editd presets``: the named instructions of the editors' menus, and those that the model in use cannot do."""

from __future__ import annotations

from typing import Annotated

from editd.config import presets_with
from editd.frontends.cli.console import write_json, write_text
from editd.frontends.cli.inputs import resolved_settings
from editd.frontends.cli.options import option


def presets(*, json: Annotated[bool, option("--json", about="Print JSON.")] = False) -> None:
    """List the presets that editors offer, each with its instruction, and say which the model in use cannot do.

    `editd config set edit.presets.NAME "INSTRUCTION"` adds one.
    """
    from editd.frontends.preset_limits import REASON, refused_presets

    config = resolved_settings().config
    known = presets_with(config.edit.presets).values()
    refused = refused_presets(known, config.model)
    if json:
        write_json(
            [
                {
                    "name": preset.name,
                    "title": preset.title,
                    "instruction": preset.instruction,
                    "refused": REASON if preset.name in refused else "",
                }
                for preset in known
            ]
        )
        return
    width = max((len(preset.name) for preset in known), default=0)
    for preset in known:
        reason = f" ({REASON})" if preset.name in refused else ""
        write_text(
            f"{preset.name:{width}}  {preset.title}{reason}\n{'':{width}}  {preset.instruction}\n"
        )
    if refused:
        write_text("Larger models that run here: editd setup\n")
