"""The model's talk left in the file: fence lines, "Here is the updated code:", explanations.

Only for code: in a Markdown file, fences and sentences are normal. Only at the left
margin: indented, they are in a string or a comment.
"""

from __future__ import annotations

from editd.checks.rewrite import Doubt, Rewrite, quoted
from editd.prompts.prose import is_prose, is_talk


def doubts(rewrite: Rewrite) -> list[Doubt]:
    """The first such line of each hunk."""
    if rewrite.language in ("markdown", "text", "rst", "latex", "html"):
        return []
    if not rewrite.language and is_prose(rewrite.old_text(0, _LINES_READ)[:_CHARACTERS_READ]):
        return []
    has_fences = _has_fences(rewrite.document.text)
    found: list[Doubt] = []
    for hunk, start in zip(rewrite.hunks, rewrite.new_starts, strict=True):
        for index, line in enumerate(hunk.new_lines, start):
            if not line.strip() or line[:1].isspace():
                continue
            fence = line.startswith(("```", "~~~")) and not has_fences
            if (fence or is_talk(line[:_LONGEST])) and not rewrite.has_line(line.strip()):
                what = "a Markdown fence" if fence else "the model talking"
                reason = f"Line {index + 1} reads like {what}, not like the file: {quoted(line)}."
                found.append(Doubt(reason, (hunk.id,)))
                break  # one sentence a hunk: what follows is more of the same
    return found


def _has_fences(text: str) -> bool:
    """Whether a line begins as a fence."""
    return any(
        text.startswith(mark) or f"\n{mark}" in text or f"\r{mark}" in text
        for mark in ("```", "~~~")
    )


# Of a buffer, to find out whether it is prose; of a line, to find out whether it is talk.
_LINES_READ, _CHARACTERS_READ, _LONGEST = 1000, 50_000, 1000
