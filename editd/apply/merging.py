"""``merge``: read the paste, place its parts, write the text."""

from __future__ import annotations

from editd.apply.outcome import InDoubt, Merged


def merge(
    text: str, sketch: str, *, path: str = "", lines: tuple[int, int] | None = None
) -> Merged | InDoubt:
    """``text`` as ``sketch`` says, if that can mean one text only.

    text: the whole buffer as it is, line ends and all. sketch: what was pasted: changed lines with
    markers for what stays, a unified diff, search/replace blocks, each with or without a fence and
    prose around it. path: the file's name, which tells its language and chooses among the files of
    a diff. lines: only these may change (0-based, end exclusive). Never raises for any text.
    """
    return InDoubt("Nothing can be merged yet.")
