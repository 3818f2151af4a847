"""Would it change? Nothing is written; like a formatter's check."""

from __future__ import annotations

from editd.cli.console import write_text
from editd.cli.figures import change
from editd.cli.inputs import Source
from editd.cli.outputs.base import Output, warn_of_doubts
from editd.cli.safe_text import visible
from editd.messages import EditResult


class Check(Output):
    """One line for each text, and exit code 1 if the answer would change it."""

    def finished(self, source: Source, result: EditResult, new_text: str) -> int:
        changed = new_text != source.text
        name = visible(source.name or "standard input")
        write_text(
            f"would change {name}: {change(result)}\n" if changed else f"{name}: unchanged\n"
        )
        warn_of_doubts(result)
        return int(changed)
