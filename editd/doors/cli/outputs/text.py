"""The new text, in the encoding of the old: what a pipe gets."""

from __future__ import annotations

from editd.doors.cli.console import write_bytes
from editd.doors.cli.inputs import Source
from editd.doors.cli.outputs.base import Output, warn_of_doubts
from editd.files.encoding import encode
from editd.messages import EditResult


class Text(Output):
    """Writes the whole new text, and nothing else, to standard output."""

    def finished(self, source: Source, result: EditResult, new_text: str) -> int:
        write_bytes(encode(new_text, source.encoding, source.name or source.given))
        warn_of_doubts(result)
        return 0
