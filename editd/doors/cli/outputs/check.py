"""Would it change? Nothing is written; like a formatter's check."""

from __future__ import annotations

from editd.doors.cli.console import write_text
from editd.doors.cli.figures import change
from editd.doors.cli.inputs import Source
from editd.doors.cli.outputs.base import Output, warn_of_doubts
from editd.doors.cli.safe_text import visible
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
