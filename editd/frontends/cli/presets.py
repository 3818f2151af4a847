"""``editd presets``: the named instructions of the editors' menus, and those that the model in use cannot do."""

from __future__ import annotations

from typing import Annotated

from editd.config import presets_with
from editd.frontends.cli.console import write_json, write_text
from editd.frontends.cli.inputs import resolved_settings
from editd.frontends.cli.options import option


def presets(*, json: Annotated[bool, option("--json", about="Print JSON.")] = False) -> None:
    """List the presets that editors offer, each with its instruction, and say which the model in use cannot do.

    Lists the kinds of edits of a model that knows only some, such as the embedded one.

    `editd config set edit.presets.NAME "INSTRUCTION"` adds one.
    """
    from editd.frontends.preset_limits import REASON, kinds_of_edits, refused_presets

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
    if kinds := kinds_of_edits(config.model):
        lines = "".join(f"  {kind}\n" for kind in kinds)
        write_text(
            f"\nThe model in use knows these kinds of edits, beside what is computed from words:\n{lines}"
        )
    if refused:
        write_text("Larger models that run here: editd setup\n")
