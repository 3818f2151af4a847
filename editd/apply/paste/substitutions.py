"""Old lines and the new ones that replace them: what a hunk of a diff and a search/replace block say."""

from __future__ import annotations

from dataclasses import dataclass

from editd.apply.paste.file_names import FileMention


@dataclass(frozen=True, slots=True)
class Substitution:
    """Old lines (``old``) that become new ones (``new``), lines without ends: what a hunk or a search/replace block says.

    at, end: 0-based lines of the paste. line: 0-based line of the buffer that the block's head names; ``None`` if it
    names none. anchors: lines that the head shows, which stand above the old ones. is_last: whether the old lines are
    the last ones of the file. ends: whether the file ends in a newline afterwards; ``None``: as before. is_text:
    whether ``old`` is a text rather than lines. is_everywhere: whether all locations are meant. splits: further ways to
    cut the block into old and new lines. named: the line that names its file. doubt: why it may not be meant for this
    location; else empty.
    """

    old: tuple[str, ...]
    new: tuple[str, ...]
    at: int
    line: int | None = None
    end: int = 0
    anchors: tuple[str, ...] = ()
    is_last: bool = False
    ends: bool | None = None
    is_text: bool = False
    is_everywhere: bool = False
    splits: tuple[tuple[tuple[str, ...], tuple[str, ...]], ...] = ()
    named: FileMention | None = None
    doubt: str = ""


def between_signs(block: Substitution) -> str:
    """The substitution as a text between signs, in the form of aider."""
    rows = ("<<<<<<< SEARCH", *block.old, "=======", *block.new, ">>>>>>> REPLACE")
    return "".join(f"{row}\n" for row in rows)
