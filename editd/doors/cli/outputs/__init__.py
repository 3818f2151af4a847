"""What an edit's messages become: one short file each, all of one shape, found by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from editd.doors.cli.outputs.base import Output

Mode = Literal["terminal", "text", "diff", "in-place", "json", "stream", "check"]


def make_output(
    mode: Mode, *, allow_suspect: bool, origins: bool = False, together: bool = False
) -> Output:
    """The output named ``mode``.

    origins: colour new text by where it came from, on a terminal. together: write all files or none.
    """
    from editd.doors.cli.outputs.as_json import JsonObject, Stream
    from editd.doors.cli.outputs.check import Check
    from editd.doors.cli.outputs.in_place import InPlace
    from editd.doors.cli.outputs.patch import Patch
    from editd.doors.cli.outputs.terminal import Terminal
    from editd.doors.cli.outputs.text import Text
    from editd.doors.cli.outputs.waiting import WithWaiting

    makers: dict[Mode, Callable[[], Output]] = {
        "terminal": lambda: Terminal(origins=origins),
        "text": Text,
        "diff": Patch,
        "in-place": lambda: InPlace(allow_suspect=allow_suspect, together=together),
        "json": JsonObject,
        "stream": Stream,
        "check": Check,
    }
    output = makers[mode]()
    # Where results are drawn or events told, that says enough.
    return output if mode in ("terminal", "stream") else WithWaiting(output)


__all__ = ["Mode", "Output", "make_output"]
